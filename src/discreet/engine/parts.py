"""What one grouped scan must bring: the aggregates of a grouping that share their bins.

Rules of this module:
- a sum that two measures need is computed once; measures are put together from sums afterwards;
- a unit that is a row, or has one row at most, is counted as a row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ..aggregate import Aggregate, Bins, Coordinate
from ..schema import Table
from . import balls, guard_query
from .engine import Grouping
from .names import Names
from .places import Places
from .tree import is_there, whole

Need = tuple[str, str | Coordinate | None]  # rows, units, sum or count; of which column


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


def parts_of(table: Table, grouping: Grouping, aggregates: Sequence[Aggregate]) -> list[Part]:
    """Return the aggregates of a grouping by their bins."""
    found: dict[Bins | None, list[Aggregate]] = {}
    for aggregate in aggregates:
        found.setdefault(aggregate.bins, []).append(aggregate)
    return [Part(grouping, tuple(items), _needs(table, items)) for items in found.values()]


def _needs(table: Table, aggregates: Iterable[Aggregate]) -> tuple[Need, ...]:
    needs: dict[Need, None] = {}
    for measure in (measure for aggregate in aggregates for measure in aggregate.measures):
        if measure.kind != "cells":
            needs[counted(table, measure.kind), None] = None
            continue
        if measure.slope:
            needs["sum", measure.column] = None
        if measure.offset:
            needs["count", measure.column] = None
    return tuple(needs)


def counted(table: Table, kind: str) -> str:
    """Return what to count for a measure of units or rows."""
    return "rows" if table.unit.column is None or table.unit.max_rows == 1 else kind


def summed(names: Names, need: Need) -> exp.Expression:
    """Return the expression that brings what a measure needs."""
    kind, value = need
    if value is None:
        what = exp.Distinct(expressions=[exp.column("u")]) if kind == "units" else exp.Star()
        return exp.Count(this=what)
    found = names.value(value)
    return exp.Sum(this=found) if kind == "sum" else exp.Count(this=found)


def with_values(
    names: Names, source: str, needs: Sequence[Need], bins: Iterable[Bins]
) -> exp.Expression:
    """Return the rows to sum, with the values and the points that are needed beside, clamped."""
    summed = [value for _, value in needs if isinstance(value, str)]
    values = [*summed, *(one.column for one in bins)]
    found = names.with_clamped(exp.to_table(source), values)
    points = [value.point for _, value in needs if isinstance(value, Coordinate)]
    for point in dict.fromkeys(points):
        steps = [names.steps(column) for column in point.columns]
        number = names.points.index(point)
        found = balls.with_coordinates(found, point, number, steps, names.table)
    return found


def with_place(names: Names, query: exp.Select, places: Places) -> exp.Expression:
    """Join what tells the bin of each row to a query over rows, and return the bin."""
    value = names.clamped(places.bins.column)
    places.join(query, value)
    return places.place(value.copy())


def numbered(
    query: exp.Select,
    names: Names,
    number: int,
    group: exp.Expression,
    part: Part,
    place: exp.Expression,
) -> exp.Select:
    """Return a query that says which part a row is of, and which cell: group, then bin.

    Cells that are not of the vector are left out.
    """
    cell = group
    query = query.where(guard_query.inside(group.copy(), names.table.groups(part.grouping.by)))
    if part.bins is not None:
        wide = exp.cast(group, "BIGINT")
        scaled = exp.Mul(this=wide, expression=whole(part.bins.count))
        cell = exp.Add(this=scaled, expression=place)
        query = query.where(
            is_there(place.copy()), guard_query.inside(place.copy(), part.bins.count)
        )
    return query.select(exp.alias_(whole(number), "part"), exp.alias_(cell, "cell"))
