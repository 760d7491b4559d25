"""How columns vary together, by group: covariances, or correlations, from one noisy vector.

Sensitivity, and what is counted: `moments.py`. Rows count where the cells of all columns are
usable, and sums are divided by their number, not by one less.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from statistics import pvariance
from typing import Any, Literal

from ..aggregate import Aggregate, Noisy
from ..exact.enclosure import sqrt_up
from ..noise.law import Law
from ..post.interval import down
from ..post.moments import Moments
from ..post.sample import FOR_COUNT
from ..post.shown import for_interval
from ..schema import Table
from .answer import Answer, Axis, Inner, groups, keyed
from .ask import Ask, Wanted, asked
from .listed import ListedStatistic, Options, Row
from .moments import MomentPart, moments_of, parts_of, several
from .statistic import Expected, Question
from .within import is_sample


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
        told = [ask(i, j) for i, j in self._pairs]
        sizes = [self._size(table, i, j) for i, j in self._pairs]
        inner = self.inner(table)
        every = [(group, at) for group in range(len(moments.counts)) for at in range(len(told))]
        index = groups(table, self.ask.by)
        return Answer(
            label=self.label,
            axes=(*keyed(self.ask.by), *([inner[0]] if inner else [])),
            measure=self.name,
            index=tuple([(*g, name) for g in index for name in inner[1]] if inner else index),
            values=tuple([_value(told[at].values[g], sizes[at]) for g, at in every]),
            low=tuple([_low(told[at].low[g], sizes[at]) for g, at in every]),
            high=tuple([-_low(-told[at].high[g], sizes[at]) for g, at in every]),
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
            return Expected(half * sqrt_up(Fraction(3)) * 4, per_row=True, whole=Fraction(1))
        return Expected(half * 2 * wide, per_row=True, whole=wide)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        form = {"sample": True} if self.sample else {}
        return {"statistic": self.name, "column": list(self.columns), **form, **self.ask.plain()}

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the mean products of distances from the means, over both deviations or not."""
        del table
        found = [[row[column] for column in self.columns] for row in rows]
        points = [list(map(Fraction, point)) for point in found if None not in point]
        if len(points) < 1 + self.sample:
            return [None] * len(self._pairs)
        columns, told = list(zip(*points, strict=True)), list[float | None]()
        for i, j in self._pairs:
            one, other = columns[i], columns[j]
            m, n = sum(one) / len(one), sum(other) / len(other)  # exact: rationals
            both = sum((x - m) * (y - n) for x, y in zip(one, other, strict=True))
            both = both / (len(one) - self.sample)  # exact: rationals
            if self.name == "correlation":
                spread = pvariance(one) * pvariance(other)
                told.append(float(both) / float(spread) ** 0.5 if spread else None)
            else:
                told.append(float(both))
        return told


def _value(share: Any, size: Fraction) -> float | None:
    return None if share != share else float(share) * float(size)  # noqa: PLR0124 - NaN


def _low(share: Any, size: Fraction) -> float:
    """Return a low end in a measure, rounded down."""
    exact = Fraction(float(share)) * size
    return down(exact.numerator, exact.denominator)


def covariance(
    column: Sequence[str],
    by: str | Iterable[str] | None = None,
    *,
    max_groups: int | None = None,
    max_rows_per_group: int | None = None,
    weight: int = 1,
    within: Wanted = None,
    rows: int | None = None,
    where: str | None = None,
    sample: bool = False,
) -> Covariance:
    """Ask for the covariance of each two of several columns in each group, over the rows where all
    are usable: that of the rows at hand, divided by their number; or as a sample's, by one less.

    Args:
        column: two or more columns with public bounds.
        sample: as for `variance`.
        by, max_groups, max_rows_per_group, weight, within, rows, where: as for `count`.

    Raises:
        InputError: fewer than two columns, or one twice.

    Example:
        >>> print(covariance(["wage", "age"], by="ward"))
        covariance (wage, age) by ward
    """
    ask = asked(by, max_groups, max_rows_per_group, weight, within=within, rows=rows, where=where)
    return Covariance(several(column, 2), ask, sample=is_sample(sample))


def correlation(
    column: Sequence[str],
    by: str | Iterable[str] | None = None,
    *,
    max_groups: int | None = None,
    max_rows_per_group: int | None = None,
    weight: int = 1,
    within: Wanted = None,
    rows: int | None = None,
    where: str | None = None,
) -> Covariance:
    """Ask for the correlation (Pearson's) of each two of several columns in each group.

    Args: as for `covariance`.
    """
    ask = asked(by, max_groups, max_rows_per_group, weight, within=within, rows=rows, where=where)
    return Covariance(several(column, 2), ask, "correlation")


def _examples(table: Table) -> Iterable[Options]:
    """Return two columns, where there are two."""
    names = list(table.columns)
    return [{"column": names[:2]}] if len(names) > 1 else []


def _both_forms(table: Table) -> Iterable[Options]:
    """Return two columns, of the rows and of a sample."""
    return [{**one, **form} for one in _examples(table) for form in ({}, {"sample": True})]


COVARIANCE = ListedStatistic("covariance", covariance, _both_forms)
CORRELATION = ListedStatistic("correlation", correlation, _examples)
