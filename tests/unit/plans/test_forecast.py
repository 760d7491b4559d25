"""What a plan advises holds: the price it names buys the step, and the wider error costs so much."""

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.plans.forecast import forecast
from discreet.privacy.loss import Loss

pytestmark = pytest.mark.claim("C80")

PEOPLE = dp.table(
    "people.csv",
    unit="row",
    columns={"age": dp.bounds(0, 100, step=1)},
    keys={"ward": ["A", "B"], "sex": ["f", "m"]},
)
STEP = re.compile(r"^The next step: (.+) ±([\d.,]+) from (?:rho|epsilon) = ([\d.e-]+) on\.$")
EATER = re.compile(
    r"^([\d.]+) % of the price is (.+); with within = (\S+) there the plan costs (?:rho|epsilon) = ([\d.e-]+)\.$"
)


def half_width(plan, label):
    (line,) = (one for one in plan.lines if one.statistic.label == label)
    return line.statistic.expected(plan.table, line.laws, plan.alpha).half_width


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
    st.fractions(min_value="1/50", max_value=2, max_denominator=100),
    st.sampled_from(["zcdp", "pure"]),
)
def test_the_next_step_is_bought_by_the_loss_that_it_names_and_by_no_less(weights, size, kind):
    """Of questions by weight: at that spend the interval is narrower, at one part in 1,000 less not."""
    asked = [dp.count(), dp.count(by="ward"), dp.count(by=["ward", "sex"])]
    asked = [dp.count(by=q.ask.by, weight=w) for q, w in zip(asked, weights, strict=False)]
    plan = dp.plan(PEOPLE, *asked, spend=Loss(kind, (size,)))
    said = [found for line in forecast(plan) if (found := STEP.match(line))]

    for label, width, price in (found.groups() for found in said):
        spend = getattr(dp, kind)(price)
        assert half_width(plan.with_spend(spend), label) == int(width.replace(",", ""))
        assert half_width(plan, label) == int(width.replace(",", "")) + 1
        less = spend.times(Fraction(999, 1000))
        assert half_width(plan.with_spend(less), label) > int(width.replace(",", ""))


def test_three_from_0_83189_on():
    """A7: who pays for an error of 4 is told what 3 would cost."""
    (said,) = forecast(dp.plan(PEOPLE, dp.count(within=4), kind="pure"))

    assert said == "The next step: count ±3 from epsilon = 0.83189 on."


def test_who_eats_the_budget_is_named_with_the_line_to_type():
    """Its part of the price, and what the plan costs with the error that is proposed."""
    asked = [dp.count(by="ward", within=20), dp.mean("age", by="ward", within="2", rows=200)]
    plan = dp.plan(PEOPLE, *asked, dp.count(within=9))
    (share, label, within, price), *others = (
        found.groups() for line in forecast(plan) if (found := EATER.match(line))
    )

    assert others == []
    assert label == "mean age by ward"
    assert 50 < float(share) < 100
    wider = dp.mean("age", by="ward", within=within, rows=200)
    again = dp.plan(PEOPLE, asked[0], wider, dp.count(within=9))
    assert again.cost == dp.zcdp(price)
    assert again.cost.rho < plan.cost.rho


def test_what_has_no_step_worth_telling_says_nothing():
    """Means err by fractions of steps; a wide error has none that is seen."""
    assert [*forecast(dp.plan(PEOPLE, dp.mean("age"), spend=dp.zcdp(1)))] == []
    assert [*forecast(dp.plan(PEOPLE, dp.count(), spend=dp.zcdp("1e-6")))] == []


def test_a_plan_says_its_forecast():
    """In a terminal and a notebook."""
    plan = dp.plan(PEOPLE, dp.count(within=4), kind="pure")

    assert "The next step: count ±3 from epsilon = 0.83189 on." in str(plan)
    assert "The next step" in plan._repr_html_()
