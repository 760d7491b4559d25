"""Gaussian differential privacy: what mu^2 promises, in every direction, certified.

Rules of this module:
- the loss is mu^2, because that is what adds up, and no root has to be rounded for it;
- whatever is returned was compared with its target in balls: Newton's method only proposes. Where
  that does not settle (losses beyond all use), the bound of zCDP is taken, which mu^2 / 2 implies;
- nothing here knows a mechanism.

Proofs: docs/laws/gdp.md.

Decision 29.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from ..exact.enclosure import Ball, ball, enclosed, round_down, round_up

# mu-GDP says that telling two neighbors apart is never easier than telling N(0, 1) from N(mu, 1).
# With a = epsilon / mu - mu / 2 and b = a + mu, and Q the upper tail of N(0, 1), that pair has
# delta(epsilon) = Q(a) - e^epsilon Q(b) (Balle and Wang 2018, Theorem 8; Dong, Roth and Su 2022,
# Corollary 2.13), its derivatives are -e^epsilon Q(b) in epsilon and density(a) in mu.
# ln delta is concave in epsilon and in ln mu, so that each step of Newton's method lands where the
# promise is kept, but for the rounding of the last one.

_BITS = 160
_STEPS = 60
_SETTLED = Fraction(1, 1 << 60)
_NUDGE = Fraction(1, 1 << 50)  # what a result is moved by, to its safe side, before it is certified
_NUDGES = 40


def delta_up(mu2: Fraction, epsilon: Fraction) -> Fraction:
    """Return the least delta for which mu-GDP implies (epsilon, delta)-DP, rounded up.

    Args:
        mu2: the square of mu, at least 0.
        epsilon: in nats, at least 0.

    Example:
        >>> print(f"{float(delta_up(Fraction(1), Fraction(1))):.9f}")
        0.126936738
    """
    if mu2 == 0:
        return Fraction(0)

    def real() -> Ball:
        value = _curve(ball(mu2).sqrt(), ball(epsilon))[0]
        return value if bool(value < 1) else ball(Fraction(1))  # a chance, however wide its ball

    return max(Fraction(0), enclosed(real, _bits(mu2, epsilon))[1])


def keeps(mu2: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether mu-GDP certainly implies (epsilon, delta)-DP; no where that is not decided."""
    return delta_up(mu2, epsilon) <= delta


