"""How far one sum of Laplace draws reaches while all draws together are held in.

Rules of this module:
- draws N are independent, of deviation 1. For weights w of length 1 it is told what
  |w N| + rest |N|^2 exceeds at most at a level;
- where w is one draw, that is a sum of independent positive numbers: |N_1| + rest N_1^2, and rest
  N_i^2 of each other draw. Each is rounded up to a grid, and what is above the grid counts as
  beyond. So the law of the sum on the grid bounds it (by Fourier transforms: right to 1e-12 of 1);
- other weights reach hardly farther: at most 1.02 times at levels up to 0.05, where noise is held
  in as regressions do it, for w N has thinner tails, while |N|^2 is the same. `_WIDER` times that
  is told. This is looked up for hundreds of weights (tests/unit/noise/test_far_draws.py) and not
  proved;
- noise within such a bound is a convex set, the same on both sides. Discrete noise with a uniform
  number of one step added is hardly wider than Laplace noise (`continuous`), and on such sets all
  draws together are not, either (Sherman 1955). A half of each step is added by who asks;
- levels below _LEAST have a bound by the largest draw.
"""

from functools import lru_cache
from math import log, sqrt
from typing import Any

_WIDER, _GROWS, _LARGEST = 1.025, 0.8, 0.3  # for other weights; from a twentieth on; up to here
_TWENTIETH = 0.05
_LEAST, _NONE = 1e-9, 5e-324
_CELLS, _TOP = 2**12, 8.0  # of a grid, and where it ends at first
_ROUNDING = 1e-11
_RATE = sqrt(2)

Vector = Any  # numpy array of float64


def critical(level: float, draws: int, rest: float) -> float:
    """Return what |w N| + rest |N|^2 exceeds at most at the level.

    Example: one draw alone exceeds 2.12.
        >>> print(f"{critical(0.05, 9, 0.001):.2f} {critical(0.05, 9, 0.02):.2f}")
        2.20 2.45
    """
    if level < _LEAST:
        each = log(draws / max(level, _NONE)) / _RATE
        return each * sqrt(draws) + rest * draws * each**2
    level, top = min(level, _LARGEST), _TOP
    while (reached := _reached(level, draws, rest, top)) > top / 2:  # else the grid is fine enough
        top *= 2
    return reached * (_WIDER + _GROWS * max(level - _TWENTIETH, 0.0))


def _reached(level: float, draws: int, rest: float, top: float) -> float:
    """Return the same for one draw, from a grid that ends at some place; this place if it does."""
    import numpy as np

    above = _above(draws, rest, top)
    place = int(np.argmax(above <= level))
    return top * place / _CELLS if above[place] <= level else top


@lru_cache(maxsize=512)
def _above(draws: int, rest: float, top: float) -> Vector:
    """Return with which probability the sum is more than each place of a grid."""
    import numpy as np

    edges = top / _CELLS * np.arange(_CELLS)
    draw = 2 * edges / (1 + np.sqrt(1 + 4 * rest * edges))  # of which |N| + rest N^2 is an edge
    total = np.diff(-np.expm1(-_RATE * draw), prepend=0.0)
    square = np.diff(-np.expm1(-_RATE * np.sqrt(edges / rest)), prepend=0.0)
    others = draws - 1
    while others:
        if others % 2:
            total = _added(total, square)
        square, others = _added(square, square), others // 2
    return 1 - np.cumsum(total) + _ROUNDING


def _added(first: Vector, second: Vector) -> Vector:
    """Return the chances of a sum, as far as the grid goes."""
    import numpy as np

    size = 2 * _CELLS
    return np.fft.irfft(np.fft.rfft(first, size) * np.fft.rfft(second, size), size)[:_CELLS]
