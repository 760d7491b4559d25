"""One quantile of a column in each group by the exponential mechanism over public bins, in three
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

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ..aggregate import Aggregate, Bins, Choice, Measure, Noisy, Rank
from ..exact.number import text_of
from ..noise.law import Law
from ..post.interval import downs, nearest, ups
from ..schema import About, Table
from ..sensitivity import Reach, row_sensitivity
from .ask import Ask, bounds_of, check_groups
from .edges import Cuts
from .statistic import (
    AS_NAMED,
    CHOSEN,
    Answer,
    Expected,
    Inner,
    Question,
    Row,
    Telling,
    cells,
    groups,
    keyed,
)

ALPHA = Fraction(1, 20)  # what the ends are aimed for


@dataclass(frozen=True, slots=True, repr=False)
class ChosenQuantile(Question):
    """Where in a column a share of its cells lies below, by group, told by a choice among bins."""

    column: str
    at: Fraction
    cuts: Cuts
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
        bins = Bins(self.column, self.cuts.edges(table, self.column))
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
        edges = self.cuts.edges(table, self.column)
        bounds = bounds_of(table, self.column, may_be_time=True)
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
        bins = len(self.cuts.edges(table, self.column)) - 1
        pairs = zip(self.ranks, laws, strict=True)
        off = max(rank.off(law.half_width, bins) + 1 for rank, law in pairs if rank.side)
        return Expected(
            Fraction(off, self.at.denominator),
            whole=self.ask.size,
            of="ranks",
            note=f"The {self.name} that is chosen lies much nearer than the ends of its interval, "
            f"which are aimed to hold the truth in {text_of(100 * (1 - ALPHA))} % of releases.",
        )

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        at: dict[str, object] = {"at": [text_of(self.at)]} if self.name == "quantile" else {}
        own = {"statistic": self.name, "column": self.column, **at, **self.cuts.plain()}
        return {**own, "method": "choice", **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is a value of the column, made of one bin."""
        name = "Median" if self.name == "median" else "Quantiles"
        return Telling(f"{name} of {about.column(self.column)} (one bin, chosen)", ruled="curve")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the least cell with as many at or below it."""
        del table
        ordered = sorted(cells(rows, self.column))
        place = -(-self.at * len(ordered) // 1)
        return [float(ordered[max(0, int(place) - 1)])] if ordered else [None]
