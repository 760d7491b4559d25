"""The chance of an error at least, or more than, so large.

Rules of this module:
- a chance is a decimal of 17 digits, rounded up, within 1e-12 however small it is.
"""

from decimal import Decimal
from fractions import Fraction

from ..exact.number import Number
from ..noise.reals import decimal_up, real_up
from .inputs import convention_in, counted
from .laws import noise_of
from .laws.noise_size import Chance


def tail_of(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    error: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu2: Number | None = None,
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
    noise = noise_of(law, sensitivity, epsilon, delta, rho, sigma, sigma2, scale, mu2=mu2)
    kind, sums = convention_in(convention), counted(releases, "releases")
    chance = Chance(Fraction(1), kind, releases=sums)
    tail = noise.law.tail(noise, noise.law.error_in(error), chance)
    return decimal_up(min(Fraction(1), real_up(tail)))
