"""All answers of a release as one long table, and a shorter one for people.

Rules of this module:
- which columns there are, in which order and of which type, follows from the plan alone;
- keys and numbers are as released: nothing is rounded, escaped or sorted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InputError
from ..text import Sheet
from .document import Document, Released
from .figures import Cell, group_text, percent, spoken
from .reading import alpha_of, fair_shares, has_bins, has_columns, keys_of, labels, loss_text

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]
    import polars as pl

Kind = Literal["text", "whole", "flag", "real"]

_RESERVED = ("statistic", "column", "from", "to", "value", "low", "high")
_MOST_WHOLE = 2**63 - 1
_ROWS_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Tidy:
    """A long table: a row per statistic, group and bin or column; value, low and high come last.

    Attributes:
        title: the name of the data.
        columns: `statistic`, the key columns used, `column` where several are averaged together,
            `from` and `to` where there are bins, `value`, `low`, `high`. A key column that has one
            of these names gets " (key)" behind it.
        kinds: what each column holds: text, whole numbers, flags or real numbers.
        rows: a cell is None where a statistic does not have that column, and a value where there
            are too few rows to say.
    """

    title: str
    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    rows: list[tuple[Cell, ...]]

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[Cell]:
        """Return the cells of one column; numbers of a real column as floats."""
        at = self.columns.index(name)
        cells = [row[at] for row in self.rows]
        if self.kinds[at] != "real":
            return cells
        return [None if cell is None else float(cell) for cell in cells]

    def to_pandas(self) -> "pd.DataFrame":
        """Return the table as a pandas data frame."""
        library: Any = _library("pandas")
        found = {
            name: library.Series(self.column(name), dtype=self._pandas_type(name, kind))
            for name, kind in zip(self.columns, self.kinds, strict=True)
        }
        frame: pd.DataFrame = library.DataFrame(found)
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """Return the table as a Polars data frame."""
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
    used = _keys_used(document)
    bins = any(has_bins(released) for released in document.statistics)
    several = any(has_columns(released) for released in document.statistics)
    middle = (*["column"] * several, *["from", "to"] * bins)
    kinds: list[Kind] = ["text", *(_key_kind(document, key) for key in used)]
    kinds += ["text" if name == "column" else "real" for name in middle]
    return Tidy(
        title=document.title,
        columns=("statistic", *_renamed(used, also), *middle, "value", "low", "high"),
        kinds=(*kinds, *[_number_kind(document)] * 3),
        rows=list(chain.from_iterable(_rows(document, used, bins=bins, several=several))),
    )


def sheet(document: Document, *, repeated: bool) -> Sheet:
    """Return the numbers as a table for people.

    Args:
        document: the release.
        repeated: whether this answer had been released before, and cost nothing now.
    """
    shown = fair_shares([len(found.answer.rows) for found in document.statistics], _ROWS_SHOWN)
    rows = [
        (label, *row)
        for label, released, most in zip(labels(document), document.statistics, shown, strict=True)
        for row in _people(released, most)
    ]
    more = sum(len(found.answer.rows) for found in document.statistics) - len(rows)
    covers = f"{percent(alpha_of(document))} interval"
    return Sheet(
        title=title_of(document, repeated=repeated),
        columns=("statistic", "group", "value", covers),
        rows=tuple(rows),
        above=(document.protection.sentence,),
        below=(
            *([f"... and {more:,} more rows: table() and table.csv have them all."] * (more > 0)),
            "Each interval covers the noise alone, and misses by itself with probability at most "
            f"{alpha_of(document)}.",
        ),
        right=("value", covers),
    )


def title_of(document: Document, *, repeated: bool) -> str:
    """Return the name of a release with its loss, or that it is a rehearsal."""
    if document.kind == "rehearsal":
        return (
            f"REHEARSAL of {document.title}: made-up rows, real noise. "
            "These numbers say nothing of any data."
        )
    again = " The same request again: the stored numbers, for nothing." if repeated else ""
    return f"{document.title}, released at {loss_text(document)}.{again}"


def _people(released: Released, most: int) -> Iterator[tuple[str, str, str]]:
    bins = has_bins(released)
    for *index, value, low, high in released.answer.rows[:most]:
        figure, start, end = spoken(value, low, high)  # type: ignore[arg-type]
        yield group_text(index, bins=bins), figure, f"{start} to {end}"


def _keys_used(document: Document) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(map(keys_of, document.statistics))))


def _key_kind(document: Document, column: str) -> Kind:
    first = document.plan["table"]["keys"][column][0]
    if isinstance(first, bool):
        return "flag"
    return "whole" if isinstance(first, int) else "text"


def _number_kind(document: Document) -> Kind:
    numbers = (
        cell
        for released in document.statistics
        for row in released.answer.rows
        for cell in row[-3:]
        if cell is not None
    )
    fit = all(isinstance(cell, int) and abs(cell) <= _MOST_WHOLE for cell in numbers)
    return "whole" if fit else "real"


def _renamed(used: Sequence[str], also: Sequence[str]) -> list[str]:
    """Return the key columns' names, different from all others even without regard to case."""
    names: list[str] = []
    for key in used:
        name = key
        while name.casefold() in {other.casefold() for other in (*_RESERVED, *also, *names)}:
            name += " (key)"
        names.append(name)
    return names


def _rows(
    document: Document, used: list[str], *, bins: bool, several: bool
) -> Iterator[list[tuple[Cell, ...]]]:
    for label, released in zip(labels(document), document.statistics, strict=True):
        own = keys_of(released)
        place = [own.index(key) if key in own else None for key in used]
        edges = 2 if has_bins(released) else 0
        named = has_columns(released)
        yield [
            (
                label,
                *(None if at is None else row[at] for at in place),
                *([row[-4] if named else None] * several),
                *((row[-5:-3] if edges else (None, None)) if bins else ()),
                *row[-3:],
            )
            for row in released.answer.rows
        ]


def _library(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"{name} is not installed.",
            why=f"this form of the table is made by {name}, which discreet does not require",
            fix=f"type: python -m pip install {name}; or use table().rows",
        ) from None
