"""Conditions in the place of a filter, on cells as they are: `layers` for less.

A row of which a condition is false and one of which it is unknown are gone alike, so that a filter
need only be true exactly where the language says true. Then a comparison of a column with literals
needs no value of the language: the cell is compared as its type, and DuckDB can skip the parts of a
file that say they hold no such cell.

Why no integer changes: a filter drops a row of which its condition is not true, whatever else it
is, and what stands here is true of the same rows.

Rules of this module:
- what is said here is true of a row exactly where `engine/evaluate.py` says true; elsewhere it is
  false or NULL, no matter which. AND and OR keep that; nothing else is looked into;
- a comparison of doubles never stands alone: a file's least and greatest values leave out NaN, so
  that where all other numbers fit it would be taken for true. What tells NaN apart stands in TRY,
  through which DuckDB follows no such values;
- what a file states of its text is not asked (text stands in TRY, or is looked up in a map within
  CASE), and of whole numbers without a sign neither: older writers ordered both in another way. Of
  numbers with one, days and moments DuckDB took it at its word before;
- a year is compared as the days that begin it;
- what is not listed here is worked out as everywhere.

Decision 57.
"""

from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from functools import partial

from sqlglot import exp

from ....expressions import Typed
from ....expressions.kinds import DAY_SECONDS, FIRST_DAY, LAST_DAY, signed
from ...spelled import LONGEST
from ..dialect import Dialect
from ..expression_cells import Layered, date_literal, double
from ..expression_sql import COMPARED, Layers, all_or_any
from ..tree import called, paren, whole

_SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_EXACT = 2**53  # the double of a whole number equals one below if, and only if, both are the same
_FEW = 16  # texts: of more DuckDB makes a join
_YEARS = range(1, 9999)  # those that have a first day, and a day after their last one
_EPOCH = date(1970, 1, 1).toordinal()
_SECOND = 10**6  # microseconds
_DAY = DAY_SECONDS * _SECOND
_FLIPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_WITH_NOTHING = {  # a cell of less than 1e-150 is 0
    ">": (">=", "1e-150"),
    ">=": (">", "-1e-150"),
    "<": ("<=", "-1e-150"),
    "<=": ("<", "1e-150"),
}
_OPEN = {  # of days and moments: the ends of the years 1 to 9999 that a comparison may pass
    **dict.fromkeys(("=", "in"), ()),
    **dict.fromkeys((">", ">="), ("<=",)),
    **dict.fromkeys(("<", "<="), (">=",)),
    "<>": (">=", "<="),
}
_AT_THE_FIRST_DAY = {  # of a year: with its first day, 0, or that of the next, 1
    "=": ("and", [(">=", 0), ("<", 1)]),
    "<>": ("or", [("<", 0), (">=", 1)]),
    "<": ("and", [("<", 0)]),
    "<=": ("and", [("<", 1)]),
    ">": ("and", [(">=", 1)]),
    ">=": ("and", [(">=", 0)]),
}
_WITH_TICKS = {  # of a moment within a second or a day: with its start, 0, or that of the next, 1
    ">=": [(">=", 0)],
    ">": [(">=", 1)],
    "<": [("<", 0)],
    "<=": [("<", 1)],
    "=": [(">=", 0), ("<", 1)],
}

Cell = exp.Expression


def sifted(layers: Layers, tree: Typed) -> Layered:
    """Return what is true of the rows of which a condition is true, and of no others."""
    if tree.op in ("and", "or"):
        parts = [sifted(layers, part) for part in tree.args]
        condition = all_or_any([part.copy() for part in parts], tree.op)
        return Layered(condition, max(part.layer for part in parts))
    put = _turned(tree)
    of_days = put and _in_days(*put)
    if of_days is not None:
        return sifted(layers, of_days)
    comparison = put and _on_a_cell(layers, *put)
    return layers.of(tree) if comparison is None else Layered(paren(comparison), 1)


def _turned(tree: Typed) -> tuple[str, Typed, list[str]] | None:
    """Return a comparison with literals: its sign, what is compared, and they; None for others."""
    if tree.op not in COMPARED and tree.op != "in":
        return None
    op, (left, *others) = tree.op, tree.args
    if op != "in" and signed(left) is not None:
        op, left, others = _FLIPPED[op], others[0], [left]
    values = [literal.value for other in others if (literal := signed(other)) is not None]
    return None if len(values) < len(others) else (op, left, values)


def _in_days(op: str, compared: Typed, values: Sequence[str]) -> Typed | None:
    """Return what is true of a day where a comparison of its year is; None of what is no year."""
    year = Fraction(values[0]) if compared.op == "year" and op != "in" else None
    if year is None or year not in _YEARS:
        return None
    how, signs = _AT_THE_FIRST_DAY[op]
    days = [(sign, date(int(year) + more, 1, 1).toordinal() - _EPOCH) for sign, more in signs]
    listed = [
        Typed(sign, "truth", (compared.args[0], Typed("literal", "day", value=str(day))))
        for sign, day in days
    ]
    return Typed(how, "truth", tuple(listed)) if len(listed) > 1 else listed[0]


