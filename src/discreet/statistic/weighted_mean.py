"""The weighted mean of a column in each group: two weighted sums, from one noisy vector.

Each row in which both cells are usable, v in [L, U] and the weight w in [0, M], adds w (v - L) to
one integer of its group and w (U - v) to another: with W = U - L they make W times the sum of
weights together.

Sensitivity: that of a mean (`mean.py`), whose proof asks only that a row adds two numbers of at
least 0 that make at most one number together; here it is W M.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..aggregate import Aggregate, Measure, Noisy, Term
from ..errors import InputError, shown
from ..exact.number import text_of
from ..fix import BLANK, call, write
from ..noise.law import Law
from ..post.ratio import placed, shares
from ..post.shown import for_interval
from ..schema import Bounds, Table
from ..sensitivity import row_sensitivity
from .answer import Answer, groups, keyed
from .ask import Ask, bounds_of, check_groups
from .listed import Row
from .statistic import Expected, Question

_IF_ALL_WEIGH_MOST = (
    "The ± of a weighted mean is for rows that weigh as much as the bounds of the weights allow; "
    "where they weigh half of that, it is twice as wide."
)


@dataclass(frozen=True, slots=True, repr=False)
class WeightedMean(Question):
    """Average a column by group, each row as often as its weight says."""

    column: str
    weights: str
    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        return f"mean {self.column} weighted by {self.weights}{self.ask.suffix()}"

    def _weights(self, table: Table) -> Bounds:
        column, found = self.weights, bounds_of(table, self.weights)
        if found.lower < 0 or column == self.column:
            raise InputError(
                f"{shown(column)} cannot be the weights of {shown(self.column)}.",
                why="a weight is a number of at least 0, in a column of its own"
                if found.lower >= 0
                else f"a weight is at least 0, and its lower bound is {text_of(found.lower)}",
                fix=write(of="table", columns={column: call("discreet.bounds", 0, BLANK)}),
                at="weights",
            )
        return found

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the weighted distances to both bounds, summed."""
        check_groups(table, self.ask, cells_per_group=2)
        found, weights = bounds_of(table, self.column, may_be_time=True), self._weights(table)
        limits = self.ask.reach(table)
        both, weight = (self.weights, self.column), (self.weights,)
        rows = row_sensitivity(table, limits, 2 * table.most_groups(self.ask.by))
        return (
            self.ask.aggregate(
                table,
                measures=(
                    Measure("cells", both, (Term(1, both), Term(-found.lower_step, weight))),
                    Measure("cells", both, (Term(-1, both), Term(found.upper_step, weight))),
                ),
                sensitivity=rows.times(found.width * weights.upper_step),
            ),
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the ratio with a valid interval; `rows` is the noisy sum of the weights.

        A value is None where there are too few rows to say.
        """
        found, values = table.columns[self.column], noisy[0].values
        low, high = values[0::2], values[1::2]
        ratio = shares(low, high, laws[0], alpha)
        means = placed(ratio, [(found.lower, found.upper)])
        size = float(table.columns[self.weights].step / found.width)
        return Answer(
            label=self.label,
            axes=keyed(self.ask.by),
            measure="mean",
            index=tuple(groups(table, self.ask.by)),
            values=means.values,
            low=means.low,
            high=means.high,
            rows=tuple([(a + b) * size for a, b in zip(low, high, strict=True)]),
            rows_within=ratio.count_within * size,
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return about the widest half-width, to be divided by the rows, if all weigh most."""
        found = table.columns[self.column]
        half = laws[0].half_width(for_interval(alpha)) * found.step
        most = self._weights(table).upper_step
        whole = found.upper - found.lower
        return Expected(half / most, per_row=True, whole=whole, note=_IF_ALL_WEIGH_MOST)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        own = {"statistic": "mean", "column": self.column, "weights": self.weights}
        return {**own, **self.ask.plain()}

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the weighted sum of the cells over the sum of the weights."""
        del table
        names = (self.weights, self.column)
        found = [(row[names[0]], row[names[1]]) for row in rows]
        points = [(Fraction(w), Fraction(v)) for w, v in found if w is not None and v is not None]
        whole = sum(w for w, _ in points)
        return [float(sum(w * v for w, v in points) / whole) if whole else None]
