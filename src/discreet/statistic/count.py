"""How many rows, or how many distinct units, there are in each group.

Sensitivity of counting rows: `aggregate.row_sensitivity`.

Sensitivity of counting units. A unit adds 0 or 1 to a group. add_remove: it is in at most g groups,
so l1 and the sum of squares are at most g, and no cell moves by more than 1. replace: one unit's
ones go, another's come; in one cell they cancel, in different cells both count: with more than one
group l1 and the sum of squares are at most 2 g.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..aggregate import Aggregate, Measure, Noisy, Sensitivity, reach, row_sensitivity
from ..noise.law import Law
from ..post.interval import around, at_least
from ..schema import Table
from .listed import BOTH, Listed, Row, no_options
from .statistic import (
    Answer,
    Ask,
    Expected,
    Measured,
    Question,
    Wanted,
    asked,
    check_groups,
    groups,
    keyed,
)


@dataclass(frozen=True, slots=True, repr=False)
class Count(Question):
    """Count rows by group."""

    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        return f"count{self.ask.suffix()}"

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the count of rows."""
        check_groups(table, self.ask)
        found = reach(table, self.ask.by, self.ask.max_groups, self.ask.max_rows_per_group)
        return (
            Aggregate(
                by=self.ask.by,
                measures=(Measure("rows"),),
                sensitivity=row_sensitivity(table, found, table.most_groups(self.ask.by)),
                max_groups=self.ask.max_groups,
                max_rows_per_group=self.ask.max_rows_per_group,
                where=self.ask.test(table),
            ),
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the noisy counts; no interval reaches below zero, because no count does."""
        return _counted(self, "rows", table, noisy[0], laws[0].half_width(alpha))

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width in rows."""
        del table
        return Expected(Fraction(laws[0].half_width(alpha)), whole=self.ask.size)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        return {"statistic": "count", **self.ask.plain()}

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the number of rows."""
        del table
        return [len(rows)]


@dataclass(frozen=True, slots=True, repr=False)
class CountUnits(Question):
    """Count distinct units by group."""

    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        return f"count_units{self.ask.suffix()}"

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the count of distinct units."""
        check_groups(table, self.ask)
        limits = [limit for limit in (table.unit.max_rows, self.ask.max_groups) if limit]
        spread = min([*limits, table.most_groups(self.ask.by)])
        doubled = 2 if table.neighbors == "replace" and table.most_groups(self.ask.by) > 1 else 1
        return (
            Aggregate(
                by=self.ask.by,
                measures=(Measure("units"),),
                sensitivity=Sensitivity(doubled * spread, doubled * spread, 1),
                max_groups=self.ask.max_groups,
                max_rows_per_group=self.ask.max_rows_per_group,
                where=self.ask.test(table),
            ),
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the noisy counts; no interval reaches below zero, because no count does."""
        return _counted(self, "units", table, noisy[0], laws[0].half_width(alpha))

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width in units."""
        del table
        return Expected(Fraction(laws[0].half_width(alpha)), whole=self.ask.size)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        return {"statistic": "count_units", **self.ask.plain()}

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the number of different units."""
        unit = table.unit.column
        return [len(rows if unit is None else {row[unit] for row in rows})]


def count(
    by: str | Iterable[str] | None = None,
    *,
    max_groups: int | None = None,
    max_rows_per_group: int | None = None,
    weight: int = 1,
    within: Wanted = None,
    rows: int | None = None,
    together: bool = False,
    where: str | None = None,
) -> Count:
    """Ask how many rows there are in each group.

    Args:
        by: one or several columns with public keys; without it, one count of the whole table.
        max_groups: at most this many groups of one unit count.
        max_rows_per_group: at most this many rows of one unit count in one group.
        weight: this question's part of the plan's loss, beside the others' weights.
        within: instead of a weight, the half-width wanted: a number, in the measure of the answer,
            or "5%" of a public size. The question then gets the least price that keeps it.
        rows: the public size of group that `within` is meant for, and a mean's ± is shown for:
            "promised for groups of at least 200 rows". Of a count it is what "5%" is a part of.
        together: whether all intervals of the question hold at once, with probability 1 - alpha.
        where: only rows count for which this is true, in the language of docs/rows.md:
            "age >= 18". It is evaluated before the rows of a unit are limited to `max_rows`, which
            all questions share, and tested afterwards.
    """
    return Count(
        asked(
            by,
            max_groups,
            max_rows_per_group,
            weight,
            within=within,
            rows=rows,
            together=together,
            where=where,
        )
    )


def count_units(
    by: str | Iterable[str] | None = None,
    *,
    max_groups: int | None = None,
    max_rows_per_group: int | None = None,
    weight: int = 1,
    within: Wanted = None,
    rows: int | None = None,
    together: bool = False,
    where: str | None = None,
) -> CountUnits:
    """Ask how many distinct units there are in each group.

    Args: as for `count`.
    """
    return CountUnits(
        asked(
            by,
            max_groups,
            max_rows_per_group,
            weight,
            within=within,
            rows=rows,
            together=together,
            where=where,
        )
    )


def _counted(
    asked_: Count | CountUnits, measure: Measured, table: Table, noisy: Noisy, half_width: int
) -> Answer:
    """Return counts with their intervals, cut at zero."""
    low, high = around(noisy.values, half_width)
    return Answer(
        label=asked_.label,
        axes=keyed(asked_.ask.by),
        measure=measure,
        index=tuple(groups(table, asked_.ask.by)),
        values=noisy.values,
        low=at_least(0, low),
        high=at_least(0, high),
    )


COUNT = Listed("count", count, no_options, tight=BOTH, joint="cell")
COUNT_UNITS = Listed("count_units", count_units, no_options, tight=BOTH, joint="cell")
