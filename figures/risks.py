"""Mean squared errors in closed form: what Gaussian noise leaves after each denoiser.

Rules of this module:
- nothing is simulated: each is the textbook risk, or one smooth integral on a fine fixed grid;
- the denoisers themselves are those of `post.denoise`; tests simulate them against these;
- `calculator.formulas.shrinkage` has the same risks exactly, half a second each for large counts.
"""

import math

import numpy as np
from numpy.typing import NDArray

_GRID = 40_001
_FAR = 60.0

Numbers = NDArray[np.float64]


def soft_risk(truth: Numbers, sigma: float, threshold: float) -> Numbers:
    """Return the mean squared error of the soft threshold at each truth.

    Source: Donoho and Johnstone 1994, appendix.

    Example: at a threshold of 0 it is the variance.

        >>> soft_risk(np.array([0.0, 3.0]), 2.0, 0.0).round(12).tolist()
        [4.0, 4.0]
    """
    found = {m: _soft_risk(m / sigma, threshold / sigma) for m in set(truth.tolist())}
    return sigma**2 * np.array([found[m] for m in truth.tolist()])


def _soft_risk(mean: float, cut: float) -> float:
    inside = (math.erf((cut - mean) / math.sqrt(2)) + math.erf((cut + mean) / math.sqrt(2))) / 2
    ends = (cut - mean) * _density(cut + mean) + (cut + mean) * _density(cut - mean)
    return 1 + cut**2 + (mean**2 - 1 - cut**2) * inside - ends


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def james_stein_risk(count: int, sigma: float, square: float) -> float:
    """Return the summed squared error of James and Stein's plain estimate.

    It is d s^2 - (d - 2)^2 s^2 E[1 / (d - 2 + 2 K)] with K Poisson of mean square / (2 s^2), and
    E[1 / (d - 2 + 2 K)] is the integral over u > 0 of exp(-(d - 2) u - m (1 - exp(-2 u))).

    Args:
        count: how many numbers, at least 3.
        sigma: the deviation of the noise of each.
        square: the sum of the squared truths.

    Example: where all truths are 0 the risk is 2 s^2, whatever the dimension.

        >>> round(james_stein_risk(100, 3.0, 0.0), 3)
        18.0
    """
    m, free = square / (2 * sigma**2), count - 2
    u = np.linspace(0, 1, _GRID) ** 3 * (_FAR / free)  # close together where the first fall is
    height = np.exp(-free * u + m * np.expm1(-2 * u))
    return sigma**2 * (count - free**2 * _integral(height, u))


def soft_risk_of_gaussian(variance: float, sigma: float, threshold: float) -> float:
    """Return the mean squared error of the soft threshold over truths from N(0, variance).

    Example:
        >>> round(soft_risk_of_gaussian(1.0, 2.0, 0.0), 12)
        4.0
    """
    whole = variance + sigma**2
    kept, cut = variance / whole, threshold / math.sqrt(whole)
    beyond = math.erfc(cut / math.sqrt(2))
    square = whole * (2 * cut * _density(cut) + beyond)
    size = 2 * math.sqrt(whole) * _density(cut)
    inner = kept**2 * (whole - square)
    outer = (1 - kept) ** 2 * square - 2 * (1 - kept) * threshold * size + threshold**2 * beyond
    return inner + outer + kept * sigma**2


def james_stein_risk_of_gaussian(
    count: int, variance: float, sigma: float, *, positive: bool
) -> float:
    """Return the summed squared error of James and Stein's estimate of truths from N(0, variance).

    The squared length of the numbers is (variance + sigma^2) times a chi-square of `count` degrees.

    Example: the plain one is known; the positive part is better.

        >>> plain = james_stein_risk_of_gaussian(10, 1.0, 2.0, positive=False)
        >>> round(plain, 6), james_stein_risk_of_gaussian(10, 1.0, 2.0, positive=True) < plain
        (14.4, True)
    """
    whole, free = variance + sigma**2, count - 2
    kept = variance / whole
    chi = np.linspace(0, count + 14 * math.sqrt(2 * count) + _FAR, 4 * _GRID)[1:]
    log = (count / 2 - 1) * np.log(chi / 2) - chi / 2 - math.lgamma(count / 2)
    factor = 1 - free * sigma**2 / (whole * chi)
    if positive:
        factor = np.maximum(factor, 0)
    missed = (factor - kept) ** 2 * whole * chi * np.exp(log) / 2
    return _integral(missed, chi) + count * kept * sigma**2


def _integral(height: Numbers, at: Numbers) -> float:
    return float(np.sum((height[1:] + height[:-1]) * np.diff(at)) / 2)
