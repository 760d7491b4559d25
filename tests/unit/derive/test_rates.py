"""Released numbers over public numbers of their groups."""

from fractions import Fraction

import pytest

import discreet as dp
from property.test_derived_numbers import release_of, table_of

NAME = "count by copy and side"
PER = {0: {"f": 3, "m": "70.5"}, 1: {"f": 10**6, "m": 9}}


def counts(noisy):
    """A release of counts of two sides of each copy."""
    keys = {"copy": range(len(noisy) // 2), "side": ["f", "m"]}
    plan = dp.plan(table_of(**keys), dp.count(by=["copy", "side"]), spend=dp.zcdp(1))
    return release_of(plan, [noisy])


@pytest.mark.claim("C463")
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("scale", [1000, "1/3"])
def test_a_rate_is_the_number_scaled_with_its_ends(together, scale):
    """By exact rationals; ends outward, by one double at most."""
    release = counts([5, 40, -3, 12])
    held = release.intervals(NAME, together=together)
    found = release.rate(NAME, PER, scale=scale, together=together)
    each = [Fraction(scale) / Fraction(n) for part in PER.values() for n in part.values()]

    rows = zip(found.low, found.high, held.low, held.high, each, strict=True)
    for low, high, start, end, worth in rows:
        assert Fraction(low) <= max(start, 0) * worth <= max(end, 0) * worth <= Fraction(high)
        assert low == pytest.approx(float(max(start, 0) * worth))
        assert high == pytest.approx(float(max(end, 0) * worth))
    for value, n, worth in zip(found.values, [5, 40, -3, 12], each, strict=True):
        assert value == float(n * worth)


@pytest.mark.claim("C463")
def test_public_numbers_are_said_in_several_ways():
    """Dicts in a dict, keys as they print, one number for all."""
    release = counts([5, 40, -3, 12])
    flat = {"0=f": 3, "0=m": 70.5, "1=f": 1_000_000, "1=m": 9}

    assert release.rate(NAME, flat).plain() == release.rate(NAME, PER).plain()
    assert list(release.rate(NAME, 10, scale=1).values) == [0.5, 4, -0.3, 1.2]


@pytest.mark.parametrize(
    ("per", "what"),
    [
        ({"0=f": 3}, "has no number for"),
        ({}, "has no number for"),
        ({**PER, 2: {"f": 1}}, "which is no group"),
        (0, "not above 0"),
        (-4, "not above 0"),
        ({**PER, 0: {"f": 0, "m": 1}}, "not above 0"),
        ("many", "per"),
        (None, "per"),
    ],
    ids=str,
)
def test_what_is_no_public_number_is_refused(per, what):
    """In three lines."""
    with pytest.raises(dp.errors.InputError, match=what) as refused:
        counts([5, 40, -3, 12]).rate(NAME, per)
    assert refused.value.fix


def test_means_have_no_rate():
    """They do not add up."""
    table = table_of(copy=range(3))
    release = dp.rehearse(dp.plan(table, dp.mean("cost", by="copy"), spend=dp.zcdp(100)))
    with pytest.raises(dp.errors.InputError, match="do not add up"):
        release.rate("mean cost by copy", 9)
