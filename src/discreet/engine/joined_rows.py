"""Rows of several lists of dicts, joined: the reference, written to be read.

Rules of this module:
- a row of the result is made of one row of each table, all of which belong to one unit;
- rows find each other by text or whole numbers, compared as their text, byte by byte; any other
  cell, and a missing one, has no partner;
- nothing is limited here: how many rows of a unit count is decided afterwards, over all of them.

Decision 40.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, cast

from ..schema import Join, Table
from .reading import key_text
from .rows import cell_of, is_row

Cells = dict[str, object]


def joined_rows(table: Table) -> Sequence[object]:
    """Return the rows of a table, joined with those of the others that it declares."""
    rows = cast("Sequence[object]", table.source)
    for one in table.joins:
        rows = [
            {**_cells(row), **given}
            for row, found in zip(rows, _partners(rows, one), strict=True)
            for given in found
        ]
    return rows


def _partners(rows: Sequence[object], one: Join) -> list[list[Cells]]:
    """Return, for each row, what each of its partners gives."""
    there: dict[str | None, list[Cells]] = defaultdict(list)
    for other in cast("Sequence[object]", one.source):
        given = {name: cell_of(other, name) for name in one.gives}
        there[key_text(cell_of(other, one.key))].append(given)
    there[None] = []  # what is no text and no whole number has no partner
    return [there.get(key_text(cell_of(row, one.on)), []) for row in rows]


def _cells(row: object) -> Cells:
    """Return the cells of a row by name; no code of the row runs."""
    items = dict.items(cast("dict[Any, object]", row)) if is_row(row) else ()
    return {name: cell for name, cell in items if type(name) is str}
