"""What people type becomes a rational, once, and is shown back as typed.

Rules of this module:
- a float counts as the decimal it prints as: 0.1 is 1/10;
- nothing that is not a finite number passes.
"""

import re
from decimal import Decimal, localcontext
from fractions import Fraction

from ..errors import InputError, as_given, shown

Number = int | str | float | Fraction | Decimal

_SHOWN_DIGITS = 12
_MOST_BITS = 8192  # of a numerator or denominator: some 2,400 digits, which Python still writes
_TEXT = re.compile(
    r"\s*[+-]?(\d{1,400}(\s*/\s*\d{1,400})?|(\d{1,400}\.\d{0,400}|\.\d{1,400}|\d{1,400})([eE][+-]?\d{1,4})?)\s*",
    re.ASCII,
)


def rational(value: object, name: str) -> Fraction:
    """Return the number that a person typed as an exact rational.

    Args:
        value: an int, a Fraction, a Decimal, a float, or text such as "1/50", "0.02" or "1e-6".
        name: what the number is, for the message.

    Raises:
        InputError: it is not a finite number.

    Example:
        >>> rational(0.1, "epsilon"), rational("1/50", "rho"), rational("1e-6", "delta")
        (Fraction(1, 10), Fraction(1, 50), Fraction(1, 1000000))
    """
    text = None
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return _bounded(Fraction(value), name)
    if isinstance(value, str) or hasattr(value, "__float__"):
        text = str(value)
    if text is None or isinstance(value, bool) or not _TEXT.fullmatch(text):
        raise InputError(
            f"{name} = {as_given(value, bare=True)} is not a finite number.",
            why=f"{name} is kept as an exact fraction, so it must be written as one",
            fix=f'write {name} as a number or as text, for example "1/50", "0.02" or "1e-6"',
        )
    return _fraction(text, name)


def _fraction(text: str, name: str) -> Fraction:
    try:
        number = Fraction(text.replace(" ", "").strip())
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"{name} = {shown(text)} is not a finite number.",
            why="its denominator is zero or its text is not a fraction",
            fix=f'write {name} as a number or as text, for example "1/50", "0.02" or "1e-6"',
        ) from None
    return _bounded(number, name)


def _bounded(number: Fraction, name: str) -> Fraction:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        raise InputError(
            f"{name} has too many digits.",
            why=f"{name} is kept as an exact fraction, and no useful one needs so many",
            fix=f'write {name} with fewer digits, for example "1/50", "0.02" or "1e-6"',
        )
    return number


def whole(value: object, name: str, *, least: int) -> int:
    """Return a whole number of at least `least`, or raise InputError."""
    try:
        number = rational(value, name)
    except InputError:
        number = Fraction(least - 1)
    if number.denominator != 1 or number < least:
        raise InputError(
            f"{name} = {as_given(value)} must be a whole number of at least {least}.",
            why=f"{name} counts things",
            fix=f"write {name}={least} or more",
        ) from None
    return number.numerator


def text_of(number: Fraction) -> str:
    """Return the exact text of a rational: a short decimal where there is one, else p/q.

    Example:
        >>> text_of(Fraction(1, 50)), text_of(Fraction(1, 3)), text_of(Fraction(1, 10**9))
        ('0.02', '1/3', '1e-9')
    """
    with localcontext(prec=_SHOWN_DIGITS):
        decimal = Decimal(number.numerator) / number.denominator  # exact: decimals, checked
    if Fraction(decimal) != number:
        return str(number)
    decimal = decimal.normalize()
    if -6 <= decimal.adjusted() < _SHOWN_DIGITS:
        return f"{decimal:f}"
    return f"{decimal:e}".replace("e+", "e")


def rounded(number: Fraction, digits: int = 3) -> str:
    """Return a rational for people, to `digits` significant digits (half to even).

    Example:
        >>> rounded(Fraction(2, 3)), rounded(Fraction(123456)), rounded(Fraction(1, 8000))
        ('0.667', '123,000', '0.000125')
    """
    with localcontext(prec=digits):
        decimal = Decimal(number.numerator) / number.denominator  # exact: decimals, for show
    decimal = decimal.normalize()
    if decimal == 0:
        return "0"
    if -6 <= decimal.adjusted() < _SHOWN_DIGITS:
        return f"{decimal:,f}"
    return f"{decimal:e}".replace("e+", "e")
