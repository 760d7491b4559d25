"""What a cell means: the table of docs/cells.md for any Python object.

Days, moments, times of day and lengths of time, as whole numbers.

Rules of this module:
- every rule is total: whatever object a cell is, it is read or it is missing, and no code of its
  own class runs: its type decides by C's own list of bases, and only methods of the base are
  called;
- a cell is read by itself: nothing that other cells hold changes what it means;
- `cells` says the same in a query, for columns that have a type; a differential test compares.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, cast
from zoneinfo import ZoneInfo

from ..schema.csv_options import DEFAULT, CsvOptions
from ..schema.keys import is_storable
from . import spelled


@dataclass(frozen=True, slots=True)
class Day:
    """A day, counted from 1970-01-01."""

    days: int


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment in UTC, in nanoseconds from 1970-01-01."""

    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day, in nanoseconds from midnight."""

    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time, in nanoseconds."""

    nanoseconds: int


FAR = 2**53  # from here on, doubles skip whole numbers
_BASES = cast("Any", type.__dict__["__mro__"]).__get__  # not overruled by a class of classes
_MOST_BITS = 6_643  # 2,000 digits: a number beyond them is missing
_MOST_PLACES = 2_000
_EPOCH = date(1970, 1, 1).toordinal()
_MICROSECOND = 1_000


Plain = bool | int | float | Fraction | str | bytes | Day | Moment | Clock | Span


def plain(cell: object) -> Plain | None:
    """Return what a cell holds as a plain value; None where it is missing.

    Missing are: None and the libraries' own marks of a missing cell, floats and decimals that are
    not finite, numbers of more than 2,000 digits or places, text with half of a surrogate pair,
    text and bytes of more than 2 MB, moments in a time zone of an unknown class, and all else.
    """
    try:
        if reader := _BY_IDENTITY.get(id(type(cell))):  # a class of Python's own
            return reader(cell)
        return None if cell is None or _is_gap(cell) else _held(cell)
    except Exception:  # noqa: BLE001 - an object that was not made whole
        return None


def _held(cell: object) -> Plain | None:
    stamp = _of_pandas(cell)
    if stamp is not None:
        return stamp[0]
    for base in _BASES(type(cell)):
        reader = _BY_IDENTITY.get(id(base))
        if reader is not None:
            return reader(cell)
    return _of_library(cell)


def number(cell: object, csv: CsvOptions = DEFAULT) -> float | None:
    """Return a cell as the nearest double, text in a declared form; None if it is no number."""
    held = plain(cell)
    if isinstance(held, str):
        return spelled.double(held, csv)
    if not isinstance(held, (int, float, Fraction)):
        return None
    try:
        return float(held)  # exact: a cell that engines read as a double
    except OverflowError:
        return None


def unit_of(cell: object) -> str | None:
    """Return a text that is equal exactly for cells of equal value; None if the cell is missing.

    A number is the text of its digits: 1, 1.0, True and "1" are one unit.
    """
    held = plain(cell)
    if isinstance(held, (bool, int, float, Fraction)):
        return spelled.ratio_text(Fraction(held))
    if isinstance(held, str) and not held.startswith(_MARK):
        return held
    if isinstance(held, (str, bytes)):
        return f"{_MARK}{type(held).__name__} {held!r}"
    if held is None:
        return None
    count = held.days if isinstance(held, Day) else held.nanoseconds
    return f"{_MARK}{type(held).__name__} {count}"


def key_text(cell: object) -> str | None:
    """Return the text under which a cell is found as a key; None where it can be none.

    Text is itself; whole numbers and truth values are their digits. Other cells are no key.
    """
    held = plain(cell)
    if isinstance(held, str):
        return held
    return spelled.digits_of(int(held)) if isinstance(held, (bool, int)) else None


_MARK = "\0"  # of what is neither text nor a number


def _text(cell: object) -> str | None:
    text = str.__str__(cast("str", cell))
    return spelled.short(text) if is_storable(text) else None


def _whole(cell: object) -> int | None:
    integer = int.__int__(cast("int", cell))
    return integer if integer.bit_length() <= _MOST_BITS else None


