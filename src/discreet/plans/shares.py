"""What each question gets of a spend: first the errors that were wanted, then weights.

Rules of this module:
- a question with a wanted error gets its least price; the others share what is left, by weight;
- shares have few digits, rounded down, and add up to no more than the whole;
- of the kinds of noise that a spend buys, the narrowest is taken, and the cheapest where all
  errors are wanted ones; both laws in one plan only where that is more than 1 % better (`mixing`).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from ..errors import InputError
from ..exact.enclosure import sqrt_up
from ..exact.number import few_up, rounded, text_of
from ..fix import write
from ..privacy.loss import Loss, call_of, total
from .line import Line, acts_in
from .pick_laws import BETTER, best, rank, undominated
from .price import Stated, candidates, cost_of
from .questions import Questions, kept_line
from .search import least_near
from .two_laws import of_both_laws, parts_of

Whole = Callable[[Loss], Loss]

_FACTOR = range(100, 1000)  # three digits of how much wider errors must be
_GUESSES = 2  # of it, before it is looked for
_NAMED = 2  # questions that a refusal names
_MARGIN = Fraction(1, 10**6)
_HARDLY = Fraction(1, 1000)  # of a delta: an epsilon where errors are so wide that it pays alone


def lines_of(asked: Questions, spend: Loss, *, whole: Whole | None = None) -> tuple[Line, ...]:
    """Return each question with its noise, from the spend of a plan.

    Args:
        asked: the questions.
        spend: the loss of all of them.
        whole: what a plan spends that leaves so much for the questions, where they are not all.

    Raises:
        InputError: the wanted errors cost more; it says which part of it is whose, and how much
            wider all of them must be.
    """
    bought = candidates(spend)
    tried = [_lines(asked, loss) for loss in bought]
    found = [lines for lines in tried if lines is not None]
    both = of_both_laws(asked, spend, bought)
    if not found and both is None:
        raise _too_dear(asked, spend, whole or (lambda loss: loss))
    if asked.all_wanted:
        return best(found, both, lambda lines: _price(lines, spend))
    found = undominated(found)
    found += _alone(asked, spend, found)
    return best(found, both, lambda lines: rank(lines, asked))


def least_spend(asked: Questions, kind: str, delta: Fraction | None) -> Loss:
    """Return the least spend, of few digits, that keeps all wanted errors.

    Args:
        asked: questions; what those without a wanted error cost is not counted.
        kind: the kind of loss that is asked for.
        delta: where given, the least epsilon is asked for, in noise of one law, or of both where
            that saves more than 1 %.
    """
    if delta is None:
        whole = total([*asked.costs(kind).values()])
        return Loss(whole.kind, tuple([few_up(number) for number in whole.numbers]))
    kinds = [loss.kind for loss in candidates(Loss("approx", (Fraction(1), delta)))]
    least = Loss("approx", (Fraction(0), delta))
    spends = [cost_of(_stated(asked, kind), least) for kind in kinds]
    epsilon = few_up(min(loss.epsilon for loss in spends) or delta * _HARDLY)
    spend = Loss("approx", (epsilon, delta))
    goals = asked.wanted
    while all(_lines(goals, loss) is None for loss in candidates(spend)):
        epsilon = few_up(epsilon * (1 + _MARGIN))
        spend = Loss("approx", (epsilon, delta))
    both = of_both_laws(goals, spend)
    less = _cost(both, spend).few_up() if both else spend
    return less if less.epsilon <= epsilon * BETTER else spend


def least_factor(asked: Questions, spend: Loss) -> Fraction:
    """Return how many times as wide all wanted errors must be, to fit a spend: three digits, up."""

    bought = candidates(spend)

    def fits(factor: Fraction) -> bool:
        try:
            found = asked.wider(factor)
            one = any(_lines(found, loss) is not None for loss in bought)
            return one or of_both_laws(found, spend, bought) is not None
        except InputError:  # no noise is so narrow, or so wide
            return factor > 1

    return least_near(fits, _guess(asked, spend), _FACTOR)


def _guess(asked: Questions, spend: Loss) -> Fraction:
    """Return about how many times as wide errors must be: prices fall with it, or its square."""
    guess, found, bought = Fraction(1), asked, candidates(spend)
    for _ in range(_GUESSES):
        steps = [_times_too_dear(found, loss) for loss in bought]
        nearest = steps.index(min(steps))
        guess, bought = few_up(guess * steps[nearest]), [bought[nearest]]
        found = asked.wider(guess)
    return guess


def _times_too_dear(asked: Questions, spend: Loss) -> Fraction:
    """Return about how many times too narrow errors are, in one kind of loss."""
    try:
        costs = [cost.numbers[0] for cost in asked.costs(spend.kind).values()]
    except InputError:  # no noise is so narrow, or so wide
        return Fraction(1)
    over = sum(costs, Fraction(0)) / spend.numbers[0]  # exact: rationals
    return over if spend.kind == "pure" else Fraction(sqrt_up(over))


def _lines(asked: Questions, spend: Loss) -> tuple[Line, ...] | None:
    """Return the questions with their noise at one kind of loss, or None if it is not enough."""
    left = spend
    for cost in asked.costs(spend.kind).values():
        if not cost.fits(left):
            return None
        left = left.minus(cost)
    rest = asked.unmet
    if rest and left.is_zero():
        return None
    every = asked.lines(spend.kind) | asked.shared(rest, left)
    return tuple(every[n] for n in range(len(asked.goals)))


def _alone(asked: Questions, spend: Loss, found: list[tuple[Line, ...]]) -> list[tuple[Line, ...]]:
    """Return what one vector buys by its own exact curve, where that is less noise."""
    goal = asked.goals[0]
    if spend.kind != "approx" or len(asked.goals) + len(goal.aggregates) > 2 or not spend.delta:
        return []
    moved = goal.aggregates[0].paid
    laws = [lines[0].laws[0] for lines in found if lines[0].share.kind != "pure"]
    if moved.linf != 1 or not laws:
        return []
    narrow = [
        lines[0].laws[0].half_width(goal.alpha) for lines in found if lines[0].laws[0] not in laws
    ]
    laws += [
        type(laws[0]).widest(width, goal.alpha) for width in narrow
    ]  # beyond it, it is not chosen
    below = min(law.size_up() for law in laws)
    law = laws[0].alone(spend.few_down(), moved=moved.l2_squared, below=below)
    return [] if law is None else [(kept_line(goal, (law,), "gdp"),)]


def _stated(asked: Questions, kind: str) -> list[Stated]:
    return [Stated(loss) for loss in asked.costs(kind).values()]


def _price(lines: tuple[Line, ...], spend: Loss) -> tuple[Fraction, bool, Fraction]:
    first, *others = _cost(lines, spend).numbers
    return first, False, sum(others, Fraction(0))


def _cost(lines: tuple[Line, ...], spend: Loss) -> Loss:
    return cost_of(acts_in(lines), spend)


def _too_dear(asked: Questions, spend: Loss, whole: Whole) -> InputError:
    """Return the error that the wanted errors cost more than the spend."""
    kinds = [loss.kind for loss in candidates(spend)]
    cost = min(
        (cost_of(_stated(asked, kind), spend) for kind in kinds), key=lambda one: one.numbers
    )
    unmet = [goal.statistic.label for goal in asked.goals if not goal.statistic.ask.within]
    nothing = f", and nothing is left for {unmet[0]}" if unmet and cost.fits(spend) else ""
    factor = text_of(least_factor(asked, spend))
    delta = spend.named.get("delta")
    enough = least_spend(asked, spend.kind, delta)
    lines = lines_of(asked.wanted, enough)
    parts = dict(enumerate(parts_of(lines, delta)))
    most = sorted(parts, key=lambda n: parts[n], reverse=True)[:_NAMED]
    eaters = [
        f"{lines[n].asked.label} takes {rounded(100 * parts[n], 2)} % "  # exact: rationals
        "of the cost"
        for n in most
    ]
    needed = whole(enough)
    plenty = _with_as_much_for(unmet, asked, needed)
    wider, more = "", ""
    if unmet:
        wider = f", or more: {unmet[0]} has only what is left"
        more = f": {text_of(needed.numbers[0])} keeps the wanted errors, the rest is for {unmet[0]}"
    finding = " with finding the keys" if needed != enough else ""
    return InputError(
        f"the wanted errors cost {needed}{finding}; spend is {whole(spend)}.",
        why=f"{' and '.join(eaters)}{nothing}",
        fix=(
            f"write within= {factor} times as wide everywhere{wider}",
            write(more, of="plan", spend=call_of(plenty.kind, *map(text_of, plenty.numbers))),
        ),
        at="spend",
    )


def _with_as_much_for(unmet: Sequence[str], asked: Questions, needed: Loss) -> Loss:
    """Return a spend that keeps the wanted errors, with their average for each other question."""
    wanted = len(asked.goals) - len(unmet)
    first, *others = needed.numbers
    most = few_up(first * len(asked.goals) / wanted) if unmet else first  # exact: rationals
    return Loss(needed.kind, (most, *others))
