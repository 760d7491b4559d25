"""One query for all aggregates of a release, as a syntax tree that other engines can be handed.

From the rows that the query brings to sealed vectors: the same for every engine of SQL.

Rules of this module:
- names and values enter as quoted identifiers and literals of the tree, never as pasted text;
- no rule looks further than one row, or the rows of one unit; every order is total by content;
- one scan of the source feeds all, and bounded rows that several aggregates share are made once;
- a tree is built once and never copied: the time to build it grows with the questions;
- a cell that no row is in counts nothing;
- what an engine returns is not trusted: a cell that is not of the vector is left out, and what is
  no whole number stops all.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from operator import itemgetter
from typing import Any, cast

from sqlglot import exp

from ...aggregate import Aggregate, Bins, Exact
from ...schema import Table
from ...sums import Added, added
from ..guard import limits_of
from ..protocol import (
    Grouping,
    groupings,
    key_columns,
    points_of,
    tests_of,
    uncollected,
    value_columns,
)
from . import cells
from .bounding import kept, low_query, rows
from .columns import PREFIX, Cell, Names, plain_cell
from .dialect import DUCKDB, Dialect
from .faster.pruned import LOW, cut_query, reads_again
from .faster.unit_lists import listed_for
from .grid import places_of
from .guard import (
    counts_once,
    is_of_rows,
    looked_along,
    only_leaves_out,
    quick_query,
    unfit_query,
    within,
)
from .matching import match_of, match_of_found, spelled_match
from .rollup import (
    Part,
    PartQuery,
    Scan,
    clamped,
    counted,
    numbered,
    part_query,
    parts_of,
    rolled,
    scan_query,
    scans_of,
    summed,
    with_place,
    with_points,
    worked_out_once,
)
from .row_cells import MADE, derived_match, steps_of
from .tree import add_step, to_type, whole

Shared = Mapping[Grouping, Sequence[Aggregate]]


@dataclass(frozen=True, slots=True)
class Counting:
    """The query, its parts, and the tables of public values that it joins, by name and column."""

    query: exp.Query
    parts: tuple[Part, ...]
    tables: Mapping[str, Mapping[str, Any]]


_ROWS = f"{PREFIX}_rows"  # the step of the rows that some grouping wants
_ALONG = "", _ROWS  # a look that is no step of its own: at the rows, where they are chosen


@dataclass(frozen=True, slots=True)
class _Step:
    """A named step of the query, and by how many later ones it is read.

    Attributes:
        is_again: whether it is also read, made anew, where some unit has many rows.
    """

    name: str
    query: exp.Select
    readers: int
    is_again: bool = False


@dataclass(slots=True)
class _Found:
    """The steps of a query, the answers that read them, the public tables that those join, and by
    how many steps the cells of rows are read.
    """

    steps: list[_Step] = field(default_factory=list)
    answers: list[PartQuery] = field(default_factory=list)
    tables: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    readers: int = 1


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
    if dialect.unit_text is not None:
        from .portable import check_unit

        check_unit(table, kinds)
    shared = groupings(table, aggregates)
    parts = [p for grouping, asked in shared.items() for p in parts_of(table, grouping, asked)]
    by_rows = table.unit.column is None
    scans = scans_of(table, parts) if by_rows else []
    used = [bins for scan in scans for bins in scan.bins] if by_rows else [p.bins for p in parts]
    names = names_of(table, aggregates, kinds, cell, dialect, filter(None, used))
    built = _over_rows(names, scans, parts) if by_rows else _over_units(names, shared, parts)
    *read, (cells_name, ready) = steps_of(names, source)
    first = [_Step(name, query, 1) for name, query in read]
    first.append(_Step(cells_name, ready, built.readers))
    tables = {
        names.key_table(key): match.table()
        for key, match in names.matches.items()
        if match.run is None
    }
    tables |= {place.name: known for place in names.places if (known := place.table())}
    query = _whole([*first, *built.steps], built.answers)
    return Counting(query, tuple(parts), tables | built.tables)


def names_of(
    table: Table,
    aggregates: Sequence[Aggregate],
    kinds: Mapping[str, str],
    cell: Cell,
    dialect: Dialect,
    used: Iterable[Bins] = (),
) -> Names:
    """Return what the columns of the query are called, and how each is read."""
    reader = cells.Reader(dialect, table.csv)
    if table.joins or table.csv.columns:
        reader = cells.Reader.of_table(dialect, table)
    matches = {
        key: match_of_found(
            key, table.keys[key], kinds.get(key, MADE), reader, table.unknown[key].longest
        )
        if key in table.unknown
        else derived_match(table, key, table.listed(key), reader)
        if key in table.derived
        else spelled_match(table, key, kinds[key], reader.own.get(key, reader))
        if key in table.spelled
        else match_of(key, table.listed(key), kinds[key], reader.own.get(key, reader))
        for key in key_columns(aggregates)
    }
    bins, tests = dict.fromkeys(used), tests_of(aggregates)
    is_shared = table.unit.column is None and {aggregate.where for aggregate in aggregates} == {
        *tests
    }
    shared = tests[0] if is_shared and len(tests) == 1 else None
    return Names(
        table=table,
        kinds=dict(kinds),
        reader=reader,
        cell=cell,
        values=value_columns(aggregates),
        matches=matches,
        points=points_of(aggregates),
        places=tuple(
            places_of(aggregate, f"{PREFIX}_bins_{n}") for n, aggregate in enumerate(bins)
        ),
        tests=tests if shared is None else (),
        shared=shared,
        is_alone=len(groupings(table, aggregates)) == 1,
    )


def _over_rows(names: Names, scans: Sequence[Scan], parts: Sequence[Part]) -> _Found:
    """Return scans of all rows, and the parts that are summed from them."""
    built, source = _Found(readers=len(scans)), f"{PREFIX}_cells"
    needs = [need for scan in scans for need in scan.needs]
    is_fenced = names.reader.dialect.is_fenced
    rows_of = worked_out_once(names, source, scans) if is_fenced else exp.table_(source)
    ready = clamped(names, rows_of, needs, [bins for scan in scans for bins in scan.bins])
    if ready is not None:
        source, built.readers = f"{PREFIX}_clamped", 1
        built.steps.append(_Step(source, ready, len(scans)))
    for place, scan in enumerate(scans):
        name, together = f"{PREFIX}_scan_{place}", rolled(parts, scan, place)
        built.steps.append(_Step(name, scan_query(names, scan, source), len(together)))
        for rolled_parts in together:
            built.answers.append(part_query(names, rolled_parts, name))
            if rolled_parts.bins is not None and rolled_parts.is_finer:
                built.tables[rolled_parts.name] = rolled_parts.table()
    return built


def _over_units(names: Names, shared: Shared, parts: Sequence[Part]) -> _Found:
    """Return what bounding leaves for each grouping, who is beyond the limits, and the parts."""
    wanted = {e: low_query(names, e, asked) for e, asked in shared.items()}
    lows = {grouping: low for grouping, low in wanted.items() if low is not None}
    below = {grouping: f"{PREFIX}_cut_{n}" for n, grouping in enumerate(shared) if grouping in lows}
    limits_for = {grouping: limits_of(names.table, asked) for grouping, asked in shared.items()}
    places = [*enumerate(shared)]
    in_lists = {e: listed_for(names, e, limits_for[e], n, below.get(e)) for n, e in places}
    left_of = {
        e: listed.kept if listed else kept(names, e, shared[e], below.get(e))
        for e, listed in in_lists.items()
    }
    looks = _looks(names, shared, left_of, parts)
    built = _Found([_of_rows(names, shared, lows, looks, is_listed=any(in_lists.values()))])
    place: dict[Grouping, tuple[str, str | None]] = {}
    for number, grouping in places:
        readers = sum(part.grouping == grouping for part in parts)
        left, (unfit, source) = f"{PREFIX}_kept_{number}", looks.get(grouping, (None, ""))
        place[grouping] = left, unfit
        if grouping in lows:
            of_low, most = f"{LOW}_{number}", grouping.max_groups or 0
            built.steps.append(_Step(of_low, lows[grouping], 2))
            built.steps.append(_Step(below[grouping], cut_query(names, of_low, most), 1))
        listed, limits = in_lists[grouping], limits_for[grouping]
        if listed is not None or not unfit:
            place[grouping] = left, None
            alone = [(left, left_of[grouping], readers)]
            built.steps += [_Step(*s) for s in (listed.steps(number, readers) if listed else alone)]
            continue
        quick = quick_query(source, limits, names.reader.dialect.speed.takes)
        readers += (source == left) + (quick is not None)
        built.steps.append(_Step(left, left_of[grouping], readers))
        among = None
        if quick is not None:
            among = f"{PREFIX}_quick_{number}"
            built.steps.append(_Step(among, quick, 1))
        if unfit not in (step.name for step in built.steps):
            users = sum(looks.get(p.grouping, (None,))[0] == unfit for p in parts)
            built.steps.append(_Step(unfit, unfit_query(source, limits, among), users))
    for number, part in enumerate(parts):
        built.answers.append(_of_kept(names, part, number, *place[part.grouping]))
    return built


def _of_rows(
    names: Names,
    shared: Shared,
    lows: Collection[Grouping],
    looks: Mapping[Grouping, tuple[str, str]],
    *,
    is_listed: bool,
) -> _Step:
    """Return the step of the rows that some grouping wants, and by how many steps it is read."""
    is_again = reads_again(names)
    readers = len(shared) + (0 if is_again else len(lows))
    readers += any(unfit and source == _ROWS for unfit, source in looks.values())
    wanted, most = rows(names, [*shared]), names.table.unit.max_rows
    if most is not None and _ALONG in looks.values():
        wanted = looked_along(wanted, most)
    return _Step(_ROWS, wanted, readers, is_again=is_again or is_listed)


def _looks(
    names: Names,
    shared: Shared,
    left_of: Mapping[Grouping, exp.Select],
    parts: Sequence[Part],
) -> Mapping[Grouping, tuple[str, str]]:
    """Return for each grouping the step of the units that are beyond a limit, and what it looks at.

    A grouping that counts nothing but units has none where these cannot be beyond a limit.

    What only leaves rows out is not looked at by itself where all rows of a unit are limited, and
    nothing else: these groupings share a look at the rows that they leave out of.
    An engine may look while it chooses these rows.
    """
    of_rows = {
        part.grouping
        for part in parts
        if part.bins is not None or any(need.kind != "units" for need in part.needs)
    }
    looks = {}
    for number, (grouping, aggregates) in enumerate(shared.items()):
        limits = limits_of(names.table, aggregates)
        if grouping not in of_rows and counts_once(limits, names.table.groups(grouping.by)):
            continue
        if is_of_rows(limits) and only_leaves_out(left_of[grouping], _ROWS):
            is_along = names.reader.dialect.speed.looks_along
            is_along = is_along and limits.rows == names.table.unit.max_rows
            looks[grouping] = _ALONG if is_along else (f"{PREFIX}_unfit_of_{limits.rows}", _ROWS)
        else:
            looks[grouping] = f"{PREFIX}_unfit_{number}", f"{PREFIX}_kept_{number}"
    return looks


def _of_kept(names: Names, part: Part, number: int, left: str, unfit: str | None) -> PartQuery:
    """Return a part over the rows that bounding has left, of units that are within the limits."""
    ready = clamped(names, exp.table_(left), part.needs, [part.bins] if part.bins else [])
    source = exp.table_(left) if ready is None else ready.subquery("v")
    is_one = not part.grouping.by  # one group, which no engine need look for
    inner = exp.select(exp.alias_(whole(0), "g") if is_one else exp.column("g"))
    inner.from_(with_points(names, source, part.needs), copy=False)
    groups = [] if is_one else ["g"]
    if part.bins is not None:
        place = with_place(names, inner, names.places_of(part.bins))
        inner.select(exp.alias_(place, "b"), copy=False)
        inner.select(exp.alias_(exp.Count(this=exp.Star()), "n"), copy=False)
        groups.append("b")
    for place_of_need, need in enumerate(part.needs):
        inner.select(exp.alias_(summed(names, need), f"m{place_of_need}"), copy=False)
    inner.where(within(unfit), copy=False)
    if groups:
        inner.group_by(*(exp.column(group) for group in groups), copy=False)
    outer = exp.select().from_(inner.subquery("c", copy=False))
    group = exp.column("g", table="c")
    of_bin = exp.column("b", table="c") if part.bins else None
    count = whole(part.bins.count) if part.bins else None
    by, sums = part.grouping.by, [exp.column(f"m{i}", table="c") for i in range(len(part.needs))]
    rows = exp.column("n", table="c") if part.bins else None
    outer = numbered(outer, names, by, group, whole(number), of_bin, count, rows)
    return PartQuery(outer.select(*sums, copy=False), len(sums))


def _whole(steps: Sequence[_Step], answers: Sequence[PartQuery]) -> exp.Query:
    """Return the steps and the answers as one query; shorter answers are filled up with NULL."""
    width = max((answer.sums for answer in answers), default=0)
    whole_query: exp.Query | None = None
    for answer in answers:
        answer.query.select(
            *(to_type(exp.null(), "BIGINT") for _ in range(width - answer.sums)), copy=False
        )
        if whole_query is None:
            whole_query = answer.query
        else:
            whole_query = exp.Union(this=whole_query, expression=answer.query, distinct=False)
    if whole_query is None:
        whole_query = exp.select(exp.null()).limit(0)
    for step in steps:  # made once for all its readers, or anew; or that is no matter
        is_stored = True if step.readers > 1 else False if step.is_again else None
        add_step(whole_query, step.name, step.query, is_stored=is_stored)
    return whole_query


Columns = Mapping[Added, Sequence[int]]


@uncollected()
def vectors(
    table: Table,
    aggregates: Sequence[Aggregate],
    parts: Sequence[Part],
    rows: Iterable[Sequence[object]],
) -> tuple[Exact, ...]:
    """Return one sealed vector per aggregate, from rows of (part, cell, sums ...)."""
    listed, of_part = [*rows], [list[Sequence[object]]() for _ in parts]
    numbers = [*map(itemgetter(0), listed)]
    if {*map(type, numbers)} == {int} and len({*numbers}) == 1:  # rows of one part may be many
        of_part[cast("int", numbers[0])] = listed
    else:
        for row in listed:
            of_part[_whole_number(row[0])].append(row)
    vector_of = {
        id(aggregate): vector
        for part, own in zip(parts, of_part, strict=True)
        for aggregate, vector in _of_part(table, part, own)
    }
    return tuple(vector_of[id(aggregate)] for aggregate in aggregates)


def _of_part(
    table: Table, part: Part, rows: Sequence[Sequence[object]]
) -> Iterator[tuple[Aggregate, Exact]]:
    wide = 2 + len(part.needs)  # rows are as wide as those of the widest part
    read = islice(zip(*rows, strict=True), wide) if rows else [()] * wide
    wholes = [  # a driver may have made decimals of them
        cast("Sequence[int]", numbers)
        if {*map(type, numbers)} == {int}
        else [*map(_whole_number, numbers)]
        for numbers in read
    ]
    _, cells, *sums = wholes
    columns = dict(zip(part.needs, sums, strict=True))
    for aggregate in part.aggregates:
        made = _vector if aggregate.sparse is None else _sparse_vector
        yield aggregate, made(table, aggregate, cells, columns)


def _whole_number(cell: object) -> int:
    """Return a whole number that a driver has made an int or a decimal of; 0 for NULL."""
    if type(cell) is int:
        return cell
    if cell is None:
        return 0
    if type(cell) is not Decimal or cell != int(cell):
        raise TypeError("a sum is no whole number")  # told as one fixed text: `quietly`
    return int(cell)


def _vector(table: Table, aggregate: Aggregate, cells: Sequence[int], columns: Columns) -> Exact:
    groups, bins, measures = aggregate.shape(table)
    vector = [0] * (groups * bins * measures)
    is_inside = not cells or (min(cells) >= 0 and max(cells) < groups * bins)
    for at, measure in enumerate(aggregate.measures):
        terms = [(factor, columns[counted(table, addend)]) for factor, addend in added(measure)]
        pairs = zip(cells, _total(terms, len(cells)), strict=True)
        for cell, number in pairs if is_inside else _inside(pairs, groups * bins):
            vector[cell * measures + at] = number
    return Exact(tuple(vector))


def _inside(pairs: Iterable[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    return ((cell, number) for cell, number in pairs if 0 <= cell < size)


def _sparse_vector(
    table: Table, aggregate: Aggregate, cells: Sequence[int], columns: Columns
) -> Exact:
    """Return the cells that hold rows, of a count: one number each."""
    whole, (measure,) = aggregate.size(table), aggregate.measures
    terms = [(factor, columns[counted(table, addend)]) for factor, addend in added(measure)]
    sums = dict(zip(cells, _total(terms, len(cells)), strict=True))
    if sums and not (min(sums) >= 0 and max(sums) < whole):
        sums = {cell: number for cell, number in sums.items() if 0 <= cell < whole}
    return Exact(tuple(sums.values()), tuple(sums))


def _total(terms: Sequence[tuple[int, Sequence[int]]], many: int) -> Sequence[int]:
    """Return the numbers of columns, so many each, added up with their factors."""
    if len(terms) == 1 and terms[0][0] == 1:
        return terms[0][1]
    total = [0] * many
    for factor, column in terms:
        total = [so_far + factor * number for so_far, number in zip(total, column, strict=True)]
    return total
