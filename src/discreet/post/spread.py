"""The variance of values in [-1, 1] from three noisy sums, with an interval that covers.

Rules of this module:
- the sums are of Lagrange's polynomials at -1, 0 and 1, all in one size: l_- = u (u - 1) / 2,
  l_0 = 1 - u^2, l_+ = u (u + 1) / 2. With S their sum, the mean is m = (s_+ - s_-) / S;
- for the true m and the true variance V, s_+ - s_- - m S = 0, and the sum of (k_i - V) s_i is 0 for
  k = ((1 + m)^2, m^2, (1 - m)^2). So of the noisy sums both are the noise alone, whose size passes
  a quantile with no more than the chance wanted. A small part of it is spent on m, the rest on V;
- with a = (y_+ - y_-) / S and b = (y_+ + y_-) / S of the noisy sums, the second form is
  S (b - a^2 - V + (m - a)^2). The interval holds every V in [0, 1 - m^2] that no m left over rules
  out: m is cut into cells, and V is walked along in steps from both ends. A cell is ruled out if
  the form, where it is nearest to 0 in the cell, passes the quantile for the largest weights in
  it: no point between is overlooked, whatever the law;
- where the noisy count is small nothing is said, or the interval is wider: `shown` has the rule.
  Where nothing is left over, no variance fits the numbers: the interval had missed, and the whole
  range is told instead, without a value, as where everything is left over.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from ..noise.law import Beyond, Law
from .ratio import Shares
from .thresholds import levels, within

FOR_MEAN = Fraction(1, 60)  # of the level, for the mean
_CELLS = 8  # that what is left of the mean is cut into
_CHUNK = 4_096  # groups at once
_STEPS = 400  # at most
_FINE = 2.0**-10  # of the interval's half-width: a last step
_SLACK = 2.0**-46  # more than all rounding of forms
Vector = Any  # numpy array of float64, one number a group
Ruled = Callable[[Vector, Vector], Vector]  # whether all between two ends is ruled out


@dataclass(frozen=True, slots=True)
class _Sums:
    """Noisy sums of groups that are shown, and the levels of both tests.

    Attributes:
        count: S; a, b: as in the rules of this module.
        first, second: the tests of the mean and of the variance.
        scale: about how far the noise moves a and b.
    """

    count: Vector
    a: Vector
    b: Vector
    first: Beyond
    second: Beyond
    scale: Vector


def variances(
    low: Sequence[int], middle: Sequence[int], high: Sequence[int], law: Law, alpha: Fraction
) -> Shares:
    """Return the variance of each group, in squares of half the range, with valid intervals.

    Each misses with at most alpha, by itself and given that it is shown.

    Args:
        low, middle, high: the noisy sums of l_-, l_0 and l_+, each with noise of its own.
        law: the noise of every number.
        alpha: the chance that one interval misses its truth.
    """
    import numpy as np

    noise = law.continuous()
    above = partial(noise.above, draws=3)
    whole = np.array([sum(of) for of in zip(low, middle, high, strict=True)], dtype=float)
    ends = np.array([low, high], dtype=float)
    level = levels(whole, above, alpha)
    values, bottom, top = np.full_like(whole, np.nan), np.zeros_like(whole), np.ones_like(whole)
    shown = np.flatnonzero(level > 0)
    for start in range(0, len(shown), _CHUNK):
        at = shown[start : start + _CHUNK]
        count, chance = whole[at], level[at]
        first, second = (
            noise.beyond(chance * float(FOR_MEAN)),
            noise.beyond(chance * float(1 - FOR_MEAN)),
        )
        a, b = (ends[1, at] - ends[0, at]) / count, (ends[0, at] + ends[1, at]) / count
        values[at], bottom[at], top[at] = _intervals(
            _Sums(count, a, b, first, second, noise.steepest(chance) / count)
        )
    plain = [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 - NaN
    return Shares(tuple(plain), bottom, top, within(above, alpha))


def _intervals(sums: _Sums) -> tuple[Vector, Vector, Vector]:
    """Return the variances, NaN where the interval says nothing, and the ends of the intervals."""
    import numpy as np

    ones = np.ones_like(sums.a)
    least, most = _left(partial(_no_mean, sums), -ones, ones, sums.scale)
    lost = least > most
    least, most = np.where(lost, 0.0, least), np.where(lost, 0.0, most)
    part = np.linspace(0, 1, _CELLS + 1)[:, None]
    edges = least + (most - least) * part
    near = np.abs(edges - sums.a)
    over = (edges[:-1] <= sums.a) & (sums.a <= edges[1:])
    apart = (
        np.where(over, 0.0, np.minimum(near[:-1], near[1:]) ** 2),
        np.maximum(near[:-1], near[1:]) ** 2,
    )
    ruled = partial(_no_variance, sums, edges, apart)
    low, high = _left(ruled, np.zeros_like(ones), ones, sums.scale)
    empty = lost | (low > high)
    low = np.where(empty, 0.0, np.maximum(low - _SLACK, 0.0))
    high = np.where(empty, 1.0, np.minimum(high + _SLACK, 1.0))
    values = np.clip(sums.b - sums.a**2, low, high)
    return np.where((low > 0) | (high < 1), values, np.nan), low, high


def _no_mean(sums: _Sums, low: Vector, high: Vector) -> Vector:
    """Tell whether every mean between two ends is ruled out."""
    import numpy as np

    weights = [
        np.maximum(abs(k(low)), abs(k(high))) for k in (lambda m: 1 + m, abs, lambda m: 1 - m)
    ]
    return sums.first(weights, sums.count * _nearest(sums.a - high, sums.a - low))


def _no_variance(
    sums: _Sums, edges: Vector, apart: tuple[Vector, Vector], low: Vector, high: Vector
) -> Vector:
    """Tell whether every variance between two ends is ruled out, for each cell of the mean."""
    import numpy as np

    m, n = edges[:-1], edges[1:]
    least = np.where((m <= 0) & (n >= 0), 0.0, np.minimum(m * m, n * n))
    squares = [
        ((1 + m) ** 2, (1 + n) ** 2),
        (least, np.maximum(m * m, n * n)),
        ((1 - n) ** 2, (1 - m) ** 2),
    ]
    weights = [np.maximum(most - low, high - few) for few, most in squares]
    middle = sums.b - sums.a**2
    form = _nearest(middle - high + apart[0], middle - low + apart[1])
    ruled = sums.second(weights, sums.count * form) | (low > 1 - least)
    return np.all(ruled, axis=0)


def _nearest(low: Vector, high: Vector) -> Vector:
    """Return how near to 0 the numbers between two ends come."""
    import numpy as np

    return np.maximum(np.maximum(low, -high), 0.0)


def _left(ruled: Ruled, start: Vector, end: Vector, scale: Vector) -> tuple[Vector, Vector]:
    """Return between what something may be left; the first is larger if all is ruled out."""
    low = _walked(ruled, start, end, scale)
    return low, -_walked(lambda a, b: ruled(-b, -a), -end, -start, scale)


def _walked(ruled: Ruled, start: Vector, end: Vector, scale: Vector) -> Vector:
    """Return how far all is ruled out, in steps that are halved where one is too far.

    A group ends by its own steps: what it says hangs on no other, which a release may not show.
    """
    import numpy as np

    at, step = start.copy(), (end - start) / 2
    for _ in range(_STEPS):
        walks = (step >= _FINE * scale) & (at < end)
        if not walks.any():
            break
        to = np.minimum(at + step, end)
        free = ruled(at, to) & walks
        at = np.where(free, to, at)
        step = np.where(free | ~walks, step, step / 2)
    return np.where(at >= end, np.inf, at)
