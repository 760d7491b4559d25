"""The continuous Laplace law: its accuracy and privacy curve, to plan and to compare with.

Rules of this module:
- what discreet releases is drawn on a grid (the discrete Laplace); this law plans and compares;
- `rate` is epsilon / sensitivity, an exact rational above 0;
- every result is rounded up, within 2^-60 of the formula's value.
"""

from fractions import Fraction
from typing import Literal

from ..exact.enclosure import Ball, ball, is_less
from .geometric_accuracy import share_of
from .reals import real_up

Sides = Literal["two-sided", "one-sided"]


def accuracy_up(
    *, rate: Fraction, alpha: Fraction, sides: Sides = "two-sided", coordinates: int = 1
) -> Fraction:
    """Return the a that the error exceeds with chance alpha, rounded up.

    Args:
        rate: epsilon / sensitivity, above 0.
        alpha: in (0, 1].
        sides: "two-sided" for |error| > a, "one-sided" for error > a.
        coordinates: with more than one, the a that all of so many independent errors keep.

    Example: document 002 says 0.6832 for 99 %, which covers 49.5 %.

        >>> print(f"{float(accuracy_up(rate=Fraction(1), alpha=Fraction(1, 100))):.5f}")
        4.60517
    """
    factor = 1 if sides == "two-sided" else 2
    share = share_of(alpha, coordinates)
    if alpha == 1 or (coordinates == 1 and factor * alpha >= 1):
        return Fraction(0)
    return max(Fraction(0), real_up(lambda: -(factor * share()).log() / ball(rate)))


def rate_up(*, accuracy: Fraction, alpha: Fraction, coordinates: int = 1) -> Fraction:
    """Return the least rate that keeps an accuracy above 0, rounded up; alpha in (0, 1]."""
    return accuracy_up(rate=accuracy, alpha=alpha, coordinates=coordinates)


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
