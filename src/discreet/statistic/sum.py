"""The sum of a column in each group.

Sensitivity. Let a row's value lie in [L, U] steps, u = max(U, 0), l = max(-L, 0), D = u + l, M =
max(|L|, |U|), and let a unit have x_i rows in group i as in `row_sensitivity`, whose l1, squares
and largest cell are r1, r2 and r. A missing cell adds 0, so a unit's part of group i lies between
-l x_i and u x_i. add_remove: |part_i| <= M x_i, so the sums move by at most M r1, M^2 r2 and M r.
replace: the part of another unit, with y_i rows, takes its place. No cell moves by more than D r.
In l1 it is at most M (sum x + sum y) <= 2 M r1. With one group alone the move is at most D r.

In squares: with m = min(u, l), group i moves by at most M max(x_i, y_i) + m min(x_i, y_i), whatever
the signs, because a unit's parts may differ in sign from group to group. That is (M - m) max(x_i,
y_i) + m (x_i + y_i), which is convex, and so is the sum of its squares: it is largest where both
units are at corners of what they may have, each with k groups of r rows and one of s < r rows. Two
groups r moved apart give 2 M^2 r^2, moved against each other D^2 r^2: at most K r^2 with K =
max(D^2, 2 M^2); likewise K s^2 for the two groups s. Or each s meets an r of the other unit:
2 (M r + m s)^2 for these four groups. One such meeting alone, (M r + m s)^2 + M^2 (r^2 + s^2), is
never more than both of these. So the larger of K r2 and K (r2 - r^2 - s^2) + 2 (M r + m s)^2 holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

from ..aggregate import Aggregate, Measure, Noisy, Term
from ..noise.law import Law
from ..post.interval import around, downs, ups
from ..schema import About, Bounds, Table
from ..sensitivity import Sensitivity, row_sensitivity
from .ask import Ask, asked, bounds_of, check_groups
from .options import AskTogether, By, question
from .statistic import (
    AS_NAMED,
    BOTH,
    Answer,
    Expected,
    ListedStatistic,
    Question,
    Row,
    SqlFunction,
    Telling,
    cells,
    each_column,
    groups,
    in_measure,
    keyed,
)


@dataclass(frozen=True, slots=True, repr=False)
class Sum(Question):
    """Add up a column by group."""

    column: str
    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        return f"sum {self.column}{self.ask.suffix()}"

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the sum of the column in steps."""
        check_groups(table, self.ask)
        return (
            self.ask.aggregate(
                table,
                measures=(Measure("cells", (self.column,), (Term(1, (self.column,)),)),),
                sensitivity=self._sensitivity(table, bounds_of(table, self.column)),
            ),
        )

    def _sensitivity(self, table: Table, bounds: Bounds) -> Sensitivity:
        largest = max(abs(bounds.lower_step), abs(bounds.upper_step))
        spread = max(bounds.upper_step, 0) - min(bounds.lower_step, 0)
        limits = self.ask.reach(table)
        rows = row_sensitivity(table, limits, 1)  # of one unit's rows alone
        if table.neighbors == "add_remove":
            return rows.times(largest)
        if table.most_groups(self.ask.by) == 1:
            return rows.times(spread)
        both = max(spread**2, 2 * largest**2)
        rest = rows.l1 % rows.linf
        smaller = max(spread - largest, 0)  # 0 where all values have one sign
        met = 2 * (largest * rows.linf + smaller * rest) ** 2
        unmet = both * (rows.l2_squared - rows.linf**2 - rest**2)
        return Sensitivity(
            l1=2 * largest * rows.l1,
            l2_squared=max(both * rows.l2_squared, unmet + met),
            linf=spread * rows.linf,
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the noisy sums in the column's own measure; ends are rounded outward."""
        step = table.columns[self.column].step
        top, bottom = step.numerator, step.denominator
        low, high = around(noisy[0].values, laws[0].half_width(alpha))
        return Answer(
            label=self.label,
            axes=keyed(self.ask.by),
            measure="sum",
            index=tuple(groups(table, self.ask.by)),
            values=in_measure(noisy[0].values, step),
            low=downs([value * top for value in low], bottom),
            high=ups([value * top for value in high], bottom),
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width in the column's own measure."""
        return Expected(laws[0].half_width(alpha) * table.columns[self.column].step)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        return {"statistic": "sum", "column": self.column, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is an amount."""
        return Telling(f"Sum of {about.own_column(self.column)}", chart="amounts")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the sum of the usable cells."""
        del table
        return [float(sum(cells(rows, self.column)))]


@question()
def sum_(
    column: str,
    by: By = None,
    **options: Unpack[AskTogether],
) -> Sum:
    """Ask for the sum of a column in each group; missing cells add nothing.

    discreet first moves values outside of the bounds to the nearer bound.

    Args:
        column: a column with public bounds.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group, with value,
        low and high in the units of the column.

    Raises:
        InputError: an option has a wrong type or value.

    Example:
        >>> import discreet as dp
        >>> ages = {"age": dp.bounds(0, 100, step=1)}
        >>> people = dp.table("people.csv", unit="row", columns=ages)
        >>> print(dp.plan(people, dp.sum("age"), spend=dp.zcdp("1/50")).cost)
        rho = 0.02
    """
    return Sum(column, asked(by, **options))


SUM = ListedStatistic(
    "sum", sum_, each_column, tight=BOTH, joint="group", sql=(SqlFunction("SUM"),)
)
