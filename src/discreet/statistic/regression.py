"""The line of one column on several others in each group, by least squares, from one noisy vector.

Sensitivity, and what is counted: `covariance.py`, without the square of the column that is
explained. Rows count where the cells of all columns are usable.

Range. A coefficient is a mean of those of the lines through p + 1 rows each, with positive weights
(Jacobi 1841), where p is the number of columns; by Cramer's rule each of these is a determinant of
differences over one that is not 0. In whole numbers of steps that is at least 1, and the other at
most p! times the widths of its columns.

Decision 24.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import Any, Unpack

from ..aggregate import Aggregate, Noisy
from ..errors import InputError, as_given, shown
from ..fix import Do, call, name_columns
from ..noise.law import Law
from ..post.moments import Moments
from ..post.thresholds import for_interval
from ..schema import About, Table
from .ask import Ask, asked
from .covariance import MomentPart, moments_of, parts_of, several, steps_of
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

MOST = 8  # columns
INTERCEPT = "(intercept)"
_AT_A_QUARTER = (
    "The ± of a slope is for columns whose std is a quarter of their range; it is wider where they "
    "lie closer together, or are nearly a line of one another."
)


@dataclass(frozen=True, slots=True, repr=False)
class Regression(Question):
    """Explain a column by a line in others, by group."""

    column: str
    on: tuple[str, ...]
    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        return f"regression {self.column} on {', '.join(self.on)}{self.ask.suffix()}"

    def inner(self, table: Table) -> Inner:
        """Return the coefficients, by their columns."""
        del table
        return Axis("column", "column"), (INTERCEPT, *self.on)

    def _parts(self, table: Table) -> list[MomentPart]:
        return parts_of(table, (*self.on, self.column), range(len(self.on)))

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the moments."""
        return (moments_of(table, self.ask, self._parts(table)),)

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the coefficients with valid intervals, and the noisy number of rows of each group.

        A value is None where there are too few rows to say, or where they are too much alike.
        """
        import numpy as np

        parts = [(part.columns, part.weight) for part in self._parts(table)]
        moments = Moments(noisy[0].values, parts, laws[0], alpha)
        ways, start = self._ways(table)
        fit = moments.regression(range(len(self.on)), len(self.on), ways)
        range_ = [(float(low), float(high)) for low, high in self._ranges(table)]
        values, low, high = list[float | None](), list[float](), list[float]()
        for ends in zip(fit.values + start, fit.low + start, fit.high + start, strict=True):
            for value, bottom, top, (least, most) in zip(*ends, range_, strict=True):
                a, b = max(float(bottom), least), min(float(top), most)
                some = a <= b and (a > least or b < most) and bool(np.isfinite(value))
                values.append(min(max(float(value), a), b) if some else None)
                low.append(a if some else least)
                high.append(b if some else most)
        names = (INTERCEPT, *self.on)
        return Answer(
            label=self.label,
            axes=(*keyed(self.ask.by), Axis("column", "column")),
            measure="coefficient",
            index=tuple([(*g, name) for g in groups(table, self.ask.by) for name in names]),
            values=tuple(values),
            low=tuple(low),
            high=tuple(high),
            rows=tuple([float(count) for count in moments.counts for _ in names]),
            rows_within=moments.counts_within,
        )

    def _ways(self, table: Table) -> tuple[Any, Any]:
        """Return how coefficients in [-1, 1] become those in the columns' measures.

        With x = (v - M) / H, the slope of v is H_y / H_x times that of x; the line passes where it
        did before.
        """
        import numpy as np

        ends = [table.columns[name] for name in (*self.on, self.column)]
        halves = [(end.upper - end.lower) / 2 for end in ends]
        middles = [(end.upper + end.lower) / 2 for end in ends]
        size, ways = len(self.on) + 1, np.zeros((len(self.on) + 1,) * 2)
        ways[0, 0] = float(halves[-1])
        for at in range(1, size):
            slope = halves[-1] / halves[at - 1]  # exact: rationals
            ways[at, at] = float(slope)
            ways[0, at] = -float(slope * middles[at - 1])
        return ways, np.array([float(middles[-1])] + [0.0] * len(self.on))

    def _ranges(self, table: Table) -> list[tuple[Fraction, Fraction]]:
        """Return the public range of each coefficient, the intercept's first."""
        ends = [table.columns[name] for name in self.on]
        of = table.columns[self.column]
        rise, many = of.upper - of.lower, factorial(len(self.on))
        slopes = [
            many
            * rise
            * prod(steps_of(other) for other in ends if other is not bounds)
            * steps_of(bounds)
            / (bounds.upper - bounds.lower)
            for bounds in ends
        ]  # exact: rationals
        far = [max(abs(end.lower), abs(end.upper)) for end in ends]
        rest = sum(
            (slope * distance for slope, distance in zip(slopes, far, strict=True)), Fraction(0)
        )
        return [
            (of.lower - rest, of.upper + rest),
            *((-slope, slope) for slope in slopes),
        ]

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return about the widest half-width of a slope, to be divided by the rows in the group.

        It depends on how far the columns are spread; here each deviation is a quarter of the range.
        """
        parts, ends = self._parts(table), [table.columns[name] for name in (*self.on, self.column)]
        weight = min(part.weight for part in parts)
        half = laws[0].half_width(for_interval(alpha)) / Fraction(weight)
        widths = [end.upper - end.lower for end in ends]
        rise = max(widths[-1] / width for width in widths[:-1])  # exact: rationals
        half = 5 * half * rise
        return Expected(half, per_row=True, whole=rise, of="in slopes", note=_AT_A_QUARTER)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        own = {"statistic": "regression", "column": self.column, "on": list(self.on)}
        return {**own, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return which column is a line of which."""
        on = named(self.on, about)
        return Telling(f"Line of {about.own_column(self.column)} on {on}", ruled="sums")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the solution of the normal equations, by elimination, if there is one alone."""
        del table
        names = (*self.on, self.column)
        vectors = [[row[name] for name in names] for row in rows]
        points = [[Fraction(1), *map(Fraction, point)] for point in vectors if None not in point]
        size = len(self.on) + 1
        lines = [
            [sum((p[i] * p[j] for p in points), Fraction(0)) for j in range(size + 1)]
            for i in range(size)
        ]
        for at in range(size):
            pivot = next((row for row in lines[at:] if row[at]), None)
            if pivot is None:
                return [None] * size
            lines[lines.index(pivot, at)], lines[at] = lines[at], pivot
            lines[at] = [x / pivot[at] for x in pivot]  # exact: rationals
            for other in range(size):
                if other != at:
                    times = lines[other][at]
                    lines[other] = [
                        x - times * y for x, y in zip(lines[other], lines[at], strict=True)
                    ]
        return [float(row[-1]) for row in lines]


@question()
def regression(
    column: str,
    on: str | Sequence[str],
    by: By = None,
    **options: Unpack[AskOptions],
) -> Regression:
    """Ask for a line by least squares in each group: the intercept, and a slope for each column.

    The line explains one column by other columns, over the rows in which all of these columns are
    usable.

    Args:
        column: the explained column, with public bounds.
        on: one to eight other columns with public bounds.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group and each
        coefficient, with value, low and high, and the noisy number of rows. A slope is in units of
        `column` for each unit of the other column.

    Raises:
        InputError: `on` names no column, a column twice, or more than eight columns.

    Source: docs/laws/moments.md.

    Example:
        >>> print(dp.regression("wage", ["schooling", "age"], by="ward"))
        regression wage on schooling, age by ward
    """
    names = several(on, 1)
    if not isinstance(column, str):
        raise InputError(
            f"column = {as_given(column)} is not the name of a column.",
            kind="wrong-columns",
            why="a line explains one column by others",
            fix=Do(call("discreet.regression", names[0], on=[*column]))
            if isinstance(column, (list, tuple)) and len(column) > 0 and len(names) == 1
            else name_columns("column", column),
            at="column",
        )
    if column in names or len(names) > MOST:
        raise InputError(
            f"{shown(column)} cannot be explained by {len(names)} columns, itself among them."
            if column in names
            else f"{len(names)} columns are more than {MOST}.",
            kind="wrong-columns",
            why="each coefficient has noise, which grows with the products of all columns",
            fix=name_columns("on", [name for name in names if name != column][:MOST], most=MOST),
            at="on",
        )
    return Regression(column, names, asked(by, **options))


def _examples(table: Table) -> Iterable[Options]:
    """Return the first column on the second, where there are two."""
    names = list(table.columns)
    return [{"column": names[0], "on": [names[1]]}] if len(names) > 1 else []


_SQL = (SqlFunction("REGR_SLOPE", ("column", "on")),)
REGRESSION = ListedStatistic("regression", regression, _examples, sql=_SQL)
