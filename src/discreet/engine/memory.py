"""The reference engine: plain Python over a list of rows, written to be read.

Rules of this module:
- what it returns is what every other engine must return, integer for integer;
- which rows of a unit stay is decided by a keyed hash of their content, never by their position;
- each rule looks at one row, or at the rows of one unit, and at nothing else.
"""

# long: the reference is read in one piece

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import blake2b
from itertools import product
from math import floor, isfinite
from numbers import Real
from typing import TypeVar, cast

from ..aggregate import Aggregate, Bins, Coordinate, Exact, Point
from ..errors import InputError, shown
from ..schema import Bounds, Key, Table
from .engine import (
    SALTS,
    Grouping,
    check_columns,
    check_declared,
    groupings,
    key_columns,
    points_of,
    quietly,
    value_columns,
    values_of,
)
from .fingerprint import of_rows
from .grammar import is_number

Cells = Mapping[str, object]
Hash = Callable[..., int]
Matchers = Mapping[str, Callable[[object], int | None]]
Item = TypeVar("Item")


_HALF = 2.0**-1  # exact: a double by definition of the grid


@dataclass(frozen=True, slots=True)
class _Row:
    """What is used of a row: its unit, the position of its keys, its cells in steps, its points."""

    unit: object
    keys: Mapping[str, int | None]
    steps: Mapping[str, int | None]
    points: Mapping[Point, list[int] | None]


def blake(salt: int, *content: object) -> int:
    """Return a keyed hash of any content, as a 64-bit integer."""
    text = repr(content).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8, key=salt.to_bytes(8, "big")).digest(), "big")


@dataclass(frozen=True, slots=True)
class MemoryEngine:
    """Counts a list of dicts; `hash_of` can be exchanged to compare engines bit by bit."""

    hash_of: Hash = blake

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> "MemoryPrepared":
        """Check the declaration against the names of the columns."""
        names = _names(table.source)
        if names is None:
            raise InputError(
                f"{shown(table.name)} is not a list of dicts.",
                why="the reference engine reads rows as dicts of column names and cells",
                fix='write source=[{"ward": "A", "cost": 12}, ...], or pass a data frame',
            )
        check_declared(table, aggregates)
        if table.source:
            check_columns(table, aggregates, names)
        return MemoryPrepared(table, aggregates, self.hash_of)


@dataclass(frozen=True, slots=True, repr=False)
class MemoryPrepared:
    """Rows that fit their declaration."""

    table: Table
    aggregates: tuple[Aggregate, ...]
    hash_of: Hash

    def schema(self) -> dict[str, str]:
        """Return the names of the columns; Python cells carry their own types."""
        return dict.fromkeys(_names(self.table.source) or (), "object")

    def paths(self) -> tuple[str, ...]:
        """Return no file: the rows are in memory."""
        return ()

    def fingerprint(self, key: bytes) -> str | None:
        """Return a keyed digest of the declared columns, row by row."""
        rows = cast("Sequence[Cells]", self.table.source)
        return quietly(lambda: of_rows(key, self.table, rows))

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Return one sealed vector per aggregate."""
        return quietly(lambda: self._count(salt % SALTS))

    def _count(self, salt: int) -> tuple[Exact, ...]:
        rows = self._kept_rows(salt)
        kept: dict[int, list[_Row]] = {}
        for grouping, aggregates in groupings(self.table, self.aggregates).items():
            chosen = self._kept_of(grouping, rows, salt)
            kept.update((id(aggregate), chosen) for aggregate in aggregates)
        return tuple(Exact(_vector(self.table, a, kept[id(a)])) for a in self.aggregates)

    def _kept_rows(self, salt: int) -> list[_Row]:
        """Return the rows that count for some aggregate, at most `max_rows` of each unit."""
        matchers = {c: matcher(self.table.keys[c]) for c in key_columns(self.aggregates)}
        read = (self._read(row, matchers) for row in cast("Sequence[Cells]", self.table.source))
        rows = [row for row in read if row is not None and self._is_wanted(row)]
        if self.table.unit.column is None or self.table.unit.max_rows is None:
            return rows
        return _first(
            rows, self.table.unit.max_rows, lambda r: r.unit, lambda r: self._place(r, salt)
        )

    def _read(self, row: Cells, matchers: Matchers) -> _Row | None:
        unit = self.table.unit.column and unit_of(row.get(self.table.unit.column))
        if self.table.unit.column is not None and unit is None:
            return None
        bounds = self.table.columns
        names = value_columns(self.aggregates)
        steps = {name: in_steps(row.get(name), bounds[name]) for name in names}
        return _Row(
            unit=unit,
            keys={column: match(row.get(column)) for column, match in matchers.items()},
            steps=steps,
            points={point: point.read(steps) for point in points_of(self.aggregates)},
        )

    def _is_wanted(self, row: _Row) -> bool:
        return any(_group(self.table, a.by, row) is not None for a in self.aggregates)

    def _place(self, row: _Row, salt: int) -> tuple[object, ...]:
        content = [*row.keys.values(), *row.steps.values()]
        return self.hash_of(salt, row.unit, *content), *map(_sortable, content)

    def _kept_of(self, grouping: Grouping, rows: list[_Row], salt: int) -> list[_Row]:
        """Return the rows in the groups of a grouping that its limits leave of each unit."""

        def group(row: _Row) -> int | None:
            return _group(self.table, grouping.by, row)

        def group_place(found: tuple[object, int]) -> tuple[object, ...]:
            return self.hash_of(salt, *found), found[1]

        def row_place(row: _Row) -> tuple[object, ...]:
            content = [row.steps[column] for column in grouping.columns]
            hashed = self.hash_of(salt, row.unit, group(row), *content)
            return hashed, *map(_sortable, content)

        kept = [row for row in rows if group(row) is not None]
        if grouping.max_groups is not None:
            pairs = {(row.unit, group(row) or 0) for row in kept}
            some = set(_first(pairs, grouping.max_groups, lambda pair: pair[0], group_place))
            kept = [row for row in kept if (row.unit, group(row)) in some]
        if grouping.max_rows_per_group is not None:
            limit = grouping.max_rows_per_group
            kept = _first(kept, limit, lambda row: (row.unit, group(row)), row_place)
        return kept


def in_steps(cell: object, bounds: Bounds) -> int | None:
    """Return a cell on the grid, as IEEE doubles give it; None if it is missing."""
    value = number(cell)
    if value is None or not isfinite(value):
        return None
    if bounds.step.denominator > 1:
        value = value * bounds.step.denominator
    if bounds.step.numerator > 1:
        value = value / bounds.step.numerator  # exact: the grid is defined in IEEE doubles
    if value < bounds.lower_step:
        return bounds.lower_step
    return floor(value + _HALF) if value < bounds.upper_step else bounds.upper_step


def number(cell: object) -> float | None:
    """Return a cell as the nearest double; None if it is no number."""
    if isinstance(cell, str) and not is_number(cell):
        return None
    if not isinstance(cell, (str, Real, Decimal)):
        return None
    try:
        return float(cell)  # exact: a cell that engines read as a double
    except (OverflowError, ValueError):
        return None


def unit_of(cell: object) -> object:
    """Return a unit's name; None if it is missing, or no plain finite value that names anyone."""
    if not isinstance(cell, (str, bytes, Real, Decimal, date)):
        return None
    if isinstance(cell, Decimal):
        return cell if cell.is_finite() else None
    return None if isinstance(cell, Real) and cell - cell != 0 else cell


