"""From the rows that the query brings to sealed vectors: the same for every engine of SQL.

Rules of this module:
- a cell that no row is in counts nothing;
- what an engine returns is not trusted: a cell that is not of the vector is left out, and what is
  no whole number stops all.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from ...aggregate import Aggregate, Exact
from ...schema import Table
from ...sums import added
from .aggregation import Part, counted

Sums = Mapping[int, tuple[int, ...]]


def vectors(
    table: Table,
    aggregates: Sequence[Aggregate],
    parts: Sequence[Part],
    rows: Iterable[Sequence[object]],
) -> tuple[Exact, ...]:
    """Return one sealed vector per aggregate, from rows of (part, cell, sums ...)."""
    cells: list[dict[int, tuple[int, ...]]] = [{} for _ in parts]
    for part, cell, *sums in rows:
        cells[_whole(part)][_whole(cell)] = tuple(map(_whole, sums))
    found = {
        id(aggregate): _vector(table, aggregate, part, sums)
        for part, sums in zip(parts, cells, strict=True)
        for aggregate in part.aggregates
    }
    return tuple(Exact(found[id(aggregate)]) for aggregate in aggregates)


def _whole(found: object) -> int:
    """Return a whole number that a driver has made an int or a decimal of; 0 for NULL."""
    if type(found) is int:
        return found
    if found is None:
        return 0
    if type(found) is not Decimal or found != int(found):
        raise TypeError("a sum is no whole number")  # told as one fixed text: `quietly`
    return int(found)


def _vector(table: Table, aggregate: Aggregate, part: Part, found: Sums) -> tuple[int, ...]:
    places = {need: number for number, need in enumerate(part.needs)}
    groups, bins, measures = aggregate.shape(table)
    made = [
        [(factor, places[counted(table, one)]) for factor, one in added(measure)]
        for measure in aggregate.measures
    ]
    vector = [0] * (groups * bins * measures)
    for cell, sums in found.items():
        if 0 <= cell < groups * bins:
            start = cell * measures
            vector[start : start + measures] = [
                sum([factor * sums[place] for factor, place in terms]) for terms in made
            ]
    return tuple(vector)
