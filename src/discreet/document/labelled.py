"""The long table in a publisher's words: columns and keys by their names.

Rules of this module:
- its rows are those of the long table, in their order, and so are its numbers, but for those of a
  column that is shown as something else: the statistic's name says so;
- where a question has a title, it stands behind the statistic's name;
- a column whose keys have names is text; keys without a name are spelled as they are.
"""

from collections.abc import Iterator
from dataclasses import replace

from ..schema import About, checked_about
from .accessors import labels
from .document import Document
from .numbers import Cell, plainly
from .rows import Column, Rows
from .shown import as_shown, show_of
from .tidy import Tidy, keys_used, renamed, tidy

NAME, TITLE = "labelled.csv", "title"


def is_labelled(about: About) -> bool:
    """Tell whether a publisher's words change anything of the table."""
    return bool(about.labels) or any(one.title for one in about.questions.values())


def labelled(document: Document, about: About) -> Tidy:
    """Return all answers as one long table, with what a publisher calls its columns and keys."""
    used, about = keys_used(document), checked_about(about)
    table = tidy(as_shown(document, about))
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
    said = {label: _said(label, *one) for label, one in _shows(document, about)}
    cells[0] = [said[str(name)] for name in cells[0]]
    return replace(table, columns=tuple(columns), kinds=tuple(kinds), rows=Rows(cells))


def _columns(table: Tidy) -> list[Column]:
    rows = table.rows
    return list(rows.columns) if isinstance(rows, Rows) else list(zip(*rows, strict=True))


def _named(about: About, column: str, cell: Cell) -> Cell:
    return None if cell is None else about.value(column, cell, plainly(cell))


def _shows(document: Document, about: About) -> Iterator[tuple[str, tuple[str, str]]]:
    for label, released in zip(labels(document), document.statistics, strict=True):
        numbers, edges = show_of(released, about)
        mean = released.answer.measure == "mean"
        yield label, ("geometric" if mean and numbers == "exp" else numbers, edges)


def _said(label: str, *shows: str) -> str:
    """Return a statistic's name, and how its numbers are shown."""
    words = {"geometric": "exp: typical (geometric mean)", "exp": "exp", "share": "%"}
    told = [words[one] for one in dict.fromkeys(shows) if one in words]
    return f"{label} ({', '.join(told)})" if told else label
