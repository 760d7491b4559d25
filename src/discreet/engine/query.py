"""One query for all aggregates of a release, as a syntax tree that other engines can be handed.

Rules of this module:
- names and values enter as quoted identifiers and literals of the tree, never as pasted text;
- no rule looks further than one row, or the rows of one unit; every order is total by content;
- one scan of the source feeds all, and bounded rows that several aggregates share are made once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ..aggregate import Aggregate, Bins
from ..schema import Table
from . import cells
from .bounding import kept, rows
from .dialect import DUCKDB, Dialect
from .engine import Grouping, groupings, key_columns, value_columns
from .names import PREFIX, Names, column, on_key

Need = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Part:
    """Aggregates that one grouped scan answers, and the sums it brings, in the query's order."""

    grouping: Grouping
    aggregates: tuple[Aggregate, ...]
    needs: tuple[Need, ...]

    @property
    def bins(self) -> Bins | None:
        """The bins that all aggregates of the part share."""
        return self.aggregates[0].bins


@dataclass(frozen=True, slots=True)
class Counting:
    """The query, its parts, and for each key column the table (key, position) that it joins."""

    query: exp.Query
    parts: tuple[Part, ...]
    keys: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Step:
    """A named step of the query, and by how many later ones it is read."""

    name: str
    query: exp.Select
    readers: int


def counting(
    table: Table,
    aggregates: Sequence[Aggregate],
    *,
    kinds: Mapping[str, str],
    source: exp.Expression,
    dialect: Dialect = DUCKDB,
) -> Counting:
    """Return the query that counts all aggregates: rows of (part, cell, sums ...).

    Args:
        kinds: the engine's type of each column.
        source: the table to scan.
        dialect: what the engine says in its own way.
    """
    names = Names(table, dict(kinds), dialect, value_columns(aggregates), key_columns(aggregates))
    shared = groupings(table, aggregates)
    parts = [part for grouping, found in shared.items() for part in _parts(table, grouping, found)]
    if table.unit.column is None:
        steps = [_Step(f"{PREFIX}_cells", _cells(names, source), len(parts))]
        scans = [_of_rows(names, part, number) for number, part in enumerate(parts)]
    else:
        steps = [
            _Step(f"{PREFIX}_cells", _cells(names, source), 1),
            _Step(f"{PREFIX}_rows", rows(names, [grouping.by for grouping in shared]), len(shared)),
        ]
        for number, grouping in enumerate(shared):
            readers = sum(part.grouping == grouping for part in parts)
            steps.append(_Step(f"{PREFIX}_kept_{number}", kept(names, grouping), readers))
        place = {grouping: f"{PREFIX}_kept_{number}" for number, grouping in enumerate(shared)}
        scans = [
            _of_kept(names, part, number, place[part.grouping]) for number, part in enumerate(parts)
        ]
    tables = {key: names.key_table(key) for key in names.by}
    return Counting(_whole(steps, scans, parts), tuple(parts), tables)


def _parts(table: Table, grouping: Grouping, aggregates: Sequence[Aggregate]) -> list[Part]:
    """Return the aggregates of a grouping by their bins; each needs one scan of its own."""
    found: dict[Bins | None, list[Aggregate]] = {}
    for aggregate in aggregates:
        found.setdefault(aggregate.bins, []).append(aggregate)
    return [Part(grouping, tuple(items), _needs(table, items)) for items in found.values()]


def _needs(table: Table, aggregates: Sequence[Aggregate]) -> tuple[Need, ...]:
    needs: dict[Need, None] = {}
    for measure in (measure for aggregate in aggregates for measure in aggregate.measures):
        if measure.kind != "cells":
            needs[counted(table, measure.kind), None] = None
        elif measure.slope:
            needs["sum", measure.column] = None
        if measure.kind == "cells" and (measure.offset or not measure.slope):
            needs["count", measure.column] = None
    return tuple(needs)


def counted(table: Table, kind: str) -> str:
    """Return what to count for a measure: a unit that is a row, or has one row, counts as a row."""
    return "rows" if table.unit.column is None or table.unit.max_rows == 1 else kind


