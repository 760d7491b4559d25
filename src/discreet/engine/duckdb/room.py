"""Room for what a Parquet file makes its reader hold at once, beyond the memory for all else.

Rules of this module:
- DuckDB holds whole pages of a file, and one cell can be longer than all of DISCREET_MEMORY: what
  a reader must hold is not taken from what ranking, grouping and joining may have;
- room is made only where all else has failed for want of memory, so that whoever has ordinary files
  never has more taken than he said;
- nothing is refused by how long a cell is, and nobody is told that there was one.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from glob import escape
from typing import TYPE_CHECKING, TypeVar

from sqlglot import exp

from ...schema import Table
from ..source import is_connection
from .connect import OpenSource
from .connection import LIMIT, OPERATORS, memory_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Found = TypeVar("Found")

_TIMES = 4  # a page is held packed and unpacked, in a block of the next power of two
_MOST = 2**50  # bytes


def in_room(read: Callable[[], Found], table: Table, source: OpenSource) -> Found:
    """Return what is read; where memory was not enough, with room for what the reader must hold.

    Args:
        read: reads the source; what it has made before it fails it makes anew.
        table: the declaration: a connection of the user's is not ours to set.
        source: opened.
    """
    import duckdb

    with suppress(duckdb.OutOfMemoryException):
        return read()
    if not is_connection(table.source):
        with suppress(Exception):  # the second reading says what is wrong
            _make_room(source)
    return read()


def _make_room(source: OpenSource) -> None:
    """Raise the limit of our own connection by what the largest parts of its files may take."""
    connection = source.connection
    of_each = [paths for _, paths in source.tables] or [source.paths]
    ((threads,),) = connection.execute("SELECT current_setting('threads')").fetchall()
    largest = sum(_largest(connection, paths) for paths in of_each if paths)
    more = min(_MOST, int(threads) * _TIMES * largest)
    now = memory_of(connection)
    connection.execute(f"SET {OPERATORS} = '{now}B'")
    connection.execute(f"SET {LIMIT} = '{now + more}B'")


def _largest(connection: "DuckDBPyConnection", paths: Sequence[str]) -> int:
    """Return the bytes of the largest group of rows of Parquet files, packed and unpacked."""
    listed = exp.Array(expressions=[exp.Literal.string(escape(path)) for path in paths])
    stated = exp.Table(this=exp.Anonymous(this="PARQUET_METADATA", expressions=[listed]))
    sizes = [exp.column("total_uncompressed_size"), exp.column("total_compressed_size")]
    total = exp.Sum(this=exp.Add(this=sizes[0], expression=sizes[1]))
    groups = exp.select(exp.alias_(total, "size")).from_(stated)
    groups = groups.group_by("file_name", "row_group_id")
    query = exp.select(exp.Max(this=exp.column("size"))).from_(groups.subquery("g"))
    ((size,),) = connection.execute(query.sql(dialect="duckdb")).fetchall()
    return int(size or 0)
