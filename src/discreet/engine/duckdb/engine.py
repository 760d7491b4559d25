"""DuckDB: files, data frames and the user's own tables, counted by one query a release.

Rules of this module:
- our own connection reads the declared files and nothing else, loads no extension, and spills into
  a private directory that is deleted;
- a connection of the user is read through a cursor; none of its settings changes, nothing stays;
- names and types are looked at before the charge; what happens while data is read stays here.
"""

import weakref
from dataclasses import replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING

from sqlglot import exp

from ...aggregate import Aggregate, Exact
from ...finding.pairs import Pairs
from ...schema import Table
from ..files import still
from ..fingerprint import fingerprint_of_all
from ..progress import Percent
from ..protocol import (
    SALTS,
    Columns,
    check_columns,
    check_declared,
    keyed,
    quietly,
    uncollected,
)
from ..sql.cells import check_kind, check_kinds
from ..sql.dialect import SALT, dialect_of, of_text
from ..sql.faster.one_row import is_all
from ..sql.faster.pruned import may_be_pruned
from ..sql.query import Counting, counting, vectors
from ..stopping import stoppable
from .connect import OpenSource, nothing, opened, opened_together
from .connection import in_memory, percent_of
from .faster.first_rows import can_be_looked_at, has_small_units, is_small, size_of
from .faster.passes import (
    PASS,
    PASSES,
    Row,
    counted,
    enough,
    is_for_passes,
    of_one_pass,
    one_state,
    percent_of_all,
)
from .pool import DuckPooling, in_room
from .typed_files import of_any_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class DuckEngine:
    """Counts files, data frames, and tables and relations of DuckDB."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> "DuckPrepared":
        """Open the source, look at its names and types, and build the query."""
        check_declared(table, aggregates)
        open_ = opened_together if table.joins else opened
        source = in_memory(lambda: open_(table, aggregates))
        try:
            check_columns(table, aggregates, source.kinds)
            check_kinds(table, aggregates, source.kinds)
            if table.lists:
                from ..lists_apart import check_lists

                check_lists(table, source.paths)
            return prepared(table, aggregates, source)
        except BaseException:
            source.close()
            raise

    def pooling(self, table: Table, pairs: Pairs) -> DuckPooling:
        """Open the source, and look at the types of the unit and of the keys."""
        wanted = (keyed(pairs.column),)
        source = in_memory(lambda: opened(table, wanted))
        try:
            check_columns(table, wanted, source.kinds)
            check_kinds(table, wanted, source.kinds)
            if table.made(pairs.column) is None:  # else its parts are checked as what they are read
                check_kind(pairs.column, source.kinds[pairs.column])
            return DuckPooling(table, pairs, source)
        except BaseException:
            source.close()
            raise


def prepared(table: Table, aggregates: tuple[Aggregate, ...], source: OpenSource) -> "DuckPrepared":
    """Build the query over an open source, and give its connection the public tables.

    Of a source that is looked at before it is counted, the query prunes nothing at first; of a
    small one, nothing at all. Where a row is the unit, no row is chosen among others: nothing is
    looked at, and one pass counts all.
    """
    size, is_looked_at, prunes = 0, False, True
    if table.unit.column is not None:
        size = size_of(table, source) if is_for_passes(table) else 0
        is_native = table.unit.sampling == "native"
        prunes = is_native and may_be_pruned(table, aggregates) and not is_all(table, aggregates)
        is_looked_at = prunes and can_be_looked_at(table, size)
        prunes = prunes and not is_looked_at and not is_small(size)
    query = _counting(table, aggregates, source, prunes=prunes)
    for name, columns in query.tables.items():  # public keys and bins, for this connection alone
        quietly(partial(source.connection.register, name, dict(columns)))
    return DuckPrepared(table, aggregates, source, query, size, is_looked_at=is_looked_at)


def _counting(
    table: Table, aggregates: tuple[Aggregate, ...], source: OpenSource, *, prunes: bool = True
) -> Counting:
    dialect = dialect_of(table)
    if not prunes:
        dialect = replace(dialect, speed=replace(dialect.speed, prunes=None))
    return counting(
        table,
        aggregates,
        kinds=source.kinds,
        source=source.table,
        cell=source.cell,
        dialect=of_text(dialect) if source.is_text else dialect,
    )


_LARGE = 300  # cells of all vectors; below, rows are read as fast


class DuckPrepared:
    """An open source that fits its declaration, and the query to count it."""

    def __init__(
        self,
        table: Table,
        aggregates: tuple[Aggregate, ...],
        source: OpenSource,
        query: Counting,
        size: int,
        *,
        is_looked_at: bool,
    ) -> None:
        self._table = table
        self._aggregates = aggregates
        self._source = source
        self._query = query
        self._size = size
        self._is_looked_at = is_looked_at
        self._text = query.query.sql(dialect="duckdb")
        self._is_salted = query.query.find(exp.Placeholder) is not None
        self._of_passes: str | None = None
        cells = 0
        for aggregate in aggregates:
            cells += prod(aggregate.shape(table))
        self._is_large = cells >= _LARGE
        self._of_one_state = still(table, source.paths, source.tables)
        weakref.finalize(self, source.close)

    def schema(self) -> dict[str, str]:
        """Return the name and DuckDB's type of every column."""
        return dict(self._source.kinds)

    def paths(self) -> tuple[str, ...]:
        """Return the files that are read; none for frames and connections."""
        return self._source.paths

    def fingerprint(self, key: bytes) -> str | None:
        """Return a keyed digest of the files, or of the declared columns of a table."""
        tables = self._source.tables or ((self._table, self._source.paths),)
        return fingerprint_of_all(key, tables)

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Read the data once and return one sealed vector per aggregate.

        Raises:
            EngineError: it cannot be read, or its files did not stand still.
        """
        return self._of_one_state(lambda: quietly(lambda: self._count(salt % SALTS)))

    def _count(self, salt: int) -> tuple[Exact, ...]:
        if not self._aggregates:
            return ()
        at = (0, 1)

        def read(number: int, passes: int) -> list[Row]:
            nonlocal at
            at = number, passes
            return of_any_text(lambda: self._rows(salt, number, passes), self._source.again)

        def whole() -> list[Row]:
            if self._table.unit.column is None or not is_for_passes(self._table):
                return read(0, 1)
            source = self._source
            if self._is_looked_at and not has_small_units(self._table, source, self._size):
                self._prune()
            first = enough(source.connection, self._size) if source.hand_over is nothing else 1
            return counted(read, first, lambda: one_state(source.connection, self._table))

        connection = self._source.connection
        percent: Percent = partial(percent_of, connection)
        if self._table.unit.column is not None:  # else there is one pass
            percent = percent_of_all(percent, lambda: at)
        rows = stoppable(
            lambda: in_room(whole, self._table, self._source), connection.interrupt, percent
        )
        whose = self._table, self._aggregates, self._query.parts
        if rows and len(rows[0]) == 1:  # columns, and no row
            from ..sql.faster.in_columns import vectors_of

            return vectors_of(*whose, rows[0][0])
        return vectors(*whose, rows)

    def _prune(self) -> None:
        """Count by the query that prunes rows from here on; its tables are the same."""
        self._is_looked_at = False
        self._query = _counting(self._table, self._aggregates, self._source)
        self._text = self._query.query.sql(dialect="duckdb")
        self._of_passes = None

    def _rows(self, salt: int, number: int, passes: int) -> list[Row]:
        """Run the query over the units of one pass."""
        self._source.hand_over()  # here: no signal can end code that the engine calls
        parameters = {SALT: salt} if self._is_salted else {}
        text = self._text
        if passes > 1:
            text = self._text_of_passes()
            parameters |= {SALT: salt, PASS: number, PASSES: passes}
        answer = self._source.connection.execute(text, parameters)
        if passes == 1 and self._is_large:
            from ..sql.faster.in_columns import columns_of

            if (columns := columns_of(answer)) is not None:
                return [(columns,)]  # all rows in one, of one cell
        with uncollected():
            return answer.fetchall()

    def _text_of_passes(self) -> str:
        """Return the query with the condition that a unit is of one pass; it is built once."""
        if self._of_passes is None:
            self._of_passes = of_one_pass(self._query.query)
        return self._of_passes


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
