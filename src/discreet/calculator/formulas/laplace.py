"""The continuous Laplace law: its accuracy and privacy curve, to plan and to compare with.

Rules of this module:
- what discreet releases is drawn on a grid (the discrete Laplace); this law plans and compares;
- `rate` is epsilon / sensitivity, an exact rational above 0;
- every result is rounded up, within 2^-60 of the formula's value; for a sum of releases, whose
  accuracy is a root, within 6e-14.

The sum S of m errors of scale 1 is the difference of two Gamma(m) variables. Integrating one out,

    Pr[S > x] = e^-x sum over i = 0..m-1 of x^i / i! w_i,
    w_i = sum over k = 0..m-1-i of C(m-1+k, k) / 2^(m+k):

m positive terms, of which nothing cancels.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Literal

from ...errors import InputError
from ...exact.enclosure import Ball, Real, ball, is_less
from ...fix import write
from ...noise.geometric_accuracy import share_of
from ...noise.reals import least_that_holds, log_ratio, real_up

Sides = Literal["two-sided", "one-sided"]

_MOST = 2000  # releases in a sum


def accuracy_up(
    *,
    rate: Fraction,
    alpha: Fraction,
    sides: Sides = "two-sided",
    coordinates: int = 1,
    releases: int = 1,
) -> Fraction:
    """Return the a that the error exceeds with chance alpha, rounded up.

    Args:
        rate: epsilon / sensitivity, above 0.
        alpha: in (0, 1].
        sides: "two-sided" for |error| > a, "one-sided" for error > a.
        coordinates: with more than one, the a that all of so many independent errors keep.
        releases: how many are added up, each with noise of its own.

    Raises:
        InputError: there are more than 2,000 releases.

    Example: document 002 says 0.6832 for 99 %, which covers 49.5 %.

        >>> print(f"{float(accuracy_up(rate=Fraction(1), alpha=Fraction(1, 100))):.5f}")
        4.60517
    """
    factor = 1 if sides == "two-sided" else 2
    share = share_of(alpha, coordinates)
    if alpha == 1 or (coordinates == 1 and factor * alpha >= 1):
        return Fraction(0)
    if releases > 1:
        return _sum_width(lambda: factor * share(), releases) / rate
    return max(Fraction(0), real_up(lambda: -(factor * share()).log() / ball(rate)))


def rate_up(
    *, accuracy: Fraction, alpha: Fraction, coordinates: int = 1, releases: int = 1
) -> Fraction:
    """Return the least rate that keeps an accuracy above 0, rounded up; alpha in (0, 1]."""
    return accuracy_up(rate=accuracy, alpha=alpha, coordinates=coordinates, releases=releases)


def tail(*, widths: Fraction, releases: int = 1) -> Real:
    """Return Pr[|S| > widths x scale] as a real, for the sum S of the errors.

    Raises:
        InputError: there are more than 2,000 releases.

    Source: the sum of m positive terms above; for one release e^-widths.
    """
    if releases > _MOST:
        raise InputError(
            f"releases = {releases} is more than {_MOST}, the most whose sum is computed exactly.",
            kind="too-large-to-calculate",
            why="the exact law of a sum has as many terms as there are releases",
            fix=(write("or less", releases=_MOST), "add up part of the releases before the noise"),
        )

    def real() -> Ball:
        from flint import arb, ctx

        x = ball(widths)
        term, total = 2 * (-x).exp(), arb(0)
        for i, weight in enumerate(_weights(releases, ctx.prec)):
            total += term * weight
            term = term * x / (i + 1)
        return total

    return real


def coverage_up(*, widths: Fraction) -> Fraction:
    """Return Pr[|error| <= widths x scale] = 1 - e^-widths, rounded up.

    Example: what document 002 calls a 99 % bound.

        >>> print(f"{float(coverage_up(widths=Fraction('0.6832'))):.6f}")
        0.495002
    """
    if widths == 0:
        return Fraction(0)
    return real_up(lambda: -((-ball(widths)).expm1()))


def delta_up(*, epsilon: Fraction, rate_times_shift: Fraction) -> Fraction:
    """Return delta(epsilon) of noise whose pure loss is `rate_times_shift`, rounded up.

    Source: for epsilon below the pure loss it is 1 - e^((epsilon - loss) / 2), by integration.
    """
    gap = (rate_times_shift - epsilon) / 2
    return coverage_up(widths=max(Fraction(0), gap))


def epsilon_up(*, delta: Fraction, rate_times_shift: Fraction) -> Fraction:
    """Return the least epsilon at a delta in [0, 1), rounded up: the way back from `delta_up`."""
    if delta == 0:
        return rate_times_shift
    if not is_less(lambda: ball(delta), lambda: -((-ball(rate_times_shift) / 2).expm1())):
        return Fraction(0)
    return real_up(lambda: ball(rate_times_shift) + 2 * ball(1 - delta).log())


def note_halfwidth_up(*, rate: Fraction) -> Fraction:
    """Return document 002's "0.99 bound", -ln(0.505) / rate: it covers 49.5 %, rounded up."""

    def real() -> Ball:
        return -ball(Fraction(505, 1000)).log() / ball(rate)

    return real_up(real)


def _sum_width(share: Real, releases: int) -> Fraction:
    """Return the x that |S| exceeds with this chance below 1, at scale 1, rounded up."""

    def excess(x: Fraction) -> Real:
        return log_ratio(tail(widths=x, releases=releases), share)

    def holds(x: Fraction) -> bool:
        return is_less(excess(x), lambda: ball(Fraction(0)))

    low = high = Fraction(1)
    while not holds(high):
        low, high = high, 2 * high
    while holds(low):
        low, high = low / 2, low
    return least_that_holds(excess, low, high)


@lru_cache(maxsize=64)
def _weights(releases: int, bits: int) -> list[Ball]:  # noqa: ARG001
    """Return w_i for i < m at the working precision, which is `bits`."""
    from flint import arb

    term, added, weights = arb(2) ** -releases, arb(0), []
    for k in range(releases):
        added += term
        weights.append(added)
        term = term * (releases + k) / (2 * (k + 1))
    return weights[::-1]
