"""How one kind of loss bounds another.

Rules of this module:
- every result is a rational rounded to the side its name says (`_up`, `_down`);
- a search may stop anywhere: each point it visits is already a valid bound;
- nothing here knows a mechanism.
"""

from collections.abc import Callable
from fractions import Fraction

from ..exact.enclosure import Ball, Real, ball, enclosed, round_down, round_up
from .gdp import mu2_of_pure
from .loss import IDEAL, NAMES, Kind, Loss

# Everything here rests on one inequality. For every order a = b + 1 > 1, rho-zCDP implies
# (epsilon, delta)-DP where ln delta = b (a rho - epsilon) + a ln(1 - 1/a) - ln b (see `delta_up`).
# With `_room(delta, b)` = a ln(1 - 1/a) - ln b - ln delta it says the same of epsilon and of rho:
# epsilon = a rho + room / b, and rho = (epsilon - room / b) / a. Each b gives a bound, so that a
# search has nothing to prove: it looks for a good b, and its slope is the derivative in b, less a
# positive factor. That slope changes sign once, because ln delta is convex in b.

_ORDER_STEPS = 48  # halvings for the order: a result is flat there, twice as many digits are right
_SLOPE_BITS = 128
_LEAST = Fraction(1, 1 << 1024)  # a search stops there: what it finds is as good as delta = 1
_BITS = 160
_LAST_BITS = 1 << 17
_KINDS: dict[str, Kind] = {kind: kind for kind in NAMES}


def rho_of_pure(epsilon: Fraction) -> Fraction:
    """Return rho for which epsilon-DP implies rho-zCDP: epsilon tanh(epsilon / 2), rounded up.

    Guarantee: no smaller rho follows. Bun and Steinke 2016, Proposition 1.4, have epsilon^2 / 2.

    Source: every epsilon-DP pair is made of randomized response. Its divergence of order a is
        D = ln(cosh((a - 1/2) epsilon) / cosh(epsilon / 2)) / (a - 1). As a function of
        u = (a - 1/2)^2 that logarithm is concave, because tanh(x) / x falls; it is 0 at u = 1/4,
        with slope epsilon tanh(epsilon / 2). So (a - 1) D <= (u - 1/4) epsilon tanh(epsilon / 2),
        and u - 1/4 = a (a - 1). Order 1 attains it.
    """
    if epsilon == 0:
        return Fraction(0)
    return round_up(enclosed(lambda: ball(epsilon) * (ball(epsilon) / 2).tanh(), _BITS)[1])


def delta_up(rho: Fraction, epsilon: Fraction) -> Fraction:
    """Return a delta for which rho-zCDP implies (epsilon, delta)-DP.

    Guarantee: never below the best delta over all orders; a worse order only raises it.

    Args:
        rho: zCDP loss, at least 0.
        epsilon: in nats, at least 0.

    Returns: a rational in [0, 1], rounded up.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12 (arXiv 2004.00010v4): for each order
        a > 1, delta = exp((a - 1)(a rho - epsilon)) (1 - 1/a)^a / (a - 1).

    Example: the best possible delta here is 2.0014e-09.

        >>> print(f"{float(delta_up(Fraction(1, 8), Fraction(3))):.4e}")
        2.0014e-09
    """
    if rho == 0:
        return Fraction(0)

    def slope(above: Ball) -> Ball:
        return (2 * above + 1) * ball(rho) - ball(epsilon) - (1 / above).log1p()

    return min(Fraction(1), _delta_at(_crossing(slope), rho, epsilon))


