"""Medians of released numbers."""

import pytest

import discreet as dp
from property.test_derived_numbers import release_of, table_of

NAME = "count by copy and side"


def counts(noisy):
    """A release of counts of two sides of each copy."""
    keys = {"copy": range(len(noisy) // 2), "side": ["f", "m"]}
    plan = dp.plan(table_of(**keys), dp.count(by=["copy", "side"]), spend=dp.zcdp(1))
    return release_of(plan, [noisy])


@pytest.mark.claim("C462")
def test_a_median_is_that_of_the_groups_that_are_meant():
    """Of all, of each side, and of keys alone; ends of a count are at least 0."""
    release = counts([9, -4, 30, -2, 12, 60])
    first = release.median(NAME, "side")

    assert list(release.median(NAME).values) == [10.5]
    assert list(first.values) == [12, -2]
    assert list(release.median(NAME, only={"copy": [0, 1]}).values) == [3.5]
    assert first.low[1] == 0 <= first.high[1]
    assert first.low[0] < 12 < first.high[0]


@pytest.mark.claim("C462")
def test_medians_hold_together_at_a_wider_interval():
    """Several at once are wider than each alone."""
    release = counts(list(range(100, 160)))
    alone, held = (release.median(NAME, "copy", together=both) for both in (False, True))

    assert held.high[0] - held.low[0] > alone.high[0] - alone.low[0]


def test_means_have_no_median():
    """What does not add up is refused in three lines."""
    table = table_of(copy=range(3))
    release = dp.rehearse(dp.plan(table, dp.mean("cost", by="copy"), spend=dp.zcdp(100)))
    with pytest.raises(dp.errors.InputError, match="do not add up"):
        release.median("mean cost by copy")
