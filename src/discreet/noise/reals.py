"""Reals of the laws: enclosed as narrowly as asked, and rounded to the side that is named.

Rules of this module:
- a real is a function that makes a ball at the working precision (see `exact.enclosure`);
- `real_up` is never below the true value, `real_down` never above; both are within 2^-60 of it,
  relatively, however small it is (below 2^-1,048,576 they return that bound, and 0);
- a root is found by Newton's method on any side, then certified by whoever asked for it.
"""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from ..errors import InternalError
from ..exact.enclosure import Ball, Real, ball, is_less, round_down, round_up

_FIRST_BITS = 128
_LAST_BITS = 1 << 17
_RELATIVE_BITS = 62  # a ball is narrow enough when its radius is 2^-62 of its value
_STEP_BITS = 66  # a search ends with a step below 2^-66 of the root
_SMALLEST = Fraction(1, 1 << (1 << 20))
_LARGEST_POWER = 1 << 20
_EXACT_BITS = 256  # so that an upper bound is not rounded further up than that
_DIGITS = 17
_NEWTON_STEPS = 1000
_SECANT_STEPS = 40
_WITHIN = Fraction(1, 1 << 45)
_FAR = 1000  # where an asymptotic series takes the place of erfc
_MOST_TERMS = 100_000  # of that series; its terms fall as long as there are fewer than z^2 / 2

Curve = Callable[[Ball], tuple[Ball, Ball]]  # x to (value, derivative)


def narrow(real: Real, *, first_bits: int = _FIRST_BITS) -> Ball:
    """Return a ball around a real other than zero, with relative radius at most 2^-62."""
    from flint import arb, ctx

    tiny = arb(2) ** -_LARGEST_POWER
    bits = first_bits
    while bits <= _LAST_BITS:
        with ctx.workprec(bits):
            value = real()
        if value.rel_accuracy_bits() >= _RELATIVE_BITS or bool(abs(value) < tiny):
            return value
        bits *= 2
    raise _unsolved("a real number was not enclosed by a hundred thousand bits.")


def real_up(real: Real) -> Fraction:
    """Return a rational at least the real, within 2^-60 of it; the real is not zero."""
    return round_up(fraction_up(narrow(real)))


def real_down(real: Real) -> Fraction:
    """Return a rational at most the real, within 2^-60 of it; the real is not zero."""
    return round_down(-fraction_up(-narrow(real)))


def fraction_up(value: Ball) -> Fraction:
    """Return a rational at least every point of the ball."""
    from flint import ctx

    with ctx.workprec(_EXACT_BITS):
        mantissa, exponent = value.upper().man_exp()
    shift = int(exponent)
    if shift >= 0:
        return Fraction(int(mantissa) << shift)
    if shift < -2 * _LARGEST_POWER:
        return _SMALLEST if mantissa > 0 else Fraction(0)
    return Fraction(int(mantissa), 1 << -shift)


def newton_root(curve: Curve, start: Fraction, *, bits: int, in_logarithm: bool = False) -> Ball:
    """Return a point near the root of a concave or convex curve, by Newton's method.

    Args:
        curve: takes a ball of radius zero, returns the value and the derivative there; with
            `in_logarithm` the derivative with respect to ln x.
        start: where to begin, above zero.
        bits: working precision.
        in_logarithm: step in ln x instead of in x.
    """
    from flint import ctx

    with ctx.workprec(bits):
        x = ball(start).mid()
        for _ in range(_NEWTON_STEPS):
            value, slope = curve(x)
            step = (value / slope).mid()
            moved = (x * (-step).exp() if in_logarithm else x - step).mid()
            if abs(moved - x) * (1 << _STEP_BITS) <= abs(moved):
                return moved
            x = moved if moved > 0 else x / 2
    raise _unsolved("a search for a root did not end.")


