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

from sqlglot import exp

from ...aggregate import Aggregate, Exact
from ...finding.pairs import Pairs
from ...schema import Table
from ...sums import Added
from ..fingerprint import fingerprint
from ..protocol import SALTS, Columns, check_columns, check_declared, keyed, quietly, values_of
from ..sql.aggregation import Part, counted
from ..sql.dialect import SALT
from ..sql.pool import check_kind
from ..sql.query import Counting, counting
from .connect import Opened, opened
from .pool import DuckPooling
from .stopping import stoppable
from .types import check_kinds

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Sums = Mapping[int, tuple[int | None, ...]]


class DuckEngine:
    """Counts files, data frames, and tables and relations of DuckDB."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> "DuckPrepared":
        """Open the source, look at its names and types, and build the query."""
        check_declared(table, aggregates)
        source = opened(table, aggregates)
        try:
            check_columns(table, aggregates, source.kinds)
            check_kinds(table, aggregates, source.kinds)
            return prepared(table, aggregates, source)
        except BaseException:
            source.close()
            raise

    def pooling(self, table: Table, pairs: Pairs) -> DuckPooling:
        """Open the source, and look at the types of the unit and of the keys."""
        wanted = (keyed(pairs.column),)
        source = opened(table, wanted)
        try:
            check_columns(table, wanted, source.kinds)
            check_kinds(table, wanted, source.kinds)
            check_kind(pairs.column, source.kinds[pairs.column])
            return DuckPooling(table, pairs, source)
        except BaseException:
            source.close()
            raise


def prepared(table: Table, aggregates: tuple[Aggregate, ...], source: Opened) -> "DuckPrepared":
    """Build the query over an open source, and give its connection the public tables."""
    query = counting(table, aggregates, kinds=source.kinds, source=source.table, cell=source.cell)
    quietly(lambda: _give_tables(source.connection, query))
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
        return fingerprint(key, self._table, self._source.paths)

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Read the data once and return one sealed vector per aggregate."""
        return quietly(lambda: self._count(salt % SALTS))

    def _count(self, salt: int) -> tuple[Exact, ...]:
        if not self._aggregates:
            return ()
        parameters = {SALT: salt} if self._query.query.find(exp.Placeholder) else {}
        cells: list[dict[int, tuple[int | None, ...]]] = [{} for _ in self._query.parts]
        connection = self._source.connection

        def read() -> list[tuple[Any, ...]]:
            self._source.hand_over()  # here: no signal can end code that the engine calls
            return connection.execute(self._text, parameters).fetchall()

        for part, cell, *sums in stoppable(read, connection.interrupt):
            cells[part][cell] = tuple(sums)
        vectors = {
            id(aggregate): _vector(self._table, aggregate, part, sums)
            for part, sums in zip(self._query.parts, cells, strict=True)
            for aggregate in part.aggregates
        }
        return tuple(Exact(vectors[id(aggregate)]) for aggregate in self._aggregates)


def _vector(table: Table, aggregate: Aggregate, part: Part, found: Sums) -> tuple[int, ...]:
    """Return the whole vector.

    A cell that no row is in counts nothing; one that is not of the vector is left out, because what
    an engine returns is not trusted.
    """
    places = {need: number for number, need in enumerate(part.needs)}
    groups, bins, measures = aggregate.shape(table)
    vector = [0] * (groups * bins * measures)
    for cell, sums in found.items():
        if not 0 <= cell < groups * bins:
            continue

        def get(one: Added, sums: tuple[int | None, ...] = sums) -> int:
            return sums[places[counted(table, one)]] or 0

        start = cell * measures
        vector[start : start + measures] = values_of(aggregate.measures, get)
    return tuple(vector)


def _give_tables(connection: "DuckDBPyConnection", query: Counting) -> None:
    """Give the query the public keys and bins, as tables that only this connection sees."""
    for name, columns in query.tables.items():
        connection.register(name, dict(columns))


def table_of(columns: Columns) -> "DuckDBPyConnection":
    """Return a new database in memory with one table of these columns."""
    import duckdb

    connection = duckdb.connect()
    kinds = [
        "VARCHAR" if any(isinstance(cell, str) for cell in cells) else "DOUBLE"
        for cells in columns.values()
    ]
    names = [exp.to_identifier(name, quoted=True).sql() for name in columns]
    declared = ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds, strict=True))
    connection.execute(f"CREATE TABLE t ({declared})")
    marks = ", ".join("?" for _ in names)
    for row in zip(*columns.values(), strict=True):
        connection.execute(f"INSERT INTO t VALUES ({marks})", row)  # noqa: S608
    return connection
