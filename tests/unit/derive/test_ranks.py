"""Ranks of released numbers."""

import time

import pytest

import discreet as dp
from property.test_derived_numbers import release_of, table_of


def counts(noisy, **how):
    """A release of these noisy counts by copy."""
    plan = dp.plan(table_of(copy=range(len(noisy))), dp.count(by="copy"), spend=dp.zcdp(1))
    return release_of(plan, [noisy])


@pytest.mark.claim("C461")
@pytest.mark.parametrize("noisy", [[4, 9, 1, 30, 9, 9, -6, 0, 12], [7, 7], [-3, -3, 5]], ids=str)
@pytest.mark.parametrize("alpha", ["0.05", "0.4"])
def test_ranges_are_those_of_joint_intervals(noisy, alpha):
    """Counted one by one from `intervals(together=True)`: who surely has more, and who surely less."""
    release = counts(noisy)
    held = release.intervals("count by copy", alpha=alpha, together=True)
    pairs = list(zip(held.low, held.high, strict=True))
    found = release.ranks("count by copy", alpha=alpha)

    assert list(found.low) == [1 + sum(low > end for low, _ in pairs) for _, end in pairs]
    assert list(found.high) == [
        len(pairs) - sum(high < start for _, high in pairs) for start, _ in pairs
    ]
    assert found.together
    for value, n in zip(found.values, noisy, strict=True):
        assert value == 1 + sum(other > n for other in noisy)


@pytest.mark.claim("C461")
def test_intervals_that_touch_mark_nothing():
    """What is in both can be the same: an order would be marked of equals."""
    held = counts([50, 0]).intervals("count by copy", together=True)
    half = held.high[1]
    touching, apart = (counts([10 + 2 * half + more, 10]).ranks("count by copy") for more in (0, 1))

    assert [*touching.low, *touching.high] == [1, 1, 2, 2]
    assert [*apart.low, *apart.high] == [1, 2, 1, 2]


@pytest.mark.claim("C461")
def test_equal_numbers_have_one_rank_and_all_ranges():
    """Ties: the smallest rank of those that they take up, and the whole range."""
    found = counts([8] * 5).ranks("count by copy")

    assert list(found.values) == [1] * 5
    assert (list(found.low), list(found.high)) == ([1] * 5, [5] * 5)


def test_one_group_has_no_rank():
    """Three lines."""
    with pytest.raises(dp.errors.InputError, match="nothing to rank"):
        counts([9]).ranks("count by copy")


@pytest.mark.slow
def test_ten_thousand_groups_are_ranked_in_seconds():
    """Sorted once, and not compared two by two."""
    release = counts([3 * n for n in range(10_000)])
    start = time.process_time()
    found = release.ranks("count by copy")

    assert time.process_time() - start < 20
    assert (found.low[9_999], found.high[0]) == (1, 10_000)
