"""One row of each unit, without a sort: that of the group which comes first.

Rules of this module:
- why no integer changes: which group stays is what ranks by hash and number say;
- it hangs on the declaration and the questions alone, never on rows.

Proof. If one group of a unit stays, and one row of it, and no value is looked at, then all that is
used of this row is its unit and its group. Which of the group's rows it is, is no matter. The same
is so if any number of its rows stay and nothing but distinct units is counted: a unit adds 1 to its
group, or 0, however many rows it has there. The group is the one with the least hash, and of equal
hashes the one with the least number: the first in the order that ranks have (`bounding.at_once`).

Decision 157.
"""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from ....aggregate import Aggregate
from ....schema import Table
from ...protocol import Grouping, groupings
from ..columns import Names
from ..tree import picked
from .pruned import hashed


def is_enough(grouping: Grouping, aggregates: Iterable[Aggregate]) -> bool:
    """Say whether one row of each unit is all that a grouping's questions look at."""
    if grouping.max_groups != 1 or grouping.columns:
        return False
    only_units = all(m.kind == "units" for aggregate in aggregates for m in aggregate.measures)
    return grouping.max_rows_per_group == 1 or only_units


def is_all(table: Table, aggregates: Sequence[Aggregate]) -> bool:
    """Say whether no question looks at more, so that no row is sorted, nor pruned before."""
    shared = groupings(table, aggregates)
    return table.unit.max_rows is None and all(is_enough(*pair) for pair in shared.items())


def of_units(names: Names, rows: exp.Select) -> exp.Select:
    """Return a row for each unit, of its first group; without a way to find it, rows as they are.

    Args:
        names: the engine's hashes among them.
        rows: those that are wanted: u, and g the number of the group.
    """
    first = names.reader.dialect.speed.first
    if first is None:
        return rows
    group = exp.alias_(first(exp.column("h"), exp.column("g")), "g")
    units = picked(hashed(names, rows).subquery("a", copy=False), "u", group)
    return units.group_by(exp.column("u"), copy=False)
