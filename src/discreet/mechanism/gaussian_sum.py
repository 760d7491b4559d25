"""Sums of e^(-k^2 / (2 sigma2)) over the integers from some point on, enclosed in balls.

Rules of this module:
- every series that is cut gets a ball that holds what was cut;
- a sum is enclosed at the working precision for any sigma2, wide or narrow, and however far out.
"""

from fractions import Fraction
from math import isqrt

from ..exact.enclosure import Ball, ball

_DIRECT = 2000  # terms up to which a tail is added term by term
_CRAMER = Fraction(109, 100)  # Abramowitz and Stegun 1964, 22.14.17: k = 1.086435
_LAST_TERM = 1 << 14


def theta(sigma2: Fraction) -> Ball:
    """Return the sum of e^(-k^2 / (2 sigma2)) over all integers k.

    For sigma2 >= 1 by Poisson's summation, sqrt(2 pi sigma2) times the same kind of sum with
    rate 2 pi^2 sigma2; both converge within a handful of terms.
    """
    from flint import arb

    if sigma2 < 1:
        return _symmetric(ball(1 / (2 * sigma2)))
    pi = arb.pi()
    return (2 * pi * ball(sigma2)).sqrt() * _symmetric(2 * pi**2 * ball(sigma2))


def tail_sum(sigma2: Fraction, start: int) -> Ball:
    """Return the sum of e^(-k^2 / (2 sigma2)) over all integers k >= start, for start >= 1."""
    from flint import ctx

    reach = isqrt(int(2 * ctx.prec * sigma2)) + 1
    steep = int(ctx.prec * sigma2 / start) + 1
    if sigma2 < 1 << 12 or min(reach, steep) < _DIRECT:
        return _direct(sigma2, start)
    return _euler_maclaurin(sigma2, start)


def _symmetric(rate: Ball) -> Ball:
    """Return the sum of e^(-rate k^2) over all integers k; the rate is at least 1/2."""
    from flint import ctx

    small = ball(Fraction(1, 1 << ctx.prec))
    found, k = ball(Fraction(1)), 1
    while not (term := (-rate * k**2).exp()) < small:
        found = found + 2 * term
        k += 1
    # from k on, each term is at most e^-rate <= e^-(1/2) < 2/3 of the one before
    return found + ball(Fraction(0)).union(6 * term)


def _direct(sigma2: Fraction, start: int) -> Ball:
    """Add term by term until what is left is small beside the first term."""
    from flint import ctx

    first = term = ball(-Fraction(start * start) / (2 * sigma2)).exp()
    ratio = ball(-Fraction(2 * start + 1) / (2 * sigma2)).exp()
    fall = ball(-1 / sigma2).exp()
    small = first * ball(Fraction(1, 1 << ctx.prec))
    found = ball(Fraction(0))
    while not term < small:
        found = found + term
        term, ratio = term * ratio, ratio * fall
    return found + ball(Fraction(0)).union(term / (1 - ratio))


def _euler_maclaurin(sigma2: Fraction, start: int) -> Ball:
    """Return the tail as its integral, half the first term, and corrections.

    With f(x) = e^(-x^2 / (2 sigma2)) and z = start / sigma, the m-th derivative at the start is
    (-1 / sigma)^m He_m(z) f(start). After the corrections up to B_2p / (2p)!, what is left is at
    most |B_2p| / (2p)! times the integral of |f^(2p)| from the start on, and by Cramer's bound
    |He_n(z)| <= 1.09 sqrt(n!) e^(z^2 / 4) that integral is at most
    1.09 sqrt((2p)!) sigma^(1 - 2p) sqrt(pi) e^(-start^2 / (4 sigma2)).
    """
    from flint import arb, ctx

    sigma = ball(sigma2).sqrt()
    z = ball(Fraction(start)) / sigma
    first = ball(-Fraction(start * start) / (2 * sigma2)).exp()
    found = sigma * (arb.pi() / 2).sqrt() * (z / ball(Fraction(2)).sqrt()).erfc() + first / 2
    small = first * ball(Fraction(1, 1 << ctx.prec))
    scale = ball(_CRAMER) * sigma * arb.pi().sqrt()
    scale = scale * ball(-Fraction(start * start) / (4 * sigma2)).exp()
    before, hermite, power = ball(Fraction(1)), z, sigma  # He_0, He_1, sigma^1
    for n in range(2, _LAST_TERM, 2):
        weight = arb.bernoulli(n) / arb(n).gamma() / n  # B_n / n!
        found = found + weight * hermite / power * first
        left = abs(weight) * arb(n + 1).gamma().sqrt() / (power * sigma) * scale
        if left < small or n >= _LAST_TERM - 2:
            break
        for m in (n - 1, n):  # He_(m+1) = z He_m - m He_(m-1)
            before, hermite = hermite, z * hermite - m * before
        power = power * ball(sigma2)
    return found + (-left).union(left)
