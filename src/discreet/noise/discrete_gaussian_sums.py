"""Sums of e^(-k^2 / (2 sigma2)) over whole k: the discrete Gaussian's total, tails and variance.

The exact law of a sum of m independent discrete Gaussians of the same sigma2.

Rules of this module:
- every function returns a ball at the working precision that holds the exact sum;
- a short sum is added term by term, and a geometric bound covers what is left;
- a long one is summed by Euler and Maclaurin's formula with its remainder bounded;
- the total over all whole k is summed on whichever side of Poisson's formula converges faster;
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
from .reals import mills, start_of

_LONGEST = 3000  # terms that are still added one by one


def total(sigma2: Fraction) -> Ball:
    """Return the sum over all whole k of e^(-k^2 / (2 sigma2))."""
    from flint import arb

    if sigma2 < 1:
        return 1 + 2 * upper(sigma2, 1)
    theta, _ = _dual(sigma2)
    return (2 * arb.pi() * ball(sigma2)).sqrt() * theta


def variance(sigma2: Fraction) -> Ball:
    """Return the variance of the discrete Gaussian, which is a little below sigma2.

    Above sigma2 = 1 by the derivative of Poisson's formula, below by adding up.
    """
    from flint import arb

    if sigma2 >= 1:
        theta, moment = _dual(sigma2)
        return ball(sigma2) - 4 * (arb.pi() * ball(sigma2)) ** 2 * moment / theta
    weight = _weight(sigma2, 1)
    terms = _terms(sigma2, 1)
    plain, square = arb(0), arb(0)
    for k in range(1, terms):
        plain += weight
        square += weight * (k * k)
        weight = _weight(sigma2, k + 1)
    rest = _within(2 * weight * (terms + 1) ** 2)
    return 2 * (square + rest) / (1 + 2 * (plain + rest))


def upper(sigma2: Fraction, least: int) -> Ball:
    """Return the sum over whole k >= least of e^(-k^2 / (2 sigma2))."""
    if least <= 0:
        return total(sigma2) - upper(sigma2, 1 - least)
    terms = _terms(sigma2, least)
    if terms > _LONGEST:
        return _euler_maclaurin(sigma2, least)
    return _added(sigma2, least, terms)


def added(sigma2: Fraction, least: int, count: int) -> Ball:
    """Return the sum over `count` whole k from `least` on of e^(-k^2 / (2 sigma2))."""
    return sum((_weight(sigma2, k) for k in range(least, least + count)), ball(Fraction(0)))


def weighted(sigma2: Fraction, least: int, cycle: list[Ball]) -> Ball:
    """Return the sum over whole k >= least of cycle[k mod its length] e^(-k^2 / (2 sigma2)).

    The factors are positive, and `least` is at least 1; the last of them may be small.
    """
    from flint import arb

    weight = _weight(sigma2, least)
    ratio = (-ball((2 * least + 1) / (2 * sigma2))).exp()
    shrink = (-ball(1 / sigma2)).exp()
    so_far, length = arb(0), len(cycle)
    for k in range(least, least + _terms(sigma2, least) + length):
        so_far += cycle[k % length] * weight
        weight *= ratio
        ratio *= shrink
    return so_far + _within(weight / (1 - ratio)) * sum(cycle, arb(0))


def _added(sigma2: Fraction, least: int, terms: int) -> Ball:
    from flint import arb

    weight = _weight(sigma2, least)
    ratio = (-ball((2 * least + 1) / (2 * sigma2))).exp()
    shrink = (-ball(1 / sigma2)).exp()
    added = arb(0)
    for _ in range(terms):
        added += weight
        weight *= ratio
        ratio *= shrink
    return added + _within(weight / (1 - ratio))  # the ratio only falls: a geometric bound


def _euler_maclaurin(sigma2: Fraction, least: int) -> Ball:
    """Return the tail sum from its integral, half its first term and its odd derivatives there.

    The derivatives are Hermite polynomials times the weight; the remainder after 2J of them is at
    most 2 zeta(2J) / (2 pi)^(2J) times the integral of the 2J-th derivative's size.
    """
    from flint import arb, ctx

    pairs = 8 + ctx.prec // 16
    sigma = ball(sigma2).sqrt()
    z = ball(Fraction(least)) / sigma
    weight = _weight(sigma2, least)
    tail = weight * mills(z)
    odd, before, he = arb(0), arb(1), z  # He_0 and He_1 at z, then on by their recurrence
    for j in range(1, pairs + 1):
        odd += arb.bernoulli(2 * j) / arb.fac_ui(2 * j) * he / sigma ** (2 * j - 1)
        for n in (2 * j - 1, 2 * j):
            before, he = he, z * he - n * before
    integrals = [tail, weight]  # of y^k e^(-y^2/2) over y >= z
    for k in range(2, 2 * pairs + 1):
        integrals.append(z ** (k - 1) * weight + (k - 1) * integrals[k - 2])
    size = sum((c * integrals[k] for k, c in _hermite_sizes(2 * pairs)), arb(0))
    rest = 2 * arb(2 * pairs).zeta() / (2 * arb.pi() * sigma) ** (2 * pairs) * sigma * size
    return sigma * tail + weight / 2 + odd * weight + _around_zero(rest)


def _dual(sigma2: Fraction) -> tuple[Ball, Ball]:
    """Return 1 + 2 sum e^(-2 pi^2 sigma2 j^2), and the sum over all j of j^2 times the term."""
    from flint import arb, ctx

    rate = 2 * arb.pi() ** 2 * ball(sigma2)
    theta, moment = arb(1), arb(0)
    last = 2 + math.isqrt(int(ctx.prec / (28 * start_of(sigma2))))
    for j in range(1, last + 1):
        term = (-rate * (j * j)).exp()
        theta += 2 * term
        moment += 2 * term * (j * j)
    after = last + 1
    rest = _within(4 * (-rate * (after * after)).exp() * (after * after))
    return theta + rest, moment + rest


def _terms(sigma2: Fraction, least: int) -> int:
    """Return how many terms make the rest negligible at the working precision."""
    from flint import ctx

    wanted = 0.7 * ctx.prec + 3
    spread, first = math.sqrt(2 * wanted * start_of(sigma2)), start_of(Fraction(max(1, least)))
    return 3 + int(min(spread, wanted * start_of(sigma2) / first))


def _weight(sigma2: Fraction, k: int) -> Ball:
    return (-ball(k * k / (2 * sigma2))).exp()


def _hermite_sizes(last: int) -> list[tuple[int, int]]:
    """Return the powers and the sizes of the coefficients of the Hermite polynomial He_last."""
    terms, size = [(last, 1)], 1
    for m in range(1, last // 2 + 1):
        power = last - 2 * m
        size = size * (power + 2) * (power + 1) // (2 * m)
        terms.append((power, size))
    return terms


def _within(size: Ball) -> Ball:
    """Return a ball that holds every number from 0 to the size."""
    from flint import arb

    return arb(0).union(size)


def _around_zero(size: Ball) -> Ball:
    """Return a ball that holds every number no larger than the size."""
    return (-size).union(size)


_MOST = 200  # releases whose law modulo m is computed
_SMOOTH = 20  # a sigma2 from which on c is constant to a hundred bits


def check_releases(sigma2: Fraction, releases: int) -> None:
    """Raise InputError if the sum of so many releases is not computed."""
    if releases > _MOST and sigma2 < _SMOOTH:
        raise InputError(
            f"releases = {releases} is more than {_MOST}, the most that are added up"
            f" below sigma2 = {_SMOOTH}.",
            kind="too-large-to-calculate",
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
    single = [arb(0)] * releases
    whole = total(sigma2)
    for k in range(-reach, reach + 1):
        single[k % releases] += (-ball(k * k / (2 * sigma2))).exp() / whole
    power, square, left = arb_poly([1]), arb_poly(single), releases
    while left:
        power = _wrapped(power * square, releases) if left & 1 else power
        left //= 2
        square = _wrapped(square * square, releases) if left else square
    cut = arb(0).union(2 * releases * upper(sigma2, reach + 1) / whole)
    law = power.coeffs() + [arb(0)] * releases
    return [value + cut for value in law[:releases]]


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
    so_far = arb(0)
    for first in (r, releases - r):
        places = [first + releases * t for t in range(steps + 2)]
        *terms, last, after = [(-ball(s * s / (2 * releases * sigma2))).exp() for s in places]
        so_far += sum(terms, arb(0)) + arb(0).union(last / (1 - after / last))
    return so_far
