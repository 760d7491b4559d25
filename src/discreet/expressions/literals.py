"""Literals: numbers, texts, days and moments, each in the one way in which it is written again.

Rules of this module:
- a number counts as the double nearest to what was typed, and is written as its shortest decimal;
- a day is one of the years 1 to 9999.
"""

import re
from datetime import date
from fractions import Fraction

from ..errors import InputError
from .kinds import DAY_SECONDS, MOST_POWER

_LARGEST = Fraction(10) ** MOST_POWER
_LETTERS = 60  # of a number
_POWER_LETTERS = 4  # of its exponent, with its sign
_PLAIN_POWER = 16  # numbers below 10^16 are written without an exponent
_EPOCH = date(1970, 1, 1).toordinal()
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = re.compile(rf"([0-9]{{1,2}})({'|'.join(_MONTHS)})([0-9]{{4}})", re.ASCII)
_MOMENT = re.compile(r"([0-9-]{10})[ T]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?", re.ASCII)


def number(text: str) -> str | None:
    """Return a number in its one way to be written; None if the language has no such number.

    Example:
        >>> number("1e3"), number("0.10"), number(".5"), number("1e400"), number("2e-20")
        ('1000', '0.1', '0.5', None, '2e-20')
    """
    if len(text) > _LETTERS or len(text.lower().partition("e")[2]) > _POWER_LETTERS:
        return None
    value = Fraction(text.removesuffix(".").replace(".e", "e").replace(".E", "e"))
    if value and not 1 / _LARGEST <= value <= _LARGEST:  # exact: rationals
        return None
    digits_of = repr(float(value))  # exact: the double nearest to it stands for it, by definition
    digits, _, power = digits_of.partition("e")
    if not power:
        return digits_of.removesuffix(".0")
    if 0 < int(power) < _PLAIN_POWER:
        return str(int(Fraction(digits_of)))
    return f"{digits.removesuffix('.0')}e{int(power)}"


def unquoted(quoted: str) -> str:
    """Return what a text in quotation marks says: a doubled one inside is one."""
    mark = quoted[0]
    return quoted[1:-1].replace(mark * 2, mark)


def day_of(text: str) -> int | None:
    """Return a day counted from 1970-01-01; None if the text is no day.

    Example:
        >>> day_of("1970-01-02"), day_of("2026-02-30"), day_of("0000-01-01")
        (1, None, None)
    """
    match = _DAY.fullmatch(text)
    if match is None:
        return None
    try:
        return date(*map(int, match.groups())).toordinal() - _EPOCH
    except ValueError:
        return None


def named_day(text: str) -> str | None:
    """Return a day in ISO's form that is written as SAS and Stata write one; None for others.

    Example:
        >>> named_day("01JAN1990"), named_day("31feb1990"), named_day("1jan90")
        ('1990-01-01', None, None)
    """
    match = _NAMED.fullmatch(text.lower())
    if match is None:
        return None
    month = 1 + _MONTHS.index(match[2])
    written = f"{match[3]}-{month:02}-{match[1]:0>2}"
    return written if day_of(written) is not None else None


def moment_of(text: str) -> int | None:
    """Return a moment in seconds from 1970-01-01; None if the text is no moment.

    Example:
        >>> moment_of("1970-01-02 00:00:01"), moment_of("1970-01-01"), moment_of("1970-01-01 24:00")
        (86401, None, None)
    """
    match = _MOMENT.fullmatch(text)
    days = None if match is None else day_of(match[1])
    if match is None or days is None:
        return None
    hours, minutes, seconds = (int(match[place] or 0) for place in (2, 3, 4))
    return days * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds


def value_of(op: str, written: str) -> str:
    """Return the value of a literal as engines are told it.

    Example:
        >>> value_of("truth", "TRUE"), value_of("date", "1970-01-02"), value_of("number", "0.1")
        ('1', '1', '0.1')
    """
    if op == "truth":
        return str(int(written == "TRUE"))
    counts = {"date": day_of, "timestamp": moment_of}
    return str(counts[op](written)) if op in counts else written


def checked(text: object) -> str:
    """Return the text of an expression, or raise InputError for what is none."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(
            "an expression is a text that is not empty.",
            kind="expression-not-read",
            why="it says of a row what is to be counted, or what is to be made of it",
            fix='write it as text, as in "age >= 18"',
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            "the expression is not Unicode text.",
            kind="expression-not-read",
            why="it holds half of a character, which UTF-8 cannot store",
            fix="write the whole character, or leave it out",
        ) from None
    return text


def moment_written(text: str) -> str:
    """Return the text of a day or a moment as moments are written: with its seconds.

    Example:
        >>> moment_written("2026-11-03T10:30"), moment_written("2026-11-03")
        ('2026-11-03 10:30:00', '2026-11-03 00:00:00')
    """
    text = text.replace("T", " ")
    if day_of(text) is not None:
        return f"{text} 00:00:00"
    return text if len(text) > len("2026-11-03 10:30") else f"{text}:00"
