"""James and Stein's estimate, positive part, toward zero or toward the mean of the numbers.

Rules of this module:
- the covariance with the noise is Stein's, and the next term of its expansion in the cumulants of
  the noise, which for discrete Laplace noise adds up to 3 variances to the whole sum.
"""

from typing import Literal

from .estimate import Estimate, estimated, raw
from .noise import Noise, Vector


def james_stein(noisy: Vector, noise: Noise, *, toward: Literal["zero", "mean"]) -> Estimate:
    """Return the numbers shrunk by one common factor of at least 0.

    Guarantee: for Gaussian noise the summed squared error is never above the raw numbers' on
        average, whatever the truth. Below 3 numbers (4 toward the mean), and where less than one
        of them is expected to have any noise, they are kept as they are.

    Source: James and Stein 1961; Baranchik 1964 (positive part); Efron and Morris 1973 (mean).

    Example:
        >>> import numpy as np
        >>> from discreet.post.denoise.noise import gaussian
        >>> james_stein(np.array([10.0, 0.0, 0.0]), gaussian(2), toward="zero").values
        array([9.6, 0. , 0. ])
    """
    lost = 2 if toward == "zero" else 3
    free = noisy.size - lost
    if free < 1 or noise.rare(noisy.size):
        return raw(noisy, noise)
    center = 0.0 if toward == "zero" else float(noisy.mean())
    away = noisy - center
    square = float(away @ away)
    pull = free * noise.variance / square if square else 1.0
    factor = max(0.0, 1 - pull)
    covariance = (free + lost) * factor * noise.variance
    if toward == "mean":
        covariance += (1 - factor) * noise.variance
    if factor > 0:
        slope = pull / square  # of the factor in the square
        covariance += 2 * slope * square * noise.variance + noisy.size * slope * noise.fourth
    values = center + factor * away
    return estimated(f"james_stein_{toward}", noisy, values, noise=noise, covariance=covariance)
