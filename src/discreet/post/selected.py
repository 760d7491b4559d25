"""Intervals of numbers that are shown because they passed a threshold.

Plain intervals are wrong for what was selected: with sigma 18.3 and a threshold of 90 one of 95 %
holds a shown truth of 60 in 51 % of the cases, of 50 in none.

False coverage rate (Benjamini and Yekutieli 2005). Of K numbers with independent noise, each is
shown or not by its own noise alone, and R are shown; their intervals are made at level alpha R / K.
Proof that the expected part of missed ones among those shown is at most alpha: given the noise of
all others, of which r - 1 are shown, number i adds Pr[it is shown and its interval of level
alpha r / K misses] / r, which is at most (alpha r / K) / r = alpha / K; there are K of them.

Conditional. Y = truth + Z with a log-concave Z, shown where Y >= t. Given that, Y grows with the
truth in the order of likelihood ratios, so Pr[Y >= y | shown] rises with it. The interval is of the
truths in which neither this nor Pr[Y <= y | shown] is at most alpha / 2: given that it is shown, it
misses with at most alpha. It hangs on y - t alone, and on where the truths begin: they are at least
0. For a number just above t it is long, and says nothing below: that is what the number tells.

Totals. A sum over R shown numbers of K is off by the sum of their noise, and which they are was
settled by that noise. Two bounds hold whatever the rule is, each with alpha / 2. All K numbers are
within h of their truths at once (h at alpha / 2K), so that the sum is within R h. And of the lists
of R numbers, C(K, R), none is off by more than the sum of R draws at alpha / (2 K C(K, R)); over
all R from 1 to K that is alpha / 2. Which of the two is taken hangs on K and R alone. Both are of
all lists at once: so the sums of several parts of what is shown hold at once, too.

Rules of this module:
- it knows noise and public numbers, no table;
- an end errs outward: a truth that the working precision does not rule out stays;
- the shown number itself stays within its interval.

Decisions 99, 118.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb

from ..exact.enclosure import enclosed
from ..noise.law import Law

_BITS = 128
_MANY = 40
_LEAST = Fraction(1, 10**12)  # of a level at which a sum of draws is told


def rate_level(alpha: Fraction, shown: int, among: int) -> Fraction:
    """Return the level of each interval, where so many of the numbers are shown.

    Example:
        >>> rate_level(Fraction(1, 20), 10, 1_000)
        Fraction(1, 2000)
    """
    return alpha * Fraction(shown, among) if 0 < shown < among else alpha


def total_half_width(law: Law, shown: int, among: int, alpha: Fraction) -> int:
    """Return how far the sum of shown numbers may be from that of their truths, whatever was shown.

    Args:
        law: the noise of each number.
        shown: how many are added up, at least one.
        among: of how many some are shown.
        alpha: the chance that the sum is further off.
    """
    from .fieller import sum_half_width

    joint = shown * law.half_width(alpha / (2 * among))
    if min(shown, among - shown) > _MANY:
        return joint  # there are more than 2^_MANY such lists
    level = alpha / (2 * among * comb(among, shown))
    return joint if level < _LEAST else min(joint, sum_half_width([(law, shown)], level))


def given_shown(
    numbers: Sequence[int], law: Law, *, threshold: int, alpha: Fraction
) -> tuple[list[int], list[int]]:
    """Return intervals of truths of at least 0, of noisy numbers that are at least a threshold.

    Args:
        numbers: what is shown.
        law: its noise.
        threshold: from which on a number is shown.
        alpha: the chance that an interval misses, given that its number is shown.
    """
    ends = {y: _ends(y, law, threshold, alpha / 2) for y in dict.fromkeys(numbers)}
    return [ends[y][0] for y in numbers], [ends[y][1] for y in numbers]


@lru_cache(maxsize=2**12)
def _ends(y: int, law: Law, threshold: int, half: Fraction) -> tuple[int, int]:
    def is_low(truth: int) -> bool:
        """Tell whether so small a truth is ruled out: Pr[Y >= y | shown] <= alpha / 2."""
        return _ratio_up(law, y - truth, threshold - truth) <= half

    def is_high(truth: int) -> bool:
        """Tell whether so large a truth is ruled out: Pr[Y <= y | shown] <= alpha / 2."""
        return 1 - _ratio_down(law, y + 1 - truth, threshold - truth) <= half

    low, top = 0, max(y, 0)
    if is_low(low):
        low = _first(low, top, lambda truth: not is_low(truth))
    reach = 1
    while not is_high(top + reach):
        reach *= 2
    if is_high(top):
        return min(low, top), top
    return min(low, top), _first(top, top + reach, is_high) - 1


def _first(no: int, yes: int, holds: Callable[[int], bool]) -> int:
    """Return the least whole number above `no`, at most `yes`, for which something holds."""
    while yes - no > 1:
        middle = (no + yes) // 2
        no, yes = (no, middle) if holds(middle) else (middle, yes)
    return yes


def _ratio_up(law: Law, above: int, of: int) -> Fraction:
    return enclosed(lambda: law.tail(above) / law.tail(of), _BITS)[1]


def _ratio_down(law: Law, above: int, of: int) -> Fraction:
    return enclosed(lambda: law.tail(above) / law.tail(of), _BITS)[0]
