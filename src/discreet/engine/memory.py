"""The reference engine: plain Python over a list of rows, written to be read.

Rows of several lists of dicts, joined: the reference, written to be read.

What the reference engine uses of a row, read once, before anything is chosen among rows.

Rules of this module:
- what it returns is what every other engine must return, integer for integer;
- which rows of a unit stay is decided by a keyed hash of their content, never by their position;
- each rule looks at one row, or at the rows of one unit, and at nothing else;
- a row of the result is made of one row of each table, all of which belong to one unit;
- rows find each other by text or whole numbers, compared as their text, byte by byte; any other
  cell, and a missing one, has no partner;
- nothing is limited here: how many rows of a unit count is decided afterwards, over all of them;
- a row is read by itself: its cells, what expressions make of them, and which conditions hold.

Decision 40.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from math import floor, prod
from types import MappingProxyType
from typing import Any, TypeVar, cast

from ..aggregate import Aggregate, Ball, Bins, Coarse, Coordinate, Exact, Point, Value, columns_of
from ..expressions import Typed
from ..finding.pairs import Pairs
from ..schema import Bounds, Join, Table
from ..sums import Added, added
from .evaluate import cell_reader, declared_cell, test, value_reader
from .fingerprint import fingerprint_of_all
from .guard import fit, limits_of
from .key_matcher import matcher_of
from .memory_pool import MemoryPooling, check_rows
from .one_source import check_apart, place_of
from .parts import check_together, tables_of
from .portable_sample import AGAIN, portable
from .protocol import (
    SALTS,
    Grouping,
    check_declared,
    groupings,
    key_columns,
    keyed,
    points_of,
    quietly,
    tests_of,
    value_columns,
)
from .reading import key_text, number, unit_of
from .source import cell_of, is_row, is_rows, names_of

Cells = dict[str, object]


def joined_rows(table: Table) -> Sequence[object]:
    """Return the rows of a table, joined with those of the others that it declares."""
    rows = cast("Sequence[object]", table.source)
    for join in table.joins:
        rows = [
            {**_cells(row), **cells}
            for row, partners in zip(rows, _partners(table, rows, join), strict=True)
            for cells in partners
        ]
    return rows


def _partners(table: Table, rows: Sequence[object], join: Join) -> list[list[Cells]]:
    """Return, for each row, what each of its partners gives."""
    there: dict[str | None, list[Cells]] = defaultdict(list)
    alone = tables_of(table)[table.joins.index(join) + 1]
    for other in cast("Sequence[object]", join.source):
        cells = {name: cell_of(other, name) for name in join.gives}
        there[key_text(declared_cell(alone, other, join.key))].append(cells)
    there[None] = []  # what is no text and no whole number has no partner
    return [there.get(key_text(declared_cell(table, row, join.on)), []) for row in rows]


def _cells(row: object) -> Cells:
    """Return the cells of a row by name; no code of the row runs."""
    items = dict.items(cast("dict[Any, object]", row)) if is_row(row) else ()
    return {name: cell for name, cell in items if type(name) is str}


_HALF = 2.0**-1  # exact: a double by definition of the grid


@dataclass(slots=True)  # not frozen: it is made for each row, and takes twice as long then
class Row:
    """What is used of a row: its unit, the position of its keys, its cells in steps, its points.

    `tests` holds for each condition of a question whether it holds: 0, 1, or 2 where it is unknown.
    """

    unit: object
    keys: Mapping[str, int | None]
    steps: Mapping[str, int | None]
    points: Mapping[Point, list[int] | None]
    tests: Mapping[Typed, int]


_NOTHING: Mapping[Any, Any] = MappingProxyType({})


class RowReader:
    """Reads rows one by one; what the questions look at is the same for all, and found once."""

    def __init__(self, table: Table, aggregates: Sequence[Aggregate]) -> None:
        self._table = table
        self._keyed = [
            (name, matcher_of(table, name), cell_reader(table, name))
            for name in key_columns(aggregates)
        ]
        self._bounded = [
            (name, table.columns[name], value_reader(table, name))
            for name in value_columns(aggregates)
        ]
        self._points = points_of(aggregates)
        self._tests = tests_of(aggregates)
        self._is_counted_alone = not (self._bounded or self._points or self._tests)

    def read(self, row: object) -> Row | None:
        """Return what is used of a row; None if it has no unit, or its table's condition fails.

        Args:
            row: a dict, or something that counts as a row without cells.
        """
        table = self._table
        unit = table.unit.column and unit_of(declared_cell(table, row, table.unit.column))
        if table.unit.column is not None and unit is None:
            return None
        if table.condition is not None and test(table.condition.tree, table, row) != 1:
            return None
        keys = {name: match(cell(row)) for name, match, cell in self._keyed}
        if self._is_counted_alone:
            return Row(unit, keys, _NOTHING, _NOTHING, _NOTHING)
        steps = {name: in_steps(value(row), bounds) for name, bounds, value in self._bounded}
        return Row(
            unit=unit,
            keys=keys,
            steps=steps,
            points={point: point.read(steps) for point in self._points},
            tests={tree: test(tree, table, row) for tree in self._tests},
        )


def in_steps(cell: object, bounds: Bounds) -> int | None:
    """Return a cell on the grid, as IEEE doubles give it; if it is missing, what it counts as."""
    steps = number(cell)
    if steps is None:
        return bounds.missing_step
    if bounds.step.denominator > 1:
        steps = steps * bounds.step.denominator
    if bounds.step.numerator > 1:
        steps = steps / bounds.step.numerator  # exact: the grid is defined in IEEE doubles
    if steps < bounds.lower_step:
        return bounds.lower_step
    return floor(steps + _HALF) if steps < bounds.upper_step else bounds.upper_step


def passes(where: Typed | None, row: Row) -> bool:
    """Tell whether a condition is true of a row; it was evaluated before rows were left out."""
    return where is None or row.tests[where] == 1


Hash = Callable[..., int | str]
Terms = Sequence[tuple[int, Added]]  # sums of one measure, each with its factor
Item = TypeVar("Item")


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
        check_declared(table, aggregates)
        check_together(table, is_rows)
        check_apart(table, lambda: [place_of(part.source) for part in tables_of(table)])
        check_rows(table, aggregates)
        return MemoryPrepared(table, aggregates, self._hash(table))

    def pooling(self, table: Table, pairs: Pairs) -> MemoryPooling:
        """Check the names of the unit and of the column whose keys are looked for."""
        check_rows(table, (keyed(pairs.column),))
        return MemoryPooling(table, pairs, self._hash(table))

    def _hash(self, table: Table) -> Hash:
        return portable if table.unit.sampling == "portable" else self.hash_of


@dataclass(frozen=True, slots=True, repr=False)
class MemoryPrepared:
    """Rows that fit their declaration."""

    table: Table
    aggregates: tuple[Aggregate, ...]
    hash_of: Hash

    def schema(self) -> dict[str, str]:
        """Return the names of the columns; Python cells carry their own types."""
        named = (names_of(part.source) or () for part in tables_of(self.table))
        return dict.fromkeys((name for names in named for name in names), "object")

    def paths(self) -> tuple[str, ...]:
        """Return no file: the rows are in memory."""
        return ()

    def fingerprint(self, key: bytes) -> str | None:
        """Return a keyed digest of the declared columns, row by row."""
        return fingerprint_of_all(key, [(part, ()) for part in tables_of(self.table)])

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Return one sealed vector per aggregate."""
        return quietly(lambda: self._count(salt % SALTS))

    def _count(self, salt: int) -> tuple[Exact, ...]:
        rows = self._kept_rows(salt)
        kept: dict[int, list[Row]] = {}
        for grouping, aggregates in groupings(self.table, self.aggregates).items():
            chosen = self._fitting(aggregates, self._kept_of(grouping, rows, salt))
            kept.update((id(aggregate), chosen) for aggregate in aggregates)
        return tuple(_vector(self.table, a, kept[id(a)]) for a in self.aggregates)

    def _kept_rows(self, salt: int) -> list[Row]:
        """Return the rows that count for some aggregate, at most `max_rows` of each unit."""
        reader = RowReader(self.table, self.aggregates)
        read = (reader.read(row) for row in joined_rows(self.table))
        limit = None if self.table.unit.column is None else self.table.unit.max_rows
        if limit is None and all(aggregate.where is None for aggregate in self.aggregates):
            return [row for row in read if row is not None]  # each grouping leaves out what it must
        rows = [row for row in read if row is not None and self._is_wanted(row)]
        if limit is None:
            return rows
        return self._first_by_content(rows, limit, salt, lambda row: (row.unit,), _content)

    def _is_wanted(self, row: Row) -> bool:
        return any(
            _group(self.table, a.by, row) is not None and passes(a.where, row)
            for a in self.aggregates
        )

    def _first_by_content(
        self,
        rows: Iterable[Row],
        limit: int,
        salt: int,
        part_of: Callable[[Row], tuple[object, ...]],
        content_of: Callable[[Row], tuple[int | None, ...]],
        before: int = 0,
    ) -> list[Row]:
        """Return the first rows of each part by the hash of their part, content and number.

        Equal rows of a part are numbered, and all but the first are hashed with their number: each
        row of a part is as likely to stay as any other. Where rows are chosen a second time numbers
        begin behind `before`, and are always hashed: who stayed is no likelier to stay again.
        """
        seen: Counter[tuple[object, ...]] = Counter()
        numbered = []
        for row in rows:
            part, content = part_of(row), content_of(row)
            seen[part, content] += 1
            number = seen[part, content]
            more = (before + number,) if number > 1 or before else ()
            hashed = self.hash_of(salt, *part, *content, *more)
            numbered.append((part, (hashed, *map(_sortable, content), number), row))
        first = _first(numbered, limit, lambda item: item[0], lambda item: item[1])
        return [row for _, _, row in first]

    def _kept_of(self, grouping: Grouping, rows: list[Row], salt: int) -> list[Row]:
        """Return the rows in the groups of a grouping that its limits leave of each unit."""

        def group(row: Row) -> int | None:
            return _group(self.table, grouping.by, row)

        again = () if self.table.unit.max_rows is None else (AGAIN,)

        def group_place(numbered: tuple[object, int]) -> tuple[object, ...]:
            return self.hash_of(salt, *numbered, *again), numbered[1]

        def content(row: Row) -> tuple[int | None, ...]:
            return tuple(row.steps[column] for column in grouping.columns)

        kept = [row for row in rows if group(row) is not None and passes(grouping.where, row)]
        if grouping.max_groups is not None:
            pairs = {(row.unit, group(row) or 0) for row in kept}
            some = set(_first(pairs, grouping.max_groups, lambda pair: pair[0], group_place))
            kept = [row for row in kept if (row.unit, group(row)) in some]
        if grouping.max_rows_per_group is not None:
            limit = grouping.max_rows_per_group
            kept = self._first_by_content(
                kept, limit, salt, lambda row: (row.unit, group(row)), content, sum(again)
            )
        return kept

    def _fitting(self, aggregates: Sequence[Aggregate], rows: list[Row]) -> list[Row]:
        """Return the rows of units that are within their limits, whatever was kept before."""
        if self.table.unit.column is None:
            return rows
        counts: dict[object, Counter[int | None]] = defaultdict(Counter)
        for row in rows:
            counts[row.unit][_group(self.table, aggregates[0].by, row)] += 1
        limits = limits_of(self.table, aggregates)
        fitting = fit({unit: groups.values() for unit, groups in counts.items()}, limits)
        return [row for row in rows if row.unit in fitting]


