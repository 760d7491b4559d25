"""A count and means of the same groups as one vector: what their questions have in common.

The columns of all means are complete (`bounds(..., missing=...)`), so that each mean is of all rows
that the count counts, and one noisy count serves all of them. A row adds c to the count of its
group, and k (2 v - (L + U)) to the sum of each column, at most k W in size; c and each k are whole
numbers, so that each number has the noise that its question needs, from one law.

Sensitivity. Let S be the sum of the (k W)^2, A that of the k W, B the largest of them, and r1, r2,
r the l1, sum of squares and largest cell of counting one unit's rows (`row_sensitivity`).
add_remove: with x_i rows in group i its sums move by at most sqrt(S) x_i in length and the count by
c x_i: (S + c^2) r2 in squares, (A + c) r1 in l1, max(B, c) r in one number. replace: with y_i rows
of the unit that comes, group i moves in squares by at most S (x_i + y_i)^2 + c^2 (x_i - y_i)^2 =
(S + c^2) (x_i^2 + y_i^2) + 2 x_i y_i (S - c^2). Where c^2 <= S that is at most 2 S (x_i^2 + y_i^2),
else at most (S + c^2) (x_i^2 + y_i^2): over all groups max(4 S, 2 (S + c^2)) r2. So it is in l1,
where A (x_i + y_i) + c |x_i - y_i| is at most max(2 A, A + c) max(x_i, y_i) and at most
(A + c) (x_i + y_i): over all groups 2 (A + c) r1. A sum moves by at most 2 B r, the count by c r.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

from ..aggregate import Aggregate, Measure, Noisy, Term
from ..exact.enclosure import sqrt_up
from ..noise.law import Law
from ..post.interval import at_least
from ..post.ratio import placed, ratios
from ..post.thresholds import for_interval
from ..schema import STEPS, About, Table
from ..sensitivity import Sensitivity, row_sensitivity
from ..text import prompt
from .ask import Ask, check_groups
from .statistic import (
    AS_NAMED,
    Answer,
    Expected,
    Question,
    Statistic,
    Telling,
    groups,
    keyed,
    within_public,
)

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Joint:
    """What is counted as one vector: the rows of each group, and sums of columns.

    Attributes:
        ask: the grouping and its limits, alike in all questions.
        columns: of the sums.
        times: what half a step from the middle of a column adds to its sum.
        rows: what a row adds to the count.
    """

    ask: Ask
    columns: tuple[str, ...]
    times: tuple[int, ...]
    rows: int

    def sum_of(self, table: Table, column: str) -> Aggregate:
        """Return the centered sum of a column in each group."""
        bounds, times = table.columns[column], self.times[self.columns.index(column)]
        middle = bounds.lower_step + bounds.upper_step
        terms = (Term(2 * times, (column,)), Term(-times * middle))
        alone = replace(self, columns=(column,), times=(times,), rows=0)
        return self._aggregate(table, Measure("cells", (column,), terms), alone.moved(table))

    def count(self, table: Table) -> Aggregate:
        """Return the number of rows in each group, all of which have a cell."""
        rows = self._limits(table, table.most_groups(self.ask.by)).times(self.rows)
        return self._aggregate(table, Measure("cells", self.columns[:1], (Term(self.rows),)), rows)

    def moved(self, table: Table) -> Sensitivity:
        """Return how far one unit moves the whole vector; the proof is in the module."""
        rows = self._limits(table, 1)  # of one unit's rows alone
        sizes = [
            times * table.columns[column].width
            for column, times in zip(self.columns, self.times, strict=True)
        ]
        squares, whole, largest = sum(n * n for n in sizes), sum(sizes), max(sizes)
        if table.neighbors == "add_remove":
            return Sensitivity(
                l1=(whole + self.rows) * rows.l1,
                l2_squared=(squares + self.rows**2) * rows.l2_squared,
                linf=max(largest, self.rows) * rows.linf,
            )
        return Sensitivity(
            l1=2 * (whole + self.rows) * rows.l1,
            l2_squared=max(4 * squares, 2 * (squares + self.rows**2)) * rows.l2_squared,
            linf=max(2 * largest, self.rows) * rows.linf,
        )

    def _limits(self, table: Table, cells: int) -> Sensitivity:
        ask = self.ask
        limits = ask.reach(table)
        return row_sensitivity(table, limits, cells)

    def _aggregate(self, table: Table, measure: Measure, moved: Sensitivity) -> Aggregate:
        check_groups(table, self.ask)
        return self.ask.aggregate(
            table,
            measures=(measure,),
            sensitivity=moved,
        )


@dataclass(frozen=True, slots=True, repr=False)
class Joined(Question):
    """A question, a count or a mean, that has its numbers from a vector shared with others.

    Attributes:
        asked: the question itself.
        joint: what is counted.
        column: of a mean; None for the count.
        has_rows: whether the count of rows stands with this question.
    """

    asked: Statistic
    joint: Joint
    column: str | None
    has_rows: bool

    @property
    def ask(self) -> Ask:
        """What all questions share."""
        return self.asked.ask

    @property
    def label(self) -> str:
        """The question's own name."""
        return self.asked.label

    @property
    def times(self) -> tuple[int, ...]:
        """What a row, or half a step, adds to a number of each vector."""
        mine = () if self.column is None else (self._times,)
        return (*mine, *([self.joint.rows] if self.has_rows else []))

    @property
    def unit(self) -> Fraction:
        """What 1 of its vector is worth: in rows, or in steps of its column."""
        return Fraction(1, self.joint.rows if self.column is None else 2 * self._times)

    @property
    def _times(self) -> int:
        return self.joint.times[self.joint.columns.index(self.column or "")]

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return its part of the vector: its sum, its count, or both."""
        mine = () if self.column is None else (self.joint.sum_of(table, self.column),)
        return (*mine, *([self.joint.count(table)] if self.has_rows else []))

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the answer; of a mean from its sums, and then the counts, which are given last."""
        if self.column is None:
            return self._counted(table, noisy[0], laws[0], alpha)
        bounds, most = table.columns[self.column], Fraction(self._most(table), self.joint.rows)
        many, counts = len(noisy[0].values), noisy[-1].values
        ratio = ratios(noisy[0].values, counts, laws[0], alpha, limits=[float(most)] * many)
        means = placed(ratio, [(bounds.lower, bounds.upper)], least=-1)
        return Answer(
            label=self.label,
            axes=keyed(self.ask.by),
            measure="mean",
            index=tuple(groups(table, self.ask.by)),
            values=means.values,
            low=means.low,
            high=means.high,
            rows=tuple([count / self.joint.rows for count in counts]),
            rows_within=ratio.count_within / self.joint.rows,
        )

    def _counted(self, table: Table, noisy: Noisy, law: Law, alpha: Fraction) -> Answer:
        """Return the counts: whole numbers, and all that the interval of c times one leaves."""
        each, half = self.joint.rows, law.half_width(alpha)
        values = tuple([(2 * value + each) // (2 * each) for value in noisy.values])
        low = [-((half - value) // each) for value in noisy.values]
        high = [(value + half) // each for value in noisy.values]
        answer = Answer(
            label=self.label,
            axes=keyed(self.ask.by),
            measure="rows",
            index=tuple(groups(table, self.ask.by)),
            values=values,
            low=at_least(0, tuple(map(min, low, values))),
            high=at_least(0, tuple(map(max, high, values))),
        )
        return within_public(table, answer)

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width of the count, or about the widest of the mean, times its rows."""
        if self.column is None:
            half = Fraction(laws[0].half_width(alpha), self.joint.rows) + _HALF
            return Expected(Fraction(floor(half)), whole=self.ask.size)
        bounds = table.columns[self.column]
        half = laws[0].half_width(for_interval(alpha)) * self._worth(table)
        of = STEPS.get(bounds.kind, "")
        return Expected(half, per_row=True, whole=bounds.upper - bounds.lower, of=of)

    def widest(self, table: Table, most: Fraction, alpha: Fraction) -> tuple[int, Fraction]:
        """Return the widest half-width of the noise that keeps an error, and at which chance."""
        if self.column is None:
            return max(0, ceil(self.joint.rows * (floor(most) + _HALF)) - 1), alpha
        return floor(most / self._worth(table)), for_interval(alpha)

    def _worth(self, table: Table) -> Fraction:
        """Return how far 1 of noise moves a mean at an end of its bounds, times its rows."""
        far = sqrt_up(1 + Fraction(self._most(table), self.joint.rows) ** 2)
        return table.columns[self.column or ""].step * self.unit * far

    def _most(self, table: Table) -> int:
        return self._times * table.columns[self.column or ""].width

    def plain(self) -> dict[str, object]:
        """Return the question as plain data; who shares its vector follows from the plan."""
        return self.asked.plain()

    def __repr__(self) -> str:
        return prompt("Joined", self.label)  # no call of a person makes it

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return what the question says."""
        return self.asked.telling(about)

    def textbook(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> Sequence[float | None]:
        """Return what the question says is true."""
        return self.asked.textbook(table, rows)
