"""What people type becomes a rational, and reals are enclosed from the side that is named."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.exact.enclosure import (
    ball,
    exp_up,
    floor_of,
    is_less,
    ln_down,
    ln_up,
    round_down,
    round_up,
    sqrt_down,
    sqrt_up,
)
from discreet.exact.number import rational, rounded, text_of, whole

TYPED = [
    (0.1, Fraction(1, 10)),
    ("0.1", Fraction(1, 10)),
    ("1/50", Fraction(1, 50)),
    (" 1 / 50 ", Fraction(1, 50)),
    ("1e-300", Fraction(1, 10**300)),
    (".5", Fraction(1, 2)),
    (3, Fraction(3)),
    (-2.5, Fraction(-5, 2)),
    (Decimal("0.30"), Fraction(3, 10)),
    (np.float64(0.1), Fraction(1, 10)),
    (np.int64(7), Fraction(7)),
    (Fraction(2, 3), Fraction(2, 3)),
]
NOT_NUMBERS = ["abc", "", "nan", float("inf"), True, None, "1/0", "1e99999", "١", "1_000", [], b"1"]


@pytest.mark.claim("C01")
@pytest.mark.parametrize(("typed", "meant"), TYPED, ids=str)
def test_a_number_is_what_its_text_says(typed, meant):
    """0.1 is a tenth, however it is typed."""
    assert rational(typed, "x") == meant


@pytest.mark.claim("C01")
@pytest.mark.parametrize("typed", NOT_NUMBERS, ids=repr)
def test_what_is_no_finite_number_is_refused(typed):
    """Three lines, and the name of the number."""
    with pytest.raises(InputError, match=r"epsilon .*\n  why: .*\n  fix: "):
        rational(typed, "epsilon")


@pytest.mark.claim("C01")
@given(st.fractions())
def test_the_text_of_a_rational_is_exactly_it(number):
    """What is shown can be typed again."""
    assert rational(text_of(number), "x") == number


def test_rounded_text_is_for_people():
    """Three significant digits unless asked otherwise."""
    assert [rounded(Fraction(1, 3)), rounded(Fraction(12345), 4), rounded(Fraction(0))] == [
        "0.333",
        "12,340",
        "0",
    ]


def test_a_whole_number_has_a_least_value():
    """Counts of things are not fractions."""
    assert whole("3", "max_rows", least=1) == 3
    with pytest.raises(InputError):
        whole("2.5", "max_rows", least=1)
    with pytest.raises(InputError):
        whole(0, "max_rows", least=1)


@pytest.mark.slow
@pytest.mark.claim("C02")
@given(st.fractions(min_value=-500, max_value=500, max_denominator=10**6))
def test_the_exponential_is_enclosed_tightly(x):
    """Checked against mpmath at 400 bits, which shares no code with FLINT."""
    with mpmath.workprec(400):
        truth = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        found = exp_up(x)
        high = mpmath.mpf(found.numerator) / found.denominator

        assert high >= truth * (1 - mpmath.mpf(2) ** -380)
        assert high - truth <= truth * mpmath.mpf(2) ** -90


@pytest.mark.slow
@pytest.mark.claim("C02")
@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9, max_denominator=10**9))
def test_logarithms_and_roots_are_enclosed(x):
    """Roots by exact squares, logarithms by mpmath."""
    assert sqrt_down(x) ** 2 <= x <= sqrt_up(x) ** 2
    with mpmath.workprec(400):
        truth = mpmath.log(mpmath.mpf(x.numerator) / x.denominator)
        slack = mpmath.mpf(2) ** -370

        assert mpmath.mpf(ln_down(x).numerator) / ln_down(x).denominator <= truth + slack
        assert mpmath.mpf(ln_up(x).numerator) / ln_up(x).denominator >= truth - slack


@pytest.mark.claim("C02")
@given(st.fractions(), st.integers(4, 80))
def test_rounding_goes_to_the_side_it_names(x, bits):
    """And stays within the bits asked for."""
    assert round_down(x, bits=bits) <= x <= round_up(x, bits=bits)
    assert abs(round_up(x, bits=bits) - x) * 2 ** (bits - 2) <= abs(x)


def test_a_floor_takes_as_many_bits_as_it_needs():
    """A real within 2^-300 of an integer is still on its own side of it."""
    nearly = Fraction(7) - Fraction(1, 2**300)

    assert floor_of(lambda: ball(nearly)) == 6
    assert is_less(lambda: ball(nearly), lambda: ball(Fraction(7)))
    assert not is_less(lambda: ball(Fraction(7)), lambda: ball(nearly))
