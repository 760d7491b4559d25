"""A list of dicts: the names of its columns and its cells; no code of a row runs.

Rules of this module:
- rows are dicts, by C's own list of bases; what is none among them is a row without cells;
- a name is plain text, and only such are compared.
"""

from collections.abc import Sequence
from typing import Any, TypeGuard, cast

_BASES = cast("Any", type.__dict__["__mro__"]).__get__


def is_row(row: object) -> bool:
    """Say whether an object is a dict, whatever it says of itself."""
    return type(row) is dict or any(base is dict for base in _BASES(type(row)))


def is_listed(rows: object) -> TypeGuard[Sequence[Any]]:
    """Say whether an object can be a list of rows; none of them is looked at."""
    return isinstance(rows, Sequence) and not isinstance(rows, (str, bytes))


def names_of(rows: object) -> list[str] | None:
    """Return the names of the columns; None if this is no list of dicts.

    It is asked where no rows stand in a variable: an error raised there shows none to whoever logs
    the frames.
    """
    if not is_listed(rows):
        return None
    named = (row for row in rows if is_row(row))
    return list(dict.fromkeys(n for row in named for n in dict.keys(row) if type(n) is str))


def cell_of(row: object, name: str) -> object:
    """Return a cell of a row; one that is not there is missing, and no code of a row runs."""
    if not is_row(row):
        return None
    for key, cell in dict.items(cast("dict[Any, object]", row)):
        if type(key) is str and key == name:
            return cell
    return None
