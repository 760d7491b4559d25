"""Whether the first row of a CSV file names its columns, or is somebody's row.

Rules of this module:
- the row itself is never quoted: not by an error, and not in a draft that nobody has allowed;
- what looks like a value is enough to ask: a wrong question costs one word, a wrong answer shows a
  person;
- only what is asked for by the names is looked at; no second row is read.
"""

import re
from collections.abc import Iterable
from pathlib import PurePath

from ..errors import InputError, shown

_LONGEST = 40
_MOST_DIGITS = 4  # in all: a year; with more it may be a number of somebody
_NAME = re.compile(r"[^\W\d][\w.-]*")  # begins with a letter or _; no blank, no sign, no quote
_DATE = re.compile(
    r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[._-]?\d", re.IGNORECASE
)
_HEX = re.compile(r"(?=.*\d)[0-9a-f]{6,}", re.IGNORECASE)
_CELLS = {  # words that no column is called; female, married or black are names of columns, too
    *("yes", "no", "true", "false", "m", "f"),
    *("na", "nan", "nat", "null", "none", "inf", "infinity"),
}
_SELF_NAMED = (".parquet", ".pq")  # such a file keeps its names apart from its rows


def refuse_cells(source: str, names: Iterable[str]) -> None:
    """Refuse names of columns of which one looks like a cell, or is missing in the middle.

    Args:
        source: the path or glob that was typed; of Parquet files the names are certain.
        names: the names of the columns, in order.

    Raises:
        InputError: one of them may be a cell; it is not said which, nor what it holds.
    """
    found = list(names)
    gaps = any(name == f"column{place}" for place, name in enumerate(found, 1) if place > 1)
    if source.lower().endswith(_SELF_NAMED) or (all(map(is_name, found)) and not gaps):
        return
    raise InputError(
        f"the first row of {shown(PurePath(source).name)} may be a row of the data.",
        why="a cell of it is empty, or holds a blank, a sign, many digits, or a word that is no "
        "name; it is shown nowhere, because it may be somebody's",
        fix="look at the file: if that row names the columns, add --header; else write their names "
        "above it",
    )


def is_name(text: str) -> bool:
    """Tell whether a text can only be meant as the name of a column.

    Example:
        >>> [is_name(text) for text in ("birth_year", "x2", "478-12-9911", "Ann Lee", "yes")]
        [True, True, False, False, False]
    """
    return (
        len(text) <= _LONGEST
        and _NAME.fullmatch(text) is not None
        and sum(character.isdigit() for character in text) <= _MOST_DIGITS
        and text.casefold() not in _CELLS
        and not _DATE.match(text)
        and not _HEX.fullmatch(text)
    )
