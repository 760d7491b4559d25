"""Medians of released numbers: of all groups, or of those of each group of other axes.

Rules of this module:
- it is the median of numbers that groups have, not of rows: `dp.median` asks for that of rows;
- its ends are the medians of the low and of the high ends of intervals that hold often enough
  together; of an even number of groups it is the middle between the two in the middle.

Proof. Let the true numbers be t(1) <= ... <= t(n), each with noise whose law is symmetric, and h
the half-width at a level l. Medians grow with each number, so that where all n intervals hold the
ends hold, too: `level_for` is one level that suffices. For an odd n let m = (n + 1) / 2. The median
of the low ends is above t(m) only if at least n - m + 1 of the low ends are, and so only if one of
the m numbers that are at most t(m) is: it is off by more than h upward, which has chance l / 2.
Downward alike: both together miss with at most 2 m l / 2 = (n + 1) l / 2. For an even n the low end
is above only if the n/2-th or the next one of the low ends is above its own true one: one of the
n/2 + 1 smallest is off upward. So l = 2 alpha / (n + 1), or 2 alpha / (n + 2), suffices as well,
and the larger of the two levels is taken. (C462)

Decision 100.
"""

from fractions import Fraction
from statistics import median as middle

from ..document.document import Document
from ..exact.number import Number
from ..post.together import level_for
from ..report.additive import axes_in, numbers_of, selected
from .derivation import Axes, Keys, derivation
from .derived import DerivedNumbers, axes_of, chance_of, derived, rounded, said


@derivation("median", of=1)
def median(
    document: Document,
    name: str,
    by: Axes = None,
    *,
    only: Keys = None,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return the median of the numbers of a count or a sum; free. At least half of the numbers are
    at most this median.

    This is a median of groups. A median of rows is a question of its own (`dp.median`).

    Args:
        name: the statistic: "count by ward and sex".
        by: the axes that stay; by default no axis stays, and the answer is one number.
        only: the keys to add up, by axis: {"ward": ["A", "B"]}; for bins, the two ends.
        alpha: the chance that an interval misses; by default the release's own.
        together: whether all intervals hold at once, with probability 1 - alpha.

    Returns: derived numbers, with value, low and high for each group of the axes that stay, in the
        units of the statistic.

    Raises:
        InputError: there is no such statistic, axis or key, or the statistic is not a count or sum.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> release.median("count by ward").values
        [500.0]
    """
    numbers, chance = numbers_of(document, name), chance_of(document, alpha)
    kept = axes_in(numbers.released, () if by is None else by, chooses=True)
    chosen = selected(numbers.released, {} if only is None else only)
    groups = numbers.folded(kept, chosen)
    level = level_for(len(groups), chance) if together else chance
    many = len(next(iter(groups.values())))
    half, step = numbers.law.half_width(_level(many, level)), numbers.step
    medians = [middle([Fraction(n) for n in part]) for part in groups.values()]
    low, high = [n - half for n in medians], [n + half for n in medians]
    if numbers.counted:
        low, high = ([max(end, Fraction(0)) for end in ends] for ends in (low, high))
    recipe = {"derive": "median", "of": name}
    inside = f", by {' and '.join(kept)}" if kept else ""
    return derived(
        document,
        f"median of {name}{inside}",
        recipe | said(by=kept, only=chosen, alpha=chance, together=together),
        axes=axes_of(numbers.released, kept),
        index=list(groups),
        numbers=rounded(*([n * step for n in part] for part in (medians, low, high))),
        measure="median",
        notes=[f"Each is the median of {many:,} numbers of groups."],
    )


def _level(many: int, alpha: Fraction) -> Fraction:
    """Return the chance with which each of so many intervals may miss."""
    return max(level_for(many, alpha), 2 * alpha / (many + 1 + (many + 1) % 2))
