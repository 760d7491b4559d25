"""A value of a column with bounds as it is typed: a number, a day or a moment.

Rules of this module:
- a day counts days from 1970-01-01 and a moment seconds from then, as in expressions; both are of
  the years 1 to 9999, and a moment is in UTC.

Decision 47.
"""

import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from ..errors import InputError, as_given
from ..exact.number import Number, rational, text_of
from ..expressions.kinds import DAY_SECONDS
from ..expressions.literals import day_of, moment_of
from ..fix import Set

ValueKind = Literal["number", "day", "moment"]
End = Number | date  # a moment of Python is a date, too

STEPS: dict[ValueKind, str] = {"day": "days", "moment": "seconds"}  # what 1 is worth
_EPOCH = date(1970, 1, 1).toordinal()
_LIKE_A_DAY = re.compile(r"\s*[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}", re.ASCII)


def end_of(given: End, name: str, *, setting: str = "") -> tuple[Fraction, ValueKind]:
    """Return what was typed as a number, and what it is.

    Args:
        given: a number, or a day or a moment as text or as an object of `datetime`.
        name: what it is called, for the message.
        setting: where it was typed, if that is not called by this name.

    Raises:
        InputError: it is none of these, or a moment of Python that is not in UTC without saying so.

    Example:
        >>> end_of("1970-01-02", "lower"), end_of("0.5", "lower")
        ((Fraction(1, 1), 'day'), (Fraction(1, 2), 'number'))
    """
    text = given
    if isinstance(given, datetime):
        if given.tzinfo is not None or given.microsecond:
            raise InputError(
                f"{name} = {as_given(given)} is not a moment of whole seconds without a zone.",
                why="moments are counted in seconds, in UTC",
                fix=Set({setting or name: "2026-11-03 10:30:00"}),
            )
        text = given.isoformat(" ")
    elif isinstance(given, date):
        text = given.isoformat()
    if isinstance(text, str):
        if (days := day_of(text)) is not None:
            return Fraction(days), "day"
        if (seconds := moment_of(text)) is not None:
            return Fraction(seconds), "moment"
        if _LIKE_A_DAY.match(text):
            raise InputError(
                f"{name} = {as_given(given)} is no day of the calendar, and no moment.",
                why="a day is written as 2026-11-03, a moment as 2026-11-03 10:30:00, in UTC",
                fix="write a day of the calendar, such as 2026-11-03",
            )
    return rational(given, name, setting=setting), "number"


def ends_of(
    given: Iterable[End], name: str, *, setting: str = ""
) -> tuple[tuple[Fraction, ...], ValueKind]:
    """Return several values of one column, and what they are.

    Raises:
        InputError: one is no value, or they are not all numbers, all days or all moments.
    """
    found = [end_of(one, name, setting=setting) for one in given]
    kinds = list(dict.fromkeys(kind for _, kind in found))
    if len(kinds) > 1:
        raise InputError(
            f"{name} is a {kinds[0]} in one place, and a {kinds[1]} in another.",
            why="values of one column are all numbers, all days or all moments",
            fix=f"write all values of {setting or name} as {kinds[0]}s",
        )
    return tuple([value for value, _ in found]), kinds[0] if kinds else "number"


def end_text(value: Fraction | Decimal, kind: ValueKind) -> str:
    """Return a value as it is typed; of a day or a moment the whole number is meant.

    Example:
        >>> end_text(Fraction(-1), "day"), end_text(Fraction(60), "moment")
        ('1969-12-31', '1970-01-01 00:01:00')
    """
    if kind == "number":
        return text_of(Fraction(value))
    days, seconds = divmod(int(value), DAY_SECONDS) if kind == "moment" else (int(value), 0)
    day = date.fromordinal(days + _EPOCH).isoformat()
    if kind == "day":
        return day
    return f"{day} {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
