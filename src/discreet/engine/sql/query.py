"""One query for all aggregates of a release, as a syntax tree that other engines can be handed.

Rules of this module:
- names and values enter as quoted identifiers and literals of the tree, never as pasted text;
- no rule looks further than one row, or the rows of one unit; every order is total by content;
- one scan of the source feeds all, and bounded rows that several aggregates share are made once;
- a tree is built once and never copied: the time to build it grows with the questions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from ...aggregate import Aggregate
from ...schema import Table
from ..guard import limits_of
from ..protocol import Grouping, groupings, key_columns, points_of, value_columns
from . import cells
from .aggregation import Part, numbered, parts_of, summed, with_place, with_values
from .bounding import kept, rows
from .columns import PREFIX, Cell, Names, plain_cell
from .dialect import DUCKDB, Dialect
from .guard import fit_query
from .matching import match_of
from .places import places_of
from .scans import part_query, scan_query, scans_of
from .tree import is_there, whole

Shared = Mapping[Grouping, Sequence[Aggregate]]


@dataclass(frozen=True, slots=True)
class Counting:
    """The query, its parts, and the tables of public values that it joins, by name and column."""

    query: exp.Query
    parts: tuple[Part, ...]
    tables: Mapping[str, Mapping[str, Any]]


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
    cell: Cell = plain_cell,
    dialect: Dialect = DUCKDB,
) -> Counting:
    """Return the query that counts all aggregates: rows of (part, cell, sums ...).

    Args:
        kinds: the engine's type of each column.
        source: the table to scan.
        cell: where the scanned table, called s, holds a column for a role.
        dialect: what the engine says in its own way.

    Raises:
        InputError: a key that its column cannot hold.
    """
    names = _names(table, aggregates, kinds, cell, dialect)
    shared = groupings(table, aggregates)
    parts = [p for grouping, found in shared.items() for p in parts_of(table, grouping, found)]
    make = _over_rows if table.unit.column is None else _over_units
    steps, answers = make(names, shared, parts)
    readers = len(steps) if table.unit.column is None else 1
    first = _Step(f"{PREFIX}_cells", _cells(names, source), readers)
    tables: dict[str, Mapping[str, Any]] = {
        names.key_table(key): match.table() for key, match in names.matches.items()
    }
    tables |= {found.name: known for found in names.places if (known := found.table())}
    return Counting(_whole([first, *steps], answers, parts), tuple(parts), tables)


def _names(
    table: Table,
    aggregates: Sequence[Aggregate],
    kinds: Mapping[str, str],
    cell: Cell,
    dialect: Dialect,
) -> Names:
    reader = cells.Reader(dialect, table.csv)
    matches = {
        key: match_of(key, table.keys[key], kinds[key], reader) for key in key_columns(aggregates)
    }
    bins = dict.fromkeys(a.bins for a in aggregates if a.bins is not None)
    return Names(
        table=table,
        kinds=dict(kinds),
        reader=reader,
        cell=cell,
        values=value_columns(aggregates),
        matches=matches,
        points=points_of(aggregates),
        places=tuple(places_of(one, f"{PREFIX}_bins_{n}") for n, one in enumerate(bins)),
    )


def _over_rows(
    names: Names, _shared: Shared, parts: Sequence[Part]
) -> tuple[list[_Step], list[exp.Select]]:
    """Return scans of all rows, and the parts that are summed from them."""
    steps, answers = [], []
    for place, scan in enumerate(scans_of(names, parts)):
        name = f"{PREFIX}_scan_{place}"
        steps.append(_Step(name, scan_query(names, scan), len(scan.parts)))
        answers += [(n, part_query(names, parts[n], n, scan, name)) for n in scan.parts]
    return steps, [query for _, query in sorted(answers, key=lambda answer: answer[0])]


def _over_units(
    names: Names, shared: Shared, parts: Sequence[Part]
) -> tuple[list[_Step], list[exp.Select]]:
    """Return what bounding leaves for each grouping, who is within the limits, and the parts."""
    wanted = rows(names, [grouping.by for grouping in shared])
    steps = [_Step(f"{PREFIX}_rows", wanted, len(shared))]
    place = {}
    for number, (grouping, aggregates) in enumerate(shared.items()):
        place[grouping] = number
        readers = sum(part.grouping == grouping for part in parts)
        left, fit = f"{PREFIX}_kept_{number}", f"{PREFIX}_fit_{number}"
        steps.append(_Step(left, kept(names, grouping), readers + 1))
        steps.append(_Step(fit, fit_query(left, limits_of(names.table, aggregates)), readers))
    answers = [_of_kept(names, part, n, place[part.grouping]) for n, part in enumerate(parts)]
    return steps, answers


def _cells(names: Names, source: exp.Expression) -> exp.Select:
    """Return the used cells of each row that has a unit: keys as they are, values on the grid."""
    unit, kinds = names.table.unit.column, names.kinds
    read = exp.select(exp.alias_(whole(1), "one")).from_(exp.alias_(source.copy(), "s"))
    ready = exp.select("one")
    if unit is not None:
        found = names.reader.unit(names.cell("unit", unit), kinds[unit])
        read.select(exp.alias_(found, "u"), copy=False)
        ready.select("u", copy=False).where(is_there(exp.column("u")), copy=False)
    for number, (key, match) in enumerate(names.matches.items()):
        read.select(exp.alias_(match.raw(names.cell("key", key)), f"k{number}"), copy=False)
        ready.select(f"k{number}", copy=False)
    for number, value in enumerate(names.values):
        found = names.reader.number(names.cell("value", value), kinds[value])
        read.select(exp.alias_(found, f"v{number}"), copy=False)
        steps = cells.grid(exp.column(f"v{number}"), names.table.columns[value])
        ready.select(exp.alias_(steps, f"q{number}"), copy=False)
    return ready.from_(read.subquery(f"{PREFIX}_read", copy=False), copy=False)


def _of_kept(names: Names, part: Part, number: int, place_of_grouping: int) -> exp.Select:
    """Return a part over the rows that bounding has left, of units that are within the limits."""
    left, fit = f"{PREFIX}_kept_{place_of_grouping}", f"{PREFIX}_fit_{place_of_grouping}"
    inner = exp.select("g").from_(
        with_values(names, left, part.needs, [part.bins] if part.bins else [])
    )
    groups = ["g"]
    if part.bins is not None:
        place = with_place(names, inner, names.places_of(part.bins))
        inner.select(exp.alias_(place, "b"), copy=False)
        groups.append("b")
    for place_of_need, need in enumerate(part.needs):
        inner.select(exp.alias_(summed(names, need), f"m{place_of_need}"), copy=False)
    within = exp.column("u").isin(query=exp.select("u").from_(fit))
    inner.where(within, copy=False).group_by(*groups, copy=False)
    outer = exp.select().from_(inner.subquery("c", copy=False))
    group, place = exp.column("g", table="c"), exp.column("b", table="c")
    sums = [exp.column(f"m{i}", table="c") for i in range(len(part.needs))]
    return numbered(outer, names, number, group, part, place).select(*sums, copy=False)


def _whole(
    steps: Sequence[_Step], answers: Sequence[exp.Select], parts: Sequence[Part]
) -> exp.Query:
    """Return the steps and the answers as one query; shorter parts are filled up with NULL."""
    width = max((len(part.needs) for part in parts), default=0)
    found: exp.Query | None = None
    for answer, part in zip(answers, parts, strict=True):
        answer.select(*(exp.null() for _ in range(width - len(part.needs))), copy=False)
        found = answer if found is None else _both(found, answer)
    if found is None:
        found = exp.select(exp.null()).limit(0)
    for step in steps:
        found.with_(step.name, step.query, materialized=step.readers > 1 or None, copy=False)
    return found


def _both(one: exp.Query, other: exp.Query) -> exp.Query:
    return exp.Union(this=one, expression=other, distinct=False)
