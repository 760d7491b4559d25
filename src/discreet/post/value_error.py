"""About how far off the value of a quantile is: to choose among ways to ask it, never for widths.

Rules of this module:
- it sees sizes that are public, and laws; the rows are taken to lie as a bell that is a tenth of
  the bounds wide, which no data need keep: intervals hold for any data, and this decides none;
- noise of s ranks moves a value by s / (n f), with f how densely the n rows lie where the quantile
  is; bins of width w move it by some w / 8; a choice is as far off as its own law says, and half a
  rank for the gaps between rows that it falls into;
- half of all values are nearer than what is told here, as a part of the bounds.

Decision 91.
"""

from fractions import Fraction
from functools import cache
from math import hypot, log, sqrt
from statistics import NormalDist

from .curve import Kernel, furthest

_SPREAD = 1 / 10  # of the bounds: one deviation of the rows that are taken to be there
_MEDIAN = 0.674  # of a normal error: half of all are smaller
_FILLED = 8  # a value in a bin is off by about this part of its width
_GAP = 0.5  # ranks between rows, which a choice falls into
_SHOWN = 4  # deviations of the noise in a number of rows, from which on a group is told
UNTOLD = Fraction(1, 4)  # of the bounds: how far somebody is off who is told nothing


def error_of_choice(scale: Fraction, share: Fraction, bins: int, rows: int) -> Fraction:
    """Return how far off the value of a chosen bin is, for a choice of this scale."""
    ranks = float(scale) * log(2) / share.denominator + _GAP
    return Fraction(hypot(ranks / (rows * _density(share)), _MEDIAN / (_FILLED * bins)))


def error_of_vector(
    variance: float, shares: tuple[Fraction, ...], kernel: Kernel, beside: int, rows: int
) -> Fraction:
    """Return how far off the values of quantiles are, in the mean, that a vector tells.

    Args:
        variance: of the noise in each number.
        shares: which quantiles.
        kernel, beside: of the vector, as `Curve` has them; of counts by bin a single 1 and zeros.
        rows: of a group.
    """
    bins, deviation = len(kernel), sqrt(variance)
    in_count = 1 / beside if beside else 2 * _length(kernel, Fraction(1, 2), 0)  # or less
    if rows < _SHOWN * deviation * in_count:
        return UNTOLD
    errors = [
        hypot(
            deviation * _length(kernel, share, beside) / (rows * _density(share)),
            1 / (_FILLED * bins),
        )
        for share in shares
    ]
    return Fraction(_MEDIAN * sum(errors) / len(errors))


def _length(kernel: Kernel, share: Fraction, beside: int) -> float:
    """Return how long the weights of the noise are in a quantile's rank, where it is likely."""
    if isinstance(kernel, tuple) and not any(kernel[1:]):
        return sqrt(len(kernel) * share * (1 - share))
    return furthest(kernel, (share,), beside)


@cache
def _density(share: Fraction) -> float:
    """Return which part of the rows would lie between the bounds, were all as dense."""
    bell = NormalDist(0, _SPREAD)
    return bell.pdf(bell.inv_cdf(float(share)))


def off_of_counts(variance: float, chance: Fraction, bins: int, share: Fraction) -> Fraction:
    """Return how many rows counts by bin are off at a quantile, but with about this chance.

    Args:
        variance: of the noise in each count.
        chance: of being further off, on either side.
        bins: how many there are.
        share: which quantile.
    """
    many = NormalDist(0, sqrt(variance)).inv_cdf(1 - float(chance) / 2)
    return Fraction(many * _length((1, *[0] * (bins - 1)), share, 0))
