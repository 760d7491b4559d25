"""Room for what a reader must hold at once, where that is more than all of DISCREET_MEMORY.

Rules of this module:
- DuckDB holds whole pages of a Parquet file, and the texts of up to 2,048 rows at once: one person
  could decide by long cells whether a release ends. So the limit of our own connection falls where
  all else has failed for want of memory, and what is ranked, grouped and joined stays within it;
- a connection of the user's is not ours to set;
- nothing is refused by how long a cell is, and nobody is told that there was a long one.

Decision 66.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from ...schema import Table
from ..source import is_connection
from .connect import OpenSource
from .connection import LIMIT, OPERATORS, memory_of

Found = TypeVar("Found")


def in_room(read: Callable[[], Found], table: Table, source: OpenSource) -> Found:
    """Return what is read; where memory was not enough, with room for what a reader must hold.

    Args:
        read: reads the source; what it has made before it fails, it makes anew.
        table: the declaration.
        source: opened.
    """
    import duckdb

    with suppress(duckdb.OutOfMemoryException):
        return read()
    if not is_connection(table.source):
        source.connection.execute(f"SET {OPERATORS} = '{memory_of(source.connection)}B'")
        source.connection.execute(f"RESET {LIMIT}")
    return read()
