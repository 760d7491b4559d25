"""Accuracy of a sum of m independent releases with two-sided geometric noise, by convolution.

Rules of this module:
- the m-fold convolution is summed in closed form: m positive terms, whatever the scale;
- `rate` is epsilon / sensitivity of each release, and q = e^-rate;
- whole numbers are exact; a rate found from an accuracy is rounded up and certified.

The error of the sum is the difference of two negative binomials of order m. Splitting a binomial
coefficient over two sets (Vandermonde) and summing one of them gives, for K >= 1 and M = m - 1,

    Pr[S >= K] = (1-q)^(2m) q^K sum over t = 0..M of C(K+M, M-t) u_t,

where u is the convolution of w_i = C(M+i, i) q^(2i) / (1-q^2)^(m+i) with v_s = q^s / (1-q)^(s+1).
"""

import math
from fractions import Fraction
from functools import lru_cache

from ...errors import InputError
from ...exact.enclosure import Ball, Real, ball, is_less
from ...fix import write
from ...noise.geometric_accuracy import Convention, accuracy, rate_up, share_of
from ...noise.reals import least_that_holds, least_whole, log_ratio, start_of

_MOST = 2000  # releases in a sum


def sum_tail(*, rate: Fraction, releases: int, a: int, convention: Convention) -> Real:
    """Return Pr[|S| > a] ("gt") or Pr[|S| >= a] ("ge") as a real, for the sum S of the errors.

    Args:
        rate: epsilon / sensitivity of each release, above 0.
        releases: how many are added, at least 1.
        a: a whole number of at least 0.
        convention: which inequality.

    Raises:
        InputError: there are more than 2,000 releases.
    """
    if releases > _MOST:
        raise InputError(
            f"releases = {releases} is more than {_MOST}, the most whose sum is computed exactly.",
            kind="too-large-to-calculate",
            why="the exact law of a sum has as many terms as there are releases",
            fix=(write("or less", releases=_MOST), "add up part of the releases before the noise"),
        )
    least = a + 1 if convention == "gt" else a
    if least == 0:
        return lambda: ball(Fraction(1))
    return lambda: 2 * _upper_tail(rate, releases, least)


def sum_accuracy(
    *,
    rate: Fraction,
    alpha: Fraction,
    releases: int,
    convention: Convention,
    coordinates: int = 1,
) -> int:
    """Return the exact accuracy of a sum of releases: the least whole a whose tail is <= alpha.

    Example: adding up ten bounds of 53 would say 530.

        >>> tenth, twentieth = Fraction(1, 10), Fraction(1, 20)
        >>> sum_accuracy(rate=tenth, alpha=twentieth, releases=10, convention="gt")
        89
    """
    if alpha == 1:
        return 0
    share = share_of(alpha, coordinates)

    def holds(a: int) -> bool:
        return is_less(sum_tail(rate=rate, releases=releases, a=a, convention="gt"), share)

    low, high = -1, max(1, int(_spread(rate, releases)))
    while not holds(high):
        low, high = high, 2 * high
    greater = least_whole(holds, low, high)
    return greater if convention == "gt" else greater + 1


def sum_rate_up(
    *,
    accuracy: int,
    alpha: Fraction,
    releases: int,
    convention: Convention,
    coordinates: int = 1,
) -> Fraction:
    """Return the least rate of each release that keeps an accuracy of their sum, rounded up.

    The size of a sum grows in law with every scale in it (symmetric unimodal laws keep their
    order of peakedness under convolution: Birnbaum 1948), so there is one least rate.
    """
    high = rate_up(accuracy=accuracy, alpha=alpha, convention=convention, coordinates=coordinates)
    if releases == 1:
        return high
    share = share_of(alpha, coordinates)
    low = high  # one release alone needs this much
    high *= 2

    def excess(rate: Fraction) -> Real:
        tail = sum_tail(rate=rate, releases=releases, a=accuracy, convention=convention)
        return log_ratio(tail, share)

    while not is_less(excess(high), lambda: ball(Fraction(0))):
        low, high = high, 2 * high
    return least_that_holds(excess, low, high)


def union_bound(*, rate: Fraction, alpha: Fraction, releases: int, convention: Convention) -> int:
    """Return what adding up single accuracies at alpha / releases would say, to compare with."""
    single = accuracy(rate=rate, alpha=alpha / releases, convention=convention)
    return releases * single


def _spread(rate: Fraction, releases: int) -> float:
    return math.sqrt(2 * releases) / start_of(rate)


def _upper_tail(rate: Fraction, releases: int, least: int) -> Ball:
    """Return Pr[S >= least] at the working precision, for least >= 1."""
    from flint import arb, ctx

    weights = _weights(rate, releases, ctx.prec)
    order = releases - 1
    p = -((-ball(rate)).expm1())
    total, choose = arb(0), arb(1)
    for r in range(order + 1):  # choose = C(least + order, r) p^r; the powers of p cancel
        total += choose * weights[order - r]
        choose = choose * p * (least + order - r) / (r + 1)
    return (-ball(rate) * least).exp() * total


@lru_cache(maxsize=64)
def _weights(rate: Fraction, releases: int, bits: int) -> list[Ball]:  # noqa: ARG001
    """Return u_t p^(t + m + 1) for t < m, p = 1 - q, at the working precision; all positive.

    Args:
        rate: of each release.
        releases: m.
        bits: the working precision, so that the cache tells precisions apart.
    """
    q = (-ball(rate)).exp()
    growth, order = q * q / (1 + q), releases - 1
    weight = 1 / (1 + q) ** releases
    weights = [weight]
    for i in range(1, releases):  # the powers of q in v make the convolution a recurrence
        weight = weight * growth * (order + i) / i
        weights.append(weights[-1] * q + weight)
    return weights
