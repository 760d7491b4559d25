"""The least worst error over a ball of truths, exactly, within a factor, or up to constants.

Rules of this module:
- the noise is Gaussian of a known sigma, the same on every number; squared errors are added up;
- on an l2 ball the linear minimax risk is exact, and so is its rule (Pinsker); on an lp ball with
  p > 2 a linear rule is within 1.25 of the minimax risk (Donoho, Liu and MacGibbon);
- for p < 2 only the order is known: a rate says how the risk grows, and not what it is.
"""

from fractions import Fraction

from ...exact.enclosure import Ball, Real, ball


def ball_per_number(*, radius: Fraction, dimensions: int, p: Fraction) -> Real:
    """Return tau^2, tau = radius d^(-1/p): the square of a truth that is the same everywhere."""

    def real() -> Ball:
        return ball(radius**2) * (ball(Fraction(dimensions)).log() * ball(-2 / p)).exp()

    return real


def linear_factor(*, square: Real, sigma: Fraction) -> Real:
    """Return tau^2 / (tau^2 + sigma^2), by which the best linear rule shrinks every number.

    Source: Pinsker 1980; for p > 2 Donoho, Liu and MacGibbon 1990, section 4.
    """
    return lambda: square() / (square() + ball(sigma**2))


def linear_risk(*, square: Real, sigma: Fraction, dimensions: int) -> Real:
    """Return d sigma^2 tau^2 / (tau^2 + sigma^2), the worst summed squared error of that rule."""
    factor = linear_factor(square=square, sigma=sigma)
    return lambda: ball(dimensions * sigma**2) * factor()


def sparse_rate(*, radius: Fraction, dimensions: int, p: Fraction, sigma: Fraction) -> Real:
    """Return R^p sigma^(2-p) (1 + ln(d sigma^p / R^p))^(1-p/2), for 0 < p < 2.

    It is the order of the minimax risk where sigma sqrt(ln d) is at most of the order of R, and R
    at most sigma d^(1/p).

    Source: Birge and Massart 2001, Proposition 5.
    """

    def real() -> Ball:
        ratio = ball(p) * (ball(sigma).log() - ball(radius).log())
        size = (ball(p) * ball(radius).log() + ball(2 - p) * ball(sigma).log()).exp()
        grown = 1 + ball(Fraction(dimensions)).log() + ratio
        return size * (grown.log() * ball(1 - p / 2)).exp()

    return real


def few_rate(*, count: int, dimensions: int, sigma: Fraction) -> Real:
    """Return s sigma^2 ln(e d / s), the order of the minimax risk of s numbers that are not 0.

    Source: Donoho and Johnstone 1994; ln(d / s) as often printed is 0 where all numbers count.
    """
    return lambda: ball(count * sigma**2) * (1 + ball(Fraction(dimensions, count)).log())
