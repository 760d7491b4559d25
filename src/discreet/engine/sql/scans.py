"""How parts are counted where the unit is a row: few scans of all rows, rolled up to many parts.

Rules of this module:
- rows are grouped by their key cells as they are; the few groups then find their public keys, so
  that two ways to write one number (1 and 01) are summed once more;
- a coarser part is summed from a finer scan, because sums of whole numbers are exact;
- parts share a scan while its groups stay few, or when it brings what they need anyway; those
  with another condition on their rows have another scan;
- a scan has one kind of bins a column, cut at every edge that a part has, so that a part's bins are
  made of whole ones; parts that differ by nothing but their edges are summed in one query.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from sqlglot import exp

from ...aggregate import Bins
from ...expressions import Typed
from ...schema import Table
from ...sums import Added
from .aggregation import Part, PartQuery, clamped, numbered, summed, with_place, with_points
from .columns import PREFIX, Names
from .tree import whole

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
    scans: list[Scan] = []
    for scan in sorted(alone, key=lambda scan: -_groups(table, scan)):
        alike = [found for found in scans if found.where == scan.where]
        shared = [(found, _merged(found, scan)) for found in alike]
        shared = [pair for pair in shared if _is_worth(table, *pair)]
        if not shared:
            scans.append(scan)
            continue
        found, merged = min(shared, key=lambda pair: _groups(table, pair[1]))
        scans[scans.index(found)] = merged
    return scans


def _merged(one: Scan, other: Scan) -> Scan:
    return Scan(
        by=tuple(dict.fromkeys(one.by + other.by)),
        bins=_cut(one.bins + other.bins),
        needs=tuple(dict.fromkeys(one.needs + other.needs)),
        parts=one.parts + other.parts,
        where=one.where,
    )


def _cut(bins: Sequence[Bins]) -> tuple[Bins, ...]:
    """Return one kind of bins a column, cut wherever one of these is."""
    edges: dict[str, frozenset[int]] = {}
    for one in bins:
        edges[one.column] = edges.get(one.column, frozenset()).union(one.edges)
    return tuple(Bins(column, tuple(sorted(found))) for column, found in edges.items())


def _is_worth(table: Table, found: Scan, merged: Scan) -> bool:
    nothing_new = (found.by, found.bins, found.needs) == (merged.by, merged.bins, merged.needs)
    return nothing_new or _groups(table, merged) <= _FEW


def _groups(table: Table, scan: Scan) -> int:
    return table.groups(scan.by) * prod(bins.count for bins in scan.bins)


def clamped_query(names: Names, source: str, scans: Sequence[Scan]) -> exp.Select | None:
    """Return the rows with the values of all scans clamped beside; None where no value is used."""
    needs = [need for scan in scans for need in scan.needs]
    return clamped(names, source, needs, [bins for scan in scans for bins in scan.bins])


def scan_query(names: Names, scan: Scan, source: str) -> exp.Select:
    """Return the grouped scan of rows whose values are clamped."""
    groups = [f"k{names.by.index(key)}" for key in scan.by]
    query = exp.select(*groups)
    for number, bins in enumerate(scan.bins):
        place = with_place(names, query, names.places_of(bins))
        query.select(exp.alias_(place, f"b{number}"), copy=False)
        groups.append(f"b{number}")
    for number, need in enumerate(scan.needs):
        query.select(exp.alias_(summed(names, need), f"m{number}"), copy=False)
    if scan.bins:
        query.select(exp.alias_(exp.Count(this=exp.Star()), "n"), copy=False)
    query.from_(with_points(names, exp.table_(source), scan.needs), copy=False)
    query.where(*names.passes(scan.where), copy=False)
    return query.group_by(*groups, copy=False) if groups else query


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
        places = [np.searchsorted(one, lows, side="right") - 1 for one in edges]
        last = [max(0, len(one) - 2) for one in edges]
        inside = [np.minimum(found, most) for found, most in zip(places, last, strict=True)]
        return {
            "fine": np.tile(np.arange(len(lows)), len(self.parts)),
            "part": np.repeat(self.numbers, len(lows)),
            "place": np.concatenate(inside),
            "count": np.repeat([len(one) - 1 for one in edges], len(lows)),
        }


def rolled(parts: Sequence[Part], scan: Scan, place: int) -> list[Rolled]:
    """Return the parts of a scan, those together that one query sums."""
    alike: dict[tuple[Sequence[str], Sequence[Added], str | None], list[int]] = {}
    for number in scan.parts:
        part = parts[number]
        column = part.bins.column if part.bins else None
        alike.setdefault((part.grouping.by, part.needs, column), []).append(number)
    bins = {one.column: one for one in scan.bins}
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


def part_query(names: Names, one: Rolled, source: str) -> PartQuery:
    """Return the query that sums these parts from their scan."""
    part, number = one.parts[0], whole(one.numbers[0])
    query = exp.select().from_(exp.table_(source, alias="c"), copy=False)
    for key in part.grouping.by:
        query = names.on_key(query, key, exp.column(f"k{names.by.index(key)}", table="c"))
    group = names.group(part.grouping.by, names.found_position)
    place = count = rows = None
    if one.bins is not None:
        rows = exp.column("n", table="c")
        fine = exp.column(f"b{one.scan.bins.index(one.bins)}", table="c")
        place, count = fine, whole(one.bins.count)
        if one.is_finer:
            number, place, count = (exp.column(of, table="r") for of in ("part", "place", "count"))
            lies_in = exp.EQ(this=fine, expression=exp.column("fine", table="r"))
            query = query.join(exp.table_(one.name, alias="r"), on=lies_in)
    query = numbered(query, names, part.grouping.by, group, number, place, count, rows)
    for at, need in enumerate(part.needs):
        column = exp.column(f"m{one.scan.needs.index(need)}", table="c")
        query.select(exp.alias_(exp.Sum(this=column), f"s{at}"), copy=False)
    query.group_by(exp.column("part"), exp.column("cell"), copy=False)
    return PartQuery(query, len(part.needs))
