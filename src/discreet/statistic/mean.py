"""The mean of a column in each group: a centered sum over a count, from one noisy vector.

Each usable cell v in [L, U] adds v - L to one integer of its group and U - v to another. With n
usable cells their sum is n (U - L) and their difference 2 sum(v) - n (L + U): a count and a
centered sum, measured together, at no further price.

Sensitivity. A row adds two numbers of at least 0 that make W = U - L together. A unit's x_i rows
of group i so add two numbers that make at most W x_i: with r1, r2, r the l1, sum of squares and
largest cell of counting its rows (`row_sensitivity`), the vector moves by at most W r1 in l1,
W^2 r2 in squares (a^2 + b^2 <= (a + b)^2) and W r in one cell. replace: parts go and parts come;
one cell holds parts between 0 and W r, so it moves by at most W r, and the others double, also with
one group, because rows can move from one of its two cells to the other.

Known rows. Where the unit is a row, neighbors replace one, and every row counts (no group, no
condition, a column whose missing cells count as a value), the public number of rows n is that of
all neighbors. Then one number is enough, the sum of 2 v - (L + U) in half steps, each between -W
and W: one row in place of another moves it by at most 2 W, which is l1, the root of the squares,
and linf. A row that a source reads as none moves it by W. The mean lies half of the sum over n
steps from the middle, and its noise is that of the sum alone: there is no count to be clear of.

Decision 2.

The weighted mean of a column in each group: two weighted sums, from one noisy vector.

Each row in which both cells are usable, v in [L, U] and the weight w in [0, M], adds w (v - L) to
one integer of its group and w (U - v) to another: with W = U - L they make W times the sum of
weights together.

Sensitivity: that of a mean (`mean.py`), whose proof asks only that a row adds two numbers of at
least 0 that make at most one number together; here it is W M.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

from ..aggregate import Aggregate, Measure, Noisy, Term
from ..errors import InputError, shown
from ..exact.number import Number, text_of
from ..fix import BLANK, call, leave_out, name_columns, write
from ..noise.law import Law
from ..post.ratio import placed, shares
from ..post.thresholds import for_interval
from ..schema import STEPS, About, Bounds, Table
from ..sensitivity import Sensitivity, row_sensitivity
from .ask import Ask, asked, bounds_of, check_groups, known_rows, known_words
from .mean_vector import MeanVector, mean_vector, over_known
from .options import AskTogether, By, question
from .statistic import (
    AS_NAMED,
    BOTH,
    Answer,
    Expected,
    ListedStatistic,
    Options,
    Question,
    Row,
    SqlFunction,
    Telling,
    cells,
    each_column,
    groups,
    keyed,
)

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
        column, bounds = self.weights, bounds_of(table, self.weights)
        if bounds.lower < 0 or column == self.column:
            raise InputError(
                f"{shown(column)} cannot be the weights of {shown(self.column)}.",
                kind="wrong-columns",
                why="a weight is a number of at least 0, in a column of its own"
                if bounds.lower >= 0
                else f"a weight is at least 0, and its lower bound is {text_of(bounds.lower)}",
                fix=write(of="table", columns={column: call("discreet.bounds", 0, BLANK)}),
                at="weights",
            )
        return bounds

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the weighted distances to both bounds, summed."""
        check_groups(table, self.ask, cells_per_group=2)
        bounds, weights = bounds_of(table, self.column, may_be_time=True), self._weights(table)
        limits = self.ask.reach(table)
        both, weight = (self.weights, self.column), (self.weights,)
        rows = row_sensitivity(table, limits, 2 * table.most_groups(self.ask.by))
        return (
            self.ask.aggregate(
                table,
                measures=(
                    Measure("cells", both, (Term(1, both), Term(-bounds.lower_step, weight))),
                    Measure("cells", both, (Term(-1, both), Term(bounds.upper_step, weight))),
                ),
                sensitivity=rows.times(bounds.width * weights.upper_step),
            ),
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the ratio with a valid interval; `rows` is the noisy sum of the weights.

        A value is None where there are too few rows to say.
        """
        bounds, values = table.columns[self.column], noisy[0].values
        low, high = values[0::2], values[1::2]
        ratio = shares(low, high, laws[0], alpha)
        means = placed(ratio, [(bounds.lower, bounds.upper)])
        size = float(table.columns[self.weights].step / bounds.width)
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
        bounds = table.columns[self.column]
        half = laws[0].half_width(for_interval(alpha)) * bounds.step
        most = self._weights(table).upper_step
        whole = bounds.upper - bounds.lower
        return Expected(half / most, per_row=True, whole=whole, note=_IF_ALL_WEIGH_MOST)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        own = {"statistic": "mean", "column": self.column, "weights": self.weights}
        return {**own, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is a value of the column; of logarithms it is a geometric mean."""
        of = about.column(self.column)
        is_log = about.show(self.column) == "exp"
        heading = f"Typical {of} (geometric mean)" if is_log else f"Mean of {of}"
        return Telling(f"{heading}, weighted by {self.weights}")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the weighted sum of the cells over the sum of the weights."""
        del table
        names = (self.weights, self.column)
        pairs = [(row[names[0]], row[names[1]]) for row in rows]
        points = [(Fraction(w), Fraction(v)) for w, v in pairs if w is not None and v is not None]
        whole = sum(w for w, _ in points)
        return [float(sum(w * v for w, v in points) / whole) if whole else None]


@dataclass(frozen=True, slots=True, repr=False)
class Mean(Question):
    """Average a column by group."""

    column: str
    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        return f"mean {self.column}{self.ask.suffix()}"

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the distances to both bounds, summed."""
        check_groups(table, self.ask, cells_per_group=2, beside=self.column)
        bounds = bounds_of(table, self.column, may_be_time=True)
        if self.known(table):
            return (self._centered(bounds),)
        limits = self.ask.reach(table)
        cell = (self.column,)
        rows = row_sensitivity(table, limits, 2 * table.most_groups(self.ask.by))
        return (
            self.ask.aggregate(
                table,
                measures=(
                    Measure("cells", cell, (Term(1, cell), Term(-bounds.lower_step))),
                    Measure("cells", cell, (Term(-1, cell), Term(bounds.upper_step))),
                ),
                sensitivity=rows.times(bounds.width),
            ),
        )

    def known(self, table: Table) -> int | None:
        """Return the public number of rows, where the mean is of exactly as many; else None."""
        if table.neighbors != "replace":
            return None
        return known_rows(table, self.ask, (self.column,))

    def _centered(self, bounds: Bounds) -> Aggregate:
        """Return the sum of half steps from the middle of the bounds."""
        cell, most = (self.column,), 2 * bounds.width
        terms = (Term(2, cell), Term(-bounds.lower_step - bounds.upper_step))
        return Aggregate(
            by=(),
            measures=(Measure("cells", cell, terms),),
            sensitivity=Sensitivity(l1=most, l2_squared=most**2, linf=most),
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the ratio with a valid interval, and the noisy number of rows it is made of.

        A value is None where there are too few rows to say.
        """
        bounds = table.columns[self.column]
        values = noisy[0].values
        if known := self.known(table):
            within, ends = laws[0].half_width(alpha), (bounds.lower, bounds.upper)
            value, low_end, high_end = over_known(
                values[0], within, known, unit=bounds.step / 2, ends=ends
            )
            return Answer(
                label=self.label,
                axes=(),
                measure="mean",
                index=((),),
                values=(value,),
                low=(low_end,),
                high=(high_end,),
                rows=(float(known),),
                rows_within=0.0,
            )
        low, high = values[0::2], values[1::2]
        ratio = shares(low, high, laws[0], alpha)
        means, width = placed(ratio, [(bounds.lower, bounds.upper)]), bounds.width
        return Answer(
            label=self.label,
            axes=keyed(self.ask.by),
            measure="mean",
            index=tuple(groups(table, self.ask.by)),
            values=means.values,
            low=means.low,
            high=means.high,
            rows=tuple([(a + b) / width for a, b in zip(low, high, strict=True)]),
            rows_within=ratio.count_within / width,
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return about the widest half-width, to be divided by the rows in the group."""
        bounds = table.columns[self.column]
        of = STEPS.get(bounds.kind, "")
        if known := self.known(table):
            half = laws[0].half_width(alpha) * bounds.step / (2 * known)  # exact: rationals
            note = known_words(self.label, "a noisy sum", known)
            return Expected(half, whole=bounds.upper - bounds.lower, of=of, note=note)
        half = laws[0].half_width(for_interval(alpha)) * bounds.step
        return Expected(half, per_row=True, whole=bounds.upper - bounds.lower, of=of)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        return {"statistic": "mean", "column": self.column, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is a value of the column; of logarithms it is a geometric mean."""
        of = about.column(self.column)
        is_log = about.show(self.column) == "exp"
        heading = f"Typical {of} (geometric mean)" if is_log else f"Mean of {of}"
        return Telling(heading, compared="shares", joined=True)

    def counted_in(self, table: Table) -> str:
        """Return that its sums move in steps, or around the middle of known rows in half steps."""
        half = "half " if self.known(table) else ""
        return f", in {half}steps of {text_of(table.columns[self.column].step)}"

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the mean of the usable cells."""
        del table
        usable = cells(rows, self.column)
        return [float(sum(usable) / Fraction(len(usable))) if usable else None]


@question("weights")
def mean(
    column: str | Iterable[str],
    by: By = None,
    *,
    ball: Number | None = None,
    weights: str | None = None,
    **options: Unpack[AskTogether],
) -> Mean | MeanVector | WeightedMean:
    """Ask for the mean of a column in each group, over the usable cells of this column.

    Several columns are averaged together, over the rows in which all of these columns are usable.
    Each column gets a number. Under zCDP this number has less noise than in a question of its own.
    With a ball, discreet first moves the vector of each row into the ball.

    Args:
        column: a column with public bounds, or a list of them.
        **options: those of all questions about groups.
        ball: the radius of a ball around the middle of the columns' bounds, in the units of the
            columns. The columns then have one common step, and the radius is a multiple of this
            step.
        weights: a column with bounds from 0 on, whose cell says how often each row counts. (For a
            weighted count, ask for the `sum` of this column.)

    Returns: a question for `discreet.plan`. The answer has a row for each group, with value,
        low and high in the units of the column, and the noisy number of rows. A value is None
        if the noise hides the group.

    Raises:
        InputError: there are no columns, or a column is named twice. The radius is not above 0, or
            there is one column. `weights` names several columns.

    Example:
        >>> print(dp.mean(["x", "y"], by="ward", ball="1.5").label)
        mean (x, y) in a ball of 1.5 by ward
    """
    ask = asked(by, **options)
    if weights is not None:
        return _weighted(column, weights, ball, ask)
    if not isinstance(column, str) and isinstance(column, Iterable):
        return mean_vector(tuple(column), ball, ask)
    if ball is not None:
        return mean_vector((column,), ball, ask)
    return Mean(column, ask)


def _weighted(column: object, weights: object, ball: object, ask: Ask) -> WeightedMean:
    if not isinstance(column, str) or not isinstance(weights, str) or ball is not None:
        raise InputError(
            "a weighted mean takes one column, one column of weights, and no ball.",
            kind="settings-clash",
            why="the weight of a row multiplies its cell, and whole numbers hold one product",
            fix=(leave_out("ball"), leave_out("weights"))
            if ball is not None
            else (name_columns("weights", weights), leave_out("weights")),
        )
    return WeightedMean(column, weights, ask)


def _examples(table: Table) -> Iterable[Options]:
    """Return each column, all together, in a ball where they have one step, and one weighted."""
    yield from each_column(table)
    weights = [name for name, bounds in table.columns.items() if bounds.lower >= 0]
    others = [name for name in table.columns if name != weights[0]] if weights else []
    yield from [{"column": name, "weights": weights[0]} for name in others[:1]]
    together = list(table.columns)
    yield {"column": together}
    steps = {table.columns[column].step for column in together}
    if len(steps) == 1 and len(together) > 1:
        yield {"column": together, "ball": steps.pop()}


MEAN = ListedStatistic(
    "mean",
    mean,
    _examples,
    tight=BOTH,
    joint="group",
    sql=(SqlFunction("AVG"), SqlFunction("MEAN")),
)
