"""What a caller says of a table by column."""

from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..fix import Set, Way, leave_out


def by_column(what: str, given: object, example: object) -> Mapping[str, Any]:
    """Return what is said by column; nothing for None."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(
            f"{what} is a {type(given).__name__}, not a dict.",
            why=f"{what} says something public about each column, by the column's name",
            fix=_by_name(what, given, example),
        )
    return given


def _by_name(what: str, given: object, example: object) -> Way:
    """Return the advice to say what is public by column, of the columns that were listed."""
    listed = [*given] if isinstance(given, (list, tuple, set)) else [given]
    names = sorted(name for name in listed if isinstance(name, str))
    if not names or len(names) < len(listed):
        return leave_out(what)
    return Set({what: dict.fromkeys(names, example)})
