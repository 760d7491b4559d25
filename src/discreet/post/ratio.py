"""The share a / (a + b) of two noisy sums, with an interval that covers (Fieller 1954).

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
    """Shares in [0, 1] with their intervals; a value is None where the interval is all of it."""

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
    low = _crossing(lambda t: top - safe * t > quantile(t), np.zeros_like(top))
    high = _crossing(lambda t: top - safe * t >= -quantile(t), np.zeros_like(top))
    low, high = np.where(said, low, 0.0), np.where(said, high, 1.0)
    values = np.clip(top / safe, low, high)
    told = said & ((low > 0) | (high < 1))
    return Shares(
        values=tuple(float(v) if ok else None for v, ok in zip(values, told, strict=True)),
        low=tuple(float(x) for x in low),
        high=tuple(float(x) for x in high),
    )


def _crossing(still: Callable[[Vector], Vector], start: Vector) -> Vector:
    """Return where `still` turns from true to false between 0 and 1, by halving, per group."""
    import numpy as np

    low, high = start, start + 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        yes = still(middle)
        low, high = np.where(yes, middle, low), np.where(yes, high, middle)
    return np.where(still(np.ones_like(start)), 1.0, low)


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
