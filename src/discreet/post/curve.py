"""Quantiles, and shares below an edge, of one noisy curve in each group, with valid intervals.

Rules of this module:
- y = R h + Z, with R skew-circulant (`statistic/curve.py`), gives u = B R^-1 y, which estimates
  twice the cells up to each edge, F(e), less n, the count of all; its last number is n. So
  F(e) - t n = a y for any t, with a = row(e) / 2 + (1/2 - t) row(last) of B R^-1: the noise in it
  is a sum of draws with known weights, and exceeds a quantile as rarely as its law says;
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
from typing import Any

from ..noise.law import Continuous, Law
from .ratio import Shares
from .thresholds import levels, within

_CHUNK = 2**20  # cells at once
_SLACK = 1e-9  # of a count: more than all rounding
_POINTS = 33  # of a share, between which its quantile is bounded by lines
_HALVINGS = 60
Vector = Any  # numpy array of float64


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
        counts_within: what its noise stays within, but with probability alpha.
        level: with which probability the intervals of a group may miss; 0 where it is not shown.
    """

    def __init__(
        self, values: Sequence[int], kernel: Sequence[int], law: Law, alpha: Fraction
    ) -> None:
        """Take the noisy vector of all groups, the first column of R, and the law of the noise."""
        import numpy as np

        back = leading_back(kernel)
        self._noise: Continuous = law.continuous()
        self._rows = rows_of(back)
        twice = _times(back, np.array(values, dtype=float).reshape(-1, len(kernel)))
        self.counts: Vector = twice[:, -1].copy()
        self._below = (twice + self.counts[:, None]) / 2
        above = self._noise.sum_above(self._rows[-1])
        self.level: Vector = levels(self.counts, above, alpha)
        self.counts_within: float = within(above, alpha)

    def quantile(self, at: Fraction, part: Fraction = Fraction(1)) -> CurvePlaces:
        """Return where a quantile lies; its interval misses with `part` of the level at most."""
        import numpy as np

        groups, size = self._below.shape
        places = [np.zeros(groups, dtype=kind) for kind in (int, float, int, int, bool)]
        places[3] += size - 1
        weights = _weights(self._rows, float(at))
        for chosen, (widths,) in self._by_level(weights[None], float(part)):
            few = max(1, _CHUNK // size)
            for start in range(0, len(chosen), few):
                some = chosen[start : start + few]
                zero = -float(at) * self.counts[some, None]
                pieces = _placed(self._below[some] + zero, widths, zero[:, 0])
                for whole, piece in zip(places, pieces, strict=True):
                    whole[some] = piece
        return CurvePlaces(*places)

    def shares(self, edges: Sequence[int]) -> Shares:
        """Return the shares below some edges, by their places from 1 on, group by group."""
        import numpy as np

        below = self._below[:, [edge - 1 for edge in edges]]
        low, high = np.zeros_like(below), np.ones_like(below)
        points = np.linspace(0, 1, _POINTS)
        own = self._rows[[edge - 1 for edge in edges]]
        weights = np.stack([own / 2 + (0.5 - t) * self._rows[-1] for t in points])
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
        below = (2 * self._below[:, places] - self.counts[:, None] + rows) / 2
        (widths,) = self._noise.widths(self._rows[places] / 2, [float(alpha)])
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


def furthest(kernel: Sequence[int], at: Sequence[Fraction]) -> float:
    """Return how long the weights of a draw are at most, for these quantiles at any edge."""
    import numpy as np

    rows = rows_of(leading_back(kernel))
    return max(float(np.linalg.norm(_weights(rows, float(t)), axis=1).max()) for t in at)


def _weights(rows: Vector, at: float) -> Vector:
    return rows / 2 + (0.5 - at) * rows[-1]


def _times(column: Vector, vectors: Vector) -> Vector:
    """Return a skew-circulant matrix times each of some vectors."""
    import numpy as np

    size = len(column)
    turn = np.exp(-1j * np.pi * np.arange(size) / size)
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
