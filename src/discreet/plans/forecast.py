"""What somebody may do about a plan's price: who eats it, and what a little more would buy.

The next step of a plan with noise of both laws: what one step less of an error would cost.

Rules of this module:
- a loss that is named is enough, to the digits that it is named with;
- the sentences follow from the plan alone: the same plan says the same;
- prices of both laws do not add up: each step is priced as a whole plan;
- a step of a question that is asked by weight is named only where a plan of that price takes it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import InputError
from ..exact.number import few_up, rounded
from ..noise.law import Law
from ..privacy.loss import Loss
from .line import Line, acts_in, cost_in, kind_of
from .price import at_delta, cost_of
from .shares import Goals
from .two_laws import parts_of, size_of
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
    has_one_law = kind_of(plan.lines) is not None
    if len(plan.lines) > 1 and most.statistic.ask.within and (has_one_law or not most.shared):
        yield _eater(plan, most, max(parts))
    step = _step_of_one(plan) if has_one_law else step_of_both(plan, narrower)
    if step is not None:
        line, half, price = step
        yield f"The next step: {line.statistic.label} ±{rounded(half)} from {price} on."
    yield from filter(None, (_otherwise(plan, line) for line in plan.lines))
    if any(getattr(line.asked, "cuts", None) is not None for line in plan.lines):
        from .nearest import asked_apart, nearer

        for line in plan.lines:
            yield from nearer(plan, line)
        yield from asked_apart(plan)


def _eater(plan: "Plan", line: Line, part: Fraction) -> str:
    """Return how much of the price one question takes, and what it costs with a wider error."""
    asked = wider(line.asked, _WIDER)
    kind = line.share.kind
    wide = replace(plan.goal(line), statistic=asked)
    if kind_of(plan.lines) is None:
        (alone,) = Goals((wide,), share=False).lines(kind).values()
        lines = [alone if other is line else other for other in plan.lines]
    else:
        goals = [wide if other is line else plan.goal(other) for other in plan.lines]
        priced = Goals(tuple(goals), plan.share, plan.together).lines(kind)
        lines = [priced.get(place, other) for place, other in enumerate(plan.lines)]
    less = cost_of(acts_in(lines), plan.spend)
    within = asked.ask.within.plain() if asked.ask.within else ""
    return (
        f"{rounded(100 * part, 2)} % of the price is {line.statistic.label}; "
        f"with within = {within} there the plan costs {less}."
    )


def _step_of_one(plan: "Plan") -> tuple[Line, Fraction, Loss] | None:
    """Return the question that the next step is for, its half-width then, and the price."""
    found_next = (_next(plan, line) for line in plan.lines)
    steps = [step for step in found_next if step is not None]
    if not steps:
        return None
    size, line, width = min(steps, key=lambda step: step[0])
    chances = [finding.chance for finding in plan.findings]
    whole = few_up(size / (1 - share_of(plan)))  # exact: rationals
    price = cost_of([Loss(line.share.kind, (whole,)), *chances], plan.spend)
    now = line.statistic.expected(plan.table, line.laws, plan.level(line)).half_width
    return line, now * width / (width + 1), price  # exact: rationals


def _next(plan: "Plan", line: Line) -> tuple[Fraction, Line, int] | None:
    """Return what the plan costs where a question's noise errs by one step less; mostly None."""
    if (narrowed := narrower(plan, line)) is None:
        return None
    better, width = narrowed
    (size,) = cost_in(line.share.kind, (better,), line.aggregates).numbers
    if line.statistic.ask.within:
        return _size_of(plan.lines) - size_of(line) + size, line, width
    shared = [
        other
        for other in plan.lines
        if not (other.statistic.ask.within or other.statistic.ask.spend)
    ]
    (share,) = line.share.numbers
    grown = sum(other.share.numbers[0] for other in shared) * size / share  # exact: rationals
    others = _size_of(
        [other for other in plan.lines if (other.statistic.ask.within or other.statistic.ask.spend)]
    )
    return others + grown * _ROOM, line, width


def narrower(plan: "Plan", line: Line) -> tuple[Law, int] | None:
    """Return the noise of one question that errs by one step less, and by how much it then does.

    None where one step is nothing, or no step: of means, choices, and what several vectors tell.
    """
    law = line.laws[0]
    if len(line.laws) > 1 or line.shared or law.chooses or line.statistic.ask.spend:
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
    if other is None or line.shared:
        return ""
    try:
        goal = replace(plan.goal(line), statistic=other, aggregates=other.aggregates(plan.table))
        level = level_of(other, plan.table, goal.aggregates, plan.alpha)
        part = line.share.times(Fraction(1, len(goal.aggregates)))
        laws = goal.divided(part)[1]
    except InputError:  # a loss that no choice is made for, or an alpha
        return ""
    half = other.expected(plan.table, laws, level).half_width
    if half >= line.statistic.expected(plan.table, line.laws, plan.level(line)).half_width:
        return ""
    way = f'method = "{other.plain()["method"]}"'
    return f"{line.statistic.label} ±{rounded(half)} ranks with {way} at the same price."


def _size_of(lines: Sequence[Line]) -> Fraction:
    """Return what lines cost together; of a shared vector all its lines are among them."""
    return sum(map(size_of, lines), Fraction(0))


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
        if (narrowed := narrower(plan, line)) is not None:
            law, width = narrowed
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
        return [changed if other is line else other for other in plan.lines]
    (size,) = cost_in(line.share.kind, (law,), line.aggregates).numbers
    grown = size / line.share.numbers[0]  # exact: rationals
    return [
        changed
        if other is line
        else other
        if other.statistic.ask.within
        else _grown(plan, other, grown)
        for other in plan.lines
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
