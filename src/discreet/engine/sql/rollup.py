"""How parts are counted where the unit is a row: few scans of all rows, rolled up to many parts.

What one grouped scan must bring: the aggregates of a grouping that share their bins.

Rules of this module:
- rows are grouped by their key cells as they are; the few groups then find their public keys, so
  that two ways to write one number (1 and 01) are summed once more;
- a coarser part is summed from a finer scan, because sums of whole numbers are exact;
- parts share a scan while its groups stay few, or when it brings what they need anyway; those
  with another condition on their rows have another scan;
- a scan has one kind of bins a column, cut at every edge that a part has, so that a part's bins are
  made of whole ones; parts that differ by nothing but their edges are summed in one query;
- a sum that two measures need is computed once; measures are put together from sums afterwards;
- a unit that is a row, or has one row at most, is counted as a row.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from sqlglot import exp

from ...aggregate import Aggregate, Bins, Coarse, Coordinate, Point
from ...expressions import Typed
from ...schema import Table
from ...sums import ROWS, Added, added, largest
from ..protocol import Grouping
from . import grid
from .columns import PREFIX, Names
from .grid import Places
from .tree import inside, is_there, picked, to_type, whole

_NARROW = 2**62  # products below are made in 64 bits


@dataclass(frozen=True, slots=True)
class Part:
    """Aggregates that one grouped scan answers, and the sums it brings, in the query's order."""

    grouping: Grouping
    aggregates: tuple[Aggregate, ...]
    needs: tuple[Added, ...]

    @property
    def bins(self) -> Bins | None:
        """The bins that all aggregates of the part share."""
        return self.aggregates[0].bins


@dataclass(frozen=True, slots=True)
class PartQuery:
    """A query that brings parts: rows of (part, cell, sums ...), of so many sums."""

    query: exp.Select
    sums: int


def parts_of(table: Table, grouping: Grouping, aggregates: Sequence[Aggregate]) -> list[Part]:
    """Return the aggregates of a grouping by their bins."""
    by_bins: dict[Bins | None, list[Aggregate]] = {}
    for aggregate in aggregates:
        by_bins.setdefault(aggregate.bins, []).append(aggregate)
    parts = []
    for items in by_bins.values():
        measures = [measure for aggregate in items for measure in aggregate.measures]
        needs = [counted(table, one) for measure in measures for _, one in added(measure)]
        parts.append(Part(grouping, tuple(items), (*dict.fromkeys(needs),) or (Added("rows"),)))
    return parts


def counted(table: Table, addend: Added) -> Added:
    """Return what to add up: a unit that has one row at most is counted as a row."""
    alike = table.unit.column is None or table.unit.max_rows == 1
    return Added("rows") if alike and addend.kind == "units" else addend


def summed(names: Names, need: Added) -> exp.Expression:
    """Return the expression that brings what a measure needs."""
    if need.kind == "units":
        return exp.Count(this=exp.Distinct(expressions=[exp.column("u")]))
    if need.kind == "rows":
        return exp.Count(this=exp.Star())
    there = [is_there(_source(names, value)) for value in need.over]
    product = _product(names, need)
    if len(there) == 1:  # a product without a value is NULL, and so is not added
        alone = _source(names, need.over[0])
        if product is None:
            return exp.Count(this=alone)
    else:
        is_usable = exp.and_(*there)
        product_there = exp.Case().when(is_usable, whole(1) if product is None else product)
        if product is None:
            return exp.Count(this=product_there)
        product = product_there
    return names.reader.dialect.total(product, largest(names.table, need))


def _source(names: Names, over: str | Point) -> exp.Expression:
    """Return the column that is NULL where a column, or a point, is not usable."""
    return names.steps(over) if isinstance(over, str) else names.value(Coordinate(over, 0))


def _product(names: Names, need: Added) -> exp.Expression | None:
    """Return the product of the values, in as many bits as it may take; None where there is none.

    Proof: no value is beyond its `largest`, because each is clamped where it is named.
    """
    if len(need.values) < 2:
        return names.value(need.values[0]) if need.values else None
    kind = "BIGINT" if largest(names.table, need) < _NARROW else "INT128"
    left, other = (to_type(names.value(value), kind) for value in need.values)
    return exp.Mul(this=left, expression=other)


