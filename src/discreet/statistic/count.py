"""How many rows, or how many distinct units, there are in each group.

Sensitivity of counting rows: `aggregate.row_sensitivity`.

Sensitivity of counting units. A unit adds 0 or 1 to a group. add_remove: it is in at most g groups,
so l1 and the sum of squares are at most g, and no cell moves by more than 1. replace: one unit's
ones go, another's come; in one cell they cancel, in different cells both count: with more than one
group l1 and the sum of squares are at most 2 g.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import Unpack

from ..aggregate import Aggregate, Measure, Noisy
from ..errors import InputError, as_given
from ..exact.number import flag
from ..fix import BLANK, Do, call, leave_out, write
from ..noise.law import Errs, Law
from ..post.interval import ClampedLaw, around, at_least, clamped, remapped
from ..schema import About, Key, Table
from ..sensitivity import Sensitivity, row_sensitivity
from .ask import Ask, asked, check_groups
from .count_distinct import CountDistinct
from .options import AskTogether, By, question
from .statistic import (
    AS_NAMED,
    BOTH,
    Answer,
    Expected,
    ListedStatistic,
    Measured,
    Options,
    Question,
    Row,
    Telling,
    groups,
    keyed,
    no_options,
    within_public,
)

_WIDEST = 10_000  # between bounds of a count
_MOVED = (
    "its counts are moved to public bounds, and their errors do not add up as noise does",
    "a count without between",
)


@dataclass(frozen=True, slots=True, repr=False)
class Count(Question):
    """Count rows by group; with public bounds they are clamped, or remapped between them."""

    ask: Ask
    between: tuple[int, int] | None = None
    remap: bool = False

    @property
    def label(self) -> str:
        """A short name."""
        between = (
            "" if self.between is None else f" between {self.between[0]} and {self.between[1]}"
        )
        return f"count{between}{', remapped' if self.remap else ''}{self.ask.suffix()}"

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the count of rows."""
        check_groups(table, self.ask, sparsely=True)
        limits = self.ask.reach(table)
        return (
            self.ask.aggregate(
                table,
                measures=(Measure("rows"),),
                sensitivity=row_sensitivity(table, limits, table.most_groups(self.ask.by)),
            ),
        )

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the noisy counts; no interval reaches below zero, because no count does.

        Between public bounds they are clamped, or remapped, and no interval leaves the bounds.
        """
        answer = _counted(self, "rows", table, noisy[0], laws[0].half_width(alpha))
        if self.between is None:
            return answer
        half, middle = self.errs(laws[0]).half_width(alpha), clamped(noisy[0].values, *self.between)
        low, high = (clamped(ends, *self.between) for ends in around(middle, half))
        values = remapped(noisy[0].values, laws[0], *self.between) if self.remap else middle
        inside = [min(max(x, a), b) for x, a, b in zip(values, low, high, strict=True)]
        return within_public(table, replace(answer, values=tuple(inside), low=low, high=high))

    def errs(self, law: Law) -> Errs:
        """Return the noise, or what is left of it between the bounds."""
        return law if self.between is None else ClampedLaw(law, *self.between)

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width in rows."""
        del table
        return Expected(Fraction(self.errs(laws[0]).half_width(alpha)), whole=self.ask.size)

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        bounds = {} if self.between is None else {"between": list(self.between)}
        remap = {"remap": True} if self.remap else {}
        return {"statistic": "count", **bounds, **remap, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is an amount; between bounds its noise is no longer that of its law."""
        del about
        plain = self.between is None
        return Telling(
            "Number of rows",
            chart="amounts",
            cleaned=plain,
            joined=plain,
            apart=None if plain else _MOVED,
            ruled="count" if plain else "whole",
            sparse=not self.remap,
        )

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
        check_groups(table, self.ask, sparsely=True)
        limits = [limit for limit in (table.unit.max_rows, self.ask.max_groups) if limit]
        spread = min([*limits, table.most_groups(self.ask.by)])
        doubled = 2 if table.neighbors == "replace" and table.most_groups(self.ask.by) > 1 else 1
        return (
            self.ask.aggregate(
                table,
                measures=(Measure("units"),),
                sensitivity=Sensitivity(doubled * spread, doubled * spread, 1),
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

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is an amount, of what a publisher calls a unit."""
        each = about.one and f" (one {about.one} each)"
        heading = f"Number of distinct units{each}"
        return Telling(heading, chart="amounts", cleaned=True, ruled="count", sparse=True)

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the number of different units."""
        unit = table.unit.column
        return [len(rows if unit is None else {row[unit] for row in rows})]


@question("between", "remap", "distinct")
def count(
    by: By = None,
    *,
    between: Sequence[int] | None = None,
    remap: bool = False,
    distinct: str | None = None,
    **options: Unpack[AskTogether],
) -> Count | CountDistinct:
    """Ask how many rows there are in each group, or how many listed values of a column occur.

    Args:
        **options: those of all questions about groups.
        between: two whole numbers, if everybody knows that each true count lies between these two,
            for example the sizes of school classes. discreet changes a noisy count outside of the
            two numbers to the nearer one, and intervals are shorter. If a true count lies outside,
            the interval can miss the true count.
        remap: with `between`, release for each noisy count the median of the true counts that are
            possible. Beforehand, all counts between the bounds are equally likely.
        distinct: count the listed keys of this column that occur in each group, instead of rows.
            `max_groups` then bounds the pairs of a group and a key of one unit.

    Returns: a question for `discreet.plan`. The answer has a row for each group, with value,
        low and high in rows. Noise can move a value below 0; low is at least 0.

    Raises:
        InputError: `between` is not a pair of whole numbers of at least 0, or `remap` is given
            without `between`.

    Example:
        >>> import discreet as dp
        >>> people = dp.table("people.csv", unit="row", keys={"ward": ["A", "B"]})
        >>> print(dp.plan(people, dp.count(by="ward", within=20)).cost)
        rho = 0.00456701
    """
    ask = asked(by, **options)
    if distinct is not None:
        return _distinct(distinct, ask, bounded=between is not None or remap)
    why = "a bounded count is clamped, or told as the median of what it can be"
    if flag(remap, "remap", why=why) and between is None:
        raise InputError(
            "remap is given without between.",
            kind="setting-missing",
            why="what the truth can be is only known between public bounds",
            fix=(write(between=[0, BLANK]), leave_out("remap")),
        )
    return Count(ask, None if between is None else _bounds(between), remap)


def _distinct(column: object, ask: Ask, *, bounded: bool) -> CountDistinct:
    """Return the question for values that occur, or raise InputError."""
    if not isinstance(column, str):
        raise InputError(
            f"distinct = {as_given(column)} is not the name of a column.",
            kind="wrong-columns",
            why="what is told apart is units, or the listed keys of a column",
            fix=Do(call("discreet.count_units", *ask.by[:1]), ", which counts distinct units"),
            at="distinct",
        )
    if bounded:
        raise InputError(
            "distinct is given beside between or remap.",
            kind="settings-clash",
            why="how many values occur lies between none and all that are listed anyway",
            fix=leave_out("between", "remap"),
        )
    return CountDistinct(column, ask)


def _bounds(argument: Sequence[int]) -> tuple[int, int]:
    """Return public bounds of counts, or raise InputError."""
    ends = (
        list(argument) if isinstance(argument, Sequence) and not isinstance(argument, str) else []
    )
    if len(ends) != 2 or any(type(end) is not int for end in ends):
        raise InputError(
            f"between = {as_given(argument)} is not a list of two whole numbers.",
            kind="bounds-wrong",
            why="it says between which counts the true ones are publicly known to lie",
            fix=write(between=[0, BLANK]),
        )
    low, high = ends
    if not 0 <= low < high or high - low > _WIDEST:
        raise InputError(
            f"between = {low} and {high} are no bounds of a count.",
            kind="bounds-wrong",
            why=f"a count is at least 0, and bounds further apart than {_WIDEST:,} tell nothing",
            fix=write(between=[0, BLANK]),
        )
    return low, high


def _examples(table: Table) -> Iterable[Options]:
    """Return no options, bounds that hold all counts of the suites, and columns with few keys."""
    options: list[Options] = [{}, {"between": [0, 500]}, {"between": [0, 500], "remap": True}]
    return [*options, *({"distinct": column} for column in table.keys)]


@question()
def count_units(
    by: By = None,
    **options: Unpack[AskTogether],
) -> CountUnits:
    """Ask how many distinct units there are in each group.

    Args:
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each group, with value,
        low and high in units.

    Raises:
        InputError: an option has a wrong type or value.

    Example:
        >>> print(dp.count_units(by="ward", max_groups=2).label)
        count_units by ward
    """
    return CountUnits(asked(by, **options))


def _counted(
    asked_: Count | CountUnits, measure: Measured, table: Table, noisy: Noisy, half_width: int
) -> Answer:
    """Return counts with their intervals, cut at zero; both, at what is public of all."""
    low, high = around(noisy.values, half_width)
    answer = Answer(
        label=asked_.label,
        axes=keyed(asked_.ask.by),
        measure=measure,
        index=tuple(groups(table, asked_.ask.by))
        if noisy.places is None
        else _groups_at(table, asked_.ask.by, noisy.places),
        values=noisy.values,
        low=at_least(0, low),
        high=at_least(0, high),
    )
    return within_public(table, answer)


def _groups_at(
    table: Table, by: Sequence[str], places: Sequence[int]
) -> tuple[tuple[Key, ...], ...]:
    """Return the groups at some places, in the order of an aggregate's vector."""
    keys = [table.keys[column] for column in by]
    inner = [*accumulate(map(len, keys[:0:-1]), mul, initial=1)][::-1]
    pairs = [*zip(keys, inner, strict=False)]  # without keys there is one group
    return tuple([tuple([of[place // each % len(of)] for of, each in pairs]) for place in places])


COUNT = ListedStatistic("count", count, _examples, tight=BOTH, joint="cell")
COUNT_UNITS = ListedStatistic("count_units", count_units, no_options, tight=BOTH, joint="cell")
