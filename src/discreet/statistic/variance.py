"""The variance of a column in each group, and its square root, from one noisy vector.

With L and U the bounds, W = U - L and u = 2 v - (L + U) a cell in half steps from the middle, each
usable cell adds the whole numbers l_- = u (u - W) / 2, l_0 = W^2 - u^2 and l_+ = u (u + W) / 2:
Lagrange's polynomials at the lower bound, the middle and the upper bound, times W^2. They make W^2
together, and hold the count, the sum and the sum of squares of a group, at no further price.

Sensitivity. Let m be the largest d (W - 2 d) over whole d from 0 to W / 2. With |u| = W - 2 d one
of l_- and l_+ is -d (W - 2 d), and the rest are at least 0. So a row adds at most W^2 + 2 m in l1;
in one number between -m and W^2. In squares it adds W^4 (1 - 3 x^2 (1 - x^2) / 2) with x = u / W,
at most W^4. Let r1, r2, r be the l1, squares and largest cell of counting a unit's rows
(`row_sensitivity`). add_remove: norms add up over the rows of a group, so l1 moves by at most
(W^2 + 2 m) r1, squares by W^4 r2, a number by W^2 r. replace: l1 doubles, and a number moves by at
most (W^2 + m) r. The product of what two rows x and y add is not below 0 where x and y have one
sign; with y = -t it is W^4 (s (s - 1) / 2 + (1 - x^2) (1 - t^2)), s = x t, at least -W^4 / 8. So
with x_i and y_i rows group i moves by at most W^4 (x_i^2 + y_i^2 + 2 x_i y_i / 8) in squares, and
2 x_i y_i <= x_i^2 + y_i^2: over all groups by 9 W^4 r2 / 4.

Grid. Where a bound is more than 2^20 steps from 0, cells are first moved to a grid of at most 2^20
parts of the bounds: noise is wider by far, and sums of squares stay small.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import pvariance
from statistics import variance as sample_variance
from typing import Literal, Unpack

from ..aggregate import Aggregate, Coarse, Measure, Noisy, Term, Value
from ..exact.enclosure import sqrt_up
from ..noise.law import Law
from ..post.ratio import Shares, placed
from ..post.spread import FOR_MEAN, variances
from ..post.thresholds import FOR_COUNT, factors, for_interval
from ..schema import About, Table
from ..sensitivity import Sensitivity, row_sensitivity
from .ask import SAMPLE, Ask, asked, bounds_of, check_groups, is_sample
from .options import AskTogether, By, question
from .statistic import (
    AS_NAMED,
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

_FINEST = 2**20  # parts of the bounds
_AT_A_QUARTER = (
    "The ± of a std is for values around the middle of their range, with a std of a quarter of it; "
    "it is wider where they lie closer together, or near a bound."
)


@dataclass(frozen=True, slots=True)
class Grid:
    """The whole numbers that a column's cells are read as: a value between two ends."""

    value: Value
    low: int
    high: int

    @property
    def width(self) -> int:
        """The length of the range."""
        return self.high - self.low

    def measures(self) -> tuple[Measure, ...]:
        """Return Lagrange's polynomials at both ends and between, times the width squared."""
        v, low, high = (self.value,), self.low, self.high
        return tuple(
            Measure("cells", v, (Term(a, v + v), Term(b, v), Term(c)))
            for a, b, c in (
                (2, -(3 * high + low), high * (low + high)),
                (-4, 4 * (low + high), -4 * low * high),
                (2, -(3 * low + high), low * (low + high)),
            )
        )


def grid_of(column: str, table: Table) -> Grid:
    """Return the column's own grid, or a coarser one where that is too fine."""
    bounds = bounds_of(table, column, may_be_time=True)
    if max(abs(bounds.lower_step), abs(bounds.upper_step)) <= _FINEST:
        return Grid(column, bounds.lower_step, bounds.upper_step)
    parts = min(bounds.width, _FINEST)
    return Grid(Coarse(column, parts), 0, parts)