def least_whole(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least whole number above `low` that holds, where `high` does and all beyond it."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def least_that_holds(excess: Callable[[Fraction], Real], low: Fraction, high: Fraction) -> Fraction:
    """Return a point where a decreasing excess is at most 0, while 6e-14 of it below it is not.

    Args:
        excess: a point to the real that must not exceed 0; it changes sign in (low, high).
        low: a point above 0 where it exceeds 0.
        high: a point where it does not.

    The secant method in ln x proposes; enclosures decide; halving takes over where that fails.
    """
    guess = _secant(excess, low, high)
    above, below = round_up(guess * (1 + _WITHIN)), round_down(guess * (1 - _WITHIN))
    if _holds(excess(above)) and not _holds(excess(below)):
        return above
    while high > low * (1 + _WITHIN):
        middle = round_up((low + high) / 2)
        low, high = (low, middle) if _holds(excess(middle)) else (middle, high)
    return high


def mills(z: Ball) -> Ball:
    """Return the integral of e^(-y^2/2) over y >= z, over e^(-z^2/2).

    Far out FLINT's erfc keeps no digits, and the asymptotic series does: its terms alternate and
    fall, so that what is left is smaller than the first term left out.
    """
    from flint import arb, ctx

    if z < _FAR:
        return (arb.pi() / 2).sqrt() * (z / arb(2).sqrt()).erfc() * (z * z / 2).exp()
    term, added, k = arb(1), arb(0), 0
    while k < _MOST_TERMS and not abs(term) < arb(2) ** -ctx.prec:
        added += term
        k += 1
        term *= -(2 * k - 1) / (z * z)
    return (added + arb(0).union(term)) / z


def log_ratio(left: Real, right: Real) -> Real:
    """Return ln(left / right), the usual excess of a search."""

    def real() -> Ball:
        return (left() / right()).log()

    return real


def real_near(real: Real) -> Fraction:
    """Return a rational within 2^-60 of the real, relatively; the real is not zero."""
    value = narrow(real)
    return round_down(fraction_up(value.mid()))


def decimal_near(number: Fraction) -> Decimal:
    """Return the decimal of 17 digits nearest to a rational."""
    return _decimal(number, ROUND_HALF_EVEN)


def decimal_up(number: Fraction) -> Decimal:
    """Return the least decimal of 17 digits that is at least the number."""
    return _decimal(number, ROUND_CEILING)


def decimal_down(number: Fraction) -> Decimal:
    """Return the greatest decimal of 17 digits that is at most the number."""
    return _decimal(number, ROUND_FLOOR)


def log2_of(number: Fraction) -> int:
    """Return log2 of a positive rational, give or take one."""
    return number.numerator.bit_length() - number.denominator.bit_length()


def start_of(number: Fraction) -> float:
    """Return a double near a positive rational, held in the middle of their range.

    It only starts a search or chooses a method; nothing released depends on it.
    """
    power = log2_of(number)
    if abs(power) > 500:
        return math.ldexp(1.0, 500 if power > 0 else -500)
    return float(number)


def _holds(excess: Real) -> bool:
    return is_less(excess, lambda: ball(Fraction(0)))


def _secant(excess: Callable[[Fraction], Real], low: Fraction, high: Fraction) -> Fraction:
    """Return a point near the change of sign, or anything in the bracket; never a decision."""
    from flint import ctx

    def value(x: Fraction) -> float:
        with ctx.workprec(2 * _FIRST_BITS):
            return float(excess(x)().mid())

    points = [(low, value(low)), (high, value(high))]
    for _ in range(_SECANT_STEPS):
        (x, f), (y, g) = points
        if f == g or abs(g) < 1e-15:
            break
        ratio = math.log(x / y) * g / (f - g)
        moved = y * Fraction(math.exp(-max(-50.0, min(50.0, ratio))))
        moved = round_up(moved) if low < moved < high else round_up((low + high) / 2)
        points = [(y, g), (moved, value(moved))]
        if points[1][1] > 0:
            low = moved
        else:
            high = moved
    return points[1][0]


def _decimal(number: Fraction, rounding: str) -> Decimal:
    context = Context(prec=_DIGITS, rounding=rounding, Emin=-999_999_999, Emax=999_999_999)
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _unsolved(what: str) -> InternalError:
    return InternalError(
        what,
        kind="not-certified",
        why="it lies outside the range that this search was built for",
        fix="please report it, with the parameters that were asked for",
    )
