"""From a loss to the least noise that keeps it.

Rules of this module:
- an answer is never below the true value, and within 1e-12 of it; what is rational is exact;
- sigma and sigma2 are certified: the enclosed delta of what is returned is at most the target.
"""

from decimal import Decimal
from fractions import Fraction

from ..exact.number import Number
from ..noise.reals import decimal_up
from .inputs import counted
from .laws import GAUSSIAN, noise_of, sized_by


def sigma_for(
    law: str = "gaussian",
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu2: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
    rule: str = "analytic",
) -> Decimal:
    """Return the least sigma of continuous Gaussian noise that keeps a loss, rounded up.

    A closed form keeps it, too, but is not the least.

    Args:
        law: "gaussian"; the discrete Gaussian is calibrated by `sigma2_for`.
        epsilon: in nats, at least 0; with delta.
        delta: in (0, 1).
        rho: instead of epsilon and delta, a zCDP loss above 0.
        mu2: instead of these, the mu^2 of Gaussian differential privacy, above 0.
        sensitivity: l2 sensitivity, above 0.
        releases: how many releases the loss is for, together.
        rule: "analytic" (exact), or a closed form: "classical" and "tight" (refused beyond their
            proof), "pinsker" (epsilon = 0) or "vinterbo" (delta at most 1/2).

    Raises:
        InputError: a number is out of its range, or the rule's proof does not cover it.

    Example:
        >>> sigma_for(epsilon="0.1", delta="1e-6", rule="classical")
        Decimal('52.988025268504740')
        >>> sigma_for(epsilon="0.1", delta="1e-6")
        Decimal('36.304690426195786')
    """
    sized_by(law, "sigma")
    noise = noise_of(law, sensitivity, epsilon=epsilon, delta=delta, rho=rho, mu2=mu2)
    return decimal_up(GAUSSIAN.sigma(noise, counted(releases, "releases"), rule))


def sigma2_for(
    law: str = "discrete_gaussian",
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu2: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
) -> Decimal:
    """Return the variance parameter from which on a loss is kept, rounded up.

    Args: see `sigma_for`; for "discrete_gaussian" with epsilon and delta it is the law's own exact
        calibration, of one whole number that moves by at most a whole sensitivity. At large
        epsilon a smaller variance may keep it too, but one between the two would not.

    Example: the continuous Gaussian's 0.4263246 would miss this delta three times over.

        >>> sigma2_for("discrete_gaussian", epsilon=8, delta="1e-6")
        Decimal('0.43462284123133699')
    """
    noise = noise_of(law, sensitivity, epsilon=epsilon, delta=delta, rho=rho, mu2=mu2)
    return decimal_up(noise.law.sigma2(noise, counted(releases, "releases")))


def scale_for(
    law: str = "geometric", *, epsilon: Number, sensitivity: Number = 1, releases: int = 1
) -> Fraction:
    """Return the scale of geometric or Laplace noise, sensitivity / epsilon, exactly.

    Example:
        >>> scale_for("geometric", epsilon="0.3", sensitivity=2)
        Fraction(20, 3)
    """
    sized_by(law, "scale")
    noise = noise_of(law, sensitivity, epsilon=epsilon)
    return counted(releases, "releases") / noise.size()
