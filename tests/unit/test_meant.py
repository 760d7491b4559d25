"""Values in another form than the one that belongs there, as what was meant by them."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest

from discreet.fix import in_python, python_of
from discreet.meant import bounds_meant, formula, losses_meant

pytestmark = pytest.mark.claim("C644")


@pytest.mark.parametrize(
    ("value", "typed"),
    [
        ((18, 90), "18, 90"),
        ([90, 18], "18, 90"),
        ((0, 1, 0.1), "0, 1, step=0.1"),
        (range(18, 91), "18, 90, step=1"),
        (range(90, 17, -3), "18, 90, step=3"),
        ({"lower": 18, "upper": 90}, "18, 90"),
        ({"min": 0, "max": 9, "step": 3}, "0, 9, step=3"),
        ({"min": 0}, "0, ?"),
        (slice(1, 5), "1, 5"),
        ((0, None), "0, ?"),
        ((0, float("inf")), "0, ?"),
        ((Decimal("0.1"), Fraction(1, 3)), '"0.1", "1/3"'),
        ((date(2024, 1, 1), date(2024, 12, 31)), '"2024-01-01", "2024-12-31"'),
        ("18-90", "18, 90"),
        ("-5--1", "-5, -1"),
        ("[0, 0.5]", '0, "0.5"'),
        ("2024-01-01 to 2024-12-31", '"2024-01-01", "2024-12-31"'),
    ],
)
def test_bounds_in_another_form_are_typed_with_their_numbers(value, typed):
    """A pair, a range, a dict or a text; an end that is open stays a question mark."""
    assert python_of(bounds_meant(value)) == f"discreet.bounds({typed})"


@pytest.mark.parametrize(
    "value",
    [
        *(int, "int", "18", (), (1,), (1, 2, 3, 4), (5, 5), (None, None), ("a", "b")),
        *((True, False), {"lower": 1, "of": 2}, {}, range(3, 4), range(0), ("2024-01-01", 5)),
        *("1/0 to 5", (float("nan"), float("nan")), pd.Series([1, 2]), None, 7),
    ],
    ids=str,
)
def test_what_is_no_pair_of_ends_says_no_bounds(value):
    """Of what can hold data nothing is read, also where it has two values."""
    assert bounds_meant(value) is None


BOTH = "discreet.pure({0}) for epsilon = {1}, or spend=discreet.zcdp({0}) for rho = {1}"


@pytest.mark.parametrize(
    ("value", "typed"),
    [
        (1, BOTH.format(1, 1)),
        (0.5, BOTH.format(0.5, 0.5)),
        (Fraction(1, 50), BOTH.format('"1/50"', "1/50")),
        ("1/50", BOTH.format('"1/50"', "1/50")),
        ({"epsilon": 1}, "discreet.pure(1)"),
        ({"eps": 1, "delta": 1e-6}, "discreet.approx(1, 1e-06)"),
        ({"rho": "1/50"}, 'discreet.zcdp("1/50")'),
        ((1, "1e-6"), 'discreet.approx(1, "1e-6")'),
        ("epsilon=1", 'discreet.pure("1")'),
        ("epsilon = 1, delta = 1e-6", 'discreet.approx("1", "1e-6")'),
        ("rho: 1/8", 'discreet.zcdp("1/8")'),
        ("dp.zcdp('1/50')", 'discreet.zcdp("1/50")'),
        ("approx(epsilon=1, delta=1e-6)", 'discreet.approx("1", "1e-6")'),
    ],
)
def test_a_loss_in_another_form_is_typed_with_its_numbers(value, typed):
    """A bare number may be an epsilon or a rho; both are shown, and said."""
    assert in_python(losses_meant("spend", value)) == f"write spend={typed}"


@pytest.mark.parametrize(
    "value",
    [0, -1, True, None, "pure", "0.5%", "1/0", (1, 0), (1, 2, 3), {"x": 1}, float("nan"), "0"],
    ids=str,
)
def test_what_says_no_loss_is_none(value):
    """Only a number above 0 is a loss; what is nothing for sure is asked for."""
    assert losses_meant("spend", value) == ()


def test_a_formula_of_columns_says_which():
    """An intercept is always there; what is no sum of columns is none."""
    assert formula("pay ~ 1 + age + educ + age") == ("pay", ("age", "educ"))
    for other in (
        "pay ~ log(age)",
        "pay ~ age * educ",
        "pay",
        "pay ~ 1",
        "~ age",
        "pay ~ 0 + age",
        3,
    ):
        assert formula(other) is None
