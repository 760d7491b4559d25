"""Covariances, correlations and regressions of noisy counts, sums, squares and products.

Rules of this module:
- columns are in [-1, 1]. Each moment is a known sum of the noisy numbers, so that the noise in any
  combination of moments has known weights w;
- regression: let S be the moments of (1, x) with themselves and b the coefficients, so that
  g = s - S b is 0 for the true moments. Of the noisy ones it is the noise alone, in a space of as
  many dimensions as there are coefficients, which the true b fixes: so |c g| stays below a norm of
  its weights for every c at once (`Continuous.everywhere`), c chosen after the noise too. For
  c = S^-1 a of the noisy S, c g is how far the noisy a b is off. Its weights are linear in the true
  b: with d >= |b - noisy b|, their norm is at most that at the noisy b, and m d more, m the norms
  of the slopes. So d <= start + M d, and where the powers of M vanish d <= (I - M)^-1 start.
  Elsewhere nothing can be told;
- covariance: with the true means p, q and covariance C, n (noisy C - C) is the noise with weights 1
  on the products, -p and -q on the sums and p q - C on the count, less n times the product of how
  far both noisy means are off. The means have a small part of the level each;
- a correlation is put together from intervals of a covariance and two variances, a third each;
- whether a group is shown, and at which level, is decided by its count, as in `shown`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..noise.law import Law
from .thresholds import FOR_COUNT, factors_at, levels, within

FOR_MEANS = 1 / 120  # of the level, for each of two means
_MOST = 3.0  # twice a product of means, and a mean product
_SLACK = 1e-11  # of a moment: more than all rounding
Vector = Any  # numpy array of float64
Place = tuple[int, ...]  # the columns that are multiplied: none, one or two


@dataclass(frozen=True, slots=True)
class MomentNumbers:
    """One number in each group; NaN where nothing can be told."""

    values: Vector
    low: Vector
    high: Vector


class Moments:
    """The moments of all groups, and the noise in them.

    Attributes:
        counts: the noisy number of rows of each group.
        counts_within: what its noise stays within, but with probability alpha.
        level: with which probability the intervals of a group may miss; 0 where it is not shown.
    """

    def __init__(
        self, values: Sequence[int], parts: Sequence[tuple[Place, int]], law: Law, alpha: Fraction
    ) -> None:
        """Take the noisy vector of all groups, what its numbers are and weigh, and their noise."""
        import numpy as np

        self._noise = law.continuous()
        self._weights = {place: self._weight(parts, at) for at, (place, _) in enumerate(parts)}
        noisy = np.array(values, dtype=float).reshape(-1, len(parts))
        self._moments = {place: noisy @ weight for place, weight in self._weights.items()}
        self.counts: Vector = self._moments[()]
        above = self._noise.sum_above(self._weights[()])
        self.level: Vector = levels(self.counts, above, alpha)
        self.counts_within: float = within(above, alpha)
        self._above = above

    @staticmethod
    def _weight(parts: Sequence[tuple[Place, int]], at: int) -> Vector:
        """Return the weights of the noisy numbers in a moment; squares are told less a half."""
        import numpy as np

        found = np.zeros(len(parts))
        (place, weight), (_, whole) = parts[at], parts[0]
        found[at] = 1 / weight
        if len(place) == 2 and place[0] == place[1]:
            found[0] = 0.5 / whole
        return found

    def covariance(self, i: int, j: int, part: float = 1.0) -> MomentNumbers:
        """Return the covariance of two columns, or the variance of one, at `part` of the level.

        Args:
            i, j: their places, i <= j.
            part: of the level.
        """
        import numpy as np

        shown = np.flatnonzero(self.level > 0)
        count, level = self.counts[shown], self.level[shown] * part
        m, n = self._moments[i,][shown] / count, self._moments[j,][shown] / count
        both = self._moments[i, j][shown] / count
        dm, dn = (self._mean_off(one, level * FOR_MEANS) / count for one in (i, j))
        found, apart = both - m * n, np.abs(m) * dn + np.abs(n) * dm + dm * dn
        level = level * (1 - 2 * FOR_MEANS)
        off = self._fixed(self._sizes(i, j, *(np.array([x]) for x in (1, 1, _MOST))), level) / count
        p, q = np.minimum(np.abs(m) + dm, 1.0), np.minimum(np.abs(n) + dn, 1.0)
        rest = np.minimum(np.abs(m * n - found) + apart + off + dm * dn, _MOST)
        off = self._widths(self._sizes(i, j, p, q, rest), level) / count + dm * dn + _SLACK
        least, most = (0.0 if i == j else -1.0), 1.0
        return _spread(len(self.level), shown, found, off, least, most)

    def sample_covariance(self, i: int, j: int) -> MomentNumbers:
        """Return the same divided by one row less, in the proof of `post.thresholds`."""
        import numpy as np

        found = self.covariance(i, j, float(1 - FOR_COUNT))
        by = factors_at(self.counts, 1, self._above, self.level * float(FOR_COUNT))
        return MomentNumbers(
            found.values * by.value,
            found.low * np.where(found.low < 0, by.high, by.low),
            found.high * np.where(found.high < 0, by.low, by.high),
        )

    def _mean_off(self, one: int, level: Vector) -> Vector:
        """Return how far a sum is off from any mean times the count."""
        weights = abs(self._weights[one,]) + abs(self._weights[()])
        return self._fixed(weights[None, :], level)

    def _sizes(self, i: int, j: int, p: Vector, q: Vector, rest: Vector) -> Vector:
        """Return for each group the largest sizes of the weights in a covariance."""
        import numpy as np

        one, other = np.abs(self._weights[i,]), np.abs(self._weights[j,])
        return (
            np.abs(self._weights[i, j])
            + p[:, None] * other
            + q[:, None] * one
            + rest[:, None] * np.abs(self._weights[()])
        )

    def _fixed(self, weights: Vector, level: Vector) -> Vector:
        """Return the same for one row of weights in all groups."""
        import numpy as np

        kinds, place = np.unique(level, return_inverse=True)
        return self._noise.widths(weights, kinds.tolist())[place, 0]

    def _widths(self, weights: Vector, level: Vector) -> Vector:
        """Return what sums of draws exceed at most at the level of their group."""
        import numpy as np

        found = np.zeros(len(level))
        for one in np.unique(level):
            at = np.flatnonzero(level == one)
            found[at] = self._noise.widths(weights[at], [float(one)])[0]
        return found

    def correlation(self, i: int, j: int) -> MomentNumbers:
        """Return the correlation of two columns."""
        import numpy as np

        both = self.covariance(i, j, 1 / 3)
        one, other = self.covariance(i, i, 1 / 3), self.covariance(j, j, 1 / 3)
        widest, least = np.sqrt(one.high * other.high), np.sqrt(one.low * other.low)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = both.values / np.sqrt(one.values * other.values)
            ends = [
                np.where(end * sign > 0, end / narrow, end / wide)
                for end, sign, narrow, wide in (
                    (both.low, -1, least, widest),
                    (both.high, 1, least, widest),
                )
            ]
        low, high = (
            np.nan_to_num(np.clip(end, -1.0, 1.0), nan=side)
            for end, side in zip(ends, (-1.0, 1.0), strict=True)
        )
        told = ~np.isnan(values) & ((low > -1) | (high < 1))
        return MomentNumbers(
            np.where(told, np.clip(values, low, high), np.nan),
            np.where(told, np.maximum(low - _SLACK, -1.0), -1.0),
            np.where(told, np.minimum(high + _SLACK, 1.0), 1.0),
        )

    def regression(self, on: Sequence[int], of: int, ways: Vector) -> MomentNumbers:
        """Return sums of the coefficients of a line of one column on others.

        Args:
            on: the places of the columns x.
            of: that of the column y.
            ways: a row for each number that is told: what each coefficient is multiplied by, the
                one without a column first.

        Returns: a row for each group, with ends that may be infinite.
        """
        import numpy as np

        every = [(), *((one,) for one in on)]
        places = [[tuple(sorted((*a, *b))) for b in every] for a in every]
        targets = [tuple(sorted((*a, of))) for a in every]
        inner = np.stack([[self._weights[place] for place in row] for row in places])
        outer = np.stack([self._weights[place] for place in targets])
        shape = (len(self.level), len(ways))
        found = [np.full(shape, side) for side in (np.nan, -np.inf, np.inf)]
        for group in np.flatnonzero(self.level > 0):
            square = np.array([[self._moments[place][group] for place in row] for row in places])
            right = np.array([self._moments[place][group] for place in targets])
            try:
                back = np.linalg.inv(square)
            except np.linalg.LinAlgError:
                continue
            known = self._noise.everywhere(float(self.level[group]), len(every), inner.shape[2])
            line = back @ right
            off = _off(back, line, inner, outer, known, ways)
            if off is not None:
                told = ways @ line
                slack = _SLACK * (1 + np.abs(told))
                for whole, row in zip(
                    found, (told, told - off - slack, told + off + slack), strict=True
                ):
                    whole[group] = row
        return MomentNumbers(*found)


def _off(
    back: Vector,
    line: Vector,
    inner: Vector,
    outer: Vector,
    known: tuple[float, float],
    ways: Vector,
) -> Vector | None:
    """Return how far sums of coefficients are off; None where no bound can be told."""
    import numpy as np

    def norm(weights: Vector) -> Vector:
        straight, sizes = known
        return straight * np.sqrt((weights * weights).sum(-1)) + sizes * np.abs(weights).sum(-1)

    def pieces(chosen: Vector) -> tuple[Vector, Vector]:
        at = chosen @ outer  # a row of weights for each
        slopes = np.einsum("ra,abk->rbk", chosen, inner)
        return norm(at - np.einsum("rbk,b->rk", slopes, line)), norm(slopes)

    start, moves = pieces(back)
    if not np.all(np.isfinite(moves)) or np.max(np.abs(np.linalg.eigvals(moves))) >= 1:
        return None
    off = np.linalg.solve(np.eye(len(moves)) - moves, start)
    if np.any(off < 0):
        return None
    own, more = pieces(ways @ back)
    return own + more @ off


def _spread(
    groups: int, shown: Vector, values: Vector, off: Vector, least: float, most: float
) -> MomentNumbers:
    """Return numbers with their ends in a range, of all groups; NaN where the range is all."""
    import numpy as np

    found = [np.full(groups, side) for side in (np.nan, least, most)]
    low, high = np.maximum(values - off, least), np.minimum(values + off, most)
    empty = low > high
    low, high = np.where(empty, least, low), np.where(empty, most, high)
    told = (low > least) | (high < most)
    found[0][shown] = np.where(told, np.clip(values, low, high), np.nan)
    found[1][shown], found[2][shown] = low, high
    return MomentNumbers(*found)
