"""How far weighted sums of many Laplace draws reach: by their characteristic function.

Rules of this module:
- with weights w of length 1, S = w1 X1 + ... has the characteristic function
  f(u) = 1 / ((1 + u^2 w1^2) (1 + u^2 w2^2) ...), in scales, and Pr[|S| > x] is
  1 - (2 / pi) times the integral of f(u) sin(u x) / u over u > 0. Summed in steps of h that is the
  same for S folded to a circle of 2 pi / h: what is folded is below e^-30;
- summing ends at some U. Beyond, f(u) <= f(U) (1 + U^2 w^2) / (1 + u^2 w^2) for the largest weight
  w, so that what is left out is at most (1 / pi) f(U) (1 + 1 / (U w)^2): it is added;
- where that is too much, the bound by exponential moments (Chernoff) is less; it is used then.
"""

from collections.abc import Callable, Sequence
from math import pi
from typing import Any

Vector = Any  # numpy array of float64

_STEP = 2 * pi / 60  # of u
_MOST = 512  # steps
_NOTHING = 1e-10  # what is left of f where summing ends
_ROUNDING = 1e-11  # more than all rounding of a probability
_CHUNK = 2**23  # numbers at once
_HALVINGS = 32


def tails_of(weights: Vector) -> Callable[[Vector], Vector]:
    """Return the function from sizes x, one for each row, to bounds of Pr[|S| > x], in scales.

    Args:
        weights: a row for each sum.
    """
    import numpy as np

    lengths = np.sqrt((weights * weights).sum(axis=1))
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


def widths_of(weights: Vector, levels: Sequence[float]) -> Vector:
    """Return sizes that |S| exceeds with probability at most each level, in scales.

    Returns: a row for each level, with a number for each row of weights.
    """
    import numpy as np

    tail = tails_of(weights)
    lengths = np.sqrt((weights * weights).sum(axis=1))
    found = []
    for level in levels:
        low, high = np.zeros(len(weights)), 4 * lengths
        while np.any(tail(high) > level):
            high = 2 * high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            rare = tail(middle) <= level
            low, high = np.where(rare, low, middle), np.where(rare, middle, high)
        found.append(high)
    return np.array(found).reshape(len(levels), len(weights))


def _waves(squares: Vector) -> Vector:
    """Return f at whole steps, a row for each sum."""
    import numpy as np

    found: list[Vector] = []
    rows = max(1, _CHUNK // squares.shape[1])
    for at in range(1, _MOST + 1):
        u = (_STEP * at) ** 2
        parts = [
            np.log1p(u * squares[i : i + rows]).sum(axis=1) for i in range(0, len(squares), rows)
        ]
        found.append(np.exp(-np.concatenate(parts)))
        if found[-1].max() < _NOTHING:
            break
    return np.stack(found, axis=1)


def _moments(squares: Vector) -> tuple[Vector, Vector]:
    """Return logarithms of E[e^(t S)] for some t, a row for each t, and these t."""
    import numpy as np

    powers = np.linspace(0.05, 0.98, 24)
    return np.stack([-np.log1p(-t * t * squares).sum(axis=1) for t in powers]), powers
