"""Sums of e^(-k^2 / (2 sigma2)) over whole k: the discrete Gaussian's total, tails and variance.

Rules of this module:
- every function returns a ball at the working precision that holds the exact sum;
- a short sum is added term by term, and a geometric bound covers what is left;
- a long one is summed by Euler and Maclaurin's formula with its remainder bounded;
- the total over all whole k is summed on whichever side of Poisson's formula converges faster.
"""

import math
from fractions import Fraction

from ..exact.enclosure import Ball, ball
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
    found, length = arb(0), len(cycle)
    for k in range(least, least + _terms(sigma2, least) + length):
        found += cycle[k % length] * weight
        weight *= ratio
        ratio *= shrink
    return found + _within(weight / (1 - ratio)) * sum(cycle, arb(0))


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
    found, size = [(last, 1)], 1
    for m in range(1, last // 2 + 1):
        power = last - 2 * m
        size = size * (power + 2) * (power + 1) // (2 * m)
        found.append((power, size))
    return found


def _within(size: Ball) -> Ball:
    """Return a ball that holds every number from 0 to the size."""
    from flint import arb

    return arb(0).union(size)


def _around_zero(size: Ball) -> Ball:
    """Return a ball that holds every number no larger than the size."""
    return (-size).union(size)
