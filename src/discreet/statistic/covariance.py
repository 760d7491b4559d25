"""How columns vary together, by group: covariances, or correlations, from one noisy vector.

Sensitivity, and what is counted, stand below. Rows count where the cells of all columns are
usable, and sums are divided by their number, not by one less.

Counts, sums, squares and products of several columns in each group, in one noisy vector.

A row counts where the cells of all columns are usable. A cell v of a column in [L, U] is read as
u = 2 v - (L + U), at most W = U - L in size, so that x = u / W lies in [-1, 1]. Each row adds 1,
each x, x^2 - 1/2 for columns whose squares are asked, and x times the x of another, each times
a whole number of about 2^30, chosen so that the noise is least where it is shared out best.

Sensitivity. The squares of what a row adds make a sum that is convex in each x^2: so it is
largest where each x^2 is 0 or 1. There (x^2 - 1/2)^2 is the same, and all else is more where x^2 is
1: it is largest where each x is -1 or 1, and there it is P, made of the whole numbers as they are.
The sizes make at most their sum A there, because |x^2 - 1/2| is at most 1/2; the largest is M. With
r1, r2, r the l1, squares and largest cell of counting a unit's rows (`row_sensitivity`).
add_remove: norms add up over the rows of a group, so A r1 in l1, P r2 in squares, M r in one
number. replace: l1 and the largest number double; with x_i and y_i rows group i moves by at most
sqrt(P) (x_i + y_i), in squares at most 2 P (x_i^2 + y_i^2): over all groups 4 P r2.

Weights. Noise of variance P / (2 rho) on a number of weight w errs by P / w^2. The sum of these is
least where w^2 is in proportion to the root of what its term adds to P at weight 1: 1 for all but
x^2 - 1/2, which adds 1/4, and so has 2^(1/2) times the square.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from statistics import pvariance
from typing import Any, Literal, Unpack

from ..aggregate import Aggregate, Coarse, Measure, Noisy, Term, Value
from ..errors import InputError, as_given
from ..exact.enclosure import sqrt_up
from ..fix import Do, call, name_columns
from ..noise.law import Law
from ..post.interval import down
from ..post.moments import Moments
from ..post.thresholds import FOR_COUNT, for_interval
from ..schema import About, Bounds, Table
from ..sensitivity import Sensitivity, row_sensitivity
from .ask import SAMPLE, Ask, asked, bounds_of, check_groups, is_sample
from .options import AskOptions, By, question
from .statistic import (
    AS_NAMED,
    Answer,
    Axis,
    Expected,
    Inner,
    ListedStatistic,
    Options,
    Question,
    Row,
    SqlFunction,
    Telling,
    groups,
    keyed,
    named,
)

_FINEST = 2**12  # parts of the bounds
_SIZE = 2**30  # of what a row adds at most to a number, about
_ROOTS = (1_189, 1_000)  # 2^(1/4), the weight of a square
_WEIGHTS = Fraction(13, 8)  # squared, of noise in a correlation of 1: 1 + 2^(1/2) / 4 + 1 / 4


@dataclass(frozen=True, slots=True)
class Column:
    """One column as it is read: a value of whole numbers between two ends."""

    value: Value
    low: int
    high: int

    @property
    def width(self) -> int:
        """The length of the range."""
        return self.high - self.low

    @property
    def middle(self) -> int:
        """Twice the middle of the range."""
        return self.low + self.high


@dataclass(frozen=True, slots=True)
class MomentPart:
    """One number of a group: which columns are multiplied in it, and what 1 in [-1, 1] adds."""

    columns: tuple[int, ...]
    weight: int
    measure: Measure

    @property
    def most(self) -> Fraction:
        """The largest size that a row adds."""
        is_square = len(self.columns) == 2 and self.columns[0] == self.columns[1]
        return Fraction(self.weight, 2 if is_square else 1)


def parts_of(table: Table, names: Sequence[str], squares: Sequence[int]) -> list[MomentPart]:
    """Return the numbers of a group: the count, the sums, the squares that are asked, the products.

    Args:
        table: the declaration.
        names: the columns.
        squares: the places of the columns of which squares are needed.
    """
    columns = [_column(table, name) for name in names]
    values = tuple(column.value for column in columns)
    parts = [MomentPart((), _SIZE, Measure("cells", values, (Term(_SIZE),)))]
    for i, grid in enumerate(columns):
        a = max(1, _SIZE // grid.width)
        line = (Term(2 * a, (grid.value,)), Term(-a * grid.middle))
        parts.append(MomentPart((i,), a * grid.width, Measure("cells", values, line)))
    for i in squares:
        grid = columns[i]
        # 2 a (u^2 - W^2 / 2) with u = 2 v - m
        a = max(1, _SIZE * _ROOTS[0] // (2 * _ROOTS[1] * grid.width**2))
        square = (
            Term(8 * a, (grid.value, grid.value)),
            Term(-8 * a * grid.middle, (grid.value,)),
            Term(2 * a * grid.middle**2 - a * grid.width**2),
        )
        parts.append(MomentPart((i, i), 2 * a * grid.width**2, Measure("cells", values, square)))
    for i, j in combinations(range(len(columns)), 2):
        grid, other = columns[i], columns[j]
        a = max(1, _SIZE // (grid.width * other.width))
        both = (
            Term(4 * a, (grid.value, other.value)),
            Term(-2 * a * other.middle, (grid.value,)),
            Term(-2 * a * grid.middle, (other.value,)),
            Term(a * grid.middle * other.middle),
        )
        weight = a * grid.width * other.width
        parts.append(MomentPart((i, j), weight, Measure("cells", values, both)))
    return parts


def moments_of(table: Table, ask: Ask, parts: Sequence[MomentPart]) -> Aggregate:
    """Return the vector of these numbers, in each group."""
    check_groups(table, ask, cells_per_group=len(parts))
    limits = ask.reach(table)
    rows = row_sensitivity(table, limits, 1)  # of one unit's rows alone
    most = [part.most for part in parts]
    sizes, squares = sum(most), sum(bound * bound for bound in most)
    largest, twice = max(most), 1 if table.neighbors == "add_remove" else 2
    return ask.aggregate(
        table,
        measures=tuple(part.measure for part in parts),
        sensitivity=Sensitivity(
            l1=-(-sizes.numerator * twice * rows.l1 // sizes.denominator),
            l2_squared=-(-squares.numerator * twice**2 * rows.l2_squared // squares.denominator),
            linf=-(-largest.numerator * twice * rows.linf // largest.denominator),
        ),
    )


def several(argument: object, least: int, asks: str = "", beside: object = None) -> tuple[str, ...]:
    """Return the names of different columns of a question, or raise InputError.

    `beside` was given as its groups, and may be one of the columns.
    """
    names = (
        [argument]
        if isinstance(argument, str)
        else list(argument)
        if isinstance(argument, Sequence)
        else []
    )
    columns = tuple(name for name in names if isinstance(name, str))
    if len(columns) < max(least, len(names)) or len(set(columns)) < len(columns):
        raise InputError(
            f"{as_given(argument)} is not a list of {least} or more different columns.",
            kind="wrong-columns",
            why="each column is read with all the others, in the rows where all are usable",
            fix=Do(call(f"discreet.{asks}", [*names, beside]))
            if isinstance(argument, str) and isinstance(beside, str) and beside != argument
            else name_columns("column", names, least=least, most=max(least, len(names))),
            at="column",
        )
    return columns


def steps_of(bounds: Bounds) -> int:
    """Return into how many parts the bounds of a column are cut."""
    return min(bounds.width, _FINEST)


def _column(table: Table, name: str) -> Column:
    """Return a column's own grid, or a coarser one where that is too fine."""
    bounds = bounds_of(table, name, may_be_time=True)
    if bounds.width <= _FINEST and max(abs(bounds.lower_step), abs(bounds.upper_step)) <= _SIZE:
        return Column(name, bounds.lower_step, bounds.upper_step)
    return Column(Coarse(name, steps_of(bounds)), 0, steps_of(bounds))


