"""Stein's identity for each noise law: E[Z g(theta + Z)] from g at public points alone.

What a denoiser returns: the numbers, and an unbiased estimate of their squared error.

Fixed patterns without order: signs and noise that look random and are the same for everybody.

Rules of this module:
- for a law with characteristic function c(w), E[Z g(y)] = E[sum_k s_k g(y + k)] for every g, where
  sum_k s_k e^(i w k) = -i d/dw log c(w), and s_(-k) = -s_k; for Gaussian noise this is Stein's
  variance E[g'(y)];
- discrete Laplace: c = (1 - q)^2 / (1 - 2 q cos w + q^2), so that s_k = q^k for k >= 1, exactly;
- discrete Gaussian: c is a sum of Gaussians 2 pi apart (Poisson), and s_k its Fourier integral;
- a law that brings no closed form has its s_k from a list of its chances (`listed`);
- for a soft threshold only M(t) = sum_k s_k max(0, k + t) is needed: straight between integers;
- |g - theta|^2 = |g - y|^2 + 2 (y - theta) . g - 2 (y - theta) . y + |y - theta|^2, so that for
  noise Z of known variance the risk of an estimate g is
  E|g - y|^2 + 2 sum E[Z_i g_i] - d variance, in which only sum E[Z_i g_i], the covariance, needs
  an identity of the noise law (see `stein`);
- the estimate of a risk may be negative; what is said of it is at least the variance of one number;
- nothing here is secret and no privacy rests on it: the noise of a release has been drawn before;
- a number's place is scrambled by a fixed hash, so that the same numbers give the same estimate.

Decision 109.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

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


MATERIAL = 0.01  # of the raw risk: what must be gained before a number is changed


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Denoised numbers.

    Attributes:
        name: which denoiser.
        values: one number for each noisy number.
        risk: unbiased estimate of the summed squared error.
        spread: about the standard deviation of `risk` less the true squared error's difference
            from the raw numbers' own.
    """

    name: str
    values: Vector
    risk: float
    spread: float


def estimated(
    name: str, noisy: Vector, values: Vector, *, noise: Noise, covariance: float
) -> Estimate:
    """Return an estimate with its risk, from the estimate of its covariance with the noise.

    Source: of `spread`, Bellec and Zhang 2021 (second-order Stein): with h = g - y, the error of
        the estimated difference from raw has variance 4 (v |h|^2 + v^2 tr (Dh)^2) for Gaussian
        noise of variance v; the fourth cumulant joins v^2 for other laws (exact for h = -y), and
        tr (Dh)^2 is taken as -tr Dh, which is exact for slopes of 0 and 1 and else too much.
    """
    count, moved = noisy.size, values - noisy
    moved_squared = float(moved @ moved)
    risk = moved_squared + 2 * covariance - count * noise.variance
    variance = noise.variance
    slopes = max(0.0, count - covariance / variance) if variance else 0.0
    spread = 2 * math.sqrt(variance * moved_squared + (variance**2 + noise.fourth) * slopes)
    return Estimate(name, values, risk, spread)


_LUCK = 2  # spreads, within which an estimated error mostly is
_CHOSEN = 1.3  # what an error that was chosen for being least may be, in parts of its estimate


def error_of(estimate: Estimate, noise: Noise) -> float:
    """Return the root mean square error, of which one number's noise is the least that is said."""
    return float(np.sqrt(max(noise.variance, estimate.risk) / estimate.values.size))


def most_error(estimate: Estimate, noise: Noise) -> float:
    """Return what the root mean square error is at most, but for luck: two spreads more.

    What is taken is the least of several, and its penalty the best of many: on simulated maps such
    an estimate was too small as a mean square, by less than is added here (docs/denoising.md).

    Example: raw numbers err as their noise does, which is known.
        >>> from .noise import gaussian
        >>> most_error(raw(np.array([1.0, 4.0]), gaussian(9)), gaussian(9))
        9.0
    """
    if not estimate.spread:
        return error_of(estimate, noise)
    risk = _CHOSEN * max(noise.variance, estimate.risk) + _LUCK * estimate.spread
    return float(np.sqrt(risk / estimate.values.size))


def vague(estimate: Estimate) -> bool:
    """Tell whether nothing but its end is known of an error: luck alone may have made it."""
    return estimate.spread > 0 and estimate.risk <= _LUCK * estimate.spread


def rounded(estimate: Estimate) -> Estimate:
    """Return the nearest whole numbers; the squares of what rounding moves are added to the risk.

    Example:
        >>> found = rounded(Estimate("some", np.array([1.4, 2.0]), 1.0, 0.5))
        >>> found.values.tolist(), round(found.risk, 2)
        ([1.0, 2.0], 1.16)
    """
    values = np.rint(estimate.values) + 0.0
    moved = values - estimate.values
    return replace(estimate, values=values, risk=estimate.risk + float(moved @ moved))


def apart(values: Vector, other: Vector, rest: Vector, noise: Noise) -> float:
    """Return the spread of the difference of two estimated risks.

    The estimated less the true difference is twice sum Z_i d_i less its own estimate, with Z the
    noise and d the difference of the two. Its variance is about 4 sum Z_i^2 d_i^2; for each Z_i
    stands what a denoiser leaves of the number, and at least a standard deviation.

    Args:
        values: the numbers of one denoiser.
        other: the numbers of the other.
        rest: what is left of each noisy number.
        noise: of each number.

    Example:
        >>> apart(np.zeros(2), np.ones(2), np.array([3.0, 4.0]), Noise("gaussian", 1.0))
        10.0
    """
    return 2 * float(np.linalg.norm(np.maximum(np.abs(rest), noise.sigma) * (values - other)))


def raw(noisy: Vector, noise: Noise) -> Estimate:
    """Return the noisy numbers themselves, whose risk is known exactly.

    Example:
        >>> from discreet.post.denoise.noise import gaussian
        >>> raw(np.array([1.0, 4.0]), gaussian(3)).risk
        18.0
    """
    return estimated("raw", noisy, noisy, noise=noise, covariance=noisy.size * noise.variance)


_ODD = np.uint64(0x9E3779B97F4A7C15)


def scrambled(count: int, which: int) -> NDArray[np.uint64]:
    """Return one scrambled 64-bit word for each place.

    Source: Steele, Lea and Flood 2014 (SplitMix64).
    """
    word = np.arange(1, count + 1, dtype=np.uint64) + np.uint64(which << 32)
    word *= _ODD
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(word ^ (word >> np.uint64(31)), dtype=np.uint64)


def stand_in(noise: Noise, count: int, which: int) -> Vector:
    """Return numbers whose histogram is the noise's, in a fixed order without pattern."""
    order = np.argsort(scrambled(count, which), kind="stable")
    numbers = np.empty(count)
    numbers[order] = noise.quantiles((np.arange(count) + 0.5) / count)
    return numbers
