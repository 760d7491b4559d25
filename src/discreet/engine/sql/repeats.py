"""Whether units have few rows in a group: then these are limited and looked at in less time.

Rules of this module:
- it is a question of speed alone: both ways leave the same rows, so no integer depends on it;
- both are planned before the charge, and the first rows are looked at after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt

from sqlglot import exp

from ...aggregate import Aggregate
from ...schema import Table
from ..protocol import Grouping, groupings
from .bounding import grouped, rows
from .columns import PREFIX, Cell, Names
from .dialect import Dialect
from .query import Counting, counting, key_tables, names_of
from .row_cells import steps_of
from .tree import add_step, paren, picked, whole

_FEW = 2**19  # rows that are counted in less time than a look and another query take
_LOOK = 8  # times the root of all rows: what is looked at has some 20 pairs where it matters


@dataclass(frozen=True, slots=True)
class Quicker:
    """A query that finds the same in less time where units have few rows in a group.

    Attributes:
        sample: brings one row: of the first rows, how many ordered pairs are of one unit and group,
            and how many are grouped.
        rows: how many rows the table has, as the server expects.
        looked: how many of them the sample looks at.
        per_unit: how many groups of a unit stay, and of each how many rows.
    """

    query: Counting
    sample: Counting
    rows: int
    looked: int
    per_unit: tuple[int, int]

    def pays(self, found: Sequence[Sequence[object]]) -> bool:
        """Say whether it takes less time, of what the sample has brought.

        Of n grouped rows, out of N, some n(n - 1)r/N ordered pairs are of one unit and group, where
        a row has r others beside it in the mean. So a unit has some r times as many rows too many
        as it has groups. It pays where these are less than half of those that name it.
        """
        pairs, seen = (int(str(one or 0)) for one in found[0])
        groups, each = self.per_unit
        return 2 * groups * pairs * self.rows < each * seen * self.looked


def quicker(
    table: Table,
    aggregates: Sequence[Aggregate],
    *,
    kinds: Mapping[str, str],
    source: exp.Expression,
    cell: Cell,
    dialect: Dialect,
    size: int,
) -> Quicker | None:
    """Return the other query; None where there is none, or a look at rows is not worth it.

    Args:
        size: how many rows the table has, as the server expects.
    """
    limits = [
        (one, (one.max_groups, one.max_rows_per_group))
        for one in groupings(table, aggregates)
        if one.max_groups is not None and one.max_rows_per_group is not None
    ]
    is_plain = table.unit.max_rows is None and not table.joins
    if not dialect.names_once or size < _FEW or not is_plain or not limits:
        return None
    query = counting(table, aggregates, kinds=kinds, source=source, cell=cell, dialect=dialect)
    names, looked = names_of(table, aggregates, kinds, cell, dialect), _LOOK * isqrt(size)
    grouping, (groups, each) = limits[0]
    pairs = Counting(_pairs_of(names, grouping, source, looked), (), key_tables(names))
    return Quicker(query, pairs, size, looked, (groups or 0, each or 0))


def _pairs_of(names: Names, grouping: Grouping, source: exp.Expression, looked: int) -> exp.Select:
    """Return the query of the pairs among so many rows, before any is left out."""
    steps = steps_of(names, source)
    scan = steps[0][1].find(exp.Table)
    if scan is not None and scan.parent_select is not None:
        scan.parent_select.limit(looked, copy=False)
    number = exp.alias_(exp.Count(this=exp.Star()), "n")
    each = picked(grouped(names, grouping).subquery("a", copy=False), number)
    each.group_by(exp.column("u"), exp.column("g"), copy=False)
    others = paren(exp.Sub(this=exp.column("n"), expression=whole(1)))
    ordered = exp.Sum(this=exp.Mul(this=exp.column("n"), expression=others))
    found = picked(each.subquery("c", copy=False), ordered, exp.Sum(this=exp.column("n")))
    for name, step in [*steps, (f"{PREFIX}_rows", rows(names, [grouping]))]:
        add_step(found, name, step, is_stored=False)
    return found
