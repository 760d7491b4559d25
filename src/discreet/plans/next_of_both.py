"""The next step of a plan with noise of both laws: what one step less of an error would cost.

Rules of this module:
- prices of both laws do not add up: each step is priced as a whole plan;
- a step of a question that is asked by weight is named only where a plan of that price takes it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..exact.number import few_up
from ..noise.law import Law
from ..privacy.loss import Loss
from .line import Line, acts_in, cost_in
from .price import at_delta

if TYPE_CHECKING:
    from .plan import Plan

_MORE = Fraction(10_002, 10_000)  # of a share that came out a little short
_TRIES = 4

Narrower = Callable[["Plan", Line], tuple[Law, int] | None]


def step_of_both(plan: "Plan", narrower: Narrower) -> tuple[Line, Fraction, Loss] | None:
    """Return the question that the next step is for, its half-width then, and the price.

    Args:
        plan: with noise of both laws.
        narrower: finds the noise of a question that errs by one step less, and its half-width.
    """
    steps = []
    for place, line in enumerate(plan.lines):
        if (found := narrower(plan, line)) is not None:
            law, width = found
            price = at_delta(acts_in(_with(plan, place, law)), plan.cost.delta)
            steps += [(price.epsilon, place, law, width)] if price else []
    for epsilon, place, law, width in sorted(steps, key=lambda step: step[:2]):
        line = plan.lines[place]
        price = _enough(plan, place, law, epsilon)
        if price is not None:
            now = line.statistic.expected(plan.table, line.laws, plan.level(line)).half_width
            return line, now * width / (width + 1), price  # exact: rationals
    return None


def _with(plan: "Plan", place: int, law: Law) -> Sequence[Line]:
    """Return the questions with other noise for one; those by weight keep their proportions."""
    line = plan.lines[place]
    changed = replace(line, laws=(law,))
    if line.statistic.ask.within:
        return [changed if one is line else one for one in plan.lines]
    (size,) = cost_in(line.share.kind, (law,), line.aggregates).numbers
    grown = size / line.share.numbers[0]  # exact: rationals
    return [
        changed if one is line else one if one.statistic.ask.within else _grown(plan, one, grown)
        for one in plan.lines
    ]


def _grown(plan: "Plan", line: Line, times: Fraction) -> Line:
    """Return a question that is asked by weight with so many times its share."""
    alike = line.statistic.shares(plan.table, line.share.kind) is None
    each = line.share.times(times * Fraction(1, len(line.laws) if alike else 1))
    return replace(line, laws=plan.goal(line).divided(each)[1])


def _enough(plan: "Plan", place: int, law: Law, epsilon: Fraction) -> Loss | None:
    """Return a price, about that, at which a question has this noise or less; mostly one is found.

    What a spend buys in either law grows unlike, and shares with it.
    """
    (asked,) = cost_in(plan.lines[place].share.kind, (law,), plan.lines[place].aggregates).numbers
    for _ in range(_TRIES):
        price = Loss("approx", (few_up(epsilon), plan.cost.delta))
        if plan.lines[place].statistic.ask.within:
            return price
        line = plan.with_spend(price).lines[place]
        if type(line.laws[0]) is not type(law):
            return None
        if line.laws[0].size_up() <= law.size_up():
            return price
        epsilon *= asked / line.share.numbers[0] * _MORE  # exact: rationals
    return None
