"""How DuckDB opens a source: a private connection for files and frames, a cursor for the user's.

Rules of this module:
- the declared files are the only ones that our own connection can reach, and its settings are
  locked once they are set;
- a table is addressed by its full name, which is looked up and never guessed.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar, cast

from sqlglot import exp

from ..aggregate import Aggregate
from ..errors import EngineError, InputError, shown
from ..schema import Table
from .choose import is_connection
from .files import Files, files
from .frames import frame, is_pandas

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")

SOURCE = "discreet_source"
MEMORY = "DISCREET_MEMORY"  # for example 1GB; DuckDB's own default otherwise
THREADS = "DISCREET_THREADS"


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection, the table to read in it, the types of its columns, and how to end it."""

    connection: "DuckDBPyConnection"
    table: exp.Expression
    kinds: Mapping[str, str]
    close: Callable[[], None]
    paths: tuple[str, ...] = ()  # of the files that it reads


def opened(table: Table, aggregates: Iterable[Aggregate]) -> Opened:
    """Open a source and return it with its names and types; no row is read.

    Raises:
        InputError: there is no such file or table.
        EngineError: it is there, but cannot be opened.
    """
    if is_connection(table.source):
        return _of_user(table)
    if isinstance(table.source, (str, os.PathLike, list, tuple)):
        return _of_files(table, files(table, aggregates))
    return _of_frame(table)


def _of_user(table: Table) -> Opened:
    connection = cast("DuckDBPyConnection", table.source)
    cursor = _attempt(connection.cursor)
    if cursor is None:
        raise _unopened(table, "the connection is closed")
    try:
        _check_settings(cursor)
        address = _address(cursor, table.name)
        return Opened(cursor, address, _kinds(cursor, address, table), cursor.close)
    except BaseException:
        cursor.close()
        raise


def _address(cursor: "DuckDBPyConnection", name: str) -> exp.Table:
    """Return the full address of a table or view of the user's database."""
    found = cursor.execute(
        "SELECT table_catalog, table_schema, table_name FROM information_schema.tables"
    ).fetchall()
    here = cursor.execute("SELECT current_database(), current_schema()").fetchall()[0]
    for full in (f"{'.'.join(here)}.{name}", f"{here[0]}.{name}", name):
        for address in found:
            if ".".join(address) == full:
                catalog, schema, last = (exp.to_identifier(a, quoted=True) for a in address)
                return exp.Table(this=last, db=schema, catalog=catalog)
    raise InputError(
        f"the database has no table {shown(name)!r}.",
        why="the table's name says which table of the connection is read; temporary tables and "
        "registered frames belong to one connection and cannot be seen from another",
        fix='write table(connection, name="visits", ...), or pass the frame itself as the source',
    )


def _check_settings(cursor: "DuckDBPyConnection") -> None:
    found = cursor.execute("SELECT current_setting('ieee_floating_point_ops')").fetchall()
    if found != [(True,)]:
        raise EngineError(
            "this connection has ieee_floating_point_ops switched off.",
            why="then one large cell would stop the query, where it should be moved to its bound",
            fix="SET ieee_floating_point_ops = true",
        )


def _of_files(table: Table, found: Files) -> Opened:
    def view(connection: "DuckDBPyConnection") -> None:
        found.read(connection).create_view(SOURCE)

    return replace(_own(table, view, found.reached()), paths=tuple(found.paths))


def _of_frame(table: Table) -> Opened:
    plain = isinstance(table.source, dict) or is_pandas(table.source)  # of arrays; of pandas
    if not plain and find_spec("pyarrow") is None:
        raise _unopened(table, "DuckDB reads frames by way of pyarrow; pip install pyarrow")

    rows = frame(table)

    def view(connection: "DuckDBPyConnection") -> None:
        connection.register(SOURCE, rows)

    return _own(table, view, [])


def _own(table: Table, view: Callable[["DuckDBPyConnection"], None], paths: list[str]) -> Opened:
    """Return a source in a new database in memory that can reach these paths only."""
    spill = _spill()
    connection = None

    def close() -> None:
        if connection is not None:
            connection.close()
        shutil.rmtree(spill, ignore_errors=True)

    try:
        connection = _connected(spill)
        _lock(connection, paths)
        _view(connection, view, table)
        address = exp.to_table(SOURCE)
        return Opened(connection, address, _kinds(connection, address, table), close)
    except BaseException:
        close()
        raise


def _spill() -> str:
    made = _attempt(lambda: tempfile.mkdtemp(prefix="discreet-"))
    if made is None:
        raise EngineError(
            "no folder for temporary files can be made.",
            why="DuckDB puts there what does not fit into memory, and the disk is full or refuses",
            fix="make room, or let TMPDIR name a folder with room; nothing was charged",
        )
    return made


def _view(
    connection: "DuckDBPyConnection", make: Callable[["DuckDBPyConnection"], None], table: Table
) -> None:
    made = False
    with suppress(Exception):
        make(connection)
        made = True
    if not made:
        raise _unopened(table, "it is damaged, or not of the kind that its name says")


def _connected(spill: str) -> "DuckDBPyConnection":
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": spill,
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "pandas_analyze_sample": "0",
    }
    for setting, variable in (("memory_limit", MEMORY), ("threads", THREADS)):
        if os.environ.get(variable):
            config[setting] = os.environ[variable]
    found = _attempt(lambda: duckdb.connect(":memory:", config=config))
    if found is None:
        raise EngineError(
            "DuckDB did not start with these settings.",
            why=f"{MEMORY} or {THREADS} may not be what DuckDB understands",
            fix=f"write {MEMORY}=1GB and {THREADS}=2, for example, or unset them",
        )
    return found


def _lock(connection: "DuckDBPyConnection", paths: list[str]) -> None:
    listed = exp.Array(expressions=[exp.Literal.string(path) for path in paths])
    setting = exp.EQ(this=exp.column("allowed_paths"), expression=listed)
    allowed = exp.Set(expressions=[exp.SetItem(this=setting)])
    connection.execute(allowed.sql(dialect="duckdb"))
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _kinds(
    connection: "DuckDBPyConnection", address: exp.Expression, table: Table
) -> dict[str, str]:
    empty = exp.select("*").from_(address.copy()).limit(0).sql(dialect="duckdb")
    relation = _attempt(lambda: connection.sql(empty))
    if relation is None:
        raise _unopened(table, "it is damaged, or not of the kind that its name says")
    return {name: str(kind) for name, kind in zip(relation.columns, relation.types, strict=True)}


def _unopened(table: Table, why: str) -> EngineError:
    return EngineError(
        f"{shown(table.name)} cannot be opened.",
        why=why,
        fix="open it with another program, with the data's owner; nothing was charged",
    )


def _attempt(act: Callable[[], T]) -> T | None:
    with suppress(Exception):
        return act()
    return None
