"""Between the rows that bounding left and their sums: each is looked at again.

Rules of this module:
- nothing here trusts the steps before: a value is clamped again, a cell that is not of the vector
  is left out, and where a unit has more rows or groups than it may have, none of its rows counts;
- only whole numbers of fixed length are looked at, by comparing, adding and counting: no cell of
  the data can make that fail;
- the rows of a unit decide only their own fate.

So whatever the choice of rows does wrong, in our code or in an engine, one unit moves a vector by
at most what its limits allow, or by nothing.

Decision 9.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from ..aggregate import Aggregate
from ..schema import Table
from ..sensitivity import reach


@dataclass(frozen=True, slots=True)
class Limits:
    """How many groups one unit may be left in, and how many of its rows in all groups and in one.

    Without a limit on rows (None) only distinct units are counted.
    """

    groups: int
    rows: int | None
    rows_per_group: int | None


def limits_of(table: Table, aggregates: Iterable[Aggregate]) -> Limits:
    """Return what the declaration and the questions allow one unit: the least of all.

    It follows from the questions themselves, and not from what the choice of rows made of them.
    """
    each = [_allowed(table, allowed) for allowed in aggregates]
    return Limits(
        groups=min(allowed.groups for allowed in each),
        rows=_least(allowed.rows for allowed in each),
        rows_per_group=_least(allowed.rows_per_group for allowed in each),
    )


def _allowed(table: Table, aggregate: Aggregate) -> Limits:
    if (
        all(measure.kind == "units" for measure in aggregate.measures)
        and table.unit.max_rows is None
    ):
        groups = table.most_groups(aggregate.by)
        return Limits(
            min(aggregate.max_groups or groups, groups), None, aggregate.max_rows_per_group
        )
    reached = reach(table, aggregate.by, aggregate.max_groups, aggregate.max_rows_per_group)
    return Limits(reached.groups, reached.rows, reached.rows_per_group)


def _least(limits: Iterable[int | None]) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


def fit(counts: Mapping[Hashable, Iterable[int]], limits: Limits) -> set[Hashable]:
    """Return the units whose rows, by group, are within the limits.

    Example:
        >>> fit({"ann": [2, 1], "bob": [3]}, Limits(groups=2, rows=3, rows_per_group=2))
        {'ann'}
    """
    fitting = set()
    for unit, rows in counts.items():
        numbers = list(rows)
        each = [
            (len(numbers), limits.groups),
            (sum(numbers), limits.rows),
            (max(numbers, default=0), limits.rows_per_group),
        ]
        if all(most is None or number <= most for number, most in each):
            fitting.add(unit)
    return fitting
