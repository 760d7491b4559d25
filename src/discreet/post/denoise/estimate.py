"""What a denoiser returns: the numbers, and an unbiased estimate of their squared error.

Rules of this module:
- |g - theta|^2 = |g - y|^2 + 2 (y - theta) . g - 2 (y - theta) . y + |y - theta|^2, so that for
  noise Z of known variance the risk of an estimate g is
  E|g - y|^2 + 2 sum E[Z_i g_i] - d variance, in which only sum E[Z_i g_i], the covariance, needs
  an identity of the noise law (see `stein`);
- the estimate of a risk may be negative; what is said of it is at least the variance of one number.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from .noise import Noise, Vector

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


def rounded(one: Estimate) -> Estimate:
    """Return the nearest whole numbers; the squares of what rounding moves are added to the risk.

    Example:
        >>> found = rounded(Estimate("some", np.array([1.4, 2.0]), 1.0, 0.5))
        >>> found.values.tolist(), round(found.risk, 2)
        ([1.0, 2.0], 1.16)
    """
    values = np.rint(one.values) + 0.0
    moved = values - one.values
    return replace(one, values=values, risk=one.risk + float(moved @ moved))


def apart(one: Vector, other: Vector, rest: Vector, noise: Noise) -> float:
    """Return the spread of the difference of two estimated risks.

    The estimated less the true difference is twice sum Z_i d_i less its own estimate, with Z the
    noise and d the difference of the two. Its variance is about 4 sum Z_i^2 d_i^2; for each Z_i
    stands what a denoiser leaves of the number, and at least a standard deviation.

    Args:
        one: the numbers of one denoiser.
        other: the numbers of the other.
        rest: what is left of each noisy number.
        noise: of each number.

    Example:
        >>> apart(np.zeros(2), np.ones(2), np.array([3.0, 4.0]), Noise("gaussian", 1.0))
        10.0
    """
    return 2 * float(np.linalg.norm(np.maximum(np.abs(rest), noise.sigma) * (one - other)))


def raw(noisy: Vector, noise: Noise) -> Estimate:
    """Return the noisy numbers themselves, whose risk is known exactly.

    Example:
        >>> from discreet.post.denoise.noise import gaussian
        >>> raw(np.array([1.0, 4.0]), gaussian(3)).risk
        18.0
    """
    return estimated("raw", noisy, noisy, noise=noise, covariance=noisy.size * noise.variance)
