"""Files of other programs on their way into DuckDB: read cell by cell, as columns of objects.

Rules of this module:
- before the charge the names of the columns are read, and nothing else: types, widths and codes of
  such files follow from their cells;
- each cell is read by itself: where such programs hold doubles, by the same door as cells of pandas
  whose dtype nobody declared (`inferred`), else by that of a list of dicts;
- a code counts as its label where the code itself is no listed key, and as text: each row by what
  its own file calls its code (`_by_label`);
- of a file that holds several tables one is read, by its name, or because there is no other;
- a column that only some of several files have is missing in the rows of the others.

Decisions 87, 96, 161.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ...aggregate import Aggregate
from ...errors import DiscreetError, EngineError, InputError, shown
from ...schema import Table
from ..declared_cells import declared, how_written
from ..files import Files, settings_of, table_in
from ..formats.listed import FORMATS, CellFormat, Cells, FileReader, Labels
from ..key_matcher import matcher_of
from ..one_source import Origin, place_of
from ..reading import FAR
from ..sql.cells import OBJECTS
from .frames import NO_COLUMNS, Columns, Frame, Used, read_objects, used_in
from .inferred import of_distinct

_LABELLED = {"key", "text"}  # roles in which a code may count as its label


def cell_frame(
    table: Table, files: Files, aggregates: Iterable[Aggregate]
) -> tuple[Frame, list[str], Origin]:
    """Return files as DuckDB is handed them, the names of all their columns, and where they lie.

    Raises:
        InputError: a column that is used is named twice, or no table is, where there are several.
        EngineError: a file is damaged, or of another kind than its name says.
    """
    form = FORMATS[files.kind]
    reader = form.reader()
    tables = [_table_of(table, form, reader, path) for path in files.paths]
    each = [
        _names(table, form, reader, path, part)
        for path, part in zip(files.paths, tables, strict=True)
    ]
    names = list(dict.fromkeys(name for listed in each for name in listed))
    used = used_in(table, tuple(aggregates))
    if form.names_by_row:
        names = [column.name for column in used] or names
    used = tuple(column for column in used if column.name in names)
    for column in used:
        if any(listed.count(column.name) > 1 for listed in each):
            raise InputError(
                f"{shown(table.name)} names the column {shown(column.name)} twice.",
                kind="column-twice",
                why="then a name does not say which column is meant",
                fix="give each column a name of its own",
            )

    def whole() -> object:
        return _together(
            [
                _read(form, table, reader, path, part, used)
                for path, part in zip(files.paths, tables, strict=True)
            ]
        )

    kinds = dict.fromkeys((column.name for column in used), OBJECTS)
    frame = Frame(used, _columns(form, table, 0, {}, used), whole, kinds)
    return frame, names, place_of(table.source, files.paths).of_table(tables[0])


def _table_of(table: Table, form: CellFormat, reader: FileReader, path: str) -> str:
    """Return which table of a file is read; "" of a file that is one table."""
    if not form.holds:
        return ""
    tables: list[str] | None
    try:
        tables = reader.tables(path)
    except DiscreetError:
        raise
    except Exception:  # noqa: BLE001 - its words may quote the data
        tables = None
    if tables is None:
        raise _damaged(table)
    with settings_of(table):
        return table_in(table, Path(path).name, tables, form.holds)


def _names(table: Table, form: CellFormat, reader: FileReader, path: str, part: str) -> list[str]:
    names: list[str] | None
    try:
        names = reader.names(path, part)
    except DiscreetError:
        raise
    except Exception:  # noqa: BLE001 - its words may quote the data
        names = None
    if names is None:
        raise _damaged(table)
    if not names and not form.names_by_row:  # there a row has names: none is told by their lack
        raise _nameless(table, form, part)
    return names


def _nameless(table: Table, form: CellFormat, part: str) -> EngineError:
    why, fix = "it has no column, or is empty", "open it with another program, with its owner"
    if form.holds:
        why = f"its {form.holds} {shown(part)} has no column"
        fix = f'name another {form.holds}, table="..." of discreet.table'
    if not form.names_itself:
        why = f"the first row that has a cell names them, and {shown(part)} has no text in one"
    return EngineError(
        f"{shown(table.name)} names no column.",
        kind="cannot-open",
        why=why,
        fix=f"{fix}; nothing was charged",
    )


def _damaged(table: Table) -> EngineError:
    return EngineError(
        f"{shown(table.name)} cannot be opened.",
        kind="cannot-open",
        why="it is damaged, or is not of the kind that its name says",
        fix="open it with another program, with the data's owner; nothing was charged",
    )


def _read(
    form: CellFormat, table: Table, reader: FileReader, path: str, part: str, used: Sequence[Used]
) -> Columns:
    named = [column.name for column in used if not _LABELLED.isdisjoint(column.roles)]
    labels = form.labels(path, named) if form.labels and named else {}
    read = reader.read(path, part, [column.name for column in used])
    return _columns(form, table, *read, used, labels)


def _columns(
    form: CellFormat,
    table: Table,
    rows: int,
    cells: dict[str, Cells],
    used: Sequence[Used],
    labels: Labels = MappingProxyType({}),
) -> Columns:
    """Return the rows of one file, each column under one name a role."""
    made: Columns = {}
    for column in used:
        distinct, codes = _told_apart(cells.get(column.name), rows)
        if form.is_exact:
            cells_read = [*map(_whole, distinct), None]  # the last one is what -1 takes
            read = read_objects(cells_read, column, table)
            made |= {name: array[codes] for name, array in read.items()}
        else:
            made |= of_distinct(distinct, codes, column, table)
            of = labels.get(column.name)
            if of:
                made |= _by_label(distinct, codes, column, table, of)
    return made or {NO_COLUMNS: np.zeros(rows, dtype=np.bool_)}


def _by_label(
    distinct: Cells, codes: Any, column: Used, table: Table, labels: Mapping[float, str]
) -> Columns:
    """Return the roles of a column of codes in which a code counts as its label.

    A listed key goes before a label: what a person typed says what a code is. Each cell is read by
    what its own file calls its code, so no row changes another. A program that numbers the texts it
    met gives each row its text back.
    """
    csv = how_written(table, column.name)
    called = [
        labels.get(cell, cell)
        if isinstance(cell, (int, float)) and (csv is None or declared(cell, csv) is not None)
        else cell
        for cell in distinct
    ]
    made: Columns = {}
    for role in column.roles:
        if role == "text":
            read = called
        elif role == "key" and column.name not in table.unknown:
            match, listed = matcher_of(table, column.name), len(table.listed(column.name))
            places = [match(cell) for cell in distinct]
            is_key = [place is not None and place < listed for place in places]
            read = [
                cell if typed else label
                for cell, typed, label in zip(distinct, is_key, called, strict=True)
            ]
        else:
            continue
        made |= of_distinct(read, codes, Used(column.name, column.place, (role,)), table)
    return made


def _whole(cell: object) -> object:
    """Return a whole number as one, however its writer stored it: one gap makes doubles of all."""
    is_whole = isinstance(cell, float) and -FAR < cell < FAR and cell.is_integer()
    return int(cell) if is_whole and isinstance(cell, float) else cell


def _told_apart(cells: Cells | None, rows: int) -> tuple[Cells, Any]:
    """Return the distinct cells of a column, and which of them each is; -1 where it is missing.

    Cells of two types are two: 1, 1.0 and True are each read as what they are.
    """
    if cells is None:
        return [], np.full(rows, -1)
    kinds = set(map(type, cells))
    if kinds <= {float, type(None)}:
        doubles, codes = np.unique(np.array(cells, dtype="f8"), return_inverse=True)
        return doubles.tolist(), codes
    if len(kinds) == 1:  # no pair of each cell is made: many of them cost more than they say
        same: dict[object, int] = {}
        of_one = [same.setdefault(cell, len(same)) for cell in cells]
        return [*same], np.array(of_one, dtype=np.int64)
    places: dict[tuple[type, object], int] = {}
    of_pairs = [places.setdefault((type(cell), cell), len(places)) for cell in cells]
    return [cell for _, cell in places], np.array(of_pairs, dtype=np.int64)


def _together(parts: Sequence[Columns]) -> Columns:
    """Return the rows of all files, one file after the other."""
    return {name: _joined([part[name] for part in parts]) for name in parts[0]}


def _joined(arrays: Sequence[Any]) -> Any:
    if len(arrays) == 1:
        return arrays[0]
    is_masked = any(np.ma.isMaskedArray(array) for array in arrays)
    return (np.ma.concatenate if is_masked else np.concatenate)(arrays)
