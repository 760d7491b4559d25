"""The price follows from the noise: a plan whose parts were exchanged buys nothing cheaper.

`dataclasses.replace` is what a user has at hand; each forged plan keeps most of an honest one. None
may reach the ledger, and none may draw noise that was not paid for.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

import discreet as dp
from adversarial.rivers import ROWS, declared, kinds_of, planned, started
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.plans.plan import Plan
from discreet.privacy.loss import approx, pure, zcdp
from discreet.releases import draws, price
from discreet.releases import run as room
from discreet.sensitivity import Sensitivity

DEAR = zcdp(100)  # hardly any noise: who sees the release sees the data
CHEAP = zcdp("1/1000")


def with_line(plan: Plan, **changes: object) -> Plan:
    """The plan with its first question changed."""
    first, *others = plan.lines
    return replace(plan, lines=(replace(first, **changes), *others))


def with_vector(plan: Plan, **changes: object) -> Plan:
    """The plan with the first vector of its first question changed."""
    first, *others = plan.lines[0].aggregates
    return with_line(plan, aggregates=(replace(first, **changes), *others))


def with_cheap_noise(plan: Plan) -> Plan:
    """The noise of a dear plan, each line and the whole priced as the cheap one."""
    cheap = planned(list(ROWS), CHEAP)
    lines = [replace(c, laws=d.laws) for c, d in zip(cheap.lines, plan.lines, strict=True)]
    return replace(cheap, lines=tuple(lines))


def another_question(plan: Plan) -> Plan:
    """The vectors of the first question under the name of another, whose answer they make."""
    return with_line(plan, statistic=dp.count())


def more_rows(plan: Plan) -> Plan:
    """A unit of fifty rows, with the noise of a unit of two."""
    table = replace(plan.table, unit=dp.unit("who", max_rows=50))
    return replace(plan, table=table)


def wider_bounds(plan: Plan) -> Plan:
    """A column to a million, with the noise of one to fifty."""
    columns = {"cost": dp.bounds(0, 1_000_000, step=1)}
    return replace(plan, table=replace(plan.table, columns=columns))


def neighbors(plan: Plan) -> Plan:
    """One unit exchanged, with the noise of one unit more or less."""
    return replace(plan, table=replace(plan.table, neighbors="replace"))


def fewer_laws(plan: Plan) -> Plan:
    return with_line(plan, laws=())


LINE = zcdp("1/2000")
ONE = Sensitivity(1, 1, 1)
FORGED = {
    "the loss": lambda plan: replace(plan, spend=CHEAP),
    "the loss, dearer": lambda plan: replace(plan, spend=zcdp(101)),
    "the loss, of another kind": lambda plan: replace(plan, spend=pure("1/1000")),
    "the loss, with a delta": lambda plan: replace(plan, spend=approx("1/1000", "1/10")),
    "a line's loss": lambda plan: with_line(plan, share=LINE),
    "all losses": lambda plan: replace(
        plan, spend=CHEAP, lines=tuple(replace(line, share=LINE) for line in plan.lines)
    ),
    "the laws": lambda plan: with_line(plan, laws=(DiscreteGaussian(Fraction(1, 4000)),)),
    "laws of another plan": with_cheap_noise,
    "no laws": fewer_laws,
    "a law of another kind": lambda plan: with_line(plan, laws=(DiscreteLaplace(Fraction(1)),)),
    "the sensitivity": lambda plan: with_vector(plan, sensitivity=ONE),
    "the vector": lambda plan: with_vector(plan, max_groups=1),
    "the grouping": lambda plan: with_vector(plan, by=()),
    "the question": another_question,
    "the unit": more_rows,
    "the bounds": wider_bounds,
    "the neighbors": neighbors,
    "no question": lambda plan: replace(plan, lines=()),
}


def check_refused(plan: Plan, folder) -> None:
    """Neither charged nor released; what is said has three lines and no number of the data."""
    ledger = started(folder, rho=1000)

    with pytest.raises(dp.errors.InputError, match="changed after it was made") as refusal:
        dp.run(plan, ledger=ledger)
    assert str(refusal.value).count("\n") == 2
    assert kinds_of(ledger.book()) == []


@pytest.mark.claim("C38")
@pytest.mark.parametrize("forged", FORGED)
def test_a_plan_that_was_changed_by_hand_is_refused_before_the_charge(forged, tmp_path):
    """Whatever part is exchanged: the price is made again from declaration, questions and noise."""
    honest = planned(list(ROWS), DEAR)
    plan = FORGED[forged](honest)

    check_refused(plan, tmp_path)


@pytest.mark.claim("C38")
@pytest.mark.parametrize(
    ("spend", "budget"),
    [
        (zcdp("1/10"), zcdp(1)),
        (pure("1/10"), zcdp(1)),
        (pure("1/10"), pure(1)),
        (pure("1/10"), approx(1, "1e-6")),
        (approx("1/2", "1e-6"), approx(1, "1e-6")),
        (approx("1/2", "1/10"), approx(1, "1/2")),
    ],
    ids=str,
)
def test_every_honest_plan_is_charged_what_it_says(spend, budget, tmp_path):
    """Each kind of loss on each kind of budget that can pay for it; several questions."""
    plan = planned(list(ROWS), spend)
    ledger = dp.ledger(tmp_path / "a.ledger", budget=budget, subject="visits")

    release = dp.run(plan, ledger=ledger)

    assert ledger.spent() == plan.price(budget.kind)
    assert len(dp.verify(release, ledger=ledger).checks) == 5


@pytest.mark.claim("C38")
@pytest.mark.parametrize("kind", ["pure", "zcdp"])
def test_a_plan_of_errors_wanted_is_the_same_when_made_again(kind):
    """Its questions then hold their errors, and its loss has few digits."""
    asked = [dp.count(), dp.mean("cost", by="ward", rows=1_000), dp.sum("cost", by="ward")]
    plan = dp.plan(declared([]), *asked, within=[7, "0.3", 1234], kind=kind)

    assert price.made_again(plan) == plan
    assert plan.price(kind) == plan.cost


@pytest.mark.claim("C38")
@pytest.mark.parametrize(
    ("costs", "paid", "enough"),
    [
        ([zcdp("1/2"), zcdp("1/2")], zcdp(1), True),
        ([zcdp("1/2"), zcdp("1/2")], zcdp("999/1000"), False),
        ([pure(1), pure(1)], pure(2), True),
        ([pure(1), pure(1)], pure("1999/1000"), False),
        ([pure(1), pure(1)], zcdp(1), True),
        ([pure(1), pure(1)], zcdp("0.924"), False),
        ([pure(1), pure(1)], zcdp("0.925"), True),
        ([pure(1), pure(1)], approx(2, 0), True),
        (
            [pure(1), pure(1)],
            approx("1999/1000", "1/2"),
            True,
        ),  # as they compose, from a delta of 0.00054 on
        ([pure(1), pure(1)], approx("1999/1000", "1e-6"), False),
        ([zcdp("1/50")], approx(1, "1e-6"), True),
        ([zcdp("1/50"), zcdp("1/50")], approx(1, "1e-6"), False),
        ([zcdp("1/50")], approx(10**6, 0), False),
        ([zcdp("1e-6")], pure(1), False),
    ],
    ids=str,
)
def test_what_was_paid_covers_the_noise_or_it_does_not(costs, paid, enough):
    """The door's own rule, in every pair of kinds."""
    assert price.covered([*costs], paid) is enough