def _cells(names: Names, source: exp.Expression) -> exp.Select:
    """Return the used cells of each row that has a unit: keys as they are, values on the grid."""
    unit, kinds = names.table.unit.column, names.kinds
    read = exp.select(exp.alias_(cells.whole(1), "one")).from_(exp.alias_(source.copy(), "s"))
    ready = exp.select("one")
    if unit is not None:
        cell = column(unit, "s")
        found = cells.identity(cell, kinds[unit], names.dialect.as_bytes)
        read = read.select(exp.alias_(found, "u")).where(cells.is_named(cell.copy(), kinds[unit]))
        ready = ready.select("u")
    for number, key in enumerate(names.by):
        found = names.raw_key(key, column(key, "s"))
        read, ready = read.select(exp.alias_(found, f"k{number}")), ready.select(f"k{number}")
    for number, value in enumerate(names.values):
        found = cells.number(column(value, "s"), kinds[value], names.dialect.as_bytes)
        read = read.select(exp.alias_(found, f"v{number}"))
        steps = cells.grid(exp.column(f"v{number}"), names.table.columns[value])
        ready = ready.select(exp.alias_(steps, f"q{number}"))
    return ready.from_(read.subquery(f"{PREFIX}_read"))


def _of_rows(names: Names, part: Part, number: int) -> exp.Select:
    """Return a part where every row counts: group by the cells as they are, then find their keys.

    A key may be written in several ways (1 and 01), so the groups of cells are summed once more.
    """
    by = [exp.column(f"k{names.by.index(key)}") for key in part.grouping.by]
    groups = [*by, *_bin(names, part)]
    inner = exp.select(*(group.copy() for group in groups)).from_(f"{PREFIX}_cells")
    inner = _measured(names, _in_bins(names, part, inner), part)
    if groups:
        inner = inner.group_by(*(exp.column(group.alias_or_name) for group in groups))
    outer = exp.select().from_(inner.subquery("c"))
    for key in part.grouping.by:
        outer = on_key(names, outer, key, exp.column(f"k{names.by.index(key)}", table="c"))
    place = names.group(part.grouping.by, lambda key: names.position(key, joined=True))
    sums = [
        exp.alias_(exp.Sum(this=exp.column(f"m{i}", table="c")), f"m{i}")
        for i in range(len(part.needs))
    ]
    return _numbered(number, _cell(place, part), outer).select(*sums).group_by(exp.column("cell"))


def _of_kept(names: Names, part: Part, number: int, source: str) -> exp.Select:
    """Return a part over the rows that bounding has left."""
    groups = [exp.column("g"), *_bin(names, part)]
    inner = exp.select(*groups).from_(source)
    inner = _measured(names, _in_bins(names, part, inner), part)
    inner = inner.group_by(*(exp.column(group.alias_or_name) for group in groups))
    sums = [exp.column(f"m{i}", table="c") for i in range(len(part.needs))]
    outer = exp.select().from_(inner.subquery("c"))
    return _numbered(number, _cell(exp.column("g", table="c"), part), outer).select(*sums)


def _bin(names: Names, part: Part) -> list[exp.Expr]:
    if part.bins is None:
        return []
    return [exp.alias_(cells.bin_of(names.steps(part.bins.column), part.bins), "b")]


def _in_bins(names: Names, part: Part, query: exp.Select) -> exp.Select:
    if part.bins is None:
        return query
    return query.where(cells.is_there(names.steps(part.bins.column)))


def _cell(group: exp.Expression, part: Part) -> exp.Expression:
    if part.bins is None:
        return group
    bins = exp.Mul(this=exp.paren(group), expression=cells.whole(part.bins.count))
    return exp.Add(this=bins, expression=exp.column("b", table="c"))


def _numbered(number: int, cell: exp.Expression, query: exp.Select) -> exp.Select:
    return query.select(exp.alias_(cells.whole(number), "part"), exp.alias_(cell, "cell"))


def _measured(names: Names, query: exp.Select, part: Part) -> exp.Select:
    for number, need in enumerate(part.needs):
        query = query.select(exp.alias_(_sum(names, need), f"m{number}"))
    return query


def _sum(names: Names, need: Need) -> exp.Expression:
    kind, value = need
    if kind == "rows" or value is None:
        found = exp.Distinct(expressions=[exp.column("u")]) if kind == "units" else exp.Star()
        return exp.Count(this=found)
    steps = names.steps(value)
    return exp.Sum(this=steps) if kind == "sum" else exp.Count(this=steps)


def _whole(steps: Sequence[_Step], scans: Sequence[exp.Select], parts: Sequence[Part]) -> exp.Query:
    """Return the steps and the scans as one query; shorter parts are filled up with NULL."""
    width = max((len(part.needs) for part in parts), default=0)
    whole: exp.Query | None = None
    for scan, part in zip(scans, parts, strict=True):
        missing = (exp.null() for _ in range(width - len(part.needs)))
        filled = scan.select(*missing)
        whole = filled if whole is None else exp.union(whole, filled, distinct=False)
    found = exp.select(exp.null()).limit(0) if whole is None else whole
    for step in steps:
        found = found.with_(step.name, step.query, materialized=step.readers > 1 or None)
    return found
