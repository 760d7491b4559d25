"""How days and times are written in a CSV file, where not as 2026-11-03 and 10:30:00.

A form is text with signs in it, as Python's `strptime` has them; each sign is one public grammar of
ASCII digits or letters, so that every form is one regular expression that DuckDB and Python read
alike, and gives the same whole numbers on both.

Rules of this module:
- what fits no form is missing; nothing is guessed, and no form fits a text in two ways: a number of
  one or two digits has both of them where another number stands beside it;
- a year has four digits: of two digits nobody knows the century;
- a time without a day is one of 1970-01-01: it has an hour and seconds, and is no day.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ..errors import InputError, shown
from ..fix import Way, write

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = "|".join("".join(f"[{c.upper()}{c}]" for c in name) for name in MONTHS)
_YEAR = "[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9]"  # 1 to 9999
_SIGNS = {  # what stands for each sign: with its digits in full, and with one digit less
    "Y": (_YEAR, _YEAR),
    "m": ("0[1-9]|1[0-2]", "0?[1-9]|1[0-2]"),
    "d": ("0[1-9]|[12][0-9]|3[01]", "0?[1-9]|[12][0-9]|3[01]"),
    "H": ("[01][0-9]|2[0-3]", "[01]?[0-9]|2[0-3]"),
    "I": ("0[1-9]|1[0-2]", "0?[1-9]|1[0-2]"),
    "M": ("[0-5][0-9]", "[0-5]?[0-9]"),
    "S": ("[0-5][0-9]", "[0-5]?[0-9]"),
    "b": (_NAMES, _NAMES),
    "p": ("[AaPp][Mm]", "[AaPp][Mm]"),
}
_OF_DAY, _OF_TIME, _LETTERS = "Ymbd", "HIpMS", "bp"
_MOST = 40  # letters of a form
_PIECE = re.compile(r"%[-#]?(.)|(.)", re.DOTALL)
_ISO_CLOCK = "([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:[.][0-9]{1,9})?)?"
_OTHERS = {  # how other tools write a form, with what it is here
    "days": (
        (re.compile("yyyy|YYYY|Y"), "%Y"),
        (re.compile("MMM|mmm|Mon|mon"), "%b"),
        (re.compile("DD?|dd?"), "%d"),
        (re.compile("MM?|mm?"), "%m"),
    ),
    "times": (
        (re.compile("HH?"), "%H"),
        (re.compile("hh?"), "%I"),
        (re.compile("mm?|MM?"), "%M"),
        (re.compile("ss?|SS?"), "%S"),
        (re.compile("AM|am|tt?|aa?"), "%p"),
    ),
}
_SLIPS = {
    "days": {"%M": "%m", "%F": "%Y-%m-%d", "%e": "%d", "%h": "%b"},
    "times": {"%T": "%H:%M:%S", "%R": "%H:%M", "%r": "%I:%M:%S %p", "%l": "%I", "%k": "%H"},
}


@dataclass(frozen=True, slots=True)
class TimeForm:
    """A regular expression, and the sign of each of its groups."""

    pattern: str
    signs: str

    @property
    def has_day(self) -> bool:
        """Whether it says which day it is."""
        return "Y" in self.signs


_ISO_DAY = TimeForm(f"({_YEAR})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])", "Ymd")
_ISO_TIME = TimeForm(_ISO_CLOCK, "HMS")


@cache
def forms(days: str, times: str) -> tuple[TimeForm, ...]:
    """Return the forms in which a cell may tell a day or a moment, the day alone first.

    Args:
        days, times: as they are declared; "" where days and times are written as 2026-11-03 and
            10:30:00.

    Example:
        >>> [one.signs for one in forms("%d.%m.%Y", "%I:%M%p")]
        ['dmY', 'dmYIMp', 'IMp']
    """
    day = _compiled(days) if days else _ISO_DAY
    time = _compiled(times) if times else _ISO_TIME
    if time.has_day:
        return day, time
    both = TimeForm(f"{day.pattern}[ T]{time.pattern}", day.signs + time.signs)
    return (day, both, time) if times else (day, both)


@cache
def _compiled(form: str) -> TimeForm:
    """Return a form that was checked as a regular expression."""
    pieces = [(piece[1] or "", piece[2] or "") for piece in _PIECE.finditer(form)]
    pattern = ""
    for place, (sign, letter) in enumerate(pieces):
        beside = {pieces[at][0] for at in (place - 1, place + 1) if 0 <= at < len(pieces)}
        is_full = bool(beside - {"", *_LETTERS})
        pattern += f"({_SIGNS[sign][0 if is_full else 1]})" if sign else _said(letter)
    return TimeForm(pattern, "".join(sign for sign, _ in pieces))


def _said(letter: str) -> str:
    return f"[{letter}]" if letter in ".+*?(){}|$/," else re.escape(letter).replace("\\ ", " ")


def checked_form(name: str, value: object) -> str:
    """Return a form of days or times, or raise InputError.

    Example:
        >>> checked_form("days", "%-d.%-m.%Y"), checked_form("times", "%I:%M%p")
        ('%d.%m.%Y', '%I:%M%p')
    """
    fault = _fault(name, value)
    if fault:
        raise InputError(
            f"csv {name} = {shown(repr(value))} is no form of {name}.",
            kind="csv-option",
            why=fault,
            fix=_way(name, value),
        )
    return re.sub("%[-#]", "%", str(value))


def _fault(name: str, value: object) -> str:
    """Return why a value is no form; "" where it is one."""
    if not isinstance(value, str) or not 0 < len(value) <= _MOST or not value.isprintable():
        return f"it is a text of at most {_MOST} letters that shows where each part stands"
    signs = [piece[1] for piece in _PIECE.finditer(value) if piece[1]]
    letters = "".join(piece[2] for piece in _PIECE.finditer(value) if piece[2])
    if "y" in signs:
        return "%y has two digits, of which nobody knows the century: a year is %Y"
    unknown = next((sign for sign in signs if sign not in _SIGNS), "")
    if unknown or set("%\\[]^0123456789") & set(letters):
        return f"its signs are %{', %'.join(_SIGNS)}; between them may stand what is no digit"
    if len(set(signs)) < len(signs) or {"m", "b"} <= {*signs}:
        return "each part of it stands once"
    return _lacking(name, signs)


def _lacking(name: str, signs: Sequence[str]) -> str:
    day, time = {*signs} & {*_OF_DAY}, {*signs} & {*_OF_TIME}
    if (day or name == "days") and (len(day) < len("Ymd") or (name == "days" and time)):
        return "a day has %d, %m (or %b, as in Nov) and %Y" + (
            ", and no time" if name == "days" else ""
        )
    if name == "times" and not ({"H", "I"} & time and "M" in time):
        return "a time has %H and %M, or %I, %M and %p"
    if name == "times" and (("I" in time) != ("p" in time) or {"H", "I"} <= time):
        return "%I counts hours up to 12, and goes with %p; %H counts them up to 23, without"
    return ""


def _way(name: str, value: object) -> Way:
    """Return the form that was meant, where the way it is written tells, or an example."""
    form = str(value) if isinstance(value, str) else ""
    if "%y" in form:
        example = form.replace("%y", "%Y")
        note = "and write years with four digits in the file"
        return write(note, csv={name: "%d.%m.%Y" if _fault(name, example) else example})
    if "%" in form:
        for slip, sign in _SLIPS[name].items():
            form = form.replace(slip, sign)
        form = form.replace("%H", "%I") if "%p" in form else form.replace("%I", "%H")
    else:
        for pattern, sign in _OTHERS[name]:
            at = pattern.search(form)
            if at is not None and form[at.start() - 1 : at.start()] != "%":
                form = f"{form[: at.start()]}{sign}{form[at.end() :]}"
    if not _fault(name, form):
        return write(csv={name: form})
    return write(", for example", csv={name: "%d.%m.%Y" if name == "days" else "%H:%M"})