def clamped(
    names: Names, source: exp.Expression, needs: Sequence[Added], bins: Iterable[Bins]
) -> exp.Select | None:
    """Return rows with the values that are summed, or have bins, clamped beside; None if none is.

    Each is worked out once, however many sums read it.
    """
    named = [value for need in needs for value in need.values]
    values = [part.column if isinstance(part, Coarse) else part for part in named]
    columns = [part for part in values if isinstance(part, str)]
    return names.with_clamped(source, [*columns, *(part.column for part in bins)])


def worked_out_once(names: Names, source: str, scans: Sequence["Scan"]) -> exp.Expression:
    """Return the rows that some scan wants, as a part in which each value is worked out once.

    An engine that puts an expression in the place of its name works a value on its grid out as
    often as its clamping names it. Keys that leave out rows of all scans stand within the part.
    """
    rows = picked(source, exp.Star())
    for key in _sifting(names, scans):
        names.on_key(rows, key, exp.column(f"k{names.by.index(key)}"))
    return rows.offset(0, copy=False).subquery("f", copy=False)


def _sifting(names: Names, scans: Sequence["Scan"]) -> list[str]:
    """Return the keys whose cells leave out rows of all scans without a join."""
    return [
        key
        for key in names.by
        if names.matches[key].run is not None and all(key in scan.by for scan in scans)
    ]


def with_points(names: Names, rows: exp.Expression, needs: Sequence[Added]) -> exp.Expression:
    """Return the rows to sum with the points that are needed beside, each in its ball."""
    wanted = [over for need in needs for over in need.over if isinstance(over, Point)]
    for point in dict.fromkeys(wanted):
        steps = [names.steps(column) for column in point.columns]
        number = names.points.index(point)
        rows = grid.with_coordinates(rows, point, number, steps, names.table)
    return rows


def with_place(names: Names, query: exp.Select, places: Places) -> exp.Expression:
    """Join what tells the bin of each row to a query over rows, and return the bin."""
    value = names.clamped(places.bins.column)
    places.join(query, value)
    return places.place(value.copy())


def numbered(
    query: exp.Select,
    names: Names,
    by: Sequence[str] | None,
    group: exp.Expression,
    number: exp.Expression,
    place: exp.Expression | None,
    count: exp.Expression | None,
    rows: exp.Expression | None = None,
) -> exp.Select:
    """Return a query that says which part a row is of, and which cell: group, then bin.

    Cells that are not of the vector are left out.

    Args:
        by: the keys of the group; None where every group that is left is one of theirs.
        number: of the part.
        place: the bin, where the part has bins, of which there are `count`.
        rows: how many rows the bin has, which is told by grouping: else an engine may ask of each
            row whether its bin is one, and work its bin out several times.
    """
    cell = group
    if by is not None:
        query.where(inside(group.copy(), whole(names.table.groups(by))), copy=False)
    if place is not None and count is not None:
        wide = to_type(group, "BIGINT")
        cell = exp.Add(this=exp.Mul(this=wide, expression=count), expression=place)
        known = exp.and_(is_there(place.copy()), inside(place.copy(), count.copy()))
        if rows is not None:
            known = exp.Case().when(exp.GT(this=rows, expression=whole(0)), known)
        query.where(known, copy=False)
    named = (exp.alias_(of, name, copy=False) for of, name in ((number, "part"), (cell, "cell")))
    return query.select(*named, copy=False)


