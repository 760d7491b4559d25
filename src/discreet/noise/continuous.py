"""Continuous noise that bounds a law's, for the intervals of means.

Rules of this module:
- let X and Y be draws of a discrete law, X' and Y' of the continuous one. For 0 <= t <= 1 and
  x > 0, Pr[|(1 - t) X - t Y| > x + 1/2] is at most Pr[|(1 - t) X' - t Y'| > x]; and for whole k,
  Pr[X >= k] is at least Pr[X' > k + 1], and where k > 0 at most Pr[X' > k - 1]; so for X + Y and
  X + Y + Z. For any weights w, Pr[|w1 X + w2 Y + w3 Z| > x + (|w1| + |w2| + |w3|) / 2] is at most
  that of X', Y' and Z' beyond x, and no more with smaller weights; so for any number of draws;
- that is so because X with a uniform number from [-1/2, 1/2] added has a symmetric density with one
  peak, and is hardly wider than X'; the tests compare both sides for narrow and wide noise;
- numbers here are doubles: no bound is meant to more than nine digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import erfc, exp, expm1, gamma, log, log1p, sqrt

from .law import Beyond, Farther, Tail, Vector
from .sums_of_draws import tails_of, widths_of

_NONE = 1e-300  # a level below this is none
_APART = 1e-5  # u and v of the Laplace tail are kept so far apart; that makes it wider, by nothing
_HALVINGS = 60
_CLOSE = 1e-4  # the same of three weights, by more, because two differences are multiplied


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Normal noise."""

    sigma: float

    def above(self, x: float, *, draws: int) -> float:
        """Return Pr[> x] of the sum of one to three draws."""
        return erfc(x / (self.sigma * sqrt(2 * draws))) / 2

    def farther(self, levels: Vector) -> Farther:
        """Return, for each group, whether |(1 - t) X - t Y| exceeds x at most at its level."""
        import numpy as np

        sizes = self.steepest(levels)
        return lambda t, x: x > sizes * np.hypot(1 - t, t) + 0.5

    def beyond(self, levels: Vector) -> Beyond:
        """Return, for each group, whether three weighted draws exceed x at most at its level."""
        import numpy as np

        sizes = self.steepest(levels)
        return lambda w, x: x > sizes * np.sqrt(sum(a * a for a in w)) + sum(w) / 2

    def steepest(self, levels: Vector) -> Vector:
        """Return the quantile of one draw."""
        from statistics import NormalDist

        import numpy as np

        kinds, place = np.unique(levels, return_inverse=True)
        quantile = NormalDist().inv_cdf
        sizes = [-self.sigma * quantile(level / 2) if level > _NONE else np.inf for level in kinds]
        return np.array(sizes)[place]

    def widths(self, weights: Vector, levels: Sequence[float]) -> Vector:
        """Return what a sum of draws exceeds in size at most at each level, for rows of weights."""
        import numpy as np

        sizes = self.steepest(np.array(levels, dtype=float))[:, None]
        lengths, steps = np.sqrt((weights * weights).sum(axis=1)), np.abs(weights).sum(axis=1)
        return sizes * lengths + steps / 2

    def sum_above(self, weights: Vector) -> Tail:
        """Return the function from x to Pr[> x] of a sum of draws with these weights."""
        from math import hypot

        return partial(Gaussian(self.sigma * hypot(*weights)).above, draws=1)

    def everywhere(self, level: float, dimensions: int, draws: int) -> tuple[float, float]:
        """Return what bounds all sums of draws of a space at once: its chi-squared quantile."""
        del draws
        return self.sigma * sqrt(chi_squared(level, dimensions)), 0.5