@dataclass(frozen=True, slots=True, repr=False)
class Variance(Question):
    """How far a column's cells are spread, by group: their variance, or its square root."""

    column: str
    ask: Ask
    name: Literal["variance", "std"] = "variance"
    sample: bool = False

    @property
    def label(self) -> str:
        """A short name."""
        form = ", sample" if self.sample else ""
        return f"{self.name} {self.column}{form}{self.ask.suffix()}"

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the sums of the three polynomials."""
        check_groups(table, self.ask, cells_per_group=3)
        grid = grid_of(self.column, table)
        return (
            self.ask.aggregate(
                table,
                measures=grid.measures(),
                sensitivity=self._sensitivity(table, grid.width),
            ),
        )

    def _sensitivity(self, table: Table, width: int) -> Sensitivity:
        limits = self.ask.reach(table)
        rows = row_sensitivity(table, limits, 1)  # of one unit's rows alone
        below = max(d * (width - 2 * d) for d in (width // 4, width // 4 + 1))
        square = width**2
        if table.neighbors == "add_remove":
            return Sensitivity(
                l1=(square + 2 * below) * rows.l1,
                l2_squared=square**2 * rows.l2_squared,
                linf=square * rows.linf,
            )
        return Sensitivity(
            l1=2 * (square + 2 * below) * rows.l1,
            l2_squared=9 * square**2 * rows.l2_squared // 4,
            linf=(square + below) * rows.linf,
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the variances with valid intervals, and the noisy number of rows of each.

        A value is None where there are too few rows to say, or where no variance fits the numbers.
        """
        bounds, square = table.columns[self.column], grid_of(self.column, table).width ** 2
        sums = [noisy[0].values[place::3] for place in range(3)]
        level = alpha * (1 - FOR_COUNT) if self.sample else alpha
        shares = variances(sums[0], sums[1], sums[2], laws[0], level)
        end = (bounds.upper - bounds.lower) / 2
        if self.sample:
            shares = _of_samples(shares, sums, square, laws[0], alpha * FOR_COUNT)
        if self.name == "std":
            roots = tuple([v if v is None else v**0.5 for v in shares.values])
            shares = replace(shares, values=roots, low=shares.low**0.5, high=shares.high**0.5)
        if self.name == "std":
            largest = sqrt_up(2 * end**2) if self.sample else end
        else:
            largest = 2 * end**2 if self.sample else end**2
        spread = placed(shares, [(Fraction(0), largest)])
        return Answer(
            label=self.label,
            axes=keyed(self.ask.by),
            measure=self.name,
            index=tuple(groups(table, self.ask.by)),
            values=spread.values,
            low=spread.low,
            high=spread.high,
            rows=tuple([sum(of) / square for of in zip(*sums, strict=True)]),
            rows_within=shares.count_within / square,
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return about the widest half-width, to be divided by the rows in the group.

        That of a variance is widest where all cells lie at one bound: the weights are then 4, 1 and
        0. That of a standard deviation depends on it; here it is a quarter of the range, around the
        middle, with weights 3/4, 1/4 and 3/4.
        """
        bounds, width = table.columns[self.column], grid_of(self.column, table).width
        level = alpha * (1 - FOR_COUNT) if self.sample else alpha
        half = laws[0].half_width(for_interval(level) * (1 - FOR_MEAN))
        end = (bounds.upper - bounds.lower) / 2
        unit = end / width
        if self.name == "std":
            wide = half * sqrt_up(Fraction(19, 16)) * unit / width
            return Expected(wide, per_row=True, whole=end, note=_AT_A_QUARTER)
        return Expected(half * sqrt_up(Fraction(17)) * unit**2, per_row=True, whole=end**2)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        form = {"sample": True} if self.sample else {}
        return {"statistic": self.name, "column": self.column, **form, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return what it is called; a sample's has no interval of its own for a difference."""
        name = "Variance" if self.name == "variance" else "Standard deviation"
        form = SAMPLE if self.sample else ""
        heading = f"{name} of {about.own_column(self.column)}{form}"
        if self.sample:
            return Telling(heading)
        return Telling(heading, compared="variances" if self.name == "variance" else "stds")

    def counted_in(self, table: Table) -> str:
        """Return what the three numbers of a row make together."""
        return f", {grid_of(self.column, table).width ** 2:,} in all for each row"

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the mean square of the distances from the mean, or its root."""
        del table
        usable = [Fraction(cell) for cell in cells(rows, self.column)]
        if len(usable) < 1 + self.sample:
            return [None]
        spread = float(sample_variance(usable) if self.sample else pvariance(usable))
        return [spread**0.5 if self.name == "std" else spread]


@question("sample")
def variance(
    column: str,
    by: By = None,
    *,
    sample: bool = False,
    **options: Unpack[AskTogether],
) -> Variance:
    """Ask for the variance of a column in each group, over the usable cells. The divisor is the
    number of these cells; with `sample` it is one less.

    Args:
        column: a column with public bounds.
        sample: whether to divide by the number of rows less one, to estimate the value of the
            population from which the rows were drawn. The interval does not include sampling error.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group, with value,
        low and high in the square of the column's units, and the noisy number of rows. A
        value is None if the noise hides the group.

    Raises:
        InputError: an option has a wrong type or value.

    Source: a ratio of noisy sums has the interval of Fieller 1954, with the exact law of the noise.

    Example:
        >>> print(dp.variance("wage", by="ward").label)
        variance wage by ward
    """
    return Variance(column, asked(by, **options), sample=is_sample(sample))


@question("sample")
def std(
    column: str,
    by: By = None,
    *,
    sample: bool = False,
    **options: Unpack[AskTogether],
) -> Variance:
    """Ask for the standard deviation of a column in each group: the square root of `variance`.

    Args:
        column: a column with public bounds.
        sample: whether to divide by the number of rows less one, to estimate the value of the
            population from which the rows were drawn. The interval does not include sampling error.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group, with value,
        low and high in the units of the column, and the noisy number of rows. A value is None
        if the noise hides the group.

    Raises:
        InputError: an option has a wrong type or value.

    Source: a ratio of noisy sums has the interval of Fieller 1954, with the exact law of the noise.

    Example:
        >>> print(dp.std("wage", by="ward").label)
        std wage by ward
    """
    return Variance(column, asked(by, **options), "std", is_sample(sample))


def _of_samples(
    shares: Shares, sums: Sequence[Sequence[int]], square: int, law: Law, alpha: Fraction
) -> Shares:
    """Return variances as shares of the largest that a sample can have, twice that of all rows."""
    import numpy as np

    counts = np.array([sum(of) for of in zip(*sums, strict=True)], dtype=float)
    by = factors(counts, square, law, len(sums), alpha)
    pairs = zip(shares.values, (by.value / 2).tolist(), strict=True)
    return replace(
        shares,
        values=tuple([None if v is None else min(v * f, 1.0) for v, f in pairs]),
        low=np.minimum(shares.low * by.low / 2, 1.0),
        high=np.minimum(shares.high * by.high / 2, 1.0),
    )


def _examples(table: Table) -> Iterable[Options]:
    """Return each column, and one of them as a sample."""
    examples = list(each_column(table))
    return [*examples, {**examples[0], "sample": True}]


def _functions(of_all: str, *of_samples: str) -> tuple[SqlFunction, ...]:
    function = SqlFunction(of_all)
    return (function, *(SqlFunction(name, options={"sample": True}) for name in of_samples))


VARIANCE = ListedStatistic(
    "variance",
    variance,
    _examples,
    tight=("add_remove",),
    joint="group",
    sql=_functions("VAR_POP", "VAR_SAMP", "VARIANCE"),
)
STD = ListedStatistic(
    "std",
    std,
    _examples,
    tight=("add_remove",),
    joint="group",
    sql=_functions("STDDEV_POP", "STDDEV_SAMP", "STDDEV"),
)
