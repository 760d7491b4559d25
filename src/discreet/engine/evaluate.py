"""What an expression gives for a row: the reference, in plain Python.

Rules of this module:
- every operator is total: whatever the row holds, it gives a value or None, which is NULL;
- a number is None, 0, or a double of a size from 1e-150 to 1e150, and so is every result; + - * /
  of such doubles neither overflow nor underflow, and IEEE rounds them alike on all machines;
- a day is a whole number of days, a moment one of seconds, both from 1970-01-01; those beyond the
  years 1 to 9999 are None.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from math import floor, sqrt  # exact: IEEE rounds a root everywhere
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from ..expressions import Kind, Typed, series
from ..expressions.kinds import DAY_SECONDS, FIRST_DAY, LAST_DAY
from ..expressions.literals import day_of
from ..schema import Table, value_tree
from ..schema.csv_options import DEFAULT, CsvOptions
from ..schema.unknown import composed
from . import spelled, written_times
from .declared_cells import declared, how_written
from .reading import Day, Moment, key_text, number, plain
from .source import cell_of

Value = float | int | str | bool | None
Read = Callable[[str, Kind], Value]  # of a column's name, and what it is read as
_Values = Sequence[Any]

_LARGEST = float("1e150")  # exact: a bound of the language, which is of doubles
_LEAST = float("1e-150")  # exact: as above
_NOTHING = float(0)  # exact: as above
_WHOLE_FROM = 2**52  # from here on, every double is a whole number
_EPOCH = date(1970, 1, 1).toordinal()


def normal(value: float | None) -> float | None:
    """Return a double as a number of the language.

    Example:
        >>> normal(2.5), normal(1e151), normal(-1e-151), normal(float("nan"))
        (2.5, None, 0.0, None)
    """
    if value is None or not abs(value) <= _LARGEST:
        return None
    return value if abs(value) >= _LEAST else _NOTHING


def read_as(cell: object, kind: Kind, csv: CsvOptions = DEFAULT) -> Value:
    """Return what a cell is for an expression that reads it as this type; None if it is missing.

    Args:
        cell: any object.
        kind: what it is read as.
        csv: how numbers, days and times are written in text, where that is declared.
    """
    if written_times.is_declared(csv) and kind in ("day", "moment") and type(cell) is str:
        return written_times.counted(cell, kind, csv)
    if kind == "number":
        return normal(number(cell, csv))
    if kind == "truth":
        truth = number(cell, csv)
        return bool(truth) if truth in (0, 1) else None
    if kind in ("label", "any"):
        return key_text(cell) if kind == "label" else is_there(cell)
    held = plain(cell)
    if kind == "text":
        return held if isinstance(held, str) else None
    return _day(held) if kind == "day" else _moment(held)


def is_there(cell: object) -> bool | None:
    """Return whether a cell holds a value, whatever it is; None if it is missing."""
    held = plain(cell)
    if isinstance(held, (Day, Moment)):
        held = _day(held)
    elif isinstance(held, (int, float, Fraction)):
        held = number(cell)
    return None if held is None else True


def _moment(held: object) -> int | None:
    """Return a moment in whole seconds; a day is no moment."""
    nanoseconds = held.nanoseconds if isinstance(held, Moment) else None
    if isinstance(held, str):
        nanoseconds = spelled.moment(held)
    if nanoseconds is None:
        return None
    seconds = nanoseconds // spelled.SECOND
    return seconds if FIRST_DAY <= seconds // DAY_SECONDS <= LAST_DAY else None


def _day(held: object) -> int | None:
    """Return a day; of a moment, the day in UTC that it is in."""
    if isinstance(held, Day):
        days: int | None = held.days
    elif isinstance(held, str) and day_of(held) is not None:
        days = day_of(held)
    else:
        seconds = _moment(held)
        days = None if seconds is None else seconds // DAY_SECONDS
    return days if days is not None and FIRST_DAY <= days <= LAST_DAY else None


def reader(table: Table, row: object) -> Read:
    """Return what reads the columns of a row: those of the data, and those made of it."""

    def read(name: str, kind: Kind) -> Value:
        made = table.made(name)
        if made is not None:
            return evaluate(made, read)
        csv, raw = how_written(table, name), cell_of(row, name)
        return read_as(raw, kind) if csv is None else read_as(declared(raw, csv), kind, csv)

    return read


def value(table: Table, row: object, name: str) -> object:
    """Return the cell of a column with bounds: of days and moments their count."""
    tree = value_tree(table, name)
    return declared_number(table, row, name) if tree is None else evaluate(tree, reader(table, row))


def value_reader(table: Table, name: str) -> Callable[[object], object]:
    """Return what gives `value` of each row; what is asked of a column is looked up once."""
    if value_tree(table, name) is None and how_written(table, name) is None:
        return lambda row: cell_of(row, name)
    return lambda row: value(table, row, name)


def declared_number(table: Table, row: object, name: str) -> object:
    """Return the cell of a column of numbers; its number where it has a declared form."""
    csv, raw = how_written(table, name), cell_of(row, name)
    return raw if csv is None else number(declared(raw, csv), csv)


def declared_cell(table: Table, row: object, name: str) -> object:
    """Return the cell of a column that is compared as it stands: of a unit, say."""
    csv, raw = how_written(table, name), cell_of(row, name)
    return raw if csv is None else declared(raw, csv)


def cell(table: Table, row: object, name: str) -> object:
    """Return the cell of a column that is grouped by, be it of the data or made."""
    made = table.made(name)
    if made is None:
        return declared_cell(table, row, name)
    answer = evaluate(made, reader(table, row))
    if made.kind == "day" and isinstance(answer, int):
        return date.fromordinal(answer + _EPOCH)
    return answer


def cell_reader(table: Table, name: str) -> Callable[[object], object]:
    """Return what gives `cell` of each row; what is asked of a column is looked up once."""
    if table.made(name) is None and how_written(table, name) is None:
        return lambda row: cell_of(row, name)
    return lambda row: cell(table, row, name)


def test(tree: Typed, table: Table, row: object) -> int:
    """Return whether a condition holds for a row: 0 if not, 1 if it does, 2 if it is unknown."""
    answer = evaluate(tree, reader(table, row))
    return 2 if answer is None else int(answer is True)


def evaluate(tree: Typed, read: Read) -> Value:
    """Return what a tree gives for the row that `read` reads."""
    if not tree.args:
        return read(tree.value, tree.kind) if tree.op == "column" else literal(tree)
    values = [evaluate(arg, read) for arg in tree.args]
    if tree.op == "search":
        return _searched(tree, values[0])
    if tree.op == "log":
        return None if None in values else _log(int(tree.value), values)
    if tree.op in _THREE_VALUED:
        answer: Value = _THREE_VALUED[tree.op](values)
        return answer
    return None if None in values else _plainly(tree.op, values)


def _plainly(op: str, values: _Values) -> Value:
    """Return what an operator makes of values that are all there."""
    return normal(_ARITHMETIC[op](values)) if op in _ARITHMETIC else _OF_VALUES[op](values)


def literal(tree: Typed) -> Value:
    """Return the value of a literal."""
    if tree.kind == "number":
        return float(tree.value)  # exact: the double that the literal means
    if tree.kind == "text":
        return tree.value
    return tree.value == "1" if tree.kind == "truth" else int(tree.value)


def _searched(tree: Typed, value: Any) -> float | None:
    if value is None:
        return None
    cuts = [float(cut) for cut, _ in tree.table]  # exact: doubles, as they are written
    place = bisect_right(cuts, value) - 1
    return None if place < 0 else float(tree.table[place][1])  # exact: as above


def _log(base: int, values: _Values) -> float:
    x, centre, logarithm = values
    s: float = (x - centre) / (x + centre)  # exact: IEEE rounds it everywhere
    square = s * s
    total, *smaller = (float(term) for term in reversed(series(base)))  # exact: as they are written
    for factor in smaller:
        total = total * square + factor
    return float(total * s + logarithm)  # exact: IEEE rounds it everywhere


def _and(values: _Values) -> bool | None:
    return False if False in values else None if None in values else True


def _or(values: _Values) -> bool | None:
    return True if True in values else None if None in values else False


def _case(values: _Values) -> Value:
    pairs = zip(values[0::2], values[1::2], strict=False)
    otherwise = values[-1] if len(values) % 2 else None
    chosen: Value = next((value for condition, value in pairs if condition is True), otherwise)
    return chosen


_THREE_VALUED: dict[str, Callable[[_Values], Any]] = {
    "and": _and,
    "or": _or,
    "case": _case,
    "coalesce": lambda values: next((value for value in values if value is not None), None),
    "is_null": lambda values: values[0] is None,
}


def _divided(values: _Values) -> float | None:
    return None if values[1] == 0 else values[0] / values[1]  # exact: IEEE rounds it everywhere


def _floor(values: _Values) -> float:
    value: float = values[0]
    return float(floor(value)) if abs(value) < _WHOLE_FROM else value  # exact: below 2^52


_ARITHMETIC: dict[str, Callable[[_Values], float | None]] = {
    "+": lambda values: values[0] + values[1],
    "-": lambda values: values[0] - values[1],
    "*": lambda values: values[0] * values[1],
    "/": _divided,
    "neg": lambda values: -values[0],
    "abs": lambda values: abs(values[0]),
    "sqrt": lambda values: sqrt(values[0]) if values[0] >= 0 else None,  # exact: IEEE rounds it
    "floor": _floor,
    "year": lambda values: float(_date(values).year),  # exact: a whole number, as those below
    "month": lambda values: float(_date(values).month),  # exact: whole
    "day": lambda values: float(_date(values).day),  # exact: whole
    "weekday": lambda values: float(_date(values).isoweekday()),  # exact: whole; Monday is 1
    "days": lambda values: float(values[0]),  # exact: whole
    "seconds": lambda values: float(values[0]),  # exact: whole, below 2^53
    "hour": lambda values: float(values[0] % DAY_SECONDS // 3600),  # exact: whole
    "length": lambda values: float(len(values[0])),  # exact: whole
}


def _date(values: _Values) -> date:
    return date.fromordinal(values[0] + _EPOCH)


_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_UPPER = str.maketrans(ascii_lowercase, ascii_uppercase)
_OF_VALUES: dict[str, Callable[[_Values], Value]] = {
    "not": lambda values: not values[0],
    "=": lambda values: values[0] == values[1],
    "<>": lambda values: values[0] != values[1],
    "<": lambda values: values[0] < values[1],
    "<=": lambda values: values[0] <= values[1],
    ">": lambda values: values[0] > values[1],
    ">=": lambda values: values[0] >= values[1],
    "in": lambda values: values[0] in values[1:],
    "least": min,
    "greatest": max,
    "starts_with": lambda values: values[0].startswith(values[1]),
    "contains": lambda values: values[1] in values[0],
    "lower": lambda values: values[0].translate(_LOWER),
    "upper": lambda values: values[0].translate(_UPPER),
    "trim": lambda values: values[0].strip(" "),
    "substr": lambda values: values[0][int(values[1]) - 1 :][: int(values[2])],
    "right": lambda values: values[0][-int(values[1]) :],
    "compose": composed,
    **dict.fromkeys(("as_day", "as_moment"), lambda values: int(values[0])),
}
