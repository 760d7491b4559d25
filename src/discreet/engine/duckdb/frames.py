"""Data frames on their way into DuckDB: only the columns that are used, as what they are.

Arrow tables, batches, readers and data sets by way of pyarrow; text that is none stays bytes.

Polars columns by the Arrow stream, without pyarrow; what they cannot say safely is made plain.

Rules of this module:
- before the charge names and types are looked at, never cells;
- a column that has a type is handed over whole, as that type; what a type cannot say to DuckDB
  safely (a time zone, a length of time, half floats) is made plain first, without a look at cells;
- a column of Python objects is read cell by cell (`reading`), for each role it has: so no cell
  decides how another one is read;
- each column gets a name of ours, so that names of unused columns or of another case do no harm;
- a type decides, never a cell;
- casts here read the same memory as another type: none of them looks at a cell, so none can fail;
- a stream that was read is empty, and counts of it would all be 0: it is refused the next time;
- a dtype decides, never a cell;
- a lazy frame is collected when the engine counts; what it computes nobody can read, so that its
  curator must vouch for it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, cast
from weakref import WeakSet

import numpy as np
from sqlglot import exp

from ...aggregate import Aggregate
from ...errors import DiscreetError, EngineError, InputError, shown
from ...fix import write
from ...schema import Table
from .. import reading
from ..declared_cells import declared, how_written
from ..evaluate import is_there, read_as
from ..key_matcher import matcher_of
from ..protocol import check_taken, roles_of, used_columns
from ..source import is_data_set, library_of
from ..sql.cells import OBJECTS
from ..sql.tree import column
from .typed_files import hidden, refuse_hidden

NO_COLUMNS = "rows"  # what stands for the rows where no column is used

Columns = dict[str, Any]  # NumPy arrays by name, masked where cells are missing


@dataclass(frozen=True, slots=True)
class Used:
    """A column that is used: its name, its place among them, and in which roles."""

    name: str
    place: int
    roles: tuple[str, ...]

    def called(self, role: str | None = None) -> str:
        """Return what the column is called for DuckDB: one name, or one a role."""
        return f"c{self.place}" if role is None else f"c{self.place}_{role}"


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A frame that fits its declaration, before its cells are looked at.

    Attributes:
        used: the columns that are handed over.
        empty: what DuckDB is handed to say their types: the same without rows.
        whole: makes what DuckDB is handed to count.
        kinds: of columns whose type DuckDB does not see: Python objects, lengths of time.
    """

    used: tuple[Used, ...]
    empty: object
    whole: Callable[[], object]
    kinds: Mapping[str, str] = field(default_factory=dict)

    def cell(self, role: str, name: str) -> exp.Expression:
        """Return the cell of a column for a role."""
        used = next(entry for entry in self.used if entry.name == name)
        is_read = self.kinds.get(name) == OBJECTS
        return column(used.called(role if is_read else None), "s")


