"""Which of several ways to give the same questions their noise is the best.

Rules of this module:
- what is compared are exact rationals, so that a plan that is made again is the same;
- noise of both laws is taken only where it is more than 1 % better than the best of one law.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod

from .line import Line
from .questions import Questions

BETTER = Fraction(99, 100)  # what both laws in one plan must come down to, of one law's best


def undominated(found: Sequence[tuple[Line, ...]]) -> list[tuple[Line, ...]]:
    """Return the lines but those of the same laws as others, with no less noise anywhere."""
    kept: list[tuple[Line, ...]] = []
    for lines in found:
        if not any(_beats(other, lines) for other in kept):
            kept = [*(other for other in kept if not _beats(lines, other)), lines]
    return kept


def _beats(one: Sequence[Line], other: Sequence[Line]) -> bool:
    first, second = ([law for line in lines for law in line.laws] for lines in (one, other))
    return [type(law) for law in first] == [type(law) for law in second] and all(
        mine.size_up() <= others.size_up() for mine, others in zip(first, second, strict=True)
    )


def best(
    found: Sequence[tuple[Line, ...]],
    both: tuple[Line, ...] | None,
    size: Callable[[tuple[Line, ...]], tuple[Fraction, bool, Fraction]],
) -> tuple[Line, ...]:
    """Return the lines of the least size; of both laws where they are far below all others."""
    if both is None:
        return found[0] if len(found) == 1 else min(found, key=size)
    least = min(found, key=size, default=both)
    return both if size(both)[0] <= size(least)[0] * BETTER or least is both else least


def rank(lines: tuple[Line, ...], asked: Questions) -> tuple[Fraction, bool, Fraction]:
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
