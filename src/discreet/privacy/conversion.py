"""How one kind of loss bounds another.

Rules of this module:
- every result is a rational rounded to the side its name says (`_up`, `_down`);
- a search may stop anywhere: each point it visits is already a valid bound;
- nothing here knows a mechanism.
"""

from fractions import Fraction

from ..exact.enclosure import ball, enclosed, ln_up, round_down, round_up, sqrt_up
from .loss import AnyLoss, Approx, Pure, Zcdp

_STEPS = 48  # halvings of a search; each end is a valid bound, more halvings only tighten it
_ORDER_STEPS = 26  # halvings for the order: delta is flat there, so half the digits are enough
_BITS = 160


def rho_of_pure(epsilon: Fraction) -> Fraction:
    """Return rho for which epsilon-DP implies rho-zCDP: epsilon^2 / 2.

    Source: Bun and Steinke 2016, Proposition 1.4.
    """
    return epsilon * epsilon / 2


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
    return min(Fraction(1), _delta_at(_best_order(rho, epsilon), rho, epsilon))


def epsilon_up(rho: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon for which rho-zCDP implies (epsilon, delta)-DP, for delta in (0, 1).

    Guarantee: `delta_up(rho, epsilon)` is at most delta.
    """
    low = Fraction(0)
    if rho == 0 or delta_up(rho, low) <= delta:
        return low
    high = round_up(rho + 2 * sqrt_up(rho * ln_up(1 / delta)))  # Bun and Steinke 2016, 1.3
    while delta_up(rho, high) > delta:
        high *= 2
    for _ in range(_STEPS):
        middle = round_up((low + high) / 2)
        if middle >= high:
            break
        low, high = (low, middle) if delta_up(rho, middle) <= delta else (middle, high)
    return high


def rho_down(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a rho for which rho-zCDP implies (epsilon, delta)-DP; 0 where delta is 0.

    Guarantee: `delta_up(rho, epsilon)` is at most delta.
    """
    if delta == 0 or epsilon == 0:
        return Fraction(0)
    surprise = ln_up(1 / delta)
    low = round_down((sqrt_up(surprise + epsilon) - sqrt_up(surprise)) ** 2)
    while delta_up(low, epsilon) > delta:
        low /= 2
    high = 2 * low
    while delta_up(high, epsilon) <= delta:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = round_down((low + high) / 2)
        if middle <= low:
            break
        low, high = (middle, high) if delta_up(middle, epsilon) <= delta else (low, middle)
    return low


def converted(loss: AnyLoss, kind: str) -> AnyLoss | None:
    """Return the loss in another kind where one number follows from it, else None.

    Pure loss converts to zCDP and to approx with delta 0; zCDP converts to neither, because
    (epsilon, delta) then leaves a choice that only the caller can make.
    """
    if loss.kind == kind:
        return loss
    if isinstance(loss, Pure):
        if kind == "zcdp":
            return Zcdp(rho_of_pure(loss.epsilon))
        return Approx(loss.epsilon, Fraction(0))
    if isinstance(loss, Approx) and loss.delta == 0:
        return converted(Pure(loss.epsilon), kind)
    return None


def _best_order(rho: Fraction, epsilon: Fraction) -> Fraction:
    """Return a nearly best order less 1; any positive one is valid, so it need not be exact.

    The exponent's derivative in the order a is (2a - 1) rho - epsilon + ln(1 - 1/a), increasing.
    """
    low, high = Fraction(1, 2), Fraction(1)
    while _slope(high, rho, epsilon) < 0:
        low, high = high, 2 * high
    while _slope(low, rho, epsilon) > 0:
        low, high = low / 2, low
    for _ in range(_ORDER_STEPS):
        middle = round_up((low + high) / 2, bits=32)
        if middle >= high:
            break
        low, high = (middle, high) if _slope(middle, rho, epsilon) < 0 else (low, middle)
    return high


def _slope(above: Fraction, rho: Fraction, epsilon: Fraction) -> Fraction:
    return (2 * above + 1) * rho - epsilon + ln_up(above / (above + 1), bits=40)


def _delta_at(above: Fraction, rho: Fraction, epsilon: Fraction) -> Fraction:
    order = above + 1
    exponent = above * (order * rho - epsilon)
    return enclosed(
        lambda: (ball(exponent) + ball(order) * ball(above / order).log()).exp() / ball(above),
        _BITS,
    )[1]
