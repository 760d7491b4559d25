"""Rows of a table, kept as columns: a million rows are a few objects, written and checked in bulk.

Rules of this module:
- what is read is checked to be rows of plain cells, all of one length, before it is kept;
- a cell is written as the JSON encoder writes it, and never changed.
"""

import json
from collections.abc import Iterator, Sequence
from math import isfinite
from operator import itemgetter
from typing import Annotated, Any, overload

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from .numbers import Cell

Column = Sequence[Any]  # of cells

BLOCK = 1 << 14  # rows that are written at once: text of all of them would fill the memory
_MOST_COLUMNS = 10_000
CELLS = {bool, int, float, str, type(None)}
_NAMES = ("boolean", "integer", "number", "string", "null")
_LINES = json.JSONEncoder(separators=("\n", ":"), allow_nan=False)


class Rows(Sequence[tuple[Cell, ...]]):
    """Rows that never change, made when they are looked at; a slice of them is again Rows.

    Attributes:
        columns: the cells of each column, all columns of one length.
        typed: columns of which the types of the cells are known, and these.

    Example:
        >>> rows = Rows([("a", "b"), (1, 2)])
        >>> rows[0], list(rows[1:])
        (('a', 1), [('b', 2)])
    """

    __slots__ = ("_kept", "columns", "typed")

    def __init__(self, columns: Sequence[Column], beside: Sequence["Rows"] = ()) -> None:
        """Keep columns; rows beside them that share some already know the types of these."""
        self.columns: tuple[tuple[Any, ...], ...] = tuple(map(tuple, columns))
        self._kept: str | None = None
        self.typed: list[tuple[Column, set[type]]] = [
            known for rows in beside for known in rows.typed
        ]
        if len(set(map(len, self.columns))) > 1:
            raise ValueError("columns of one table have one length")

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        return zip(*self.columns, strict=True)

    @overload
    def __getitem__(self, place: int) -> tuple[Cell, ...]: ...

    @overload
    def __getitem__(self, place: slice) -> "Rows": ...

    def __getitem__(self, place: int | slice) -> "tuple[Cell, ...] | Rows":
        if isinstance(place, slice):
            return Rows([column[place] for column in self.columns])
        if not self.columns:
            raise IndexError(place)
        return tuple(column[place] for column in self.columns)

    def __eq__(self, other: object) -> bool:
        """Tell whether these are the same rows, be they Rows or a list of tuples."""
        if isinstance(other, Rows):
            return self.columns == other.columns
        return list(self) == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __repr__(self) -> str:
        return f"Rows({len(self)} of {len(self.columns)} cells)"

    def blocks(self) -> Iterator["Rows"]:
        """Return the rows in their order, so many at once that a block is small in memory."""
        return (self[start : start + BLOCK] for start in range(0, len(self), BLOCK))

    def kinds(self, at: int) -> set[type]:
        """Return the types of the cells of a column, which are looked at once."""
        column = self.columns[at]
        for known, types in self.typed:
            if known is column:
                return types
        types = kinds(column)
        self.typed.append((column, types))
        return types

    def forget_text(self) -> None:
        """Let the text go that `text` keeps: it is as long as all cells, and can be made again."""
        self._kept = None

    def text(self) -> str:
        """Return the canonical JSON of the rows: a list of lists without blanks, in ASCII.

        It is made once: a release is stored in the ledger, and then saved.

        Raises:
            ValueError: a number is not finite.
        """
        if self._kept is None:
            types = list(map(self.kinds, range(len(self.columns))))
            starts = range(0, len(self.columns[0]) if self.columns else 0, BLOCK)
            blocks = [
                laid_out(
                    [
                        _written(column[start : start + BLOCK], of)
                        for column, of in zip(self.columns, types, strict=True)
                    ],
                    "],[",
                )
                for start in starts
            ]
            self._kept = f"[[{'],['.join(blocks)}]]" if blocks else "[]"
        return self._kept


def rows_of(argument: object) -> Rows:
    """Return the rows that a list of lists of plain cells holds; Rows of our own are as they are.

    Raises:
        ValueError: it is something else, or its rows are not all of one length.
    """
    if isinstance(argument, Rows):
        return argument
    if not isinstance(argument, list) or kinds(argument) - {list}:
        raise ValueError("rows are a list of lists")
    widths = set(map(len, argument)) or {0}
    if len(widths) > 1 or max(widths) > _MOST_COLUMNS:
        raise ValueError("rows are of one length, and not wide")
    rows = Rows([tuple(map(itemgetter(at), argument)) for at in range(widths.pop())])
    if len(rows) != len(argument) or any(kinds(column) - CELLS for column in rows.columns):
        raise ValueError("cells are plain")
    return rows


def integers_of(argument: object) -> list[int]:
    """Return a list of whole numbers as it is.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(argument, list) or kinds(argument) - {int}:
        raise ValueError("a list of whole numbers")
    return argument


def kinds(cells: Sequence[Any]) -> set[type]:
    """Return the types of the cells, of which True and False have one of their own."""
    return set(map(type, cells))


def laid_out(columns: Sequence[Sequence[Any]], between: str) -> str:
    """Return the rows of these columns, all of one length, as text: made in one step.

    Example:
        >>> laid_out([("a", "b"), (1, 2)], "; ")
        'a,1; b,2'
    """
    row, width, length = ",".join(["%s"] * len(columns)), len(columns), len(columns[0])
    cells: list[Any] = [None] * (width * length)
    for at, column in enumerate(columns):
        cells[at::width] = column  # a column of another length is refused
    return between.join([row] * length) % tuple(cells)


def _written(column: Column, types: set[type]) -> Column:
    """Return the cells of a column as JSON; numbers as they are, since Python writes them so.

    Args:
        column: the cells, or some of a longer column.
        types: all that the whole column has.
    """
    if types == {int} or (types == {float} and all(map(isfinite, column))):
        return column
    return _LINES.encode(column)[1:-1].split("\n")


RowsField = Annotated[
    Rows,
    PlainValidator(rows_of),
    PlainSerializer(lambda rows: list(map(list, rows))),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "array", "items": {"anyOf": [{"type": name} for name in _NAMES]}},
        }
    ),
]
Integers = Annotated[
    list[int],
    PlainValidator(integers_of),
    WithJsonSchema({"type": "array", "items": {"type": "integer"}}),
]
