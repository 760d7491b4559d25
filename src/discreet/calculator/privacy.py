"""From a loss to noise, and from noise at hand to every loss that it keeps.

Rules of this module:
- an answer is never below the true value, and within 1e-12 of it; what is rational is exact;
- sigma and sigma2 are certified: the enclosed delta of what is returned is at most the target.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Literal

from ..errors import InputError, shown
from ..exact.number import Number
from ..mechanism import (
    composition,
    discrete_gaussian_calibration,
    gaussian,
    gaussian_closed_forms,
    laplace,
)
from ..mechanism.reals import decimal_up
from .asked import (
    GEOMETRIC,
    added_up,
    asked,
    counted,
    delta_in,
    loss,
    missing,
    not_for,
    positive_delta,
)

Rule = Literal["analytic", "classical", "tight", "pinsker", "vinterbo"]


def sigma_for(
    law: str = "gaussian",
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
    rule: str = "analytic",
) -> Decimal:
    """Return the least sigma of continuous Gaussian noise that keeps a loss, rounded up.

    Args:
        law: "gaussian"; the discrete Gaussian is calibrated by `sigma2_for`.
        epsilon: in nats, at least 0; with delta.
        delta: in (0, 1).
        rho: instead of epsilon and delta, a zCDP loss above 0.
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
    if law != "gaussian":
        raise not_for(law, "sigma", 'write law="gaussian", or ask sigma2_for("discrete_gaussian")')
    known = asked(law, sensitivity=sensitivity, epsilon=epsilon, delta=delta, rho=rho)
    moved = added_up(known.sensitivity, counted(releases, "releases"))
    if rule == "analytic":
        return decimal_up(
            asked(law, sensitivity=1, epsilon=epsilon, delta=delta, rho=rho).gaussian_sigma()
            * moved
        )
    if rho is not None:
        raise not_for(law, f"rule = {shown(rule)} at rho", "leave the rule out")
    return decimal_up(_by_rule(rule, *known.pair(), moved))