@lru_cache(maxsize=4096)
def epsilon_up(mu2: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon for which mu-GDP implies (epsilon, delta)-DP, for delta in (0, 1).

    Guarantee: its enclosed delta is at most the target.

    Example:
        >>> print(f"{float(epsilon_up(Fraction(1, 4), Fraction(1, 10**6))):.6f}")
        2.254085
    """
    if keeps(mu2, Fraction(0), delta):
        return Fraction(0)

    def start() -> Ball:
        return ball(mu2 / 2) + (-2 * ball(mu2) * ball(delta).log()).sqrt()

    def step(epsilon: Ball) -> Ball:
        value, _, slope = _curve(ball(mu2).sqrt(), epsilon)
        return epsilon + (value / ball(delta)).log() * value / slope

    root = _root(start, step)
    for power in range(_NUDGES):
        epsilon = round_up(root * (1 + _NUDGE * 2**power))
        if keeps(mu2, epsilon, delta):
            return epsilon
    from .conversion import epsilon_up as through_zcdp

    return through_zcdp(mu2 / 2, delta)


@lru_cache(maxsize=4096)
def mu2_down(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a mu^2 for which mu-GDP implies (epsilon, delta)-DP; 0 where delta is 0.

    Guarantee: its enclosed delta is at most the target.

    Example: zCDP with the same promise has 2 rho = 0.048712.

        >>> print(f"{float(mu2_down(Fraction(1), Fraction(1, 10**6))):.6f}")
        0.056029
    """
    if delta == 0:
        return Fraction(0)

    def start() -> Ball:
        if epsilon == 0:  # delta = 2 Phi(mu / 2) - 1, hardly less than mu / sqrt(2 pi)
            return ball(delta) * (2 * ball(Fraction(1)).atan() * 4).sqrt()
        far = (-2 * ball(delta).log()).sqrt()
        return 2 * ball(epsilon) / ((far**2 + 2 * ball(epsilon)).sqrt() + far)

    def step(mu: Ball) -> Ball:
        value, density, _ = _curve(mu, ball(epsilon))
        return mu * (-(value / ball(delta)).log() * value / (mu * density)).exp()

    root = _root(start, step) ** 2
    for power in range(_NUDGES):
        mu2 = round_down(root * (1 - _NUDGE * 2**power))
        if mu2 > 0 and keeps(mu2, epsilon, delta):
            return mu2
    from .conversion import rho_down

    return 2 * rho_down(epsilon, delta)


@lru_cache(maxsize=4096)
def mu2_of_pure(epsilon: Fraction) -> Fraction:
    """Return the least mu^2 that epsilon-DP implies, rounded up.

    Source: every epsilon-DP pair is made of randomized response, whose curve has one corner, at
        1 / (1 + e^epsilon) on both axes: mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)).

    Example:
        >>> print(f"{float(mu2_of_pure(Fraction(1))):.6f}")
        1.517911
    """
    if epsilon == 0:
        return Fraction(0)

    def real() -> Ball:
        return 4 * upper_quantile(1 / (1 + ball(epsilon).exp())) ** 2

    return round_up(enclosed(real, _BITS + _size(epsilon))[1])


def pure_down(mu2: Fraction) -> Fraction:
    """Return an epsilon for which epsilon-DP implies mu-GDP, rounded down: `mu2_of_pure` backwards.

    Example:
        >>> print(f"{float(pure_down(mu2_of_pure(Fraction(1)))):.6f}")
        1.000000
    """
    if mu2 == 0:
        return Fraction(0)

    def real() -> Ball:
        corner = upper_tail(ball(mu2).sqrt() / 2)
        return ((1 - corner) / corner).log()

    return max(Fraction(0), round_down(enclosed(real, _BITS + 2 * _size(mu2))[0]))


def true_yes_up(mu2: Fraction, false_yes: Fraction) -> Fraction:
    """Return the most likely that a true yes can be, where a false one has a given chance.

    Source: the definition, Dong, Roth and Su 2022: Phi(Phi^-1(false_yes) + mu).

    Example:
        >>> print(f"{float(true_yes_up(Fraction(1, 4), Fraction(1, 100))):.5f}")
        0.03390
    """
    if mu2 == 0:
        return false_yes
    ends = enclosed(lambda: upper_tail(upper_quantile(ball(false_yes)) - ball(mu2).sqrt()), _BITS)
    return min(Fraction(1), ends[1])


def upper_tail(x: Ball) -> Ball:
    """Return Pr[N(0, 1) > x], in a ball at the working precision."""
    from flint import arb

    return (x / arb(2).sqrt()).erfc() / 2


def upper_quantile(chance: Ball) -> Ball:
    """Return the x that N(0, 1) exceeds with this chance, in a ball at the working precision."""
    from flint import arb

    return arb(2).sqrt() * (2 * chance).erfcinv()


def _curve(mu: Ball, epsilon: Ball) -> tuple[Ball, Ball, Ball]:
    """Return delta, its derivative in mu, and minus its derivative in epsilon."""
    from flint import arb

    low = epsilon / mu - mu / 2
    second = epsilon.exp() * upper_tail(low + mu)
    density = (-(low**2) / 2).exp() / (2 * arb.pi()).sqrt()
    return upper_tail(low) - second, density, second


def _root(start: Callable[[], Ball], step: Callable[[Ball], Ball]) -> Fraction:
    """Return a point near the root that the steps lead to; whoever asks certifies it."""
    from flint import ctx

    with ctx.workprec(2 * _BITS):
        x = start().mid()
        for _ in range(_STEPS):
            moved = step(x).mid()
            if not (moved > 0 and moved.is_finite()):
                break
            step_size, x = abs(moved - x), moved
            if bool(step_size <= ball(_SETTLED) * moved):
                break
    return enclosed(lambda: x, 2 * _BITS)[1]


def _bits(mu2: Fraction, epsilon: Fraction) -> int:
    """Return bits enough for what the two tails cancel, and many more besides."""
    return _BITS + 2 * _size(mu2) + _size(epsilon)


def _size(number: Fraction) -> int:
    return abs(number.numerator.bit_length() - number.denominator.bit_length())
