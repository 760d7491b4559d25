"""Soft thresholds: each number moved toward 0 by one threshold, small ones to 0.

Rules of this module:
- the risk of a threshold is estimated by the exact identity of the noise law (see `stein`);
- the universal threshold is the size that the noise of d numbers hardly exceeds;
- the chosen threshold is one of a fixed number of candidates between 0 and the universal one.
"""

import math

import numpy as np

from .estimate import Estimate, estimated
from .noise import Noise, Vector
from .stein import covariance_of_soft

_CANDIDATES = 64
_MANY = 4096  # more numbers than this are gathered into bins while thresholds are compared


def universal_threshold(count: int, noise: Noise) -> float:
    """Return sigma sqrt(2 ln d), or scale ln d for Laplace noise.

    Source: Donoho and Johnstone 1994. It harms dense signals by a factor of up to 1 + 2 ln d.
    """
    logarithm = math.log(max(1, count))
    if noise.kind == "discrete_laplace":
        return noise.parameter * logarithm
    return noise.sigma * math.sqrt(2 * logarithm)


def soft(noisy: Vector, threshold: float) -> Vector:
    """Return each number moved toward 0 by the threshold.

    Example:
        >>> soft(np.array([3.0, -1.0]), 2)
        array([1., 0.])
    """
    return np.asarray(noisy - np.clip(noisy, -threshold, threshold), dtype=float)


def soft_threshold(noisy: Vector, noise: Noise, *, threshold: float | None = None) -> Estimate:
    """Return the soft threshold at the given threshold, or at the universal one.

    Example:
        >>> from discreet.post.denoise.noise import gaussian
        >>> soft_threshold(np.array([9.0, 0.5]), gaussian(1), threshold=2).values
        array([7., 0.])
    """
    cut = universal_threshold(noisy.size, noise) if threshold is None else threshold
    covariance = float(covariance_of_soft(noisy, cut, noise).sum())
    values = soft(noisy, cut)
    return estimated("soft_universal", noisy, values, noise=noise, covariance=covariance)


def soft_sure(noisy: Vector, noise: Noise) -> Estimate:
    """Return the soft threshold whose estimated risk is least.

    Source: Donoho and Johnstone 1995 (SureShrink), with the identity of the law for Stein's.
    """
    size, count = gathered(np.abs(noisy))
    cuts = universal_threshold(noisy.size, noise) * np.linspace(0, 1, _CANDIDATES)
    risks = [_risk(size, count, cut, noise) for cut in cuts]
    best = soft_threshold(noisy, noise, threshold=float(cuts[int(np.argmin(risks))]))
    return Estimate("soft_sure", best.values, best.risk, best.spread)


def gathered(sizes: Vector) -> tuple[Vector, Vector]:
    """Return different sizes and how often each stands, gathered into bins where they are many."""
    values, count = np.unique(sizes, return_counts=True)
    if values.size <= _MANY:
        return values, count.astype(float)
    edges = np.linspace(0, float(values[-1]), _MANY + 1)
    held, _ = np.histogram(sizes, edges)
    summed, _ = np.histogram(sizes, edges, weights=sizes)
    some = held > 0
    return summed[some] / held[some], held[some].astype(float)


def _risk(size: Vector, count: Vector, cut: float, noise: Noise) -> float:
    moved = np.minimum(size, cut) ** 2
    return float(count @ (moved + 2 * covariance_of_soft(size, cut, noise)))
