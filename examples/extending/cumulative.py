"""How many usable cells of a column lie below each public edge, in each group.

Sensitivity: bins are counted, and the matrix of prefix sums adds up those at and below each edge;
`curve.py` proves how far one unit moves the result, for both neighbor relations.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

from discreet.aggregate import Aggregate, Bins, Measure, Noisy
from discreet.exact.number import whole
from discreet.noise.law import Law
from discreet.post.interval import around, at_least
from discreet.schema import About, Table, even_edges
from discreet.statistic.ask import Ask, asked, bounds_of, check_groups
from discreet.statistic.curve import transformed_sensitivity
from discreet.statistic.options import AskOptions, By, question
from discreet.statistic.statistic import (
    AS_NAMED,
    Answer,
    Axis,
    Expected,
    ListedStatistic,
    Options,
    Question,
    Row,
    Telling,
    cells,
    groups,
    in_measure,
    keyed,
)
from discreet.transform import Shifts, Transform


@dataclass(frozen=True, slots=True, repr=False)
class Cumulative(Question):
    """Count a column's cells from the lower bound to each of some even edges, by group."""

    column: str
    bins: int
    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        return f"cumulative {self.column}{self.ask.suffix()}"

    def _edges(self, table: Table) -> tuple[int, ...]:
        found = bounds_of(table, self.column)
        return even_edges(found.lower_step, found.width, min(self.bins, found.width))

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the counts by bin, and the matrix that adds them up."""
        check_groups(table, self.ask, cells_per_group=self.bins)
        bins = Bins(self.column, self._edges(table))
        limits = self.ask.reach(table)
        sums = Transform(Shifts(bins.count, (1,) * bins.count))
        return (
            self.ask.aggregate(
                table,
                measures=(Measure("rows"),),
                sensitivity=transformed_sensitivity(table, limits, sums),
                bins=bins,
                transform=sums,
            ),
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the noisy counts; no interval reaches below zero, because no count does."""
        first, *rest = in_measure(self._edges(table), table.columns[self.column].step)
        low, high = around(noisy[0].values, laws[0].half_width(alpha))
        return Answer(
            label=self.label,
            axes=(*keyed(self.ask.by), Axis("bin", self.column)),
            measure="rows",
            index=tuple([(*g, first, edge) for g in groups(table, self.ask.by) for edge in rest]),
            values=noisy[0].values,
            low=at_least(0, low),
            high=at_least(0, high),
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width in rows."""
        del table
        return Expected(Fraction(laws[0].half_width(alpha)))

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        own = {"statistic": "cumulative", "column": self.column, "bins": self.bins}
        return {**own, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return its heading, that it is an amount, and that its numbers are not added up."""
        heading = f"How many cells of {about.column(self.column)} lie below an edge"
        apart = "each of its counts holds those of the edges before it", "a histogram"
        return Telling(heading, chart="amounts", apart=apart)

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return how many cells lie below each edge; the last edge is among them."""
        step, edges = table.columns[self.column].step, self._edges(table)
        found = cells(rows, self.column)
        below: list[float | None] = [sum(x < edge * step for x in found) for edge in edges[1:-1]]
        return [*below, len(found)]


@question()
def cumulative(
    column: str,
    by: By = None,
    *,
    bins: int = 20,
    **options: Unpack[AskOptions],
) -> Cumulative:
    """Ask how many usable cells of a column lie below each edge, in each group.

    Args:
        column: a column with public bounds; cells beyond a bound count at that end.
        by, max_groups, max_rows_per_group, weight, within, rows, where: as for `count`.
        bins: how many edges; the last one is the upper bound, below which all are.
    """
    return Cumulative(column, whole(bins, "bins", least=1), asked(by, **options))


def _examples(table: Table) -> Iterable[Options]:
    """Return each column at one edge and at some."""
    return [{"column": column, "bins": bins} for column in table.columns for bins in (1, 4)]


CUMULATIVE = ListedStatistic("cumulative", cumulative, _examples, tight=("add_remove",))
