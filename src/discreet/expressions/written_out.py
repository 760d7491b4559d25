"""Functions that are abbreviations, written out in those that engines know.

Rules of this module:
- each is total and exact for numbers below 2^53, because what it is made of is: a whole number
  divided by another is rounded up to the next whole one nowhere below that;
- an argument stands as often as `COPIES` says, which the parser counts.
"""

from collections.abc import Callable

from .kinds import CLOCK, FIRST_DAY, Kind, Typed, number_literal

_Args = tuple[Typed, ...]
CASTS: dict[str, Kind] = {
    "INTEGER": "number",
    "DOUBLE": "number",
    "VARCHAR": "text",
    "DATE": "day",
    "TIMESTAMP": "moment",
    "BOOLEAN": "truth",
}


def _number(op: str, *args: Typed) -> Typed:
    return Typed(op, "number", args)


def _compared(op: str, one: Typed, value: str) -> Typed:
    return Typed(op, "truth", (one, number_literal(value)))


def _over(value: Typed, by: Typed) -> Typed:
    return _number("floor", _number("/", value, by))


def _ceil(args: _Args) -> Typed:
    return _number("neg", _number("floor", _number("neg", *args)))


def _trunc(args: _Args) -> Typed:
    (value,) = args
    above = _compared(">=", value, "0")
    return _number("case", above, _number("floor", value), _ceil(args))


def _sign(args: _Args) -> Typed:
    (value,) = args
    signs = ((">", "1"), ("<", "-1"), ("=", "0"))
    pairs = ((_compared(op, value, "0"), number_literal(said)) for op, said in signs)
    return _number("case", *(one for pair in pairs for one in pair))


def _mod(args: _Args) -> Typed:
    value, by = args
    return _number("-", value, _number("*", by, _over(value, by)))


def _quarter(args: _Args) -> Typed:
    month = _number("month", *args)
    return _over(_number("+", month, number_literal("2")), number_literal("3"))


def _plus(value: Typed, more: str) -> Typed:
    return _number("+", value, number_literal(more))


def _leaps(year: Typed) -> Typed:
    """Return how many years from 1 to this one have a day more."""
    every4, every100, every400 = (_over(year, number_literal(n)) for n in ("4", "100", "400"))
    return _number("+", _number("-", every4, every100), every400)


def _before(year: Typed) -> Typed:
    """Return the days from 0001-01-01 to the first day of a year."""
    past = _plus(year, "-1")
    return _number("+", _number("*", past, number_literal("365")), _leaps(past))


def _long(year: Typed) -> Typed:
    """Return how many days a year has."""
    more = _number("-", _leaps(year), _leaps(_plus(year, "-1")))
    return _plus(more, "365")


def _day_of_year(args: _Args) -> Typed:
    day = _plus(_number("days", *args), str(1 - FIRST_DAY))
    return _number("-", day, _before(_number("year", *args)))


def _thursday(args: _Args) -> Typed:
    """Return the Thursday of a day's week, counted in that day's year, before and behind it too."""
    day = _plus(_day_of_year(args), "4")
    return _number("-", day, _number("weekday", *args))


def _iso(args: _Args, before: Typed, inside: Typed, behind: Typed) -> Typed:
    """Return one of three: as the year of a week, which its Thursday has, is before a day's own."""
    thursday, year = _thursday(args), _number("year", *args)
    is_behind = Typed(">", "truth", (thursday, _long(year)))
    return _number("case", _compared("<", thursday, "1"), before, is_behind, behind, inside)


def _week_of(day: Typed) -> Typed:
    """Return which week a Thursday is in, by its day of the year."""
    return _over(_plus(day, "6"), number_literal("7"))


def _iso_week(args: _Args) -> Typed:
    thursday, year = _thursday(args), _number("year", *args)
    last = _number("+", thursday, _long(_plus(year, "-1")))
    return _iso(args, _week_of(last), _week_of(thursday), number_literal("1"))


def _iso_year(args: _Args) -> Typed:
    year = _number("year", *args)
    return _iso(args, _plus(year, "-1"), year, _plus(year, "1"))


def begun(unit: str, value: Typed) -> Typed:
    """Return the day on which the week, month, quarter or year of a day began; of a moment when.

    A quarter begins 0, 90, 181 or 273 days after its year, and in a leap year one more from April.
    """
    if unit in ("day", "second"):
        return value
    args = (value,)
    if unit in CLOCK:
        rest = _rest_of_seconds(args, str(CLOCK[unit]))
        return Typed("as_moment", "moment", (_number("-", _number("seconds", value), rest),))
    if unit in ("year", "quarter"):
        gone = _day_of_year(args)
    else:
        gone = _number("day" if unit == "month" else "weekday", value)
    first = _plus(_number("-", _number("days", value), gone), "1")
    if unit == "quarter":
        first = _number("+", first, _before_quarter(value))
    return Typed("as_day", "day", (first,))


def _before_quarter(value: Typed) -> Typed:
    """Return the days of a year that lie before a day's quarter."""
    month = _number("month", value)
    early = [_compared("<", month, end) for end in ("4", "7", "10")]
    pairs = zip(early, map(number_literal, ("0", "90", "181")), strict=True)
    usual = _number("case", *(one for pair in pairs for one in pair), number_literal("273"))
    more = _plus(_long(_number("year", value)), "-365")
    return _number("+", usual, _number("case", early[0], number_literal("0"), more))


def _rest_of_seconds(args: _Args, by: str) -> Typed:
    return _mod((_number("seconds", *args), number_literal(by)))


def _ends_with(args: _Args) -> Typed:
    text, sought = args
    end = Typed("right", "text", (text, number_literal(str(len(sought.value)))))
    return Typed("=", "truth", (end, sought))


def _count(args: _Args) -> Typed:
    (value,) = args
    no = Typed("not", "truth", (value,))
    return _number("case", value, number_literal("1"), no, number_literal("0"))


WRITTEN_OUT: dict[str, Callable[[_Args], Typed]] = {
    "ceil": _ceil,
    "trunc": _trunc,
    "sign": _sign,
    "mod": _mod,
    "div": lambda args: _over(*args),
    "quarter": _quarter,
    "dayofyear": _day_of_year,
    "isoweek": _iso_week,
    "isoyear": _iso_year,
    "minute": lambda args: _over(_rest_of_seconds(args, "3600"), number_literal("60")),
    "second": lambda args: _rest_of_seconds(args, "60"),
    "ends_with": _ends_with,
    "count": _count,
}


def written_out(op: str, args: _Args) -> Typed:
    """Return what a function of typed arguments is an abbreviation of."""
    return WRITTEN_OUT[op](args)