def frame_of(table: Table, aggregates: Iterable[Aggregate]) -> Frame:
    """Return a frame as DuckDB is handed it.

    Raises:
        InputError: it is no table, it lacks a column or names one twice, or a package is missing.
        EngineError: its library does not even tell its names and types.
    """
    wanted = tuple(aggregates)
    make, frame = _MAKERS.get(library_of(table.source), _of_stream), None
    try:
        frame = make(table, used_in(table, wanted))
    except (DiscreetError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - its words may quote the data
        frame = None
    if frame is not None:
        return frame
    raise EngineError(
        f"{shown(table.name)} cannot be opened.",
        kind="cannot-open",
        why="its library does not tell its columns: what it reads is gone, or its query is wrong",
        fix="look at its columns with that library, with the data's owner, and make it again",
    )


def columns_of(table: Table) -> list[str]:
    """Return the names by which the columns of a frame can be used: texts that are there once."""
    source = cast("Any", table.source)
    library = library_of(source)
    if library == "polars":
        names = source.collect_schema().names()
    else:
        names = source.schema.names if library == "pyarrow" else source.columns
    texts = [name for name in names if isinstance(name, str)]
    return [name for name in texts if texts.count(name) == 1]


def _of_pandas(table: Table, used: tuple[Used, ...]) -> Frame:
    from .pandas_frame import pandas_frame

    return pandas_frame(table, used)


def _of_polars(table: Table, used: tuple[Used, ...]) -> Frame:

    return polars_frame(table, used)


def _of_duckdb(table: Table, used: tuple[Used, ...]) -> Frame:
    from .relation import relation_frame

    return relation_frame(table, used)


def _of_arrow(table: Table, used: tuple[Used, ...]) -> Frame:

    return arrow_frame(table, used)


def _of_stream(table: Table, used: tuple[Used, ...]) -> Frame:
    """Return what has the Arrow stream interface and is of no library that is known."""
    if find_spec("pyarrow") is None:
        raise InputError(
            f"{shown(table.name)} is of type {type(table.source).__name__}, which needs pyarrow.",
            kind="package-missing",
            why="pyarrow hands over the columns that are used, and is not installed",
            fix="pip install pyarrow",
        )
    return _of_arrow(table, used)


_MAKERS: dict[str, Callable[[Table, tuple[Used, ...]], Frame]] = {
    "pandas": _of_pandas,
    "polars": _of_polars,
    "pyarrow": _of_arrow,
    "duckdb": _of_duckdb,
}


def used_in(table: Table, aggregates: Sequence[Aggregate]) -> tuple[Used, ...]:
    """Return the columns that are used, each with the roles that it is read in."""
    roles = roles_of(table, aggregates)
    return tuple(
        Used(name, place, tuple(role for role, names in roles.items() if name in names))
        for place, name in enumerate(used_columns(table, aggregates))
    )


def check_names(table: Table, names: Sequence[object], used: Sequence[Used]) -> None:
    """Refuse a frame that lacks a column, or has two of its name."""
    texts = [name for name in names if isinstance(name, str)]
    if not texts:
        raise _unnamed(table, "pass a data frame whose columns are named by text")
    check_taken(table, texts)
    for entry in used:
        if texts.count(entry.name) > 1:
            raise InputError(
                f"{shown(table.name)} names the column {shown(entry.name)} twice.",
                kind="column-twice",
                why="then a name does not say which column is meant",
                fix="give each column a name of its own",
            )


def read_objects(cells: Iterable[object], used: Used, table: Table) -> Columns:
    """Return a column of Python objects as numbers, places of keys and units, each in its role."""
    columns, objects = {}, list(cells)
    csv = how_written(table, used.name)
    if csv is not None:
        objects = [declared(cell, csv) for cell in objects]
    for role in used.roles:
        columns[used.called(role)] = _READ[role](objects, used.name, table)
    return columns


def _numbers(cells: list[object], name: str, table: Table) -> Any:
    csv = table.csv_of(name)
    return np.array([reading.number(cell, csv) for cell in cells], dtype="f8")  # None is NaN


def _places(cells: list[object], name: str, table: Table) -> Any:
    if not table.keys[name]:  # they are looked for
        return _key_texts(cells, name, table)
    match = matcher_of(table, name)
    places = [match(cell) for cell in cells]
    there = np.array([place is not None for place in places], dtype=np.bool_)
    return np.ma.array(np.array([place or 0 for place in places], dtype=np.int32), mask=~there)


def _units(cells: list[object], _name: str, _table: Table) -> Any:
    return _texts([reading.unit_of(cell) for cell in cells])


def _key_texts(cells: list[object], _name: str, _table: Table) -> Any:
    return _texts([reading.key_text(cell) for cell in cells])


def _texts(texts: list[Any]) -> Any:
    array = np.empty(len(texts), dtype=np.object_)
    array[:] = texts
    return array


def _words(cells: list[object], _name: str, _table: Table) -> Any:
    return _texts([read_as(cell, "text") for cell in cells])


def _days(cells: list[object], name: str, table: Table) -> Any:
    return _counted([read_as(cell, "day", table.csv_of(name)) for cell in cells])


def _moments(cells: list[object], name: str, table: Table) -> Any:
    return _counted([read_as(cell, "moment", table.csv_of(name)) for cell in cells])


def _counted(counts: list[Any]) -> Any:
    """Return whole numbers, masked where they are missing."""
    there = np.array([count is not None for count in counts], dtype=np.bool_)
    return np.ma.array(np.array([count or 0 for count in counts], dtype=np.int64), mask=~there)


def _there(cells: list[object], _name: str, _table: Table) -> Any:
    return _counted([is_there(cell) for cell in cells])


_READ: dict[str, Callable[[list[object], str, Table], Any]] = {
    "value": _numbers,
    "key": _places,
    "unit": _units,
    "link": _key_texts,
    "text": _words,
    "day": _days,
    "moment": _moments,
    "label": _key_texts,
    "any": _there,
}


_LENGTH = "INTERVAL"
_READ_STREAMS: WeakSet[Any] = WeakSet()  # streams


def arrow_frame(table: Table, used: tuple[Used, ...]) -> Frame:
    """Return Arrow data as DuckDB is handed it; a stream can be counted once."""
    import pyarrow as pa

    source = _readable(table)
    if _is_reader(source) and source in _READ_STREAMS:
        raise InputError(
            f"{shown(table.name)} is a stream that was read before.",
            kind="read-once",
            why="it is empty now, and all that is counted of it would be 0",
            fix="read it into a table before it is counted: pyarrow.table(stream)",
        )
    schema = source.schema
    check_names(table, schema.names, used)
    refuse_hidden(table, _hidden(source, [entry.name for entry in used]))
    there = tuple(entry for entry in used if entry.name in schema.names)
    kinds = {
        entry.name: kind for entry in there if (kind := kind_of(schema.field(entry.name).type))
    }
    handed = [entry for entry in there if kinds.get(entry.name) in (None, _LENGTH)]

    def made(batch: Any) -> Any:
        arrays = [plain_column(batch.column(schema.names.index(entry.name))) for entry in handed]
        if not arrays:
            rows = pa.nulls(batch.num_rows, pa.bool_())
            return pa.record_batch([rows], names=[NO_COLUMNS])
        return pa.record_batch(arrays, names=[entry.called() for entry in handed])

    none = [column.chunk(0) for column in schema.empty_table().columns]
    empty = made(pa.RecordBatch.from_arrays(none, schema=schema))

    def whole() -> object:
        if _is_reader(source):
            _READ_STREAMS.add(source)
        return pa.RecordBatchReader.from_batches(empty.schema, map(made, _batches(source)))

    return Frame(there, pa.table(empty), whole, kinds)


def _hidden(source: Any, used: Sequence[str]) -> list[str]:
    """Return the used columns of a data set that both a folder tells and a file below it has."""
    if not is_data_set(source):
        return []
    import pyarrow.dataset as ds

    names: set[str] = set()
    for child in source.children if isinstance(source, ds.UnionDataset) else [source]:
        for part in child.get_fragments() if isinstance(child, ds.FileSystemDataset) else ():
            in_folders = [
                name for name in ds.get_partition_keys(part.partition_expression) if name in used
            ]
            names |= (
                {*hidden(in_folders, part.physical_schema.names, used)} if in_folders else set()
            )
    return sorted(names)


def _readable(table: Table) -> Any:
    """Return the source as something with a schema and batches."""
    import pyarrow as pa

    source = cast("Any", table.source)
    if hasattr(source, "schema") and (hasattr(source, "to_batches") or _is_reader(source)):
        return source
    if isinstance(source, pa.RecordBatch):
        return pa.table(source)
    if hasattr(source, "__arrow_c_stream__"):
        reader = None
        try:
            reader = pa.RecordBatchReader.from_stream(source)
        except Exception:  # noqa: BLE001 - its words may quote the data
            reader = None
        if reader is not None:
            return reader
    raise _unnamed(table, "pass a pyarrow.Table, or a data frame")


def _unnamed(table: Table, fix: str) -> InputError:
    return InputError(
        f"{shown(table.name)} is of type {type(table.source).__name__}, without named columns.",
        kind="source-type",
        why="rows are counted by columns that have names",
        fix=f"{fix}, with series.to_frame() for example",
    )


def _is_reader(source: Any) -> bool:
    import pyarrow as pa

    return isinstance(source, pa.RecordBatchReader)


def _batches(source: Any) -> Any:
    return source if _is_reader(source) else source.to_batches()


def kind_of(dtype: Any) -> str | None:
    """Return the kind of a column whose type DuckDB does not see or cannot read; None of others."""
    import pyarrow as pa

    dtype = _inner(dtype)
    if pa.types.is_duration(dtype):
        return _LENGTH
    return str(dtype) if pa.types.is_decimal256(dtype) else None


def plain_column(column: Any) -> Any:
    """Return a column as DuckDB reads it without a failure: no time zone, no half float."""
    import pyarrow as pa

    column = _decoded(column)
    dtype = column.type
    if pa.types.is_timestamp(dtype) and dtype.tz is not None:
        return column.cast(pa.int64()).cast(pa.timestamp(dtype.unit))
    if pa.types.is_duration(dtype):
        return column.cast(pa.int64())
    if pa.types.is_float16(dtype):
        return column.cast(pa.float32())
    return column


def _inner(dtype: Any) -> Any:
    """Return the type of the cells of a column whose cells are numbered or told once in a row."""
    import pyarrow as pa

    if pa.types.is_dictionary(dtype) or pa.types.is_run_end_encoded(dtype):
        return _inner(dtype.value_type)
    return dtype


def _decoded(column: Any) -> Any:
    """Return a column whose cells stand for themselves; numbered text stays as it is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_run_end_encoded(column.type):
        return _decoded(pc.run_end_decode(column))
    if pa.types.is_dictionary(column.type) and not _is_text(column.type.value_type):
        return _decoded(column.dictionary_decode())
    return column


def _is_text(dtype: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(dtype) or pa.types.is_large_string(dtype))


@dataclass(frozen=True, slots=True, eq=False)
class Streamed:
    """A frame that offers nothing but the Arrow stream, so that no other way in is taken."""

    frame: Any

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a new stream."""
        return self.frame.__arrow_c_stream__(requested_schema)


def polars_frame(table: Table, used: tuple[Used, ...]) -> Frame:
    """Return a Polars frame as DuckDB is handed it."""
    import polars as pl

    source = cast("Any", table.source)
    if not isinstance(source, (pl.DataFrame, pl.LazyFrame)):
        raise _unnamed(table, "pass a data frame")
    if isinstance(source, pl.LazyFrame) and table.vouched is None:
        raise InputError(
            f"{shown(table.name)} is a lazy frame, whose query nobody can read.",
            kind="rows-not-proved",
            why="a row of it may be made of many persons' rows, and then one row protects nobody",
            fix=(
                "collect it",
                write(
                    "with the reason why each of its rows is made of one row",
                    of="table",
                    vouched="?",
                ),
            ),
        )
    dtypes = source.collect_schema()
    check_names(table, list(dtypes), used)
    there = tuple(entry for entry in used if entry.name in dtypes)
    kinds = {entry.name: kind for entry in there if (kind := _kind(dtypes[entry.name]))}
    wanted = [_expression(entry, dtypes[entry.name]) for entry in there]

    def made(part: Any) -> object:
        frame = part.select(wanted or pl.repeat(1, pl.len()).alias(NO_COLUMNS))
        frame = frame.collect() if isinstance(frame, pl.LazyFrame) else frame
        for entry in there:
            if kinds.get(entry.name) == OBJECTS:
                frame = _with_objects(frame, entry, table)
        return Streamed(frame)

    empty = pl.DataFrame(schema=dtypes) if isinstance(source, pl.LazyFrame) else source.head(0)
    return Frame(there, made(empty), lambda: made(source), kinds)


def _kind(dtype: Any) -> str | None:
    import polars as pl

    if dtype in (pl.Object, pl.Int128) or str(dtype) == "UInt128":
        return OBJECTS
    return _LENGTH if dtype == pl.Duration else None


def _expression(used: Used, dtype: Any) -> Any:
    """Return a column under our name; moments in UTC and lengths of time as what they count."""
    import polars as pl

    expression = pl.col(used.name)
    if dtype == pl.Datetime and dtype.time_zone:
        expression = expression.to_physical().cast(pl.Datetime(dtype.time_unit))
    elif dtype == pl.Duration:
        expression = expression.to_physical()
    elif str(dtype) == "Float16":
        expression = expression.cast(pl.Float32)
    return expression.alias(used.called())


def _with_objects(frame: Any, used: Used, table: Table) -> Any:
    """Return a frame with a column of objects read, for each role it has."""
    import polars as pl

    kinds = {"f8": pl.Float64, "i4": pl.Int32, "i8": pl.Int64, "O": pl.String}
    made = read_objects(frame[used.called()].to_list(), used, table)
    columns = [
        pl.Series(name, array.tolist(), dtype=kinds[array.dtype.str[1:]])
        for name, array in made.items()
    ]
    return frame.drop(used.called()).with_columns(columns)