class Tape:
    """Coins that tell when they are taken."""

    def bytes(self, n: int) -> bytes:
        raise AssertionError("noise was drawn")


@pytest.mark.claim("C38")
def test_the_door_draws_nothing_that_costs_more_than_was_charged():
    """One vector or many: it is their sum that was paid for."""
    law = DiscreteGaussian(Fraction(1))  # costs 1/2 a vector
    asked = [(law, ONE, 3), (law, ONE, 3)]

    for paid in (zcdp("999/1000"), zcdp("1/2"), pure(10), approx(1, "1e-6")):
        with pytest.raises(dp.errors.InternalError, match="was paid"):
            draws.drawn(asked, paid=paid, coins=Tape())
    with pytest.raises(AssertionError, match="noise was drawn"):
        draws.drawn(asked, paid=zcdp(1), coins=Tape())


@pytest.mark.claim("C38")
def test_the_noise_is_compared_with_what_stands_in_the_ledger(tmp_path, monkeypatch):
    """A run that charges less than its noise costs gets to the door and no further."""
    monkeypatch.setattr(room, "price", lambda plan, kind: CHEAP)
    ledger = started(tmp_path, rho=1000)

    with pytest.raises(dp.errors.InternalError, match=r"rho = 100, but rho = 0.001 was paid"):
        dp.run(planned(list(ROWS), DEAR), ledger=ledger)
    assert ledger.book().settled(planned(list(ROWS), DEAR).digest) is None


# Planted faults: each takes one comparison away, and a forged plan passes.


def believe_the_plan(patch) -> None:
    patch.setattr(price, "refuse_changed", lambda plan: None)


def believe_the_loss(patch) -> None:
    again = price.made_again
    patch.setattr(price, "made_again", lambda plan: replace(again(plan), lines=plan.lines))


def believe_the_vectors(patch) -> None:
    again = price.made_again

    def vectors_of(plan: Plan) -> Plan:
        pairs = zip(again(plan).lines, plan.lines, strict=True)
        lines = [replace(a, aggregates=b.aggregates, laws=b.laws) for a, b in pairs]
        return replace(plan, lines=tuple(lines))

    patch.setattr(price, "made_again", vectors_of)


@pytest.mark.parametrize(
    ("fault", "forged"),
    [
        (believe_the_plan, "the sensitivity"),
        (believe_the_loss, "the loss"),
        (believe_the_vectors, "the unit"),
    ],
    ids=["the plan is believed", "the stated loss is believed", "the sensitivity is believed"],
)
def test_a_run_that_believes_the_plan_is_caught(fault, forged, tmp_path, monkeypatch):
    """The check has power: without the comparison the forged plan is charged and released."""
    fault(monkeypatch)

    with pytest.raises(pytest.fail.Exception):
        check_refused(FORGED[forged](planned(list(ROWS), DEAR)), tmp_path)


def test_the_forged_plans_are_forged():
    """Each differs from the honest one; most from it in what they would release."""
    honest = planned(list(ROWS), DEAR)

    assert all(FORGED[name](honest) != honest for name in FORGED)
    assert declared([]) == honest.table
