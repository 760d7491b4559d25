"""A ledger of the first layout is not opened, and is taken over with everything that it holds.

`vectors/ledger-1.gz` was written by the last version of the first layout: three answers, one of
them with a fingerprint, open charges, two voids together, costs that are no whole units.
"""

import gzip
import os
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.cli.cli import main
from discreet.errors import LedgerError
from discreet.ledgers.entry import Header, text_hash
from discreet.ledgers.file import Ledger, create, open_ledger
from discreet.ledgers.old import OldBook, migrated, taken_over
from discreet.ledgers.units import UNIT
from discreet.privacy.loss import loss_of, pure, zcdp

OLD = gzip.decompress((Path(__file__).parents[1] / "vectors" / "ledger-1.gz").read_bytes())


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.ledger"
    path.write_bytes(OLD)
    return path


def test_an_old_ledger_is_refused_with_what_to_type(old):
    """Opened, charged or verified: three lines, and the file stays as it is."""
    acts = [lambda: open_ledger(old), lambda: Ledger(old).left(), lambda: Ledger(old).book()]
    acts.append(lambda: Ledger(old).reserve(request="r", plan="p", loss=zcdp("1/1000"), events=[]))
    for act in acts:
        with pytest.raises(LedgerError, match="the layout of an earlier version") as refusal:
            act()
        assert str(refusal.value).count("\n") == 2
        assert f"discreet ledger migrate {old} NEW.ledger" in refusal.value.fix
    assert "the layout of an earlier version" in Ledger(old).verify()[0]
    assert old.read_bytes() == OLD


def test_everything_comes_over(old, tmp_path):
    """Entries with their numbers and old hashes, answers, a fingerprint; the sums are rounded up."""
    made = migrated(old, tmp_path / "new.ledger")
    ledger = open_ledger(tmp_path / "new.ledger")
    book = ledger.book()

    assert book == made.__class__(made.header, made.entries, book.name)
    assert ledger.verify() == []
    with closing(sqlite3.connect(old)) as connection:
        rows = connection.execute("SELECT seq, hash, kind, at, who, why FROM entry").fetchall()
    assert [(e.seq, e.was, e.kind, e.when, e.who, e.why) for e in book.entries] == rows
    assert [row.state for row in book.rows()] == ["answered"] * 2 + ["void", "answered"] + [
        "void", "open",
    ]  # fmt: skip
    exact = 3 * Fraction(1, 1000) + Fraction(1, 997)
    assert 0 < Fraction(ledger.spent().plain()["rho"]) - exact < Fraction(1, UNIT)
    assert ledger.snapshot("r3").settled.result == '{"answer": [' + ", ".join("3" * 50) + "]}"
    assert ledger.snapshot("r3").fingerprint.print == "3d" * 32
    assert ledger.verify([(row[0], row[1]) for row in rows]) == []
    assert len(ledger.verify([(1, "0" * 64)])) == 1
    assert (old.read_bytes(), book.header.carried) == (OLD, 11)


def test_a_ledger_that_was_taken_over_goes_on(old, tmp_path):
    """Charges, answers and voids, of old requests and new ones; every byte is accounted for."""
    migrated(old, tmp_path / "new.ledger")
    ledger = Ledger(tmp_path / "new.ledger")
    again = ledger.reserve(request="r1", plan="ab12", loss=zcdp("1/1000"), events=[])
    charge = ledger.reserve(request="r9", plan="ab12", loss=zcdp("1/1000"), events=[], room=9)

    assert again.settled is not None
    ledger.settle(charge, "a long answer")
    ledger.void(9, reason="it hung")
    assert ledger.verify() == []
    assert [row.state for row in ledger.book().rows()][-3:] == ["void", "void", "answered"]


def test_a_budget_that_was_spent_to_its_last_bit_stays_spent():
    """41 times 1/41 were exactly the budget; rounded up they are more, and nothing is given back."""
    when, entries, root = "2026-01-04T09:00:00+00:00", [], "x"
    loss = pure("1/41").plain()
    for seq in range(1, 42):
        line = made_line(seq, when, loss, root)
        entries.append(line)
        root = line.hash
    book = taken_over(OldBook(Header("7f3a", when, pure(1).plain(), ""), tuple(entries), {}))

    assert book.check() == []
    assert book.left() == pure(0)
    assert Fraction(1, UNIT) < Fraction(book.spent().plain()["epsilon"]) - 1 < Fraction(41, UNIT)


def made_line(seq, when, loss, previous):
    from discreet.ledgers.entry import Entry

    line = Entry(
        seq, when, "sven", "", "charge", f"r{seq}", "p", loss, [], None, None, previous,
        text_hash(str(seq)), paid=text_hash("[]"),
    )  # fmt: skip
    assert loss_of(loss).kind == "pure"
    return line


def test_a_budget_that_is_no_whole_number_of_units_is_rounded_down():
    """In the open: the new ledger says its budget."""
    old = OldBook(Header("7f3a", "2026", zcdp("1/41").plain(), ""), (), {})

    budget = Fraction(taken_over(old).header.budget["rho"])

    assert 0 < Fraction(1, 41) - budget < Fraction(1, UNIT)


HARM = {
    "a loss": "UPDATE entry SET loss = replace(loss, '1/997', '1/998')",
    "a purpose": "UPDATE entry SET why = 'x' WHERE seq = 5",
    "the last entries": "DELETE FROM entry WHERE seq > 9 AND seq <> 11",
    "the budget": "UPDATE header SET budget = replace(budget, '41', '51')",
    "an answer": "UPDATE room SET body = replace(body, cast('3' AS BLOB), cast('4' AS BLOB)) WHERE seq = 6",
    "a fingerprint": "UPDATE fingerprint SET print = 'x'",
    "events": "UPDATE entry SET events = '[]' WHERE seq = 1",
}


@pytest.mark.parametrize("harm", HARM)
def test_an_old_ledger_that_was_changed_is_not_taken_over(harm, old, tmp_path):
    """The old chain is checked, with fingerprints and answers, and nothing is made."""
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in triggers.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(HARM[harm])

    with pytest.raises(LedgerError, match="damaged or was changed"):
        migrated(old, tmp_path / "new.ledger")
    assert not (tmp_path / "new.ledger").exists()


def test_only_an_old_ledger_is_taken_over_and_nothing_is_written_over(old, tmp_path):
    """A ledger of this layout, another file, and a place that is taken."""
    new = create(tmp_path / "new.ledger", budget=zcdp(1), id="x")
    before = new.path.read_bytes()

    with pytest.raises(LedgerError, match="layout of this version already"):
        migrated(new.path, tmp_path / "other.ledger")
    with pytest.raises(LedgerError, match="is there already"):
        migrated(old, new.path)
    with pytest.raises(LedgerError, match="there is no ledger"):
        migrated(tmp_path / "none", tmp_path / "other.ledger")
    assert new.path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["new.ledger", "old.ledger"]


def test_the_command_says_what_it_did(old, tmp_path, monkeypatch, capsys):
    """And `ledger verify` then finds nothing, and says what it does not check."""
    monkeypatch.chdir(tmp_path)

    assert main(["ledger", "migrate", "old.ledger", "new.ledger"]) == 0
    assert "Took over 11 entries of old.ledger into new.ledger." in capsys.readouterr().out
    assert main(["ledger", "verify", "new.ledger"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "not checked: whether this is the newest copy: no anchor"
