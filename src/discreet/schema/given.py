"""What a caller says of a table by column."""

from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..fix import Set


def by_column(what: str, given: object, example: object) -> Mapping[str, Any]:
    """Return what is said by column; nothing for None."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(
            f"{what} is a {type(given).__name__}, not a dict.",
            why=f"{what} says something public about each column, by the column's name",
            fix=Set({what: {"?": example}}),
        )
    return given
