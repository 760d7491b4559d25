"""Where in a line each column of a file of fixed width stands, by declaration.

Rules of this module:
- places are counted from 1, as code books do, in characters; both ends belong to the column;
- nothing of this is told by the file: its first line is a row.

Decision 106.
"""

from collections.abc import Mapping
from typing import Any, cast

from ..errors import InputError, shown
from ..fix import write

Places = tuple[tuple[str, int, int], ...]
_LAST = 100_000
_SAMPLE = {"fixed": {"age": [1, 3], "sex": 4}}
ENDINGS = (".dat", ".asc", ".fwf", ".prn")  # what such files are called, when they say it


def fixed_places(value: object) -> Places:
    """Return the columns of a layout, with their first and last places.

    Raises:
        InputError: it is no dict of names and places.

    Example:
        >>> fixed_places({"age": [1, 3], "sex": 4})
        (('age', 1, 3), ('sex', 4, 4))
    """
    if not isinstance(value, Mapping) or not value:
        raise _no_layout("csv fixed is not a dict of columns.")
    layout = []
    for name, places in cast("Mapping[object, Any]", value).items():
        ends = [places, places] if type(places) is int else places
        is_pair = isinstance(ends, (list, tuple)) and len(ends) == 2
        if not isinstance(name, str) or not is_pair or not all(type(end) is int for end in ends):
            raise _no_layout(f"csv fixed does not say the places of {shown(str(name))}.")
        first, last = ends
        if not 1 <= first <= last <= _LAST:
            raise _no_layout(f"csv fixed says {first} to {last} of {shown(name)}.")
        layout.append((name, first, last))
    return tuple(layout)


def _no_layout(what: str) -> InputError:
    return InputError(
        what,
        kind="csv-option",
        why="it says of each column its first and its last place in a line, counted from 1 and up "
        f"to {_LAST:,}, or its only one",
        fix=write(", for example", csv=_SAMPLE),
    )


def check_alone(options: Mapping[str, object]) -> None:
    """Refuse what nothing means where columns stand at places of their own.

    Raises:
        InputError: separators, quotation marks, blanks or cells of several lines are declared.
    """
    for name in ("separator", "quote", "trim", "multiline"):
        if name in options:
            raise InputError(
                f"csv says fixed and {name}.",
                kind="csv-option",
                why="a column of fixed width is what stands at its places, without the blanks "
                "around it: nothing separates or quotes it, and each line is a row",
                fix=f"leave {name} out of csv",
            )
