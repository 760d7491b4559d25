"""Cells as an expression reads them, as parts of a query: `evaluate.read_as` in SQL.

What engines say in their own way here is in `moments_of`: a day as days, a moment as seconds, both
whole numbers from 1970-01-01, so that all that is made of them is arithmetic.

Rules of this module:
- each expression is total: no cell of an accepted type makes it fail;
- days beyond the years 1 to 9999, and those that are infinite, are NULL before anything is made of
  them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from sqlglot import exp

from ...errors import InputError, shown
from ...expressions import Kind
from ...expressions.kinds import DAY_SECONDS, FIRST_DAY, LAST_DAY, WORDS
from ...schema import CsvOptions
from ..protocol import role_of
from . import written_times
from .cells import (
    DECIMALS,
    FLOATS,
    LINES,
    NOTHING,
    OBJECTS,
    Reader,
    check_kind,
    is_finite,
    is_number,
    is_text,
    key_text,
)
from .columns import Cell
from .dialect import Dialect
from .tree import Operand, called, floored, matches, par, to_type, whole

_CLOCK = r"[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOMENTS = {
    *("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
    *("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"),
}
_EPOCH = date(1970, 1, 1).toordinal()
_SMALL = {"FLOAT"}  # its numbers are all of the language, if they are finite


@dataclass(frozen=True, slots=True)
class Layered:
    """An expression of the query, and the first layer in which it can be worked out."""

    said: exp.Expression
    layer: int

    def copy(self) -> exp.Expression:
        """Return the expression for one more place."""
        return self.said.copy()


@dataclass(frozen=True, slots=True)
class Read:
    """Reads the cells of a source for expressions."""

    reader: Reader
    source: Cell
    kinds: Mapping[str, str]

    def cell(self, name: str, kind: Kind) -> exp.Expression:
        """Return a cell as what it is read as; a number is not settled yet."""
        engine, cell = self.kinds[name], self.bare(name, kind)
        reader = self.reader.own.get(name, self.reader)
        if kind == "any":
            kind = self._asked(engine)
        if engine == NOTHING:
            return to_type(exp.null(), _ENGINE[kind])
        if kind in ("number", "truth"):
            is_plain = engine == "BOOLEAN" if kind == "truth" else self._is_bare(cell, engine)
            return cell if is_plain else reader.number(cell, engine)
        if kind in ("text", "label"):
            return key_text(cell, engine, reader)
        if engine == OBJECTS or kind == "any":
            return cell if kind == "any" else to_type(cell, "BIGINT")
        return self._of_time(cell, engine, kind, reader.csv)

    def _asked(self, engine: str) -> Kind:
        """Return as what a cell is read of which it is asked alone whether it is missing."""
        kinds: dict[Kind, bool] = {
            "any": engine == OBJECTS,
            "text": is_text(engine),
            "truth": engine == "BOOLEAN",
            "number": is_number(engine),
            "day": engine == "DATE" or engine in _MOMENTS,
        }
        return next((kind for kind, is_so in kinds.items() if is_so), "any")

    def bare(self, name: str, kind: Kind) -> exp.Expression:
        """Return a cell as it is."""
        return self.source(role_of(kind), name)

    def _is_bare(self, cell: exp.Expression, engine: str) -> bool:
        """Say whether a cell is a double as it is, which `settled` brings into range at once."""
        return engine == "DOUBLE" and self.reader.dialect.number(cell, engine) is None

    def _of_time(
        self, cell: exp.Expression, engine: str, kind: Kind, csv: CsvOptions
    ) -> exp.Expression:
        """Return a day or a moment as a whole number."""
        if is_text(engine) and self.reader.dialect.name != "duckdb":
            raise InputError(
                f"{WORDS[kind]} of type text cannot be read on a server.",
                kind="column-type",
                why="there a text that is none raises, and the server's log would quote it",
                fix="cast the column to DATE or TIMESTAMP in the table, with the data's owner",
            )
        if engine == LINES and (csv.days or csv.times):
            return written_times.counted(cell, kind, csv, self.reader.dialect)
        if is_text(engine):
            cell, engine = self.reader.text(cell, engine), LINES
        if self.reader.dialect.moment is not None and engine in _MOMENTS:
            return self._counted(self.reader.dialect.moment(cell, engine), kind)
        dialect = self.reader.dialect
        return _day(cell, engine, dialect) if kind == "day" else _moment(cell, engine, dialect)

    def _counted(self, microseconds: exp.Expression, kind: Kind) -> exp.Expression:
        """Return the days or seconds of a moment that an engine counts in its own way."""
        size = 10**6 * (DAY_SECONDS if kind == "day" else 1)
        start = -FIRST_DAY * DAY_SECONDS * 10**6
        above = par(par(Operand(microseconds)) + start)
        return par(above // size - start // size).take()

    def settled(self, cell: exp.Column, name: str, kind: Kind) -> exp.Expression:
        """Return a cell that was read, as a value of the language."""
        engine = self.kinds[name]
        if kind == "any" and engine == "DOUBLE" and self._is_bare(cell, engine):
            return exp.Case().when(is_finite(cell.copy()), cell)
        if kind == "number" and self._is_bare(cell, engine):
            return exp.Case().when(is_finite(cell.copy()), normal(cell))
        if kind == "number" and engine in (FLOATS - _SMALL) | {LINES, OBJECTS, DECIMALS}:
            return normal(cell)
        if kind == "truth" and engine not in ("BOOLEAN", NOTHING):
            yes = exp.EQ(this=cell.copy(), expression=whole(1))
            none = exp.EQ(this=cell.copy(), expression=whole(0))
            return exp.Case().when(yes, exp.true()).when(none, exp.false())
        return cell


_ENGINE: dict[Kind, str] = {
    "number": "DOUBLE",
    "truth": "BOOLEAN",
    "text": "TEXT",
    "label": "TEXT",
    "day": "BIGINT",
    "moment": "BIGINT",
    "any": "BOOLEAN",
}


def check_read(name: str, kind: Kind, engine: str) -> None:
    """Refuse a column whose type an expression cannot read as it wants to.

    Raises:
        InputError: as text what is none, as a number what is text.
    """
    if engine in (LINES, OBJECTS, NOTHING):
        return
    if kind == "label":
        check_kind(name, engine)
    if kind in ("label", "any"):
        return
    sound = {
        "number": is_number(engine),
        "truth": is_number(engine),
        "text": is_text(engine),
        "day": is_text(engine) or engine == "DATE" or engine in _MOMENTS,
        "moment": is_text(engine) or engine in _MOMENTS,
    }[kind]
    if kind == "moment" and engine == "DATE":
        raise InputError(
            f"{shown(name)} is of type DATE, and is read as a moment.",
            kind="column-type",
            why="a day has no time of day",
            fix="write its bounds, or what it is compared with, as days, such as 2020-01-31",
        )
    if not sound:
        type_name = "ENUM" if engine.startswith("ENUM") else shown(engine)
        raise InputError(
            f"{shown(name)} is of type {type_name}, and an expression reads it as {WORDS[kind]}.",
            kind="column-type",
            why="no cell of that type is such a value, so that all of them would be missing",
            fix=f"compare it with text, as in {shown(name)} = 'yes', or cast the column before"
            if is_text(engine)
            else "compare it with values of its own type, or cast the column before",
        )


def double(text: str) -> exp.Expression:
    """Return a double, which no engine reads as a decimal."""
    return to_type(exp.Literal.string(text), "DOUBLE")


def normal(column: exp.Expression) -> exp.Expression:
    """Return a column of doubles as numbers of the language: the common case by one comparison."""
    size, least = exp.Abs(this=column.copy()), double("1e-150")
    usual = exp.Between(this=size, low=least, high=double("1e150"))
    tiny = exp.LT(this=size.copy(), expression=least.copy())
    return exp.Case().when(usual, column.copy()).when(tiny, double("0"))


def _day(cell: exp.Expression, engine: str, dialect: Dialect) -> exp.Expression:
    if engine == "DATE":
        counted = dialect.days(cell)
        inside = exp.and_(
            exp.GTE(this=cell.copy(), expression=date_literal(FIRST_DAY)),
            exp.LTE(this=cell.copy(), expression=date_literal(LAST_DAY)),
        )
        return exp.Case().when(inside, to_type(counted, "BIGINT"))
    if engine == LINES:
        return _day(_written_day(cell, f"^{_DAY}({_CLOCK})?$"), "DATE", dialect)
    return _ticks(cell, engine, DAY_SECONDS)


def _moment(cell: exp.Expression, engine: str, dialect: Dialect) -> exp.Expression:
    if engine != LINES:
        return _ticks(cell, engine, 1)
    total = _times(_day(_written_day(cell, f"^{_DAY}{_CLOCK}$"), "DATE", dialect), DAY_SECONDS)
    for start, seconds in ((12, 3600), (15, 60), (18, 1)):
        digits = called("SUBSTRING", cell.copy(), whole(start), whole(2))
        number = exp.TryCast(this=digits, to=exp.DataType.build("BIGINT"))
        part = exp.Coalesce(this=number, expressions=[whole(0)])
        total = exp.Add(this=total, expression=_times(part, seconds))
    return total


def _written_day(cell: exp.Expression, pattern: str) -> exp.Expression:
    """Return the day that a text begins with, where it has the form of a pattern."""
    day = called("LEFT", cell.copy(), whole(10))
    day_read = exp.TryCast(this=day, to=exp.DataType.build("DATE"))
    return exp.Case().when(matches(cell, pattern), day_read)


def date_literal(days: int) -> exp.Expression:
    """Return a day that is counted from 1970-01-01."""
    text = date.fromordinal(days + _EPOCH).isoformat()
    return to_type(exp.Literal.string(text), "DATE", dialect="duckdb")


def _times(value: exp.Expression, factor: int) -> exp.Expression:
    return exp.Mul(this=exp.paren(value), expression=whole(factor))


def _ticks(cell: exp.Expression, engine: str, seconds: int) -> exp.Expression:
    """Return how many times so many seconds a moment is from 1970, rounded down."""
    is_fine = engine.endswith("NS")
    second = 10**9 if is_fine else 10**6
    moment = cell
    if engine in ("TIMESTAMP_S", "TIMESTAMP_MS"):
        moment = exp.TryCast(this=cell, to=exp.DataType.build("TIMESTAMP", dialect="duckdb"))
    ticks = called("EPOCH_NS" if is_fine else "EPOCH_US", moment)
    counted = floored(Operand(ticks, is_used=True), second * seconds).take()
    if is_fine:  # whole numbers of 64 bits end in the years 1677 and 2262
        return counted
    first, after = FIRST_DAY * DAY_SECONDS * second, (LAST_DAY + 1) * DAY_SECONDS * second
    inside = exp.and_(
        exp.GTE(this=ticks.copy(), expression=whole(first)),
        exp.LT(this=ticks.copy(), expression=whole(after)),
    )
    return exp.Case().when(inside, counted)
