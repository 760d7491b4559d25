"""The pairs of unit and key that DuckDB keeps while keys are looked for.

Room for what a reader must hold at once, where that is more than all of DISCREET_MEMORY.

Rules of this module:
- the source is read once: all rounds look at tables that only this connection sees;
- what leaves DuckDB is the keys and, for each, one sum a round; no row does, and no unit;
- DuckDB holds whole pages of a Parquet file, and the texts of up to 2,048 rows at once: one person
  could decide by long cells whether a release ends. So the limit of our own connection falls where
  all else has failed for want of memory, and what is ranked, grouped and joined stays within it;
- a connection of the user's is not ours to set;
- nothing is refused by how long a cell is, and nobody is told that there was a long one.

Decision 66.
"""

import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from ...aggregate import Exact
from ...finding.pairs import Pairs
from ...schema import Table
from ..files import still
from ..protocol import SALTS, keyed, quietly
from ..source import is_connection
from ..sql import pool as queries
from ..sql.dialect import DUCKDB, SALT, dialect_of
from ..sql.query import names_of
from ..stopping import stoppable
from .connect import OpenSource
from .connection import LIMIT, OPERATORS, memory_of
from .typed_files import of_any_text


class DuckPooling:
    """An open source whose keys can be looked for."""

    def __init__(self, table: Table, pairs: Pairs, source: OpenSource) -> None:
        self._table = table
        self._pairs = pairs
        self._source = source
        self._of_rows = table.unit.column is None
        known, wanted = table.with_keys(pairs.column, ()), (keyed(pairs.column),)
        names = names_of(known, wanted, source.kinds, source.cell, dialect_of(table))
        query = queries.pairs_query(names, source.table, pairs)
        self._query = query.sql(dialect="duckdb")
        self._of_one_state = still(table, source.paths)
        weakref.finalize(self, source.close)

    def read(self, salt: int) -> "DuckPool":
        """Read the data once, and fix which keys of each unit stay."""
        return self._of_one_state(lambda: quietly(lambda: self._read(salt % SALTS)))

    def _read(self, salt: int) -> "DuckPool":
        connection = self._source.connection
        parameters = {} if self._of_rows else {SALT: salt}
        whole = queries.keys_query(), queries.pool_query(of_rows=self._of_rows)
        keys, pool = (query.sql(dialect="duckdb") for query in whole)

        def read() -> None:
            self._source.hand_over()
            connection.execute(
                f"CREATE OR REPLACE TEMP TABLE {queries.PAIRS} AS {self._query}", parameters
            )
            connection.execute(f"CREATE OR REPLACE TEMP TABLE {queries.KEYS} AS {keys}")
            connection.execute(f"CREATE OR REPLACE TEMP TABLE {queries.POOL} AS {pool}")
            connection.execute(f"DROP TABLE {queries.PAIRS}")

        def read_all() -> None:
            of_any_text(read, self._source.again)

        stoppable(lambda: in_room(read_all, self._table, self._source), connection.interrupt)
        weights = np.array(self._pairs.weights, dtype=np.int64)
        numbers = np.arange(1, len(weights) + 1, dtype=np.int64)
        connection.register(queries.WEIGHTS, {"d": numbers, "w": weights})
        sums = queries.sums_query(DUCKDB, self._pairs, of_rows=self._of_rows).sql(dialect="duckdb")
        return DuckPool(self, self._source, sums)


class DuckPool:
    """The pairs, in tables of one connection, and the keys."""

    def __init__(self, owner: DuckPooling, source: OpenSource, sums: str) -> None:
        self._owner = owner  # its end closes the connection
        self._connection = source.connection
        self._sums = sums
        rows = self._fetched(f"SELECT k, g FROM {queries.KEYS}")  # noqa: S608
        keys = np.empty(len(rows["g"]), dtype=object)
        keys[rows["g"]] = rows["k"]  # each at its number, in whatever order they come
        self._keys: list[str] = keys.tolist()
        self._named = [key.encode() for key in self._keys]

    def noise(self, draw: Callable[[Sequence[bytes]], Sequence[int]]) -> Exact:
        """Return what `draw` makes of the bytes of the keys."""
        return Exact(tuple(draw(self._named)))

    def sums(self, keys_found: frozenset[int]) -> Exact:
        """Return what the units add to each key that was not found."""
        return quietly(lambda: self._added(keys_found))

    def _added(self, keys_found: frozenset[int]) -> Exact:
        gone = np.array(sorted(keys_found), dtype=np.int64)
        self._connection.register(queries.FOUND, {"g": gone})
        added = self._fetched(self._sums)
        total = np.zeros(len(self._keys), dtype=np.int64)
        total[added["g"]] = added["s"]
        return Exact(tuple(total.tolist()))

    def names(self, keys_found: frozenset[int]) -> list[str]:
        """Return the text of keys that were found, ordered by its bytes."""
        return sorted((self._keys[place] for place in keys_found), key=str.encode)

    def close(self) -> None:
        """Do nothing: the tables end with the connection, and that with what opened it."""

    def _fetched(self, query: str) -> dict[str, Any]:
        connection = self._connection
        arrays: dict[str, Any] = stoppable(
            lambda: connection.execute(query).fetchnumpy(), connection.interrupt
        )
        return arrays


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