def _group(table: Table, by: Sequence[str], row: Row) -> int | None:
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


def _content(row: Row) -> tuple[int | None, ...]:
    """Return all that is used of a row."""
    return (*row.keys.values(), *row.steps.values(), *row.tests.values())


def _sortable(value: int | None) -> tuple[bool, int]:
    """Return a value so that a missing one sorts first."""
    return value is not None, value or 0


def _vector(table: Table, aggregate: Aggregate, rows: Iterable[Row]) -> Exact:
    """Return the aggregate of rows that are kept: groups, then bins, then measures.

    Of a sparse one, a count, the groups that hold rows, with their places.
    """
    cells: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in rows:
        group, place = _group(table, aggregate.by, row), _bin(aggregate.bins, row)
        if group is not None and place is not None:
            cells[group, place].append(row)
    groups, bins, _ = aggregate.shape(table)
    made = [added(measure) for measure in aggregate.measures]
    if aggregate.sparse is not None:
        sums = [_measured(table, made, held)[0] for held in cells.values()]
        return Exact(tuple(sums), tuple(group for group, _ in cells))
    none = _measured(table, made, [])
    sums_of = {cell: _measured(table, made, held) for cell, held in cells.items()}
    every = product(range(groups), range(bins))
    return Exact(tuple([value for cell in every for value in sums_of.get(cell, none)]))


