"""Rates that are standardised over an axis by public weights."""

from fractions import Fraction

import pytest

import discreet as dp
from discreet.derive.recipes import made
from discreet.errors import InputError
from property.test_derived_numbers import release_of, table_of
from unit.derive.test_rates import NAME, PER, counts

WEIGHTS = {"f": 2, "m": 3}


@pytest.mark.claim("C464")
def test_a_standardised_rate_is_the_mean_of_rates_by_their_weights():
    """By every other axis; exact rationals; the recipe makes it again."""
    noisy = [5, 40, 900, 12]
    release = counts(noisy)
    found = release.standardized(NAME, PER, WEIGHTS, over="side")
    rates = [
        1000 * Fraction(n) / Fraction(per)
        for n, per in zip(
            noisy, [size for part in PER.values() for size in part.values()], strict=True
        )
    ]
    means = [(2 * rates[at] + 3 * rates[at + 1]) / 5 for at in (0, 2)]

    assert [row["copy"] for row in found] == [0, 1]
    assert list(found.values) == [float(mean) for mean in means]
    assert made(release.document, found.recipe).plain() == found.plain()
    assert "are public, as stated" in str(found)


@pytest.mark.claim("C464")
def test_all_weight_on_one_key_has_the_interval_of_its_rate():
    """But for what the other one still counts; of one group it is a hair wider."""
    release = counts([500, 40, 900, 12])
    rate = release.rate(NAME, 10)
    found = release.standardized(NAME, 10, {"f": 1, "m": "1e-9"}, over="side")

    for at, place in ((0, 0), (1, 2)):
        assert found.low[at] == pytest.approx(rate.low[place], rel=2e-3)
        assert found.high[at] >= rate.high[place] - 1e-6


@pytest.mark.claim("C464")
def test_a_sum_of_both_has_the_noise_of_both():
    """Of equal weights over one public number it is the total, scaled: the same half-width."""
    table = table_of(copy=range(2), side=["f", "m"])
    plan = dp.plan(table, dp.count(by=["copy", "side"]), spend=dp.zcdp("1/2000"))
    release = release_of(plan, [[500, 400, 900, 700]])
    total = release.total(NAME, "copy")
    found = release.standardized(NAME, 1000, {"f": 1, "m": 1}, over="side")

    for at in (0, 1):
        wide = total.high[at] - total.values[at]
        half = 2 * (found.high[at] - found.values[at])
        assert half == pytest.approx(wide, rel=0.03)


@pytest.mark.claim("C464")
def test_all_that_hold_together_are_wider():
    release = counts([500, 40, 900, 12])
    alone = release.standardized(NAME, 10, WEIGHTS, over="side")
    joint = release.standardized(NAME, 10, WEIGHTS, over="side", together=True)

    assert all(a > b for a, b in zip(joint.high, alone.high, strict=True))


@pytest.mark.parametrize(
    ("weights", "over", "what"),
    [
        ({"f": 1}, "side", "not those of the axis: m"),
        ({"f": 1, "m": 1, "x": 1}, "side", "not those of the axis: x"),
        ({"f": 1, "m": 0}, "side", "not above 0"),
        (7, "side", "not those of the axis"),
        ({"f": 1, "m": 1}, None, "does not name one axis"),
        ({"f": 1, "m": 1}, "sid", "not laid out by"),
    ],
    ids=str,
)
def test_what_is_no_weight_of_one_axis_is_refused(weights, over, what):
    with pytest.raises(InputError, match=what):
        counts([5, 40, 90, 12]).standardized(NAME, PER, weights, over=over)


def test_a_mean_is_not_standardised():
    table = dp.table([], unit="row", name="t", columns={"v": dp.bounds(0, 5)}, keys={"g": [0, 1]})
    release = dp.rehearse(dp.plan(table, dp.mean("v", by="g"), spend=dp.zcdp(9)))

    with pytest.raises(InputError, match="do not add up"):
        release.standardized("mean v by g", 1, {"0": 1, "1": 2})
