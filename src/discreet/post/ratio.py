"""The share a / (a + b) or ratio a / b of noisy sums, with an interval that covers (Fieller 1954).

Rules of this module:
- let A, B >= 0 be the truths, t = A / (A + B). Then (1 - t) A - t B = 0, so that
  (1 - t) a - t b = (1 - t) X - t Y, the noise alone, whose size stays below a quantile q(t) with
  the probability wanted. The interval holds every t in [0, 1] that this does not rule out;
- where the noisy count is too small nothing is said, and where it is small the interval is wider:
  `shown` has the rule and its proof. Where a + b is not above the steepest slope of q, nothing can
  be said either: the interval is [0, 1];
- ends of intervals are rounded outward, values to the nearest double.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from ..noise.law import Law
from .interval import down, up
from .thresholds import levels, within

_HALVINGS = 60
_SLACK = 2.0**-50  # of an end's size: more than all rounding on the way to it
Vector = Any  # numpy array of float64, one number a group


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares, or ratios in shares from -1 to 1 of their limit, with intervals.

    Attributes:
        values: None where the interval says nothing.
        low, high: numpy arrays.
        count_within: what the noise of each count stays within, except with probability alpha.
    """

    values: tuple[float | None, ...]
    low: Vector
    high: Vector
    count_within: float


@dataclass(frozen=True, slots=True)
class Placed:
    """Numbers in a column's measure, with their intervals."""

    values: tuple[float | None, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def shares(a: Sequence[int], b: Sequence[int], law: Law, alpha: Fraction) -> Shares:
    """Return a / (a + b) for each pair, with intervals that each miss with at most alpha.

    That holds for each pair, and for each given that it is shown (see `shown`).

    Args:
        a, b: noisy sums, of equal length, each with independent noise from `law`.
        law: the noise of every number.
        alpha: the chance that one interval misses its truth.
    """
    import numpy as np

    noise = law.continuous()
    above = partial(noise.above, draws=2)
    top = np.array(a, dtype=float)
    whole = np.array([x + y for x, y in zip(a, b, strict=True)], dtype=float)
    level = levels(whole, above, alpha)
    shown = whole > noise.steepest(level)
    safe, far = np.where(shown, whole, 1.0), noise.farther(level)
    bottom, end = np.zeros_like(top), np.ones_like(top)
    low, _ = _crossing(lambda t: far(t, top - safe * t), bottom, end)
    _, high = _crossing(lambda t: ~far(t, safe * t - top), bottom, end)
    return _shares(top / safe, np.where(shown, low, 0.0), np.where(shown, high, 1.0), above, alpha)


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

    noise = law.continuous()
    above = partial(noise.above, draws=1)
    top, whole, most = (np.array(numbers, dtype=float) for numbers in (a, b, limits))
    level = levels(whole, above, alpha)
    shown = whole > noise.steepest(level) + 0.5
    safe, farther = np.where(shown, whole, 1.0), noise.farther(level)

    def far(s: Vector, x: Vector) -> Vector:
        t = np.abs(most * s)
        return farther(t / (1 + t), x / (1 + t))

    end = np.ones_like(top)
    low, _ = _crossing(lambda s: far(s, top - safe * most * s), -end, end)
    _, high = _crossing(lambda s: ~far(s, safe * most * s - top), -end, end)
    low, high = np.where(shown, low, -1.0), np.where(shown, high, 1.0)
    return _shares(top / safe / most, low, high, above, alpha, least=-1.0)


def placed(parts: Shares, ends: Sequence[tuple[Fraction, Fraction]], *, least: int = 0) -> Placed:
    """Return the shares in a column's measure; rounding makes intervals only wider.

    Args:
        parts: the shares.
        ends: what the least and the largest share stand for: of the first shares in turn, and
            then over and over.
        least: the least share, 0 or -1; the largest is 1.
    """
    import numpy as np

    times = len(parts.values) // len(ends)
    start = np.tile([down(low.numerator, low.denominator) for low, _ in ends], times)
    end = np.tile([up(high.numerator, high.denominator) for _, high in ends], times)
    slack = _SLACK * (np.abs(start) + np.abs(end))

    def place(share: Vector) -> Vector:
        rest = (1 - share) / (1 - least)
        return start * rest + end * (1 - rest)

    low = np.clip(place(parts.low) - slack, start, end)
    high = np.clip(place(parts.high) + slack, start, end)
    known = np.array([value is not None for value in parts.values])
    values = place(np.array([value or 0.0 for value in parts.values]))
    return Placed(
        values=tuple(
            [v if ok else None for v, ok in zip(values.tolist(), known.tolist(), strict=True)]
        ),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
    )


def _shares(
    values: Vector,
    low: Vector,
    high: Vector,
    above: Callable[[float], float],
    alpha: Fraction,
    *,
    least: float = 0.0,
) -> Shares:
    import numpy as np

    known = (low > least) | (high < 1)
    inside = np.clip(values, low, high)
    return Shares(
        values=tuple(
            [v if ok else None for v, ok in zip(inside.tolist(), known.tolist(), strict=True)]
        ),
        low=low,
        high=high,
        count_within=within(above, alpha),
    )


def _crossing(
    still: Callable[[Vector], Vector], start: Vector, end: Vector
) -> tuple[Vector, Vector]:
    """Return between what `still` turns from true to false, by halving, for each group."""
    import numpy as np

    low, high = start, end
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        yes = still(middle)
        low, high = np.where(yes, middle, low), np.where(yes, high, middle)
    ended = still(end)
    return np.where(ended, end, low), np.where(ended, end, high)
