"""The mean of several columns in each group: d centered sums and one count, measured together.

A row counts where the cells of all columns are usable. Without a ball, a cell v in [L, U] adds
u = k (2 v - (L + U)) to its sum, at most k W far from 0; the whole numbers k make all k W alike, to
a thousandth, so that each column's noise is in proportion to its width W. With a ball, steps are
one size and u is what `aggregate.Ball` leaves: the row's vector has at most the length of the
radius. Let S bound the sum of the squares of a row's d numbers, A that of their sizes, and B the
size of one of them. Each row adds c to the count too, with c^2 <= S, so that c <= A.

Sensitivity. Let a unit have x_i rows that count in group i, and r1, r2, r be the l1, sum of squares
and largest cell of counting its rows (`row_sensitivity`). Its sums in group i have length at most
sqrt(S) x_i, their sizes make at most A x_i, and none is beyond B x_i. add_remove: l1 moves by at
most (A + c) r1, the squares by (S + c^2) r2, a cell by max(B, c) r. replace: with y_i rows of the
unit that comes, group i moves by at most S (x_i + y_i)^2 + c^2 (x_i - y_i)^2 in squares, which is
at most 2 S (x_i^2 + y_i^2), because c^2 <= S and 2 x_i y_i <= x_i^2 + y_i^2: over all groups
4 S r2. A sum moves by at most 2 B r, a count by c r. l1 moves by at most A (x_i + y_i) +
c |x_i - y_i|: over all groups 2 (A + c) r1, in one group alone 2 A r1, because c <= A.

The count's weight. With Gaussian noise of variance (S + c^2) / (2 rho), the d means of n rows err
by about (d + |u|^2 / c^2) (S + c^2) / (2 rho n^2) in squares, |u| <= sqrt(S) their own length. That
is least, where |u| is largest, for c^2 = S / sqrt(d): (1 + 1 / sqrt(d)) (d + sqrt(d)) S, where d
means one by one err by 4 d S. In the replace relation the count is free up to c^2 = S.

Known rows. Where no row can drop out (`known_rows`), the public number of rows is that of all
neighbors, and there is no count. One row in place of another moves the d sums by the difference of
two vectors u: by at most 2 sqrt(S) in length, 2 A in l1 and 2 B in one number; a row that a source
reads as none moves them by half of that. Each mean is its sum over n, with the noise of the sum.

How the cells of several columns become the whole numbers of a vector, in a box or a ball.

Rules of this module:
- in a box each column counts in a step of its own, so that all are of one width, to a thousandth;
- in a ball all columns count in half steps of their one grid, from the middle of their bounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import gcd, isqrt, lcm

from ..aggregate import MAX_LENGTH, Aggregate, Ball, Coordinate, Measure, Noisy, Point, Term
from ..errors import InputError, as_given, shown
from ..exact.enclosure import sqrt_up
from ..exact.number import Number, common_step, rational, text_of, value_of
from ..fix import BLANK, Set, call, leave_out, name_columns, write
from ..noise.law import Law
from ..post.interval import down, nearest, up
from ..post.ratio import placed, ratios
from ..post.thresholds import for_interval
from ..schema import About, Bounds, Table
from ..sensitivity import Sensitivity, row_sensitivity
from .ask import Ask, bounds_of, check_groups, known_rows, known_words
from .statistic import (
    AS_NAMED,
    Answer,
    Axis,
    Expected,
    Inner,
    Question,
    Row,
    Telling,
    groups,
    keyed,
    named,
)

_SHOWN = 8  # columns that a fix names
_FINE = 1_024  # the widths, made alike, differ by less than one part of this


@dataclass(frozen=True, slots=True)
class Shape:
    """How a row's columns become whole numbers, and how large these can be.

    Attributes:
        measures: one for each column.
        limits: the largest size of each number.
        units: what 1 is worth in the measure of each column.
        squares, sizes: the largest sum of a row's squares, and of its sizes.
    """

    measures: tuple[Measure, ...]
    limits: tuple[int, ...]
    units: tuple[Fraction, ...]
    squares: int
    sizes: int


def in_box(columns: tuple[str, ...], bounds: Sequence[Bounds]) -> Shape:
    """Return the shape of what the bounds alone hold."""
    widths = [b.width for b in bounds]
    whole = min(lcm(*widths), _FINE * max(widths))
    factors = [whole // width for width in widths]
    common = gcd(*factors)
    point, slopes = Point(columns), [factor // common for factor in factors]
    limits = tuple(slope * b.width for slope, b in zip(slopes, bounds, strict=True))
    return Shape(
        measures=tuple(
            _line(Coordinate(point, place), 2 * slope, -slope * _middle(b))
            for place, (slope, b) in enumerate(zip(slopes, bounds, strict=True))
        ),
        limits=limits,
        units=tuple(b.step / (2 * slope) for slope, b in zip(slopes, bounds, strict=True)),
        squares=sum(limit**2 for limit in limits),
        sizes=sum(limits),
    )


def in_ball(columns: tuple[str, ...], bounds: Sequence[Bounds], ball: Fraction) -> Shape:
    """Return the shape of what the bounds and the ball hold, or raise InputError."""
    step = bounds[0].step
    _check_ball(columns, bounds, ball)
    radius = (2 * ball / step).numerator
    point = Point(columns, Ball(tuple(map(_middle, bounds)), radius))
    limits = tuple(min(radius, b.width) for b in bounds)
    return Shape(
        measures=tuple(_line(Coordinate(point, i), 1, 0) for i in range(len(columns))),
        limits=limits,
        units=(step / 2,) * len(columns),
        squares=radius**2,
        sizes=min(_sizes(radius, len(columns)), sum(limits)),
    )


def _check_ball(columns: tuple[str, ...], bounds: Sequence[Bounds], ball: Fraction) -> None:
    step, each = bounds[0].step, dict(zip(columns, bounds, strict=True))
    other = next((at for at, b in enumerate(bounds) if b.step != step), None)
    if other is not None:
        raise InputError(
            f"{shown(columns[0])} has steps of {text_of(step)}, {shown(columns[other])} of "
            f"{text_of(bounds[other].step)}.",
            kind="ball-wrong",
            why="a ball is as wide in each direction, so that its columns need one grid",
            fix=(
                _stepped(each, common_step(*(b.step for b in bounds))),
                leave_out("ball", note=", without which steps may differ"),
            ),
        )
    if (ball / step).denominator != 1:
        raise InputError(
            f"ball = {text_of(ball)} is not a multiple of the columns' step {text_of(step)}.",
            kind="ball-wrong",
            why="what a row can move is exact only if the radius lies on the grid of the values",
            fix=(
                write(ball=value_of(max(step, ball // step * step))),
                _stepped(each, common_step(step, ball)),
            ),
        )
    squares = sum(b.width**2 for b in bounds)
    if squares > MAX_LENGTH**2:
        raise InputError(
            f"vectors in these bounds may be longer than 2^51 steps of {text_of(step)}.",
            kind="ball-wrong",
            why="beyond that, lengths and products may pass 128 bits",
            fix=_stepped(each, None),
        )
    if (2 * ball / step) ** 2 >= squares:
        raise InputError(
            f"a ball of {text_of(ball)} holds everything that the bounds hold.",
            kind="ball-wrong",
            why="it would bound nothing: the bounds of the columns are a box inside it",
            fix=(leave_out("ball"), write(", smaller than now", ball=BLANK)),
        )


def _stepped(bounds: Mapping[str, Bounds], step: Fraction | None) -> Set:
    """Return the advice to declare columns on one grid, or on larger ones."""
    size = BLANK if step is None else value_of(step)
    columns = {
        column: call("discreet.bounds", value_of(b.lower), value_of(b.upper), step=size)
        for column, b in islice(bounds.items(), _SHOWN)
    }
    note = ", with a larger step" if step is None else ""
    return write(note, of="table", columns=columns)


def _line(at: Coordinate, slope: int, offset: int) -> Measure:
    return Measure("cells", (at,), (Term(slope, (at,)), Term(offset)))


def _middle(bounds: Bounds) -> int:
    """Return twice the middle of the bounds, in steps."""
    return bounds.lower_step + bounds.upper_step


def _sizes(radius: int, places: int) -> int:
    """Return the largest sum of sizes of whole numbers that lie in a ball.

    Of numbers with one sum those nearest to each other have the least squares: they are checked.
    """
    total = isqrt(places * radius**2)
    while True:
        each, more = divmod(total, places)
        if more * (each + 1) ** 2 + (places - more) * each**2 <= radius**2:
            return total
        total -= 1


def over_known(
    total: int, within: int, rows: int, *, unit: Fraction, ends: tuple[Fraction, Fraction]
) -> tuple[float, float, float]:
    """Return a centered sum over a public number of rows, and between what its noise leaves it.

    Args:
        total: the noisy sum of distances from the middle.
        within: what its noise stays within.
        rows: how many there are.
        unit: what 1 of the sum is worth.
        ends: between what the mean lies.

    Returns: the mean, rounded to the nearest double, and its ends, rounded outward.
    """
    middle = (ends[0] + ends[1]) / 2
    value, low, high = (
        min(max(middle + unit * (total + off) / rows, ends[0]), ends[1])  # exact: rationals
        for off in (0, -within, within)
    )
    return (
        nearest([value.numerator], value.denominator)[0],
        down(low.numerator, low.denominator),
        up(high.numerator, high.denominator),
    )


_NAMED = 4  # columns that a label names


@dataclass(frozen=True, slots=True, repr=False)
class MeanVector(Question):
    """Average several columns together, by group."""

    columns: tuple[str, ...]
    ball: Fraction | None
    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        more = len(self.columns) - _NAMED
        names = ", ".join(self.columns[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        within = "" if self.ball is None else f" in a ball of {text_of(self.ball)}"
        return f"mean ({names}){within}{self.ask.suffix()}"

    def inner(self, table: Table) -> Inner:
        """Return the columns."""
        del table
        return Axis("column", "column"), self.columns

    def shape(self, table: Table) -> Shape:
        """Return how a row becomes whole numbers."""
        bounds = [bounds_of(table, column) for column in self.columns]
        if self.ball is None:
            return in_box(self.columns, bounds)
        return in_ball(self.columns, bounds, self.ball)

    def count_weight(self, table: Table) -> int:
        """Return what a row adds to the count: less where its noise would cost the sums more."""
        squares = self.shape(table).squares
        share = 1 if table.neighbors == "replace" else len(self.columns)
        return max(1, isqrt(isqrt(squares**2 // share)))

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the centered sums and the count."""
        check_groups(table, self.ask, cells_per_group=len(self.columns) + 1)
        shape, count = self.shape(table), self.count_weight(table)
        if self.known(table):
            most = Sensitivity(2 * shape.sizes, 4 * shape.squares, 2 * max(shape.limits))
            return (self.ask.aggregate(table, measures=shape.measures, sensitivity=most),)
        rows = Measure("cells", shape.measures[0].values, (Term(count),))
        return (
            self.ask.aggregate(
                table,
                measures=(*shape.measures, rows),
                sensitivity=self._sensitivity(table, shape, count),
            ),
        )

    def known(self, table: Table) -> int | None:
        """Return the public number of rows, where the means are of exactly as many; else None."""
        return known_rows(table, self.ask, self.columns)

    def _sensitivity(self, table: Table, shape: Shape, count: int) -> Sensitivity:
        limits = self.ask.reach(table)
        rows = row_sensitivity(table, limits, 1)  # of one unit's rows alone
        largest = max(shape.limits)
        if table.neighbors == "add_remove":
            return Sensitivity(
                l1=(shape.sizes + count) * rows.l1,
                l2_squared=(shape.squares + count**2) * rows.l2_squared,
                linf=max(largest, count) * rows.linf,
            )
        alone = table.most_groups(self.ask.by) == 1
        return Sensitivity(
            l1=2 * (shape.sizes + (0 if alone else count)) * rows.l1,
            l2_squared=4 * shape.squares * rows.l2_squared,
            linf=max(2 * largest, count) * rows.linf,
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the means of each group, each with its own valid interval and its noisy count.

        A value is None where there are too few rows to say.
        """
        values = noisy[0].values
        if known := self.known(table):
            return self._of_known(table, values, laws[0].half_width(alpha), known)
        shape, count, size = self.shape(table), self.count_weight(table), len(self.columns)
        starts = range(0, len(values), size + 1)
        ratio = ratios(
            [sum_ for start in starts for sum_ in values[start : start + size]],
            [values[start + size] for start in starts for _ in range(size)],
            laws[0],
            alpha,
            limits=[limit / count for limit in shape.limits] * len(starts),
        )
        ends = [self._ends(table, shape, place) for place in range(size)]
        means = placed(ratio, ends, least=-1)
        return Answer(
            label=self.label,
            axes=(*keyed(self.ask.by), Axis("column", "column")),
            measure="mean",
            index=tuple([(*g, c) for g, c in product(groups(table, self.ask.by), self.columns)]),
            values=means.values,
            low=means.low,
            high=means.high,
            rows=tuple([values[start + size] / count for start in starts for _ in range(size)]),
            rows_within=ratio.count_within / count,
        )

    def _of_known(self, table: Table, sums: Sequence[int], within: int, rows: int) -> Answer:
        """Return the sums over the public number of rows."""
        shape = self.shape(table)
        means = [
            over_known(total, within, rows, unit=unit, ends=self._ends(table, shape, place))
            for place, (total, unit) in enumerate(zip(sums, shape.units, strict=True))
        ]
        values, low, high = zip(*means, strict=True)
        return Answer(
            label=self.label,
            axes=(Axis("column", "column"),),
            measure="mean",
            index=tuple([(column,) for column in self.columns]),
            values=values,
            low=low,
            high=high,
            rows=(float(rows),) * len(sums),
            rows_within=0.0,
        )

    def _ends(self, table: Table, shape: Shape, place: int) -> tuple[Fraction, Fraction]:
        """Return how small and how large the mean of a column can be."""
        bounds = table.columns[self.columns[place]]
        middle, half = (bounds.lower + bounds.upper) / 2, shape.limits[place] * shape.units[place]
        return middle - half, middle + half

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return about the widest half-width of all columns, to be divided by the rows."""
        shape, count = self.shape(table), self.count_weight(table)
        limits = zip(shape.limits, shape.units, strict=True)
        least = min(2 * limit * unit for limit, unit in limits)
        if known := self.known(table):
            half = laws[0].half_width(alpha) * max(shape.units) / known  # exact: rationals
            note = known_words(self.label, "made of noisy sums", known)
            return Expected(half, whole=least, note=note)
        widest = max(
            unit * sqrt_up(1 + Fraction(limit, count) ** 2)
            for limit, unit in zip(shape.limits, shape.units, strict=True)
        )
        half = laws[0].half_width(for_interval(alpha)) * widest
        return Expected(half, per_row=True, whole=least)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        ball = {} if self.ball is None else {"ball": text_of(self.ball)}
        return {"statistic": "mean", "column": list(self.columns), **ball, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is a value of each column."""
        ball = f", of rows moved into a ball of {text_of(self.ball)}" if self.ball else ""
        return Telling(f"Mean of {named(self.columns, about)}{ball}", ruled="sums")

    def counted_in(self, table: Table) -> str:
        """Return in what its sums move: each column in steps of its own, but for those alike."""
        units = {*self.shape(table).units}
        if len(units) > 1:
            return ", each column in steps of its own"
        return f", in steps of {text_of(units.pop())}"

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the means of the rows in which all cells are usable, moved into the ball."""
        vectors = [[row[column] for column in self.columns] for row in rows]
        points = [point for point in vectors if None not in point]
        if self.ball is not None:
            points = [self._moved(table, point) for point in points]
        if not points:
            return [None] * len(self.columns)
        return [float(sum(column) / Fraction(len(points))) for column in zip(*points, strict=True)]

    def _moved(self, table: Table, point: Sequence[Fraction]) -> list[Fraction]:
        """Return a point in the ball, in whole half steps from the middle."""
        half = table.columns[self.columns[0]].step / 2
        ends = [table.columns[column] for column in self.columns]
        middles = [(bounds.lower + bounds.upper) / 2 for bounds in ends]
        away = [int((x - middle) / half) for x, middle in zip(point, middles, strict=True)]
        radius, squares = int((self.ball or 0) / half), sum(u * u for u in away)
        over = max(radius, isqrt(squares) + (isqrt(squares) ** 2 < squares))
        moved = [int(Fraction(u * radius, over)) for u in away]
        return [middle + half * u for u, middle in zip(moved, middles, strict=True)]


def mean_vector(columns: Sequence[object], ball: Number | None, ask: Ask) -> MeanVector:
    """Return the question for the mean of several columns, or raise InputError."""
    names = tuple(str(column) for column in columns if isinstance(column, str))
    if not names or len(names) < len(columns) or len(set(names)) < len(names):
        raise InputError(
            f"column = {as_given(list(columns))} is not a list of different columns.",
            kind="wrong-columns",
            why="the mean of a vector has one number for each column",
            fix=name_columns("column", columns, most=max(1, len(columns))),
            at="column",
        )
    return MeanVector(names, None if ball is None else _radius(ball, len(names)), ask)


def _radius(ball: Number, columns: int) -> Fraction:
    radius = rational(ball, "ball")
    if columns == 1:
        raise InputError(
            f"ball = {text_of(radius)} is given, but there is one column.",
            kind="ball-wrong",
            why="a ball bounds the length of a vector; one column is bounded by its bounds",
            fix=leave_out("ball"),
        )
    if radius <= 0:
        raise InputError(
            f"ball = {text_of(radius)} must be above 0.",
            kind="ball-wrong",
            why="it is the radius of the ball around the middle of the bounds",
            fix=(leave_out("ball"), write(ball=BLANK)),
        )
    return radius
