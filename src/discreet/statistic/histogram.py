"""How many usable cells of a column fall into each public bin, in each group.

Sensitivity: each row is in at most one cell (group and bin), so it is that of counting rows
(`aggregate.row_sensitivity`), with groups times bins cells.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Unpack

from ..aggregate import Aggregate, Bins, Measure, Noisy
from ..errors import InputError, as_given
from ..exact.number import whole
from ..fix import write
from ..noise.law import Law
from ..post.interval import around, at_least
from ..schema import About, Bounds, End, Table, ValueKind, end_text, ends_of, even_edges
from ..sensitivity import row_sensitivity
from .ask import MAX_CELLS, Ask, asked, bounds_of, check_groups, check_value_kind
from .edges import checked_edges
from .options import AskTogether, By, question
from .statistic import (
    AS_NAMED,
    BOTH,
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
    within_public,
)

_DEFAULT_BINS = 20


@dataclass(frozen=True, slots=True, repr=False)
class Histogram(Question):
    """Count a column's cells by group and bin; `bins` is a number of bins, or their edges."""

    column: str
    bins: int | tuple[Fraction, ...]
    ask: Ask
    kind: ValueKind = "number"  # of the edges

    @property
    def label(self) -> str:
        """A short name."""
        return f"histogram {self.column}{self.ask.suffix()}"

    def edges(self, bounds: Bounds) -> tuple[int, ...]:
        """Return the bin edges in steps, from the lower to the upper bound."""
        if isinstance(self.bins, int):
            return even_edges(bounds.lower_step, bounds.width, min(self.bins, bounds.width))
        check_value_kind(bounds, self.column, self.kind, "bins")
        return checked_edges(self.column, self.bins, bounds)

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the counts by bin."""
        bounds = bounds_of(table, self.column, may_be_time=True)
        wanted = min(self.bins, bounds.width) if isinstance(self.bins, int) else len(self.bins)
        check_groups(table, self.ask, cells_per_group=wanted)
        bins = Bins(self.column, self.edges(bounds))
        limits = self.ask.reach(table)
        return (
            self.ask.aggregate(
                table,
                measures=(Measure("rows"),),
                sensitivity=row_sensitivity(
                    table, limits, table.most_groups(self.ask.by) * bins.count
                ),
                bins=bins,
            ),
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the noisy counts; no interval reaches below zero, because no count does."""
        column = table.columns[self.column]
        bins = list(pairwise(in_measure(self.edges(column), column.step)))
        low, high = around(noisy[0].values, laws[0].half_width(alpha))
        answer = Answer(
            label=self.label,
            axes=(*keyed(self.ask.by), Axis("bin", self.column)),
            measure="rows",
            index=tuple([group + ends for group in groups(table, self.ask.by) for ends in bins]),
            values=noisy[0].values,
            low=at_least(0, low),
            high=at_least(0, high),
        )
        return within_public(table, answer)

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width in rows."""
        del table
        return Expected(Fraction(laws[0].half_width(alpha)), whole=self.ask.size)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        bins: object = self.bins
        if not isinstance(self.bins, int):
            bins = [end_text(edge, self.kind) for edge in self.bins]
        return {
            "statistic": "histogram",
            "column": self.column,
            "bins": bins,
            **self.ask.plain(),
        }

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is an amount, by values of the column."""
        heading = f"How {about.column(self.column)} is spread: number of rows"
        return Telling(heading, chart="amounts", cleaned=True, ruled="count")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return how many usable cells lie in each bin."""
        bounds = table.columns[self.column]
        edges = [edge * bounds.step for edge in self.edges(bounds)]
        return [
            sum(low <= v < high or v == high == edges[-1] for v in cells(rows, self.column))
            for low, high in pairwise(edges)
        ]


@question()
def histogram(
    column: str,
    by: By = None,
    *,
    bins: int | Sequence[End] = _DEFAULT_BINS,
    **options: Unpack[AskTogether],
) -> Histogram:
    """Ask how many usable cells of a column fall into each bin, in each group.

    Args:
        column: a column with public bounds; a cell beyond a bound counts in the first or the last
            bin.
        bins: the number of bins of equal width; or a list of edges, increasing, from bound to
            bound. If the bounds are days or moments, the edges are days or moments, too. A bin
            contains its lower edge; the last bin also contains its upper edge.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group and each bin:
        its two edges, then value, low and high in rows.

    Raises:
        InputError: the number of bins is not a whole number, or the edges do not increase.

    Example:
        >>> print(dp.histogram("wage", by="ward", bins=10).label)
        histogram wage by ward
    """
    kind: ValueKind = "number"
    if isinstance(bins, int) and not isinstance(bins, bool):
        kept: int | tuple[Fraction, ...] = min(whole(bins, "bins", least=1), MAX_CELLS + 1)
    elif isinstance(bins, Sequence) and not isinstance(bins, str):
        kept, kind = ends_of(bins, "a bin edge", setting="bins")
    else:
        raise InputError(
            f"bins = {as_given(bins, bare=True)} is neither a number of bins nor a list of edges.",
            kind="cut-points-wrong",
            why="the bins must be public",
            fix=write(bins=20),
        )
    return Histogram(column, kept, asked(by, **options), kind)


def _examples(table: Table) -> Iterable[Options]:
    """Return each column in one bin, in some, and cut at a place of its own."""
    for column, bounds in table.columns.items():
        yield from ({"column": column, "bins": bins} for bins in (1, 4))
        if bounds.width > 1:
            edges = (bounds.lower, bounds.lower + bounds.step, bounds.upper)
            yield {"column": column, "bins": [bounds.said(edge) for edge in edges]}


HISTOGRAM = ListedStatistic("histogram", histogram, _examples, tight=BOTH, joint="cell")
