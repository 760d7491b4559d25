"""DuckDB relations: their rows by the Arrow stream, after their query was read.

Rules of this module:
- a relation runs on its own connection, which is not changed;
- its query must be one that makes each row of one row (`row_by_row`), or its curator vouches for
  it.
"""

from pathlib import Path
from typing import Any, cast

from sqlglot import exp

from ...schema import Table
from ..one_source import Mark, Origin, hidden
from .frames import NO_COLUMNS, Frame, Streamed, Used, check_names
from .row_by_row import bases_of_query, catalog_of, checked

_NAME = "discreet_relation"


def relation_frame(table: Table, used: tuple[Used, ...]) -> Frame:
    """Return a relation as DuckDB is handed it."""
    source = cast("Any", table.source)
    names = list(source.columns)
    check_names(table, names, used)
    there = tuple(column for column in used if column.name in names)
    wanted = [f"{_safe(source, column.name)} AS {column.called()}" for column in there]
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


def place_of_relation(relation: object) -> Origin:
    """Return where a relation lies: in the tables that its query reads, if it names all of them.

    A database in a file is known by that file, one in memory by the names of its tables alone.
    """
    source = cast("Any", relation)
    catalog = catalog_of(lambda query: source.query(_NAME, query).fetchall())
    bases = bases_of_query(source.sql_query(), catalog)
    if bases is None:
        return hidden(
            "is a relation whose query does not name all tables that it reads",
            "write it to a table or a file, or pass the frame: relation.to_arrow_table()",
        )
    databases = source.query(_NAME, _DATABASES).fetchall()
    marks, names = set[Mark](), set[Mark]()
    paths = {name: path for name, path in databases if path}
    for base in bases:
        file = _file(paths.get(base[0]))
        (names if file is None else marks).add(("table", file, *base[file is not None :]))
    return Origin("table", frozenset(marks), frozenset(names))


_DATABASES = "SELECT database_name, path FROM duckdb_databases()"


def _file(path: str | None) -> tuple[int, int] | None:
    try:
        there = Path(path or "").stat() if path else None
    except OSError:
        there = None
    return there and (there.st_dev, there.st_ino)
