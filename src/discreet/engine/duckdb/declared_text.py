"""Columns of text of sources that are no CSV file, read as a declaration says: the same in SQL.

Rules of this module:
- a column that has the type of text is read as one of a CSV file is: as numbers, days and times in
  their forms, without blanks where they are trimmed, and missing where it is a missing word;
- of a column of another type its type says what cells are, and nothing is done to it;
- nothing is believed that a file states of its texts.

Decision 102.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from ...schema import Table
from ...schema.inferred import kind_of_source
from ..csv.header import check_written, said, trimmed
from ..declared_cells import how_written
from ..source import is_connection, is_frame
from ..sql.cells import LINES, OBJECTS, Reader, is_text
from ..sql.dialect import dialect_of
from .frames import columns_of

if TYPE_CHECKING:
    from .connect import OpenSource


def text_as_declared(source: "OpenSource", table: Table) -> "OpenSource":
    """Return a source of which columns of text are read as those of a CSV file."""
    if not table.csv.says_cells:
        return source
    if table.csv.columns and not table.links:  # of a join, another table may have them
        _check_names(source, table)
    kinds = {n: kind for n, kind in source.kinds.items() if is_text(kind) and kind != OBJECTS}
    reader = Reader(dialect_of(table), table.csv)

    def cell(role: str, name: str) -> exp.Expression:
        raw, csv = source.cell(role, name), how_written(table, name)
        if name not in kinds or csv is None:
            return raw
        text = reader.text(reader.untold(raw), kinds[name])
        return exp.paren(said(trimmed(text) if csv.trim else text, csv, is_cut=False))

    return replace(source, kinds={**source.kinds, **dict.fromkeys(kinds, LINES)}, cell=cell)


def _check_names(source: "OpenSource", table: Table) -> None:
    """Refuse a column that is written in its own way and is not there, where names are public."""
    if kind_of_source(table.source) == "json":
        return
    has_all = is_connection(table.source) or not is_frame(table.source)
    names = source.kinds if has_all else columns_of(table)
    check_written(table.name, names, table.csv)