@dataclass(frozen=True, slots=True)
class Laplace:
    """Laplace noise: of u X - v Y with u + v = 1,
    Pr[> x] = (u^2 e^(-x/u) - v^2 e^(-x/v)) / (u^2 - v^2) on both sides together, in scales."""

    scale: float

    def above(self, x: float, *, draws: int) -> float:
        """Return Pr[> x] of the sum of one to three draws."""
        if x < 0:
            return 1 - self.above(-x, draws=draws)
        far = x / self.scale
        shares = {1: 1 / 2, 2: (2 + far) / 4, 3: (8 + 5 * far + far * far) / 16}
        return shares[draws] * exp(-far)

    def farther(self, levels: Vector) -> Farther:
        """Return, for each group, whether |(1 - t) X - t Y| exceeds x at most at its level."""
        return partial(self._farther, levels)

    def _farther(self, levels: Vector, t: Vector, x: Vector) -> Vector:
        import numpy as np

        u = np.clip(np.maximum(1 - t, t), 0.5 + _APART, 1.0)
        v = np.maximum(1 - u, 1e-300)
        far = np.maximum(x - 0.5, 0.0) / self.scale
        with np.errstate(over="ignore"):  # where far / v has no end, its part of the tail is 0
            tail = (u * u * np.exp(-far / u) - v * v * np.exp(-far / v)) / (u * u - v * v)
        return tail < levels

    def beyond(self, levels: Vector) -> Beyond:
        """Return, for each group, whether three weighted draws exceed x at most at its level."""
        return partial(self._beyond, levels)

    def _beyond(self, levels: Vector, weights: Sequence[Vector], x: Vector) -> Vector:
        """With w1 > w2 > w3, Pr[> x] on both sides is the sum of A_i e^(-x / w_i), in scales, where
        A_i is the product of w_i^2 / (w_i^2 - w_j^2) over the others; smaller weights are kept a
        little below larger ones by raising these."""
        import numpy as np

        w = np.sort(np.stack(np.broadcast_arrays(*weights)), axis=0)
        far = np.maximum(x - sum(weights) / 2, 0.0) / self.scale
        w[1] = np.maximum(w[1], w[0] * (1 + _CLOSE))
        w[2] = np.maximum(w[2], w[1] * (1 + _CLOSE))
        one, two, three = w[2], w[1] / w[2], w[0] / w[2]
        squares, tail = (1.0, two * two, three * three), np.zeros_like(two)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            for i, size in enumerate((1.0, two, three)):
                others = [squares[i] / (squares[i] - squares[j]) for j in range(3) if j != i]
                part = others[0] * others[1] * np.exp(-far / (one * size))
                tail = tail + np.where(squares[i] > _NONE, part, 0.0)
        return tail < levels

    def steepest(self, levels: Vector) -> Vector:
        """Return the quantile of one draw."""
        import numpy as np

        with np.errstate(divide="ignore"):
            return -self.scale * np.log(levels)

    def widths(self, weights: Vector, levels: Sequence[float]) -> Vector:
        """Return what a sum of draws exceeds in size at most at each level, for rows of weights."""
        import numpy as np

        return self.scale * widths_of(weights, levels) + np.abs(weights).sum(axis=1) / 2

    def sum_above(self, weights: Vector) -> Tail:
        """Return the function from x to Pr[> x] of a sum of draws with these weights."""
        import numpy as np

        tail, scale = tails_of(weights[None, :]), self.scale

        def above(x: float) -> float:
            one = float(tail(np.array([abs(x) / scale]))[0]) / 2
            return one if x >= 0 else 1 - one

        return above

    def everywhere(self, level: float, dimensions: int, draws: int) -> tuple[float, float]:
        """Return what bounds all sums of draws at once: the largest draw."""
        del dimensions
        each = -expm1(log1p(-level) / draws)  # each draw misses so that all miss at the level
        return 0.0, -self.scale * log(each) + 0.5


def chi_squared(level: float, dimensions: int) -> float:
    """Return what the sum of squares of so many normal draws exceeds with probability level.

    Example:
        >>> round(chi_squared(0.05, 2), 4), round(chi_squared(0.05, 3), 4)
        (5.9915, 7.8147)
    """

    def above(x: float) -> float:
        half, odd = x / 2, dimensions % 2
        powers = [place + odd / 2 for place in range(dimensions // 2)]
        found = exp(-half) * float(sum(half**power / gamma(power + 1) for power in powers))
        return found + (erfc(sqrt(half)) if odd else 0.0)

    low, high = 0.0, 1.0
    while above(high) > level:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if above(middle) <= level else (middle, high)
    return high
