"""DuckDB: files, data frames and the user's own tables, counted by one query a release.

Rules of this module:
- our own connection reads the declared files and nothing else, loads no extension, and spills into
  a private directory that is deleted;
- a connection of the user is read through a cursor; none of its settings changes, nothing stays;
- names and types are looked at before the charge; what happens while data is read stays here.
"""

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ..aggregate import Aggregate, Coordinate, Exact
from ..schema import Key, Table
from .dialect import SALT
from .engine import SALTS, check_columns, check_declared, quietly, values_of
from .fingerprint import of_database, of_files
from .kinds import check_kinds
from .open import Opened, opened
from .parts import Part, counted
from .query import Counting, counting
from .stopping import stoppable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Sums = Mapping[int, tuple[int | None, ...]]


class DuckEngine:
    """Counts CSV and Parquet files, data frames, and tables of a DuckDB connection."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> "DuckPrepared":
        """Open the source, look at its names and types, and build the query."""
        check_declared(table, aggregates)
        source = opened(table, aggregates)
        try:
            kinds = source.kinds
            check_columns(table, aggregates, kinds)
            check_kinds(table, aggregates, kinds)
            query = counting(table, aggregates, kinds=kinds, source=source.table)
            quietly(lambda: _give_keys(source.connection, query, table.keys))
        except BaseException:
            source.close()
            raise
        return DuckPrepared(table, aggregates, source, query)


class DuckPrepared:
    """An open source that fits its declaration, and the query to count it."""

    def __init__(
        self, table: Table, aggregates: tuple[Aggregate, ...], source: Opened, query: Counting
    ) -> None:
        self._table = table
        self._aggregates = aggregates
        self._source = source
        self._query = query
        self._text = query.query.sql(dialect="duckdb")
        weakref.finalize(self, source.close)

    def schema(self) -> dict[str, str]:
        """Return the name and DuckDB's type of every column."""
        return dict(self._source.kinds)

    def paths(self) -> tuple[str, ...]:
        """Return the files that are read; none for frames and connections."""
        return self._source.paths

    def fingerprint(self, key: bytes) -> str | None:
        """Return a keyed digest of the files, or of the declared columns of a table."""
        if self._source.paths:
            return quietly(lambda: of_files(key, self._source.paths))
        return quietly(lambda: of_database(key, self._table, self._source))

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Read the data once and return one sealed vector per aggregate."""
        return quietly(lambda: self._count(salt % SALTS))

    def _count(self, salt: int) -> tuple[Exact, ...]:
        if not self._aggregates:
            return ()
        parameters = {SALT: salt} if self._query.query.find(exp.Placeholder) else {}
        cells: list[dict[int, tuple[int | None, ...]]] = [{} for _ in self._query.parts]
        connection = self._source.connection
        for part, cell, *sums in stoppable(
            lambda: connection.execute(self._text, parameters).fetchall(), connection.interrupt
        ):
            cells[part][cell] = tuple(sums)
        vectors = {
            id(aggregate): _vector(self._table, aggregate, part, sums)
            for part, sums in zip(self._query.parts, cells, strict=True)
            for aggregate in part.aggregates
        }
        return tuple(Exact(vectors[id(aggregate)]) for aggregate in self._aggregates)


def _vector(table: Table, aggregate: Aggregate, part: Part, found: Sums) -> tuple[int, ...]:
    """Return the whole vector; a cell that no row is in counts nothing."""
    places = {need: number for number, need in enumerate(part.needs)}
    groups, bins, measures = aggregate.shape(table)
    vector = [0] * (groups * bins * measures)
    for cell, sums in found.items():

        def get(
            kind: str, column: str | Coordinate | None, sums: tuple[int | None, ...] = sums
        ) -> int:
            need = (kind, column) if column else (counted(table, kind), None)
            return sums[places[need]] or 0

        start = cell * measures
        vector[start : start + measures] = values_of(aggregate.measures, get)
    return tuple(vector)


def _give_keys(
    connection: "DuckDBPyConnection", query: Counting, keys: Mapping[str, tuple[Key, ...]]
) -> None:
    """Give the query the public keys, as tables that only this connection sees."""
    for column, name in query.keys.items():
        positions = np.arange(len(keys[column]), dtype=np.int32)
        connection.register(name, {"key": _listed(keys[column]), "position": positions})


def _listed(keys: tuple[Key, ...]) -> NDArray[Any]:
    if isinstance(keys[0], int) and not isinstance(keys[0], bool):
        return np.array(keys, dtype=np.int64)
    return np.array([str(k).lower() if isinstance(k, bool) else k for k in keys], dtype=object)
