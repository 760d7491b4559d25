"""Numbers as people read them: one column has the same decimals, and no interval gets shorter."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.document.numbers import decimals_of, spoken

pytestmark = pytest.mark.claim("C640")
NUMBERS = st.floats(-1e9, 1e9)


@given(st.lists(NUMBERS, min_size=3, max_size=3), st.integers(0, 12))
def test_numbers_have_the_decimals_of_their_column_and_intervals_hold(numbers, decimals):
    """The ends that are shown lie outside the exact ones, or at them."""
    low, value, high = sorted(numbers)
    texts = spoken(value, low, high, decimals=decimals)
    told, start, end = (Decimal(text.replace(",", "")) for text in texts)
    assert {text.partition(".")[2].__len__() for text in texts} == {decimals}
    assert start <= Decimal(repr(low))
    assert Decimal(repr(high)) <= end
    assert start <= told <= end


def test_a_column_has_the_decimals_of_its_median_interval():
    """Of numbers that are told; a precise one alone does not lengthen all, nor a wide one cut them."""
    plain = [(5.1, 4.0, 6.0), (7.2, 6.0, 8.4), (9.3, 8.1, 10.4)]
    assert decimals_of(plain) == 1
    assert decimals_of([*plain, (1.0, 1 - 1e-9, 1.0)]) == 1
    assert decimals_of([*plain, (50.0, -900.0, 900.0)]) == 1
    assert decimals_of([*plain, (None, 0.0, 0.0001), (3.25, 3.25, 3.25)]) == 1
    assert decimals_of([(3.25, 3.25, 3.25), (1.5, 1.5, 1.5)]) == 2
    assert decimals_of([(4, 1, 7), (5, 2, 8)]) == decimals_of([]) == 0