def _real(cell: object) -> float | None:
    real = float.__float__(cast("float", cell))
    return real if isfinite(real) else None


def _decimal(cell: object) -> int | Fraction | None:
    digits, exponent = Decimal.as_tuple(cast("Decimal", cell))[1:]
    if isinstance(exponent, str) or len(digits) > _MOST_PLACES or abs(exponent) > _MOST_PLACES:
        return None  # infinite, or no number, or too long
    return _lowest(Fraction(*Decimal.as_integer_ratio(cast("Decimal", cell))))


def _fraction(cell: object) -> int | Fraction | None:
    above, below = _NUMERATOR(cell), _DENOMINATOR(cell)
    if type(above) is not int or type(below) is not int:
        return None
    if max(above.bit_length(), below.bit_length()) > _MOST_BITS or below == 0:
        return None
    return _lowest(Fraction(above, below))


_NUMERATOR = cast("Any", Fraction.__dict__["_numerator"]).__get__
_DENOMINATOR = cast("Any", Fraction.__dict__["_denominator"]).__get__


def _lowest(ratio: Fraction) -> int | Fraction | None:
    if max(ratio.numerator.bit_length(), ratio.denominator.bit_length()) > 4 * _MOST_BITS:
        return None
    return ratio.numerator if ratio.denominator == 1 else ratio


def _moment(cell: object) -> Moment | None:
    moment = cast("datetime", cell)
    zone = _ZONE(moment)
    if zone is not None and type(zone) not in (timezone, ZoneInfo):
        return None  # its offset would be code of somebody else
    parts = [_PART[name](moment) for name in _PARTS]
    try:
        local = datetime(*parts, fold=_FOLD(moment)).replace(tzinfo=zone)
        away = local.utcoffset() or timedelta(0)
    except (OverflowError, ValueError):
        return None
    _, _, _, hour, minute, second, microsecond = parts
    seconds = (date(*parts[:3]).toordinal() - _EPOCH) * 86_400
    seconds += hour * 3600 + minute * 60 + second
    microseconds = seconds * 10**6 + microsecond - away // timedelta(microseconds=1)
    return Moment(microseconds * _MICROSECOND)


_PARTS = ("year", "month", "day", "hour", "minute", "second", "microsecond")
_PART = {name: cast("Any", getattr(datetime, name)).__get__ for name in _PARTS}
_ZONE = cast("Any", datetime.tzinfo).__get__
_FOLD = cast("Any", datetime.fold).__get__


def _day(cell: object) -> Day:
    return Day(date.toordinal(cast("date", cell)) - _EPOCH)


def _clock(cell: object) -> Clock | None:
    parts = [_CLOCK_PART[name](cell) for name in _PARTS[3:]]
    if _CLOCK_ZONE(cell) is not None:
        return None
    hour, minute, second, microsecond = parts
    seconds = hour * 3600 + minute * 60 + second
    return Clock(seconds * spelled.SECOND + microsecond * _MICROSECOND)


_CLOCK_PART = {name: cast("Any", getattr(time, name)).__get__ for name in _PARTS[3:]}
_CLOCK_ZONE = cast("Any", time.tzinfo).__get__


def _span(cell: object) -> Span:
    days, seconds, more = (cast("Any", getattr(timedelta, n)).__get__(cell) for n in _SPAN_PARTS)
    return Span((days * 86_400 + seconds) * spelled.SECOND + more * _MICROSECOND)


_SPAN_PARTS = ("days", "seconds", "microseconds")

_READERS: dict[type, Callable[[object], Plain | None]] = {
    bool: lambda cell: cell is True,
    str: _text,
    int: _whole,
    float: _real,
    Decimal: _decimal,
    Fraction: _fraction,
    bytes: lambda cell: spelled.short(bytes.__getitem__(cast("bytes", cell), slice(None))),
    datetime: _moment,
    date: _day,
    time: _clock,
    timedelta: _span,
}
_BY_IDENTITY = {id(base): reader for base, reader in _READERS.items()}  # a class may compare itself


def _has(bases: tuple[type, ...], base: object) -> bool:
    return any(kind is base for kind in bases)


