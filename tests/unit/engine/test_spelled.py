"""The number that a key's text spells, exactly, however it is written."""

import sys
from fractions import Fraction

import pytest

from discreet.engine import spelled

pytestmark = pytest.mark.claim("C39")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1e-2000", Fraction(1, 10**2_000)),
        ("-1e-00002", Fraction(-1, 100)),
        ("1e-2001", None),
        ("0e2001", None),
        ("1e-99999999999999999999", None),
        ("1e400", None),
    ],
)
def test_a_number_of_more_places_than_a_cell_may_have_is_none(text, number):
    """With a few letters of text somebody could ask for as many digits as no memory holds."""
    assert spelled.exactly(text) == number


def test_a_long_number_is_read_however_few_digits_python_reads_at_once():
    """PYTHONINTMAXSTRDIGITS bounds what is one whole number to Python."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert spelled.exactly("." + "1" * 1_900) == Fraction(10**1_900 // 9, 10**1_900)
    finally:
        sys.set_int_max_str_digits(before)
