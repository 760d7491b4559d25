"""What redrawing costs: the exact factor of the truncated geometric, and document 003's.

Rules of this module:
- noise made at epsilon' and redrawn until it is inside the bounds loses epsilon' + ln M, with
  M = Z_s / Z_0 = (1 + q - q^(s+1) - q^(n-s+1)) / (1 - q^(n+1)), q = e^(-epsilon'/s), n the width
  of the bounds and s the sensitivity;
- losses are rounded up, an epsilon' to be used is rounded down and certified;
- what has `note` in its name is printed in document 003 and is neither safe nor tight.
"""

from fractions import Fraction

from ...exact.enclosure import Ball, Real, ball, is_less, round_down
from ...noise.reals import least_that_holds, real_down, real_near, real_up


def factor_up(*, epsilon: Fraction, width: int, sensitivity: int = 1) -> Fraction:
    """Return the exact M of the law made at epsilon, rounded up.

    Example: the printed formula says 1.0957 at n = 30, epsilon = 0.1.

        >>> print(f"{float(factor_up(epsilon=Fraction(1, 10), width=30)):.4f}")
        1.0852
    """
    if is_free(width, sensitivity):
        return Fraction(1)
    return real_up(lambda: _factor(epsilon, width, min(sensitivity, width)))


def true_epsilon_up(*, epsilon: Fraction, width: int, sensitivity: int = 1) -> Fraction:
    """Return what the law made at epsilon loses: epsilon + ln M, rounded up."""
    if is_free(width, sensitivity):
        return epsilon if width else Fraction(0)
    return real_up(lambda: ball(epsilon) + _factor(epsilon, width, min(sensitivity, width)).log())


def calibrated_epsilon_down(*, epsilon: Fraction, width: int, sensitivity: int = 1) -> Fraction:
    """Return the largest epsilon' whose law loses at most epsilon, rounded down.

    Guarantee: epsilon' + ln M(epsilon') is at most epsilon, and no longer with 6e-14 more.

    Args:
        epsilon: the loss that is promised, above 0.
        width: upper - lower, public.
        sensitivity: at least 1; a count cannot move further than the width.
    """
    if is_free(width, sensitivity):
        return epsilon
    shift = min(sensitivity, width)

    def excess(inverse: Fraction) -> Real:
        made_at = 1 / inverse
        return lambda: (ball(made_at) + _factor(made_at, width, shift).log()) / ball(epsilon) - 1

    low, high = 1 / epsilon, 2 / epsilon
    while not is_less(excess(high), lambda: ball(Fraction(0))):
        low, high = high, 2 * high
    return round_down(1 / least_that_holds(excess, low, high))


def any_width_epsilon_down(epsilon: Fraction) -> Fraction:
    """Return an epsilon' that is safe for every width, at sensitivity 1: asinh((e^epsilon - 1)/2).

    M is at most 1 + q - q^2, and asinh((e^epsilon - 1) / 2) solves e^x (1 + q - q^2) = e^epsilon.
    """

    def real() -> Ball:
        return (ball(epsilon).expm1() / 2).asinh()

    return real_down(real)


def reject_chance_up(*, rate: Fraction, below: int, above: int) -> Fraction:
    """Return Pr[noise leaves the bounds], (q^(below+1) + q^(above+1)) / (1 + q), rounded up."""
    return real_up(
        lambda: (
            ((-ball(rate) * (below + 1)).exp() + (-ball(rate) * (above + 1)).exp())
            / (1 + (-ball(rate)).exp())
        )
    )


def loss_ratio(*, q: Fraction, width: int) -> Fraction:
    """Return e^loss = M / q exactly, for a rational q, sensitivity 1 and width of at least 1.

    Example:
        >>> loss_ratio(q=Fraction(1, 2), width=5)
        Fraction(52, 21)
    """
    return (1 + q - q**2 - q**width) / (1 - q ** (width + 1)) / q


def note_factor_up(*, epsilon: Fraction, width: int) -> Fraction:
    """Return document 003's M, (1 + q^(n+2)) / (q + q^(n+1)), rounded up; it bounds nothing."""

    def real() -> Ball:
        q = power(epsilon, 1)
        return (1 + q * q * power(epsilon, width)) / (q + q * power(epsilon, width))

    return real_up(real)


def note_ratio_not_private(*, q: Fraction, width: int) -> Fraction:
    """Return document 003's M e^epsilon exactly, for a rational q: the truth can exceed it."""
    return (1 + q ** (width + 2)) / (q + q ** (width + 1)) / q


def note_epsilon_not_private(*, epsilon: Fraction, width: int) -> Fraction:
    """Return document 003's epsilon' = epsilon - ln M, within 2^-60: its promise can be broken.

    It is ln((1 + q^n) / (1 + q^(n+2))), written so that no digits cancel.
    """

    def real() -> Ball:
        low, high = power(epsilon, width), power(epsilon, width + 2)
        return ((low - high) / (1 + high)).log1p()

    return real_near(real)


def is_free(width: int, sensitivity: int) -> bool:
    """Tell whether redrawing costs nothing: one unit can move the count from end to end."""
    return width <= max(1, sensitivity)


def power(rate: Fraction, steps: int) -> Ball:
    """Return e^(-rate steps) at the working precision."""
    return (-ball(rate) * steps).exp()


def _factor(epsilon: Fraction, width: int, shift: int) -> Ball:
    """Return M at the working precision: 1 + q (1 - q^s)(1 - q^(n-s)) / (1 - q^(n+1))."""
    rate = ball(epsilon) / shift

    def gap(steps: int) -> Ball:
        return -((-rate * steps).expm1())

    return 1 + (-rate).exp() * gap(shift) * gap(width - shift) / gap(width + 1)