def _on_a_cell(
    layers: Layers, op: str, compared: Typed, values: Sequence[str]
) -> exp.Expression | None:
    """Return the comparison of a cell with literals; None where it is not one that is listed."""
    if compared.op != "column" or compared.value in layers.derived:
        return None
    test = _TESTS.get((compared.kind, layers.read.kinds[compared.value]))
    if test is None:
        return None
    return test(layers.read.reader.dialect, layers.bare(compared), op, values)


def _compared(cell: Cell, op: str, values: Sequence[exp.Expression]) -> exp.Expression:
    if op == "in":
        return paren(exp.In(this=cell.copy(), expressions=list(values)))
    return paren(COMPARED[op](this=cell.copy(), expression=values[0]))


def _double(_: Dialect, cell: Cell, op: str, values: Sequence[str]) -> exp.Expression | None:
    """Return the comparison, and beside it whether the cell is a number of the language."""
    texts = [*values]
    if "0" in texts:
        if op not in _WITH_NOTHING:
            return None
        op, texts[0] = _WITH_NOTHING[op]
    seen, most = called("TRY", cell.copy()), double("1e150")
    sound: exp.Expression = exp.Between(this=seen, low=double("-1e150"), high=most)
    if op in (">", ">="):
        sound = exp.LTE(this=seen.copy(), expression=most.copy())
    return all_or_any([_compared(cell, op, [*map(double, texts)]), sound], "and")


def _whole(_: Dialect, cell: Cell, op: str, values: Sequence[str]) -> exp.Expression | None:
    """Return the comparison with whole numbers, where none stands for others beside it."""
    numbers = [Fraction(number) for number in values]
    if any(number.denominator > 1 or abs(number) >= _EXACT for number in numbers):
        return None
    return _compared(cell, op, [whole(number.numerator) for number in numbers])


def _text(dialect: Dialect, cell: Cell, op: str, values: Sequence[str]) -> exp.Expression | None:
    """Return the comparison of bytes; those that are no UTF-8 equal no text."""
    if op == "<>" and not dialect.is_text:  # nor do they differ from one
        return None
    if op == "in" and dialect.is_text and len(values) <= _FEW:
        return _one_of(cell, values)
    listed = [dialect.as_bytes(exp.Literal.string(text)) for text in values]
    comparison = _compared(dialect.as_bytes(called("TRY", cell.copy())), op, listed)
    if op in ("=", "in"):
        return comparison
    short = exp.LTE(this=dialect.size(cell.copy()), expression=whole(LONGEST))
    return all_or_any([comparison, short], "and")


def _one_of(cell: Cell, values: Sequence[str]) -> exp.Expression:
    """Return whether a cell is one of some texts, as keys of a map: no two of which may be equal.

    A function of one column is worked out once for each text of a file's dictionary, also where
    other conditions have left out rows; TRY, COLLATE and comparisons for each row. No column of a
    file has a collation. In CASE, DuckDB asks nothing that the file states of this function.
    """
    keys = [exp.Literal.string(text) for text in dict.fromkeys(values)]
    known = called("MAP", exp.Array(expressions=keys), exp.Array(expressions=[*keys]))
    is_among = called("MAP_CONTAINS", known, cell.copy())
    return exp.Case().when(is_among, exp.true())


def _date(_: Dialect, cell: Cell, op: str, values: Sequence[str]) -> exp.Expression:
    """Return the comparison, among the days of the years 1 to 9999."""
    ends = {">=": date_literal(FIRST_DAY), "<=": date_literal(LAST_DAY)}
    inside = [_compared(cell, sign, [ends[sign]]) for sign in _OPEN[op]]
    listed = [date_literal(int(day)) for day in values]
    return all_or_any([_compared(cell, op, listed), *inside], "and")


def _moment(
    size: int, _: Dialect, cell: Cell, op: str, values: Sequence[str]
) -> exp.Expression | None:
    """Return the comparison of the second, or the day, in which a moment is."""
    if op not in _WITH_TICKS:
        return None
    count, ends = int(values[0]), {">=": FIRST_DAY * _DAY, "<=": (LAST_DAY + 1) * _DAY - 1}
    put = [(sign, (count + more) * size) for sign, more in _WITH_TICKS[op]]
    put += [(sign, ends[sign]) for sign in _OPEN[op]]
    tests = [_compared(cell, sign, [_tick(at)]) for sign, at in put]
    return all_or_any(tests, "and")


def _tick(microseconds: int) -> exp.Expression:
    return called("MAKE_TIMESTAMP", whole(microseconds))


_TESTS: dict[
    tuple[str, str], Callable[[Dialect, Cell, str, Sequence[str]], exp.Expression | None]
] = {
    ("number", "DOUBLE"): _double,
    **{("number", kind): _whole for kind in _SIGNED},
    ("text", "VARCHAR"): _text,
    ("day", "DATE"): _date,
    ("day", "TIMESTAMP"): partial(_moment, _DAY),
    ("moment", "TIMESTAMP"): partial(_moment, _SECOND),
}
