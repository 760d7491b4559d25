"""Data frames on their way into DuckDB: only the columns that are used, as what they are.

Rules of this module:
- before the charge names and types are looked at, never cells;
- a column that has a type is handed over whole, as that type; what a type cannot say to DuckDB
  safely (a time zone, a length of time, half floats) is made plain first, without a look at cells;
- a column of Python objects is read cell by cell (`reading`), for each role it has: so no cell
  decides how another one is read;
- each column gets a name of ours, so that names of unused columns or of another case do no harm.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, cast

import numpy as np
from sqlglot import exp

from ...aggregate import Aggregate
from ...errors import DiscreetError, EngineError, InputError, shown
from ...schema import Table
from .. import reading
from ..evaluate import read_as
from ..key_matcher import matcher_of
from ..protocol import check_taken, roles_of, used_columns
from ..source import library_of
from ..sql.cells import OBJECTS
from ..sql.tree import column

NO_COLUMNS = "rows"  # what stands for the rows where no column is used

Columns = dict[str, Any]  # NumPy arrays by name, masked where cells are missing


@dataclass(frozen=True, slots=True)
class Used:
    """A column that is used: its name, its place among them, and in which roles."""

    name: str
    place: int
    roles: tuple[str, ...]

    def called(self, role: str | None = None) -> str:
        """Return what the column is called for DuckDB: one name, or one a role."""
        return f"c{self.place}" if role is None else f"c{self.place}_{role}"


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A frame that fits its declaration, before its cells are looked at.

    Attributes:
        used: the columns that are handed over.
        empty: what DuckDB is handed to say their types: the same without rows.
        whole: makes what DuckDB is handed to count.
        kinds: of columns whose type DuckDB does not see: Python objects, lengths of time.
    """

    used: tuple[Used, ...]
    empty: object
    whole: Callable[[], object]
    kinds: Mapping[str, str] = field(default_factory=dict)

    def cell(self, role: str, name: str) -> exp.Expression:
        """Return the cell of a column for a role."""
        found = next(one for one in self.used if one.name == name)
        is_read = self.kinds.get(name) == OBJECTS
        return column(found.called(role if is_read else None), "s")


