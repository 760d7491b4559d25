"""Files of other programs on their way into DuckDB: read cell by cell, as columns of objects.

Rules of this module:
- before the charge the names of the columns are read, and nothing else: types, widths and codes of
  such files follow from their cells;
- each cell is read by itself, by the same door as cells of pandas whose dtype nobody declared
  (`inferred`), because such programs hold doubles;
- a column that only some of several files have is missing in the rows of the others.

Decision 87.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...aggregate import Aggregate
from ...errors import EngineError, InputError, shown
from ...schema import Table
from ..files import Files
from ..formats.listed import FORMATS, Cells, FileReader
from ..sql.cells import OBJECTS
from .frames import NO_COLUMNS, Columns, Frame, Used, used_in
from .inferred import of_distinct


def cell_frame(
    table: Table, files: Files, aggregates: Iterable[Aggregate]
) -> tuple[Frame, list[str]]:
    """Return files as DuckDB is handed them, and the names of all their columns.

    Raises:
        InputError: a column that is used is named twice.
        EngineError: a file is damaged, or of another kind than its name says.
    """
    reader = FORMATS[files.kind].reader()
    each = [_names(table, reader, path) for path in files.paths]
    names = list(dict.fromkeys(name for listed in each for name in listed))
    used = tuple(column for column in used_in(table, tuple(aggregates)) if column.name in names)
    for column in used:
        if any(listed.count(column.name) > 1 for listed in each):
            raise InputError(
                f"{shown(table.name)} names the column {shown(column.name)} twice.",
                why="then a name does not say which column is meant",
                fix="give each column a name of its own",
            )

    def whole() -> object:
        return _together([_of_file(table, reader, path, used) for path in files.paths])

    kinds = dict.fromkeys((column.name for column in used), OBJECTS)
    return Frame(used, _columns(table, 0, {}, used), whole, kinds), names


def _names(table: Table, reader: FileReader, path: str) -> list[str]:
    names: list[str] | None
    try:
        names = reader.names(path)
    except Exception:  # noqa: BLE001 - its words may quote the data
        names = None
    if names:
        return names
    raise EngineError(
        f"{shown(table.name)} cannot be opened.",
        why="it is damaged, has no columns, or is not of the kind that its name says",
        fix="open it with another program, with the data's owner; nothing was charged",
    )


def _of_file(table: Table, reader: FileReader, path: str, used: Sequence[Used]) -> Columns:
    return _columns(table, *reader.read(path, [column.name for column in used]), used)


def _columns(table: Table, rows: int, cells: dict[str, Cells], used: Sequence[Used]) -> Columns:
    """Return the rows of one file, each column under one name a role."""
    made: Columns = {}
    for column in used:
        distinct, codes = _told_apart(cells.get(column.name), rows)
        made |= of_distinct(distinct, codes, column, table)
    return made or {NO_COLUMNS: np.zeros(rows, dtype=np.bool_)}


def _told_apart(cells: Cells | None, rows: int) -> tuple[Cells, Any]:
    """Return the distinct cells of a column, and which of them each is; -1 where it is missing.

    Cells of two types are two: 1, 1.0 and True are each read as what they are.
    """
    if cells is None:
        return [], np.full(rows, -1)
    places: dict[tuple[type, object], int] = {}
    codes = [places.setdefault((type(cell), cell), len(places)) for cell in cells]
    return [cell for _, cell in places], np.array(codes, dtype=np.int64)


def _together(parts: Sequence[Columns]) -> Columns:
    """Return the rows of all files, one file after the other."""
    return {name: _joined([part[name] for part in parts]) for name in parts[0]}


def _joined(arrays: Sequence[Any]) -> Any:
    if len(arrays) == 1:
        return arrays[0]
    is_masked = any(np.ma.isMaskedArray(array) for array in arrays)
    return (np.ma.concatenate if is_masked else np.concatenate)(arrays)