def sigma2_for(
    law: str = "discrete_gaussian",
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
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
    known = asked(law, sensitivity=sensitivity, epsilon=epsilon, delta=delta, rho=rho)
    many = counted(releases, "releases")
    if law == "gaussian":
        one = asked(law, sensitivity=1, epsilon=epsilon, delta=delta, rho=rho)
        return decimal_up(one.gaussian_sigma() ** 2 * known.sensitivity**2 * many)
    if law != "discrete_gaussian" or (many > 1 and rho is None):
        raise not_for(law, "sigma2", 'write law="discrete_gaussian", with rho for several releases')
    return decimal_up(known.discrete_sigma2() * many)


def scale_for(
    law: str = "geometric", *, epsilon: Number, sensitivity: Number = 1, releases: int = 1
) -> Fraction:
    """Return the scale of geometric or Laplace noise, sensitivity / epsilon, exactly.

    Example:
        >>> scale_for("geometric", epsilon="0.3", sensitivity=2)
        Fraction(20, 3)
    """
    if law not in GEOMETRIC | {"laplace"}:
        raise not_for(law, "a scale", 'write law="geometric"')
    known = asked(law, sensitivity=sensitivity, epsilon=epsilon)
    return counted(releases, "releases") / known.rate()


def delta_of(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    at_epsilon: Number,
    epsilon: Number | None = None,
    rho: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
) -> Decimal:
    """Return the delta that noise at hand keeps at an epsilon, rounded up.

    Args:
        law: "geometric", "laplace", "gaussian" or "discrete_gaussian".
        at_epsilon: where on the curve delta(epsilon), at least 0.
        epsilon: the pure loss that geometric or Laplace noise was made for.
        rho: the zCDP loss that Gaussian noise was made for.
        sigma: standard deviation of Gaussian noise.
        sigma2: variance parameter of discrete Gaussian noise.
        scale: scale of geometric or Laplace noise.
        sensitivity: how far one unit moves the answer.
        releases: how many such releases together; for geometric noise exact at sensitivity 1 and
            an upper bound above it.

    Raises:
        InputError: a number is out of its range, missing, or does not belong to the law.

    Example:
        >>> delta_of("gaussian", at_epsilon=1, sigma="5.2988025268504740")
        Decimal('3.1999128191410738E-9')
    """
    where, many = loss(at_epsilon, "at_epsilon"), counted(releases, "releases")
    known = asked(
        law,
        sensitivity=sensitivity,
        epsilon=epsilon,
        rho=rho,
        sigma=sigma,
        sigma2=sigma2,
        scale=scale,
    )
    if law in GEOMETRIC:
        moved = known.whole_sensitivity()
        if many == 1:
            found = composition.single_delta_up(epsilon=where, rate=known.rate(), sensitivity=moved)
        else:
            each = known.rate() * moved
            found = composition.delta_up(epsilon=where, epsilon_each=each, releases=many)
    elif law == "gaussian":
        found = gaussian.delta_up(
            epsilon=where,
            sigma=known.gaussian_sigma(),
            sensitivity=added_up(known.sensitivity, many),
        )
    elif many > 1 or law not in ("laplace", "discrete_gaussian"):
        raise not_for(law, "the curve of these releases", 'write releases=1, or law="geometric"')
    elif law == "laplace":
        pure = known.rate() * known.sensitivity
        found = laplace.delta_up(epsilon=where, rate_times_shift=pure)
    else:
        found = discrete_gaussian_calibration.delta_up(
            epsilon=where, sigma2=known.discrete_sigma2(), sensitivity=known.whole_sensitivity()
        )
    return decimal_up(found)


def epsilon_of(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    at_delta: Number,
    epsilon: Number | None = None,
    rho: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
) -> Decimal:
    """Return the least epsilon that noise at hand keeps at a delta, rounded up.

    Args: see `delta_of`; at_delta in [0, 1), above 0 for the Gaussians.

    Example: a hundred releases at 0.1, exactly.

        >>> epsilon_of("geometric", at_delta="1e-6", epsilon="0.1", releases=100)
        Decimal('4.7745675881081219')
    """
    where, many = delta_in(at_delta), counted(releases, "releases")
    known = asked(
        law,
        sensitivity=sensitivity,
        epsilon=epsilon,
        rho=rho,
        sigma=sigma,
        sigma2=sigma2,
        scale=scale,
    )
    if law in GEOMETRIC:
        each = known.rate() * known.whole_sensitivity()
        found = composition.epsilon_up(delta=where, epsilon_each=each, releases=many)
    elif law == "gaussian":
        found = gaussian.epsilon_up(
            delta=positive_delta(where),
            sigma=known.gaussian_sigma(),
            sensitivity=added_up(known.sensitivity, many),
        )
    elif law == "discrete_gaussian" and many == 1:
        found = discrete_gaussian_calibration.epsilon_up(
            delta=positive_delta(where),
            sigma2=known.discrete_sigma2(),
            sensitivity=known.whole_sensitivity(),
        )
    else:
        raise not_for(law, "the curve of these releases", 'write releases=1, or law="geometric"')
    return decimal_up(found)


def rho_of(
    law: str,
    *,
    epsilon: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
) -> Fraction:
    """Return the zCDP loss of noise at hand, exactly; for pure noise epsilon^2 / 2, a bound.

    Example:
        >>> rho_of("discrete_gaussian", sigma2=25, sensitivity=1)
        Fraction(1, 50)
    """
    known = asked(
        law, sensitivity=sensitivity, epsilon=epsilon, sigma=sigma, sigma2=sigma2, scale=scale
    )
    many = counted(releases, "releases")
    if law in GEOMETRIC | {"laplace"}:
        return many * (known.rate() * known.sensitivity) ** 2 / 2
    if law == "gaussian":
        return many * gaussian.rho_of(sigma=known.gaussian_sigma(), sensitivity=known.sensitivity)
    if law == "discrete_gaussian":
        return many * discrete_gaussian_calibration.rho_of(
            sigma2=known.discrete_sigma2(), l2_squared=known.sensitivity**2
        )
    raise not_for(law, "rho", 'write law="geometric"')


def _by_rule(rule: str, epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> Fraction:
    if rule in ("classical", "tight"):
        if epsilon == 0:
            raise missing("classical Gaussian", "epsilon above 0 and delta")
        return gaussian_closed_forms.classical_sigma_up(
            epsilon=epsilon,
            delta=delta,
            sensitivity=sensitivity,
            constant="classical" if rule == "classical" else "tight",
        )
    if rule == "pinsker":
        return gaussian_closed_forms.pinsker_sigma(delta=delta, sensitivity=sensitivity)
    if rule == "vinterbo":
        return gaussian_closed_forms.vinterbo_sigma_up(
            epsilon=epsilon, delta=delta, sensitivity=sensitivity
        )
    raise InputError(
        f"there is no rule {shown(rule)!r}.",
        why="the rules are analytic, classical, tight, pinsker and vinterbo",
        fix="leave the rule out for the exact sigma",
    )
