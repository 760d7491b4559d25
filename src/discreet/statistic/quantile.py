"""Quantiles of a column in each group, the median and the interquartile range, from one curve.

Sensitivity, and what is counted: `curve.py`. The t-quantile of n cells is the least x with at least
t n of them at or below it. Where bins hold one step of the column each, it is told in steps; wider
bins are taken to be filled evenly.

One quantile of a column in each group by the exponential mechanism over public bins, in three
choices: one tells about where the quantile lies, the other two are aimed so far below and above it
that they are the ends of its interval. Three bins leave, and no number of rows.

Spread: how far one unit can move the numbers of two bins apart (`aggregate`). Let the share be a /
b, and a unit have at most r rows. A bin is as far from the rank as max(0, s, t), where s = b F - a
n - shift with F the rows before it, and t = a n + shift - b F with those before or in it; so no bin
moves further than these do. A row that comes moves b F - a n by b - a where it lies before, else by
-a; r rows by at most m r in size, m the larger of a and b - a. add_remove: moves lie between -m r
and m r, and the spread is 2 m r. replace: x rows go and y come, x and y at most r, of which x' and
y' lie before: b (y' - x') - a (y - x) is at most (b - a) y + a x and at least -a y - (b - a) x, so
at most b r in size, and the spread is 2 b r. The candidates beyond all bins have a n + shift or b n
- a n - shift, which are such numbers with F = 0 or F = n.

In groups: what is chosen in one says nothing of the others, so that losses add over those that a
unit moves. With x_i of its rows in group i, R in all, their spreads are 2 m x_i and add up to at
most 2 m R. For replace they are 2 max((b - a) y_i + a x_i, a y_i + (b - a) x_i), at most
2 m (x_i + y_i), and add up to at most 4 m R. `Choice` says what such parts cost.

An interval misses with at most alpha: the low end is a bin with b F < a n before it, so that the
least x with F(x) >= (a / b) n is in it or above. It is sought at a n - off - 1. If b F >= a n, it
lies more than `off` from there, while one candidate lies at 0: so with probability at most half of
ALPHA (`Rank.off`, docs/laws/choosing.md). The high end has b F >= a n with itself, sought at
a n + off. The aims are made before data is read, for ALPHA: a wider level has the same interval.

Decision 45.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Literal, Unpack

from ..aggregate import Aggregate, Bins, Choice, Measure, Noisy, Rank
from ..errors import InputError, as_given
from ..exact.number import Number, rational, text_of
from ..fix import leave_out, write
from ..noise.law import Law
from ..post.curve import Curve
from ..post.interval import downs, nearest, ups
from ..post.thresholds import for_interval
from ..schema import About, Table
from ..sensitivity import Reach, row_sensitivity
from .ask import Ask, asked, bounds_of, check_groups
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
from .options import AskOptions, By, question
from .statistic import (
    AS_NAMED,
    CHOSEN,
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
    cells,
    each_column,
    groups,
    keyed,
)

ALPHA = Fraction(1, 20)  # what the ends are aimed for


@dataclass(frozen=True, slots=True, repr=False)
class ChosenQuantile(Question):
    """Where in a column a share of its cells lies below, by group, told by a choice among bins."""

    column: str
    at: Fraction
    bins: int
    ask: Ask
    name: Literal["quantile", "median"]

    @property
    def label(self) -> str:
        """A short name."""
        at = f" at {text_of(self.at)}" if self.name == "quantile" else ""
        return f"{self.name} {self.column}{at}{self.ask.suffix()}, chosen"

    def inner(self, table: Table) -> Inner:
        """Return nothing: it is one number of each group."""
        del table
        return None

    @property
    def ranks(self) -> tuple[Rank, Rank, Rank]:
        """The rank below, at and above which a bin is chosen."""
        return (
            Rank(self.at, -1, ALPHA / 2),  # exact: rationals
            Rank(self.at),
            Rank(self.at, 1, ALPHA / 2),  # exact: rationals
        )

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the counts by bin, three times, and that one bin of each leaves."""
        bins = Bins(self.column, edges_of(table, self.column, self.bins))
        check_groups(table, self.ask, cells_per_group=bins.count)
        limits = self.ask.reach(table)
        spread, whole = self._spreads(table, limits)
        return tuple(
            self.ask.aggregate(
                table,
                measures=(Measure("rows"),),
                sensitivity=row_sensitivity(table, limits, bins.count),
                bins=bins,
                choice=Choice(1, spread, rank, whole),
            )
            for rank in self.ranks
        )

    def _spreads(self, table: Table, limits: Reach) -> tuple[int, int]:
        """Return the spread of one group, and those of all together; the proof is in the module."""
        a, b = self.at.numerator, self.at.denominator
        most, each = max(a, b - a), limits.rows_per_group
        if table.neighbors == "add_remove":
            return 2 * most * each, 2 * most * limits.rows
        if table.most_groups(self.ask.by) == 1:
            return 2 * b * each, 2 * b * each
        return 2 * b * each, 4 * most * limits.rows

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return each group's quantile with its interval; of few rows that is the whole range.

        It is told however few there are: what is left out where an interval is wide would be shown
        where luck has made it narrow. At a smaller alpha than its ends were aimed for it is None.
        """
        del laws
        edges, bounds = (
            edges_of(table, self.column, self.bins),
            bounds_of(table, self.column, may_be_time=True),
        )
        last, top, bottom = len(edges) - 2, bounds.step.numerator, bounds.step.denominator
        below, at, above = (vector.values for vector in noisy)
        has_ends = alpha >= ALPHA
        ends = [(0, last)] * len(at)
        if has_ends:
            pairs = zip(below, above, strict=True)
            ends = [(max(0, first - 1), min(final, last)) for first, final in pairs]
        low = downs([edges[min(pair)] * top for pair in ends], bottom)
        high = ups([(edges[max(pair) + 1] - 1) * top for pair in ends], bottom)
        middle = nearest([(edges[bin_] + edges[bin_ + 1] - 1) * top for bin_ in at], 2 * bottom)
        inside = [min(max(x, a), b) for x, a, b in zip(middle, low, high, strict=True)]
        return Answer(
            label=self.label,
            axes=keyed(self.ask.by),
            measure=CHOSEN,
            index=tuple(groups(table, self.ask.by)),
            values=tuple(inside) if has_ends else (None,) * len(inside),
            low=low,
            high=high,
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return about how many ranks from the quantile the ends of the interval are."""
        del alpha
        bins = len(edges_of(table, self.column, self.bins)) - 1
        pairs = zip(self.ranks, laws, strict=True)
        off = max(rank.off(law.half_width, bins) + 1 for rank, law in pairs if rank.side)
        return Expected(
            Fraction(off, self.at.denominator),
            whole=self.ask.size,
            of="ranks",
            note=f"The {self.name} that is chosen lies much nearer than the ends of its interval, "
            f"which are aimed for {text_of(100 * (1 - ALPHA))} %.",
        )

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        at: dict[str, object] = {"at": [text_of(self.at)]} if self.name == "quantile" else {}
        bins = {} if self.bins == BINS else {"bins": self.bins}
        way = {"method": "choice"}
        return {"statistic": self.name, "column": self.column, **at, **bins, **way} | (
            self.ask.plain()
        )

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is a value of the column, made of one bin."""
        name = "Median" if self.name == "median" else "Quantiles"
        return Telling(f"{name} of {about.column(self.column)} (one bin, chosen)")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the least cell with as many at or below it."""
        del table
        ordered = sorted(cells(rows, self.column))
        place = -(-self.at * len(ordered) // 1)
        return [float(ordered[max(0, int(place) - 1)])] if ordered else [None]


def is_choice(method: object) -> bool:
    """Tell whether a quantile is to be chosen, and not read from a curve; or raise InputError."""
    if not isinstance(method, str) or method not in ("curve", "choice"):
        raise InputError(
            f"method = {as_given(method)} is not known.",
            why="quantiles are read from one noisy curve, or one bin is chosen",
            fix=(write(method="choice"), leave_out("method")),
            at="method",
        )
    return method == "choice"


def not_chosen(label: str) -> InputError:
    """Return the refusal of a choice that is no single quantile."""
    return InputError(
        f"{label} is more than one number of a group, and a choice tells one.",
        why="a choice is paid for each bin that it tells; a curve has all quantiles",
        fix=(leave_out("method"), write(at="0.5")),
        at="method",
    )


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

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is a value of the column, but for the range between two of them."""
        if self.name == "iqr":
            return Telling(f"Interquartile range of {about.own_column(self.column)}")
        of = about.column(self.column)
        if self.name == "middle":
            return Telling(f"Where the middle {text_of(1 - 2 * self.at[0])} of {of} lies")
        return Telling(f"{'Median' if self.name == 'median' else 'Quantiles'} of {of}")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return for each share the least cell with as many at or below it."""
        del table
        ordered = sorted(cells(rows, self.column))
        if not ordered:
            return [None] * (len(self.at) if self._several else 1)
        cut = [float(ordered[max(0, ceil(at * len(ordered)) - 1)]) for at in self.at]
        return [cut[1] - cut[0]] if self.name == "iqr" else list(cut)


@question()
def quantile(
    column: str,
    at: Number | Sequence[Number],
    by: By = None,
    *,
    method: str = "curve",
    bins: int = BINS,
    **options: Unpack[AskOptions],
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
    shares = tuple([_share(share) for share in listed(at)])
    if not shares or list(shares) != sorted(set(shares)):
        raise InputError(
            f"at = {as_given(at)} is not a list of increasing shares.",
            why="a quantile is told for each share of the cells",
            fix=write(at=["0.25", "0.5", "0.75"]),
        )
    ask = asked(by, **options)
    return _by(method, Quantile(column, shares, checked_bins(bins), ask))


@question()
def median(
    column: str,
    by: By = None,
    *,
    method: str = "curve",
    bins: int = BINS,
    **options: Unpack[AskOptions],
) -> Quantile | ChosenQuantile:
    """Ask for the median of a column's usable cells in each group.

    Args: as for `quantile`.
    """
    ask = asked(by, **options)
    return _by(method, Quantile(column, (Fraction(1, 2),), checked_bins(bins), ask, "median"))


@question()
def middle(
    column: str,
    share: Number,
    by: By = None,
    *,
    bins: int = BINS,
    **options: Unpack[AskOptions],
) -> Quantile:
    """Ask between which two values the middle share of a column's usable cells lies, by group:
    with 0.98 the quantiles at 0.01 and 0.99.

    Args:
        share: between 0 and 1.
        column, by, bins, max_groups, max_rows_per_group, weight, within, rows, where: as for
            `quantile`.
    """
    rest = (1 - _share(share, "share")) / 2
    ask = asked(by, **options)
    return Quantile(column, (rest, 1 - rest), checked_bins(bins), ask, "middle")


@question()
def iqr(
    column: str,
    by: By = None,
    *,
    bins: int = BINS,
    **options: Unpack[AskOptions],
) -> Quantile:
    """Ask for the interquartile range of a column in each group: how far the upper quartile of its
    usable cells lies above the lower one.

    Args: as for `quantile`.
    """
    ask = asked(by, **options)
    return Quantile(column, _QUARTERS, checked_bins(bins), ask, "iqr")


def _by(method: object, curve: Quantile) -> Quantile | ChosenQuantile:
    if not is_choice(method):
        return curve
    chosen = curve.instead()
    if chosen is None:
        raise not_chosen(curve.label)
    return chosen


_PERCENT = 100


def _share(argument: object, name: str = "at") -> Fraction:
    share = rational(argument, name)
    if not 0 < share < 1:
        raise InputError(
            f"{name} = {text_of(share)} must be above 0 and below 1.",
            why="the least and the largest value are one person's; to hide it takes noise as wide "
            "as the bounds",
            fix=write(**{name: _meant(share, name)}),
        )
    return share


def _meant(number: Fraction, name: str) -> str:
    """Return the share that a number outside of 0 to 1 is likely meant for: a percentage as one."""
    if 1 < number < _PERCENT:
        return text_of(number / _PERCENT)
    ends = ("0.98", "0.98") if name == "share" else ("0.01", "0.99")
    return ends[number >= 1]


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


_NAMES = ("QUANTILE_CONT", "QUANTILE_DISC", "PERCENTILE_CONT", "PERCENTILE_DISC")
_SQL = tuple(SqlFunction(name, ("column", "at")) for name in _NAMES)
QUANTILE = ListedStatistic("quantile", quantile, _at_some, tight=("add_remove",), sql=_SQL)
MEDIAN = ListedStatistic("median", median, _halves, ("add_remove",), sql=(SqlFunction("MEDIAN"),))
MIDDLE = ListedStatistic("middle", middle, _middles, tight=("add_remove",))
IQR = ListedStatistic("iqr", iqr, each_column, tight=("add_remove",))
