"""Polars columns by the Arrow stream, without pyarrow; what they cannot say safely is made plain.

Rules of this module:
- a dtype decides, never a cell;
- a lazy frame is collected when the engine counts; what it computes nobody can read, so that its
  curator must vouch for it.
"""

from dataclasses import dataclass
from typing import Any, cast

from ...errors import InputError, shown
from ...fix import write
from ...schema import Table
from ..sql.cells import OBJECTS
from .frames import NO_COLUMNS, Frame, Used, check_names, read_objects

_LENGTH = "INTERVAL"


@dataclass(frozen=True, slots=True, eq=False)
class Streamed:
    """A frame that offers nothing but the Arrow stream, so that no other way in is taken."""

    frame: Any

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a new stream."""
        return self.frame.__arrow_c_stream__(requested_schema)


def polars_frame(table: Table, used: tuple[Used, ...]) -> Frame:
    """Return a Polars frame as DuckDB is handed it."""
    import polars as pl

    source = cast("Any", table.source)
    if not isinstance(source, (pl.DataFrame, pl.LazyFrame)):
        raise InputError(
            f"{shown(table.name)} is of type {type(source).__name__}, without named columns.",
            why="rows are counted by columns that have names",
            fix="pass a data frame, with series.to_frame() for example",
        )
    if isinstance(source, pl.LazyFrame) and table.vouched is None:
        raise InputError(
            f"{shown(table.name)} is a lazy frame, whose query nobody can read.",
            why="a row of it may be made of many persons' rows, and then one row protects nobody",
            fix=(
                "collect it",
                write(
                    "with the reason why each of its rows is made of one row",
                    of="table",
                    vouched="?",
                ),
            ),
        )
    dtypes = source.collect_schema()
    check_names(table, list(dtypes), used)
    there = tuple(one for one in used if one.name in dtypes)
    kinds = {one.name: said for one in there if (said := _kind(dtypes[one.name]))}
    wanted = [_expression(one, dtypes[one.name]) for one in there]

    def made(part: Any) -> object:
        found = part.select(wanted or pl.repeat(1, pl.len()).alias(NO_COLUMNS))
        found = found.collect() if isinstance(found, pl.LazyFrame) else found
        for one in there:
            if kinds.get(one.name) == OBJECTS:
                found = _with_objects(found, one, table)
        return Streamed(found)

    empty = pl.DataFrame(schema=dtypes) if isinstance(source, pl.LazyFrame) else source.head(0)
    return Frame(there, made(empty), lambda: made(source), kinds)


def _kind(dtype: Any) -> str | None:
    import polars as pl

    if dtype in (pl.Object, pl.Int128) or str(dtype) == "UInt128":
        return OBJECTS
    return _LENGTH if dtype == pl.Duration else None


def _expression(used: Used, dtype: Any) -> Any:
    """Return a column under our name; moments in UTC and lengths of time as what they count."""
    import polars as pl

    found = pl.col(used.name)
    if dtype == pl.Datetime and dtype.time_zone:
        found = found.to_physical().cast(pl.Datetime(dtype.time_unit))
    elif dtype == pl.Duration:
        found = found.to_physical()
    elif str(dtype) == "Float16":
        found = found.cast(pl.Float32)
    return found.alias(used.called())


def _with_objects(found: Any, used: Used, table: Table) -> Any:
    """Return a frame with a column of objects read, for each role it has."""
    import polars as pl

    kinds = {"f8": pl.Float64, "i4": pl.Int32, "i8": pl.Int64, "O": pl.String}
    made = read_objects(found[used.called()].to_list(), used, table)
    columns = [
        pl.Series(name, array.tolist(), dtype=kinds[array.dtype.str[1:]])
        for name, array in made.items()
    ]
    return found.drop(used.called()).with_columns(columns)
