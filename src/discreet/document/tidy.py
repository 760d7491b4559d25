"""All answers of a release as one long table.

Rules of this module:
- which columns there are, in which order and of which type, follows from the plan alone;
- keys and numbers are as released: nothing is rounded, escaped or sorted; where a column of doubles
  must hold a whole number that is none, ends of intervals are rounded outward.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InputError, as_given, names_shown
from ..fix import Do, call
from ..post.interval import downs, nearest, ups
from ..text import Sheet, prompt
from .accessors import (
    has_bins,
    has_columns,
    has_levels,
    has_linear,
    has_rows,
    keys_of,
    labels,
    public_keys,
)
from .document import Document, Released
from .numbers import Cell
from .rows import Column, Rows, kinds

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Kind = Literal["text", "whole", "flag", "real"]

_BESIDE = ("linear", "deviation")
_RESERVED = ("statistic", "column", "at", "from", "to", "rows", *_BESIDE, "value", "low", "high")
_MOST_WHOLE = 2**63 - 1
_ROWS_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Tidy:
    """A long table: a row for each statistic, group and bin or column; value, low and high are the
    last columns. A loop over the table gives a dict for each row, for example to make a data frame.

    Attributes:
        title: the name of the data.
        columns: the names of the columns. First `statistic` and the key columns. Then, where they
            are needed: `column` if several columns are averaged together; `at` for quantiles (the
            shares) and shares below a value; `from` and `to` for bins; `rows` for means (the noisy
            number of rows). Last `value`, `low` and `high`. If a key column has one of these
            names, its name here ends in " (key)".
        kinds: the type of each column: text, whole numbers, flags or real numbers.
        rows: the rows. A cell is None if the statistic has no such column; a value is None if there
            are too few rows to say. The table stores columns, and makes rows when you read them.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> [*release["count by ward"].table()][0]
        {'ward': 'A', 'value': 591, 'low': 577, 'high': 605}
    """

    title: str
    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    rows: Sequence[tuple[Cell, ...]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        cells = zip(*map(self.column, self.columns), strict=True)
        return (dict(zip(self.columns, row, strict=True)) for row in cells)

    def column(self, name: str) -> list[Cell]:
        """Return the cells of one column; numbers of a real column are floats. A whole number that
        no double holds becomes the nearest double. The end of an interval becomes the next double
        outward, so no interval is narrower than the released interval.

        Args:
            name: one of `columns`.

        Returns: a cell for each row: text, a whole number, a truth value, a float, or None for an
            empty cell.

        Raises:
            InputError: there is no such column.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release["count by ward"].table().column("value")
            [591, 409]
        """
        if not isinstance(name, str) or name not in self.columns:
            raise InputError(
                f"there is no column {as_given(name)} in this table.",
                kind="no-such-column",
                why=f"there are {names_shown(self.columns)}",
                fix=Do(call("column", "value")),
            )
        at = self.columns.index(name)
        rows = self.rows
        cells = list(rows.columns[at]) if isinstance(rows, Rows) else [row[at] for row in rows]
        if self.kinds[at] != "real" or int not in kinds(cells):
            return cells
        whole = [cell for cell in cells if type(cell) is int]
        rounded = iter({"low": downs, "high": ups}.get(name, nearest)(whole))
        return [next(rounded) if type(cell) is int else cell for cell in cells]

    def to_pandas(self) -> "pd.DataFrame":
        """Return the table as a pandas data frame.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release.table().to_pandas().shape
            (11, 8)
        """
        library: Any = _library("pandas")
        series = {
            name: library.Series(self.column(name), dtype=self._pandas_type(name, kind))
            for name, kind in zip(self.columns, self.kinds, strict=True)
        }
        frame: pd.DataFrame = library.DataFrame(series)
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """Return the table as a Polars data frame.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release.table().to_polars().shape
            (11, 8)
        """
        library: Any = _library("polars")
        types = {"text": library.String(), "whole": library.Int64(), "flag": library.Boolean()}
        schema = {
            name: types.get(kind, library.Float64())
            for name, kind in zip(self.columns, self.kinds, strict=True)
        }
        frame: pl.DataFrame = library.DataFrame(
            {name: self.column(name) for name in self.columns}, schema=schema
        )
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the table to anything that speaks Arrow; needs PyArrow."""
        pa: Any = _library("pyarrow")
        types = {"text": pa.string(), "whole": pa.int64(), "flag": pa.bool_()}
        arrays = [
            pa.array(self.column(name), type=types.get(kind, pa.float64()))
            for name, kind in zip(self.columns, self.kinds, strict=True)
        ]
        table: Any = pa.Table.from_arrays(arrays, names=list(self.columns))
        return table.__arrow_c_stream__(requested_schema)

    def sheet(self) -> Sheet:
        """Return the first rows as they are, for a terminal or a notebook."""
        more = len(self.rows) - _ROWS_SHOWN
        return Sheet(
            title=f"{self.title}: {len(self.rows):,} released numbers",
            columns=self.columns,
            rows=tuple(
                tuple("" if cell is None else str(cell) for cell in row)
                for row in self.rows[:_ROWS_SHOWN]
            ),
            below=(f"... and {more:,} more rows.",) if more > 0 else (),
            right=tuple(
                name
                for name, kind in zip(self.columns, self.kinds, strict=True)
                if kind in ("whole", "real")
            ),
        )

    def __str__(self) -> str:
        return self.sheet().text()

    def __repr__(self) -> str:
        return prompt("Tidy", f"{self.title}: {len(self):,} rows of {', '.join(self.columns)}")

    def _repr_html_(self) -> str:
        return self.sheet().html()

    def _pandas_type(self, name: str, kind: Kind) -> str | None:
        if kind == "text":
            return None
        if kind == "real":
            return "float64"
        full = None not in self.column(name)
        names = {"whole": ("int64", "Int64"), "flag": ("bool", "boolean")}[kind]
        return names[0] if full else names[1]


