"""The sum of a column in each group.

Sensitivity. Let a row's value lie in [L, U] steps, M = max(|L|, |U|), D = max(U, 0) - min(L, 0),
and let a unit have x_i rows in group i as in `row_sensitivity`, whose l1, sum of squares and largest
cell are r1, r2 and r. A missing cell adds 0, so a unit's part of group i lies between
x_i min(L, 0) and x_i max(U, 0). add_remove: |part_i| <= M x_i, so the sums move by at most M r1,
M^2 r2 and M r. replace: the part of another unit, with y_i rows, takes its place. No cell moves by
more than D r. In l1 it is at most M (sum x + sum y) <= 2 M r1. In squares, with the parts a x_i of
one sign and b y_i of the other, sum (a x_i + b y_i)^2 <= r2 (a + b)^2 <= r2 D^2 by Cauchy and
Schwarz; with parts of one sign, sum (M x_i)^2 + (M y_i)^2 <= 2 M^2 r2. So max(D^2, 2 M^2) r2 covers
both. With one group alone the move is at most D r.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..aggregate import Aggregate, Measure, Noisy, Sensitivity, reach, row_sensitivity
from ..mechanism.law import Law
from ..post.interval import around
from ..schema import Bounds, Table
from .statistic import Answer, Ask, Expected, asked, bounds_of, check_groups, groups


@dataclass(frozen=True, slots=True)
class Sum:
    """Add up a column by group."""

    column: str
    ask: Ask

    @property
    def weight(self) -> int:
        """This statistic's part of the loss."""
        return self.ask.weight

    @property
    def label(self) -> str:
        """A short name."""
        return f"sum {self.column}{self.ask.suffix()}"

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the sum of the column in steps."""
        check_groups(table, self.ask)
        return (
            Aggregate(
                by=self.ask.by,
                measures=(Measure("cells", self.column, slope=1),),
                sensitivity=self._sensitivity(table, bounds_of(table, self.column)),
                max_groups=self.ask.max_groups,
                max_rows_per_group=self.ask.max_rows_per_group,
            ),
        )

    def _sensitivity(self, table: Table, found: Bounds) -> Sensitivity:
        largest = max(abs(found.lower_step), abs(found.upper_step))
        spread = max(found.upper_step, 0) - min(found.lower_step, 0)
        limits = reach(table, self.ask.by, self.ask.max_groups, self.ask.max_rows_per_group)
        rows = row_sensitivity(table, limits, 1)  # of one unit's rows alone
        if table.neighbors == "add_remove":
            return rows.times(largest)
        if table.groups(self.ask.by) == 1:
            return rows.times(spread)
        return Sensitivity(
            l1=2 * largest * rows.l1,
            l2_squared=max(spread**2, 2 * largest**2) * rows.l2_squared,
            linf=spread * rows.linf,
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the noisy sums in the column's own measure."""
        step = table.columns[self.column].step
        low, high = around(noisy[0].values, laws[0].half_width(alpha))
        return Answer(
            label=self.label,
            columns=self.ask.by,
            index=tuple(groups(table, self.ask.by)),
            values=_in_measure(noisy[0].values, step),
            low=_in_measure(low, step),
            high=_in_measure(high, step),
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width in the column's own measure."""
        return Expected(laws[0].half_width(alpha) * table.columns[self.column].step)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        return {"statistic": "sum", "column": self.column, **self.ask.plain()}


def sum_(
    column: str,
    by: str | Iterable[str] | None = None,
    *,
    max_groups: int | None = None,
    max_rows_per_group: int | None = None,
    weight: int = 1,
) -> Sum:
    """Ask for the sum of a column in each group; missing cells add nothing.

    Args:
        column: a column with public bounds.
        by, max_groups, max_rows_per_group, weight: as for `count`.
    """
    return Sum(column, asked(by, max_groups, max_rows_per_group, weight))


def _in_measure(steps: Sequence[int], step: Fraction) -> tuple[float, ...]:
    return tuple(float(value * step) for value in steps)
