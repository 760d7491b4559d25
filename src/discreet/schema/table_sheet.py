"""A declared table as a table for people: print(table).

Rules of this module:
- only what is declared is shown, so that nothing has to be read.
"""

from typing import TYPE_CHECKING

from ..text import Sheet, listed

if TYPE_CHECKING:
    from .table import Table

KEYS_SHOWN = 8


def sheet_of(table: "Table") -> Sheet:
    """Return a declaration, with a row for each column and what is public of it."""
    keys = [
        (name, "keys", listed(values, KEYS_SHOWN) if values else str(table.unknown[name]))
        for name, values in table.keys.items()
    ]
    made = [(name, "made", str(formula.expression)) for name, formula in table.derived.items()]
    return Sheet(
        title=f"Table {table.name}, as declared. Nothing has been read.",
        above=(
            f"Unit: {table.unit}. Neighbors: {table.neighbors}.",
            *(f"Joined: {join.words()}." for join in table.joins),
            *([f"Rows: {table.condition.expression}."] if table.condition else []),
            *table.spelled_words(),
            *(table.lists_words() if table.lists else ()),
        ),
        columns=("column", "has", "declared"),
        rows=(
            *made,
            *((name, "bounds", str(limits)) for name, limits in table.columns.items()),
            *keys,
        ),
    )
