"""From noise at hand to every loss that it keeps.

Rules of this module:
- an answer is never below the true value, and within 1e-12 of it; what is rational is exact.
"""

from decimal import Decimal
from fractions import Fraction

from ..exact.number import Number
from ..formulas import composition, discrete_gaussian_calibration, gaussian, laplace
from ..formulas.bounded_curve import (
    clamped_delta_up,
    clamped_epsilon_up,
    truncated_delta_up,
    truncated_epsilon_up,
)
from ..noise.reals import decimal_up
from .bounded import Moves, moves_of_count, refuse_bounds
from .errors import no_curve
from .inputs import (
    COUNTS,
    GEOMETRIC,
    Asked,
    added_up,
    asked,
    counted,
    delta_in,
    loss,
    positive_delta,
)


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
    bounds: tuple[int, int] | None = None,
) -> Decimal:
    """Return the delta that noise at hand keeps at an epsilon, rounded up.

    Args:
        law: "geometric", "laplace", "gaussian", "discrete_gaussian", "clamped_geometric" or
            "truncated_geometric".
        at_epsilon: where on the curve delta(epsilon), at least 0.
        epsilon: the pure loss that geometric or Laplace noise was made for.
        rho: the zCDP loss that Gaussian noise was made for.
        sigma: standard deviation of Gaussian noise.
        sigma2: variance parameter of discrete Gaussian noise.
        scale: scale of geometric or Laplace noise.
        sensitivity: how far one unit moves the answer.
        releases: how many such releases together; for geometric noise exact at sensitivity 1 and
            an upper bound above it.
        bounds: the public bounds of a clamped or truncated count.

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
    refuse_bounds(law, bounds)
    if law in COUNTS:
        curve = truncated_delta_up if law == "truncated_geometric" else clamped_delta_up
        found = curve(epsilon=where, **moves_of_count(known, bounds, many))
    elif law in GEOMETRIC:
        found = _geometric_delta(known, where, many)
    elif law == "gaussian":
        found = gaussian.delta_up(
            epsilon=where,
            sigma=known.gaussian_sigma(),
            sensitivity=added_up(known.sensitivity, many),
        )
    elif many > 1 or law not in ("laplace", "discrete_gaussian"):
        raise no_curve(law)
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
    bounds: tuple[int, int] | None = None,
) -> Decimal:
    """Return the least epsilon that noise at hand keeps at a delta, rounded up.

    For several releases of geometric noise above sensitivity 1 it is an upper bound on the least.

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
    refuse_bounds(law, bounds)
    if law in COUNTS:
        found = _count_epsilon(law, moves_of_count(known, bounds, many), delta=where)
    elif law in GEOMETRIC:
        found = _geometric_epsilon(known, where, many)
    elif law == "gaussian":
        found = gaussian.epsilon_up(
            delta=positive_delta(where),
            sigma=known.gaussian_sigma(),
            sensitivity=added_up(known.sensitivity, many),
        )
    elif law == "laplace" and many == 1:
        pure = known.rate() * known.sensitivity
        found = laplace.epsilon_up(delta=where, rate_times_shift=pure)
    elif law == "discrete_gaussian" and many == 1:
        found = discrete_gaussian_calibration.epsilon_up(
            delta=positive_delta(where),
            sigma2=known.discrete_sigma2(),
            sensitivity=known.whole_sensitivity(),
        )
    else:
        raise no_curve(law)
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
    bounds: tuple[int, int] | None = None,
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
    refuse_bounds(law, bounds)
    if law in COUNTS:
        moves = moves_of_count(known, bounds, 1)
        return many * (known.epsilon or _count_epsilon(law, moves, delta=Fraction(0))) ** 2 / 2
    if law in GEOMETRIC | {"laplace"}:
        return many * (known.rate() * known.sensitivity) ** 2 / 2
    if law == "gaussian":
        return many * gaussian.rho_of(sigma=known.gaussian_sigma(), sensitivity=known.sensitivity)
    if law == "discrete_gaussian":
        return many * discrete_gaussian_calibration.rho_of(
            sigma2=known.discrete_sigma2(), l2_squared=known.sensitivity**2
        )
    raise no_curve(law)


def _geometric_delta(known: Asked, epsilon: Fraction, releases: int) -> Fraction:
    rate, moved = known.rate(), known.whole_sensitivity()
    if releases == 1:
        return composition.single_delta_up(epsilon=epsilon, rate=rate, sensitivity=moved)
    return composition.delta_up(epsilon=epsilon, epsilon_each=rate * moved, releases=releases)


def _geometric_epsilon(known: Asked, delta: Fraction, releases: int) -> Fraction:
    rate, moved = known.rate(), known.whole_sensitivity()
    if releases == 1:
        return composition.single_epsilon_up(delta=delta, rate=rate, sensitivity=moved)
    return composition.epsilon_up(delta=delta, epsilon_each=rate * moved, releases=releases)


def _count_epsilon(law: str, moves: Moves, *, delta: Fraction) -> Fraction:
    way = truncated_epsilon_up if law == "truncated_geometric" else clamped_epsilon_up
    return way(delta=delta, **moves)
