"""From noise at hand to every loss that it keeps.

Rules of this module:
- an answer is never below the true value, and within 1e-12 of it; what is rational is exact.
"""

from decimal import Decimal
from fractions import Fraction

from ..exact.number import Number
from ..noise.reals import decimal_up
from .inputs import counted, delta_in, left_of, loss
from .laws import noise_of


def delta_of(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    at_epsilon: Number,
    epsilon: Number | None = None,
    rho: Number | None = None,
    mu2: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
    chance: Number = 0,
    bounds: tuple[int, int] | None = None,
) -> Decimal:
    """Return the delta that noise at hand keeps at an epsilon, rounded up.

    Args:
        law: "geometric", "laplace", "gaussian", "discrete_gaussian", "clamped_geometric" or
            "truncated_geometric".
        at_epsilon: where on the curve delta(epsilon), at least 0.
        epsilon: the pure loss that geometric or Laplace noise was made for.
        rho: the zCDP loss that Gaussian noise was made for.
        mu2: the mu^2 that it was made for.
        sigma: standard deviation of Gaussian noise.
        sigma2: variance parameter of discrete Gaussian noise.
        scale: scale of geometric or Laplace noise.
        sensitivity: how far one unit moves the answer.
        releases: how many such releases together; for geometric noise exact at sensitivity 1 and
            an upper bound above it.
        chance: that what stands beside the noise fails, as finding unknown keys may: the delta
            beside a rho or mu^2.
        bounds: the public bounds of a clamped or truncated count.

    Raises:
        InputError: a number is out of its range, missing, or does not belong to the law.

    Example:
        >>> delta_of("gaussian", at_epsilon=1, sigma="5.2988025268504740")
        Decimal('3.1999128191410738E-9')
    """
    where, many = loss(at_epsilon, "at_epsilon"), counted(releases, "releases")
    noise = noise_of(
        law, sensitivity, epsilon, None, rho, sigma, sigma2, scale, mu2=mu2, bounds=bounds
    )
    fails = delta_in(chance, "chance")
    return decimal_up(fails + (1 - fails) * noise.law.delta(noise, where, many))


def epsilon_of(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    at_delta: Number,
    epsilon: Number | None = None,
    rho: Number | None = None,
    mu2: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
    chance: Number = 0,
    bounds: tuple[int, int] | None = None,
) -> Decimal:
    """Return the least epsilon that noise at hand keeps at a delta, rounded up.

    For several releases of geometric noise above sensitivity 1 it is an upper bound on the least.

    Args: see `delta_of`; at_delta in [0, 1), above 0 for the Gaussians.

    Example: a hundred releases at 0.1, exactly.

        >>> epsilon_of("geometric", at_delta="1e-6", epsilon="0.1", releases=100)
        Decimal('4.7745675881081219')
    """
    whole, many = delta_in(at_delta), counted(releases, "releases")
    where = left_of(whole, delta_in(chance, "chance"))
    noise = noise_of(
        law, sensitivity, epsilon, None, rho, sigma, sigma2, scale, mu2=mu2, bounds=bounds
    )
    return decimal_up(noise.law.epsilon(noise, where, many))


def rho_of(
    law: str,
    *,
    epsilon: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
    bounds: tuple[int, int] | None = None,
) -> Fraction:
    """Return the zCDP loss of noise at hand, exactly; for pure noise epsilon^2 / 2, a bound.

    Example:
        >>> rho_of("discrete_gaussian", sigma2=25, sensitivity=1)
        Fraction(1, 50)
    """
    noise = noise_of(law, sensitivity, epsilon, None, None, sigma, sigma2, scale, bounds=bounds)
    many = counted(releases, "releases")
    return noise.law.rho(noise, many)


def mu2_of(
    law: str,
    *,
    epsilon: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
    bounds: tuple[int, int] | None = None,
) -> Decimal:
    """Return the mu^2 of Gaussian differential privacy that noise at hand keeps, rounded up.

    For the Gaussians it is their own, and the least that holds for a move by 1; for pure noise that
    of randomized response, a bound.

    Example: discrete noise of sigma2 = 25, where continuous noise has 1/25.

        >>> mu2_of("discrete_gaussian", sigma2=25)
        Decimal('0.040133913919191705')
    """
    noise = noise_of(law, sensitivity, epsilon, None, None, sigma, sigma2, scale, bounds=bounds)
    return decimal_up(noise.law.mu2(noise, counted(releases, "releases")))
