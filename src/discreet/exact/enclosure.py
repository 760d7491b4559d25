"""e^x, ln and roots enclosed from both sides, by the ball arithmetic of FLINT.

Rules of this module:
- a function named `_up` never returns less than the true value, `_down` never more;
- a real number is handed over as a function from a precision in bits to a ball that holds it;
- where a decision depends on the real number, the precision grows until the ball decides.

Decision 3.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..errors import InternalError

Ball = Any  # flint.arb: python-flint ships no types
Real = Callable[[], Ball]  # called with the working precision already set

_FIRST_BITS = 128
_LAST_BITS = 1 << 20
_BITS = 96  # of what is rounded up or down, about
_SMALLEST_POWER = 1 << 16


def ball(number: Fraction) -> Ball:
    """Return a ball around a rational, as narrow as the working precision allows."""
    import flint

    return flint.arb(flint.fmpq(number.numerator, number.denominator))


def enclosed(real: Real, bits: int) -> tuple[Fraction, Fraction]:
    """Return rationals below and above the real, from a ball made with `bits` bits.

    A real within 2^-65536 of zero is enclosed by zero and that number: rationals hold no exponents.
    """
    import flint

    with flint.ctx.workprec(bits):
        value = real()
        return -_fraction_up(-value.lower()), _fraction_up(value.upper())


def floor_of(real: Real) -> int:
    """Return the floor of a real that is not an integer, at whatever precision decides it."""
    import flint

    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        with flint.ctx.workprec(bits):
            answer = real().floor().unique_fmpz()
        if answer is not None:
            return int(answer)
        bits *= 2
    raise _undecided()


def is_less(left: Real, right: Real) -> bool:
    """Tell whether left < right, for two reals that differ, at whatever precision decides it."""
    import flint

    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        with flint.ctx.workprec(bits):
            a, b = left(), right()
            if a < b:
                return True
            if a > b:
                return False
        bits *= 2
    raise _undecided()


def exp_up(exponent: Fraction) -> Fraction:
    """Return a rational at least e^exponent, within a relative 2^-96 or so."""
    return enclosed(lambda: ball(exponent).exp(), _BITS + _guard(exponent))[1]


def ln_up(number: Fraction) -> Fraction:
    """Return a rational at least ln(number), for number > 0."""
    return enclosed(lambda: ball(number).log(), _BITS + _guard(number))[1]


def ln_down(number: Fraction) -> Fraction:
    """Return a rational at most ln(number), for number > 0."""
    return enclosed(lambda: ball(number).log(), _BITS + _guard(number))[0]


def sqrt_up(number: Fraction) -> Fraction:
    """Return a rational at least the square root of number, for number >= 0."""
    return enclosed(lambda: ball(number).sqrt(), _BITS + _guard(number))[1]


def sqrt_down(number: Fraction) -> Fraction:
    """Return a rational at most the square root of number, for number >= 0."""
    return max(Fraction(0), enclosed(lambda: ball(number).sqrt(), _BITS + _guard(number))[0])


def round_down(number: Fraction, *, bits: int = 64) -> Fraction:
    """Return a rational at most number, with at most `bits` significant bits."""
    if number == 0:
        return number
    shift = bits - (number.numerator.bit_length() - number.denominator.bit_length())
    scaled = number * (Fraction(2) ** shift)
    return Fraction(scaled.numerator // scaled.denominator) * Fraction(2) ** -shift


def round_up(number: Fraction, *, bits: int = 64) -> Fraction:
    """Return a rational at least number, with at most `bits` significant bits."""
    return -round_down(-number, bits=bits)


def _fraction_up(exact_ball: Ball) -> Fraction:
    mantissa, exponent = (int(part) for part in exact_ball.man_exp())
    if mantissa.bit_length() + exponent < -_SMALLEST_POWER:
        return Fraction(1, 2**_SMALLEST_POWER) if mantissa > 0 else Fraction(0)
    return Fraction(mantissa) * Fraction(2) ** exponent


def _guard(number: Fraction) -> int:
    return 32 + max(0, abs(number.numerator).bit_length() - number.denominator.bit_length())


def _undecided() -> InternalError:
    return InternalError(
        "a comparison of two real numbers was not decided by a million bits.",
        kind="not-certified",
        why="they may be equal, which the caller had to rule out",
        fix="please report it, with the parameters of the plan",
    )
