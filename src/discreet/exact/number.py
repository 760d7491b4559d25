"""What people type becomes a rational, once, and is shown back as typed.

Rules of this module:
- a float counts as the decimal it prints as: 0.1 is 1/10;
- nothing that is not a finite number passes;
- a number that is computed gets few digits, rounded to the side that its name says; one that is
  printed has at most eight;
- decimals are worked out with our own digits and rounding, whatever the caller has set for its own.
"""

import re
from contextlib import AbstractContextManager
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    localcontext,
)
from fractions import Fraction
from math import gcd, lcm

from ..errors import InputError, as_given, shown
from ..fix import BLANK, Fix, Set, Way, leave_out

Number = int | str | float | Fraction | Decimal

_SHOWN_DIGITS = 12
_SHORT = 8  # digits that a person reads at a glance
_FEW = 6  # digits that a computed number keeps
_PYTHONS = 28  # digits of a decimal, where nobody says another number
_MOST_BITS = 8192  # of a numerator or denominator: some 2,400 digits, which Python still writes
_PLAIN = 2**64  # a whole number below it needs no second look
_TEXT = re.compile(
    r"\s*[+-]?(\d{1,400}(\s*/\s*\d{1,400})?|(\d{1,400}\.\d{0,400}|\.\d{1,400}|\d{1,400})([eE][+-]?\d{1,4})?)\s*",
    re.ASCII,
)


def rational(value: object, name: str, *, setting: str = "") -> Fraction:
    """Return the number that a person typed as an exact rational.

    Args:
        value: an int, a Fraction, a Decimal, a float, or text such as "1/50", "0.02" or "1e-6".
        name: what the number is, for the message.
        setting: where it was typed, if that is not called by this name.

    Raises:
        InputError: it is not a finite number.

    Example:
        >>> rational(0.1, "epsilon"), rational("1/50", "rho"), rational("1e-6", "delta")
        (Fraction(1, 10), Fraction(1, 50), Fraction(1, 1000000))
    """
    text = None
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return _bounded(value if type(value) is Fraction else Fraction(value), name, setting)
    if isinstance(value, str) or hasattr(value, "__float__"):
        text = str(value)
    if text is None or isinstance(value, bool) or not _TEXT.fullmatch(text):
        raise InputError(
            f"{name} = {as_given(value, bare=True)} is not a finite number.",
            kind="not-a-number",
            why=f"{name} is kept as an exact fraction, so it must be written as one",
            fix=_as_meant(str(text), name, setting)
            or _number_for(name, setting, "as a number or as text"),
        )
    return _fraction(text, name, setting)


def _fraction(text: str, name: str, setting: str) -> Fraction:
    try:
        number = Fraction(text.replace(" ", "").strip() if "/" in text else Decimal(text))
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"{name} = {shown(text)} is not a finite number.",
            kind="not-a-number",
            why="its denominator is zero or its text is not a fraction",
            fix=_number_for(name, setting, "as a number or as text"),
        ) from None
    return _bounded(number, name, setting)


def _bounded(number: Fraction, name: str, setting: str) -> Fraction:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        raise InputError(
            f"{name} has too many digits.",
            kind="not-a-number",
            why=f"{name} is kept as an exact fraction, and no useful one needs so many",
            fix=_number_for(name, setting, "with fewer digits"),
        )
    return number


_OWN = {  # the numbers that only a person can tell: bounds, limits, losses and wanted errors
    *("lower", "upper", "step", "missing", "ball", "max_weight", "sensitivity", "bounds"),
    *("epsilon", "delta", "rho", "mu2", "pure", "chance", "sigma", "sigma2", "scale"),
    *("within", "accuracy", "error", "alpha"),
}


_PER_CENT = re.compile(r"\s*(\d{1,2}(?:\.\d{1,6})?)\s*%\s*", re.ASCII)
_WITH_COMMA = re.compile(r"\s*(-?\d{1,3}(?:\.\d{3})+|-?\d{1,12}),(\d{1,2}|\d{4,9})\s*", re.ASCII)
_POINTED_DAY = re.compile(r"\s*(\d{1,2})\.(\d{1,2})\.(\d{4})\s*", re.ASCII)
_CHANCES = ("at", "alpha", "delta", "share")
_ENDS = ("lower", "upper", "missing")