_FEW = 2_048  # groups; measured: beyond some thousands, a wider group costs more than a second scan


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan groups by and brings, and the numbers of the parts that it answers.

    Attributes:
        bins: at most one kind of bins a column, at least as fine as those of the parts.
    """

    by: tuple[str, ...]
    bins: tuple[Bins, ...]
    needs: tuple[Added, ...]
    parts: tuple[int, ...]
    where: Typed | None = None


def scans_of(table: Table, parts: Sequence[Part]) -> list[Scan]:
    """Return the scans that answer all parts; the finest parts choose first."""
    alone = [
        Scan(
            part.grouping.by,
            (part.bins,) if part.bins else (),
            part.needs,
            (number,),
            part.grouping.where,
        )
        for number, part in enumerate(parts)
    ]
    if len(alone) == 1:
        return alone
    scans: list[Scan] = []
    for scan in sorted(alone, key=lambda scan: -_groups(table, scan)):
        alike = [earlier for earlier in scans if earlier.where == scan.where]
        shared = [(earlier, _merged(earlier, scan)) for earlier in alike]
        shared = [pair for pair in shared if _is_worth(table, *pair)]
        if not shared:
            scans.append(scan)
            continue
        earlier, merged = min(shared, key=lambda pair: _groups(table, pair[1]))
        scans[scans.index(earlier)] = merged
    return scans


def _merged(left: Scan, other: Scan) -> Scan:
    return Scan(
        by=tuple(dict.fromkeys(left.by + other.by)),
        bins=_cut(left.bins + other.bins),
        needs=tuple(dict.fromkeys(left.needs + other.needs)),
        parts=left.parts + other.parts,
        where=left.where,
    )


def _cut(bins: Sequence[Bins]) -> tuple[Bins, ...]:
    """Return one kind of bins a column, cut wherever one of these is."""
    edges: dict[str, frozenset[int]] = {}
    for part in bins:
        edges[part.column] = edges.get(part.column, frozenset()).union(part.edges)
    return tuple(Bins(column, tuple(sorted(cuts))) for column, cuts in edges.items())


def _is_worth(table: Table, scan: Scan, merged: Scan) -> bool:
    nothing_new = (scan.by, scan.bins, scan.needs) == (merged.by, merged.bins, merged.needs)
    return nothing_new or _groups(table, merged) <= _FEW


def _groups(table: Table, scan: Scan) -> int:
    return table.groups(scan.by) * prod(bins.count for bins in scan.bins)


def scan_query(names: Names, scan: Scan, source: str) -> exp.Select:
    """Return the grouped scan of rows whose values are clamped."""
    groups = [f"k{names.by.index(key)}" for key in scan.by]
    query = exp.select(*map(exp.column, groups), copy=False)
    for number, bins in enumerate(scan.bins):
        place = with_place(names, query, names.places_of(bins))
        query.select(exp.alias_(place, f"b{number}", copy=False), copy=False)
        groups.append(f"b{number}")
    for number, need in enumerate(scan.needs):
        query.select(exp.alias_(summed(names, need), f"m{number}", copy=False), copy=False)
    if scan.bins:
        query.select(exp.alias_(exp.Count(this=exp.Star()), "n", copy=False), copy=False)
    rows: exp.Expression = exp.table_(source)
    query.from_(with_points(names, rows, scan.needs) if names.points else rows, copy=False)
    if scan.where is not None:
        query.where(*names.passes(scan.where), copy=False)
    if names.reader.dialect.is_fenced:  # what leaves out groups would leave out rows, at a guess
        for key in scan.by:
            if names.matches[key].run is not None:
                names.on_key(query, key, exp.column(f"k{names.by.index(key)}"))
        query.offset(0, copy=False)
    return query.group_by(*map(exp.column, groups), copy=False) if groups else query


@dataclass(frozen=True, slots=True)
class Rolled:
    """Parts that one query sums from a scan: they differ by nothing but the edges of their bins.

    Attributes:
        numbers: their numbers among all parts.
        bins: the bins of the scan, if they have bins.
        name: the table that tells their bins, where the scan's are finer.
    """

    parts: tuple[Part, ...]
    numbers: tuple[int, ...]
    scan: Scan
    bins: Bins | None
    name: str

    @property
    def is_finer(self) -> bool:
        """Whether the bins of the scan are finer than those of a part."""
        return any(part.bins != self.bins for part in self.parts)

    def table(self) -> Mapping[str, Any]:
        """Return in which bin of which part, of how many, each bin of the scan lies.

        The upper bound belongs to a part's last bin. Where another part's bins go on behind it, as
        those of a curve do, it has a bin of its own in the scan.
        """
        lows = np.array(self.bins.edges[:-1] if self.bins else (), dtype=np.int64)
        edges = [np.array(part.bins.edges if part.bins else (), np.int64) for part in self.parts]
        places = [np.searchsorted(edges_of, lows, side="right") - 1 for edges_of in edges]
        last = [max(0, len(edges_of) - 2) for edges_of in edges]
        inside = [np.minimum(place, most) for place, most in zip(places, last, strict=True)]
        return {
            "fine": np.tile(np.arange(len(lows)), len(self.parts)),
            "part": np.repeat(self.numbers, len(lows)),
            "place": np.concatenate(inside),
            "count": np.repeat([len(edges_of) - 1 for edges_of in edges], len(lows)),
        }


def rolled(parts: Sequence[Part], scan: Scan, place: int) -> list[Rolled]:
    """Return the parts of a scan, those together that one query sums."""
    alike: dict[tuple[Sequence[str], Sequence[Added], str | None], list[int]] = {}
    for number in scan.parts:
        part = parts[number]
        column = part.bins.column if part.bins else None
        alike.setdefault((part.grouping.by, part.needs, column), []).append(number)
    bins = {binning.column: binning for binning in scan.bins}
    return [
        Rolled(
            parts=tuple(parts[number] for number in numbers),
            numbers=tuple(numbers),
            scan=scan,
            bins=bins[column] if column is not None else None,
            name=f"{PREFIX}_rolled_{place}_{at}",
        )
        for at, ((_, _, column), numbers) in enumerate(alike.items())
    ]


def part_query(names: Names, rolled_part: Rolled, source: str) -> PartQuery:
    """Return the query that sums these parts from their scan.

    Proof that what is cast to 64 bits fits: a sum is at most the rows of a source, which are no
    more than ROWS, times what one adds at most, whatever cells hold, because values are clamped.

    Proof that a group of consecutive keys is inside: `on_key` leaves cells from the first key to
    the last, so that a position is at least 0 and below the number of keys; and numbers with such
    digits are below the product of the bases.

    Proof that nothing is left to sum where a group of the scan is one cell: it then has one whole
    number for each key of the part, and a bin of the part, and nothing else. Other numbers, or
    another bin, are another cell.
    """
    part, scan, number = rolled_part.parts[0], rolled_part.scan, whole(rolled_part.numbers[0])
    query = exp.select().from_(exp.table_(source, alias="c"), copy=False)
    for key in part.grouping.by:
        query = names.on_key(query, key, exp.column(f"k{names.by.index(key)}", table="c"))
    group = names.group(part.grouping.by, names.found_position)
    place = count = rows = None
    left, is_cell = {*names.table.others, *names.table.missing, *names.table.unknown}, not scan.bins
    is_run = all(names.matches[key].run and key not in left for key in part.grouping.by)
    if rolled_part.bins is not None:
        rows = exp.column("n", table="c")
        fine = exp.column(f"b{scan.bins.index(rolled_part.bins)}", table="c")
        place, count = fine, whole(rolled_part.bins.count)
        is_cell = len(scan.bins) == 1 and not rolled_part.is_finer
        if rolled_part.is_finer:
            number, place, count = (exp.column(of, table="r") for of in ("part", "place", "count"))
            lies_in = exp.EQ(this=fine, expression=exp.column("fine", table="r"))
            query = query.join(exp.table_(rolled_part.name, alias="r"), on=lies_in)
    by = None if is_run else part.grouping.by
    query = numbered(query, names, by, group, number, place, count, rows)
    is_cell = is_cell and is_run and {*part.grouping.by} == {*scan.by}
    for at, need in enumerate(part.needs):
        column = exp.column(f"m{scan.needs.index(need)}", table="c")
        total: exp.Expression = column if is_cell else exp.Sum(this=column)
        if largest(names.table, need) * ROWS < _NARROW:  # 128 bits are read slowly
            total = to_type(total, "BIGINT")
        query.select(exp.alias_(total, f"s{at}", copy=False), copy=False)
    if not is_cell:
        query.group_by(exp.column("part"), exp.column("cell"), copy=False)
    return PartQuery(query, len(part.needs))
