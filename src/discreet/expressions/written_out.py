"""Functions that are abbreviations, written out in those that engines know.

Rules of this module:
- each is total and exact for numbers below 2^53, because what it is made of is: a whole number
  divided by another is rounded up to the next whole one nowhere below that;
- an argument stands as often as `COPIES` says, which the parser counts.
"""

from collections.abc import Callable

from .kinds import Kind, Typed, number_literal

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
    "minute": lambda args: _over(_rest_of_seconds(args, "3600"), number_literal("60")),
    "second": lambda args: _rest_of_seconds(args, "60"),
    "ends_with": _ends_with,
    "count": _count,
}


def written_out(op: str, args: _Args) -> Typed:
    """Return what a function of typed arguments is an abbreviation of."""
    return WRITTEN_OUT[op](args)
