"""Data frames on their way into DuckDB: by the Arrow stream, or as pandas columns.

Rules of this module:
- a column's type is its declared type; a pandas column of Python objects becomes text, cell by
  cell, so that no cell decides how another one is read.
"""

from datetime import date
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, cast

from ..errors import InputError, shown
from ..schema import Table

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]


def is_pandas(source: object) -> bool:
    """Say whether a source is a pandas frame, without importing pandas."""
    return type(source).__module__.split(".")[0] == "pandas"


def frame(table: Table) -> object:
    """Return a frame that DuckDB reads without guessing types from cells.

    Raises:
        InputError: it is no table, or two of its columns have one name.
    """
    source = table.source
    names = _names(source)
    if names is None:
        return source
    if not names:
        raise InputError(
            f"{shown(table.name)} is of type {type(source).__name__}, without named columns.",
            why="rows are counted by columns that have names",
            fix="pass a data frame whose columns are named by text, with series.to_frame() "
            "for example",
        )
    if len({name.lower() for name in names}) < len(names):
        raise InputError(
            f"{shown(table.name)} names a column twice.",
            why="then a name does not say which column is meant; case does not tell names apart",
            fix="give each column a name of its own",
        )
    if not is_pandas(source):
        return source
    found = cast("pd.DataFrame", source)
    plain = found[names].reset_index(drop=True)
    objects = [name for name in names if plain[name].dtype == object]
    return plain.assign(
        **{name: plain[name].map(text_of_object).astype(object) for name in objects}
    )


def _names(source: object) -> list[str] | None:
    """Return the names of a frame's columns that are text; None if only its stream knows them."""
    if is_pandas(source):
        return [name for name in getattr(source, "columns", ()) if isinstance(name, str)]
    found = getattr(getattr(source, "schema", None), "names", None)
    listed = found() if callable(found) else found
    return None if listed is None else [name for name in listed if isinstance(name, str)]


def text_of_object(cell: object) -> str | None:
    """Return a Python object as text; None for what is no single value, or has no UTF-8."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if not isinstance(cell, (str, Real, Decimal, date)) or cell != cell:  # noqa: PLR0124
        return None
    text = str(cell)
    return text if text.isascii() or _is_unicode(text) else None


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
