"""The chance of an error at least, or more than, so large.

Rules of this module:
- a chance is a decimal of 17 digits, rounded up, within 1e-12 however small it is.
"""

from decimal import Decimal
from fractions import Fraction

from ..exact.enclosure import Ball, Real, ball
from ..exact.number import Number, whole
from ..formulas import geometric_sum, laplace
from ..noise import discrete_gaussian_accuracy
from ..noise.reals import decimal_up, real_up
from .errors import not_for
from .inputs import GEOMETRIC, Asked, accuracy_in, asked, convention_in, counted


def tail_of(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    error: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    convention: str = "gt",
    releases: int = 1,
) -> Decimal:
    """Return the chance of an error above `error` ("gt") or of `error` or more ("ge"), rounded up.

    Args: see `accuracy`; `error` is whole for the geometric and the discrete Gaussian.

    Example:
        >>> tail_of("geometric", error=3, epsilon=1)
        Decimal('0.026779609865396904')
        >>> tail_of("laplace", error=3, epsilon=1)
        Decimal('0.049787068367863943')
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
    kind, sums = convention_in(convention), counted(releases, "releases")
    if law in ("laplace", "gaussian"):
        size = accuracy_in(error, convention=None)
        real = _continuous(known, size, sums)
        return Decimal(1) if size == 0 else decimal_up(min(Fraction(1), real_up(real)))
    a = whole(error, "error", least=0)
    if law in GEOMETRIC:
        tail = geometric_sum.sum_tail(rate=known.rate(), releases=sums, a=a, convention=kind)
    elif law == "discrete_gaussian":
        tail = discrete_gaussian_accuracy.tail(
            sigma2=known.discrete_sigma2(), a=a, convention=kind, releases=sums
        )
    else:
        raise not_for(
            law,
            "a tail",
            why="it differs from count to count inside the bounds",
            fix="ask for accuracy",
        )
    return decimal_up(min(Fraction(1), real_up(tail)))


def _continuous(known: Asked, size: Fraction, releases: int) -> Real:
    if known.law == "laplace":
        return laplace.tail(widths=size * known.rate(), releases=releases)
    widths = size / known.gaussian_sigma()

    def real() -> Ball:
        return (ball(widths) / ball(Fraction(2 * releases)).sqrt()).erfc()

    return real
