"""Intervals that are asked together hold together, by the exact product where noise is apart."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.errors import InputError
from discreet.plans.plan import plan_of
from discreet.plans.within import level_of
from discreet.statistic.catalog import LISTED
from discreet.statistic.statistic import ListedStatistic

pytestmark = pytest.mark.claim("C81")

PEOPLE = dp.table(
    "people.csv",
    unit="row",
    columns={"age": dp.bounds(0, 100, step=1), "pay": dp.bounds(0, 100, step=1)},
    keys={"ward": list("ABCDE"), "sex": ["f", "m"]},
)
TWENTIETH = Fraction(1, 20)
APART = {  # by question: how many numbers with noise of their own, and how many share one's group
    dp.count(by="ward", together=True): (5, 1),
    dp.count_units(by=["ward", "sex"], together=True): (10, 1),
    dp.histogram("age", by="sex", bins=7, together=True): (14, 1),
    dp.sum("age", by="ward", together=True): (5, 1),
    dp.mean("age", by=["ward", "sex"], together=True): (10, 1),
    dp.mean(["age", "pay"], by="ward", together=True): (5, 2),
    dp.std("age", by="ward", together=True): (5, 1),
    dp.count(together=True): (1, 1),
}


@pytest.mark.parametrize("asked", APART, ids=str)
def test_the_chance_of_one_is_what_the_exact_product_leaves(asked):
    """(1 - t)^N is 1 - alpha, hardly more, and numbers of one group share t."""
    numbers, sharing = APART[asked]
    level = level_of(asked, PEOPLE, asked.aggregates(PEOPLE), TWENTIETH) * sharing

    assert (1 - level) ** numbers >= 1 - TWENTIETH
    assert (1 - level * (1 + Fraction(1, 10**9))) ** numbers < 1 - TWENTIETH


@settings(max_examples=25)
@given(st.sampled_from(["zcdp", "pure"]), st.integers(1, 300), st.integers(2, 400))
def test_all_counts_hold_at_once_and_no_narrower_interval_would(kind, within, keys):
    """Pr[|X| <= a]^N from the law itself: at least 95 % at the released a."""
    table = dp.table("t.csv", unit="row", keys={"k": range(keys)})
    plan = dp.plan(table, dp.count(by="k", within=within, together=True), kind=kind)
    (law,) = plan.laws
    half = law.half_width(plan.level(plan.lines[0]))

    def hold(a):
        return (1 - law.tail_up(a)) ** keys

    assert half <= within
    assert hold(half) >= Fraction(95, 100) - Fraction(1, 2**50)
    assert half == 0 or hold(half - 1) < Fraction(95, 100)


def test_the_figures_of_the_design():
    """sigma2 = 100: 20 for one cell; 28, 35, 40 and 50 for 10 to 100,000 of them."""
    law = dp.plan(PEOPLE, dp.count(), spend=dp.zcdp("1/200")).laws[0]
    for keys, half in ((1, 20), (10, 28), (100, 35), (1_000, 40), (100_000, 50)):
        table = dp.table("t.csv", unit="row", keys={"k": range(keys)})
        asked = dp.count(by="k", together=True)
        assert law.half_width(level_of(asked, table, asked.aggregates(table), TWENTIETH)) == half


def test_a_release_shows_the_intervals_that_hold_together():
    """The question says so in its name, and what is saved is verified as it is."""
    plan = dp.plan(
        PEOPLE,
        dp.count(by="ward", within=30, together=True),
        dp.mean("age", by="ward", together=True),
        spend=dp.zcdp(1),
    )
    release = dp.rehearse(plan)
    first = release.document.statistics[0].answer.rows

    assert plan_of(plan.plain()) == plan
    assert [line.statistic.label for line in plan.lines] == [
        "count by ward, together",
        "mean age by ward, together",
    ]
    assert {high - value for _, value, _, high in first} == {
        plan.laws[0].half_width(plan.level(plan.lines[0]))
    }
    words = " ".join(str(plan).split())
    assert "a question that says together hold at once with probability at least 0.95." in words


def test_what_shares_noise_is_refused():
    """A statistic that does not say what is apart is not asked together; in three lines."""
    asked = dp.count(by="ward", together=True)
    known = LISTED["count"]
    LISTED["count"] = ListedStatistic("count", known.ask, known.examples)
    try:
        with pytest.raises(InputError, match="cannot be asked together"):
            dp.plan(PEOPLE, asked, spend=dp.zcdp(1))
    finally:
        LISTED["count"] = known
    with pytest.raises(InputError, match="neither true nor false"):
        dp.count(together="yes")


def test_in_joint_intervals_the_gaussian_wins_even_more():
    """Where a pure and a Gaussian plan of one (epsilon, delta) are near, many keys decide."""
    one = dp.table("t.csv", unit="row", keys={"k": range(1_000)})
    spend = dp.approx(1, "1e-6")
    alone = dp.plan(one, dp.count(by="k"), spend=spend)
    joint = dp.plan(one, dp.count(by="k", together=True), spend=spend)

    for plan in (alone, joint):
        others = [dp.plan(one, *[line.statistic for line in plan.lines], spend=dp.pure(1))]
        level = plan.level(plan.lines[0])
        assert plan.laws[0].half_width(level) <= others[0].laws[0].half_width(level)
