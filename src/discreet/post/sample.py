"""From a variance of the rows at hand to the sample form, which divides by one row less.

Rules of this module:
- the number of rows n is noisy: n / (n - 1) is bracketed by the ends of an interval of its own, at
  a part of alpha, made as `post.shown` does so that it holds also given that the group is shown;
- of fewer than two rows there is no sample variance, so that n is at least 2: the factor is then
  between 1 and 2.

Proof. The variance misses its interval with at most (1 - b) alpha, and n its own with at most
b alpha. Where neither does, the sample form lies between low n_high / (n_high - 1) and
high n_low / (n_low - 1), because n / (n - 1) falls; it is at most twice the largest variance.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from ..noise.law import Law
from .shown import Tail, least_within, levels

FOR_COUNT = Fraction(1, 20)  # of alpha
_ROUNDING = 2.0**-40  # of an end

Vector = Any  # numpy array of float64, one number a group


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

    found, places = np.unique(level, return_inverse=True)
    halves = [least_within(above, level / 2) if level > 0 else np.inf for level in found.tolist()]
    half = np.array(halves)[places] + 1.0
    value, high, low = (
        1 + 1 / (np.maximum(ends / unit, 2.0) - 1)
        for ends in (counts, counts - half, counts + half)
    )
    return Factors(value, low * (1 - _ROUNDING), high * (1 + _ROUNDING))
