"""From noise to accuracy: the error that it exceeds with a chance of at most alpha.

Rules of this module:
- whole answers are exact; reals are decimals of 17 digits, rounded up, within 1e-12;
- a law on whole numbers is answered in the convention asked for: "gt" bounds Pr[error > a],
  "ge" bounds Pr[error >= a].
"""

from decimal import Decimal
from fractions import Fraction

from ..exact.number import Number, whole
from ..fix import write
from ..formulas import gaussian, geometric_sum, laplace
from ..formulas.clamped_geometric import ClampedGeometric
from ..formulas.truncated_geometric import TruncatedGeometric
from ..noise import discrete_gaussian_accuracy
from ..noise.geometric_accuracy import Convention
from ..noise.reals import decimal_up
from .errors import epsilon_missing, not_for, refuse_sums
from .inputs import (
    COUNTS,
    GEOMETRIC,
    Asked,
    alpha_in,
    asked,
    bounds_in,
    convention_in,
    counted,
    norm_in,
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
    share, kind, size = alpha_in(alpha), convention_in(convention), norm_in(norm, law)
    many, sums = counted(coordinates, "coordinates"), counted(releases, "releases")
    if law in COUNTS:
        refuse_sums(law, sums)
        return _of_count(known, share, kind, bounds, truth, coordinates=many)
    if bounds is not None or truth is not None:
        raise not_for(
            law,
            "an accuracy with bounds or a truth",
            why="the same error is made at every count, and nothing holds it back",
            fix=write(law="clamped_geometric"),
        )
    if law in GEOMETRIC:
        return geometric_sum.sum_accuracy(
            rate=known.rate(), alpha=share, releases=sums, convention=kind, coordinates=many
        )
    if law == "gaussian":
        return _of_gaussian(known.gaussian_sigma(), share, size, many, sums)
    if law == "laplace":
        width = laplace.accuracy_up(rate=known.rate(), alpha=share, coordinates=many, releases=sums)
        return decimal_up(width)
    return discrete_gaussian_accuracy.accuracy(
        sigma2=known.discrete_sigma2(),
        alpha=share,
        convention=kind,
        coordinates=many,
        releases=sums,
    )


def _of_gaussian(
    sigma: Fraction, alpha: Fraction, norm: str, coordinates: int, releases: int
) -> Decimal:
    if norm == "l2":
        found = gaussian.norm_accuracy_up(
            sigma=sigma, alpha=alpha, dimensions=coordinates, releases=releases
        )
    else:
        found = gaussian.accuracy_up(
            sigma=sigma, alpha=alpha, coordinates=coordinates, releases=releases
        )
    return decimal_up(found)


def _of_count(
    known: Asked,
    alpha: Fraction,
    convention: Convention,
    bounds: object,
    truth: int | None,
    *,
    coordinates: int,
) -> int:
    lower, upper = bounds_in(bounds, known.law)
    if known.epsilon is None:
        raise epsilon_missing(known.law)
    known.rate()
    kind = ClampedGeometric if known.law == "clamped_geometric" else TruncatedGeometric
    made = kind(known.epsilon, known.whole_sensitivity(), lower, upper)
    at = None if truth is None else max(lower, min(upper, whole(truth, "truth", least=-(1 << 63))))
    return made.accuracy(alpha, truth=at, convention=convention, coordinates=coordinates)
