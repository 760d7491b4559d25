"""DuckDB relations: their rows by the Arrow stream, after their query was read.

Rules of this module:
- a relation runs on its own connection, which is not changed;
- its query must be one that makes each row of one row (`row_by_row`), or its curator vouches for
  it.
"""

from typing import Any, cast

from sqlglot import exp

from ...schema import Table
from .frames import NO_COLUMNS, Frame, Streamed, Used, check_names
from .row_by_row import catalog_of, checked

_NAME = "discreet_relation"


def relation_frame(table: Table, used: tuple[Used, ...]) -> Frame:
    """Return a relation as DuckDB is handed it."""
    source = cast("Any", table.source)
    names = list(source.columns)
    check_names(table, names, used)
    there = tuple(one for one in used if one.name in names)
    wanted = [f"{_safe(source, one.name)} AS {one.called()}" for one in there]
    listed = ", ".join(wanted) or f"true AS {NO_COLUMNS}"
    catalog = catalog_of(lambda query: source.query(_NAME, query).fetchall())
    total = checked(source.sql_query(), catalog, table.name, vouched=table.vouched is not None)
    if total is None:
        picked = source.project(listed)
    else:
        picked = source.query(_NAME, f"SELECT {listed} FROM ({total})")  # noqa: S608 - quoted
    return Frame(there, Streamed(picked.limit(0)), lambda: Streamed(picked))


def _safe(source: Any, name: str) -> str:
    """Return a column; the least whole number of 128 bits, which Arrow cannot hold, is missing."""
    column = exp.to_identifier(name, quoted=True).sql(dialect="duckdb")
    kind = dict(zip(source.columns, map(str, source.types), strict=True))[name]
    return f"nullif({column}, '{-(2**127)}'::HUGEINT)" if kind == "HUGEINT" else column
