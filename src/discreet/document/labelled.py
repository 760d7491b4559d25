"""The long table in a publisher's words: columns and keys by their names.

Rules of this module:
- numbers are those of the long table, and so are its rows and their order;
- where a question has a title, it stands behind the statistic's name;
- a column whose keys have names is text; keys without a name are spelled as they are.
"""

from dataclasses import replace

from ..schema import About, checked_about
from .document import Document
from .numbers import Cell, plainly
from .rows import Column, Rows
from .tidy import Tidy, keys_used, renamed, tidy

NAME, TITLE = "labelled.csv", "title"


def is_labelled(about: About) -> bool:
    """Tell whether a publisher's words change anything of the table."""
    return bool(about.labels) or any(one.title for one in about.questions.values())


def labelled(document: Document, about: About) -> Tidy:
    """Return all answers as one long table, with what a publisher calls its columns and keys."""
    table, used, about = tidy(document), keys_used(document), checked_about(about)
    columns, kinds, cells = list(table.columns), list(table.kinds), list(_columns(table))
    titled = any(one.title for one in about.questions.values())
    also = [TITLE] * titled
    columns[1 : len(used) + 1] = renamed([about.column(key) for key in used], also)
    for place, key in enumerate(used, start=1):
        if about.names(key):
            cells[place] = [_named(about, key, cell) for cell in cells[place]]
            kinds[place] = "text"
    if titled:
        columns.insert(1, TITLE)
        kinds.insert(1, "text")
        cells.insert(1, [about.heading(str(name)).title or None for name in cells[0]])
    return replace(table, columns=tuple(columns), kinds=tuple(kinds), rows=Rows(cells))


def _columns(table: Tidy) -> list[Column]:
    rows = table.rows
    return list(rows.columns) if isinstance(rows, Rows) else list(zip(*rows, strict=True))


def _named(about: About, column: str, cell: Cell) -> Cell:
    return None if cell is None else about.value(column, cell, plainly(cell))
