"""Covariances, correlations and regressions of noisy counts, sums, squares and products.

Rules of this module:
- columns are in [-1, 1]. Each moment is a known sum of the noisy numbers, so that the noise in any
  combination of moments has known weights w;
- the coefficients of a line are told by `slopes`;
- covariance: with the true means p, q and covariance C, n (noisy C - C) is the noise with weights 1
  on the products, -p and -q on the sums and p q - C on the count, less n times the product of how
  far both noisy means are off. The means have a small part of the level each;
- a correlation is told by `correlation_region` where noise is normal, else by `correlations`;
- whether a group is shown, and at which level, is decided by its count, as in `shown`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..noise.law import Law
from .correlation_region import in_region
from .correlations import along
from .slopes import NormalEquations, one_by_one
from .thresholds import FOR_COUNT, factors_at, levels, within

FOR_MEANS = 1 / 120  # of the level, for each of two means
_STEPS = 8  # of levels, between one and half of it
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
        counts_within: its noise stays within this, except with probability alpha.
        level: with which probability the intervals of a group may miss; 0 where it is not shown.
    """

    def __init__(
        self, values: Sequence[int], parts: Sequence[tuple[Place, int]], law: Law, alpha: Fraction
    ) -> None:
        """Take the noisy vector of all groups, what its numbers are and weigh, and their noise."""
        import numpy as np

        self._noise = law.continuous()
        self._weights = {place: self._weight(parts, at) for at, (place, _) in enumerate(parts)}
        self._numbers = np.array(values, dtype=float).reshape(-1, len(parts))
        self._moments = {place: self._numbers @ weight for place, weight in self._weights.items()}
        self.counts: Vector = self._moments[()]
        above = self._noise.sum_above(self._weights[()])
        self.level: Vector = levels(self.counts, above, alpha)
        self.counts_within: float = within(above, alpha)
        self._above, self._alpha = above, alpha

    @staticmethod
    def _weight(parts: Sequence[tuple[Place, int]], at: int) -> Vector:
        """Return the weights of the noisy numbers in a moment; squares are told less a half."""
        import numpy as np

        weights = np.zeros(len(parts))
        (place, weight), (_, whole) = parts[at], parts[0]
        weights[at] = 1 / weight
        if len(place) == 2 and place[0] == place[1]:
            weights[0] = 0.5 / whole
        return weights

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
        dm, dn = (self._mean_off(column, level * FOR_MEANS) / count for column in (i, j))
        covariance, apart = both - m * n, np.abs(m) * dn + np.abs(n) * dm + dm * dn
        level = level * (1 - 2 * FOR_MEANS)
        off = self._fixed(self._sizes(i, j, *(np.array([x]) for x in (1, 1, _MOST))), level) / count
        p, q = np.minimum(np.abs(m) + dm, 1.0), np.minimum(np.abs(n) + dn, 1.0)
        rest = np.minimum(np.abs(m * n - covariance) + apart + off + dm * dn, _MOST)
        off = self._widths(self._sizes(i, j, p, q, rest), level) / count + dm * dn + _SLACK
        least, most = (0.0 if i == j else -1.0), 1.0
        return _spread(len(self.level), shown, covariance, off, least, most)

    def sample_covariance(self, i: int, j: int) -> MomentNumbers:
        """Return the same divided by one row less, in the proof of `post.thresholds`."""
        import numpy as np

        covariance = self.covariance(i, j, float(1 - FOR_COUNT))
        by = factors_at(self.counts, 1, self._above, self.level * float(FOR_COUNT))
        return MomentNumbers(
            covariance.values * by.value,
            covariance.low * np.where(covariance.low < 0, by.high, by.low),
            covariance.high * np.where(covariance.high < 0, by.low, by.high),
        )

    def _mean_off(self, column: int, level: Vector) -> Vector:
        """Return how far a sum is off from any mean times the count."""
        weights = abs(self._weights[column,]) + abs(self._weights[()])
        return self._fixed(weights[None, :], level)

    def _sizes(self, i: int, j: int, p: Vector, q: Vector, rest: Vector) -> Vector:
        """Return for each group the largest sizes of the weights in a covariance."""
        import numpy as np

        first, other = np.abs(self._weights[i,]), np.abs(self._weights[j,])
        return (
            np.abs(self._weights[i, j])
            + p[:, None] * other
            + q[:, None] * first
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

        widths = np.zeros(len(level))
        for chance in np.unique(level):
            at = np.flatnonzero(level == chance)
            widths[at] = self._noise.widths(weights[at], [float(chance)])[0]
        return widths

    def correlation(self, i: int, j: int) -> MomentNumbers:
        """Return the correlation of two columns."""
        import numpy as np

        places = ((i, j), (i, i), (j, j), (i,), (j,), ())
        weights = np.array([self._weights[place] for place in places])
        value, low, high = (np.full(len(self.level), side) for side in (np.nan, -1.0, 1.0))
        is_normal = self._noise.normal_deviation() > 0
        each = self.level if is_normal else self._in_steps()
        for level in np.unique(each[each > 0]).tolist():
            here = np.flatnonzero(each == level)
            ends = (
                in_region(self._numbers[here], weights, self._noise.normal_deviation(), level)
                if is_normal
                else along(self._numbers[here], weights, self._noise, level)
            )
            value[here], low[here], high[here] = ends
        return MomentNumbers(value, np.maximum(low - _SLACK, -1.0), np.minimum(high + _SLACK, 1.0))

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

        every = [(), *((place,) for place in on)]
        line = self._line(
            [[tuple(sorted((*a, *b))) for b in every] for a in every],
            [tuple(sorted((*a, of))) for a in every],
        )
        values, low, high = (
            np.full((len(self.level), len(ways)), side) for side in (np.nan, -np.inf, np.inf)
        )
        each = self.level if self._noise.normal_deviation() else self._in_steps()
        for level in np.unique(each[each > 0]).tolist():
            here = np.flatnonzero(each == level)
            values[here], low[here], high[here] = one_by_one(
                line.some(here), self._noise, level, ways
            )
        told = np.isfinite(low) & np.isfinite(high)
        slack = _SLACK * (1 + np.abs(values))
        return MomentNumbers(
            np.where(told, values, np.nan),
            np.where(told, low - slack, -np.inf),
            np.where(told, high + slack, np.inf),
        )

    def _in_steps(self) -> Vector:
        """Return levels that are no larger, of which there are few: each takes its time.

        That of a group with no end of rows stays, and is the same whatever groups there are.
        """
        import numpy as np

        (most,) = levels(np.array([np.inf]), self._above, self._alpha)
        level = np.where(self.level > 0, self.level, most)
        least = np.minimum(level, 2.0 ** (np.floor(_STEPS * np.log2(level)) / _STEPS))
        return np.where((self.level > 0) & (level < most), least, self.level)

    def _line(self, square: Sequence[Sequence[Place]], right: Sequence[Place]) -> NormalEquations:
        """Return the moments of these places."""
        import numpy as np

        return NormalEquations.of(
            self._numbers,
            np.array([[self._weights[place] for place in row] for row in square]),
            np.array([self._weights[place] for place in right]),
        )


def _spread(
    groups: int, shown: Vector, values: Vector, off: Vector, least: float, most: float
) -> MomentNumbers:
    """Return numbers with their ends in a range, of all groups; NaN where the range is all."""
    import numpy as np

    numbers = [np.full(groups, side) for side in (np.nan, least, most)]
    low, high = np.maximum(values - off, least), np.minimum(values + off, most)
    empty = low > high
    low, high = np.where(empty, least, low), np.where(empty, most, high)
    known = (low > least) | (high < most)
    numbers[0][shown] = np.where(known, np.clip(values, low, high), np.nan)
    numbers[1][shown], numbers[2][shown] = low, high
    return MomentNumbers(*numbers)
