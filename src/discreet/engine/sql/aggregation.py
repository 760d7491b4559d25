"""What one grouped scan must bring: the aggregates of a grouping that share their bins.

Rules of this module:
- a sum that two measures need is computed once; measures are put together from sums afterwards;
- a unit that is a row, or has one row at most, is counted as a row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ...aggregate import Aggregate, Bins, Coarse, Coordinate, Point
from ...schema import Table
from ...sums import Added, added, largest
from ..protocol import Grouping
from . import guard, points
from .columns import Names
from .places import Places
from .tree import is_there, to_type, whole

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
    found: dict[Bins | None, list[Aggregate]] = {}
    for aggregate in aggregates:
        found.setdefault(aggregate.bins, []).append(aggregate)
    return [Part(grouping, tuple(items), _needs(table, items)) for items in found.values()]


def _needs(table: Table, aggregates: Iterable[Aggregate]) -> tuple[Added, ...]:
    measures = (measure for aggregate in aggregates for measure in aggregate.measures)
    found = [counted(table, one) for measure in measures for _, one in added(measure)]
    return tuple(dict.fromkeys(found)) or (Added("rows"),)


def counted(table: Table, one: Added) -> Added:
    """Return what to add up: a unit that has one row at most is counted as a row."""
    alike = table.unit.column is None or table.unit.max_rows == 1
    return Added("rows") if alike and one.kind == "units" else one


def summed(names: Names, need: Added) -> exp.Expression:
    """Return the expression that brings what a measure needs."""
    if need.kind == "units":
        return exp.Count(this=exp.Distinct(expressions=[exp.column("u")]))
    if need.kind == "rows":
        return exp.Count(this=exp.Star())
    there = [is_there(_source(names, one)) for one in need.over]
    product = _product(names, need)
    if len(there) == 1:  # a product without a value is NULL, and so is not added
        alone = _source(names, need.over[0])
        return exp.Count(this=alone) if product is None else names.total(product, need)
    found = exp.Case().when(exp.and_(*there), whole(1) if product is None else product)
    return exp.Count(this=found) if product is None else names.total(found, need)


def _source(names: Names, one: str | Point) -> exp.Expression:
    """Return the column that is NULL where a column, or a point, is not usable."""
    return names.steps(one) if isinstance(one, str) else names.value(Coordinate(one, 0))


def _product(names: Names, need: Added) -> exp.Expression | None:
    """Return the product of the values, in as many bits as it may take; None where there is none.

    Proof: no value is beyond its `largest`, because each is clamped where it is named.
    """
    if len(need.values) < 2:
        return names.value(need.values[0]) if need.values else None
    kind = "BIGINT" if largest(names.table, need) < _NARROW else "INT128"
    one, other = (to_type(names.value(value), kind) for value in need.values)
    return exp.Mul(this=one, expression=other)


def clamped(
    names: Names, source: str, needs: Sequence[Added], bins: Iterable[Bins]
) -> exp.Select | None:
    """Return rows with the values that are summed, or have bins, clamped beside; None if none is.

    Each is worked out once, however many sums read it.
    """
    named = [value for need in needs for value in need.values]
    values = [one.column if isinstance(one, Coarse) else one for one in named]
    columns = [one for one in values if isinstance(one, str)]
    return names.with_clamped(exp.table_(source), [*columns, *(one.column for one in bins)])


def with_points(names: Names, found: exp.Expression, needs: Sequence[Added]) -> exp.Expression:
    """Return the rows to sum with the points that are needed beside, each in its ball."""
    wanted = [one for need in needs for one in need.over if isinstance(one, Point)]
    for point in dict.fromkeys(wanted):
        steps = [names.steps(column) for column in point.columns]
        number = names.points.index(point)
        found = points.with_coordinates(found, point, number, steps, names.table)
    return found


def with_place(names: Names, query: exp.Select, places: Places) -> exp.Expression:
    """Join what tells the bin of each row to a query over rows, and return the bin."""
    value = names.clamped(places.bins.column)
    places.join(query, value)
    return places.place(value.copy())


def numbered(
    query: exp.Select,
    names: Names,
    by: Sequence[str],
    group: exp.Expression,
    number: exp.Expression,
    place: exp.Expression | None,
    count: exp.Expression | None,
    rows: exp.Expression | None = None,
) -> exp.Select:
    """Return a query that says which part a row is of, and which cell: group, then bin.

    Cells that are not of the vector are left out.

    Args:
        number: of the part.
        place: the bin, where the part has bins, of which there are `count`.
        rows: how many rows the bin has, which is told by grouping: else an engine may ask of each
            row whether its bin is one, and work its bin out several times.
    """
    cell = group
    query.where(guard.inside(group.copy(), whole(names.table.groups(by))), copy=False)
    if place is not None and count is not None:
        wide = to_type(group, "BIGINT")
        cell = exp.Add(this=exp.Mul(this=wide, expression=count), expression=place)
        known = exp.and_(is_there(place.copy()), guard.inside(place.copy(), count.copy()))
        if rows is not None:
            known = exp.Case().when(exp.GT(this=rows, expression=whole(0)), known)
        query.where(known, copy=False)
    return query.select(exp.alias_(number, "part"), exp.alias_(cell, "cell"), copy=False)
