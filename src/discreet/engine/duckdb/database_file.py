"""A table of a DuckDB file: attached to a connection of our own, and never written.

Rules of this module:
- one file, and one of its tables that are stored: what a view or a generated column computes is for
  a connection, by whose words it is read;
- a log beside the file holds what is not in it yet: it is refused.

Decision 96.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from ...errors import EngineError, InputError, shown
from ...schema import Table
from ..files import Files, settings_of, table_in
from ..formats.sqlite import check_no_log
from ..one_source import Origin

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LOGS = (".wal",)
_TABLES = (
    "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND NOT internal "
    "AND sql NOT ILIKE '%GENERATED ALWAYS AS%' ORDER BY ALL"
)


def check_alone(files: Files) -> None:
    """Refuse several DuckDB files, and one whose log lies beside it.

    Raises:
        InputError: they are several.
        EngineError: a program has it open, or was stopped while it wrote.
    """
    if len(files.paths) > 1:
        raise InputError(
            "the source is several DuckDB files.",
            kind="source-unclear",
            why="one database is attached at a time",
            fix="write their tables to Parquet files, which may be several",
        )
    check_no_log(files.paths[0], _LOGS)


def table_of_file(
    connection: "DuckDBPyConnection", table: Table, path: str, name: str
) -> tuple[exp.Table, Origin]:
    """Return the address of the table of a file that is read, and where it lies.

    Args:
        connection: a connection of our own, that can reach the file.
        table: what is declared.
        path: the file.
        name: what the source is called on the connection.

    Raises:
        InputError: the file has no such table, or several and none is named.
        EngineError: it cannot be opened.
    """
    database = _attached(connection, path, f"{name}_file")
    listed = _tables(connection, database) if database else None
    if database is None or listed is None:
        raise EngineError(
            f"{shown(table.name)} cannot be opened.",
            kind="cannot-open",
            why="it is damaged, newer than the DuckDB that is installed, or no DuckDB file",
            fix="open it with the program that wrote it, with the data's owner; nothing was "
            "charged",
        )
    names = [last if schema == "main" else f"{schema}.{last}" for schema, last in listed]
    with settings_of(table):
        part = table_in(table, Path(path).name, names, "table")
    schema, last = listed[names.index(part)]
    there = Path(path).stat()
    place = Origin("table", frozenset({("table", (there.st_dev, there.st_ino), schema, last)}))
    return _address(database, schema, last), place


def _address(*parts: str) -> exp.Table:
    catalog, schema, last = (exp.to_identifier(part, quoted=True) for part in parts)
    return exp.Table(this=last, db=schema, catalog=catalog)


def _attached(connection: "DuckDBPyConnection", path: str, name: str) -> str | None:
    """Return the name under which a file is attached; None where that fails."""
    with suppress(Exception):  # its words may quote the data
        there = connection.execute("SELECT database_name, path FROM duckdb_databases()").fetchall()
        known = next((database for database, place in there if place == path), None)
        if known is not None:
            return str(known)
        place = exp.Literal.string(path).sql(dialect="duckdb")
        connection.execute(f"ATTACH {place} AS {name} (READ_ONLY)")
        return name
    return None


def _tables(connection: "DuckDBPyConnection", database: str) -> Sequence[tuple[str, str]] | None:
    with suppress(Exception):
        return connection.execute(_TABLES, [database]).fetchall()
    return None
