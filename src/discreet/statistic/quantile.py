"""Quantiles of a column in each group, the median and the interquartile range, from one vector.

Sensitivity, and what is counted: `curve.py`. The t-quantile of n cells is the least x with at least
t n of them at or below it. Where bins hold one step of the column each, it is told in steps; wider
bins are taken to be filled evenly. The vector is a curve, whose error hardly grows with the number
of bins; one that leans to an end (`leaning`), where quantiles lie nearer to it; or the counts by
bin, whose error is less where bins are few.

Rules of this module:
- what nobody said is open: the method, and how finely to cut. A plan decides it from public facts
  (`plans/nearest.py`) and writes down what it decided; a question that is still open is a curve;
- how many rows there are stands beside a curve, unless it is of the median alone.

Decisions 91 and 92.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Literal, Unpack, cast, get_args

from ..aggregate import Aggregate, Noisy
from ..errors import InputError, as_given
from ..exact.number import Number, rational, text_of
from ..fix import leave_out, write
from ..noise.law import Law
from ..post.curve import Curve, Kernel, told_worst
from ..post.thresholds import for_interval
from ..post.value_error import off_of_counts
from ..schema import About, End, Table
from .ask import Ask, asked
from .chosen_quantile import ChosenQuantile
from .curve import Cut, alone, beside, coarse_note, counts_of, curve_of, expected_off, listed, root
from .edges import Cuts, cuts_of
from .leaning import beside_leaning, leaning, leans
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
    cells,
    each_column,
    groups,
    keyed,
)

Method = Literal["curve", "tail", "histogram"]
Bins = int | Sequence[End] | None  # how many, or their edges
_HALF = Fraction(1, 2)
_QUARTERS = (Fraction(1, 4), Fraction(3, 4))


@dataclass(frozen=True, slots=True, repr=False)
class Quantile(Question):
    """Where in a column its cells are cut, by group: at some shares of them from below."""

    column: str
    at: tuple[Fraction, ...]
    cuts: Cuts
    ask: Ask
    name: Literal["quantile", "median", "middle", "iqr"] = "quantile"
    method: Method | None = None

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
        """Return the curve, or the counts by bin."""
        edges = self.cuts.edges(table, self.column)
        if self.method == "histogram":
            return (counts_of(table, self.ask, self.column, edges),)
        kernel = self.kernel(len(edges) - 1)
        return (curve_of(table, self.ask, self.column, edges, self.beside, kernel),)

    @property
    def beside(self) -> int:
        """The weight of the number of rows beside the vector."""
        if self.method == "tail":
            return beside_leaning(self.at)
        return 0 if self.method == "histogram" else beside(self.at)

    def kernel(self, size: int) -> Kernel:
        """Return what the matrix is that counts by bin pass, for so many bins."""
        if self.method == "tail":
            return leaning(size, self.at)
        return alone(size) if self.method == "histogram" else root(size)

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the quantiles with valid intervals, and the noisy number of cells of each group.

        A value is None where there are too few cells to say.
        """
        edges = self.cuts.edges(table, self.column)
        kernel = self.kernel(len(edges) - 1)
        curve = Curve(noisy[0].values, kernel, laws[0], alpha, self.beside)
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
        edges = self.cuts.edges(table, self.column)
        kernel = self.kernel(len(edges) - 1)
        level = for_interval(alpha) / (2 if self.name == "iqr" else 1)  # exact: a rational
        if self.method == "histogram":
            variance, bins = laws[0].variance(), len(kernel)
            off = max(off_of_counts(variance, level, bins, share) for share in self.at)
        else:
            off = expected_off(laws[0], level, kernel, self.at, self.beside)
        return Expected(
            off,
            whole=self.ask.size,
            of="ranks",
            note=coarse_note(self.name, table, self.column, edges),
            words=lambda: self._least(table, laws[0], kernel) if self.ask.within else (),
        )

    def shares(self, table: Table, kind: str) -> tuple[Fraction, ...] | None:
        """Return that counts by bin get all of the loss: how far sums of them are off is asked of
        the noise itself, which a half-width of one count does not tell."""
        del table, kind
        return (Fraction(1),) if self.method == "histogram" else None

    def _least(self, table: Table, law: Law, kernel: Kernel) -> tuple[str, ...]:
        """Return how far a wanted error is above what any noise of its price has, in words."""
        if law.costs == "pure":
            return ("Of Laplace noise nobody knows the least loss that keeps this error.",)
        if self.method == "histogram" or table.neighbors != "add_remove":
            return ("The least loss that keeps this error is not known for this question.",)
        from ..post.least_rank import least_rank

        (vector,) = self.aggregates(table)
        squares = max(vector.transform.matrix.squares()) if vector.transform else 0
        mine = squares * told_worst(kernel, self.at, self.beside) ** 2
        least = least_rank(len(kernel), self.at)
        return (
            f"The rank of {self.label} that is told worst varies by {mine:.2f} in 1 / (2 rho), and "
            f"that of no linear Gaussian noise by less than {floor(100 * least) / 100:.2f}.",
        )

    def instead(self) -> ChosenQuantile | None:
        """Return the same by a choice, where it is one quantile of each group."""
        if self.name not in ("quantile", "median") or len(self.at) > 1:
            return None
        return ChosenQuantile(self.column, self.at[0], self.cuts, self.ask, self.name)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        at: dict[str, object] = {}
        if self.name == "quantile":
            at = {"at": [text_of(share) for share in self.at]}
        if self.name == "middle":
            at = {"share": text_of(1 - 2 * self.at[0])}
        way = {} if self.method is None else {"method": self.method}
        own = {"statistic": self.name, "column": self.column, **at, **self.cuts.plain()}
        return {**own, **way, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is a value of the column, but for the range between two of them."""
        if self.name == "iqr":
            range_of = f"Interquartile range of {about.own_column(self.column)}"
            return Telling(range_of, ruled="curve")
        of = about.column(self.column)
        name = "Median" if self.name == "median" else "Quantiles"
        middle = f"Where the middle {text_of(1 - 2 * self.at[0])} of {of} lies"
        return Telling(middle if self.name == "middle" else f"{name} of {of}", ruled="curve")

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
    method: str | None = None,
    bins: Bins = None,
    **options: Unpack[AskOptions],
) -> Quantile | ChosenQuantile:
    """Ask for quantiles of a column's usable cells in each group. A quantile is the smallest value
    v such that at least a share `at` of the cells is v or less.

    All quantiles of one question cost as much as one quantile, so ask for all together.

    Args:
        column: a column with public bounds.
        at: a share between 0 and 1, or several, increasing: 0.5 is the median.
        within: in place of a weight, the half-width that you want, in ranks: a number of rows, or
            "5%" of a public size.
        method: the way to measure. "tail" is a curve for shares that lie nearer to one end, such
            as 0.05 and 0.5. "histogram" adds up the counts of bins, and is better than "curve" for
            few bins. "choice" takes the exponential mechanism, for one quantile of each group. By
            default, a plan takes the way that is likely to be nearest, from its loss and from
            public sizes.
        bins: the number of bins between the bounds, or a list of edges, increasing, from bound to
            bound. By default 1,024; fewer if `rows`, or the public number of rows of the table,
            says that groups are small.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group and each share,
        with value, low and high in the units of the column, and the noisy number of rows (a
        choice has no such number).

    Raises:
        InputError: a share is not between 0 and 1, or not above the previous share; or a choice
            asks for several shares.

    Source: docs/laws/quantiles.md; McSherry and Talwar 2007 for a choice.

    Example:
        >>> print(dp.quantile("wage", ["0.1", "0.5", "0.9"], by="ward"))
        quantile wage at 0.1, 0.5, 0.9 by ward
    """
    shares = tuple([_share(share) for share in listed(at)])
    if not shares or list(shares) != sorted(set(shares)):
        raise InputError(
            f"at = {as_given(at)} is not a list of increasing shares.",
            kind="cut-points-wrong",
            why="a quantile is told for each share of the cells",
            fix=write(at=["0.25", "0.5", "0.75"]),
        )
    return _by(method, Quantile(column, shares, cuts_of(bins), asked(by, **options)))


@question()
def median(
    column: str,
    by: By = None,
    *,
    method: str | None = None,
    bins: Bins = None,
    **options: Unpack[AskOptions],
) -> Quantile | ChosenQuantile:
    """Ask for the median of a column's usable cells in each group.

    Args:
        column: a column with public bounds.
        within: in place of a weight, the half-width that you want, in ranks: a number of rows, or
            "5%" of a public size.
        method: "curve", "histogram" or "choice", the three ways to measure; by default the plan
            decides.
        bins: the number of bins between the bounds, or a list of edges; by default the plan
            decides.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group, with value, low
        and high in the units of the column, and the noisy number of rows (a choice has no such
        number).

    Raises:
        InputError: an option has a wrong type or value.

    Example:
        >>> print(dp.median("wage", by="ward"))
        median wage by ward
    """
    ask = asked(by, **options)
    return _by(method, Quantile(column, (_HALF,), cuts_of(bins), ask, "median"))


@question()
def middle(
    column: str,
    share: Number,
    by: By = None,
    *,
    method: str | None = None,
    bins: Bins = None,
    **options: Unpack[AskOptions],
) -> Quantile:
    """Ask for the two values between which the middle share of a column's usable cells lies, by
    group. For a share of 0.98, these are the quantiles at 0.01 and 0.99.

    Args:
        share: between 0 and 1.
        column: a column with public bounds.
        within: in place of a weight, the half-width that you want, in ranks: a number of rows, or
            "5%" of a public size.
        method: "curve" or "histogram", the two ways to measure; by default the plan decides.
        bins: the number of bins between the bounds, or a list of edges; by default the plan
            decides.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has two rows for each group, the lower
        and the upper value, with low and high in the units of the column.

    Raises:
        InputError: the share is not between 0 and 1.

    Example:
        >>> print(dp.middle("wage", "0.9", by="ward").label)
        middle wage at 0.05, 0.95 by ward
    """
    rest = (1 - _share(share, "share")) / 2
    ask = asked(by, **options)
    return _with(method, Quantile(column, (rest, 1 - rest), cuts_of(bins), ask, "middle"))


@question()
def iqr(
    column: str,
    by: By = None,
    *,
    method: str | None = None,
    bins: Bins = None,
    **options: Unpack[AskOptions],
) -> Quantile:
    """Ask for the interquartile range of a column in each group: the upper quartile of the usable
    cells, less the lower quartile.

    Args:
        column: a column with public bounds.
        within: in place of a weight, the half-width that you want, in ranks: a number of rows, or
            "5%" of a public size.
        method: "curve" or "histogram", the two ways to measure; by default the plan decides.
        bins: the number of bins between the bounds, or a list of edges; by default the plan
            decides.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group, with value,
        low and high in the units of the column.

    Raises:
        InputError: an option has a wrong type or value.

    Example:
        >>> print(dp.iqr("wage", by="ward").label)
        iqr wage by ward
    """
    ask = asked(by, **options)
    return _with(method, Quantile(column, _QUARTERS, cuts_of(bins), ask, "iqr"))


def _by(method: object, question: Quantile) -> Quantile | ChosenQuantile:
    """Return a question by a method; or raise InputError."""
    if not isinstance(method, str) or method != "choice":
        return _with(method, question)
    chosen = question.instead()
    if chosen is None:
        raise InputError(
            f"{question.label} is more than one number of a group, and a choice tells one.",
            kind="cannot-choose",
            why="a choice is paid for each bin that it tells; a curve has all quantiles",
            fix=(leave_out("method"), write(at="0.5")),
            at="method",
        )
    return chosen


def _with(method: object, question: Quantile) -> Quantile:
    if method is None:
        return question
    if not isinstance(method, str) or method not in get_args(Method):
        raise InputError(
            f"method = {as_given(method)} is not known"
            f"{' for several quantiles' if as_given(method) == repr('choice') else ''}.",
            kind="unknown-choice",
            why="quantiles are read from one noisy curve, or from the counts of bins; of a single "
            "quantile one bin can be chosen",
            fix=(leave_out("method"), write(method="histogram")),
            at="method",
        )
    if method == "tail" and not leans(question.at):
        raise InputError(
            f"{question.label} does not lie near enough to one end.",
            kind="unknown-choice",
            why="for method = 'tail' the lowest share is at most 0.3 and the lowest and highest "
            "add up to at most 0.75, or all is so from above",
            fix=(leave_out("method"), write(method="curve")),
            at="method",
        )
    return replace(question, method=cast("Method", method))


_PERCENT = 100


def _share(argument: object, name: str = "at") -> Fraction:
    share = rational(argument, name)
    if not 0 < share < 1:
        raise InputError(
            f"{name} = {text_of(share)} must be above 0 and below 1.",
            kind="out-of-range",
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
    yield {"column": column, "at": ["0.1", "0.5"], "method": "histogram", "bins": 4}
    yield {"column": column, "at": ["0.05"], "method": "tail"}
    yield {"column": column, "at": ["0.5", "0.9"], "method": "tail", "bins": 4}


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
