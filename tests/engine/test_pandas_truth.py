"""True and False in pandas: the first missing cell makes objects of them, and nobody may see that."""

import pandas as pd
import pytest

import discreet as dp

CELLS = [True, False, True]


def _filtered(condition):
    return lambda rows: (dp.table(rows, unit="row", name="t").where(condition), dp.count())


def _grouped(*keys):
    return lambda rows: (
        dp.table(rows, unit="row", name="t", keys={"flag": keys}),
        dp.count(by="flag"),
    )


ASKED = {
    "as text": _filtered("flag = 'yes'"),
    "as part of a text": _filtered("contains(flag, 'r')"),
    "as a day": _filtered("year(flag) = 2000"),
    "as true and as text": _filtered("flag OR flag = 'yes'"),
    "as true": _filtered("flag"),
    "as a number": _filtered("flag >= 1"),
    "by words": _grouped("yes", "no"),
    "by truth": _grouped(True, False),
}


def _counts(ask, cells, folder):
    table, question = ask(pd.DataFrame({"flag": cells}))
    plan = dp.plan(table, question, spend=dp.pure(1000))
    release = dp.run(plan, ledger=dp.ledger(folder / "l", budget=dp.pure(1000)))
    return [row["value"] for row in release.table()]


@pytest.mark.exhaustive
@pytest.mark.parametrize("what", ASKED)
def test_one_missing_cell_changes_no_outcome(what, tmp_path):
    (tmp_path / "with").mkdir()
    whole = _counts(ASKED[what], CELLS, tmp_path)
    assert _counts(ASKED[what], [*CELLS, None], tmp_path / "with") == whole
    assert what.startswith(("as true", "as a number", "by truth")) == any(whole)
