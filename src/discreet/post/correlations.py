"""A correlation along the way in which noisy numbers move it: Laplace noise.

Rules of this module:
- with the means p and q, variances Vx and Vy, covariance C and L = (Vy / Vx)^(1/2) of the noisy
  moments and n of them, G is n (C - r (Vx Vy)^(1/2)) at the correlation r. Its gradient is what the
  numbers weigh in the moment of (x - p) (y - q) - (r / 2) (L (x - p)^2 + (y - q)^2 / L). What r
  reaches is told as `along` has it;
- the count, and the sum of squares of each column, may not lie near 0: the least of these, in
  deviations of its own noise, is s;
- an interval is cut at -1 and 1. What is left tells something where one end is inside;
- normal noise has a region: `correlation_region`.

Decision 151.
"""

from typing import Any

from ..noise.law import Continuous
from .along import Straight
from .slopes import Ends

Vector = Any  # numpy array of float64, one number a group


def along(numbers: Vector, moments: Vector, noise: Continuous, level: float) -> Ends:
    """Return the correlation in each group with its ends; the whole range where nothing is told.

    Args:
        numbers: the noisy numbers, a row for each group.
        moments: their weights in the moments of x y, x x, y y, x, y and 1.
        noise: of each number.
        level: with which probability an interval may miss.
    """
    import numpy as np

    both, first, other, x, y, count = moments @ numbers.T
    known = count > 0
    p, q = (np.where(known, side, 0.0) / np.where(known, count, 1.0) for side in (x, y))
    spreads = np.stack([first - p * x, other - q * y])
    known &= (spreads > 0).all(0)
    one, two = np.where(known, spreads, 1.0)
    ratio, size = np.sqrt(two / one)[:, None], np.sqrt(one * two)
    none, each = 0 * p, 0 * p + 1
    square = np.stack([none, each, none, -2 * p, none, p * p], axis=1) @ moments
    square_too = np.stack([none, none, each, none, -2 * q, q * q], axis=1) @ moments
    product = np.stack([each, none, none, -q, -p, p * q], axis=1) @ moments
    turning = (ratio * square + square_too / ratio) / 2
    value = (both - p * y) / size
    parts = [(one, square), (two, square_too), (count, moments[-1:])]
    least = np.min([part / _lengths(weights) for part, weights in parts], axis=0)
    straight = Straight(
        numbers=numbers,
        below=np.where(known, size, 0.0),
        way=product - value[:, None] * turning,
        turning=turning,
        others=least,
        left=least,
        bends=1 / np.where(known, least, 1.0),
    )
    below, above = straight.ends(noise, level)
    low, high = np.maximum(value - below, -1.0), np.minimum(value + above, 1.0)
    told = (low <= high) & ((low > -1) | (high < 1))
    value = np.where(told, np.clip(value, low, high), np.nan)
    return value, np.where(told, low, -1.0), np.where(told, high, 1.0)


def _lengths(weights: Vector) -> Vector:
    import numpy as np

    return np.sqrt((weights * weights).sum(-1))
