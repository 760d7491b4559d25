"""One group over another group of the same statistic."""

import time

import pytest

import discreet as dp
from property.test_derived_numbers import release_of, table_of

NAME = "count by copy and side"


def counts(noisy, sides=("f", "m")):
    """A release of counts of the sides of each copy."""
    keys = {"copy": range(len(noisy) // len(sides)), "side": list(sides)}
    plan = dp.plan(table_of(**keys), dp.count(by=["copy", "side"]), spend=dp.zcdp(1))
    return release_of(plan, [noisy])


@pytest.mark.slow
@pytest.mark.claim("C460")
def test_each_other_group_is_compared_by_every_other_axis():
    """Its group, its number over the baseline's, and the same in percent."""
    release = counts([300, 200, 90, 100])
    ratio, percent = release.relative(NAME, {"side": "m"}), release.change(NAME, {"side": "m"})

    assert [(row["copy"], row["side"]) for row in ratio] == [(0, "f"), (1, "f")]
    assert list(ratio.values) == [1.5, 0.9]
    assert list(percent.values) == pytest.approx([50, -10])
    for low, start in zip(ratio.low, percent.low, strict=True):
        assert start <= 100 * (low - 1) + 1e-12


@pytest.mark.claim("C460")
def test_a_median_leaves_its_baseline_out():
    """What is compared is every group that is not in it."""
    release = counts([300, 200, 90, 100])
    found = release.relative(NAME, {"side": "m"}, median=True)

    assert [(row["copy"], row["side"]) for row in found] == [(0, "f"), (1, "f")]
    assert list(found.values) == [1.5, 0.9]


@pytest.mark.slow
@pytest.mark.claim("C460")
def test_several_groups_are_added_up_or_their_median_is_taken():
    """The sum of both, and the number between both."""
    release = counts([300, 100, 200], sides="abc")
    both = {"side": ["b", "c"]}

    assert list(release.relative(NAME, both).values) == [1.0]
    assert list(release.relative(NAME, both, median=True).values) == [2.0]
    assert list(release.change(NAME, both, median=True).values) == [100.0]
    (mean,) = release.relative(NAME, {"side": "b"}, only={"side": "c"}).values
    assert mean == 2.0


@pytest.mark.slow
@pytest.mark.claim("C460")
def test_a_baseline_of_one_has_the_interval_of_a_ratio_of_two_statistics():
    """The same noise above and below: the construction of Fieller."""
    table = table_of(copy=range(2))
    two = [dp.count(by="copy"), dp.count(by="copy", where="cost > 0")]
    noise = dp.zcdp(2)
    ratio = release_of(dp.plan(table, *two, spend=noise), [[60, 3], [50, 7]])
    names = ratio.keys()
    told = ratio.ratio(*names, "copy")
    keys = {"copy": range(2), "side": ["f", "m"]}
    plan = dp.plan(table_of(**keys), dp.count(by=["copy", "side"]), spend=dp.zcdp(1))
    found = release_of(plan, [[60, 50, 3, 7]]).relative(NAME, {"side": "m"})

    assert ratio.document.statistics[0].vectors[0].noise == plan.lines[0].laws[0].plain()
    assert (found.values, found.low, found.high) == (told.values, told.low, told.high)


@pytest.mark.claim("C460")
@pytest.mark.parametrize(
    ("baseline", "more"),
    [
        ({"side": ["f", "m"]}, {}),
        ({}, {}),
        ({"side": "m"}, {"only": {"side": "m"}}),
        ({"side": "m"}, {"only": {"side": ["f", "m"]}}),
        ({"copy": 0, "side": "m"}, {"only": {"copy": 0, "side": "m"}}),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["relative", "change"])
def test_a_number_over_itself_is_refused(kind, baseline, more):
    """Its noise would be above and below."""
    with pytest.raises(dp.errors.InputError, match="over itself"):
        getattr(counts([9, 8, 7, 6]), kind)(NAME, baseline, **more)


@pytest.mark.parametrize("median", [False, True])
@pytest.mark.parametrize("base", [0, -5, 1])
def test_a_baseline_of_nothing_is_not_told(median, base):
    """Zero and negative noisy numbers: no value, and no upper end."""
    release = counts([40, base])
    (ratio,) = release.relative(NAME, {"side": "m"}, median=median)
    (percent,) = release.change(NAME, {"side": "m"}, median=median)

    assert (ratio["value"], ratio["low"], ratio["high"]) == (None, 0.0, None)
    assert (percent["value"], percent["low"], percent["high"]) == (None, -100.0, None)


@pytest.mark.slow
@pytest.mark.parametrize("median", [False, True])
def test_a_negative_number_is_over_a_baseline_at_least_nothing(median):
    """A truth is never below 0, and neither is its ratio."""
    (row,) = counts([-9, 80]).relative(NAME, {"side": "m"}, median=median)

    assert row["value"] == row["low"] == 0.0 <= row["high"]


def test_a_sum_that_may_be_below_nothing_is_no_baseline():
    """As `ratio` refuses it."""
    columns = {"v": dp.bounds(-5, 5, step=1)}
    table = dp.table([], unit="row", name="t", columns=columns, keys={"g": [0, 1]})
    release = dp.rehearse(dp.plan(table, dp.sum("v", by="g"), spend=dp.zcdp(9)))
    with pytest.raises(dp.errors.InputError, match="nothing can be divided by"):
        release.change("sum v by g", 0)


@pytest.mark.slow
@pytest.mark.parametrize("median", [False, True])
def test_ten_thousand_groups_are_compared_in_seconds(median):
    """Those that are alike are worked out once."""
    release = counts([n % 90 + 60 for n in range(20_000)])
    start = time.process_time()
    found = release.change(NAME, {"side": "m"}, median=median)

    assert time.process_time() - start < 60
    assert len(found.low) == 10_000
