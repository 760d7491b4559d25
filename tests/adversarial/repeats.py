"""Other data under the old name, and what a refused repeat must say."""

import duckdb
import pytest

import discreet as dp
from adversarial.rivers import ROWS

OTHER = [{**row, "cost": "7"} for row in ROWS]


def check_refused(plan, ledger, match: str) -> str:
    """Refused for nothing, in three lines with two ways out that work when they are typed."""
    before, spent = ledger.path.read_bytes(), ledger.spent()

    with pytest.raises(dp.errors.InputError, match=match) as refusal:
        dp.run(plan, ledger=ledger)

    text = str(refusal.value)
    assert text.count("\n") == 2
    assert "nothing was charged" in refusal.value.why
    assert ledger.path.read_bytes() == before
    new, old = (part.split('"')[0] for part in refusal.value.fix.split('request="')[1:])
    stored = dp.run(plan, ledger=ledger, request=old)
    assert (stored.repeated, ledger.spent()) == (True, spent)
    assert ledger.book().settled(new) is None
    return new


def connection():
    """A database whose table is called as what has no name is."""
    found = duckdb.connect()
    found.execute("CREATE TABLE \"table\" AS SELECT 'A' AS ward")
    return found
