"""Groups that have no public keys, and numbers that have no bounds: the lines that declare them.

Rules of this module:
- which months, hours or days of a week there are is public, and which bands lie between declared
  bounds follows from them: these keys are typed; all others are question marks.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import count
from math import floor
from typing import TYPE_CHECKING, Any, Final

from ..errors import InputError
from ..exact.number import rational
from ..expressions import Piece, expression
from ..expressions.expression import name_of
from ..expressions.parser import RESERVED
from ..fix import Do, Fix, Set, call, leave_out, write
from ..meant import BOUNDS, formula

if TYPE_CHECKING:
    from .table import Table

_KEYS = ["?", "?"]
_CALENDAR: Final[Mapping[str, range]] = {  # which values there can be
    "quarter": range(1, 5),
    "month": range(1, 13),
    "isoweek": range(1, 54),
    "day": range(1, 32),
    "weekday": range(1, 8),
    "dayofyear": range(1, 367),
    "hour": range(24),
    "minute": range(60),
    "second": range(60),
}
_TRUTHS = ("=", "<>", "<", "<=", ">", ">=", "and", "or", "not", "in", "between")
_MOST_LISTED = 1_000  # values that are typed as a range
_CALL = re.compile(r"\w+\(.+\)")
_OF_ONE = re.compile(r"\s*(\w+)\s*\(\s*(\w+)\s*\)\s*")


def without_keys(table: "Table", by: Iterable[str], column: str, beside: str | None) -> Fix:
    """Return what to do about groups by a column that no keys are declared for."""
    if column in table.derived:
        return "list its keys where it is derived, beside its expression"
    listed = write(of="table", keys={column: _KEYS})
    if column not in table.columns and column != table.unit.column:
        return _as_columns(table, [*by], column) or listed
    if column == table.unit.column:
        units = Do(call("discreet.count_units"), ", for how many units there are")
        return (leave_out("by", note=", for all rows: a group of one unit is one person"), units)
    if beside is not None:
        return (Do(call("discreet.mean", [beside, column]), "without by, for both means"), listed)
    if table.columns[column].kind != "number":
        return (Do(call("discreet.histogram", column), "without by, for counts in bins"), listed)
    text = f"floor({name_of(column, RESERVED)} / 10)"
    return (
        Do(call("discreet.histogram", column), "without by, for counts in bins"),
        _grouped(table, [*by], column, text),
        listed,
    )


def _as_columns(table: "Table", by: list[str], text: str) -> Fix | None:
    """Return what to do about a text that names columns, or is a formula; None for a name."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 1 and all(part in table.keys for part in parts):
        return Set({"by": parts})
    if text.strip() == "*":
        return Do(call("discreet.count"), ", for all rows")
    return _grouped(table, by, text, text) if _is_expression(text) else None


def without_bounds(table: "Table", column: str) -> Fix:
    """Return what to do about a number that no bounds are declared for."""
    if (parts := formula(column)) and all(name in table.keys for name in parts[1]):
        by = parts[1] if parts[1:][1:] else parts[1][0]
        return Set({"column": parts[0], "by": by})
    if column in table.keys or not _is_expression(column):
        return write(of="table", columns={column: BOUNDS})
    made = call("discreet.derived", column, bounds=BOUNDS)
    name = _name(table, "made")
    return Do(call("table.derive", **{name: made}), f"and ask for {name}")


def _is_expression(text: str) -> bool:
    """Tell whether a text is no name but a formula, such as month(day)."""
    part = _part(text)
    if part is None:
        return _CALL.fullmatch(text) is not None
    return part.op != "column" and (part.op != "-" or "(" in text or " - " in text)


def _part(text: str) -> Piece | None:
    """Return what a formula is made of; None where it is not read."""
    try:
        return expression(text).part
    except InputError:
        return None


def _grouped(table: "Table", by: list[str], column: str, text: str) -> Do:
    """Return the column to derive of a formula, with its public keys, and the groups by it."""
    if _part(text) is None and (of := _OF_ONE.fullmatch(text)):
        quoted = f'{of[1]}("{of[2]}")'  # a column with the name of a word of the language
        text = text if _part(quoted) is None else quoted
    part = _part(text)
    keys = None if part is None else _values(table, part)
    word = "" if part is None else part.value if part.op == "dotted" else part.op
    name = _name(table, word if word in (*_CALENDAR, "year") else "band")
    made = call("discreet.derived", text, keys=_KEYS if keys is None else keys)
    named = [name if each == column else each for each in by]
    note = f"and group by {name}" if len(named) == 1 else f"and group by {' and '.join(named)}"
    return Do(call("table.derive", **{name: made}), note)


def _name(table: "Table", name: str) -> str:
    """Return a name for a derived column that the table does not have."""
    taken = {*table.columns, *table.keys, *table.derived, table.unit.column}
    others = (f"{name}_{number}" for number in count(2))
    return name if name not in taken else next(each for each in others if each not in taken)


def _values(table: "Table", part: Piece) -> Any:
    """Return the public values of a formula, as they are listed; None where they are not public."""
    if part.op == "dotted":
        part = Piece(part.value, args=part.args)
    if part.op in _CALENDAR:
        return _CALENDAR[part.op]
    if part.op in _TRUTHS:
        return [False, True]
    if part.op == "case":
        texts = [each for each in part.given() if each.op != "null"]
        values = [*dict.fromkeys(each.value for each in texts)]
        if all(each.op == "number" and each.value.isdecimal() for each in texts):
            return [*map(int, values)]
        return values if all(each.op == "text" for each in texts) else None
    if part.op in ("*", "+", "-") and len(part.args) == 2 and part.args[1].op == "number":
        return _moved(part.op, _values(table, part.args[0]), part.args[1].value)
    low, high = _ends(table, part)
    return None if low is None or high - low > _MOST_LISTED else range(low, high + 1)


def _moved(sign: str, values: Any, number: str) -> range | None:
    """Return a range of values after a sum or a product with a whole number."""
    if not isinstance(values, range) or not number.isdecimal() or not int(number):
        return None
    if sign == "*":
        step = int(number)
        return range(values.start * step, (values.stop - 1) * step + 1, values.step * step)
    shift = int(number) if sign == "+" else -int(number)
    return range(values.start + shift, values.stop + shift, values.step)


def _ends(table: "Table", part: Piece) -> tuple[Any, Any]:
    """Return the least and the largest value of a year or of a band; None where no bounds are."""
    whole = part.args[0] if part.op == "floor" and part.args[0].op == "/" else part
    parts = [*whole.args, Piece("number", value="1")][:2]
    bounds = table.columns.get(parts[0].value) if parts[0].op == "column" else None
    if bounds is None or parts[1].op != "number":
        return None, None
    if part.op == "year" and bounds.kind != "number":
        first, last = (int(bounds.said(end)[:4]) for end in (bounds.lower, bounds.upper))
        return first, last
    wide = rational(parts[1].value, "width")
    if part.op not in ("floor", "div") or bounds.kind != "number" or wide <= 0:
        return None, None
    return floor(bounds.lower / wide), floor(bounds.upper / wide)  # exact: rationals
