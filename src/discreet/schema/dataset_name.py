"""What a data set is called, and what is vouched for it."""

from ..errors import InputError, as_given
from ..fix import leave_out, write
from .keys import is_storable

_MOST_WORDS = 1_000  # characters of what a curator vouches for


def checked_name(name: object) -> str:
    """Return what a data set is called, or raise InputError."""
    if isinstance(name, str) and name.strip() and is_storable(name) and "\x00" not in name:
        return name
    raise InputError(
        f"name = {as_given(name)} cannot name a data set.",
        kind="data-name",
        why="releases and ledgers call the data by it",
        fix=leave_out("name", note=", or give it one as text"),
    )


def checked_words(words: object) -> str:
    """Return what a curator vouches for, or raise InputError."""
    if (
        isinstance(words, str)
        and words.strip()
        and is_storable(words)
        and len(words) <= _MOST_WORDS
    ):
        return words
    raise InputError(
        "vouched is not a sentence.",
        kind="data-name",
        why=f"releases repeat it; it is Unicode text of at most {_MOST_WORDS} characters",
        fix=write(", if that is so", vouched="each row of the view is made of one row of visits"),
    )


def checked_part(source: object, name: object) -> str:
    """Return which table of a file is read, or raise InputError.

    Args:
        source: the file; None where the declaration alone is there.
        name: what the table is called in it.
    """
    if source is not None and not name_of(source):
        raise InputError(
            "table is given, and the source is no file.",
            kind="source-unclear",
            why="it says which table of a workbook or a database file is read",
            fix=(
                leave_out("table"),
                write(", of a table of a connection", name=str(name)),
            ),
        )
    if isinstance(name, str) and name and is_storable(name) and "\x00" not in name:
        return name
    raise InputError(
        f"table = {as_given(name)} is no name of a table.",
        kind="source-unclear",
        why="it says which table of a workbook or a database file is read",
        fix=leave_out("table", note=", or give it as text"),
    )


def name_of(source: object, part: object = None) -> str:
    """Return the name of the first file, of a table in it with its own; "" for what is no file."""
    first = source[0] if isinstance(source, (list, tuple)) and source else source
    if issubclass(type(first), str) or hasattr(type(first), "__fspath__"):
        file = str(first).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        return file if part is None else f"{part} of {file}"
    return ""
