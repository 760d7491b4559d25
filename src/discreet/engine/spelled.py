"""What a text spells: a number, a truth value, a day, a moment or a time of day; ASCII only.

Rules of this module:
- each grammar is written once, as a regular expression that engines and Python read alike;
- what fits no grammar spells nothing: `1_000`, `0x10`, `nan`, `inf`, `1,5`, digits of other
  scripts;
- a moment is in UTC, and counts from 1970.
"""

import re
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import TypeVar

from ..expressions.literals import day_of
from ..schema.csv_options import DEFAULT, CsvOptions

NUMBER = r"^ *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)? *$"
TRUE = r"^ *[Tt][Rr][Uu][Ee] *$"
FALSE = r"^ *[Ff][Aa][Ll][Ss][Ee] *$"

_TRUTHS = {
    True: re.compile(TRUE.removesuffix("$"), re.ASCII),
    False: re.compile(FALSE.removesuffix("$"), re.ASCII),
}
_CLOCK = re.compile(r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?", re.ASCII)
_MOST_DIGITS = 2_000  # of a number that is kept exactly
_LONGEST = len(str(_MOST_DIGITS))
_POWER = re.compile(r"[eE][+-]?0*([0-9]+)", re.ASCII)
_WRITTEN = 600  # digits: the least that Python's limit on them can be set to is 640
_AT_ONCE = 10**_WRITTEN

LONGEST = 2_000_000  # bytes of a cell of text or bytes; what is longer is missing

Held = TypeVar("Held", str, bytes)

SECOND = 10**9  # nanoseconds
DAY = 86_400 * SECOND


def short(cell: Held) -> Held | None:
    """Return a text that can be stored, or bytes; None where they are longer than a cell may be."""
    if len(cell) > LONGEST:
        return None
    may_be_long = isinstance(cell, str) and 4 * len(cell) > LONGEST
    return None if may_be_long and len(str(cell).encode()) > LONGEST else cell


def number_pattern(csv: CsvOptions = DEFAULT) -> str:
    """Return the grammar of a number, in a file whose numbers are written in this way.

    Example:
        >>> number_pattern() == NUMBER
        True
    """
    point, sign = re.escape(csv.point), csv.currency and re.escape(csv.currency)
    digits = "[0-9]+"
    if csv.thousands:
        group = _escaped(csv.thousands)
        digits = f"([0-9]{{1,3}}({group}[0-9]{{3}})+|[0-9]+)"
    before, after = (f"({sign} *)?", f"( *{sign})?") if sign else ("", "")
    value = rf"({digits}{point}?[0-9]*|{point}[0-9]+)([eE][+-]?[0-9]+)?"
    return rf"^ *{before}[+-]?{before}{value}{after} *$"


def replacements(csv: CsvOptions = DEFAULT) -> list[tuple[str, str]]:
    """Return what to put for what, in this order, to make a plain number of one that fits."""
    pairs = [(csv.thousands, "")] if csv.thousands else []
    pairs += [(csv.currency, ""), (" ", "")] if csv.currency else []
    return pairs + ([(csv.point, ".")] if csv.point != "." else [])


def _escaped(sign: str) -> str:
    return sign if sign.isspace() or not sign.isascii() else re.escape(sign)


@cache
def _compiled(csv: CsvOptions) -> re.Pattern[str]:
    return re.compile(number_pattern(csv).removesuffix("$"), re.ASCII)


_PLAIN = _compiled(DEFAULT)


def double(text: str, csv: CsvOptions = DEFAULT) -> float | None:
    """Return the double nearest to the number that a text spells; true is 1, false is 0.

    Example:
        >>> [double(text) for text in ("1e+05", " -.5 ", "True", "1_000", "nan", "1e400", "1\\n")]
        [100000.0, -0.5, 1.0, None, None, None, None]
    """
    if (_PLAIN if csv is DEFAULT else _compiled(csv)).fullmatch(text):
        plain = text
        for sign, point in replacements(csv):
            plain = plain.replace(sign, point)
        double = float(plain)  # exact: a cell that engines read as a double
        return double if abs(double) != _INFINITE else None
    return next((_ONE * truth for truth, words in _TRUTHS.items() if words.fullmatch(text)), None)


_INFINITE = float("inf")  # exact: what text of too large a number overflows to
_ONE = 2.0**0  # exact: truth values count as doubles


def exactly(text: str) -> Fraction | None:
    """Return the number that a text spells as a rational, or None; true is 1, false is 0.

    A number of more than 2,000 digits or places is none, as in a cell.

    Example:
        >>> exactly("0.10"), exactly("9007199254740993"), exactly("CA"), exactly("1e-99999999")
        (Fraction(1, 10), Fraction(9007199254740993, 1), None, None)
    """
    if len(text) > _MOST_DIGITS or double(text) is None:
        return None
    if _PLAIN.fullmatch(text) is None:
        return Fraction(_TRUTHS[True].fullmatch(text) is not None)
    power = _POWER.search(text)
    if power is not None and (len(power[1]) > _LONGEST or int(power[1]) > _MOST_DIGITS):
        return None
    return Fraction(Decimal(text.strip()))  # which reads as many digits as there are


def digits_of(number: int) -> str:
    """Return the digits of a whole number, however few of them Python is told to write at once.

    Example:
        >>> digits_of(-1_234), len(digits_of(10**5_000))
        ('-1234', 5001)
    """
    if abs(number) < _AT_ONCE:
        return str(number)
    above, below = divmod(abs(number), _AT_ONCE)
    return f"{'-' * (number < 0)}{digits_of(above)}{below:0{_WRITTEN}d}"


def ratio_text(number: Fraction) -> str:
    """Return the text of a rational, of a whole number its digits.

    Example:
        >>> ratio_text(Fraction(3)), ratio_text(Fraction(-1, 2))
        ('3', '-1/2')
    """
    below = "" if number.denominator == 1 else f"/{digits_of(number.denominator)}"
    return f"{digits_of(number.numerator)}{below}"


def clock(text: str) -> int | None:
    """Return the time of day that a text spells as HH:MM[:SS[.fraction]], in nanoseconds.

    Example:
        >>> clock("00:01"), clock("00:00:00.5"), clock("24:00")
        (60000000000, 500000000, None)
    """
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups()[:3])
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    fraction = int((match[4] or "0").ljust(9, "0"))
    return (hours * 3600 + minutes * 60 + seconds) * SECOND + fraction


def moment(text: str) -> int | None:
    """Return the moment that a day, a blank or T, and a time spell, in nanoseconds from 1970.

    Example:
        >>> moment("1970-01-01 00:00:01"), moment("1970-01-01T00:00"), moment("1970-01-01")
        (1000000000, 0, None)
    """
    days, hour = day_of(text[:10]), clock(text[11:])
    if days is None or hour is None or text[10:11] not in (" ", "T"):
        return None
    return days * DAY + hour