def _is_gap(cell: object) -> bool:
    """Say whether a cell is pandas' NA or NaT, without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and (
        cell is getattr(pandas, "NA", None) or cell is getattr(pandas, "NaT", None)
    )


def _of_library(cell: object) -> Plain | None:
    """Return what an object of NumPy or of the module `uuid` holds, without importing either."""
    bases = _BASES(type(cell))
    numpy, ids = sys.modules.get("numpy"), sys.modules.get("uuid")
    if numpy is not None and _has(bases, numpy.generic):
        return _of_numpy(cell, numpy)
    if ids is not None and _has(bases, ids.UUID):
        count = cast("Any", ids.UUID.int).__get__(cell)
        digits = f"{count:032x}" if type(count) is int else ""
        return (
            None
            if not digits
            else "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        )
    return None


def _of_pandas(cell: object) -> tuple[Plain | None] | None:
    """Return what a Timestamp, Timedelta or Period holds, more than Python's; None for others."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return None
    for name, convert in (("Timestamp", "to_datetime64"), ("Timedelta", "to_timedelta64")):
        kind = getattr(pandas, name, None)
        if type(cell) is kind:
            return (_of_library(getattr(kind, convert)(cell)),)
        if _has(_BASES(type(cell)), kind):
            return (None,)  # a class of somebody else
    return (_period(cell),) if type(cell) is getattr(pandas, "Period", None) else None


def _period(cell: object) -> Day | Moment | None:
    """Return the day or the moment that a period of pandas is; None where it is longer.

    Its unit is read as a number, because an object of its frequency may have code of its own.
    """
    kind = cast("Any", cell)._dtype  # noqa: SLF001 - what it shows of that is made by the object
    count, step = int(cast("Any", cell).ordinal), _PERIODS.get(kind._dtype_code)  # noqa: SLF001
    if step is None or kind._n != 1:  # noqa: SLF001
        return None
    return Day(count) if step == spelled.DAY else Moment(count * step)


_PERIODS = {  # nanoseconds of a period, by pandas' number for it
    6_000: spelled.DAY,
    7_000: 3_600 * spelled.SECOND,
    8_000: 60 * spelled.SECOND,
    9_000: spelled.SECOND,
    10_000: 10**6,
    11_000: 10**3,
    12_000: 1,
}


def _of_numpy(cell: object, numpy: Any) -> Plain | None:
    bases = _BASES(type(cell))
    if _has(bases, numpy.datetime64) or _has(bases, numpy.timedelta64):
        return _of_ticks(cell, numpy, is_span=_has(bases, numpy.timedelta64))
    if _has(bases, numpy.longdouble):
        return _of_long(numpy.longdouble(cell))
    scalar = numpy.generic.item(cell)
    reader = _BY_IDENTITY.get(id(type(scalar)))
    return None if reader is None else reader(scalar)


def _of_long(cell: Any) -> Plain | None:
    """Return a float that is wider than Python's."""
    if not abs(cell) < _INFINITE:
        return None
    above, below = (int(part) for part in cell.as_integer_ratio())
    if max(above.bit_length(), below.bit_length()) > _MOST_BITS:
        return None
    return Fraction(above, below)


def _of_ticks(cell: object, numpy: Any, *, is_span: bool) -> Plain | None:
    """Return what a count of NumPy's units of time says; None where a unit has no fixed length."""
    unit, step = numpy.datetime_data(numpy.generic.dtype.__get__(cell))
    count = int(numpy.generic.view(cell, "i8"))
    if count == _NO_TIME or unit not in _ATTOSECONDS:
        return None
    whole = count * step * _ATTOSECONDS[unit] // 10**9
    if is_span:
        return Span(whole)
    return Day(whole // spelled.DAY) if unit in ("W", "D") else Moment(whole)


_NO_TIME = -(2**63)
_INFINITE = float("inf")  # exact: a mark to compare with
_ATTOSECONDS = {
    "W": 7 * 86_400 * 10**18,
    "D": 86_400 * 10**18,
    "h": 3600 * 10**18,
    "m": 60 * 10**18,
    "s": 10**18,
    "ms": 10**15,
    "us": 10**12,
    "ns": 10**9,
    "ps": 10**6,
    "fs": 10**3,
    "as": 1,
}
