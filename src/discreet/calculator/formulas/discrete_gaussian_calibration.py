"""The discrete Gaussian's own (epsilon, delta), by summation, in every direction.

Rules of this module:
- one whole number is released, and one unit moves it by at most a whole `sensitivity`;
- the continuous Gaussian's sigma is not used: at it the true delta is up to three times the target;
- delta, epsilon and sigma2 are never below the true value, and within 1e-12 of it, if not said
  otherwise;
- sigma2 is found as an edge: what is returned is certified to hold, and 6e-14 less of it does not;
- more noise is not always more private here: where epsilon / sensitivity is about 1 or more, delta
  rises by up to two thirds along some stretches as sigma2 grows, so the last edge is returned.

Source: Canonne, Kamath and Steinke 2020, Theorem 7 (arXiv 2004.00010v4):
    delta = Pr[X > t] - e^epsilon Pr[X > t + sensitivity],
    t = epsilon sigma2 / sensitivity - sensitivity / 2.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from ...exact.enclosure import Ball, Real, ball, is_less, round_up
from ...noise.discrete_gaussian_sums import added, total, upper, variance
from ...noise.reals import least_that_holds, least_whole, log_ratio, narrow, real_up
from . import gaussian

_STRETCHES = 64  # how many stretches are looked at, at most
_NEAR = 2.0**-20  # where a stretch that rises at all has already risen
_THIRDS = 30
_HAIR = 1 + Fraction(1, 1 << 30)  # more than the highest point of a stretch is missed by
_SHORT = 1000  # a sensitivity up to which the terms between two tails are added up ...
_WIDE = 1 << 20  # ... where the variance is so many times its square


def delta_up(*, epsilon: Fraction, sigma2: Fraction, sensitivity: int) -> Fraction:
    """Return the delta at which discrete Gaussian noise is (epsilon, delta)-DP, rounded up.

    Args:
        epsilon: in nats, at least 0.
        sigma2: the variance parameter, above 0.
        sensitivity: how far one unit moves the whole number, at least 1.

    Example: at the continuous Gaussian's sigma for delta = 1e-6.

        >>> sigma2 = Fraction("0.4263246")
        >>> print(f"{float(delta_up(epsilon=Fraction(8), sigma2=sigma2, sensitivity=1)):.6e}")
        3.014180e-06
    """
    return min(Fraction(1), real_up(_delta(epsilon, sigma2, sensitivity)))


def epsilon_up(*, delta: Fraction, sigma2: Fraction, sensitivity: int) -> Fraction:
    """Return the least epsilon at which the noise is (epsilon, delta)-DP, rounded up.

    Between two kinks delta(epsilon) is A - e^epsilon B; the kink is found by halving, then the
    epsilon by one logarithm.
    """

    def holds(last: int) -> bool:  # at the epsilon where the threshold reaches the whole `last`
        return not is_less(lambda: ball(delta), _delta(_kink(last), sigma2, sensitivity))

    def _kink(last: int) -> Fraction:
        return max(Fraction(0), (last + Fraction(sensitivity, 2)) * sensitivity / sigma2)

    low = -((sensitivity + 1) // 2)  # its kink is at most epsilon = 0
    if holds(low):
        return Fraction(0)
    step = 1
    while not holds(low + step):
        step *= 2
    high = least_whole(holds, low + (step // 2 if step > 1 else 0), low + step)

    def epsilon() -> Ball:
        first = upper(sigma2, high) - ball(delta) * total(sigma2)
        return (first / upper(sigma2, high + sensitivity)).log()

    return real_up(epsilon)


def epsilon_from_up(*, delta: Fraction, sigma2: Fraction, sensitivity: int) -> Fraction:
    """Return the least epsilon at which this and every larger variance keep delta, rounded up.

    It is the inverse of `sigma2_up`. Where some more noise loses more, it is that noise's epsilon,
    and within 1e-9 of the least.
    """
    epsilon = epsilon_up(delta=delta, sigma2=sigma2, sensitivity=sensitivity)
    while missing := _missing(epsilon, delta, sigma2, sensitivity):
        least = (epsilon_up(delta=delta, sigma2=at, sensitivity=sensitivity) for at in missing)
        epsilon = round_up(max(least) * _HAIR)
    return epsilon


def sigma2_up(*, epsilon: Fraction, delta: Fraction, sensitivity: int) -> Fraction:
    """Return the variance parameter from which on (epsilon, delta)-DP is kept, rounded up.

    Guarantee: its own enclosed delta is at most the target. Larger variances were looked at
        stretch by stretch, until the curve had fallen by a factor of 400 at least.

    Args:
        epsilon: in nats, at least 0.
        delta: in (0, 1).
        sensitivity: at least 1, whole.

    Example: the continuous Gaussian would say 0.4263246 and miss delta three times over.

        >>> answer = sigma2_up(epsilon=Fraction(8), delta=Fraction(1, 10**6), sensitivity=1)
        >>> print(f"{float(answer):.6f}")
        0.434623
    """

    def excess(sigma2: Fraction) -> Real:
        return log_ratio(_delta(epsilon, sigma2, sensitivity), lambda: ball(delta))

    def holds(sigma2: Fraction) -> bool:
        return _keeps(epsilon, delta, sigma2, sensitivity)

    low = high = _start(epsilon, delta, sensitivity)
    while not holds(high):
        low, high = high, high * 2
    while low == high or holds(low):
        high, low = low, low / 2
    edge = least_that_holds(excess, low, high)
    missing = _missing(epsilon, delta, edge, sensitivity)
    if not missing:
        return edge
    high = missing[-1] * 2
    for _, end in _stretches(missing[-1], epsilon, sensitivity):
        if holds(end):
            high = end
            break
    return least_that_holds(excess, missing[-1], high)


def smaller_that_keeps(
    *, epsilon: Fraction, delta: Fraction, sigma2: Fraction, sensitivity: int
) -> Fraction | None:
    """Return the least kink below what `sigma2_up` returned that keeps the loss, or None.

    On a stretch between kinks delta rises and then falls (docs/laws/discrete_gaussian.md), so that
    where no kink keeps it, nothing on the stretches looked at does.
    """
    step = sensitivity / epsilon if 4 * epsilon >= sensitivity else Fraction(0)
    if step == 0:
        return None
    half = Fraction(sensitivity, 2)
    last = math.ceil(sigma2 / step - half) - 1
    first = max(math.floor(-half) + 1, last - min(_STRETCHES, math.ceil(12 * step) + 2))
    kinks = ((whole + half) * step for whole in range(first, last + 1))
    return next((at for at in kinks if _keeps(epsilon, delta, at, sensitivity)), None)


def rho_of(*, sigma2: Fraction, l2_squared: Fraction) -> Fraction:
    """Return the zCDP loss, exactly: l2^2 / (2 sigma2), in any dimension.

    Source: Canonne, Kamath and Steinke 2020, Proposition 5 and Theorem 14.
    """
    return l2_squared / (2 * sigma2)


def probability(*, sigma2: Fraction, k: int) -> Real:
    """Return the chance of noise k as a real."""
    return lambda: (-ball(k * k / (2 * sigma2))).exp() / total(sigma2)


def variance_up(sigma2: Fraction) -> Fraction:
    """Return the variance of the noise, rounded up; it is a little below sigma2."""
    return real_up(lambda: variance(sigma2))


def _delta(epsilon: Fraction, sigma2: Fraction, sensitivity: int) -> Real:
    edge = epsilon * sigma2 / sensitivity - Fraction(sensitivity, 2)
    least = edge.numerator // edge.denominator + 1

    short = sensitivity <= _SHORT and sigma2 > _WIDE * sensitivity**2

    def real() -> Ball:
        far = upper(sigma2, least + sensitivity)
        if short:  # the two tails nearly cancel: their difference is added up instead
            between = added(sigma2, least, sensitivity)
            return (between - ball(epsilon).expm1() * far) / total(sigma2)
        return (upper(sigma2, least) - ball(epsilon).exp() * far) / total(sigma2)

    return real


def _keeps(epsilon: Fraction, delta: Fraction, sigma2: Fraction, sensitivity: int) -> bool:
    return not is_less(lambda: ball(delta), _delta(epsilon, sigma2, sensitivity))


def _missing(
    epsilon: Fraction, delta: Fraction, sigma2: Fraction, sensitivity: int
) -> list[Fraction]:
    """Return the variances from sigma2 on, of those looked at, at which delta is not kept."""

    def curve(point: Fraction) -> Real:
        return log_ratio(_delta(epsilon, point, sensitivity), lambda: ball(delta))

    return [
        point
        for start, end in _stretches(sigma2, epsilon, sensitivity)
        for point in (_peak(curve, start, end), end)
        if not _keeps(epsilon, delta, point, sensitivity)
    ]


def _stretches(
    sigma2: Fraction, epsilon: Fraction, sensitivity: int
) -> list[tuple[Fraction, Fraction]]:
    """Return the stretches between kinks from sigma2 on, over which delta falls by e^-6 at least.

    A kink is where the threshold t is whole; from one to the next delta falls by e^(-epsilon /
    (2 sensitivity)) in the long run. Where that is below e^-(1/8), no stretch rises.
    """
    if 4 * epsilon < sensitivity:
        return []
    step = sensitivity / epsilon
    first = (sigma2 + step * Fraction(sensitivity, 2)) // step
    kinks = [(first + k - Fraction(sensitivity, 2)) * step for k in range(_STRETCHES)]
    fallen = math.ceil(12 * step) + 2
    kinks = [sigma2, *(kink for kink in kinks[: fallen + 1] if kink > sigma2)]
    return list(pairwise(kinks))


def _peak(excess: Callable[[Fraction], Real], start: Fraction, end: Fraction) -> Fraction:
    """Return where the curve is highest on a stretch, which rises and then falls; or its start."""

    def value(share: float) -> float:
        with_share = start + (end - start) * Fraction(share)
        return float(narrow(excess(with_share)).mid())

    left, right = 0.0, 1.0
    if value(_NEAR) <= value(0):
        return start
    for _ in range(_THIRDS):
        lower, two = (2 * left + right) / 3, (left + 2 * right) / 3
        left, right = (left, two) if value(lower) >= value(two) else (lower, right)
    return start + (end - start) * Fraction((left + right) / 2)


def _start(epsilon: Fraction, delta: Fraction, sensitivity: int) -> Fraction:
    """Return a variance near the answer: the continuous Gaussian's, which differs by little."""
    sigma = gaussian.sigma_up(epsilon=epsilon, delta=delta, sensitivity=Fraction(sensitivity))
    return round_up(sigma * sigma, bits=32)
