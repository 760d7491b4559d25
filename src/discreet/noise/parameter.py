"""What a law is handed, checked: its parameters, a chance, a loss, a count of draws.

Rules of this module:
- what is wrong is refused here, with what to type instead; after that a law trusts its numbers.
"""

from fractions import Fraction

from ..errors import InputError
from ..exact.number import rational, rounded, text_of
from ..fix import BLANK, Set, write

_LONG = 24  # characters


def parameter(value: object, name: str, *, least: Fraction, most: Fraction) -> Fraction:
    """Return a law's parameter as an exact rational, or raise InputError if it is out of range."""
    number = rational(value, name)
    if number <= 0:
        raise InputError(
            f"{name} = {text_of(number)} must be above 0.",
            why="a law without spread adds no noise and protects nobody",
            fix=(Set({name: BLANK}, note=", above 0"), "spend less"),
        )
    if not least <= number <= most:
        raise InputError(
            f"noise with {name} = {text_of(number)} is outside {rounded(least)} to "
            f"{rounded(most)}.",
            why="no useful release has so little or so much noise; its loss is likely mistyped",
            fix=write(f", {'less' if number < least else 'more'} than now", of="plan", spend=BLANK),
        )
    return number


def chance(alpha: Fraction) -> Fraction:
    """Return alpha if it is a probability strictly between 0 and 1, or raise InputError."""
    number = rational(alpha, "alpha")
    if not 0 < number < 1:
        raise InputError(
            f"alpha = {text_of(number)} must lie between 0 and 1.",
            why="alpha is the chance that an interval misses; no finite interval never misses",
            fix=write(alpha="0.05"),
        )
    return number


def positive(number: Fraction, name: str) -> Fraction:
    """Return a loss or sensitivity to calibrate with, or raise InputError if it is not above 0."""
    if number <= 0:
        raise InputError(
            f"{name} = {text_of(Fraction(number))} must be above 0.",
            why="noise is the sensitivity divided by the loss; neither may be zero",
            fix=Set({name: BLANK}, note=", a number above 0"),
        )
    return number


def counted(count: int) -> int:
    """Return a count of draws, or raise InputError if it is negative."""
    if count < 0:
        raise InputError(
            f"{count} draws cannot be made.",
            why="a count of draws is at least 0",
            fix="ask for 0 draws or more",
        )
    return count


def brief_text(number: Fraction) -> str:
    """Return a parameter exactly where its text is short, else rounded, and said to be."""
    exact = text_of(number)
    return exact if len(exact) < _LONG else f"{rounded(number, 4)} (rounded)"
