"""The sqlite3 of the standard library: rows and units by group, of a database with one table.

Rules of this module:
- columns are read by name, in one query; what a cell means is decided in Python (`reading.py`);
- which rows of a unit stay is decided by a keyed hash of what is counted of them.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import blake2b

from discreet.aggregate import Aggregate, Exact
from discreet.engine.fingerprint import fingerprint
from discreet.engine.guard import fit, limits_of
from discreet.engine.key_matcher import matcher
from discreet.engine.protocol import (
    SALTS,
    Columns,
    ListedEngine,
    check_columns,
    check_declared,
    quietly,
)
from discreet.engine.reading import unit_of
from discreet.errors import InputError, shown
from discreet.schema import Table


def is_sqlite(source: object) -> bool:
    """Say whether a source is a connection to an SQLite database."""
    return type(source) is sqlite3.Connection


class SqliteEngine:
    """Counts rows and units in the only table of an SQLite database."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> "SqlitePrepared":
        """Look at the names, and refuse what needs the values of a column."""
        if any(a.bins or any(m.kind == "cells" for m in a.measures) for a in aggregates):
            raise InputError(
                f"{shown(table.name)} is an SQLite database, of which values are not added up.",
                kind="engine-cannot",
                why="this engine counts rows and units by group",
                fix="ask for count or count_units, or hand the rows over as a data frame",
            )
        check_declared(table, aggregates)
        tables = _asked(table, "SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        if len(tables) != 1 or str(tables[0][1]).upper().startswith("CREATE VIRTUAL"):
            raise InputError(
                f"{shown(table.name)} does not hold one plain table.",
                kind="source-unclear",
                why="which rows are counted must be certain",
                fix="open a database with one table",
            )
        name = str(tables[0][0])
        listed = _asked(table, f"PRAGMA table_info({_id(name)})")
        kinds = {str(row[1]): str(row[2]) for row in listed}
        check_columns(table, aggregates, kinds)
        return SqlitePrepared(table, aggregates, name, kinds)


@dataclass(frozen=True, slots=True, repr=False)
class SqlitePrepared:
    """A table that fits its declaration."""

    table: Table
    aggregates: tuple[Aggregate, ...]
    name: str
    kinds: dict[str, str]

    def schema(self) -> dict[str, str]:
        """Return the names and declared types of the columns; each cell has a type of its own."""
        return self.kinds

    def paths(self) -> tuple[str, ...]:
        """Return no file: what is read is the connection."""
        return ()

    def fingerprint(self, key: bytes) -> str | None:
        """Return a keyed digest of the declared columns, row by row."""
        named = {*self.table.columns, *self.table.keys, self.table.unit.column}
        names = [name for name in self.kinds if name in named]

        def rows() -> list[dict[str, object]]:
            return [dict(zip(names, row, strict=True)) for row in self._rows(names)]

        return fingerprint(key, replace(self.table, source=quietly(rows)), ())

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Return one sealed vector per aggregate."""
        return quietly(lambda: tuple(self._vector(a, salt % SALTS) for a in self.aggregates))

    def _rows(self, names: list[str]) -> Iterator[tuple[object, ...]]:
        """Read columns; text that is no UTF-8 is read as it stands, and stops nothing."""
        source = self.table.source
        assert isinstance(source, sqlite3.Connection)  # noqa: S101 - as `is_sqlite` has said
        before = source.text_factory
        source.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        try:
            columns = ", ".join(map(_id, names)) or "NULL"
            yield from _asked(self.table, f"SELECT {columns} FROM {_id(self.name)}")  # noqa: S608
        finally:
            source.text_factory = before

    def _vector(self, aggregate: Aggregate, salt: int) -> Exact:
        rows, units = Counter[int](), Counter[int]()
        found = {
            unit: _bounded(self.table, aggregate, unit, groups, salt)
            for unit, groups in self._groups(aggregate).items()
        }
        limits = limits_of(self.table, [aggregate])
        inside = fit({unit: groups.values() for unit, groups in found.items()}, limits)
        for unit, groups in found.items():
            if unit in inside:
                rows.update(groups)
                units.update(groups.keys())
        places = range(self.table.groups(aggregate.by))
        kinds = [rows if measure.kind == "rows" else units for measure in aggregate.measures]
        if aggregate.sparse is not None:  # a count: the cells that hold rows, with their places
            return Exact(tuple(kinds[0].values()), tuple(kinds[0]))
        return Exact(tuple(kind[place] for place in places for kind in kinds))

    def _groups(self, aggregate: Aggregate) -> dict[object, Counter[int]]:
        """Return for each unit how many rows it has in which group; a row can be a unit."""
        unit, keys = self.table.unit.column, [self.table.keys[column] for column in aggregate.by]
        matchers = [matcher(of) for of in keys]
        found: dict[object, Counter[int]] = defaultdict(Counter)
        for number, (who, *cells) in enumerate(self._rows([unit or "", *aggregate.by])):
            whose = number if unit is None else unit_of(who)
            place: int | None = 0
            for of, match, cell in zip(keys, matchers, cells, strict=True):
                at = match(cell)
                place = None if at is None or place is None else place * len(of) + at
            if place is not None and whose is not None:
                found[whose][place] += 1
        return found


def _bounded(
    table: Table, aggregate: Aggregate, unit: object, groups: Counter[int], salt: int
) -> Counter[int]:
    """Return what the limits leave of the rows of one unit, by group."""
    if table.unit.column is None:
        return groups

    def order(*content: int) -> tuple[object, ...]:
        text = repr((unit, *content)).encode("utf-8", "surrogatepass")
        return blake2b(text, key=salt.to_bytes(8, "big")).digest(), content

    rows = [(group, number) for group, many in groups.items() for number in range(many)]
    kept = sorted(rows, key=lambda row: order(*row))[: table.unit.max_rows]
    some = sorted({group for group, _ in kept}, key=order)[: aggregate.max_groups]
    found = Counter(group for group, _ in kept if group in some)
    most = aggregate.max_rows_per_group
    return found if most is None else Counter({g: min(n, most) for g, n in found.items()})


def _asked(table: Table, query: str) -> list[tuple[object, ...]]:
    """Return the rows that a query finds, whatever the connection makes of rows otherwise."""
    assert isinstance(table.source, sqlite3.Connection)  # noqa: S101 - as `is_sqlite` has said
    with closing(table.source.cursor()) as cursor:
        cursor.row_factory = None
        return cursor.execute(query).fetchall()


def _id(name: str) -> str:
    """Return a name as SQLite reads it; none where nothing is read."""
    return f'"{name.replace(chr(34), chr(34) * 2)}"' if name else "NULL"


def _examples(columns: Columns) -> list[object]:
    """Return a database in memory with one table of the columns."""
    source = sqlite3.connect(":memory:")
    source.execute(f"CREATE TABLE t ({', '.join(map(_id, columns))})")
    marks = ", ".join("?" for _ in columns)
    source.executemany(f"INSERT INTO t VALUES ({marks})", zip(*columns.values(), strict=True))  # noqa: S608
    return [source]


SQLITE = ListedEngine("sqlite", is_sqlite, SqliteEngine, _examples)
