"""From noise to accuracy, and from a promised accuracy to the noise's price.

Rules of this module:
- whole answers are exact; reals are decimals of 17 digits, rounded up, within 1e-12;
- a law on whole numbers is answered in the convention asked for: "gt" bounds Pr[error > a],
  "ge" bounds Pr[error >= a].
"""

from decimal import Decimal
from fractions import Fraction

from ..exact.number import Number, whole
from ..mechanism import (
    discrete_gaussian_calibration,
    gaussian,
    geometric_accuracy,
    geometric_sum,
    laplace,
)
from ..mechanism.clamped_geometric import ClampedGeometric, check_count_law
from ..mechanism.geometric_accuracy import Convention
from ..mechanism.reals import decimal_up
from ..mechanism.truncated_geometric import TruncatedGeometric
from .asked import (
    COUNTS,
    GEOMETRIC,
    Asked,
    accuracy_in,
    alpha_in,
    asked,
    bounds_in,
    convention_in,
    counted,
    delta_in,
    missing,
    not_for,
    positive_delta,
)


def accuracy(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    alpha: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    convention: str = "gt",
    coordinates: int = 1,
    releases: int = 1,
    bounds: tuple[int, int] | None = None,
    truth: int | None = None,
) -> int | Decimal:
    """Return the error that noise exceeds with a chance of at most alpha.

    Args:
        law: "geometric" (also called "discrete_laplace"), "laplace", "gaussian",
            "discrete_gaussian", "clamped_geometric" or "truncated_geometric".
        alpha: the chance of a larger error, in (0, 1].
        epsilon: loss that the noise is made for; with `delta` for the Gaussians.
        delta: see epsilon.
        rho: zCDP loss, for the Gaussians.
        sigma: instead of a loss, the Gaussians' standard deviation.
        sigma2: instead of a loss, the discrete Gaussian's variance parameter.
        scale: instead of a loss, the geometric's or Laplace's scale.
        sensitivity: l1 for geometric and Laplace, l2 for the Gaussians; in the answer's units.
        convention: for whole numbers, "gt" bounds Pr[error > a], "ge" bounds Pr[error >= a].
        coordinates: how many independent errors must keep the bound together.
        releases: how many independent releases are added up.
        bounds: public (lower, upper) of a clamped or truncated count.
        truth: a made-up true count, instead of the worst one inside the bounds.

    Returns: a whole number for laws on whole numbers, else a decimal rounded up.

    Raises:
        InputError: a number is out of its range, missing, or does not belong to the law.

    Example:
        >>> accuracy("geometric", epsilon="0.1", alpha="0.05", releases=10)
        89
        >>> accuracy("clamped_geometric", epsilon="0.1", alpha="0.05", bounds=(0, 30))
        23
    """
    known = asked(
        law,
        sensitivity=sensitivity,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        sigma=sigma,
        sigma2=sigma2,
        scale=scale,
    )
    share, kind = alpha_in(alpha), convention_in(convention)
    many, sums = counted(coordinates, "coordinates"), counted(releases, "releases")
    if law in COUNTS:
        return _of_count(known, share, kind, bounds, truth, single=many == sums == 1)
    if bounds is not None or truth is not None:
        raise not_for(law, "bounds or a truth", 'write law="clamped_geometric"')
    if law in GEOMETRIC:
        return geometric_sum.sum_accuracy(
            rate=known.rate(), alpha=share, releases=sums, convention=kind, coordinates=many
        )
    if law == "gaussian":
        found = gaussian.accuracy_up(
            sigma=known.gaussian_sigma(), alpha=share, coordinates=many, releases=sums
        )
        return decimal_up(found)
    if sums > 1:
        raise not_for(law, "a sum of releases", 'write releases=1, or law="geometric"')
    if law == "laplace":
        return decimal_up(laplace.accuracy_up(rate=known.rate(), alpha=share, coordinates=many))
    return discrete_gaussian_calibration.accuracy(
        sigma2=known.discrete_sigma2(), alpha=share, convention=kind, coordinates=many
    )


