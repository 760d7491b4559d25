"""The means of cos(t Y) of the laws, for sums of noise: E[cos(t Y)] for t from 0 to pi.

Rules of this module:
- numbers here are doubles, right to twelve digits of 1; no noise is drawn by them.
"""

from math import exp, expm1, pi
from typing import Any

_NARROW = 10  # below sigma2 = 1, weights beyond are less than e^-50

Vector = Any  # numpy array of float64


def of_laplace(rate: float, t: Vector) -> Vector:
    """Return 1 / (1 + 4 q sin^2(t/2) / (1 - q)^2), q = e^-rate."""
    import numpy as np

    return 1 / (1 + np.sin(t / 2) ** 2 * (4 * exp(-rate) / expm1(-rate) ** 2))


def of_gaussian(sigma2: float, t: Vector) -> Vector:
    """Return the wave of a discrete Gaussian: below sigma2 = 1 by adding up, else by Poisson.

    That is the sum over whole n of e^(-sigma2 (t - 2 pi n)^2 / 2), over the same sum at t = 0; for
    t up to pi, what is beyond n = -1, 0, 1 is less than e^-40.
    """
    import numpy as np

    if sigma2 < 1:
        places = np.arange(_NARROW + 1)
        weights = np.exp(-(places**2) / (2 * sigma2)) * np.where(places, 2, 1)
        return np.cos(np.multiply.outer(t, places)) @ (weights / weights.sum())
    turns = 2 * pi * np.arange(-1, 2)
    weights = np.exp(-sigma2 / 2 * np.square(turns))
    return np.exp(-sigma2 / 2 * np.square(np.subtract.outer(t, turns))).sum(1) / weights.sum()
