"""From noise to accuracy: the error that it exceeds with a chance of at most alpha.

Rules of this module:
- whole answers are exact; reals are decimals of 17 digits, rounded up, within 1e-12;
- a law on whole numbers is answered in the convention asked for: "gt" bounds Pr[error > a],
  "ge" bounds Pr[error >= a].
"""

from decimal import Decimal

from ..exact.number import Number
from .inputs import alpha_in, convention_in, counted
from .laws import noise_of
from .laws.noise_size import Chance


def accuracy(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    alpha: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu2: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    convention: str = "gt",
    coordinates: int = 1,
    releases: int = 1,
    bounds: tuple[int, int] | None = None,
    truth: int | None = None,
    norm: str = "max",
) -> int | Decimal:
    """Return the error that noise exceeds with a chance of at most alpha.

    Args:
        law: "geometric" (also called "discrete_laplace"), "laplace", "gaussian",
            "discrete_gaussian", "clamped_geometric" or "truncated_geometric".
        alpha: the chance of a larger error, in (0, 1].
        epsilon: loss that the noise is made for; with `delta` for the Gaussians.
        delta: see epsilon.
        rho: zCDP loss, for the Gaussians.
        mu2: instead, the mu^2 of Gaussian differential privacy, for the Gaussians.
        sigma: instead of a loss, the Gaussians' standard deviation.
        sigma2: instead of a loss, the discrete Gaussian's variance parameter.
        scale: instead of a loss, the geometric's or Laplace's scale.
        sensitivity: l1 for geometric and Laplace, l2 for the Gaussians; in the answer's units.
        convention: for whole numbers, "gt" bounds Pr[error > a], "ge" bounds Pr[error >= a].
        coordinates: how many independent errors must keep the bound together.
        releases: how many independent releases are added up.
        bounds: public (lower, upper) of a clamped or truncated count.
        truth: a made-up true count, instead of the worst one inside the bounds.
        norm: what is bounded of several Gaussian errors: "max" the largest of them, "l2" the root
            of the sum of their squares.

    Returns: a whole number for laws on whole numbers, else a decimal rounded up.

    Raises:
        InputError: a number is out of its range, missing, or does not belong to the law.

    Example:
        >>> accuracy("geometric", epsilon="0.1", alpha="0.05", releases=10)
        89
        >>> accuracy("clamped_geometric", epsilon="0.1", alpha="0.05", bounds=(0, 30))
        23
        >>> accuracy("gaussian", sigma=1, alpha="0.05", coordinates=10, norm="l2")
        Decimal('4.2786724638929384')
    """
    noise = noise_of(
        law, sensitivity, epsilon, delta, rho, sigma, sigma2, scale, mu2=mu2, bounds=bounds
    )
    share, kind, size = alpha_in(alpha), convention_in(convention), noise.law.norm_in(norm)
    many, sums = counted(coordinates, "coordinates"), counted(releases, "releases")
    return noise.law.accuracy(noise, Chance(share, kind, many, sums, size), truth)
