"""Rows that are made of another source's rows, when the engine counts and not before.

Rules of this module:
- before the charge the source is opened, and names and types are looked at; after it, columns are
  read as numbers (NaN where a cell is none), the rows are made of them, and DuckDB counts these;
- a made row depends on one row of the source alone, whose unit it keeps; where the unit is a row,
  a row makes one at most, which is checked: so one unit reaches no farther than the table declares.
"""

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from ..aggregate import Aggregate, Exact, Measure, Sensitivity
from ..schema import ROW, Table, bounds
from . import cells
from .choose import engine_for, is_rows
from .dialect import DUCKDB
from .engine import check_columns, check_declared, quietly
from .fingerprint import of_database, of_files, of_rows
from .kinds import check_kinds
from .memory import MemoryEngine, number, text, unit_of
from .names import column
from .stopping import stoppable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .open import Opened

Numbers = Any  # numpy array of doubles
Columns = Mapping[str, Any]  # numpy arrays by name
Make = Callable[[Mapping[str, Numbers]], tuple[Any, Columns]]
_ANY = bounds(0, 1, step=1)  # any: what is read is not clamped here


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A source whose rows are made of another's.

    Attributes:
        source: a path, a frame, a connection or a list of dicts, as `table` takes them.
        reads: the columns read, as numbers.
        make: from these columns to the made rows: for each the place of the row it is made of, and
            the made columns.
    """

    source: object
    reads: tuple[str, ...]
    make: Make


class MadeEngine:
    """Counts rows that are made when it counts."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> "MadePrepared":
        """Open the source, and look at the names and types that are read of it."""
        check_declared(table, aggregates)
        made = cast("Made", table.source)
        unit = table.unit if table.unit.column is not None else ROW
        bare = replace(
            table, source=made.source, unit=unit, columns=dict.fromkeys(made.reads, _ANY), keys={}
        )
        wanted = (_reading(made.reads),)
        if is_rows(made.source):
            MemoryEngine().prepare(bare, wanted)
            return MadePrepared(table, aggregates, None)
        engine_for(made.source)
        from .open import opened

        source = opened(bare, wanted)
        try:
            check_columns(bare, wanted, source.kinds)
            check_kinds(bare, wanted, source.kinds)
        except BaseException:
            source.close()
            raise
        return MadePrepared(table, aggregates, source)


class MadePrepared:
    """An open source whose rows are not made yet."""

    def __init__(
        self, table: Table, aggregates: tuple[Aggregate, ...], source: "Opened | None"
    ) -> None:
        self._table = table
        self._made = cast("Made", table.source)
        self._aggregates = aggregates
        self._source = source
        if source is not None:
            weakref.finalize(self, source.close)

    def schema(self) -> dict[str, str]:
        """Return the name and the type of every column that is opened."""
        return dict(self._source.kinds) if self._source else {}

    def paths(self) -> tuple[str, ...]:
        """Return the files that are read, if the source is files."""
        return self._source.paths if self._source else ()

    def fingerprint(self, key: bytes) -> str | None:
        """Return a keyed digest of the source's own rows, of the columns that are read of it."""
        read = replace(self._table, columns=dict.fromkeys(self._made.reads, _ANY), keys={})
        if self._source is None:
            rows = cast("Sequence[Mapping[str, object]]", self._made.source)
            return quietly(lambda: of_rows(key, read, rows))
        source = self._source
        if source.paths:
            return quietly(lambda: of_files(key, source.paths))
        return quietly(lambda: of_database(key, read, source))

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Read the source once, make the rows, and return one sealed vector per aggregate."""
        rows = quietly(self._rows)
        from .duck import DuckEngine

        made = replace(self._table, source=rows)
        prepared = quietly(lambda: DuckEngine().prepare(made, self._aggregates))
        return prepared.count(salt)

    def _rows(self) -> dict[str, Any]:
        read = _of_rows if self._source is None else self._of_database
        numbers, units = read(self._made, self._table.unit.column)
        places, columns = self._made.make(numbers)
        unit = self._table.unit.column
        if unit is not None:
            return {**columns, unit: units[places]}
        if len(set(places.tolist())) < len(places):
            raise ValueError("a row was made into several")  # told as one fixed text: `quietly`
        return dict(columns)

    def _of_database(self, made: Made, unit: str | None) -> tuple[Columns, Any]:
        import numpy as np

        source = cast("Opened", self._source)
        query, connection = _query(unit, made.reads, source), source.connection
        read = stoppable(lambda: connection.execute(query).fetchnumpy(), connection.interrupt)
        numbers = {
            name: _finite(np.ma.filled(read[f"v{place}"].astype("f8"), np.nan))
            for place, name in enumerate(made.reads)
        }
        return numbers, None if unit is None else np.ma.getdata(read["u"])


def _of_rows(made: Made, unit: str | None) -> tuple[Columns, Any]:
    """Return the numbers and the units of a list of dicts, as the reference engine reads them."""
    import numpy as np

    rows = cast("Sequence[Mapping[str, object]]", made.source)
    if unit is not None:
        rows = [row for row in rows if unit_of(row.get(unit)) is not None]
    numbers = {}
    for name in made.reads:
        found = np.array([number(row.get(name)) for row in rows], dtype="f8")  # None is NaN
        numbers[name] = _finite(found)
    units = None if unit is None else [text(row.get(unit)) for row in rows]
    return numbers, np.array(units, dtype=object)


def _finite(found: Numbers) -> Numbers:
    """Return numbers with NaN for the infinite: text such as 1e400 overflows on its way."""
    import numpy as np

    return np.where(np.isfinite(found), found, np.nan)


def _query(unit: str | None, reads: tuple[str, ...], source: "Opened") -> str:
    """Return the query of the columns as doubles, and of the unit as text where there is one."""
    query = exp.select().from_(exp.alias_(source.table.copy(), "s"))
    for place, name in enumerate(reads):
        cell = cells.number(column(name, "s"), source.kinds[name], DUCKDB.as_bytes)
        query = query.select(exp.alias_(cell, f"v{place}"))
    if unit is not None:
        cell, kind = column(unit, "s"), source.kinds[unit]
        named = exp.cast(cells.identity(cell, kind, lambda words: words), "TEXT")
        query = query.select(exp.alias_(named, "u")).where(cells.is_named(cell.copy(), kind))
    return query.sql(dialect="duckdb")


def _reading(names: tuple[str, ...]) -> Aggregate:
    measures = tuple(Measure("cells", name, slope=1) for name in names)
    return Aggregate(by=(), measures=measures, sensitivity=Sensitivity(1, 1, 1))
