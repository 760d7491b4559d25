"""What a caller has set for Python or NumPy changes no number, no text, and costs no charge."""

import decimal
import sys

import numpy as np
import pandas as pd
import pytest

import discreet as dp
from discreet.engine import reading
from discreet.report.page import page

NUMBERS = (10**900, -(10**1_999), 0, -7, True, decimal.Decimal("1e900"), 2.0**70)


def people(source):
    return dp.table(
        source,
        unit=dp.unit("who", max_rows=2),
        columns={"x": dp.bounds(0, "9.87654", step="0.00001")},
        keys={"k": ["a", "b"]},
        name="people",
    )


def asked(table, spend):
    at = dp.share_below("x", at="5.43217")
    return dp.plan(table, dp.count(by="k"), dp.mean("x"), at, spend=spend)


ROWS = [{"who": f"p{n}", "k": "ab"[n % 2], "x": n / 100} for n in range(900)]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    book = dp.ledger(tmp_path_factory.mktemp("kept") / "a.ledger", budget=dp.zcdp(1))
    return dp.run(asked(people(ROWS), dp.zcdp("0.12345678")), ledger=book)


@pytest.mark.parametrize("traps", [[], [decimal.Inexact, decimal.Rounded]], ids=["", "trapped"])
def test_decimals_of_a_caller_change_no_text_and_no_digest(release, traps):
    """A price of 0.12345678 was told as 0.12, and a question of 5.43217 written as 5.4."""

    def told():
        plan = asked(people(ROWS), dp.zcdp("0.12345678"))
        derived = release.total("count by k", together=True, alpha="0.04321")
        cost = str(plan.cost), plan.digest, plan.plain()
        return *cost, str(plan), str(release), page(release.document), str(derived)

    usual = told()
    with decimal.localcontext(decimal.Context(prec=2, rounding=decimal.ROUND_UP, traps=traps)):
        assert told() == usual


@pytest.fixture
def few_digits():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.usefixtures("few_digits")
@pytest.mark.parametrize("make", [list, pd.DataFrame])
def test_a_long_number_in_one_row_stops_no_count(make, tmp_path):
    """PYTHONINTMAXSTRDIGITS lets Python write 640 digits: such a cell was an error after the charge."""
    who = str if make is pd.DataFrame else int  # a far number in a frame is nobody
    rows = [{"who": who(10**600 + n), "k": "a", "x": 10**900} for n in range(50)]
    book = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp(100))
    found = dp.run(asked(people(make(rows)), dp.zcdp(100)), ledger=book)
    assert found["count by k"].rows[0]["value"] == pytest.approx(50, abs=3)


def test_digits_are_the_same_whatever_the_limit(few_digits):
    """A number and its text are one unit, and one key."""
    told = [(reading.unit_of(one), reading.key_text(one)) for one in NUMBERS]
    sys.set_int_max_str_digits(0)
    assert told == [(reading.unit_of(one), reading.key_text(one)) for one in NUMBERS]
    assert told[0] == (str(10**900), str(10**900))
    assert told[1] == (str(-(10**1_999)), str(-(10**1_999)))
    assert [unit for unit, _ in told[2:5]] == ["0", "-7", "1"]


@pytest.mark.parametrize("spend", [dp.pure(1), dp.pure(300), dp.approx(1, "1e-9")], ids=str)
def test_a_caller_who_lets_numpy_raise_does_not_lose_the_charge(spend, tmp_path):
    """Chances that are 0 underflow: that was a FloatingPointError, and the charge was gone."""
    questions = [dp.mean("x", by="k"), dp.std("x"), dp.variance("x", sample=True), dp.cube(by="k")]
    for number, one in enumerate(questions):
        plan = dp.plan(people(ROWS[:300]), one, spend=spend)
        book = dp.ledger(tmp_path / f"{number}.ledger", budget=spend)
        with np.errstate(all="raise"):
            assert dp.run(plan, ledger=book).document.ledger.seq == 1
