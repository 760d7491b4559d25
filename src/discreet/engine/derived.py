"""Rows that are made of another source's rows, when the engine counts and not before.

Rules of this module:
- before the charge the source is opened, and names and types are looked at; after it, columns are
  read as numbers (NaN where a cell is none), the rows are made of them, and DuckDB counts these;
- a made row depends on one row of the source alone, whose unit it keeps; where the unit is a row,
  a row makes one at most, which is checked: so one unit reaches no farther than the table declares;
- a unit never leaves DuckDB: made rows find theirs again by the number of the row they are made of.
"""

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Never, cast

from sqlglot import exp

from ..aggregate import Aggregate, Exact, Measure
from ..errors import InputError, shown
from ..finding.pairs import Pairs
from ..schema import ROW, Table, bounds
from ..sensitivity import Sensitivity
from .evaluate import declared_cell, declared_number
from .fingerprint import fingerprint
from .memory import MemoryEngine
from .protocol import SALTS, check_columns, check_declared, quietly
from .reading import number, unit_of
from .select_engine import engine_for
from .source import is_database, is_rows
from .sql.cells import OBJECTS, Reader, check_kinds
from .sql.dialect import SALT, dialect_of
from .sql.tree import column, is_there, whole
from .stopping import stoppable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .duckdb.connect import OpenSource

Numbers = Any  # numpy array of doubles
Columns = Mapping[str, Any]  # numpy arrays by name
Make = Callable[[Mapping[str, Numbers]], tuple[Any, Columns]]
_ANY = bounds(0, 1, step=1)  # any: what is read is not clamped here
_READ, _MADE = "discreet_read_rows", "discreet_made_rows"


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A source whose rows are made of another's.

    Attributes:
        source: a path, a frame, a connection or a list of dicts, as `table` takes them.
        reads: the columns read, as numbers.
        make: from these columns to the made rows: for each the place of the row it is made of, and
            the made columns: values as numbers, keys as their places in the public list.
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
        bare = _bare(table)
        wanted = (_reading(made.reads),)
        if is_rows(made.source):
            MemoryEngine().prepare(bare, wanted)
            return MadePrepared(table, aggregates, None)
        engine_for(made.source)
        if not is_database(made.source):
            raise InputError(
                f"the rows of {shown(table.name)} cannot be made on a server.",
                kind="engine-cannot",
                why="their parts are made here, of columns that are read; a server's rows stay "
                "where they are",
                fix="copy the columns that are used into a Parquet file, with the data's owner",
            )
        from .duckdb.connect import opened

        source = opened(bare, wanted)
        try:
            check_columns(bare, wanted, source.kinds)
            check_kinds(bare, wanted, source.kinds)
        except BaseException:
            source.close()
            raise
        return MadePrepared(table, aggregates, source)

    def pooling(self, _table: Table, pairs: Pairs) -> Never:
        """Refuse: the keys of rows that are made are places in a public list."""
        raise InputError(
            f"the keys of {shown(pairs.column)} cannot be found in rows that a function makes.",
            kind="keys-unknown-here",
            why="they are places in a public list",
            fix="list the keys",
        )


def _bare(table: Table) -> Table:
    """Return the declaration of what the rows are made of."""
    made = cast("Made", table.source)
    unit = table.unit if table.unit.column is not None else ROW
    columns = dict.fromkeys(made.reads, _ANY)
    return replace(table, source=made.source, unit=unit, columns=columns, keys={})