def tidy(document: Document, *, also: Sequence[str] = ()) -> Tidy:
    """Return all answers as one long table; `also` names columns that will stand beside it."""
    used = keys_used(document)
    bins = any(has_bins(released) for released in document.statistics)
    several = any(has_columns(released) for released in document.statistics)
    rows = any(has_rows(released) for released in document.statistics)
    at = any(has_levels(released) for released in document.statistics)
    middle = (*["column"] * several, *["at"] * at, *["from", "to"] * bins, *["rows"] * rows)
    if any(has_linear(released) for released in document.statistics):
        middle += _BESIDE
    kinds: list[Kind] = ["text", *(_key_kind(document, key) for key in used)]
    kinds += ["text" if name == "column" else "real" for name in middle]
    return Tidy(
        title=document.title,
        columns=("statistic", *renamed(used, also), *middle, "value", "low", "high"),
        kinds=(*kinds, *[_number_kind(document)] * 3),
        rows=Rows(
            list(_columns(document, used, middle)),
            [released.answer.rows for released in document.statistics],
        ),
    )


def keys_used(document: Document) -> list[str]:
    """Return the key columns that any statistic is grouped by."""
    return list(dict.fromkeys(chain.from_iterable(map(keys_of, document.statistics))))


def _key_kind(document: Document, column: str) -> Kind:
    known = public_keys(document, column)
    first = known[0] if known else _first(document, column)
    if isinstance(first, bool):
        return "flag"
    return "whole" if isinstance(first, int) else "text"


def _first(document: Document, column: str) -> Cell:
    """Return a cell of a level of a hierarchy, which the table does not have."""
    for question in document.plan["statistics"]:
        for hierarchy in question.get("levels", {}).values():
            if column in hierarchy["columns"]:
                cell: Cell = hierarchy["rows"][0][hierarchy["columns"].index(column)]
                return cell
    return None


def _number_kind(document: Document) -> Kind:
    for released in document.statistics:
        rows = released.answer.rows
        for at in range(len(rows.columns))[-3:]:
            if rows.kinds(at) - {int, type(None)}:
                return "real"
            present: Any = rows.columns[at]
            if type(None) in rows.kinds(at):
                present = [cell for cell in present if cell is not None]
            if max(max(present, default=0), -min(present, default=0)) > _MOST_WHOLE:
                return "real"
    return "whole"


def renamed(used: Sequence[str], also: Sequence[str]) -> list[str]:
    """Return the key columns' names, different from all others even without regard to case."""
    names: list[str] = []
    for key in used:
        name = key
        while name.casefold() in {other.casefold() for other in (*_RESERVED, *also, *names)}:
            name += " (key)"
        names.append(name)
    return names


def _columns(
    document: Document, used: Sequence[str], middle: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    """Return the columns of all answers, one below the other; a gap where an answer has none."""
    parts: list[list[Column]] = []
    for label, released in zip(labels(document), document.statistics, strict=True):
        positions, rows = _places(released), released.answer.rows
        places = [
            *(positions.get((key,)) for key in used),
            *(positions.get(name) for name in middle),
        ]
        gap = (None,) * len(rows)
        parts.append(
            [
                (label,) * len(rows),
                *(gap if at is None else rows.columns[at] for at in places),
                *rows.columns[-3:],
            ]
        )
    for column in zip(*parts, strict=True):
        yield tuple(column[0]) if len(column) == 1 else tuple(chain.from_iterable(column))


def _places(released: Released) -> dict[str | tuple[str], int]:
    """Return where a row of an answer has what stands in a column of the long table.

    A key is named by a tuple, so that it is never taken for one of our own columns.
    """
    places: dict[str | tuple[str], int] = {}
    at = 0
    for axis in released.answer.axes:
        if axis.kind == "key":
            places[axis.name,] = at
        elif axis.kind == "column":
            places["column"] = at
        elif axis.kind == "level":
            places["at"] = at
        else:
            places["from"], places["to"] = at, at + 1
        at += 2 if axis.kind == "bin" else 1
    if has_linear(released):
        return {**places, "linear": at, "deviation": at + 1}
    return {**places, "rows": at} if has_rows(released) else places


def _library(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"{name} is not installed.",
            kind="package-missing",
            why=f"this form of the table is made by {name}, which discreet does not require",
            fix=f"type: python -m pip install {name}; or use table().rows",
        ) from None
