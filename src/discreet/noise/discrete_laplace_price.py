"""What discrete Laplace noise costs as a Gaussian loss: its own mu^2.

Proof: docs/laws/gdp.md, Theorem 3.
"""

from fractions import Fraction
from functools import lru_cache

from ..exact.enclosure import Ball, ball
from ..privacy.gdp import upper_quantile
from .reals import real_up


@lru_cache(maxsize=4096)
def mu2_up(scale: Fraction, l1: int) -> Fraction:
    """Return the mu^2 of noise on a vector that one unit moves by at most l1, rounded up.

    Args:
        scale: of the noise, above 0.
        l1: at least 1.

    Source: the vector is never easier to tell than one number that moves by l1, and its mu is
        z(s) + z(l1 - 1 - s) for s = (l1 - 1) / 2 rounded down, with z(s) the normal quantile of
        Pr[Y <= s].

    Example: what epsilon = 1 alone implies is 1.517911.

        >>> [f"{float(mu2_up(Fraction(l1), l1)):.6f}" for l1 in (1, 2, 200)]
        ['1.517911', '1.111176', '1.061037']
    """
    places = ((l1 - 1) // 2 + 1, l1 // 2 + 1)

    def real() -> Ball:
        q = ball(-1 / scale).exp()
        tails = (ball(-place / scale).exp() / (1 + q) for place in places)
        return sum(map(upper_quantile, tails), ball(Fraction(0))) ** 2

    return real_up(real)