class MadePrepared:
    """An open source whose rows are not made yet."""

    def __init__(
        self, table: Table, aggregates: tuple[Aggregate, ...], source: "OpenSource | None"
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
        return fingerprint(key, _bare(self._table), self.paths())

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Read the source once, make the rows, and return one sealed vector per aggregate."""
        return quietly(lambda: self._count(salt % SALTS))

    def _count(self, salt: int) -> tuple[Exact, ...]:
        from .duckdb.engine import prepared

        source = self._of_rows() if self._source is None else self._of_database(salt)
        return prepared(self._table, self._aggregates, source).count(salt)

    def _of_rows(self) -> "OpenSource":
        """Return the rows made of a list of dicts, beside the units that the reference reads."""
        import numpy as np

        from .duckdb.connect import opened_columns

        unit = self._table.unit.column
        rows = cast("Sequence[object]", self._made.source)
        numbers = {
            name: np.array(
                [number(declared_number(self._table, row, name)) for row in rows],
                dtype="f8",  # None is NaN
            )
            for name in self._made.reads
        }
        places, columns = self._rows(numbers)
        if unit is None:
            return opened_columns(columns, self._kinds(None))
        units = np.empty(len(rows), dtype=np.object_)
        units[:] = [unit_of(declared_cell(self._table, row, unit)) for row in rows]
        return opened_columns({**columns, unit: units[places]}, self._kinds(OBJECTS))

    def _of_database(self, salt: int) -> "OpenSource":
        """Return the rows made of a source that DuckDB reads, joined to their units."""
        from .duckdb.connect import OpenSource

        source, unit = cast("OpenSource", self._source), self._table.unit.column
        connection = source.connection
        source.hand_over()
        query = _query(unit, self._made.reads, source, self._table)
        text, parameters = query.sql(dialect="duckdb"), {}
        if query.find(exp.Placeholder):
            parameters[SALT] = salt
        stoppable(
            lambda: connection.execute(f"CREATE TEMP TABLE {_READ} AS {text}", parameters),
            connection.interrupt,
        )
        wanted = ", ".join(["id", *(f"v{place}" for place in range(len(self._made.reads)))])
        read = connection.execute(f"SELECT {wanted} FROM {_READ}").fetchnumpy()  # noqa: S608
        numbers = {name: _plain(read[f"v{place}"]) for place, name in enumerate(self._made.reads)}
        places, columns = self._rows(numbers)
        connection.register(_MADE, {**columns, "id": read["id"][places]})
        rows = _joined(columns, unit)
        return OpenSource(connection, rows, self._kinds(str(_kind_of(connection))), source.close)

    def _rows(self, numbers: Columns) -> tuple[Any, Columns]:
        places, columns = self._made.make(numbers)
        if self._table.unit.column is None and len(set(places.tolist())) < len(places):
            raise ValueError("a row was made into several")  # told as one fixed text: `quietly`
        return places, columns

    def _kinds(self, unit: str | None) -> dict[str, str]:
        """Return the kinds of made columns: keys are places already, values doubles."""
        kinds = dict.fromkeys(self._table.keys, OBJECTS) | dict.fromkeys(
            self._table.columns, "DOUBLE"
        )
        column = self._table.unit.column
        return kinds | ({column: unit} if column is not None and unit is not None else {})


def _plain(doubles: Any) -> Any:
    """Return fetched doubles, NaN where they are NULL."""
    import numpy as np

    return np.ma.filled(doubles.astype("f8"), np.nan)


def _kind_of(connection: Any) -> str:
    """Return the type of the units that were read; it has a fixed length."""
    return str(connection.table(_READ).types[1])


def _query(
    unit: str | None, reads: tuple[str, ...], source: "OpenSource", table: Table
) -> exp.Select:
    """Return the query of the columns as doubles, of the unit, and of a number for each row.

    The number only finds the unit of a row again: no row is chosen by it.
    """
    reader = Reader.of_table(dialect_of(table), table)
    unit_cell: exp.Expression = whole(0)
    if unit is not None:
        unit_cell = reader.unit(source.cell("unit", unit), source.kinds[unit])
    query = exp.select(exp.alias_(unit_cell, "u")).from_(exp.alias_(source.table.copy(), "s"))
    for place, name in enumerate(reads):
        cell = reader.own.get(name, reader).number(source.cell("value", name), source.kinds[name])
        query.select(exp.alias_(cell, f"v{place}"), copy=False)
    numbered = exp.Window(this=exp.RowNumber())
    wanted = ["u", *(f"v{place}" for place in range(len(reads)))]
    outer = exp.select(exp.alias_(numbered, "id"), *wanted).from_(query.subquery("r", copy=False))
    return outer.where(is_there(exp.column("u")), copy=False)


def _joined(columns: Columns, unit: str | None) -> exp.Expression:
    """Return the made rows beside the unit of the row that each is made of."""
    rows = exp.select(*(column(name, "m") for name in columns)).from_(exp.to_table(_MADE).as_("m"))
    if unit is not None:
        named = exp.alias_(exp.column("u", table="r"), exp.to_identifier(unit, quoted=True))
        same = exp.EQ(this=exp.column("id", table="m"), expression=exp.column("id", table="r"))
        rows = rows.select(named).join(exp.to_table(_READ).as_("r"), on=same)
    return rows.subquery("d", copy=False)


def _reading(names: tuple[str, ...]) -> Aggregate:
    measures = tuple(Measure("cells", (name,)) for name in names)
    return Aggregate(by=(), measures=measures, sensitivity=Sensitivity(1, 1, 1))
