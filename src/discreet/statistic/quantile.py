"""Quantiles of a column in each group, the median and the interquartile range, from one curve.

Sensitivity, and what is counted: `curve.py`. The t-quantile of n cells is the least x with at least
t n of them at or below it. Where bins hold one step of the column each, it is told in steps; wider
bins are taken to be filled evenly.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Literal

from ..aggregate import Aggregate, Noisy
from ..errors import InputError, as_given
from ..exact.number import Number, rational, text_of
from ..fix import write
from ..noise.law import Law
from ..post.curve import Curve
from ..post.shown import for_interval
from ..schema import Table
from .answer import Answer, Axis, Inner, groups, keyed
from .ask import Ask, Wanted, asked
from .chosen_quantile import ChosenQuantile, is_choice, not_chosen
from .curve import (
    BINS,
    Cut,
    checked_bins,
    coarse_note,
    curve_of,
    edges_of,
    expected_off,
    listed,
    root,
)
from .listed import ListedStatistic, Options, Row, cells, each_column
from .statistic import Expected, Question

_QUARTERS = (Fraction(1, 4), Fraction(3, 4))


@dataclass(frozen=True, slots=True, repr=False)
class Quantile(Question):
    """Where in a column its cells are cut, by group: at some shares of them from below."""

    column: str
    at: tuple[Fraction, ...]
    bins: int
    ask: Ask
    name: Literal["quantile", "median", "middle", "iqr"] = "quantile"

    @property
    def label(self) -> str:
        """A short name."""
        at = f" at {', '.join(map(text_of, self.at))}" if self._several else ""
        return f"{self.name} {self.column}{at}{self.ask.suffix()}"

    @property
    def _several(self) -> bool:
        return self.name in ("quantile", "middle")

    def inner(self, table: Table) -> Inner:
        """Return the shares that are asked, where there can be several."""
        del table
        shares = tuple(map(float, self.at))
        return (Axis("level", "quantile"), shares) if self._several else None

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the curve."""
        edges = edges_of(table, self.column, self.bins)
        return (curve_of(table, self.ask, self.column, edges),)

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the quantiles with valid intervals, and the noisy number of cells of each group.

        A value is None where there are too few cells to say.
        """
        edges = edges_of(table, self.column, self.bins)
        curve = Curve(noisy[0].values, root(len(edges) - 1), laws[0], alpha)
        part = Fraction(1, 2) if self.name == "iqr" else Fraction(1)
        cut = [
            Cut.of(curve.quantile(at, part), edges, table.columns[self.column]) for at in self.at
        ]
        if self.name == "iqr":
            cut = [cut[1].less(cut[0], table.columns[self.column])]
        levels = tuple(map(float, self.at)) if self._several else None
        every = [(group, place) for group in range(len(curve.counts)) for place in range(len(cut))]
        index = groups(table, self.ask.by)
        return Answer(
            label=self.label,
            axes=(*keyed(self.ask.by), *([Axis("level", "quantile")] if levels else [])),
            measure="iqr" if self.name == "iqr" else "quantile",
            index=tuple([(*g, x) for g in index for x in levels] if levels else index),
            values=tuple([cut[place].values[group] for group, place in every]),
            low=tuple([cut[place].low[group] for group, place in every]),
            high=tuple([cut[place].high[group] for group, place in every]),
            rows=tuple([float(curve.counts[group]) for group, _ in every]),
            rows_within=curve.counts_within,
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return about the widest half-width: how far off in rank it may be."""
        edges = edges_of(table, self.column, self.bins)
        level = for_interval(alpha) / (2 if self.name == "iqr" else 1)  # exact: a rational
        return Expected(
            expected_off(laws[0], level, edges, self.at),
            whole=self.ask.size,
            of="ranks",
            note=coarse_note(self.name, table, self.column, edges),
        )

    def instead(self) -> ChosenQuantile | None:
        """Return the same by a choice, where it is one quantile of each group."""
        if self.name not in ("quantile", "median") or len(self.at) > 1:
            return None
        return ChosenQuantile(self.column, self.at[0], self.bins, self.ask, self.name)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        at: dict[str, object] = {}
        if self.name == "quantile":
            at = {"at": [text_of(share) for share in self.at]}
        if self.name == "middle":
            at = {"share": text_of(1 - 2 * self.at[0])}
        bins = {} if self.bins == BINS else {"bins": self.bins}
        return {"statistic": self.name, "column": self.column, **at, **bins, **self.ask.plain()}

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return for each share the least cell with as many at or below it."""
        del table
        found = sorted(cells(rows, self.column))
        if not found:
            return [None] * (len(self.at) if self._several else 1)
        cut = [float(found[max(0, ceil(at * len(found)) - 1)]) for at in self.at]
        return [cut[1] - cut[0]] if self.name == "iqr" else list(cut)


def quantile(
    column: str,
    at: Number | Sequence[Number],
    by: str | Iterable[str] | None = None,
    *,
    method: str = "curve",
    bins: int = BINS,
    max_groups: int | None = None,
    max_rows_per_group: int | None = None,
    weight: int = 1,
    within: Wanted = None,
    rows: int | None = None,
    where: str | None = None,
) -> Quantile | ChosenQuantile:
    """Ask where a column's usable cells are cut, in each group: the least value that a share `at`
    of them does not exceed.

    All quantiles of one question cost as much as one; ask for them together.

    Args:
        column: a column with public bounds.
        at: a share between 0 and 1, or several, increasing: 0.5 is the median.
        by, max_groups, max_rows_per_group, weight, within, rows, where: as for `count`; `within` in
            ranks.
        method: "curve", or "choice": one quantile of each group, by the exponential mechanism,
            which is better for few rows; a plan says where.
        bins: how finely the bounds are cut; more bins make the noise hardly wider.

    Raises:
        InputError: a share that is not between 0 and 1, or not above the one before it; a choice of
            several shares.

    Example:
        >>> print(quantile("wage", ["0.1", "0.5", "0.9"], by="ward"))
        quantile wage at 0.1, 0.5, 0.9 by ward
    """
    shares = tuple([_share(one) for one in listed(at)])
    if not shares or list(shares) != sorted(set(shares)):
        raise InputError(
            f"at = {as_given(at)} is not a list of increasing shares.",
            why="a quantile is told for each share of the cells",
            fix=write(at=["0.25", "0.5", "0.75"]),
        )
    ask = asked(by, max_groups, max_rows_per_group, weight, within=within, rows=rows, where=where)
    return _by(method, Quantile(column, shares, checked_bins(bins), ask))


def median(
    column: str,
    by: str | Iterable[str] | None = None,
    *,
    method: str = "curve",
    bins: int = BINS,
    max_groups: int | None = None,
    max_rows_per_group: int | None = None,
    weight: int = 1,
    within: Wanted = None,
    rows: int | None = None,
    where: str | None = None,
) -> Quantile | ChosenQuantile:
    """Ask for the median of a column's usable cells in each group.

    Args: as for `quantile`.
    """
    ask = asked(by, max_groups, max_rows_per_group, weight, within=within, rows=rows, where=where)
    return _by(method, Quantile(column, (Fraction(1, 2),), checked_bins(bins), ask, "median"))


def middle(
    column: str,
    share: Number,
    by: str | Iterable[str] | None = None,
    *,
    bins: int = BINS,
    max_groups: int | None = None,
    max_rows_per_group: int | None = None,
    weight: int = 1,
    within: Wanted = None,
    rows: int | None = None,
    where: str | None = None,
) -> Quantile:
    """Ask between which two values the middle share of a column's usable cells lies, by group:
    with 0.98 the quantiles at 0.01 and 0.99.

    Args:
        share: between 0 and 1.
        column, by, bins, max_groups, max_rows_per_group, weight, within, rows, where: as for
            `quantile`.
    """
    rest = (1 - _share(share, "share")) / 2
    ask = asked(by, max_groups, max_rows_per_group, weight, within=within, rows=rows, where=where)
    return Quantile(column, (rest, 1 - rest), checked_bins(bins), ask, "middle")


def iqr(
    column: str,
    by: str | Iterable[str] | None = None,
    *,
    bins: int = BINS,
    max_groups: int | None = None,
    max_rows_per_group: int | None = None,
    weight: int = 1,
    within: Wanted = None,
    rows: int | None = None,
    where: str | None = None,
) -> Quantile:
    """Ask for the interquartile range of a column in each group: how far the upper quartile of its
    usable cells lies above the lower one.

    Args: as for `quantile`.
    """
    ask = asked(by, max_groups, max_rows_per_group, weight, within=within, rows=rows, where=where)
    return Quantile(column, _QUARTERS, checked_bins(bins), ask, "iqr")


def _by(method: object, found: Quantile) -> Quantile | ChosenQuantile:
    if not is_choice(method):
        return found
    chosen = found.instead()
    if chosen is None:
        raise not_chosen(found.label)
    return chosen


_PERCENT = 100


def _share(given: object, name: str = "at") -> Fraction:
    found = rational(given, name)
    if not 0 < found < 1:
        raise InputError(
            f"{name} = {text_of(found)} must be above 0 and below 1.",
            why="the least and the largest value are one person's; to hide it takes noise as wide "
            "as the bounds",
            fix=write(**{name: _meant(found, name)}),
        )
    return found


def _meant(given: Fraction, name: str) -> str:
    """Return the share that a number outside of 0 to 1 is likely meant for: a percentage as one."""
    if 1 < given < _PERCENT:
        return text_of(given / _PERCENT)
    ends = ("0.98", "0.98") if name == "share" else ("0.01", "0.99")
    return ends[given >= 1]


def _at_some(table: Table) -> Iterable[Options]:
    """Return one share of each column, and some, and one by a choice."""
    for column in table.columns:
        yield from ({"column": column, "at": at} for at in (["0.3"], ["0.1", "0.5", "0.75"]))
    yield {"column": column, "at": ["0.3"], "method": "choice"}


def _halves(table: Table) -> Iterable[Options]:
    """Return the median of each column, from a curve and by a choice."""
    ways: tuple[Options, ...] = ({}, {"method": "choice"})
    return [{"column": column, **way} for column in table.columns for way in ways]


def _middles(table: Table) -> Iterable[Options]:
    """Return the middle eight tenths of each column."""
    return [{"column": column, "share": "0.8"} for column in table.columns]


QUANTILE = ListedStatistic("quantile", quantile, _at_some, tight=("add_remove",))
MEDIAN = ListedStatistic("median", median, _halves, tight=("add_remove",))
MIDDLE = ListedStatistic("middle", middle, _middles, tight=("add_remove",))
IQR = ListedStatistic("iqr", iqr, each_column, tight=("add_remove",))
