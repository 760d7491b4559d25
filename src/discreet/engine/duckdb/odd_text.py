"""Parquet files in which some text is no UTF-8: read a second time, with such cells as missing.

Rules of this module:
- DuckDB checks the text of Parquet files while it reads them. Told to go on, it hands over what is
  left without the odd bytes: two persons would have one name, and count as one;
- so it is told to stop, which costs nothing where all is text. Where it did stop the files are read
  in both ways of going on, and a text in which these differ is missing;
- nobody is told which of the two it was.

Proof of the second. Where a text is UTF-8 both ways hand it over as it is. Where it is not, one way
has left each odd part out, and the other has put a mark of its own there: they differ in length.

Decision 60.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from sqlglot import exp

from ..files import Files
from ..sql.tree import whole
from .typed_files import PLACE, parquet_rows

Found = TypeVar("Found")


def of_any_text(read: Callable[[], Found], again: Callable[[], None] | None) -> Found:
    """Return what is read; where DuckDB stopped at a text that is none, after `again`."""
    import duckdb

    if again is None:
        return read()
    with suppress(duckdb.InvalidInputException):
        return read()
    again()
    return read()


def rows_of_any_text(found: Files, columns: Mapping[str, str]) -> exp.Select:
    """Return the query of the rows of all files in which odd text is missing.

    Args:
        columns: the type of each column that is wanted.
    """
    ways = {"a": "ignore", "b": "replace"}
    one, other = (
        parquet_rows(found, [*columns, *PLACE], odd).subquery(name) for name, odd in ways.items()
    )
    same = exp.and_(*(exp.EQ(this=_of("a", name), expression=_of("b", name)) for name in PLACE))
    cells: list[exp.Expression] = [
        _cell(name) if _has_text(kind) else _of("a", name) for name, kind in columns.items()
    ]
    return (
        exp.select(*(cells or [exp.Alias(this=whole(1), alias=exp.to_identifier("one"))]))
        .from_(one)
        .join(other, on=same)
    )


def _of(way: str, name: str) -> exp.Column:
    return exp.column(name, table=way, quoted=True)


def _cell(name: str) -> exp.Alias:
    same = exp.EQ(this=_of("a", name), expression=_of("b", name))
    cell = exp.Case().when(same, _of("a", name))
    return exp.Alias(this=cell, alias=exp.to_identifier(name, quoted=True))


def _has_text(kind: str) -> bool:
    """Say whether cells of a type of DuckDB hold text, alone or in lists and records."""
    return "VARCHAR" in kind or kind == "JSON"
