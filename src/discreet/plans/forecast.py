"""What somebody may do about a plan's price: who eats it, and what a little more would buy.

Rules of this module:
- a loss that is named is enough, to the digits that it is named with;
- the sentences follow from the plan alone: the same plan says the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import InputError
from ..exact.number import few_up, rounded
from ..noise.law import Law
from ..privacy.loss import Loss
from .line import Line, acts_in, cost_in, kind_of
from .mixing import parts_of, size_of
from .next_of_both import step_of_both
from .price import Stated, cost_of
from .questions import Questions
from .unknown import share_of
from .within import level_of, wider

if TYPE_CHECKING:
    from .plan import Plan

_WIDER = Fraction(3, 2)  # how much more of an error is proposed
_STEPS = 50  # of noise: in a wider error one step is nothing
_ROOM = Fraction(50_001, 50_000)  # twice what rounding a share to six digits takes away


def forecast(plan: "Plan") -> Iterator[str]:
    """Yield what to type for a lower price, where one question takes most, and the next step."""
    parts = parts_of(plan.lines, plan.cost.named.get("delta"))
    most = plan.lines[parts.index(max(parts))]
    one = kind_of(plan.lines) is not None
    if len(plan.lines) > 1 and most.statistic.ask.within and (one or not most.block):
        yield _eater(plan, most, max(parts))
    told = _step_of_one(plan) if one else step_of_both(plan, narrower)
    if told is not None:
        line, half, price = told
        yield f"The next step: {line.statistic.label} ±{rounded(half)} from {price} on."
    yield from filter(None, (_otherwise(plan, line) for line in plan.lines))


def _eater(plan: "Plan", line: Line, part: Fraction) -> str:
    """Return how much of the price one question takes, and what it costs with a wider error."""
    asked = wider(line.asked, _WIDER)
    kind = line.share.kind
    wide = replace(plan.goal(line), statistic=asked)
    if kind_of(plan.lines) is None:
        (alone,) = Questions((wide,), share=False).lines(kind).values()
        lines = [alone if one is line else one for one in plan.lines]
    else:
        goals = [wide if one is line else plan.goal(one) for one in plan.lines]
        found = Questions(tuple(goals), plan.share).lines(kind)
        lines = [found.get(place, one) for place, one in enumerate(plan.lines)]
    less = cost_of(acts_in(lines), plan.spend)
    within = asked.ask.within.plain() if asked.ask.within else ""
    return (
        f"{rounded(100 * part, 2)} % of the price is {line.statistic.label}; "
        f"with within = {within} there the plan costs {less}."
    )


def _step_of_one(plan: "Plan") -> tuple[Line, Fraction, Loss] | None:
    """Return the question that the next step is for, its half-width then, and the price."""
    found_next = (_next(plan, line) for line in plan.lines)
    steps = [found for found in found_next if found is not None]
    if not steps:
        return None
    size, line, width = min(steps, key=lambda step: step[0])
    chances = [Stated(one.chance) for one in plan.findings]
    whole = few_up(size / (1 - share_of(plan)))  # exact: rationals
    price = cost_of([Stated(Loss(line.share.kind, (whole,))), *chances], plan.spend)
    now = line.statistic.expected(plan.table, line.laws, plan.level(line)).half_width
    return line, now * width / (width + 1), price  # exact: rationals


def _next(plan: "Plan", line: Line) -> tuple[Fraction, Line, int] | None:
    """Return what the plan costs where a question's noise errs by one step less; mostly None."""
    if (found := narrower(plan, line)) is None:
        return None
    better, width = found
    (size,) = cost_in(line.share.kind, (better,), line.aggregates).numbers
    if line.statistic.ask.within:
        return _size_of(plan.lines) - size_of(line) + size, line, width
    shared = [one for one in plan.lines if not one.statistic.ask.within]
    (share,) = line.share.numbers
    grown = sum(one.share.numbers[0] for one in shared) * size / share  # exact: rationals
    others = _size_of([one for one in plan.lines if one.statistic.ask.within])
    return others + grown * _ROOM, line, width


def narrower(plan: "Plan", line: Line) -> tuple[Law, int] | None:
    """Return the noise of one question that errs by one step less, and by how much it then does.

    None where one step is nothing, or no step: of means, choices, and what several vectors tell.
    """
    law = line.laws[0]
    if len(line.laws) > 1 or line.block or law.chooses:
        return None
    errs = line.statistic.errs(law)
    width = errs.half_width(plan.level(line))
    expected = line.statistic.expected(plan.table, line.laws, plan.level(line))
    if expected.per_row or not 0 < width <= _STEPS:
        return None
    return errs.widest(width - 1, plan.level(line)), width - 1


def _otherwise(plan: "Plan", line: Line) -> str:
    """Return in which other way a question is told more closely at the same price; mostly none."""
    other = line.asked.instead()
    if other is None or line.block:
        return ""
    try:
        goal = replace(plan.goal(line), statistic=other, aggregates=other.aggregates(plan.table))
        level = level_of(other, plan.table, goal.aggregates, plan.alpha)
        part = line.share.times(Fraction(1, len(goal.aggregates)))
        laws = goal.divided(part)[1]
    except InputError:  # a loss that no choice is made for, or an alpha
        return ""
    found = other.expected(plan.table, laws, level).half_width
    if found >= line.statistic.expected(plan.table, line.laws, plan.level(line)).half_width:
        return ""
    way = f'method = "{other.plain()["method"]}"'
    return f"{line.statistic.label} ±{rounded(found)} ranks with {way} at the same price."


def _size_of(lines: Sequence[Line]) -> Fraction:
    """Return what lines cost together; of a shared vector all its lines are among them."""
    return sum(map(size_of, lines), Fraction(0))
