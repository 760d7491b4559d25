"""Continuous noise that bounds a law's, for the intervals of means.

How far weighted sums of many Laplace draws reach: by their characteristic function.

The means of cos(t Y) of the laws, for sums of noise: E[cos(t Y)] for t from 0 to pi.

Rules of this module:
- let X and Y be draws of a discrete law, X' and Y' of the continuous one. For 0 <= t <= 1 and
  x > 0, Pr[|(1 - t) X - t Y| > x + 1/2] is at most Pr[|(1 - t) X' - t Y'| > x]; and for whole k,
  Pr[X >= k] is at least Pr[X' > k + 1], and where k > 0 at most Pr[X' > k - 1]; so for X + Y and
  X + Y + Z. For any weights w, Pr[|w1 X + w2 Y + w3 Z| > x + (|w1| + |w2| + |w3|) / 2] is at most
  that of X', Y' and Z' beyond x, and no more with smaller weights; so for any number of draws;
- that is so because X with a uniform number from [-1/2, 1/2] added has a symmetric density with one
  peak, and is hardly wider than X'; the tests compare both sides for narrow and wide noise;
- numbers here are doubles: no bound is meant to more than nine digits;
- with weights w of length 1, S = w1 X1 + ... has the characteristic function
  f(u) = 1 / ((1 + u^2 w1^2) (1 + u^2 w2^2) ...), in scales, and Pr[|S| > x] is
  1 - (2 / pi) times the integral of f(u) sin(u x) / u over u > 0. Summed in steps of h that is the
  same for S folded to a circle of 2 pi / h: what is folded is below e^-30;
- summing ends at some U. Beyond, f(u) <= f(U) (1 + U^2 w^2) / (1 + u^2 w^2) for the largest weight
  w, so that what is left out is at most (1 / pi) f(U) (1 + 1 / (U w)^2): it is added;
- where that is too much, the bound by exponential moments (Chernoff) is less; it is used then;
- numbers here are doubles, right to twelve digits of 1; no noise is drawn by them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import erfc, exp, expm1, log, pi, sqrt

from .law import Beyond, Farther, Tail, Vector

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

    def deviation(self) -> float:
        """Return that of a draw."""
        return self.sigma

    def normal_deviation(self) -> float:
        """Return the deviation of a draw."""
        return self.sigma


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
        first, two, three = w[2], w[1] / w[2], w[0] / w[2]
        squares, tail = (1.0, two * two, three * three), np.zeros_like(two)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            for i, size in enumerate((1.0, two, three)):
                others = [squares[i] / (squares[i] - squares[j]) for j in range(3) if j != i]
                part = others[0] * others[1] * np.exp(-far / (first * size))
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
            half = float(tail(np.array([abs(x) / scale]))[0]) / 2
            return half if x >= 0 else 1 - half

        return above

    def deviation(self) -> float:
        """Return that of a draw."""
        return self.scale * sqrt(2)

    def normal_deviation(self) -> float:
        """Return 0: sums with orthogonal weights are not independent."""
        return 0.0


_STEP = 2 * pi / 60  # of u
_MOST = 512  # steps
_NOTHING = 1e-10  # what is left of f where summing ends
_ROUNDING = 1e-11  # more than all rounding of a probability
_CHUNK = 2**23  # numbers at once
_BLOCK = 64  # steps at once
_WIDTH_HALVINGS = 32
_SECANTS = 12
_NEAR = 2.0**-30  # of a width


def tails_of(weights: Vector) -> Callable[[Vector], Vector]:
    """Return the function from sizes x, one for each row, to bounds of Pr[|S| > x], in scales.

    Args:
        weights: a row for each sum.
    """
    import numpy as np

    lengths = _lengths(weights)
    squares = (weights / lengths[:, None]) ** 2
    waves = _waves(squares)
    times = _STEP * np.arange(1, waves.shape[1] + 1)
    moments, powers = _moments(squares)
    left = waves[:, -1] * (1 + 1 / (times[-1] ** 2 * squares.max(axis=1))) / pi + _ROUNDING

    def tail(x: Vector) -> Vector:
        far = np.maximum(np.asarray(x, dtype=float) / lengths, 0.0)
        bound = np.min(2 * np.exp(moments - powers[:, None] * far[None, :]), axis=0, initial=1.0)
        angles = np.sin(far[:, None] * times) / np.arange(1, 1 + len(times))
        summed = 1 - 2 / pi * (_STEP * far / 2 + (waves * angles).sum(axis=1))
        near = far < pi / _STEP
        return np.minimum(np.where(near, np.maximum(summed, 0.0) + left, 1.0), bound)

    return tail


def _lengths(weights: Vector) -> Vector:
    """Return the length of each row; squares of very wide noise are no doubles."""
    import numpy as np

    largest: Vector = np.abs(weights).max(axis=1)
    return largest * np.sqrt(((weights / largest[:, None]) ** 2).sum(axis=1))


def widths_of(weights: Vector, levels: Sequence[float]) -> Vector:
    """Return sizes that |S| exceeds with probability at most each level, in scales.

    Returns: a row for each level, with a number for each row of weights.
    """
    import numpy as np

    tail, lengths = tails_of(weights), _lengths(weights)
    return np.array([_least(tail, lengths, level) for level in levels]).reshape(
        len(levels), len(weights)
    )


def _least(tail: Callable[[Vector], Vector], lengths: Vector, level: float) -> Vector:
    """Return sizes at which a tail is at most a level, hardly above the least.

    The logarithm of a tail is nearly straight, so that secants find the place; where they do not,
    halving does. That a tail is at most the level is looked up at what is returned.
    """
    import numpy as np

    def over(x: Vector) -> Vector:
        return np.log(np.maximum(tail(x), _NONE)) - log(max(level, _NONE))

    high = 4 * lengths
    while np.any(over(high) > 0):
        high = 2 * high
    before, here = high / 2, high
    there, now = over(before), over(here)
    for _ in range(_SECANTS):
        apart = np.where(now == there, 1.0, now - there)
        step = np.where(now == there, 0.0, now * (here - before) / apart)
        before, there = here, now
        here = np.clip(here - step, 0.0, high)
        if np.all(abs(here - before) <= _NEAR / 4 * here):
            break
        now = over(here)
    high_enough, low = here * (1 + _NEAR), here * (1 - _NEAR)
    sought = (over(high_enough) > 0) | (over(low) <= 0)
    low = np.where(sought, 0.0, high_enough)
    high = np.where(sought, high, high_enough)
    for _ in range(_WIDTH_HALVINGS if sought.any() else 0):
        middle = (low + high) / 2
        rare = over(middle) <= 0
        low, high = np.where(sought & ~rare, middle, low), np.where(sought & rare, middle, high)
    return high


def _waves(squares: Vector) -> Vector:
    """Return f at whole steps, a row for each sum."""
    import numpy as np

    waves: list[Vector] = []
    count, size = squares.shape
    steps = max(1, min(_BLOCK, _CHUNK // max(1, count * size)))
    for at in range(1, _MOST + 1, steps):
        u = (_STEP * np.arange(at, min(at + steps, _MOST + 1))) ** 2
        rows = max(1, _CHUNK // (size * len(u)))
        parts = [
            np.log1p(u[:, None] * squares[i : i + rows, None, :]).sum(axis=2)
            for i in range(0, count, rows)
        ]
        waves.append(np.exp(-np.concatenate(parts)))
        small = np.flatnonzero(waves[-1].max(axis=0) < _NOTHING)
        if len(small):
            waves[-1] = waves[-1][:, : small[0] + 1]
            break
    return np.concatenate(waves, axis=1)


def _moments(squares: Vector) -> tuple[Vector, Vector]:
    """Return logarithms of E[e^(t S)] for some t, a row for each t, and these t."""
    import numpy as np

    powers = np.linspace(0.05, 0.98, 24)
    return np.stack([-np.log1p(-t * t * squares).sum(axis=1) for t in powers]), powers


_NARROW = 10  # below sigma2 = 1, weights beyond are less than e^-50


def of_laplace(rate: float, t: Vector) -> Vector:
    """Return 1 / (1 + 4 q sin^2(t/2) / (1 - q)^2), q = e^-rate."""
    import numpy as np

    return 1 / (1 + np.sin(t / 2) ** 2 * (4 * exp(-rate) / expm1(-rate) ** 2))


def of_gaussian(sigma2: float, t: Vector) -> Vector:
    """Return the wave of a discrete Gaussian: below sigma2 = 1 by adding up, else by Poisson.

    That is the sum over whole n of e^(-sigma2 (t - 2 pi n)^2 / 2), over the same sum at t = 0; for
    t up to pi, what is beyond n = -1, 0, 1 is less than e^-40.
    """
    import numpy as np

    if sigma2 < 1:
        places = np.arange(_NARROW + 1)
        weights = np.exp(-(places**2) / (2 * sigma2)) * np.where(places, 2, 1)
        return np.cos(np.multiply.outer(t, places)) @ (weights / weights.sum())
    turns = 2 * pi * np.arange(-1, 2)
    weights = np.exp(-sigma2 / 2 * np.square(turns))
    return np.exp(-sigma2 / 2 * np.square(np.subtract.outer(t, turns))).sum(1) / weights.sum()
