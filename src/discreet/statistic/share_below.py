"""Which share of a column's cells lies below public values, in each group, from one curve.

Sensitivity, and what is counted: `curve.py`. Without `bins` the curve has no other edges than the
values that are asked, so that its noise is least; with them it is as fine as that of quantiles.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Unpack

from ..aggregate import Aggregate, Noisy
from ..errors import InputError, as_given, shown
from ..exact.number import text_of
from ..fix import leave_out
from ..noise.law import Law
from ..post.curve import Curve
from ..post.thresholds import for_interval
from ..schema import About, End, Table, ValueKind, end_text, ends_of
from .ask import Ask, asked, bounds_of, check_value_kind, known_rows, known_words
from .curve import curve_of, expected_off, listed, root
from .edges import checked_bins, edges_of
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
    Telling,
    cells,
    groups,
    keyed,
)


@dataclass(frozen=True, slots=True, repr=False)
class ShareBelow(Question):
    """The share of a column's cells below some values, by group."""

    column: str
    at: tuple[Fraction, ...]
    bins: int | None
    ask: Ask
    kind: ValueKind = "number"  # of the values

    @property
    def _at(self) -> list[str]:
        return [end_text(value, self.kind) for value in self.at]

    @property
    def label(self) -> str:
        """A short name."""
        at = ", ".join(self._at)
        return f"share_below {self.column} at {at}{self.ask.suffix()}"

    def inner(self, table: Table) -> Inner:
        """Return the values that are asked."""
        del table
        return Axis("level", "below"), tuple(map(float, self.at))

    def _edges(self, table: Table) -> tuple[tuple[int, ...], list[int]]:
        """Return the edges of the curve, and the places among them of the values."""
        bounds = bounds_of(table, self.column, may_be_time=True)
        check_value_kind(bounds, self.column, self.kind, "at")
        steps = [ceil(value / bounds.step) for value in self.at]  # exact: rationals
        for value, step in zip(self.at, steps, strict=True):
            if not bounds.lower_step < step <= bounds.upper_step:
                raise InputError(
                    f"{bounds.said(value)} does not lie between the bounds of "
                    f"{shown(self.column)}.", kind="cut-points-wrong",
                    why="below the lower bound lies nothing, and above the upper bound nothing",
                    fix=f"write values above {bounds.said(bounds.lower)} and up to "
                    f"{bounds.said(bounds.upper)}",
                    at="at",
                )  # fmt: skip
        if any(a == b for a, b in pairwise(steps)):
            raise InputError(
                f"two of {', '.join(self._at)} lie in one step of "
                f"{shown(self.column)}, {text_of(bounds.step)}.",
                kind="cut-points-wrong",
                why="between them lies no cell, so that their shares are the same",
                fix="write values that lie further apart",
                at="at",
            )
        if self.bins is None:
            return (bounds.lower_step, *steps, bounds.upper_step + 1), [*range(1, len(steps) + 1)]
        edges = edges_of(table, self.column, self.bins)
        places = [bisect_left(edges, step) for step in steps]
        for value, step, place in zip(self.at, steps, places, strict=True):
            if edges[place] != step:
                raise InputError(
                    f"{bounds.said(value)} is no edge of {len(edges) - 1:,} bins of "
                    f"{shown(self.column)}.",
                    kind="cut-points-wrong",
                    why="a curve tells shares at the edges of its bins",
                    fix=(
                        "write an edge of these bins",
                        leave_out("bins", note=", for a curve of its own"),
                    ),
                    at="at",
                )
        return edges, places

    def known(self, table: Table) -> int | None:
        """Return the public number of rows, where the shares are of exactly as many; else None."""
        return known_rows(table, self.ask, (self.column,))

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the curve."""
        return (curve_of(table, self.ask, self.column, self._edges(table)[0]),)

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the shares with valid intervals, and the noisy number of cells of each group.

        A value is None where there are too few cells to say.
        """
        edges, places = self._edges(table)
        curve = Curve(noisy[0].values, root(len(edges) - 1), laws[0], alpha)
        known, at = self.known(table), tuple(map(float, self.at))
        estimates = curve.shares_of(places, known, alpha) if known else curve.shares(places)
        return Answer(
            label=self.label,
            axes=(*keyed(self.ask.by), Axis("level", "below")),
            measure="share",
            index=tuple([(*group, x) for group in groups(table, self.ask.by) for x in at]),
            values=estimates.values,
            low=tuple(estimates.low.tolist()),
            high=tuple(estimates.high.tolist()),
            rows=tuple([float(known or count) for count in curve.counts.tolist() for _ in at]),
            rows_within=estimates.count_within,
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return about the widest half-width, to be divided by the cells in the group."""
        edges, _ = self._edges(table)
        if known := self.known(table):
            middle = (Fraction(1, 2),)
            half = (
                expected_off(laws[0], alpha, root(len(edges) - 1), middle) / known
            )  # exact: rationals
            note = known_words(self.label, "made of noisy counts", known)
            return Expected(half, whole=Fraction(1), note=note)
        ends = Fraction(0), Fraction(1)
        width = expected_off(laws[0], for_interval(alpha), root(len(edges) - 1), ends)
        return Expected(width, per_row=True, whole=Fraction(1))

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        bins = {} if self.bins is None else {"bins": self.bins}
        own = {"statistic": "share_below", "column": self.column, "at": self._at}
        return {**own, **bins, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is a share, below values of the column."""
        heading = f"Share of rows with {about.column(self.column)} below a value"
        return Telling(heading, ruled="curve")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return which part of the cells is below each value."""
        del table
        usable = cells(rows, self.column)
        if not usable:
            return [None] * len(self.at)
        return [sum(x < value for x in usable) / len(usable) for value in self.at]


@question()
def share_below(
    column: str,
    at: End | Sequence[End],
    by: By = None,
    *,
    bins: int | None = None,
    **options: Unpack[AskOptions],
) -> ShareBelow:
    """Ask for the share of a column's usable cells that lie below a value, in each group.

    Args:
        column: a column with public bounds.
        at: a value between the bounds, or several, increasing. If the bounds are days or moments,
            so are these values.
        bins: the number of bins of a finer curve, or a list of edges; `at` must lie on the edges.
            Without `bins` the curve has no other edges than `at`, and less noise.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group and each value
        of `at`, with value, low and high between 0 and 1, and the noisy number of rows.

    Raises:
        InputError: there is no value, or the values do not increase.

    Example:
        >>> print(dp.share_below("wage", 30_000, by="ward"))
        share_below wage at 30000 by ward
    """
    values, kind = ends_of(listed(at), "at")
    if not values or list(values) != sorted(set(values)):
        raise InputError(
            f"at = {as_given(at)} is not a list of increasing values.",
            kind="cut-points-wrong",
            why="a share is told below each value",
            fix="list them once each, the smallest first",
        )
    ask = asked(by, **options)
    return ShareBelow(column, values, None if bins is None else checked_bins(bins), ask, kind)


def _examples(table: Table) -> Iterable[Options]:
    """Return one value of each column, some, and some on a curve of many bins."""
    for column, bounds in table.columns.items():
        steps = range(bounds.lower_step + 1, bounds.upper_step + 1, max(1, bounds.width // 3))
        values = [bounds.said(step * bounds.step) for step in steps]
        yield {"column": column, "at": [values[-1]]}
        yield {"column": column, "at": values}
        yield {"column": column, "at": values, "bins": 1_024}


SHARE_BELOW = ListedStatistic("share_below", share_below, _examples, tight=("add_remove",))
