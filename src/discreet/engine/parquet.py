"""Public tables as Parquet files.

Rules of this module:
- only released numbers come here; no data is read;
- one thread, rows in the order given: the same table gives the same bytes;
- names and cells are expressions of DuckDB: nothing is pasted into SQL.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

TYPES = {"text": "VARCHAR", "whole": "BIGINT", "flag": "BOOLEAN", "real": "DOUBLE"}
_EMPTY: dict[str, Any] = {"text": "", "whole": 0, "flag": False, "real": 0}
_ARRAYS = {"text": "object", "whole": "int64", "flag": "bool", "real": "float64"}
_TABLE = "discreet_table"
_AT_ONCE = 1 << 14  # rows that are compared at once, so that a long file is never whole in memory


def write_parquet(
    path: Path,
    *,
    columns: Sequence[str],
    kinds: Sequence[str],
    cells: Sequence[Sequence[object]],
) -> None:
    """Write a table as a Parquet file that only its owner can read.

    Args:
        path: where; a file there is replaced.
        columns: the names, different without regard to case.
        kinds: what each column holds, a key of TYPES.
        cells: the cells of each column, all of one length.

    Raises:
        OSError: the file cannot be written.
    """
    import duckdb

    arrays: dict[str, Any] = {}
    for at, (kind, column) in enumerate(zip(kinds, cells, strict=True)):
        arrays |= _arrays(at, kind, column)
    path.touch(mode=0o600)
    with _connected() as connection:
        connection.register(_TABLE, arrays)
        try:
            made = connection.view(_TABLE).select(*_cells(columns, kinds, set(arrays)))
            made.write_parquet(str(path), compression="zstd")
        except duckdb.IOException:
            raise OSError(f"cannot write {path.name}") from None
    path.chmod(0o600)


def same_parquet(
    content: bytes, *, columns: Sequence[str], cells: Sequence[Sequence[object]]
) -> bool:
    """Tell whether a Parquet file holds these columns, cell by cell and in this order."""
    import duckdb

    with TemporaryDirectory(prefix="discreet-") as folder:
        path = Path(folder, "table.parquet")
        path.write_bytes(content)
        with _connected() as connection:
            try:
                rows = connection.execute("FROM read_parquet(?)", [str(path)])
                names = [name for name, *_ in rows.description]
                return names == list(columns) and _same_rows(rows.fetchmany, cells)
            except duckdb.Error:
                return False


def writer_of(content: bytes) -> str | None:
    """Return which program a Parquet file says that it was written by; None where it says none."""
    import duckdb

    with TemporaryDirectory(prefix="discreet-") as folder:
        path = Path(folder, "table.parquet")
        path.write_bytes(content)
        with _connected() as connection:
            try:
                query = "SELECT created_by FROM parquet_file_metadata(?)"
                row = connection.execute(query, [str(path)]).fetchone()
            except duckdb.Error:
                return None
    return None if row is None or row[0] is None else str(row[0])


def _connected() -> "duckdb.DuckDBPyConnection":
    """Return a database of its own, which does not print how far it is."""
    import duckdb

    connection = duckdb.connect(":memory:", config={"threads": 1})
    with suppress(duckdb.Error):  # in a notebook without ipywidgets no setting of it is taken
        connection.execute("SET enable_progress_bar = false")
    return connection


def _same_rows(
    read: Callable[[int], list[tuple[object, ...]]], cells: Sequence[Sequence[object]]
) -> bool:
    """Tell whether what `read` brings, so many rows at once, are these columns and no more."""
    for start in range(0, len(cells[0]), _AT_ONCE):
        wanted = zip(*(column[start : start + _AT_ONCE] for column in cells), strict=True)
        if read(_AT_ONCE) != list(wanted):
            return False
    return not read(1)


def _arrays(at: int, kind: str, column: Sequence[object]) -> dict[str, Any]:
    """Return a column as an array, and beside it, where cells are missing, which are there."""
    import numpy as np

    gaps = None in column
    filled = [_EMPTY[kind] if cell is None else cell for cell in column] if gaps else column
    array = np.empty(len(column), dtype=_ARRAYS[kind])
    array[:] = filled
    there = {f"there_{at}": np.array([cell is not None for cell in column])} if gaps else {}
    return {f"cell_{at}": array, **there}


def _cells(
    columns: Sequence[str], kinds: Sequence[str], arrays: set[str]
) -> "list[duckdb.Expression]":
    """Return each column of the arrays by its name, and empty where a cell is missing."""
    from duckdb import CaseExpression, ColumnExpression

    cells = []
    for at, (name, kind) in enumerate(zip(columns, kinds, strict=True)):
        cell = ColumnExpression(f"cell_{at}").cast(TYPES[kind])
        if f"there_{at}" in arrays:
            cell = CaseExpression(ColumnExpression(f"there_{at}"), cell)
        cells.append(cell.alias(name))
    return cells
