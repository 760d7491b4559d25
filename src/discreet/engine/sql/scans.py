"""How parts are counted where the unit is a row: few scans of all rows, rolled up to many parts.

Rules of this module:
- rows are grouped by their key cells as they are; the few groups then find their public keys, so
  that two ways to write one number (1 and 01) are summed once more;
- a coarser part is summed from a finer scan, because sums of whole numbers are exact;
- parts share a scan while its groups stay few, or when it brings what they need anyway.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from sqlglot import exp

from ...aggregate import Bins
from ...sums import Added
from .aggregation import Part, numbered, summed, with_place, with_values
from .columns import PREFIX, Names

_FEW = 2_048  # groups; measured: beyond some thousands, a wider group costs more than a second scan


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan groups by and brings, and the numbers of the parts that it answers."""

    by: tuple[str, ...]
    bins: tuple[Bins, ...]
    needs: tuple[Added, ...]
    parts: tuple[int, ...]


def scans_of(names: Names, parts: Sequence[Part]) -> list[Scan]:
    """Return the scans that answer all parts; the finest parts choose first."""
    alone = [
        Scan(part.grouping.by, (part.bins,) if part.bins else (), part.needs, (number,))
        for number, part in enumerate(parts)
    ]
    scans: list[Scan] = []
    for scan in sorted(alone, key=lambda scan: -_groups(names, scan)):
        shared = [(found, _merged(found, scan)) for found in scans]
        shared = [pair for pair in shared if _is_worth(names, *pair)]
        if not shared:
            scans.append(scan)
            continue
        found, merged = min(shared, key=lambda pair: _groups(names, pair[1]))
        scans[scans.index(found)] = merged
    return scans


def _merged(one: Scan, other: Scan) -> Scan:
    return Scan(
        by=tuple(dict.fromkeys(one.by + other.by)),
        bins=tuple(dict.fromkeys(one.bins + other.bins)),
        needs=tuple(dict.fromkeys(one.needs + other.needs)),
        parts=one.parts + other.parts,
    )


def _is_worth(names: Names, found: Scan, merged: Scan) -> bool:
    nothing_new = (found.by, found.bins, found.needs) == (merged.by, merged.bins, merged.needs)
    return nothing_new or _groups(names, merged) <= _FEW


def _groups(names: Names, scan: Scan) -> int:
    return names.table.groups(scan.by) * prod(bins.count for bins in scan.bins)


def scan_query(names: Names, scan: Scan) -> exp.Select:
    """Return the grouped scan."""
    groups = [f"k{names.by.index(key)}" for key in scan.by]
    query = exp.select(*groups)
    for number, bins in enumerate(scan.bins):
        place = with_place(names, query, names.places_of(bins))
        query.select(exp.alias_(place, f"b{number}"), copy=False)
        groups.append(f"b{number}")
    for number, need in enumerate(scan.needs):
        query.select(exp.alias_(summed(names, need), f"m{number}"), copy=False)
    query.from_(with_values(names, f"{PREFIX}_cells", scan.needs, scan.bins), copy=False)
    return query.group_by(*groups, copy=False) if groups else query


def part_query(names: Names, part: Part, number: int, scan: Scan, source: str) -> exp.Select:
    """Return a part, summed from its scan."""
    query = exp.select().from_(exp.to_table(source).as_("c"))
    for key in part.grouping.by:
        query = names.on_key(query, key, exp.column(f"k{names.by.index(key)}", table="c"))
    group = names.group(part.grouping.by, lambda key: names.position(key, joined=True))
    bins = scan.bins.index(part.bins) if part.bins else 0
    query = numbered(query, names, number, group, part, exp.column(f"b{bins}", table="c"))
    for place, need in enumerate(part.needs):
        column = exp.column(f"m{scan.needs.index(need)}", table="c")
        query.select(exp.alias_(exp.Sum(this=column), f"s{place}"), copy=False)
    return query.group_by("cell", copy=False)
