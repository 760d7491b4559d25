"""Stein's identity for each noise law: E[Z g(theta + Z)] from g at public points alone.

Rules of this module:
- for a law with characteristic function c(w), E[Z g(y)] = E[sum_k s_k g(y + k)] for every g, where
  sum_k s_k e^(i w k) = -i d/dw log c(w), and s_(-k) = -s_k; for Gaussian noise this is Stein's
  variance E[g'(y)];
- discrete Laplace: c = (1 - q)^2 / (1 - 2 q cos w + q^2), so that s_k = q^k for k >= 1, exactly;
- discrete Gaussian: c is a sum of Gaussians 2 pi apart (Poisson), and s_k its Fourier integral;
- a law that brings no closed form has its s_k from a list of its chances (`listed`);
- for a soft threshold only M(t) = sum_k s_k max(0, k + t) is needed: straight between integers.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from .noise import Noise, Vector

_POINTS = 1 << 13  # of the Fourier integral
_TURNS = 4  # Gaussians summed on each side
_NARROW = 16.0  # up to this sigma2 the sum over k is taken; beyond, the half-step rule is exact


def covariance_of_soft(
    noisy: Vector, threshold: float, noise: Noise, *, weight: Vector | float = 1.0
) -> Vector:
    """Return unbiased estimates of E[Z f(theta + weight Z)], f the soft threshold, weight > 0.

    Guarantee: exact for discrete Laplace noise, and for discrete Gaussian noise up to sigma2 = 16;
        beyond it the half-step rule is within 1 % of the variance.

    Args:
        noisy: theta + weight Z + anything independent of Z.
        threshold: at least 0.
        noise: the law of Z.
        weight: what Z is multiplied with, above 0: 1, or one weight for each number.
    """
    scale = weight * noise.variance
    step = stein_step(noise)
    up = step((noisy - threshold) / weight)
    return np.asarray(scale * (up + step((-noisy - threshold) / weight)), dtype=float)


def stein_step(noise: Noise) -> Callable[[Vector], Vector]:
    """Return M(t) / variance: from 0 far below 0 to 1 far above."""
    listed = noise.kernel()
    if listed is not None:
        return _straight(_step_of(listed[0]), listed[1])
    if noise.kind == "gaussian":
        return lambda t: (t > 0).astype(float)
    if noise.kind == "discrete_laplace":
        return lambda t: _laplace_step(t, 1 / noise.parameter)
    if noise.parameter > _NARROW:
        return lambda t: np.clip(t + 0.5, 0, 1)
    return _straight(_gaussian_step(noise.parameter), 1.0)


def _straight(table: Vector, width: float) -> Callable[[Vector], Vector]:
    """Return the function that is straight between the table's points, the middle one at 0."""
    reach = (table.size - 1) // 2
    points = width * np.arange(-reach, reach + 1, dtype=float)
    return lambda t: np.interp(t, points, table)


def gaussian_kernel(sigma2: float) -> Vector:
    """Return s_1, s_2, ... of a discrete Gaussian, as far as they matter.

    Example: a narrow law is nearly Laplace-like, s_k near 0 beyond the first.

        >>> gaussian_kernel(0.1)[:2].round(4).tolist()
        [0.0067, -0.0]
    """
    wave = (np.arange(_POINTS) + 0.5) * (np.pi / _POINTS)
    turns = 2 * np.pi * np.arange(-_TURNS, _TURNS + 1)
    away = wave[:, None] - turns
    size = np.exp(-sigma2 * (away**2 - wave[:, None] ** 2) / 2)
    slope = sigma2 * (size * away).sum(axis=1) / size.sum(axis=1)  # -d/dw log c(w)
    reach = min(_POINTS // 4, math.ceil(80 * sigma2) + 40)
    k = np.arange(1, reach + 1)
    return np.asarray(np.sin(np.outer(k, wave)) @ slope / _POINTS, dtype=float)


def _laplace_step(t: Vector, rate: float) -> Vector:
    """M / variance is q^m / 2 at t = -m and 1 - q^m / 2 at t = m, for whole m >= 0."""
    below = np.floor(t)

    def at(m: Vector) -> Vector:
        half = np.exp(-np.abs(m) * rate) / 2
        return np.where(m > 0, 1 - half, half)

    low = at(below)
    return np.asarray(low + (t - below) * (at(below + 1) - low), dtype=float)


@lru_cache(maxsize=8)
def _gaussian_step(sigma2: float) -> Vector:
    return _step_of(gaussian_kernel(sigma2))


def _step_of(s: Vector) -> Vector:
    """Return M(t) / variance for whole t, from the weights s_1, s_2, ..."""
    reach = s.size + 1
    signed = np.concatenate([-s[::-1], [0.0], s])  # k = -K .. K
    points = np.arange(-reach, reach + 1)
    k = np.arange(-s.size, s.size + 1)
    above = np.concatenate([[0.0], np.cumsum(signed[::-1])])  # sums of s_k over the largest k
    moment = np.concatenate([[0.0], np.cumsum((signed * k)[::-1])])
    many = np.clip(s.size + points, 0, 2 * s.size + 1)  # how many k have k + t > 0
    table = moment[many] + points * above[many]
    return np.asarray(table / table[-1], dtype=float)
