"""A list of dicts: the names of its columns and its cells; no code of a row runs.

Rules of this module:
- rows are dicts; what is none among them is a row without cells.
"""

from collections.abc import Sequence


def names_of(rows: object) -> list[str] | None:
    """Return the names of the columns; None if this is no list of dicts.

    It is asked where no rows stand in a variable: an error raised there shows none to whoever logs
    the frames.
    """
    if not isinstance(rows, Sequence) or (rows and not isinstance(rows[0], dict)):
        return None
    named = (row for row in rows if isinstance(row, dict))
    return list(dict.fromkeys(n for row in named for n in dict.keys(row) if type(n) is str))


def cell_of(row: object, name: str) -> object:
    """Return a cell of a row; one that cannot be found is missing, and no code of a row runs.

    What is no dict is a row without cells.
    """
    if not isinstance(row, dict):
        return None
    try:
        return dict.get(row, name)
    except Exception:  # noqa: BLE001 - another name of this row cannot be compared
        return None
