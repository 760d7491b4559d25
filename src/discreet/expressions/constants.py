"""What is typed as a sum of public numbers, or as a day so many days away: worked out at once.

Rules of this module:
- decimals are added, subtracted, multiplied and divided exactly, as SQL does it: 0.06 + 0.01 is
  0.07, and no double that is a little less;
- a day is moved by days, weeks, months and years of the calendar; where the month it comes to has
  no such day, engines differ, and it is refused.
"""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from fractions import Fraction

from .kinds import MOST_POWER, Piece
from .literals import day_of, moment_of, number, unquoted
from .reading import Reading
from .refusals import refused

_LARGEST = Fraction(10) ** MOST_POWER
_EPOCH = date(1970, 1, 1)
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_DAYS = {"DAY": 1, "WEEK": 7}
_SECONDS = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}
_WORK: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,  # exact: rationals
}


def folded(op: str, args: Sequence[Piece], start: int, end: int) -> Piece | None:
    """Return what two typed numbers come to, as the double nearest to it; None for others.

    Example:
        >>> one, other = (Piece("number", value=said) for said in ("0.06", "0.01"))
        >>> folded("+", (one, other), 0, 11).value
        '0.07'
    """
    if op not in _WORK or len(args) != 2:
        return None
    left, right = map(_value, args)
    if left is None or right is None or (op == "/" and right == 0):
        return None
    value = _WORK[op](left, right)
    if value and not 1 / _LARGEST <= abs(value) <= _LARGEST:  # exact: rationals
        return None
    nearest = repr(float(abs(value)))  # exact: it says the double nearest to it
    written = number(nearest) or "0"
    piece = Piece("number", (), written, start, end)
    return piece if value >= 0 else Piece("neg", (piece,), "", start, end, 2)


def _value(part: Piece) -> Fraction | None:
    if part.op == "neg":
        inner = _value(part.args[0])
        return None if inner is None else -inner
    return Fraction(part.value) if part.op == "number" else None


def moved(reader: Reading, part: Piece, op: str, start: int) -> Piece:
    """Read INTERVAL, behind a typed day or moment and a sign: the day that it comes to."""
    token = reader.need("INTERVAL")
    count, unit = _interval(reader)
    count = count if op == "+" else -count
    seconds = 0
    if part.op == "timestamp":
        seconds = moment_of(part.value) or 0
        seconds, rest = divmod(seconds, 86_400)
        day, seconds = _EPOCH + timedelta(days=seconds), rest
    else:
        day = _EPOCH + timedelta(days=day_of(part.value) or 0)
    try:
        if unit in _MONTHS:
            month = day.year * 12 + day.month - 1 + count * _MONTHS[unit]
            day = day.replace(year=month // 12, month=month % 12 + 1)
        elif unit in _DAYS:
            day += timedelta(days=count * _DAYS[unit])
        elif unit in _SECONDS and part.op == "timestamp":
            more, seconds = divmod(seconds + count * _SECONDS[unit], 86_400)
            day += timedelta(days=more)
        else:
            raise reader.wrong("DAY, WEEK, MONTH or YEAR")
    except (ValueError, OverflowError):
        raise refused(
            reader.text,
            token.start,
            reader.tokens[reader.place - 1].end,
            "there is no such day.",
            why="the month that it comes to has fewer days, and languages differ in what they take",
            fix="write the day itself, as in DATE '2026-11-03'",
        ) from None
    if part.op == "date":
        return reader.part("date", [], start, day.isoformat())
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return reader.part("timestamp", [], start, f"{day.isoformat()} {clock}")


def _interval(reader: Reading) -> tuple[int, str]:
    """Read how many of what: '90' DAY, 90 DAY, '90 days'."""
    token = reader.here
    written = unquoted(token.text) if token.kind == "text" else token.text
    count, _, unit = written.strip().partition(" ")
    if token.kind not in ("text", "number") or not count.lstrip("+-").isdecimal():
        raise reader.wrong("a whole number")
    reader.place += 1
    if not unit:
        unit = reader.here.text
        reader.place += 1
        if reader.here.says("(") and reader.tokens[reader.place + 1].kind == "number":
            reader.place += 2  # how many digits it may have, as TPC-H says
            reader.need(")")
    return int(count), unit.strip().upper().removesuffix("S")
