"""Arrow tables, batches, readers and data sets by way of pyarrow; text that is none stays bytes.

Rules of this module:
- a type decides, never a cell;
- casts here read the same memory as another type: none of them looks at a cell, so none can fail;
- a stream that was read is empty, and counts of it would all be 0: it is refused the next time.
"""

from collections.abc import Sequence
from typing import Any, cast
from weakref import WeakSet

from ...errors import InputError, shown
from ...schema import Table
from ..source import is_data_set
from .frames import NO_COLUMNS, Frame, Used, check_names
from .typed_files import hidden, refuse_hidden

_LENGTH = "INTERVAL"
_READ: WeakSet[Any] = WeakSet()  # streams


def arrow_frame(table: Table, used: tuple[Used, ...]) -> Frame:
    """Return Arrow data as DuckDB is handed it; a stream can be counted once."""
    import pyarrow as pa

    source = _readable(table)
    if _is_reader(source) and source in _READ:
        raise InputError(
            f"{shown(table.name)} is a stream that was read before.",
            why="it is empty now, and all that is counted of it would be 0",
            fix="read it into a table before it is counted: pyarrow.table(stream)",
        )
    schema = source.schema
    check_names(table, schema.names, used)
    refuse_hidden(table, _hidden(source, [one.name for one in used]))
    there = tuple(one for one in used if one.name in schema.names)
    kinds = {one.name: said for one in there if (said := kind_of(schema.field(one.name).type))}
    handed = [one for one in there if kinds.get(one.name) in (None, _LENGTH)]

    def made(batch: Any) -> Any:
        arrays = [plain_column(batch.column(schema.names.index(one.name))) for one in handed]
        if not arrays:
            rows = pa.nulls(batch.num_rows, pa.bool_())
            return pa.record_batch([rows], names=[NO_COLUMNS])
        return pa.record_batch(arrays, names=[one.called() for one in handed])

    none = [column.chunk(0) for column in schema.empty_table().columns]
    empty = made(pa.RecordBatch.from_arrays(none, schema=schema))

    def whole() -> object:
        if _is_reader(source):
            _READ.add(source)
        return pa.RecordBatchReader.from_batches(empty.schema, map(made, _batches(source)))

    return Frame(there, pa.table(empty), whole, kinds)


def _hidden(source: Any, used: Sequence[str]) -> list[str]:
    """Return the used columns of a data set that both a folder tells and a file below it has."""
    if not is_data_set(source):
        return []
    import pyarrow.dataset as ds

    found: set[str] = set()
    for one in source.children if isinstance(source, ds.UnionDataset) else [source]:
        for part in one.get_fragments() if isinstance(one, ds.FileSystemDataset) else ():
            told = [
                name for name in ds.get_partition_keys(part.partition_expression) if name in used
            ]
            found |= {*hidden(told, part.physical_schema.names, used)} if told else set()
    return sorted(found)


def _readable(table: Table) -> Any:
    """Return the source as something with a schema and batches."""
    import pyarrow as pa

    source = cast("Any", table.source)
    if hasattr(source, "schema") and (hasattr(source, "to_batches") or _is_reader(source)):
        return source
    if isinstance(source, pa.RecordBatch):
        return pa.table(source)
    if hasattr(source, "__arrow_c_stream__"):
        found = None
        try:
            found = pa.RecordBatchReader.from_stream(source)
        except Exception:  # noqa: BLE001 - its words may quote the data
            found = None
        if found is not None:
            return found
    raise InputError(
        f"{shown(table.name)} is of type {type(source).__name__}, without named columns.",
        why="rows are counted by columns that have names",
        fix="pass a pyarrow.Table, or a data frame",
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
