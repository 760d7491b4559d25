"""From a promised accuracy: the least loss that keeps it, and the most noise that does.

Rules of this module:
- a loss is rounded up, a size of noise is rounded down, each within 1e-12: both keep the promise;
- a law on whole numbers is answered in the convention asked for (see `accuracy`).
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ..errors import InputError
from ..exact.number import Number
from ..mechanism import (
    discrete_gaussian_accuracy,
    discrete_gaussian_calibration,
    gaussian,
    geometric_accuracy,
    geometric_sum,
    laplace,
    truncated_accuracy,
)
from ..mechanism.clamped_geometric import check_count_law
from ..mechanism.geometric_accuracy import Convention
from ..mechanism.reals import decimal_down, decimal_up
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
    missing,
    not_for,
    positive_delta,
    refuse_sums,
)

_REALS = frozenset({"laplace", "gaussian"})


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
    promised = _promised(law, accuracy, alpha, convention, coordinates, releases)
    if law in ("gaussian", "discrete_gaussian"):
        return _gaussian_epsilon(known, promised)
    if delta is not None:
        raise not_for(law, "delta", "leave delta out: this noise keeps delta = 0")
    if promised.alpha == 1:
        return Decimal(0)
    if law in COUNTS:
        return decimal_up(promised.count_epsilon(known, bounds))
    if bounds is not None:
        raise not_for(law, "bounds", 'write law="clamped_geometric"')
    return decimal_up(promised.rate(law) * known.sensitivity)


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
    promised = _promised(law, accuracy, alpha, convention, coordinates, releases)
    if promised.alpha == 1:
        return Decimal(0)
    return decimal_up(known.sensitivity**2 / (2 * promised.variance(law)))


def noise_for(
    law: str,
    *,
    accuracy: Number,
    alpha: Number,
    convention: str = "gt",
    coordinates: int = 1,
    releases: int = 1,
) -> Decimal:
    """Return the most noise (in each release) that keeps a promised accuracy, rounded down.

    Args: see `epsilon_for`; alpha is below 1, as otherwise any noise keeps it.

    Returns: the scale of geometric or Laplace noise, sigma of the Gaussian, sigma2 of the discrete
        Gaussian.

    Example: how much noise an error of ten has room for.

        >>> noise_for("geometric", accuracy=10, alpha="0.05")
        Decimal('3.5168110832715311')
        >>> noise_for("gaussian", accuracy=10, alpha="0.05")
        Decimal('5.1021345692465374')
    """
    asked(law, sensitivity=1)
    promised = _promised(law, accuracy, alpha, convention, coordinates, releases)
    if promised.alpha == 1:
        raise InputError(
            "alpha = 1 limits no noise.",
            why="every error may then be exceeded, so that any noise keeps the promise",
            fix='write alpha="0.05"',
        )
    if law in GEOMETRIC | {"laplace"}:
        return decimal_down(1 / promised.rate(law))
    if law == "gaussian":
        return decimal_down(promised.sigma())
    return decimal_down(promised.variance(law))


@dataclass(frozen=True, slots=True)
class _Promise:
    """The error that may be exceeded with a chance of alpha, and by what."""

    accuracy: Fraction
    alpha: Fraction
    convention: Convention
    coordinates: int
    releases: int

    def rate(self, law: str) -> Fraction:
        """Return the least epsilon / sensitivity of geometric or Laplace noise, rounded up."""
        if law == "laplace":
            return laplace.rate_up(
                accuracy=self.real(),
                alpha=self.alpha,
                coordinates=self.coordinates,
                releases=self.releases,
            )
        return geometric_sum.sum_rate_up(
            accuracy=int(self.accuracy),
            alpha=self.alpha,
            releases=self.releases,
            convention=self.convention,
            coordinates=self.coordinates,
        )

    def count_epsilon(self, known: Asked, bounds: object) -> Fraction:
        """Return the least epsilon of clamped or truncated counts, rounded up."""
        refuse_sums(known.law, self.releases)
        if bounds is None:
            raise missing(known.law, "bounds")
        lower, upper = bounds_in(bounds)
        moved = known.whole_sensitivity()
        check_count_law(Fraction(1), moved, lower, upper)
        if known.law == "truncated_geometric":
            return truncated_accuracy.epsilon_up(
                accuracy=int(self.accuracy),
                alpha=self.alpha,
                width=upper - lower,
                sensitivity=moved,
                convention=self.convention,
                coordinates=self.coordinates,
            )
        return moved * geometric_accuracy.clamped_rate_up(
            accuracy=int(self.accuracy),
            alpha=self.alpha,
            width=upper - lower,
            convention=self.convention,
            coordinates=self.coordinates,
        )

    def sigma(self) -> Fraction:
        """Return the largest sigma of continuous Gaussian noise, rounded down."""
        return gaussian.sigma_down(
            accuracy=self.real(),
            alpha=self.alpha,
            coordinates=self.coordinates,
            releases=self.releases,
        )

    def variance(self, law: str) -> Fraction:
        """Return the largest variance parameter of Gaussian noise, rounded down."""
        if law == "gaussian":
            return self.sigma() ** 2
        if law != "discrete_gaussian":
            raise not_for(law, "zCDP", 'write law="discrete_gaussian"')
        return discrete_gaussian_accuracy.sigma2_down(
            accuracy=int(self.accuracy),
            alpha=self.alpha,
            convention=self.convention,
            coordinates=self.coordinates,
            releases=self.releases,
        )

    def real(self) -> Fraction:
        """Return the accuracy of a continuous law, which is above 0."""
        if self.accuracy == 0:
            raise not_for(
                "continuous", "accuracy = 0", 'write accuracy above 0, or law="geometric"'
            )
        return self.accuracy


def _promised(
    law: str,
    accuracy: Number,
    alpha: Number,
    convention: str,
    coordinates: int,
    releases: int,
) -> _Promise:
    share, kind = alpha_in(alpha), convention_in(convention)
    return _Promise(
        accuracy=accuracy_in(accuracy, convention=None if law in _REALS else kind),
        alpha=share,
        convention=kind,
        coordinates=counted(coordinates, "coordinates"),
        releases=counted(releases, "releases"),
    )


def _gaussian_epsilon(known: Asked, promised: _Promise) -> Decimal:
    if known.delta is None:
        raise missing(known.law, "epsilon and delta")
    delta = positive_delta(known.delta)
    if promised.alpha == 1:
        return Decimal(0)
    if known.law == "gaussian":
        found = gaussian.epsilon_up(
            delta=delta, sigma=promised.sigma(), sensitivity=known.sensitivity
        )
    else:
        found = discrete_gaussian_calibration.epsilon_up(
            delta=delta,
            sigma2=promised.variance(known.law),
            sensitivity=known.whole_sensitivity(),
        )
    return decimal_up(found)
