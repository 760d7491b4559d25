"""The exact law of a sum of m independent discrete Gaussians of the same sigma2.

Rules of this module:
- nothing is truncated without a ball around what was left out;
- where sigma2 is small the m-fold convolution is computed modulo m only, and that is all of it;
- where sigma2 is large the sum is one discrete Gaussian, up to a factor that is enclosed.

A vector x of whole numbers with sum s has |x|^2 = s^2/m + |x - s/m|^2, and adding 1 to every number
moves s by m without changing the second part. So, with a c of period m,

    Pr[S = s] = c(s mod m) e^(-s^2 / (2 m sigma2)).

Adding up over s = r mod m leaves c(r) = V(r) / G(r): V is the law of S modulo m, and G the same sum
of weights. By Poisson's formula c is a constant times 1 + the sum over whole vectors n other than 0
(up to adding 1 to every number) of e^(-2 pi^2 sigma2 |n - mean n|^2) cos(2 pi r sum(n) / m). Taking
each n with its mean in [-1/2, 1/2), what is added is at most (1 + 2g)^m - 1 in size, where g is the
sum over k >= 1 of e^(-2 pi^2 sigma2 (k - 1/2)^2).
"""

import math
from fractions import Fraction
from functools import lru_cache

from ..errors import InputError
from ..exact.enclosure import Ball, ball
from ..fix import write
from .discrete_gaussian_sums import total, upper, weighted
from .reals import start_of

_MOST = 200  # releases whose law modulo m is computed
_SMOOTH = 20  # a sigma2 from which on c is constant to a hundred bits


def check_releases(sigma2: Fraction, releases: int) -> None:
    """Raise InputError if the sum of so many releases is not computed."""
    if releases > _MOST and sigma2 < _SMOOTH:
        raise InputError(
            f"releases = {releases} is more than {_MOST}, the most that are added up"
            f" below sigma2 = {_SMOOTH}.",
            why="the exact law of a sum of so little noise has as many cases as releases",
            fix=(write("or less", releases=_MOST), write("or more", sigma2=str(_SMOOTH))),
        )


def upper_share(sigma2: Fraction, releases: int, least: int) -> Ball:
    """Return Pr[S >= least] at the working precision, for least >= 1.

    Args:
        sigma2: of each release, above 0.
        releases: how many are added up, at least 1.
        least: a whole number of at least 1.
    """
    from flint import arb, ctx

    wide = sigma2 * releases
    ripple = _ripple(sigma2, releases)
    if releases > _MOST or bool(ripple < arb(2) ** -ctx.prec):
        around = 1 + (-3 * ripple).union(3 * ripple)  # (1 + r) / (1 - r) is within 1 +- 3r
        return upper(wide, least) / total(wide) * around
    return weighted(wide, least, _cycle(sigma2, releases, ctx.prec))


def _ripple(sigma2: Fraction, releases: int) -> Ball:
    """Return a bound on how far c is from a constant, relatively: (1 + 2g)^m - 1."""
    from flint import arb

    rate = 2 * arb.pi() ** 2 * ball(sigma2)
    first = (-rate / 4).exp()
    g = first / (1 - (-2 * rate).exp())  # (k - 1/2)^2 - 1/4 is at least 2 (k - 1)
    return (releases * (2 * g).log1p()).expm1()


@lru_cache(maxsize=64)
def _cycle(sigma2: Fraction, releases: int, bits: int) -> list[Ball]:  # noqa: ARG001
    """Return c(r) / total for r = 0..m-1, at the working precision, which is `bits`."""
    law = _modulo(sigma2, releases)
    return [law[r] / _every(sigma2, releases, r) for r in range(releases)]


def _modulo(sigma2: Fraction, releases: int) -> list[Ball]:
    """Return the law of the sum modulo m, by repeated squaring of one release's law.

    One release is cut where what is left matters to no residue: each has at least the weight of
    moving m/2 of the numbers by 1. What is left is in a ball all the same.
    """
    from flint import arb, arb_poly, ctx

    reach = 2 + math.isqrt(int(releases + 2 * ctx.prec * start_of(sigma2)))
    one = [arb(0)] * releases
    whole = total(sigma2)
    for k in range(-reach, reach + 1):
        one[k % releases] += (-ball(k * k / (2 * sigma2))).exp() / whole
    power, square, left = arb_poly([1]), arb_poly(one), releases
    while left:
        power = _wrapped(power * square, releases) if left & 1 else power
        left //= 2
        square = _wrapped(square * square, releases) if left else square
    cut = arb(0).union(2 * releases * upper(sigma2, reach + 1) / whole)
    found = power.coeffs() + [arb(0)] * releases
    return [value + cut for value in found[:releases]]


def _wrapped(product: Ball, releases: int) -> Ball:
    """Return a polynomial modulo x^m - 1."""
    from flint import arb_poly

    terms = product.coeffs()
    for k in range(releases, len(terms)):
        terms[k - releases] += terms[k]
    return arb_poly(terms[:releases])


def _every(sigma2: Fraction, releases: int, r: int) -> Ball:
    """Return the sum over all whole s = r mod m of e^(-s^2 / (2 m sigma2))."""
    from flint import arb, ctx

    steps = 2 + math.isqrt(int(2 * ctx.prec * start_of(sigma2) / releases))
    found = arb(0)
    for first in (r, releases - r):
        places = [first + releases * t for t in range(steps + 2)]
        *terms, last, after = [(-ball(s * s / (2 * releases * sigma2))).exp() for s in places]
        found += sum(terms, arb(0)) + arb(0).union(last / (1 - after / last))
    return found
