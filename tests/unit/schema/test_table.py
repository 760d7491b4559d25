"""A declaration that cannot be kept exactly is refused when it is made."""

from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.errors import InputError
from discreet.schema import MAX_STEP, table_of

REFUSED = {
    "bounds reversed": lambda: dp.bounds(10, 0),
    "bounds equal": lambda: dp.bounds(3, 3),
    "bound is nan": lambda: dp.bounds(0, float("nan")),
    "bound is infinite": lambda: dp.bounds(float("-inf"), 0),
    "bound is text": lambda: dp.bounds("a", 1),
    "bound is missing": lambda: dp.bounds(None, 1),
    "bound is true": lambda: dp.bounds(0, True),
    "step is zero": lambda: dp.bounds(0, 1, step=0),
    "step is negative": lambda: dp.bounds(0, 1, step=-1),
    "bound off the grid": lambda: dp.bounds(0, 1, step="0.3"),
    "beyond 128 bits": lambda: dp.bounds(0, 10**40, step=1),
    "step too fine": lambda: dp.bounds(0, 10**9, step="1e-9"),
    "unit is a number": lambda: dp.table("x.csv", unit=3),
    "unit is a bare column": lambda: dp.table("x.csv", unit="person"),
    "unit limit zero": lambda: dp.unit("person", max_rows=0),
    "unit limit negative": lambda: dp.unit("person", max_rows=-2),
    "unit limit half": lambda: dp.unit("person", max_rows=2.5),
    "unit column empty": lambda: dp.unit("", max_rows=1),
    "unit column NUL": lambda: dp.unit("a\x00b", max_rows=1),
    "neighbors unknown": lambda: dp.table("x.csv", unit="row", neighbors="swap"),
    "bounds are a pair": lambda: dp.table("x.csv", unit="row", columns={"a": (0, 1)}),
    "keys are text": lambda: dp.table("x.csv", unit="row", keys={"a": "AB"}),
    "keys are none": lambda: dp.table("x.csv", unit="row", keys={"a": []}),
    "key twice": lambda: dp.table("x.csv", unit="row", keys={"a": ["A", "B", "A"]}),
    "key types mixed": lambda: dp.table("x.csv", unit="row", keys={"a": ["A", 1]}),
    "true and one": lambda: dp.table("x.csv", unit="row", keys={"a": [True, 1]}),
    "key is a float": lambda: dp.table("x.csv", unit="row", keys={"a": [1.5]}),
    "key is none": lambda: dp.table("x.csv", unit="row", keys={"a": [None]}),
    "key beyond doubles": lambda: dp.table("x.csv", unit="row", keys={"a": [2**60]}),
    "keys are a number": lambda: dp.table("x.csv", unit="row", keys={"a": 3}),
}


@pytest.mark.claim("C18")
@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_kept_is_refused(make):
    """In three lines, as the caller's to mend."""
    with pytest.raises(InputError, match=r"^[^\n]+\n  why: [^\n]+\n  fix: [^\n]+$"):
        make()


def test_a_range_counts_steps():
    """Bounds become whole numbers of steps."""
    wages = dp.bounds(-5, 5_000, step="0.01")

    assert (wages.lower_step, wages.upper_step, wages.width) == (-500, 500_000, 500_500)
    assert str(wages) == "-5 to 5000 in steps of 0.01"


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6))
def test_a_chosen_step_cuts_the_range_finely_but_not_endlessly(lower, width):
    """At least a hundred thousand steps, and a million at most unless the bounds need more."""
    found = dp.bounds(lower, lower + width)

    assert 100_000 <= found.width <= max(1_000_000, width)
    assert found.step_was_chosen
    assert max(abs(found.lower_step), abs(found.upper_step)) <= MAX_STEP


def test_keys_may_be_dates_and_numpy_scalars():
    """They become the plain value that they stand for."""
    assert dp.keys(np.int64(3), np.int64(4)) == (3, 4)
    assert dp.keys(date(2026, 1, 2)) == ("2026-01-02",)
    assert dp.keys(range(3)) == (0, 1, 2)
    assert dp.keys(np.array(["A", "B"])) == ("A", "B")
    assert dp.keys("AB") == ("AB",)


def test_a_declaration_survives_as_plain_data():
    """What a release says of a table makes the same table again."""
    table = dp.table(
        "data/visits.csv",
        unit=dp.unit("patient", max_rows=3),
        columns={"cost": dp.bounds(0, "5000.5", step="0.5")},
        keys={"ward": ["A", "B;"], "year": range(2020, 2023)},
        neighbors="replace",
    )

    again = table_of(table.plain())

    assert table.name == "visits.csv"
    assert again.plain() == table.plain()
    assert again.columns["cost"].upper == Fraction(10001, 2)
    assert table.groups(("ward", "year")) == 6


@pytest.mark.parametrize("keys", [[2**53], [-(2**53)], [1, 2**53], range(2**53 - 1, 2**53 + 1)])
def test_whole_number_keys_end_below_2_to_the_53(keys):
    """One more, and two neighbors would be one double: a list of many is checked as one alone."""
    with pytest.raises(InputError, match=r"2\^53 or beyond"):
        dp.table([], unit="row", keys={"ward": keys}, name="t")
    assert dp.table([], unit="row", keys={"ward": [2**53 - 1, 1 - 2**53]}, name="t").keys["ward"]
