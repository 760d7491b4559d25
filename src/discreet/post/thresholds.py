"""Which groups show a mean, and how rarely its interval must then miss.

From a variance of the rows at hand to the sample form, which divides by one row less.

Rules of this module:
- a group shows its mean where its noisy count reaches `least_count`; that of a group with nobody in
  it does so with probability at most SEEN;
- readers see only what is shown, and where few rows are, what is shown is what luck has moved. So
  the interval of a group is made at a smaller alpha where its count is near that line;
- the number of rows n is noisy: n / (n - 1) is bracketed by the ends of an interval of its own, at
  a part of alpha, made as `post.shown` does so that it holds also given that the group is shown;
- of fewer than two rows there is no sample variance, so that n is at least 2: the factor is then
  between 1 and 2.

Proof. Let M >= 1 be the true count, Z its noise, symmetric around 0, and c the line. The group is
shown where s = M + Z reaches c, with probability p(M) = Pr[Z >= c - M], which grows with M. Let
alpha = a + b. Given s, rule out every m for which Pr[Z >= s - m] is at most b p(m): the true M is
ruled out with probability at most b p(M). Of what remains let m be the least, and make the interval
at a p(m). Where M remains, p(m) <= p(M): the interval is then no narrower than one that misses with
probability a p(M). So a group is shown with an interval that misses with probability at most
alpha p(M): at most alpha given that it is shown, and over all groups all the more.

Tails are those of a continuous law that is never one whole number away: `mechanism.continuous`.

Proof. The variance misses its interval with at most (1 - b) alpha, and n its own with at most
b alpha. Where neither does, the sample form lies between low n_high / (n_high - 1) and
high n_low / (n_low - 1), because n / (n - 1) falls; it is at most twice the largest variance.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import ceil
from typing import Any

from ..noise.law import Law

SEEN = 1 / 2000
RULED_OUT = Fraction(1, 50)  # the part b of alpha; the rest is left for the interval
_STEPS = 256
_HALVINGS = 60

Vector = Any  # numpy array of float64, one number a group
Tail = Callable[[float], float]  # Pr[Z > x] of the continuous law


def least_count(above: Tail) -> int:
    """Return the least count that is shown: Pr[Z >= it] is at most SEEN."""
    return ceil(_least(partial(_is_rare, above, SEEN))) + 1


def within(above: Tail, alpha: Fraction) -> float:
    """Return what the noise of a count stays within, up and down, except with probability alpha."""
    return _least(partial(_is_rare, above, float(alpha) / 2)) + 1


def least_within(above: Tail, chance: float) -> float:
    """Return what noise exceeds with at most this chance."""
    return _least(partial(_is_rare, above, chance))


def for_interval(alpha: Fraction) -> Fraction:
    """Return what is left of alpha for the interval of a group that is surely shown."""
    return alpha * (1 - RULED_OUT)


def levels(counts: Vector, above: Tail, alpha: Fraction) -> Vector:
    """Return for each group the probability with which its interval may miss; 0 if not shown.

    Args:
        counts: the noisy counts, in whole steps.
        above: the tail of their noise.
        alpha: the chance that an interval that is shown misses.
    """
    import numpy as np

    line = least_count(above)
    spared = float(alpha * RULED_OUT)
    # a line may be wider than any machine word; little noise, with a line at 1, moves nothing at 4
    true = np.linspace(0, 2.0 * max(line, 2), _STEPS + 1)
    chances = [above(line - m + 1) for m in true]  # each at most that of being shown

    @cache
    def rules_out(at: int) -> float:  # grows with the place; few places are asked for
        return float(true[at]) + 1 + _least(partial(_is_rare, above, spared * chances[at]))

    place = np.full(np.shape(counts), _STEPS)
    near = (counts >= line) & (counts < rules_out(_STEPS))
    kinds, kind = np.unique(counts[near], return_inverse=True)
    last = [bisect_right(range(_STEPS + 1), x, key=rules_out) - 1 for x in kinds.tolist()]
    place[near] = np.array(last, dtype=int)[kind]
    allowed = float(for_interval(alpha)) * np.array(chances)[np.maximum(place, 0)]
    return np.where(counts >= line, allowed, 0.0)


def _is_rare(above: Tail, chance: float, x: float) -> bool:
    return above(x) <= chance


def _least(holds: Callable[[float], bool]) -> float:
    """Return the least number from 0 on that holds, or hardly more, where all after it hold."""
    low, high = 0.0, 1.0
    if holds(low):
        return low
    while not holds(high):
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


FOR_COUNT = Fraction(1, 20)  # of alpha
_ROUNDING = 2.0**-40  # of an end


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """What a variance is multiplied by, and the ends of its interval."""

    value: Vector
    low: Vector
    high: Vector


def factors(counts: Vector, unit: int, law: Law, draws: int, alpha: Fraction) -> Factors:
    """Return n / (n - 1) of each group, and its ends, which miss with at most alpha.

    Args:
        counts: noisy sums, of `unit` for each row.
        unit: what a row adds.
        law: the noise of each number that was added up, of which there are `draws`.
        alpha: the chance that the ends miss, given that the group is shown.
    """
    above: Tail = partial(law.continuous().above, draws=draws)
    return factors_at(counts, unit, above, levels(counts, above, alpha))


def factors_at(counts: Vector, unit: int, above: Tail, level: Vector) -> Factors:
    """Return the same where noise with this tail is known, and at which level of each group."""
    import numpy as np

    distinct, places = np.unique(level, return_inverse=True)
    halves = [
        least_within(above, level / 2) if level > 0 else np.inf for level in distinct.tolist()
    ]
    half = np.array(halves)[places] + 1.0
    value, high, low = (
        1 + 1 / (np.maximum(ends / unit, 2.0) - 1)
        for ends in (counts, counts - half, counts + half)
    )
    return Factors(value, low * (1 - _ROUNDING), high * (1 + _ROUNDING))