def _bin(bins: Bins | None, row: Row) -> int | None:
    if bins is None:
        return 0
    value = row.steps[bins.column]
    return None if value is None else min(bisect_right(bins.edges, value), bins.count) - 1


def _measured(table: Table, made: Sequence[Terms], rows: list[Row]) -> list[int]:
    """Return the measures of one cell, each made of sums with their factors."""
    sums: dict[Added, int] = {}

    def get(addend: Added) -> int:
        if addend not in sums:
            sums[addend] = _added(table, addend, rows)
        return sums[addend]

    return [sum(factor * get(addend) for factor, addend in terms) for terms in made]


def _added(table: Table, addend: Added, rows: Sequence[Row]) -> int:
    if addend.kind == "rows":
        return len(rows)
    if addend.kind == "units":
        return len({row.unit for row in rows}) if table.unit.column else len(rows)
    usable = [row for row in rows if all(_is_usable(row, source) for source in addend.over)]
    return sum(prod(_value(table, row, value) for value in addend.values) for row in usable)


def _is_usable(row: Row, source: str | Point) -> bool:
    """Tell whether a row has a cell, or a point that is no longer than the radius of its ball."""
    if isinstance(source, str):
        return row.steps[source] is not None
    point = row.points[source]
    return point is not None and (source.ball is None or _is_inside(source.ball, point))


def _value(table: Table, row: Row, value: Value) -> int:
    """Return a value of a row in which it is usable; within its bounds, whatever was read."""
    if not isinstance(value, Coordinate):
        (column,) = columns_of(value)
        bounds = table.columns[column]
        steps = _clamped(bounds, row.steps[column] or 0)
        ends = bounds.lower_step, bounds.upper_step
        return value.of(steps, *ends) if isinstance(value, Coarse) else steps
    cell = (row.points[value.point] or ())[value.place]
    if value.point.ball is not None:
        return cell
    return _clamped(table.columns[value.point.columns[value.place]], cell)


def _is_inside(ball: Ball, point: Sequence[int]) -> bool:
    return sum(u * u for u in point) <= ball.radius**2


def _clamped(bounds: Bounds, steps: int) -> int:
    return min(max(steps, bounds.lower_step), bounds.upper_step)