def epsilon_up(rho: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon for which rho-zCDP implies (epsilon, delta)-DP, for delta in (0, 1).

    Guarantee: never below the best epsilon over all orders; a worse order only raises it.

    Source: as `delta_up`, solved for epsilon.

    Example:
        >>> print(f"{float(epsilon_up(Fraction(1, 8), Fraction(1, 10**6))):.6f}")
        2.419093
    """
    if rho == 0:
        return Fraction(0)

    def slope(above: Ball) -> Ball:
        return ball(rho) * above**2 + (1 + above).log() + ball(delta).log()

    above = _crossing(slope)
    epsilon = enclosed(lambda: ball((above + 1) * rho) + _room(delta, above) / ball(above), _BITS)
    return max(Fraction(0), round_up(epsilon[1]))


def rho_down(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a rho for which rho-zCDP implies (epsilon, delta)-DP; 0 where one of them is 0.

    Guarantee: never above the best rho over all orders; a worse order only lowers it.

    Source: as `delta_up`, solved for rho.

    Example:
        >>> print(f"{float(rho_down(Fraction(1), Fraction(1, 10**6))):.6f}")
        0.024356
    """
    if delta == 0 or epsilon == 0:
        return Fraction(0)

    def fall(above: Ball) -> Ball:
        logarithms = (2 * above + 1) * (ball(delta).log() + above.log1p())
        return logarithms + above**2 * (ball(epsilon) + (1 / above).log1p())

    above = _crossing(fall)
    return _positive_down(
        lambda: (ball(epsilon) - _room(delta, above) / ball(above)) / ball(above + 1)
    )


def converted(loss: Loss, kind: str) -> Loss | None:
    """Return the loss in another kind where one number follows from it, else None.

    Pure loss converts to all kinds, with delta 0; Gaussian loss to zCDP, and into its purse. It and
    zCDP do not convert to approx, because (epsilon, delta) leaves a choice that only the caller can
    make. (epsilon, delta) goes into the purses of pure losses and of chances. What becomes rho or
    mu2 becomes it beside a chance, too, and so does (epsilon, delta), with delta for the chance.
    """
    if loss.kind == kind:
        return loss
    if kind in IDEAL or loss.kind in IDEAL:
        return _but_for_a_chance(loss, kind)
    named = loss.named
    follows: dict[tuple[str, str], Callable[[], tuple[Fraction, ...]]] = {
        ("gdp", "zcdp"): lambda: (named["mu2"] / 2,),
        ("gdp", "purses"): lambda: (Fraction(0), named["mu2"], Fraction(0)),
        ("approx", "purses"): lambda: (named["epsilon"], Fraction(0), named["delta"]),
    }
    if "epsilon" in named and not named.get("delta"):
        epsilon = named["epsilon"]
        pure: dict[str, Callable[[], tuple[Fraction, ...]]] = {
            "pure": lambda: (epsilon,),
            "zcdp": lambda: (rho_of_pure(epsilon),),
            "gdp": lambda: (mu2_of_pure(epsilon),),
            "approx": lambda: (epsilon, Fraction(0)),
            "purses": lambda: (epsilon, Fraction(0), Fraction(0)),
        }
        follows |= {(loss.kind, other): numbers for other, numbers in pure.items()}
    numbers = follows.get((loss.kind, kind))
    return None if numbers is None else Loss(_KINDS[kind], numbers())


def _but_for_a_chance(loss: Loss, kind: str) -> Loss | None:
    """Return a loss in another kind, where one of the two is kept but for a chance.

    Source: (epsilon, delta) is made of a pair that with chance delta tells all and keeps epsilon
        else (Kairouz, Oh and Viswanath 2015, Theorem 2.1).
    """
    chance = loss.named.get("delta", Fraction(0))
    ideal = Loss("pure", (loss.epsilon,)) if loss.kind == "approx" else loss.ideal
    if kind in IDEAL:
        other = converted(ideal, IDEAL[kind])
        return None if other is None else Loss(_KINDS[kind], (*other.numbers, chance))
    other = converted(ideal, kind)
    if other is not None and kind == "purses":
        return other.plus(Loss("purses", (Fraction(0), Fraction(0), chance)))
    return None if chance else other


def _delta_at(above: Fraction, rho: Fraction, epsilon: Fraction) -> Fraction:
    exponent = above * ((above + 1) * rho - epsilon)
    return enclosed(lambda: (ball(exponent) + _lift(above)).exp() / ball(above), _BITS)[1]


def _room(delta: Fraction, above: Fraction) -> Ball:
    return _lift(above) - ball(above).log() - ball(delta).log()


def _lift(above: Fraction) -> Ball:
    """Return a ln(1 - 1/a), which is as sharp for a large order as for a small one."""
    return -ball(above + 1) * ball(1 / above).log1p()


def _crossing(slope: Callable[[Ball], Ball]) -> Fraction:
    """Return a point near the one where an increasing sign turns; none would be wrong."""
    from flint import ctx

    with ctx.workprec(_SLOPE_BITS):
        low, high = Fraction(1, 2), Fraction(1)
        while slope(ball(high)) < 0:
            low, high = high, 2 * high
        while slope(ball(low)) > 0 and low > _LEAST:
            low, high = low / 2, low
        for _ in range(_ORDER_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(ball(middle)) < 0 else (low, middle)
    return high


def _positive_down(real: Real) -> Fraction:
    """Return a rational above 0 and at most the real, from bits enough to tell it from 0."""
    bits = _BITS
    while bits < _LAST_BITS:
        low = enclosed(real, bits)[0]
        if low > 0:
            return round_down(low)
        bits *= 2
    return Fraction(0)
