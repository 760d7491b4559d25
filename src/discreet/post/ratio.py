"""The share a / (a + b) or ratio a / b of noisy sums, with an interval that covers (Fieller 1954).

Rules of this module:
- let A, B >= 0 be the truths, t = A / (A + B). Then (1 - t) A - t B = 0, so that
  (1 - t) a - t b = (1 - t) X - t Y, the noise alone, whose size stays below a quantile q(t) with
  probability 1 - alpha. The interval holds every t in [0, 1] that this does not rule out;
- q(t) is never too small: for noise X on the integers and U uniform on [-1/2, 1/2], X + U has a
  symmetric density with one peak; (1 - t) X - t Y differs from the same combination of such
  smoothed noises by at most 1/2, and those are no wider than the continuous law plus 1/2;
- where a + b is not above the steepest slope of q, nothing can be said: the interval is [0, 1].
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..mechanism.discrete_gaussian import DiscreteGaussian
from ..mechanism.discrete_laplace import DiscreteLaplace
from ..mechanism.law import Law

_HALVINGS = 60
_POINTS = 1025
Vector = Any  # numpy array of float64, one number a group
Quantile = Callable[[Vector], Vector]


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares or ratios with their intervals; a value is None where the interval says nothing."""

    values: tuple[float | None, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def shares(a: Sequence[int], b: Sequence[int], law: Law, alpha: Fraction) -> Shares:
    """Return a / (a + b) for each pair, with intervals that each miss with at most alpha.

    Args:
        a, b: noisy sums, of equal length, each with independent noise from `law`.
        law: the noise of every number.
        alpha: the chance that one interval misses its truth.
    """
    import numpy as np

    quantile, steepest = _quantile(law, alpha)
    top = np.array(a, dtype=float)
    whole = np.array([x + y for x, y in zip(a, b, strict=True)], dtype=float)
    said = whole > steepest
    safe = np.where(said, whole, 1.0)
    bottom, end = np.zeros_like(top), np.ones_like(top)
    low = _crossing(lambda t: top - safe * t > quantile(t), bottom, end)
    high = _crossing(lambda t: top - safe * t >= -quantile(t), bottom, end)
    low, high = np.where(said, low, 0.0), np.where(said, high, 1.0)
    values = np.clip(top / safe, low, high)
    told = said & ((low > 0) | (high < 1))
    return Shares(
        values=tuple(float(v) if ok else None for v, ok in zip(values, told, strict=True)),
        low=tuple(float(x) for x in low),
        high=tuple(float(x) for x in high),
    )


def ratios(
    a: Sequence[int], b: Sequence[int], law: Law, alpha: Fraction, *, limits: Sequence[float]
) -> Shares:
    """Return a / b for each pair in shares of its limit, with intervals that hold as `shares` do.

    For the truths A and B with |A| <= limit B and t = A / B, the noise alone is a - t b = X - t Y.
    That is (1 + |t|) ((1 - p) X - p Y) with p = |t| / (1 + |t|), up to the sign of Y, which its law
    does not see: so that (1 + |t|) q(p) bounds it. This grows no faster than its end, q(1).

    Args:
        a, b: noisy sums, of equal length, each with independent noise from `law`.
        law: the noise of every number.
        alpha: the chance that one interval misses its truth.
        limits: how far from 0 each ratio can be.
    """
    import numpy as np

    share, _ = _quantile(law, alpha)
    top, whole, most = (np.array(given, dtype=float) for given in (a, b, limits))
    said = whole > share(np.ones(1))[0]
    safe = np.where(said, whole, 1.0)

    def quantile(t: Vector) -> Vector:
        return (1 + np.abs(t)) * share(np.abs(t) / (1 + np.abs(t)))

    end = np.ones_like(top)
    low = _crossing(lambda s: top - safe * most * s > quantile(most * s), -end, end)
    high = _crossing(lambda s: top - safe * most * s >= -quantile(most * s), -end, end)
    low, high = np.where(said, low, -1.0), np.where(said, high, 1.0)
    values = np.clip(top / safe / most, low, high)
    told = said & ((low > -1) | (high < 1))
    return Shares(
        values=tuple(float(v) if ok else None for v, ok in zip(values, told, strict=True)),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
    )


def _crossing(still: Callable[[Vector], Vector], start: Vector, end: Vector) -> Vector:
    """Return where `still` turns from true to false between two ends, by halving, per group."""
    import numpy as np

    low, high = start, end
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        yes = still(middle)
        low, high = np.where(yes, middle, low), np.where(yes, high, middle)
    return np.where(still(end), end, low)


def _quantile(law: Law, alpha: Fraction) -> tuple[Quantile, float]:
    """Return q(t), and a number that its slope never exceeds."""
    import numpy as np

    if isinstance(law, DiscreteGaussian):
        return _gaussian(float(law.sigma2) ** 0.5, float(alpha))
    if isinstance(law, DiscreteLaplace):
        return _laplace(float(law.scale), float(alpha))
    box = float(law.half_width(alpha / 2))
    return (lambda t: np.full_like(t, box)), 0.0


def _gaussian(sigma: float, alpha: float) -> tuple[Quantile, float]:
    from statistics import NormalDist

    import numpy as np

    size = -NormalDist().inv_cdf(alpha / 2) * sigma
    return (lambda t: size * np.hypot(1 - t, t) + 0.5), size


def _laplace(scale: float, alpha: float) -> tuple[Quantile, float]:
    """q for u X - v Y with u + v = 1: Pr[> x] = (u^2 e^(-x/u) - v^2 e^(-x/v)) / (u^2 - v^2).

    q is convex in t, so that straight lines between exact points never fall below it.
    """
    import numpy as np

    points = np.linspace(0, 1, _POINTS)
    u = np.maximum(np.maximum(points, 1 - points), 0.5 + 1e-9)
    v = np.maximum(1 - u, 1e-300)
    widest = -float(np.log(alpha))
    low, high = np.zeros_like(u), np.full_like(u, widest)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        tail = (u * u * np.exp(-middle / u) - v * v * np.exp(-middle / v)) / (u * u - v * v)
        low, high = np.where(tail > alpha, middle, low), np.where(tail > alpha, high, middle)
    exact = scale * high + 0.5
    return (lambda t: np.interp(t, points, exact)), scale * widest
