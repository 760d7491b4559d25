"""The whole privacy curve of discrete Laplace noise, alone and k times over.

Rules of this module:
- delta and epsilon are rounded up, within 2^-60 of the exact value;
- for a sensitivity of 1 the curve is exactly that of randomized response, so that k releases
  compose exactly; for any other pure mechanism the same number is an upper bound.
"""

from fractions import Fraction

from ...errors import InputError
from ...exact.enclosure import Ball, Real, ball, floor_of, is_less
from ...fix import write
from ...noise.reals import least_that_holds, real_up

_MOST = 20_000


def single_delta_up(*, epsilon: Fraction, rate: Fraction, sensitivity: int) -> Fraction:
    """Return delta(epsilon) of discrete Laplace noise on one whole number, rounded up.

    Args:
        epsilon: in nats, at least 0.
        rate: 1 / scale of the noise, above 0.
        sensitivity: how far one unit moves the number, at least 1.

    The loss at noise k is rate (|k + s| - |k|), which grows with k up to rate s; the outcomes that
    count are those from the first k whose loss is above epsilon.
    """
    if epsilon >= rate * sensitivity:
        return Fraction(0)
    first = (epsilon / rate - sensitivity) / 2
    least = min(0, first.numerator // first.denominator + 1)

    def real() -> Ball:
        near = _upper(rate, least)
        return near - ball(epsilon).exp() * _upper(rate, least + sensitivity)

    return real_up(real)


def single_epsilon_up(*, delta: Fraction, rate: Fraction, sensitivity: int) -> Fraction:
    """Return the least epsilon of discrete Laplace noise on one whole number at delta, rounded up.

    From rate (s - 2i - 2) to rate (s - 2i) delta is a - e^epsilon b, and 1 - q^i at the upper end
    (docs/laws/discrete_laplace.md), so that i is a floor, and epsilon one logarithm.
    """
    top = rate * sensitivity
    if delta == 0:
        return top
    last = floor_of(lambda: -(ball(1 - delta).log()) / ball(rate))
    if 2 * last >= sensitivity:
        return Fraction(0)

    def real() -> Ball:
        return ((_upper(rate, -last) - ball(delta)) / _upper(rate, sensitivity - last)).log()

    return max(Fraction(0), min(top, real_up(real)))


def delta_up(*, epsilon: Fraction, epsilon_each: Fraction, releases: int) -> Fraction:
    """Return delta(epsilon) of so many epsilon_each-DP releases, rounded up.

    Args:
        epsilon: of all together, at least 0.
        epsilon_each: of one release, above 0.
        releases: at least 1, at most 20,000.

    Guarantee: exact for discrete Laplace noise of sensitivity 1, never too small for any
        adaptively chosen releases of that pure loss.

    Source: Kairouz, Oh and Viswanath 2015, Theorem 3.3 (arXiv 1311.0776).

    Example: a hundred releases at 0.1 add up to 10; they are (4.7746, 1e-6)-DP too.

        >>> total = Fraction("4.7746")
        >>> answer = delta_up(epsilon=total, epsilon_each=Fraction(1, 10), releases=100)
        >>> print(f"{float(answer):.4e}")
        9.9976e-07
    """
    if epsilon >= releases * epsilon_each:
        return Fraction(0)
    return real_up(_composed(epsilon, epsilon_each, releases))


def epsilon_up(*, delta: Fraction, epsilon_each: Fraction, releases: int) -> Fraction:
    """Return the least epsilon of so many epsilon_each-DP releases at delta, rounded up.

    It is at most their sum, which holds with delta = 0.
    """
    top = releases * epsilon_each
    if delta == 0:
        return top
    target = ball_of(delta)
    if not is_less(target, _composed(Fraction(0), epsilon_each, releases)):
        return Fraction(0)

    def excess(epsilon: Fraction) -> Real:
        real = _composed(epsilon, epsilon_each, releases)
        return lambda: real() / target() - 1

    high = low = top
    while not is_less(target, _composed(low, epsilon_each, releases)):
        high, low = low, low / 2
        if low < top / (1 << 60):
            return high
    return min(top, least_that_holds(excess, low, high))


def ball_of(number: Fraction) -> Real:
    """Return a rational as a real."""
    return lambda: ball(number)


def _composed(epsilon: Fraction, each: Fraction, releases: int) -> Real:
    """Sum C(k, i) (e^((k - i) each) - e^(epsilon + i each))+ / (1 + e^each)^k over i."""
    if releases > _MOST:
        raise InputError(
            f"releases = {releases} is more than {_MOST}, the most that are composed exactly.",
            kind="too-large-to-calculate",
            why="the exact curve has as many terms as there are releases",
            fix=(write("or less", releases=_MOST), "compose in zCDP: rho adds up"),
        )
    last = (releases - epsilon / each) / 2  # the terms with a positive difference
    terms = -(-last.numerator // last.denominator)

    def real() -> Ball:
        from flint import arb

        x = (-ball(each)).exp()
        scale = ball(epsilon).exp() * x**releases
        added, choose, power = arb(0), arb(1), arb(1)
        for i in range(terms):  # power = x^i; e^(epsilon + i each) grows as it falls
            added += choose * (power - scale / power)
            choose = choose * (releases - i) / (i + 1)
            power *= x
        return added / (1 + x) ** releases

    return real


def _upper(rate: Fraction, least: int) -> Ball:
    """Return Pr[X >= least]."""
    q = (-ball(rate)).exp()
    if least >= 1:
        return (-ball(rate) * least).exp() / (1 + q)
    return 1 - (-ball(rate) * (1 - least)).exp() / (1 + q)
