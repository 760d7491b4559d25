"""From the rows that the query brings to sealed vectors: the same for every engine of SQL.

Rules of this module:
- a cell that no row is in counts nothing;
- what an engine returns is not trusted: a cell that is not of the vector is left out, and what is
  no whole number stops all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import cast

from ...aggregate import Aggregate, Exact
from ...schema import Table
from ...sums import Added, added
from .aggregation import Part, counted

Columns = Mapping[Added, Sequence[int]]


def vectors(
    table: Table,
    aggregates: Sequence[Aggregate],
    parts: Sequence[Part],
    rows: Iterable[Sequence[object]],
) -> tuple[Exact, ...]:
    """Return one sealed vector per aggregate, from rows of (part, cell, sums ...)."""
    of_part: list[list[Sequence[object]]] = [[] for _ in parts]
    for row in rows:
        of_part[_whole(row[0])].append(row)
    found = {
        id(aggregate): vector
        for part, own in zip(parts, of_part, strict=True)
        for aggregate, vector in _of_part(table, part, own)
    }
    return tuple(Exact(found[id(aggregate)]) for aggregate in aggregates)


def _of_part(
    table: Table, part: Part, rows: Sequence[Sequence[object]]
) -> Iterator[tuple[Aggregate, tuple[int, ...]]]:
    wide = 2 + len(part.needs)  # rows are as wide as those of the widest part
    found = map(_wholes, islice(zip(*rows, strict=True), wide)) if rows else [()] * wide
    _, cells, *sums = found
    columns = dict(zip(part.needs, sums, strict=True))
    for aggregate in part.aggregates:
        yield aggregate, _vector(table, aggregate, cells, columns)


def _wholes(found: Sequence[object]) -> Sequence[int]:
    return cast("Sequence[int]", found) if set(map(type, found)) == {int} else [*map(_whole, found)]


def _whole(found: object) -> int:
    """Return a whole number that a driver has made an int or a decimal of; 0 for NULL."""
    if type(found) is int:
        return found
    if found is None:
        return 0
    if type(found) is not Decimal or found != int(found):
        raise TypeError("a sum is no whole number")  # told as one fixed text: `quietly`
    return int(found)


def _vector(
    table: Table, aggregate: Aggregate, cells: Sequence[int], columns: Columns
) -> tuple[int, ...]:
    groups, bins, measures = aggregate.shape(table)
    vector = [0] * (groups * bins * measures)
    for at, measure in enumerate(aggregate.measures):
        terms = [(factor, columns[counted(table, one)]) for factor, one in added(measure)]
        for cell, number in zip(cells, _total(terms, len(cells)), strict=True):
            if 0 <= cell < groups * bins:
                vector[cell * measures + at] = number
    return tuple(vector)


def _total(terms: Sequence[tuple[int, Sequence[int]]], many: int) -> Sequence[int]:
    """Return the numbers of columns, so many each, added up with their factors."""
    if len(terms) == 1 and terms[0][0] == 1:
        return terms[0][1]
    total = [0] * many
    for factor, column in terms:
        total = [so_far + factor * number for so_far, number in zip(total, column, strict=True)]
    return total