def epsilon_for(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    accuracy: Number,
    alpha: Number,
    delta: Number | None = None,
    sensitivity: Number = 1,
    convention: str = "gt",
    coordinates: int = 1,
    releases: int = 1,
    bounds: tuple[int, int] | None = None,
) -> Decimal:
    """Return the least epsilon (of each release) that keeps a promised accuracy, rounded up.

    Args:
        law: see `accuracy`.
        accuracy: the error that may be exceeded with a chance of alpha.
        alpha: that chance, in (0, 1]; at 1 nothing is promised and the answer is 0.
        delta: for the Gaussians, in (0, 1).
        sensitivity: see `accuracy`.
        convention: see `accuracy`.
        coordinates: see `accuracy`.
        releases: see `accuracy`.
        bounds: see `accuracy`.

    Raises:
        InputError: a number is out of its range, missing, or does not belong to the law.

    Example: the printed formula ln(20) / 2 spends 1.4979.

        >>> epsilon_for("geometric", accuracy=2, alpha="0.05")
        Decimal('1.1368756106042870')
    """
    known = asked(law, sensitivity=sensitivity, delta=delta)
    share, kind = alpha_in(alpha), convention_in(convention)
    many, sums = counted(coordinates, "coordinates"), counted(releases, "releases")
    is_whole = law not in ("laplace", "gaussian")
    wanted = accuracy_in(accuracy, convention=kind if is_whole else None)
    if law in ("gaussian", "discrete_gaussian"):
        return _gaussian_epsilon(known, wanted, share, kind, many, sums)
    if delta is not None:
        raise not_for(law, "delta", "leave delta out: this noise keeps delta = 0")
    if share == 1:
        return Decimal(0)
    if law == "laplace":
        _single(law, sums)
        rate = laplace.rate_up(accuracy=_real(wanted), alpha=share, coordinates=many)
    elif law == "clamped_geometric" and bounds is not None and many == sums == 1:
        lower, upper = bounds_in(bounds)
        check_count_law(Fraction(1), known.whole_sensitivity(), lower, upper)
        rate = geometric_accuracy.clamped_rate_up(
            accuracy=int(wanted), alpha=share, width=upper - lower, convention=kind
        )
    elif law in GEOMETRIC:
        rate = geometric_sum.sum_rate_up(
            accuracy=int(wanted), alpha=share, releases=sums, convention=kind, coordinates=many
        )
    else:
        raise not_for(law, "this epsilon", 'write law="clamped_geometric" and bounds=(0, 100)')
    return decimal_up(rate * known.sensitivity)


def rho_for(
    law: str,
    *,
    accuracy: Number,
    alpha: Number,
    sensitivity: Number = 1,
    convention: str = "gt",
    coordinates: int = 1,
    releases: int = 1,
) -> Decimal:
    """Return the least zCDP loss (of each release) that keeps a promised accuracy, rounded up.

    Args: see `epsilon_for`; law is "gaussian" or "discrete_gaussian".

    Example:
        >>> rho_for("discrete_gaussian", accuracy=10, alpha="0.05")
        Decimal('0.017371155512423374')
    """
    known = asked(law, sensitivity=sensitivity)
    share, kind = alpha_in(alpha), convention_in(convention)
    many, sums = counted(coordinates, "coordinates"), counted(releases, "releases")
    wanted = accuracy_in(accuracy, convention=None if law == "gaussian" else kind)
    if share == 1:
        return Decimal(0)
    variance = _variance(known, wanted, share, kind, many, sums)
    return decimal_up(known.sensitivity**2 / (2 * variance))


def _of_count(
    known: Asked,
    alpha: Fraction,
    convention: Convention,
    bounds: object,
    truth: int | None,
    *,
    single: bool,
) -> int:
    if bounds is None or not single or known.epsilon is None:
        raise missing(known.law, "epsilon and bounds, and one release at a time")
    known.rate()
    lower, upper = bounds_in(bounds)
    kind = ClampedGeometric if known.law == "clamped_geometric" else TruncatedGeometric
    made = kind(known.epsilon, known.whole_sensitivity(), lower, upper)
    at = None if truth is None else max(lower, min(upper, whole(truth, "truth", least=-(1 << 63))))
    return made.accuracy(alpha, truth=at, convention=convention)


def _gaussian_epsilon(
    known: Asked,
    wanted: Fraction,
    alpha: Fraction,
    convention: Convention,
    coordinates: int,
    releases: int,
) -> Decimal:
    if known.delta is None:
        raise missing(known.law, "epsilon and delta")
    delta = positive_delta(delta_in(known.delta))
    if alpha == 1:
        return Decimal(0)
    variance = _variance(known, wanted, alpha, convention, coordinates, releases)
    if known.law == "gaussian":
        sigma = gaussian.sigma_down(
            accuracy=wanted, alpha=alpha, coordinates=coordinates, releases=releases
        )
        found = gaussian.epsilon_up(delta=delta, sigma=sigma, sensitivity=known.sensitivity)
    else:
        found = discrete_gaussian_calibration.epsilon_up(
            delta=delta, sigma2=variance, sensitivity=known.whole_sensitivity()
        )
    return decimal_up(found)


def _variance(
    known: Asked,
    wanted: Fraction,
    alpha: Fraction,
    convention: Convention,
    coordinates: int,
    releases: int,
) -> Fraction:
    if known.law == "gaussian":
        sigma = gaussian.sigma_down(
            accuracy=_real(wanted), alpha=alpha, coordinates=coordinates, releases=releases
        )
        return sigma**2
    if known.law != "discrete_gaussian":
        raise not_for(known.law, "zCDP", 'write law="discrete_gaussian"')
    _single(known.law, releases)
    return discrete_gaussian_calibration.sigma2_down(
        accuracy=int(wanted), alpha=alpha, convention=convention, coordinates=coordinates
    )


def _single(law: str, releases: int) -> None:
    if releases > 1:
        raise not_for(law, "a sum of releases", 'write releases=1, or law="geometric"')


def _real(wanted: Fraction) -> Fraction:
    if wanted == 0:
        raise not_for("continuous", "accuracy = 0", 'write accuracy above 0, or law="geometric"')
    return wanted
