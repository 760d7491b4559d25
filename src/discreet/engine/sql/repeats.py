"""Whether units have few rows in a group: then these are limited and looked at in less time.

Rules of this module:
- it is a question of speed alone: both ways leave the same rows, so no integer depends on it;
- both are planned before the charge, and the first rows are looked at after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import isqrt

from sqlglot import exp

from ...aggregate import Aggregate
from ...schema import Table
from ..guard import limits_of
from ..protocol import Grouping, groupings
from .bounding import grouped, named_once, rows
from .columns import PREFIX, Cell, Names
from .dialect import Dialect
from .query import Counting, counting, key_tables, names_of
from .row_cells import steps_of
from .tree import add_step, paren, picked, to_type, whole

_FEW = 2**19  # rows that are counted in less time than a look and another query take
_LOOK = 8  # times the root of all rows: some 64 r ordered pairs among them (`Quicker.pays`)


@dataclass(frozen=True, slots=True)
class Quicker:
    """A query that finds the same in less time where units have few rows in a group.

    Attributes:
        sample: brings a row for each of some groupings: of the rows looked at, how many ordered
            pairs are of one unit and group, how many are grouped, and the grouping's number.
        rows: how many rows the table has, as the server expects.
        looked: how many of them the sample looks at.
        per_unit: for each grouping how many groups of a unit stay, and of each how many rows.
    """

    query: Counting
    sample: Counting
    rows: int
    looked: int
    per_unit: tuple[tuple[int, int], ...]

    def pays(self, found: Sequence[Sequence[object]]) -> bool:
        """Say whether it takes less time in each grouping, of what the sample has brought.

        Where a grouped row has r others of its unit in its group in the mean, of n grouped rows,
        out of N, some n(n - 1)r/N ordered pairs are of one unit and group; N is to n as all rows to
        those looked at. Each row is one of some r too many, so that units have at most some r times
        as many of these as groups. It pays where that is less than half of what names a unit.
        """
        return all(map(self._pays_in, found))

    def _pays_in(self, found: Sequence[object]) -> bool:
        pairs, seen, number = (int(str(one or 0)) for one in found)
        groups, each = self.per_unit[number]
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
    is_plain = table.unit.max_rows is None and not table.joins
    if not dialect.names_once or size < _FEW or not is_plain:
        return None
    names = names_of(table, aggregates, kinds, cell, dialect)
    chosen = [
        one
        for one, asked in groupings(table, aggregates).items()
        if named_once(names, one, limits_of(table, asked), 0) is not None
    ]
    if not chosen:
        return None
    query = counting(table, aggregates, kinds=kinds, source=source, cell=cell, dialect=dialect)
    looked = _LOOK * isqrt(size)
    pairs = Counting(_pairs_of(names, chosen, source, looked), (), key_tables(names))
    per_unit = tuple((one.max_groups or 0, one.max_rows_per_group or 0) for one in chosen)
    return Quicker(query, pairs, size, looked, per_unit)


def _pairs_of(
    names: Names, chosen: Sequence[Grouping], source: exp.Expression, looked: int
) -> exp.Query:
    """Return the query of the pairs among so many rows, before any is left out."""
    steps = steps_of(names, source)
    scan = steps[0][1].find(exp.Table)
    if scan is not None and scan.parent_select is not None:
        scan.parent_select.limit(looked, copy=False)
    each = [_pairs_in(names, grouping, number) for number, grouping in enumerate(chosen)]
    found = reduce(lambda one, other: exp.Union(this=one, expression=other, distinct=False), each)
    for name, step in steps:
        add_step(found, name, step, is_stored=False)
    add_step(found, f"{PREFIX}_rows", rows(names, chosen), is_stored=len(chosen) > 1)
    return found


def _pairs_in(names: Names, grouping: Grouping, number: int) -> exp.Query:
    counted = exp.alias_(exp.Count(this=exp.Star()), "n")
    each = picked(grouped(names, grouping).subquery("a", copy=False), counted)
    each.group_by(exp.column("u"), exp.column("g"), copy=False)
    others = paren(exp.Sub(this=exp.column("n"), expression=whole(1)))
    pairs = exp.Sum(this=exp.Mul(this=exp.column("n"), expression=others))
    sums = [to_type(one, "BIGINT") for one in (pairs, exp.Sum(this=exp.column("n")))]
    return picked(each.subquery("c", copy=False), *sums, whole(number))