def matcher(keys: Sequence[Key]) -> Callable[[object], int | None]:
    """Return the function that says which public key a cell is, or None.

    Whole-number keys match as numbers; text keys match the cell's text; True and False match truth
    values and the texts true and false.
    """
    if isinstance(keys[0], int) and not isinstance(keys[0], bool):
        numbers: dict[float | None, int] = {number(key): i for i, key in enumerate(keys)}
        return lambda cell: numbers.get(number(cell))
    texts: dict[str | None, int] = {text(key): i for i, key in enumerate(keys)}
    if isinstance(keys[0], bool):
        return lambda cell: texts.get(text(cell)) if isinstance(cell, (bool, str)) else None
    return lambda cell: texts.get(text(cell))


def text(cell: object) -> str | None:
    """Return a cell as text, as engines cast it; None if it is no single value."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return str(cell) if isinstance(cell, (str, Real, Decimal, date)) else None


def _group(table: Table, by: Sequence[str], row: _Row) -> int | None:
    """Return a row's place in the cross product of the keys, the last column fastest."""
    place = 0
    for column in by:
        position = row.keys[column]
        if position is None:
            return None
        place = place * len(table.keys[column]) + position
    return place


def _first(
    items: Iterable[Item],
    limit: int,
    part_of: Callable[[Item], object],
    place_of: Callable[[Item], tuple[object, ...]],
) -> list[Item]:
    """Return the first `limit` items of each part, in the order of their places."""
    parts: dict[object, list[Item]] = defaultdict(list)
    for item in items:
        parts[part_of(item)].append(item)
    return [item for part in parts.values() for item in sorted(part, key=place_of)[:limit]]


def _sortable(value: int | None) -> tuple[bool, int]:
    """Return a value so that a missing one sorts first."""
    return value is not None, value or 0


def _vector(table: Table, aggregate: Aggregate, rows: Iterable[_Row]) -> tuple[int, ...]:
    """Return the aggregate of rows that are kept: groups, then bins, then measures."""
    cells: dict[tuple[int, int], list[_Row]] = defaultdict(list)
    for row in rows:
        group, place = _group(table, aggregate.by, row), _bin(aggregate.bins, row)
        if group is not None and place is not None:
            cells[group, place].append(row)
    groups, bins, _ = aggregate.shape(table)
    return tuple(
        value
        for cell in product(range(groups), range(bins))
        for value in _measured(table, aggregate, cells.get(cell, []))
    )


def _bin(bins: Bins | None, row: _Row) -> int | None:
    if bins is None:
        return 0
    value = row.steps[bins.column]
    return None if value is None else min(bisect_right(bins.edges, value), bins.count) - 1


def _measured(table: Table, aggregate: Aggregate, rows: list[_Row]) -> list[int]:
    def get(kind: str, column: str | Coordinate | None) -> int:
        if column is None:
            units = kind == "units" and table.unit.column is not None
            return len({row.unit for row in rows}) if units else len(rows)
        usable = [value for row in rows if (value := _value(row, column)) is not None]
        return sum(usable) if kind == "sum" else len(usable)

    return values_of(aggregate.measures, get)


def _value(row: _Row, column: str | Coordinate) -> int | None:
    """Return a cell in steps, or a coordinate of a point; None if it is missing."""
    if isinstance(column, str):
        return row.steps[column]
    point = row.points[column.point]
    return None if point is None else point[column.place]


def _names(rows: object) -> list[str] | None:
    """Return the names of the columns; None if this is no list of dicts.

    It is asked where no rows stand in a variable: an error raised there shows none to whoever logs
    the frames.
    """
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        return None
    return list(dict.fromkeys(name for row in rows for name in row))
