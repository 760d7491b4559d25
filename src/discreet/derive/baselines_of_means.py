"""A mean, or its like, over that of a baseline: by the intervals of both.

Rules of this module:
- means do not add up: a baseline is one group, or the median of several;
- it is of a mean, a variance or a standard deviation of a column that is never below 0, so that
  neither truth is: a slope may be below 0, and is refused;
- where both have noise of their own their intervals are joined at many levels (`post.quotients`),
  else at half the level each.

Proof for a median. Of a baseline of m groups each interval misses with at most level / (2 m), and
the number above with at most level / 2. Where none misses, the median lies between the medians of
their ends, because it grows with each number. (C476)

Decision 103.
"""

from collections.abc import Sequence
from fractions import Fraction
from statistics import median as median_of
from typing import TYPE_CHECKING

from ..errors import InputError, shown
from ..post.interval import down, up
from ..post.quotients import quotient
from ..post.two_shares import levels_apart
from ..schema import table_of
from ..statistic.catalog import statistic_of
from .derived import again, sharing

if TYPE_CHECKING:
    from .baselines import One, Sides

Ends = Sequence[tuple[float, float] | None]  # of each number; None where it is not told


def check_means(sides: "Sides") -> None:
    """Raise InputError where such numbers have no ratio."""
    name, question = sides.released.label, sides.released.question
    column, compared = question.get("column"), statistic_of(question).telling().compared
    bounds = table_of(sides.document.plan["table"]).columns
    is_bounded = isinstance(column, str) and column in bounds
    if not compared or not is_bounded or bounds[str(column)].lower < 0:
        raise InputError(
            f"no group of {shown(name)} can be divided by another.",
            kind="not-comparable",
            why="a ratio is of counts, sums, means and variances of a column that is never below 0",
            fix="compare the groups by their difference",
        )
    if sides.each > 1 and not sides.median:
        raise InputError(
            f"several groups of {shown(name)} do not add up to one number.",
            kind="no-joint-number",
            why="its numbers do not add up",
            fix="name one key in baseline, or say median, for the median of theirs",
        )


def over_means(sides: "Sides", level: Fraction) -> "list[One]":
    """Return each number over its baseline, with ends that miss with at most a level."""
    values = sides.released.answer.rows.columns[-3]
    each = sharing(sides.document, sides.released.label)
    below = {row // each for rows in sides.bottoms.values() for row in rows}
    apart = not below & {row // each for _, _, row in sides.tops}
    if sides.median or not apart:
        many = sides.each if sides.median else 1
        tops, bases = [_ends(sides, level / 2)], [_ends(sides, level / (2 * many))]
    else:
        tops = bases = [_ends(sides, at) for at in levels_apart(level)]
    return [
        _over(
            values[row],
            [ends[row] for ends in tops],
            [values[at] for at in sides.bottoms[of]],
            [_middle([ends[at] for at in sides.bottoms[of]]) for ends in bases],
        )
        for _, of, row in sides.tops
    ]


def _ends(sides: "Sides", level: Fraction) -> Ends:
    """Return the ends of all intervals at a level."""
    (released,) = again(sides.document, [sides.released.label], level)
    values, low, high = released.answer.rows.columns[-3:]
    return [
        None if value is None or start is None or end is None else (start, end)
        for value, start, end in zip(values, low, high, strict=True)
    ]


def _middle(ends: Ends) -> tuple[float, float] | None:
    known = [pair for pair in ends if pair is not None]
    if len(known) < len(ends):
        return None
    low, high = (Fraction(median_of(map(Fraction, side))) for side in zip(*known, strict=True))
    return down(*low.as_integer_ratio()), up(*high.as_integer_ratio())


def _over(value: float | None, top: Ends, base: Sequence[float | None], below: Ends) -> "One":
    """Return a number over its baseline and the ends; no value where either is not told."""
    tops = [pair for pair in top if pair is not None]
    bottoms = [pair for pair in below if pair is not None]
    parts = [part for part in base if part is not None]
    if value is None or len(tops) < len(top) or len(bottoms) < len(below):
        return None, 0.0, None
    low, high = quotient(tops, bottoms)
    middle = float(median_of(map(Fraction, parts)))
    if high is None or middle <= 0:
        return None, low, None
    return min(max(value / middle, low), high), low, high
