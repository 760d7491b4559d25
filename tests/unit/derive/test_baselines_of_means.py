"""A mean, or its like, over that of a baseline."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from flint import ctx

import discreet as dp
from discreet.errors import InputError
from property.test_derived_numbers import release_of
from property.test_listed_statistics import exactly

NAME = "mean pay by copy and side"
BOUNDS = {"pay": dp.bounds(0, 40, step=1)}
LEFT_OUT = Fraction(1, 10**5)


def table_of(copies, sides, rows=()):
    keys = {"copy": range(copies), "side": list(sides)}
    table = dp.table([], unit="row", name="t", columns=BOUNDS, keys=keys)
    return replace(table, source=[*rows])


def means(groups, statistic=dp.mean, noise=10**6, **options):
    """A release of means of groups, each side's pays of one copy, with next to no noise."""
    rows = [{"copy": 0, "side": side, "pay": pay} for side, pays in groups.items() for pay in pays]
    table = table_of(1, groups, rows)
    plan = dp.plan(table, statistic("pay", by=["copy", "side"], **options), spend=dp.zcdp(noise))
    return release_of(plan, exactly(plan.lines[0].statistic, table))


@pytest.mark.claim("C476")
def test_a_mean_over_that_of_a_baseline_is_told_with_its_change():
    """30 over 20, and half more; the statistic itself is as it was."""
    release = means({"new": [30] * 400, "old": [20] * 500})
    (row,) = release.relative(NAME, {"side": "old"})
    (change,) = release.change(NAME, {"side": "old"})

    assert row["side"] == "new"
    assert row["value"] == pytest.approx(1.5, rel=1e-3)
    assert row["low"] < 1.5 < row["high"]
    assert change["value"] == pytest.approx(50, rel=1e-2)
    assert dict(release[NAME].rows[0])["side"] == "new"


@pytest.mark.claim("C476")
def test_several_means_have_a_median_and_no_sum():
    release = means({"new": [30] * 400, "a": [10] * 500, "b": [20] * 500, "c": [40] * 500})
    base = {"side": ["a", "b", "c"]}

    (row,) = release.relative(NAME, base, median=True)
    assert row["low"] < 1.5 < row["high"]
    assert row["value"] == pytest.approx(1.5, rel=1e-3)
    with pytest.raises(InputError, match="do not add up to one number"):
        release.relative(NAME, base)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C476")
@pytest.mark.parametrize("median", [False, True])
def test_a_ratio_of_means_misses_with_at_most_alpha(median):
    """Every outcome of the noise of both groups, which stands in a copy of its own; exact sums."""
    alpha, pays = Fraction(1, 5), {"new": [30] * 9 + [3] * 3, "old": [20] * 8}
    rows = [{"copy": 0, "side": side, "pay": pay} for side, each in pays.items() for pay in each]
    small = table_of(1, pays, rows)
    question = dp.mean("pay", by=["copy", "side"])
    (exact,) = exactly(question, small)
    (law,) = dp.plan(small, question, spend=dp.zcdp(1000)).lines[0].laws
    reach = law.half_width(LEFT_OUT)
    with ctx.workprec(128):
        mass = {y: float(law.mass(abs(y))) for y in range(-reach, reach + 1)}
    outcomes = list(product(mass, repeat=4))
    table = table_of(len(outcomes), pays)
    plan = dp.plan(table, question, spend=dp.zcdp(1000), alpha=alpha)
    assert plan.lines[0].laws == (law,)
    noisy = [n + y for ys in outcomes for n, y in zip(exact, ys, strict=True)]
    found = release_of(plan, [noisy]).relative(NAME, {"side": "old"}, median=median)

    truth, missed, told = (279 / 12) / 20, 0.0, 0.0
    for ys, low, high, value in zip(outcomes, found.low, found.high, found.values, strict=True):
        chance = mass[ys[0]] * mass[ys[1]] * mass[ys[2]] * mass[ys[3]]
        told += chance * (value is not None)
        missed += chance * (low > truth or (high is not None and high < truth))
    assert missed + 4 * float(LEFT_OUT) <= float(alpha)
    assert told > 0.5  # else it would hold of nothing


@pytest.mark.claim("C476")
@pytest.mark.parametrize("statistic", [dp.std, dp.variance], ids=lambda s: s.__name__)
def test_what_is_like_a_mean_is_compared_too(statistic):
    release = means({"new": [30, 10] * 300, "old": [20, 10] * 300}, statistic, 100)
    name = next(iter(release))
    (row,) = release.relative(name, {"side": "old"})

    assert row["low"] <= row["value"] <= row["high"]


def test_a_baseline_of_nobody_is_not_told():
    """No value and no upper end, as of counts."""
    (row,) = means({"new": [30] * 400, "old": []}).relative(NAME, {"side": "old"})

    assert (row["value"], row["low"], row["high"]) == (None, 0.0, None)


def test_a_column_that_may_be_below_nothing_has_no_ratio():
    table = dp.table([], unit="row", name="t", columns={"v": dp.bounds(-5, 5)}, keys={"g": [0, 1]})
    release = dp.rehearse(dp.plan(table, dp.mean("v", by="g"), spend=dp.zcdp(9)))

    with pytest.raises(InputError, match="can be divided by another"):
        release.relative("mean v by g", 0)
    assert release.difference("mean v by g", 0, 1)


@pytest.mark.claim("C476")
def test_a_slope_has_no_ratio():
    """It may be below 0, though no cell is."""
    columns = {"x": dp.bounds(0, 4, step=1), "y": dp.bounds(0, 4, step=1)}
    table = dp.table([], unit="row", name="t", columns=columns, keys={"g": [0, 1]})
    release = dp.rehearse(dp.plan(table, dp.regression("y", on="x", by="g"), spend=dp.zcdp(9)))

    with pytest.raises(InputError, match="can be divided by another"):
        release.relative(next(iter(release)), {"g": 0})


def test_means_that_hold_together_are_wider():
    release = means({"new": [30] * 40, "mid": [25] * 40, "old": [20] * 50}, noise=1)
    alone = release.relative(NAME, {"side": "old"})
    joint = release.relative(NAME, {"side": "old"}, together=True)

    assert all(a > b for a, b in zip(joint.high, alone.high, strict=True))