def frame_of(table: Table, aggregates: Iterable[Aggregate]) -> Frame:
    """Return a frame as DuckDB is handed it.

    Raises:
        InputError: it is no table, it lacks a column or names one twice, or a package is missing.
        EngineError: its library does not even tell its names and types.
    """
    wanted = tuple(aggregates)
    make, found = _MAKERS.get(library_of(table.source), _of_stream), None
    try:
        found = make(table, _used(table, wanted))
    except (DiscreetError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - its words may quote the data
        found = None
    if found is not None:
        return found
    raise EngineError(
        f"{shown(table.name)} cannot be opened.",
        why="its library does not tell its columns: what it reads is gone, or its query is wrong",
        fix="look at its columns with that library, with the data's owner, and make it again",
    )


def columns_of(table: Table) -> list[str]:
    """Return the names by which the columns of a frame can be used: texts that are there once."""
    source = cast("Any", table.source)
    library = library_of(source)
    if library == "polars":
        names = source.collect_schema().names()
    else:
        names = source.schema.names if library == "pyarrow" else source.columns
    texts = [name for name in names if isinstance(name, str)]
    return [name for name in texts if texts.count(name) == 1]


def _of_pandas(table: Table, used: tuple[Used, ...]) -> Frame:
    from .pandas_frame import pandas_frame

    return pandas_frame(table, used)


def _of_polars(table: Table, used: tuple[Used, ...]) -> Frame:
    from .polars_frame import polars_frame

    return polars_frame(table, used)


def _of_duckdb(table: Table, used: tuple[Used, ...]) -> Frame:
    from .relation import relation_frame

    return relation_frame(table, used)


def _of_arrow(table: Table, used: tuple[Used, ...]) -> Frame:
    from .arrow_frame import arrow_frame

    return arrow_frame(table, used)


def _of_stream(table: Table, used: tuple[Used, ...]) -> Frame:
    """Return what has the Arrow stream interface and is of no library that is known."""
    if find_spec("pyarrow") is None:
        raise InputError(
            f"{shown(table.name)} is of type {type(table.source).__name__}, which needs pyarrow.",
            why="pyarrow hands over the columns that are used, and is not installed",
            fix="pip install pyarrow",
        )
    return _of_arrow(table, used)


_MAKERS: dict[str, Callable[[Table, tuple[Used, ...]], Frame]] = {
    "pandas": _of_pandas,
    "polars": _of_polars,
    "pyarrow": _of_arrow,
    "duckdb": _of_duckdb,
}


def _used(table: Table, aggregates: Sequence[Aggregate]) -> tuple[Used, ...]:
    roles = roles_of(table, aggregates)
    return tuple(
        Used(name, place, tuple(role for role, names in roles.items() if name in names))
        for place, name in enumerate(used_columns(table, aggregates))
    )


def check_names(table: Table, names: Sequence[object], used: Sequence[Used]) -> None:
    """Refuse a frame that lacks a column, or has two of its name."""
    texts = [name for name in names if isinstance(name, str)]
    if not texts:
        raise InputError(
            f"{shown(table.name)} is of type {type(table.source).__name__}, without named columns.",
            why="rows are counted by columns that have names",
            fix="pass a data frame whose columns are named by text, with series.to_frame() "
            "for example",
        )
    check_taken(table, texts)
    for one in used:
        if texts.count(one.name) > 1:
            raise InputError(
                f"{shown(table.name)} names the column {shown(one.name)} twice.",
                why="then a name does not say which column is meant",
                fix="give each column a name of its own",
            )


def read_objects(cells: Iterable[object], used: Used, table: Table) -> Columns:
    """Return a column of Python objects as numbers, places of keys and units, each in its role."""
    found, objects = {}, list(cells)
    for role in used.roles:
        found[used.called(role)] = _READ[role](objects, used.name, table)
    return found


def _numbers(cells: list[object], _name: str, _table: Table) -> Any:
    return np.array([reading.number(cell) for cell in cells], dtype="f8")  # None is NaN


def _places(cells: list[object], name: str, table: Table) -> Any:
    if not table.keys[name]:  # they are looked for
        return _key_texts(cells, name, table)
    match = matcher_of(table, name)
    found = [match(cell) for cell in cells]
    there = np.array([place is not None for place in found], dtype=np.bool_)
    return np.ma.array(np.array([place or 0 for place in found], dtype=np.int32), mask=~there)


def _units(cells: list[object], _name: str, _table: Table) -> Any:
    return _texts([reading.unit_of(cell) for cell in cells])


def _key_texts(cells: list[object], _name: str, _table: Table) -> Any:
    return _texts([reading.key_text(cell) for cell in cells])


def _texts(texts: list[Any]) -> Any:
    found = np.empty(len(texts), dtype=np.object_)
    found[:] = texts
    return found


def _words(cells: list[object], _name: str, _table: Table) -> Any:
    return _texts([read_as(cell, "text") for cell in cells])


def _days(cells: list[object], _name: str, _table: Table) -> Any:
    return _counted([read_as(cell, "day") for cell in cells])


def _moments(cells: list[object], _name: str, _table: Table) -> Any:
    return _counted([read_as(cell, "moment") for cell in cells])


def _counted(found: list[Any]) -> Any:
    """Return whole numbers, masked where they are missing."""
    there = np.array([one is not None for one in found], dtype=np.bool_)
    return np.ma.array(np.array([one or 0 for one in found], dtype=np.int64), mask=~there)


_READ: dict[str, Callable[[list[object], str, Table], Any]] = {
    "value": _numbers,
    "key": _places,
    "unit": _units,
    "link": _key_texts,
    "text": _words,
    "day": _days,
    "moment": _moments,
    "label": _key_texts,
}
