"""A correlation under normal noise: what a region of it, means and the ratio of spreads leaves.

Rules of this module:
- with the true means p and q, variances Vx and Vy, covariance C and L = (Vy / Vx)^(1/2), the
  correlation r solves four equations that are linear in the true moments, and so in the numbers:

      the moment of (x - p) (y - q) - (r / 2) (L (x - p)^2 + (y - q)^2 / L) is 0,
      those of x - p, of y - q and of L (x - p)^2 - (y - q)^2 / L are 0;

- the first does not move with p, q and L where all four are solved. So the direction of `regions`
  is that of the first equation;
- a region reaches beyond -1 or 1 where numbers are noisy: an interval is cut there, and what is
  left tells something where one end is inside;
- p and L are not bounded by themselves: no part of the level is set aside.

Decision 138.
"""

from dataclasses import dataclass
from typing import Any

from .regions import Across, Search, limits, reach
from .slopes import Ends

_OTHERS = 3  # p, q, and the logarithm of L
_SETTLED = 1 / 100  # of a spread: what noise moves p, q and L by where they need not be fitted
_CHUNK = 2**17  # groups at once
_LARGE = 40.0  # of a logarithm: spreads are not further apart

Vector = Any  # numpy array of float64


@dataclass(frozen=True, slots=True)
class _FourEquations:
    """The equations above.

    Attributes:
        moments: weights of the noisy numbers in the moments of x y, x x, y y, x, y and 1.
    """

    moments: Vector

    def weights(self, parameters: Vector) -> Vector:
        """Return the weights of the four in each group."""
        import numpy as np

        r, p, q, ratio = _parted(parameters)
        none = 0 * r
        square = [none, ratio, none, -2 * ratio * p, none, ratio * p * p]
        other = [none, none, 1 / ratio, none, -2 * q / ratio, q * q / ratio]
        product = [none + 1, none, none, -q, -p, p * q]
        rows = [
            [a - r / 2 * (b + c) for a, b, c in zip(product, square, other, strict=True)],
            [none, none, none, none + 1, none, -p],
            [none, none, none, none, none + 1, -q],
            [b - c for b, c in zip(square, other, strict=True)],
        ]
        return np.array(rows).transpose(2, 0, 1) @ self.moments

    def moved(self, parameters: Vector, numbers: Vector) -> Vector:
        """Return how the four, which are 0 of these numbers, move with p, q and log L."""
        import numpy as np

        _, p, q, ratio = _parted(parameters)
        _, xx, yy, x, y, count = (numbers @ weight for weight in self.moments)
        spread = ratio * (xx - 2 * p * x + p * p * count) + (yy - 2 * q * y + q * q * count) / ratio
        turned = np.zeros((len(count), 4, 3))
        turned[:, 1, 0], turned[:, 2, 1], turned[:, 3, 2] = -count, -count, spread
        return turned


def _parted(parameters: Vector) -> tuple[Vector, Vector, Vector, Vector]:
    import numpy as np

    r, p, q, logarithm = parameters.T
    return r, p, q, np.exp(np.clip(logarithm, -_LARGE, _LARGE))


def in_region(numbers: Vector, moments: Vector, deviation: float, level: float) -> Ends:
    """Return the correlation in each group with its ends; the whole range where nothing is told.

    Args:
        numbers: the noisy numbers, a row for each group.
        moments: their weights in the moments of x y, x x, y y, x, y and 1.
        deviation: of the normal noise of each number.
        level: with which probability an interval may miss.
    """
    import numpy as np

    starts = range(0, max(1, len(numbers)), _CHUNK)
    some = [_told(numbers[at : at + _CHUNK], moments, deviation, level) for at in starts]
    value, low, high = np.concatenate(some, axis=1)
    return value, low, high


def _told(numbers: Vector, moments: Vector, deviation: float, level: float) -> Vector:
    import numpy as np

    ends = np.stack([np.full(len(numbers), side) for side in (np.nan, -1.0, 1.0)])
    shown, solution, spreads = _solved(moments @ numbers.T)
    if not shown.size:
        return ends
    numbers, value, equations = numbers[shown], solution[:, 0], _FourEquations(moments)
    weights = equations.weights(solution)
    most = limits(deviation, level, numbers, _OTHERS)
    steps = deviation * np.sqrt((weights * weights).sum(2)) / spreads
    first, steps = most**0.5 * steps[:, 0], steps[:, 1:]
    roots = np.exp(np.array([-1, 1]) * solution[:, 3:]) * (spreads[:, :1] / spreads[:, 1:2])
    settled = (steps[:, :2] ** 2 < _SETTLED**2 * roots).all(1) & (steps[:, 2] < _SETTLED)
    search = Search(
        Across(equations), numbers / deviation, solution, 0 * steps, steps, settled, most
    )
    low, high = (
        value + sign * reach(search, first, sign, np.maximum(1 - sign * value, 0))
        for sign in (-1, 1)
    )
    low, high = np.maximum(low, -1), np.minimum(high, 1)
    inside = (low <= high) & ((low > -1) | (high < 1))
    ends[:, shown[inside]] = np.stack([np.clip(value, low, high), low, high])[:, inside]
    return ends


def _solved(sums: Vector) -> tuple[Vector, Vector, Vector]:
    """Return which groups have a correlation as they are, all four parameters of each, and how far
    the four equations move with them, each with its own."""
    import numpy as np

    xy, xx, yy, x, y, count = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        p, q = x / count, y / count
        first, second = xx / count - p * p, yy / count - q * q
        size = np.sqrt(first * second)
        value = (xy / count - p * q) / size
        known = (count > 0) & (first > 0) & (second > 0) & np.isfinite(value)
        ratio = np.where(known, second / first, 1.0)
    solution = np.stack([value, p, q, np.log(ratio) / 2], axis=1)
    spreads = np.stack([count * size, count, count, 2 * count * size], axis=1)
    shown = np.flatnonzero(known)
    return shown, solution[shown], spreads[shown]