def _as_meant(text: str, name: str, setting: str) -> Way | None:
    """Return the advice to write a number or a day in our way, where a text has one meaning."""
    where = setting or name
    meant = ""
    if where in _CHANCES and (part := _PER_CENT.fullmatch(text)):
        meant = f"{Decimal(part[1]).scaleb(-2):f}"
    elif where in _ENDS and (day := _POINTED_DAY.fullmatch(text)):
        meant = f"{day[3]}-{day[2]:0>2}-{day[1]:0>2}"
    elif comma := _WITH_COMMA.fullmatch(text):
        meant = f"{comma[1].replace('.', '')}.{comma[2]}"
    return Set({where: meant}) if meant else None


def _number_for(name: str, setting: str, how: str) -> Way | str:
    """Return the advice to write a number, where a setting is called by its name or by another."""
    such = f'{how}, for example "1/50", "0.02" or "1e-6"'
    where = setting or name
    if where not in _OWN:
        return f"write {name} {such}"
    return Set({where: BLANK}, note=f", {such}")


def _count_for(name: str, least: int) -> Way | str:
    """Return the advice to write a whole number; how much of one unit counts is nobody's guess."""
    if not name.isidentifier():
        return f"write {least} or more"
    if name.startswith("max_"):
        return Set({name: BLANK}, note=f", a whole number of at least {least}")
    return Set({name: least}, note="or more")


def whole(value: object, name: str, *, least: int) -> int:
    """Return a whole number of at least `least`, or raise InputError."""
    if type(value) is int and least <= value < _PLAIN:
        return value
    try:
        number = rational(value, name)
    except InputError:
        number = Fraction(least - 1)
    if number.denominator != 1 or number < least:
        raise InputError(
            f"{name} = {as_given(value)} must be a whole number of at least {least}.",
            kind="not-a-number",
            why=f"{name} counts things",
            fix=_count_for(name, least),
        ) from None
    return number.numerator


def flag(value: object, name: str, *, why: str, fix: Fix | None = None) -> bool:
    """Return a setting that is true or false, or raise InputError for anything else."""
    if not isinstance(value, bool):
        raise InputError(
            f"{name} = {as_given(value)} is neither true nor false.",
            kind="wrong-type",
            why=why,
            fix=fix or (Set({name: True}), leave_out(name)),
        )
    return value


def in_digits(
    digits: int = _PYTHONS, rounding: str = ROUND_HALF_EVEN
) -> AbstractContextManager[Context]:
    """Return a block in which decimals have so many digits, whatever the caller has set."""
    return localcontext(Context(prec=digits, rounding=rounding))


def decimal_of(
    number: Fraction, digits: int = _PYTHONS, rounding: str = ROUND_HALF_EVEN
) -> Decimal:
    """Return a rational as a decimal of so many digits, rounded in this way.

    Example:
        >>> decimal_of(Fraction(2, 3), 3), decimal_of(Fraction(2, 3), 3, ROUND_DOWN)
        (Decimal('0.667'), Decimal('0.666'))
    """
    with in_digits(digits, rounding):
        return Decimal(number.numerator) / number.denominator  # exact: decimals


def text_of(number: Fraction) -> str:
    """Return the exact text of a rational: a short decimal where there is one, else p/q.

    Example:
        >>> text_of(Fraction(1, 50)), text_of(Fraction(1, 3)), text_of(Fraction(1, 10**9))
        ('0.02', '1/3', '1e-9')
    """
    decimal = decimal_of(number, _SHOWN_DIGITS)
    return str(number) if Fraction(decimal) != number else _written(decimal)


