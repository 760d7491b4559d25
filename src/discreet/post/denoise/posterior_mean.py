"""The posterior mean when the truth is known beforehand to be Gaussian around a center.

Rules of this module:
- the prior is given, never made from the noisy numbers: for that, see `james_stein`.
"""

import math

from ...errors import InputError
from ...fix import write
from .estimate import Estimate, estimated
from .noise import Noise, Vector


def posterior_mean(
    noisy: Vector, noise: Noise, *, prior_variance: float, center: float = 0.0
) -> Estimate:
    """Return center + w^2 / (w^2 + variance) (y - center).

    It is best for Gaussian noise and prior, and for every other the best of the linear rules.

    Args:
        noisy: the noisy numbers.
        noise: their noise.
        prior_variance: w^2, at least 0, of each truth around the center.
        center: where the truths are expected.

    Raises:
        InputError: the prior variance is not a finite number of at least 0.

    Source: seed 004, Theorem 10.

    Example:
        >>> import numpy as np
        >>> from discreet.post.denoise.noise import gaussian
        >>> posterior_mean(np.array([4.0]), gaussian(1), prior_variance=3).values
        array([3.])
    """
    if not (math.isfinite(prior_variance) and prior_variance >= 0 and math.isfinite(center)):
        raise InputError(
            f"a prior with variance {prior_variance} around {center} cannot be used.",
            why="the variance must be a finite number of at least 0, the center a finite number",
            fix=(
                write(prior_variance=1),
                write(", which needs no prior", how="james_stein_mean"),
            ),
        )
    whole = prior_variance + noise.variance
    kept = prior_variance / whole if whole else 1.0
    values = center + kept * (noisy - center)
    covariance = noisy.size * kept * noise.variance
    return estimated("posterior_mean", noisy, values, noise=noise, covariance=covariance)
