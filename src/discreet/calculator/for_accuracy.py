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
from ..fix import leave_out, write
from ..formulas import (
    discrete_gaussian_calibration,
    gaussian,
    geometric_sum,
    laplace,
    truncated_accuracy,
)
from ..formulas.clamped_geometric import check_count_law
from ..noise import discrete_gaussian_accuracy, geometric_accuracy
from ..noise.geometric_accuracy import Convention
from ..noise.reals import decimal_down, decimal_up
from .errors import delta_missing, no_size, not_for, refuse_sums
from .inputs import (
    COUNTS,
    GEOMETRIC,
    Asked,
    above_zero,
    accuracy_in,
    alpha_in,
    asked,
    bounds_in,
    convention_in,
    counted,
    norm_in,
    positive_delta,
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
    norm: str = "max",
) -> Decimal:
    """Return the least epsilon (of each release) that keeps a promised accuracy, rounded up.

    Args:
        law: see `accuracy`; the discrete Gaussian's noise is that of `sigma2_for`.
        accuracy: the error that may be exceeded with a chance of alpha.
        alpha: that chance, in (0, 1]; at 1 nothing is promised and the answer is 0.
        delta: for the Gaussians, in (0, 1).
        sensitivity: see `accuracy`.
        convention: see `accuracy`.
        coordinates: see `accuracy`.
        releases: see `accuracy`.
        bounds: see `accuracy`.
        norm: see `accuracy`.

    Raises:
        InputError: a number is out of its range, missing, or does not belong to the law.

    Example: the printed formula ln(20) / 2 spends 1.4979.

        >>> epsilon_for("geometric", accuracy=2, alpha="0.05")
        Decimal('1.1368756106042870')
    """
    known = asked(law, sensitivity=sensitivity, delta=delta)
    promised = _promised(law, accuracy, alpha, convention, coordinates, releases, norm)
    if law in ("gaussian", "discrete_gaussian"):
        return _gaussian_epsilon(known, promised)
    if delta is not None:
        raise not_for(
            law,
            "an epsilon beside a delta",
            why="its epsilon follows from the accuracy alone, and is kept with delta = 0",
            fix=leave_out("delta"),
        )
    if promised.alpha == 1:
        return Decimal(0)
    if law in COUNTS:
        return decimal_up(promised.count_epsilon(known, bounds))
    if bounds is not None:
        raise not_for(
            law,
            "an epsilon for bounds",
            why="the same error is made at every count, and nothing holds it back",
            fix=write(law="clamped_geometric"),
        )
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
    norm: str = "max",
) -> Decimal:
    """Return the least zCDP loss (of each release) that keeps a promised accuracy, rounded up.

    Args: see `epsilon_for`; law is "gaussian" or "discrete_gaussian".

    Example:
        >>> rho_for("discrete_gaussian", accuracy=10, alpha="0.05")
        Decimal('0.017371155512423374')
    """
    known = asked(law, sensitivity=sensitivity)
    promised = _promised(law, accuracy, alpha, convention, coordinates, releases, norm)
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
    norm: str = "max",
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
    promised = _promised(law, accuracy, alpha, convention, coordinates, releases, norm)
    if law in COUNTS:
        raise no_size(law, "scale")
    if promised.alpha == 1:
        raise InputError(
            "alpha = 1 limits no noise.",
            why="every error may then be exceeded, so that any noise keeps the promise",
            fix=write(alpha="0.05"),
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
    norm: str

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
        lower, upper = bounds_in(bounds, known.law)
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
        if self.norm == "l2":
            return gaussian.norm_sigma_down(
                accuracy=self.real(),
                alpha=self.alpha,
                dimensions=self.coordinates,
                releases=self.releases,
            )
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
            raise not_for(
                law,
                "a rho for an accuracy",
                why="it is priced by epsilon, and its rho follows as epsilon^2 / 2",
                fix="ask for epsilon",
            )
        return discrete_gaussian_accuracy.sigma2_down(
            accuracy=int(self.accuracy),
            alpha=self.alpha,
            convention=self.convention,
            coordinates=self.coordinates,
            releases=self.releases,
        )

    def real(self) -> Fraction:
        """Return the accuracy of a continuous law, which is above 0."""
        return above_zero(self.accuracy, "accuracy")


def _promised(
    law: str,
    accuracy: Number,
    alpha: Number,
    convention: str,
    coordinates: int,
    releases: int,
    norm: str,
) -> _Promise:
    share, kind = alpha_in(alpha), convention_in(convention)
    return _Promise(
        accuracy=accuracy_in(accuracy, convention=None if law in _REALS else kind),
        alpha=share,
        convention=kind,
        coordinates=counted(coordinates, "coordinates"),
        releases=counted(releases, "releases"),
        norm=norm_in(norm, law),
    )


def _gaussian_epsilon(known: Asked, promised: _Promise) -> Decimal:
    if known.delta is None:
        raise delta_missing(known.law)
    delta = positive_delta(known.delta)
    if promised.alpha == 1:
        return Decimal(0)
    if known.law == "gaussian":
        found = gaussian.epsilon_up(
            delta=delta, sigma=promised.sigma(), sensitivity=known.sensitivity
        )
    else:
        found = discrete_gaussian_calibration.epsilon_from_up(
            delta=delta,
            sigma2=promised.variance(known.law),
            sensitivity=known.whole_sensitivity(),
        )
    return decimal_up(found)
