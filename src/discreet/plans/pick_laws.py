"""Which of several ways to give the same questions their noise is the best.

Rules of this module:
- what is compared are exact rationals, so that a plan that is made again is the same;
- noise of both laws is taken only where it is more than 1 % better than the best of one law;
- Gaussian noise that a ledger charges less for makes no interval wider, and the plan of it is one
  of a spend in rho or mu^2: one law has one digest, whichever ledger asked for it.

Decision 5.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

from ..errors import InputError
from ..privacy.loss import Loss
from .line import Line
from .search import least_loss

if TYPE_CHECKING:
    from .plan import Plan
    from .shares import Goals

_ADDED = {"zcdp": "rho", "gdp": "mu2"}  # kinds of loss in which Gaussian noise costs little
_FAR = 10**3  # more than any ledger has
BETTER = Fraction(99, 100)  # what both laws in one plan must come down to, of one law's best


def undominated(choices: Sequence[tuple[Line, ...]]) -> list[tuple[Line, ...]]:
    """Return the lines but those of the same laws as others, with no less noise anywhere."""
    kept: list[tuple[Line, ...]] = []
    for lines in choices:
        if not any(_beats(other, lines) for other in kept):
            kept = [*(other for other in kept if not _beats(lines, other)), lines]
    return kept


def _beats(these: Sequence[Line], other: Sequence[Line]) -> bool:
    first, second = ([law for line in lines for law in line.laws] for lines in (these, other))
    return [type(law) for law in first] == [type(law) for law in second] and all(
        mine.size_up() <= others.size_up() for mine, others in zip(first, second, strict=True)
    )


def best(
    choices: Sequence[tuple[Line, ...]],
    both: tuple[Line, ...] | None,
    size: Callable[[tuple[Line, ...]], tuple[Fraction, bool, Fraction]],
) -> tuple[Line, ...]:
    """Return the lines of the least size; of both laws where they are far below all others."""
    if both is None:
        return choices[0] if len(choices) == 1 else min(choices, key=size)
    least = min(choices, key=size, default=both)
    return both if size(both)[0] <= size(least)[0] * BETTER or least is both else least


def rank(lines: tuple[Line, ...], asked: "Goals") -> tuple[Fraction, bool, Fraction]:
    """Return how wide the intervals are that nobody has asked for; then how large the noise is."""
    spread, size = Fraction(1), Fraction(0)
    for line, goal in zip(lines, asked.goals, strict=True):
        if line.statistic.ask.within:
            continue
        size += sum((law.size_up() for law in line.laws), Fraction(0))
        if line.statistic.shares(goal.table, line.share.kind) is None:
            spread *= prod(1 + law.half_width(goal.alpha) for law in line.laws)
        else:  # of each kind of noise other vectors may be counted
            spread *= 1 + line.statistic.expected(goal.table, line.laws, goal.alpha).half_width
    return spread, lines[0].share.kind == "pure", size


def suited(plan: "Plan", left: Loss) -> "Plan":
    """Return the plan that takes less of what is left: this, or one with no interval wider."""
    kind = next((kind for kind, name in _ADDED.items() if name in left.named), None)
    own = any(line.asked.ask.spend for line in plan.lines)  # a loss of a kind stays what it is
    if kind is None or plan.findings or own or not has_laplace(plan):
        return plan
    widths = _widths(plan)

    def narrow(loss: Loss) -> bool:
        try:
            new_widths = _widths(plan.with_spend(loss))
        except InputError:  # errors that were wanted cost more
            return loss.numbers[0] > _FAR
        return all(new <= old for new, old in zip(new_widths, widths, strict=True))

    other = plan.with_spend(least_loss(kind, narrow))
    (beyond, part), (too_dear, size) = _part(other, left), _part(plan, left)
    return other if (beyond, part) < (too_dear, size * BETTER) else plan


def has_laplace(plan: "Plan") -> bool:
    """Tell whether a plan has noise for which Gaussian noise could stand."""
    return any(law.costs == "pure" and not law.chooses for law in plan.laws)


def _widths(plan: "Plan") -> Sequence[Fraction]:
    return [
        Fraction(line.statistic.expected(plan.table, line.laws, plan.level(line)).half_width)
        for line in plan.lines
    ]


def _part(plan: "Plan", left: Loss) -> tuple[bool, Fraction]:
    """Return which part of the sum that pays a plan takes; what does not fit comes last."""
    price = plan.charged(left)
    if price is None:
        return True, Fraction(0)
    parts = zip(price.numbers, left.numbers, strict=True)
    taken = [Fraction(mine, whole) if whole else Fraction(mine > 0) for mine, whole in parts]
    return not price.fits(left), max(taken)
