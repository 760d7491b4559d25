"""A correlation by one form of the noise, which has a quantile of its own: Laplace noise.

Rules of this module:
- with the true means p, q, variances Vx, Vy, covariance C and L = (Vy / Vx)^(1/2), the correlation
  r makes C - (r / 2) (L Vx + Vy / L) zero, and hardly depends on L. With n', C', Vx', Vy', L' of
  noisy moments, dm and dn how far noisy means are off, and w(f) as in `slopes`,

      n' (C' - r (Vx' Vy')^(1/2)) = N w((x - p) (y - q) - (r / 2) (L (x - p)^2 + (y - q)^2 / L))
          - n' (dm dn - (r / 2) (L dm^2 + dn^2 / L))
          + n' r (Vx' Vy')^(1/2) ((L / L' + L' / L) / 2 - 1),

  without a remainder: the noisy moment of (x - p)^2 is n' (Vx' + dm^2);
- p and q stay within bounds of their own but at FOR_MEANS of the level each, Vx and Vy, and with
  them L, at FOR_PARTS each. In these bounds each noisy number has a largest weight;
- all of it is convex in r: an interval holds each r that it does not rule out;
- C has an interval at FOR_PARTS, too: C / (Vx Vy)^(1/2) then lies between the ends of all three.
  Where noise is large that leaves less; the interval holds what both leave;
- normal noise needs no bounds of nuisances: `correlation_region`.

Decisions 82, 138.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .slopes import Ends, farthest

FOR_PARTS = 1 / 40  # of the level, for each of two variances and the covariance
_WIDER = 1e-9  # of a bound

Vector = Any  # numpy array of float64, one number a group


@dataclass(frozen=True, slots=True)
class Pair:
    """Two columns in each group: all that is known of them.

    Attributes:
        count: the noisy number of rows.
        means, off: the noisy means, and what they are off at most.
        covariance, ends: the noisy one, and the ends of the true one.
        spreads: the noisy variances.
        least, most: the ends of the true ones.
        weights: what the noisy numbers weigh in the moments of x y, x x, y y, x, y and 1.
    """

    count: Vector
    means: tuple[Vector, Vector]
    off: tuple[Vector, Vector]
    covariance: Vector
    ends: tuple[Vector, Vector]
    spreads: tuple[Vector, Vector]
    least: tuple[Vector, Vector]
    most: tuple[Vector, Vector]
    weights: Vector

    def ratio(self) -> tuple[Vector, Vector, Vector]:
        """Return L' and the ends of L."""
        import numpy as np

        (one, other), (a, b), (c, d) = self.spreads, self.least, self.most
        with np.errstate(divide="ignore", invalid="ignore"):
            noisy, low, high = np.sqrt(other / one), np.sqrt(b / c), np.sqrt(d / a)
        return noisy, np.minimum(low, noisy), np.maximum(high, noisy)

    def parted(self) -> tuple[Vector, Vector]:
        """Return the ends that follow from those of the covariance and both variances."""
        import numpy as np

        widest, narrowest = (np.sqrt(one * other) for one, other in (self.most, self.least))
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = (
                np.where(end * sign > 0, end / narrowest, end / widest)
                for end, sign in zip(self.ends, (-1, 1), strict=True)
            )
        return np.nan_to_num(low, nan=-1.0), np.nan_to_num(high, nan=1.0)


def correlations(pair: Pair, widths: Callable[[Vector], Vector]) -> Ends:
    """Return the correlation in each group with its ends; the whole range where nothing is told.

    Args:
        pair: the known numbers of both columns.
        widths: what sums of draws with these weights exceed at most at what is left of the level.
    """
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.sqrt(pair.spreads[0] * pair.spreads[1])
        value = pair.covariance / size
        known = (pair.least[0] > 0) & (pair.least[1] > 0) & np.isfinite(value) & (size > 0)
    if not known.any():
        return np.full(len(known), np.nan), np.full(len(known), -1.0), np.full(len(known), 1.0)
    near = _bound(pair, known, widths)
    value = np.where(known, value, 0.0)
    below = np.where(known, size * pair.count, 1.0)
    ends = []
    for sign in (-1, 1):
        most = np.where(known, np.maximum(1 - sign * value, 0.0), 0.0)
        end = value + sign * farthest(value, most, sign, below, near)
        ends.append(np.where(known, end, sign))
    low, high = np.maximum(ends[0], pair.parted()[0]), np.minimum(ends[1], pair.parted()[1])
    low, high = np.clip(np.minimum(low, high), -1, 1), np.clip(np.maximum(low, high), -1, 1)
    told = known & ((low > -1) | (high < 1))
    return np.where(told, np.clip(value, low, high), np.nan), low, high


def _bound(
    pair: Pair, known: Vector, widths: Callable[[Vector], Vector]
) -> Callable[[Vector, Vector], Vector]:
    """Return what n' |C' - r (Vx' Vy')^(1/2)| stays within, as a function of r."""
    import numpy as np

    noisy, low, high = (np.where(known, x, 1.0) for x in pair.ratio())
    one, other = (np.where(known, x, 1.0) for x in pair.spreads)
    (p, q), (dm, dn), none = pair.means, pair.off, np.zeros(len(known))
    more, less = np.maximum(high - noisy, noisy - low), 1 / low - 1 / high
    far = (2 * abs(p) * dm + dm * dm, 2 * abs(q) * dn + dn * dn)
    fixed = np.stack([none + 1, none, none, -q, -p, p * q], axis=1)
    turning = np.stack(
        [
            none,
            -noisy / 2,
            -0.5 / noisy,
            noisy * p,
            q / noisy,
            -(noisy * p * p + q * q / noisy) / 2,
        ],
        axis=1,
    )
    off = np.stack([none, none, none, dn, dm, abs(p) * dn + abs(q) * dm + dm * dn], axis=1)
    turned = np.stack(
        [
            none,
            more / 2,
            less / 2,
            more * abs(p) + high * dm,
            less * abs(q) + dn / low,
            (more * p * p + high * far[0] + less * q * q + far[1] / low) / 2,
        ],
        axis=1,
    )
    bent = np.maximum(noisy / low + low / noisy, high / noisy + noisy / high) / 2 - 1
    rest, bent = dm * dn, np.sqrt(one * other) * bent + (high * dm * dm + dn * dn / low) / 2

    def near(r: Vector, _at: Vector) -> Vector:
        center = abs((fixed + r[:, None] * turning) @ pair.weights)
        sizes = center + (off + abs(r)[:, None] * turned) @ abs(pair.weights)
        return (widths(sizes) + pair.count * (rest + abs(r) * bent)) * (1 + _WIDER)

    return near
