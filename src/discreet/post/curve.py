"""Quantiles, and shares below an edge, of one noisy curve in each group, with valid intervals.

Rules of this module:
- y = R h + Z, with R skew-circulant (`statistic/curve.py`) or one that leans to an end
  (`statistic/leaning.py`), gives u = B R^-1 y, which estimates
  twice the cells up to each edge, F(e), less n, the count of all; its last number is n. So
  F(e) - t n = a y for any t, with a = row(e) / 2 + (1/2 - t) row(last) of B R^-1: the noise in it
  is a sum of draws with known weights, and exceeds a quantile as rarely as its law says. R may be
  the identity: then y are counts by bin;
- where n is counted beside the curve too, times a weight, that count less the last of u is noise
  alone. It is added to each a y, as many times as makes the noise in it least, by least squares;
- the t-quantile x of n cells is where F(x-) <= t n <= F(x). It lies in bin i exactly if
  F(e_i) <= t n <= F(e_(i+1)). A bin is ruled out where one of the two is, each at half the level;
  the interval goes from the first bin that is left to the last. It misses only if the
  true bin is ruled out. Where no bin is left nothing is told; where every one is, the value is told
  all the same, and so is a share, because what is left out where an interval is wide is shown where
  luck narrows it, and misses there far more often;
- the share t below an edge is F(e) / n, so that F(e) - t n = 0. The interval holds every t in
  [0, 1] that this does not rule out. The quantile of |a Z| at one level is a norm of a, because the
  laws are even and log-concave (Meyer and Reisner 1991; Bobkov 2010, for measures): a convex
  function of t, which lines between some points are never below;
- whether a group is shown at all, and at which level, is decided by n, as in `shown`.

Decision 23.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from ..noise.law import Continuous, Law
from ..transform import Leaning
from .ratio import Shares
from .thresholds import levels, within

_CHUNK = 2**20  # cells at once
_SLACK = 1e-9  # of a count: more than all rounding
_POINTS = 33  # of a share, between which its quantile is bounded by lines
_HALVINGS = 60
Vector = Any  # numpy array of float64
Kernel = Sequence[int] | Leaning  # the first column of R where it is skew-circulant, or R


@dataclass(frozen=True, slots=True)
class CurvePlaces:
    """Where a quantile lies in each group, by its bin.

    Attributes:
        bins, parts: of the value: the bin, and how far in it, from 0 to 1.
        low, high: the first and the last bin of the interval.
        told: whether anything can be said; else the interval holds all bins.
    """

    bins: Vector
    parts: Vector
    low: Vector
    high: Vector
    told: Vector


class Curve:
    """The curves of all groups, and the noise in them.

    Attributes:
        counts: the noisy number of cells of each group.
    """

    def __init__(
        self,
        values: Sequence[int],
        kernel: Kernel,
        law: Law,
        alpha: Fraction,
        beside: int = 0,
    ) -> None:
        """Take the noisy vector of all groups, what R is, and the law of the noise.

        With a weight beside the curve each group's vector ends in so many times its rows.
        """
        import numpy as np

        size = len(kernel)
        self._weights = Weights(kernel, beside)
        self._noise: Continuous = law.continuous()
        numbers = np.array(values, dtype=float).reshape(-1, size + bool(beside))
        self._twice = _led_back(kernel, numbers[:, :size])
        last = self._twice[:, -1]
        self._noise_alone = numbers[:, -1] / beside - last if beside else np.zeros(len(last))
        self.counts: Vector = last + self._weights.in_count * self._noise_alone
        self._above = self._noise.sum_above(self._weights.of_count())
        self._alpha = alpha

    @cached_property
    def level(self) -> Vector:
        """The probability with which the intervals of a group may miss; 0 where it is not shown.

        Of a public number of rows nobody asks.
        """
        return levels(self.counts, self._above, self._alpha)

    @cached_property
    def counts_within(self) -> float:
        """How far the noise of the counts reaches, except with probability alpha."""
        return within(self._above, self._alpha)

    def quantile(self, at: Fraction, part: Fraction = Fraction(1)) -> CurvePlaces:
        """Return where a quantile lies; its interval misses with `part` of the level at most."""
        import numpy as np

        groups, size = self._twice.shape
        places = [np.zeros(groups, dtype=kind) for kind in (int, float, int, int, bool)]
        places[3] += size - 1
        weights, middle = self._weights.of(float(at)), 0.5 - float(at)
        times = self._weights.times(middle)
        for chosen, (widths,) in self._by_level(weights[None], float(part)):
            few = max(1, _CHUNK // size)
            for start in range(0, len(chosen), few):
                some = chosen[start : start + few]
                zero = -float(at) * self.counts[some]
                gaps = self._twice[some] / 2 + middle * self._twice[some, -1:]
                gaps += times * self._noise_alone[some, None]
                pieces = _placed(gaps, widths, zero)
                for whole, piece in zip(places, pieces, strict=True):
                    whole[some] = piece
        return CurvePlaces(*places)

    def shares(self, edges: Sequence[int]) -> Shares:
        """Return the shares below some edges, by their places from 1 on, group by group."""
        import numpy as np

        below = (self._twice[:, [edge - 1 for edge in edges]] + self.counts[:, None]) / 2
        low, high = np.zeros_like(below), np.ones_like(below)
        points = np.linspace(0, 1, _POINTS)
        own = [edge - 1 for edge in edges]
        weights = np.stack([self._weights.of(t)[own] for t in points])
        for chosen, widths in self._by_level(weights, 1.0):
            low[chosen], high[chosen] = _left(below[chosen], self.counts[chosen], points, widths)
        known = np.repeat(self.level[:, None] > 0, below.shape[1], axis=1)
        count = np.where(self.counts > 0, self.counts, 1.0)[:, None]
        values = np.clip(below / count, low, high)
        shown = zip(values.ravel().tolist(), known.ravel().tolist(), strict=True)
        return Shares(
            values=tuple([value if ok else None for value, ok in shown]),
            low=low.ravel(),
            high=high.ravel(),
            count_within=self.counts_within,
        )

    def shares_of(self, edges: Sequence[int], rows: int, alpha: Fraction) -> Shares:
        """Return the shares below some edges of exactly so many cells, which are public.

        What is noisy is 2 F(e) - n alone. Nothing is divided by noise, so that all are told.
        """
        import numpy as np

        places = [edge - 1 for edge in edges]
        below = (self._twice[:, places] + rows) / 2
        (widths,) = self._noise.widths(self._weights.of(0.5)[places], [float(alpha)])
        off = widths * (1 + _SLACK) + _SLACK * (1 + rows)
        low, high = (np.clip((below + end) / rows, 0.0, 1.0).ravel() for end in (-off, off))
        values = np.clip(below / rows, 0.0, 1.0).ravel()
        return Shares(tuple(values.tolist()), low, high, 0.0)

    def _by_level(self, weights: Vector, part: float) -> Iterator[tuple[Vector, Vector]]:
        """Return the groups that are shown by their level, with the widths of some weights."""
        import numpy as np

        kinds = np.unique(self.level[self.level > 0])
        if not len(kinds):
            return
        flat = weights.reshape(-1, weights.shape[-1])
        widths = self._noise.widths(flat, (kinds * part).tolist())
        for level, width in zip(kinds, widths, strict=True):
            yield np.flatnonzero(self.level == level), width.reshape(weights.shape[:-1])


def leading_back(kernel: Sequence[int]) -> Vector:
    """Return the first column of B R^-1, where R has the kernel; both are skew-circulant."""
    import numpy as np

    size = len(kernel)
    turn = np.exp(-1j * np.pi * np.arange(size) / size)
    ones, own = np.fft.fft(turn), np.fft.fft(np.array(kernel, dtype=float) * turn)
    return np.real(np.fft.ifft(ones / own) / turn)


def rows_of(column: Vector) -> Vector:
    """Return a skew-circulant matrix, by its first column."""
    import numpy as np

    size = len(column)
    place = np.arange(size)[:, None] - np.arange(size)[None, :]
    return np.where(place >= 0, column[place], -column[place])


def furthest(kernel: Kernel, at: Sequence[Fraction], beside: int = 0) -> float:
    """Return how long the weights of a draw are at most, for these quantiles at any edge."""
    return _lengths(_kept(kernel), tuple(at), beside)[0]


def told_worst(kernel: Kernel, at: Sequence[Fraction], beside: int = 0) -> float:
    """Return the same with both ends of the bounds, where a rank is a share of all rows alone."""
    inside, rows = _lengths(_kept(kernel), tuple(at), beside)
    return max(inside, float(max(*at, 1 - min(at))) * rows)


def _kept(kernel: Kernel) -> tuple[int, ...] | Leaning:
    return kernel if isinstance(kernel, Leaning) else tuple(kernel)


@cache
def _lengths(
    kernel: tuple[int, ...] | Leaning, at: tuple[Fraction, ...], beside: int
) -> tuple[float, float]:
    """Return the longest weights of quantiles at any edge, and the length of those of all rows."""
    import numpy as np

    weights = Weights(kernel, beside)
    longest = max(float(np.linalg.norm(weights.of(float(t)), axis=1).max()) for t in at)
    return longest, float(np.linalg.norm(weights.of_count()))


class Weights:
    """Of which draws the noise is made in each rank of a curve.

    Attributes:
        in_count: how many times the noise alone is added to the last of u, for the number of rows.
    """

    def __init__(self, kernel: Kernel, beside: int) -> None:
        """Take what R is, and the weight of the count beside it: 0 where none is."""
        import numpy as np

        self._rows = _rows(kernel)
        self._alone: Vector = None
        self.in_count = 0.0
        if beside:
            last = self._rows[-1]
            self._rows = np.concatenate([self._rows, np.zeros((len(kernel), 1))], axis=1)
            self._with_last = self._rows[:, :-1] @ last
            self._variance = 1 / beside**2 + self._with_last[-1]
            self._alone = np.append(-last, 1 / beside)
            self.in_count = float(self._with_last[-1] / self._variance)

    def times(self, middle: float) -> Vector:
        """Return how many times the noise alone is added at each edge, for t = 1/2 - middle."""
        if self._alone is None:
            return 0.0
        return (self._with_last / 2 + middle * self._with_last[-1]) / self._variance

    def of(self, at: float) -> Vector:
        """Return the weights of the draws in F(e) - t n, at each edge."""
        weights = self._rows / 2 + (0.5 - at) * self._rows[-1]
        if self._alone is None:
            return weights
        return weights + self.times(0.5 - at)[:, None] * self._alone

    def of_count(self) -> Vector:
        """Return the weights of the draws in the number of rows."""
        last = self._rows[-1]
        return last if self._alone is None else last + self.in_count * self._alone


def _rows(kernel: Kernel) -> Vector:
    """Return B R^-1."""
    import numpy as np

    if isinstance(kernel, Leaning):
        return _led_back(kernel, np.eye(len(kernel))).T
    return rows_of(leading_back(kernel))


def _led_back(kernel: Kernel, vectors: Vector) -> Vector:
    """Return B R^-1 times each of some vectors."""
    import numpy as np

    if not isinstance(kernel, Leaning):
        return _times(leading_back(kernel), vectors)
    size, first = len(kernel), np.zeros(len(kernel))
    first[0] = 1.0
    turn = _turn(size, kernel.below)
    own = np.fft.fft(np.array(kernel.kernel, dtype=float) * turn) * kernel.below
    column = np.real(np.fft.ifft(np.fft.fft(first * turn) / own) / turn)
    cells = _times(column, vectors, kernel.below) / np.array(kernel.weights, dtype=float)
    below = np.cumsum(cells[:, ::-1] if kernel.turned else cells, axis=1)
    return 2 * below - below[:, -1:]


def _turn(size: int, below: int = 1) -> Vector:
    """Return what makes a matrix with -1 / below of its entries above the diagonal circulant."""
    import numpy as np

    place = np.arange(size) / size
    return np.exp(-1j * np.pi * place) * float(below) ** -place


def _times(column: Vector, vectors: Vector, below: int = 1) -> Vector:
    """Return a matrix times some vectors: skew-circulant, or with -1 / below of it above."""
    import numpy as np

    size = len(column)
    turn = _turn(size, below)
    few, product = max(1, _CHUNK // size), np.empty_like(vectors)
    own = np.fft.fft(column * turn)
    for start in range(0, len(vectors), few):
        some = slice(start, start + few)
        product[some] = np.real(np.fft.ifft(np.fft.fft(vectors[some] * turn) * own) / turn)
    return product


def _placed(gaps: Vector, widths: Vector, zero: Vector) -> tuple[Vector, ...]:
    """Return bins, parts, first and last bins, and whether anything is told, of some groups.

    Args:
        gaps: the cells up to each edge but the first, less the share of all cells that is asked.
        widths: what the noise in each of them stays within.
        zero: the same as gaps, at the first edge.
    """
    import numpy as np

    size = gaps.shape[1]
    out = np.zeros(gaps.shape, dtype=bool)
    out[:, 1:] = gaps[:, :-1] > widths[:-1]
    out[:, :-1] |= gaps[:, :-1] < -widths[:-1]
    low = np.argmin(out, axis=1)
    high = size - 1 - np.argmin(out[:, ::-1], axis=1)
    known = ~out.all(axis=1)
    low, high = np.where(known, low, 0), np.where(known, high, size - 1)
    upward = np.maximum.accumulate(gaps, axis=1)
    downward = np.minimum.accumulate(gaps[:, ::-1], axis=1)[:, ::-1]
    rising, slack = (upward + downward) / 2, _SLACK * (1 + np.abs(zero))
    passed = rising >= -slack[:, None]
    bins = np.where(passed.any(axis=1), np.argmax(passed, axis=1), size - 1)
    every = np.arange(len(gaps))
    end, start = rising[every, bins], np.where(bins > 0, rising[every, bins - 1], zero)
    part = np.clip(-start / np.where(end > start, end - start, 1.0), 0.0, 1.0)
    part = np.where(bins < low, 0.0, np.where(bins > high, 1.0, part))
    return np.clip(bins, low, high), part, low, high, known


def _left(below: Vector, counts: Vector, points: Vector, widths: Vector) -> tuple[Vector, Vector]:
    """Return between which shares something is left, for each group and edge.

    A share t is left while |below - t count| is at most its width, which is convex in t, so that
    those that are left lie together. Where none is, all are told.
    """
    import numpy as np

    bottom, top = np.ones_like(below), np.zeros_like(below)
    for place in range(len(points) - 1):
        (t0, t1), (w0, w1) = points[place : place + 2], widths[place : place + 2]
        start = np.full_like(below, t0), np.full_like(below, t1)
        for sign in (1, -1):
            first = sign * (below - t0 * counts[:, None]) - w0
            last = sign * (below - t1 * counts[:, None]) - w1
            with np.errstate(divide="ignore", invalid="ignore"):
                cross = t0 + (t1 - t0) * np.clip(first / (first - last), 0, 1)
            start = (
                np.where(
                    first > 0, np.where(last > 0, np.inf, np.maximum(start[0], cross)), start[0]
                ),
                np.where(
                    last > 0, np.where(first > 0, -np.inf, np.minimum(start[1], cross)), start[1]
                ),
            )
        some = start[0] <= start[1]
        bottom = np.where(some, np.minimum(bottom, start[0]), bottom)
        top = np.where(some, np.maximum(top, start[1]), top)
    empty = bottom > top
    low, high = np.where(empty, 0.0, bottom - _SLACK), np.where(empty, 1.0, top + _SLACK)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)
