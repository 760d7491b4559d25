"""Where rows of no listed key go: the one rule that every engine, and the reference, follows.

Rules of this module:
- a missing cell has a group of its own where one is named, else it is in that of every other row;
- on declared keys there is such a group where one is named. On keys that were found there always is
  one, for text that is none of them; a missing cell is then in no group, unless it has a name.

Decision 41.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .table import Table


@dataclass(frozen=True, slots=True)
class Rest:
    """The places among a column's keys of a missing cell and of a cell that is no key; or None."""

    missing: int | None
    other: int | None


def rest_of(table: "Table", column: str) -> Rest:
    """Return where the rows of a column go whose cell is missing, or on no list."""
    keys, declared = table.keys[column], table.unknown.get(column)
    last = len(keys) - 1
    if declared is not None:
        if declared.missing is None:
            return Rest(None, last)
        return Rest(keys.index(declared.missing) if declared.missing in keys else last, last)
    other = last if column in table.others else None
    return Rest(len(table.listed(column)) if column in table.missing else other, other)