@dataclass(frozen=True, slots=True, repr=False)
class Covariance(Question):
    """How each two of several columns vary together, by group."""

    columns: tuple[str, ...]
    ask: Ask
    name: Literal["covariance", "correlation"] = "covariance"
    sample: bool = False

    @property
    def label(self) -> str:
        """A short name."""
        form = ", sample" if self.sample else ""
        return f"{self.name} ({', '.join(self.columns)}){form}{self.ask.suffix()}"

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.columns)), 2))

    def inner(self, table: Table) -> Inner:
        """Return the pairs of columns, where there are several."""
        del table
        pairs = tuple(f"{self.columns[i]}, {self.columns[j]}" for i, j in self._pairs)
        return (Axis("column", "column"), pairs) if len(pairs) > 1 else None

    def _parts(self, table: Table) -> list[MomentPart]:
        needed = range(len(self.columns)) if self.name == "correlation" else ()
        return parts_of(table, self.columns, list(needed))

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the moments."""
        return (moments_of(table, self.ask, self._parts(table)),)

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the numbers with valid intervals, and the noisy number of rows of each group.

        A value is None where there are too few rows to say.
        """
        parts = [(part.columns, part.weight) for part in self._parts(table)]
        moments = Moments(noisy[0].values, parts, laws[0], alpha)
        ask = moments.sample_covariance if self.sample else moments.covariance
        if self.name == "correlation":
            ask = moments.correlation
        estimates = [ask(i, j) for i, j in self._pairs]
        sizes = [self._size(table, i, j) for i, j in self._pairs]
        inner = self.inner(table)
        every = [
            (group, at) for group in range(len(moments.counts)) for at in range(len(estimates))
        ]
        index = groups(table, self.ask.by)
        return Answer(
            label=self.label,
            axes=(*keyed(self.ask.by), *([inner[0]] if inner else [])),
            measure=self.name,
            index=tuple([(*g, name) for g in index for name in inner[1]] if inner else index),
            values=tuple([_value(estimates[at].values[g], sizes[at]) for g, at in every]),
            low=tuple([_low(estimates[at].low[g], sizes[at]) for g, at in every]),
            high=tuple([-_low(-estimates[at].high[g], sizes[at]) for g, at in every]),
            rows=tuple([float(moments.counts[group]) for group, _ in every]),
            rows_within=moments.counts_within,
        )

    def _size(self, table: Table, i: int, j: int) -> Fraction:
        """Return what 1 is worth in the measure of the columns."""
        if self.name == "correlation":
            return Fraction(1)
        ends = [table.columns[self.columns[at]] for at in (i, j)]
        return (ends[0].upper - ends[0].lower) * (ends[1].upper - ends[1].lower) / 4

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return about the widest half-width, to be divided by the rows in the group.

        That of a covariance is widest where all rows lie in one corner: weights 1, 1, 1 and 1. That
        of a correlation depends on it; here both deviations are a quarter of the range.
        """
        weight = min(part.weight for part in self._parts(table))
        level = alpha * (1 - FOR_COUNT) if self.sample else alpha
        half = laws[0].half_width(for_interval(level) * Fraction(9, 10)) / Fraction(weight)
        wide = max(self._size(table, i, j) for i, j in self._pairs)
        if self.name == "correlation":
            return Expected(half * sqrt_up(_WEIGHTS) * 4, per_row=True, whole=Fraction(1))
        return Expected(half * 2 * wide, per_row=True, whole=wide)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        form = {"sample": True} if self.sample else {}
        return {"statistic": self.name, "column": list(self.columns), **form, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return what it is called."""
        form = SAMPLE if self.sample else ""
        return Telling(f"{self.name.capitalize()} of {named(self.columns, about)}{form}")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the mean products of distances from the means, over both deviations or not."""
        del table
        cells = [[row[column] for column in self.columns] for row in rows]
        points = [list(map(Fraction, point)) for point in cells if None not in point]
        if len(points) < 1 + self.sample:
            return [None] * len(self._pairs)
        columns, numbers = list(zip(*points, strict=True)), list[float | None]()
        for i, j in self._pairs:
            first, other = columns[i], columns[j]
            m, n = sum(first) / len(first), sum(other) / len(other)  # exact: rationals
            both = sum((x - m) * (y - n) for x, y in zip(first, other, strict=True))
            both = both / (len(first) - self.sample)  # exact: rationals
            if self.name == "correlation":
                spread = pvariance(first) * pvariance(other)
                numbers.append(float(both) / float(spread) ** 0.5 if spread else None)
            else:
                numbers.append(float(both))
        return numbers


def _value(share: Any, size: Fraction) -> float | None:
    return None if share != share else float(share) * float(size)  # noqa: PLR0124 - NaN


def _low(share: Any, size: Fraction) -> float:
    """Return a low end in a measure, rounded down."""
    exact = Fraction(float(share)) * size
    return down(exact.numerator, exact.denominator)


@question("sample")
def covariance(
    column: Sequence[str],
    by: By = None,
    *,
    sample: bool = False,
    **options: Unpack[AskOptions],
) -> Covariance:
    """Ask for the covariance of each two of several columns in each group, over the rows in which
    all columns are usable. The divisor is the number of these rows; with `sample` it is one less.

    Args:
        column: two or more columns with public bounds.
        sample: whether to divide by the number of rows less one, to estimate the value of the
            population from which the rows were drawn. The interval does not include sampling error.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group and each pair
        of columns, with value, low and high in the product of their units, and the noisy number
        of rows.

    Raises:
        InputError: there are fewer than two columns, or a column is named twice.

    Source: docs/laws/moments.md.

    Example:
        >>> print(dp.covariance(["wage", "age"], by="ward"))
        covariance (wage, age) by ward
    """
    ask = asked(by, **options)
    return Covariance(several(column, 2, "covariance", by), ask, sample=is_sample(sample))


@question()
def correlation(
    column: Sequence[str],
    by: By = None,
    **options: Unpack[AskOptions],
) -> Covariance:
    """Ask for the correlation (Pearson's) of each two of several columns in each group.

    Args:
        column: two or more columns with public bounds.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group and each pair
        of columns, with value, low and high between -1 and 1, and the noisy number of rows.

    Raises:
        InputError: there are fewer than two columns, or a column is named twice.

    Source: docs/laws/moments.md.

    Example:
        >>> print(dp.correlation(["wage", "age"], by="ward"))
        correlation (wage, age) by ward
    """
    ask = asked(by, **options)
    return Covariance(several(column, 2, "correlation", by), ask, "correlation")


def _examples(table: Table) -> Iterable[Options]:
    """Return two columns, where there are two."""
    names = list(table.columns)
    return [{"column": names[:2]}] if len(names) > 1 else []


def _both_forms(table: Table) -> Iterable[Options]:
    """Return two columns, of the rows and of a sample."""
    return [{**example, **form} for example in _examples(table) for form in ({}, {"sample": True})]


_TWO = ("column", "column")
_SQL = (SqlFunction("COVAR_POP", _TWO), SqlFunction("COVAR_SAMP", _TWO, {"sample": True}))
COVARIANCE = ListedStatistic("covariance", covariance, _both_forms, sql=_SQL)
CORRELATION = ListedStatistic(
    "correlation", correlation, _examples, sql=(SqlFunction("CORR", _TWO),)
)
