"""Convolutions as products of long numbers are those of Python's whole numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.transform import packed_product


def by_hand(vector, kernel):
    found = [0] * (len(vector) + len(kernel) - 1)
    for i, x in enumerate(vector):
        for j, a in enumerate(kernel):
            found[i + j] += x * a
    return found


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=40),
    st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=40),
)
def test_a_product_is_the_convolution(vector, kernel):
    """Longer vectors than kernels, and shorter; entries of both signs."""
    assert packed_product(vector, kernel) == by_hand(vector, kernel)


@pytest.mark.parametrize("sign", [-1, 1])
def test_sums_next_to_the_bound_do_not_run_over(sign):
    """The sum of the vector times the largest entry is just below 2^62, at either sign."""
    vector, kernel = [2**31 - 1, 0, 2**30], [sign * (2**30), -sign * (2**30), 2**30]

    assert sum(vector) * 2**30 < 2**62
    assert packed_product(vector, kernel) == by_hand(vector, kernel)
