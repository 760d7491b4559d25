"""One query for all aggregates of a release, as a syntax tree that other engines can be handed.

Rules of this module:
- names and values enter as quoted identifiers and literals of the tree, never as pasted text;
- no rule looks further than one row, or the rows of one unit; every order is total by content;
- one scan of the source feeds all, and bounded rows that several aggregates share are made once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ..aggregate import Aggregate
from ..schema import Table
from . import cells
from .bounding import kept, rows
from .dialect import DUCKDB, Dialect
from .engine import Grouping, groupings, key_columns, points_of, value_columns
from .names import PREFIX, Names, column
from .parts import Part, numbered, parts_of, summed, with_points
from .scans import part_query, scan_query, scans_of


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
    values, by, points = value_columns(aggregates), key_columns(aggregates), points_of(aggregates)
    names = Names(table, dict(kinds), dialect, values, by, points)
    shared = groupings(table, aggregates)
    parts = [p for grouping, found in shared.items() for p in parts_of(table, grouping, found)]
    make = _over_rows if table.unit.column is None else _over_units
    steps, answers = make(names, tuple(shared), parts)
    readers = len(steps) if table.unit.column is None else 1
    first = _Step(f"{PREFIX}_cells", _cells(names, source), readers)
    tables = {key: names.key_table(key) for key in names.by}
    return Counting(_whole([first, *steps], answers, parts), tuple(parts), tables)


def _over_rows(
    names: Names, _groupings: Sequence[Grouping], parts: Sequence[Part]
) -> tuple[list[_Step], list[exp.Select]]:
    """Return scans of all rows, and the parts that are summed from them."""
    steps, answers = [], []
    for place, scan in enumerate(scans_of(names, parts)):
        name = f"{PREFIX}_scan_{place}"
        steps.append(_Step(name, scan_query(names, scan), len(scan.parts)))
        answers += [(n, part_query(names, parts[n], n, scan, name)) for n in scan.parts]
    return steps, [query for _, query in sorted(answers, key=lambda answer: answer[0])]


def _over_units(
    names: Names, groupings: Sequence[Grouping], parts: Sequence[Part]
) -> tuple[list[_Step], list[exp.Select]]:
    """Return the rows that bounding leaves for each grouping, and the parts that count them."""
    wanted = rows(names, [grouping.by for grouping in groupings])
    steps = [_Step(f"{PREFIX}_rows", wanted, len(groupings))]
    place = {}
    for number, grouping in enumerate(groupings):
        place[grouping] = f"{PREFIX}_kept_{number}"
        readers = sum(part.grouping == grouping for part in parts)
        steps.append(_Step(place[grouping], kept(names, grouping), readers))
    answers = [_of_kept(names, part, n, place[part.grouping]) for n, part in enumerate(parts)]
    return steps, answers


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
        read.select(exp.alias_(found, f"k{number}"), copy=False)
        ready.select(f"k{number}", copy=False)
    for number, value in enumerate(names.values):
        found = cells.number(column(value, "s"), kinds[value], names.dialect.as_bytes)
        read.select(exp.alias_(found, f"v{number}"), copy=False)
        steps = cells.grid(exp.column(f"v{number}"), names.table.columns[value])
        ready.select(exp.alias_(steps, f"q{number}"), copy=False)
    return ready.from_(read.subquery(f"{PREFIX}_read"))


def _of_kept(names: Names, part: Part, number: int, source: str) -> exp.Select:
    """Return a part over the rows that bounding has left."""
    inner = exp.select("g").from_(with_points(names, source, part.needs))
    groups = ["g"]
    if part.bins is not None:
        place = cells.bin_of(names.steps(part.bins.column), part.bins)
        inner, groups = inner.select(exp.alias_(place, "b")), ["g", "b"]
    for place_of_need, need in enumerate(part.needs):
        inner.select(exp.alias_(summed(names, need), f"m{place_of_need}"), copy=False)
    outer = exp.select().from_(inner.group_by(*groups).subquery("c"))
    group, place = exp.column("g", table="c"), exp.column("b", table="c")
    sums = [exp.column(f"m{i}", table="c") for i in range(len(part.needs))]
    return numbered(outer, number, group, part, place).select(*sums)


def _whole(
    steps: Sequence[_Step], answers: Sequence[exp.Select], parts: Sequence[Part]
) -> exp.Query:
    """Return the steps and the answers as one query; shorter parts are filled up with NULL."""
    width = max((len(part.needs) for part in parts), default=0)
    whole: exp.Query | None = None
    for answer, part in zip(answers, parts, strict=True):
        filled = answer.select(*(exp.null() for _ in range(width - len(part.needs))))
        whole = filled if whole is None else exp.union(whole, filled, distinct=False)
    found = exp.select(exp.null()).limit(0) if whole is None else whole
    for step in steps:
        found = found.with_(step.name, step.query, materialized=step.readers > 1 or None)
    return found