def is_short(number: Fraction) -> bool:
    """Tell whether the exact text of a rational has at most eight digits.

    Zeros before or behind the digits of a decimal do not count.

    Example:
        >>> is_short(Fraction(1, 150)), is_short(Fraction(1, 10**9)), is_short(Fraction(1, 3**20))
        (True, True, False)
    """
    if number.denominator == 1 and -(10**_SHORT) < number.numerator < 10**_SHORT:
        return True
    text = text_of(abs(number))
    digits = text if "/" in text else text.split("e")[0].replace(".", "").strip("0")
    return len(digits.replace("/", "")) <= _SHORT


def few_down(number: Fraction) -> Fraction:
    """Return the number itself where it is short, else rounded down to six digits.

    Example:
        >>> few_down(Fraction(1, 150)), text_of(few_down(Fraction("0.0243556123")))
        (Fraction(1, 150), '0.0243556')
    """
    return number if is_short(number) else Fraction(decimal_of(number, _FEW, ROUND_FLOOR))


def few_up(number: Fraction) -> Fraction:
    """Return the number itself where it is short, else rounded up to six digits.

    Example:
        >>> text_of(few_up(Fraction("0.0243556123")))
        '0.0243557'
    """
    return number if is_short(number) else Fraction(decimal_of(number, _FEW, ROUND_CEILING))


def sixes(place: int) -> Fraction:
    """Return a number of six digits by its place among all of them; 1 has place 0.

    Example:
        >>> sixes(0), sixes(5), sixes(-1)
        (Fraction(1, 1), Fraction(20001, 20000), Fraction(999999, 1000000))
    """
    power, digits = divmod(place, 9 * 10**5)
    return (10**5 + digits) * Fraction(10) ** (power - 5)


def place_down(number: Fraction) -> int:
    """Return the place of the largest number of six digits that is at most one above 0."""
    decimal = decimal_of(number, _FEW, ROUND_FLOOR)
    with in_digits(_FEW):
        digits = int(decimal.scaleb(_FEW - 1 - decimal.adjusted()))
    return decimal.adjusted() * 9 * 10**5 + digits - 10**5


def brief(number: Fraction) -> str:
    """Return the exact text of a rational where it is short, else its first eight digits and "…".

    Example:
        >>> brief(Fraction(1, 150)), brief(Fraction(10**9, 3 * 10**9 + 1))
        ('1/150', '0.33333333…')
    """
    if is_short(number):
        return text_of(number)
    digits, _, power = _written(decimal_of(number, _SHORT, ROUND_DOWN)).partition("e")
    return f"{digits}…e{power}" if power else f"{digits}…"


def value_of(number: Fraction) -> int | str:
    """Return a rational as what a person would type: a whole number, or text.

    Example:
        >>> value_of(Fraction(5)), value_of(Fraction(1, 4)), value_of(Fraction(1, 3))
        (5, '0.25', '1/3')
    """
    return number.numerator if number.denominator == 1 else text_of(number)


def common_step(*numbers: Fraction) -> Fraction:
    """Return the largest rational of which all of these are multiples; not all are 0.

    Example:
        >>> common_step(Fraction(1), Fraction("0.3"))
        Fraction(1, 10)
    """
    common = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * common) for number in numbers)), common)


def rounded(number: Fraction, digits: int = 3) -> str:
    """Return a rational for people, to `digits` significant digits (half to even).

    Example:
        >>> rounded(Fraction(2, 3)), rounded(Fraction(123456)), rounded(Fraction(1, 8000))
        ('0.667', '123,000', '0.000125')
    """
    with in_digits(digits):
        decimal = decimal_of(number, digits).normalize()
    if decimal == 0:
        return "0"
    if -6 <= decimal.adjusted() < _SHOWN_DIGITS:
        return f"{decimal:,f}"
    return f"{decimal:e}".replace("e+", "e")


def _written(decimal: Decimal) -> str:
    with in_digits(_SHOWN_DIGITS):
        decimal = decimal.normalize()
    if -6 <= decimal.adjusted() < _SHOWN_DIGITS:
        return f"{decimal:f}"
    return f"{decimal:e}".replace("e+", "e")
