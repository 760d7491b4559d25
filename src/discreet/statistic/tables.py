"""Any list of tables at once: they and their margins agree, and each number has its own interval.

All tables count the same rows (`tables_layout`). Which vectors get noise, and how much, is
`post.tables.designs`: plain tables, or contrasts of them where these are worth it. Vectors cost
what their noise costs one by one.

Limits by group would keep other rows in each table, and are not taken: the unit's `max_rows` is.

Decision 36.

What questions for tables that add up share, be they all tables of a cube or a list of them.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Literal, TypeVar

from ..aggregate import Aggregate, Noisy
from ..errors import InputError, InternalError, shown
from ..exact.number import rounded
from ..fix import leave_out
from ..noise.law import Law
from ..post.tables import answer as post
from ..post.tables.attribute import Levels as Shown
from ..post.tables.attribute import Vector
from ..post.tables.designs import designed, gained
from ..post.tables.estimates import Estimates, estimated
from ..post.tables.family import CountedTable, Family, settled_parts
from ..post.tables.widest import balanced
from ..schema import About, Key, Levels, Table
from ..schema import levels as hierarchy
from ..text import listed
from .ask import Ask, OwnLoss, Wanted, asked
from .cube_layout import nearness, one_by_one
from .known_totals import Known, known_of
from .statistic import AS_NAMED, Answer, Expected, ListedStatistic, Options, Question, Row, Telling
from .tables_layout import Listing, listing_of, margins_of

Named = TypeVar("Named")


class AddingUp(Question):
    """Count rows in several tables that agree."""

    __slots__ = ()
    ask: Ask
    clean: bool

    def worth(self, table: Table) -> None:
        """Return nothing: rows are counted, in as many vectors as there may be tables."""
        del table

    @abstractmethod
    def shares(self, table: Table, kind: str) -> tuple[Fraction, ...]:
        """Return the part of the loss that each vector gets; 0 for one that is not counted."""

    def noise_of(
        self, table: Table, every: Sequence[Named], laws: Sequence[Law]
    ) -> dict[Named, Law]:
        """Return the noise of each vector that was counted, of all that may be."""
        counted = every
        if len(laws) < len(every):
            parts = self.shares(table, laws[0].costs)
            counted = [vector for vector, part in zip(every, parts, strict=True) if part]
        if len(laws) != len(counted):
            raise InternalError(
                f"{len(laws)} vectors were counted of {len(every)}.",
                kind="internal-fault",
                why="which are counted follows from the question",
                fix="please report it, with the plan",
            )
        return dict(zip(counted, laws, strict=True))

    def depths(self, sizes: Sequence[float], total: str | None = None) -> str:
        """Return the half-widths of tables of no, one and more attributes, in words."""
        names = ["total", "one attribute", *map(str, range(2, len(sizes)))]
        texts = [f"{name} ±{max(1, ceil(n)):,}" for name, n in zip(names, sizes, strict=False)]
        return ", ".join([total or texts[0], *texts[1:]])

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the number of rows."""
        del table
        return [len(rows)]


def hierarchies(entries: Iterable[object], levels: object) -> dict[str, Levels]:
    """Return the hierarchies by their column: those that stand in a list, and those beside it.

    Raises:
        InputError: one beside it is none, or that of another column; or a column has two.
    """
    named = [(entry.name, entry) for entry in entries if isinstance(entry, Levels)]
    beside: Any = levels if isinstance(levels, Mapping | None) else {"?": levels}
    named += [(name, _hierarchy(name, entry)) for name, entry in (beside or {}).items()]
    by_name = dict(named)
    two = next((name for name, entry in named if by_name[name] != entry), None)
    if two is not None:
        raise InputError(
            f"{shown(two)} has two hierarchies here.",
            kind="hierarchy-wrong",
            why="tables add up where each key lies in one group of each level",
            fix=f"name one hierarchy of {shown(two)}, with all of its levels",
            at="by",
        )
    return by_name


def _hierarchy(name: str, argument: object) -> Levels:
    levels = argument
    if isinstance(argument, Mapping) and set(argument) == {"columns", "rows"}:
        levels = hierarchy(argument["columns"], rows=argument["rows"])
    if not isinstance(levels, Levels) or levels.name != name:
        raise InputError(
            f"levels[{shown(name)!r}] is not the hierarchy of that column.",
            kind="hierarchy-wrong",
            why="it is made by discreet.levels, and the last of its columns is the table's",
            fix="make it by discreet.levels, of the coarser columns and then this one",
            at="levels",
        )
    return levels


_NAMED = 4  # tables that a forecast names
PUBLISHED = (
    "These ± are those of the linear estimates, of which the intervals are made. Published are "
    "whole numbers of at least 0 near all of them; no single one is promised to be as near."
)
AGREEING = (
    "These ± are those of the linear estimates, of which the intervals are made. Published are "
    "real numbers of at least 0 (to a thousandth of their deviation) that add up and are near all "
    "of them; no single one is promised to be as near. No table of all {cells} cells is fitted: "
    "nobody can tell whether one of at least 0 has these numbers."
)
LINEAR = (
    "Numbers can be below 0 and are not whole: of all {cells} cells no table is fitted, and nobody "
    "can tell whether there is one of at least 0."
)


@dataclass(frozen=True, slots=True, repr=False)
class Tables(AddingUp):
    """Count rows by each list of columns, and by any fewer of them."""

    ask: Ask
    margins: tuple[tuple[str, ...], ...]
    levels: tuple[Levels, ...]
    known: Known | None
    clean: bool
    asked_as: Literal["tables", "cube"] = "tables"
    contrasts: bool = True

    @property
    def label(self) -> str:
        """A short name."""
        return f"{self.asked_as} where {self.ask.where}" if self.ask.where else self.asked_as

    def lies(self, table: Table) -> Listing:
        """Return how the tables lie."""
        return listing_of(table, self.ask, self.margins, self.levels)

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return all vectors that may be counted."""
        lies = self.lies(table)
        lies.check(known=self.known is not None)
        self._known(lies)
        return lies.aggregates()

    def design(self, table: Table, kind: str) -> Mapping[CountedTable, Fraction]:
        """Return the weights of what is counted under a kind of loss."""
        lies = self.lies(table)
        known = tuple(self._known(lies))
        even, wanted = lies.even, self.ask.within is not None
        if wanted and table.neighbors != "add_remove":
            even = False  # a row in place of another moves contrasts further than their squares say
        even = even and self.contrasts
        return designed(lies.sizes, lies.tables, known, kind, even=even, widest=wanted)

    def _known(self, lies: Listing) -> dict[Shown, Vector]:
        """Return the known tables with their numbers."""
        import numpy as np

        if self.known is None:
            return {}
        vectors = {
            margin: np.array(numbers, dtype=float).reshape(
                [each[level] for each, level in zip(lies.sizes, margin, strict=True) if level]
            )
            for margin, numbers in self.known.shown(
                lies.lies.columns, lies.lies.labels, lies.tables
            ).items()
        }
        if len(settled_parts(lies.sizes, lies.tables, vectors)) == len(lies.tables):
            raise InputError(
                "all of these tables are known, so that the question asks nothing.",
                kind="asks-nothing",
                why="all that it would tell is typed into the plan",
                fix=leave_out("known"),
                at="known",
            )
        return vectors

    def shares(self, table: Table, kind: str) -> tuple[Fraction, ...]:
        """Return the part of the loss that each vector gets; 0 for one that is not counted."""
        design, parts = self.design(table, kind), []
        for vector, counted in zip(self.lies(table).every(), self.aggregates(table), strict=True):
            moved = counted.sensitivity
            weight = design.get(vector, Fraction(0))
            parts.append(weight * (moved.l1 if kind == "pure" else moved.l2_squared))
        whole = sum(parts)
        return tuple(part / whole for part in parts)  # exact: rationals

    def counted(self, table: Table, laws: Sequence[Law]) -> dict[CountedTable, Law]:
        """Return the noise of each vector that was counted."""
        return self.noise_of(table, self.lies(table).every(), laws)

    def family(self, table: Table, laws: Sequence[Law]) -> Family:
        """Return how far the estimates are off."""
        lies, counted = self.lies(table), self.counted(table, laws)
        return post.family_of(lies.lies.attributes, lies.tables, counted, [*self._known(lies)])

    def estimates(self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law]) -> Estimates:
        """Return the linear estimates."""
        counted = zip(self.counted(table, laws), noisy, strict=True)
        vectors = {vector: drawn.values for vector, drawn in counted}
        return estimated(self.family(table, laws), vectors, self._known(self.lies(table)))

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return all tables, with intervals made of their linear estimates."""
        estimates, counted = self.estimates(table, noisy, laws), self.counted(table, laws)
        made = post.list_published(estimates, counted, float(alpha), clean=self.clean)
        return Answer(
            label=self.label,
            axes=self.lies(table).lies.axes,
            measure="rows",
            index=tuple(self.cells(table)),
            values=made.values,
            low=made.low,
            high=made.high,
            linear=made.linear,
            deviation=made.deviation,
        )

    def cells(self, table: Table) -> list[tuple[Key | None, ...]]:
        """Return the index of all cells of all tables."""
        return list(self.lies(table).lies.index())

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width of the widest interval; in words, those of each kind of table."""
        family, counted = self.family(table, laws), self.counted(table, laws)
        sizes = post.list_by_depth(family, counted, float(alpha))
        width = max(1, *map(ceil, sizes))
        return Expected(Fraction(width), words=lambda: self._forecast(table, counted, alpha, sizes))

    def _forecast(
        self,
        table: Table,
        counted: Mapping[CountedTable, Law],
        alpha: Fraction,
        sizes: Sequence[float],
    ) -> tuple[str, ...]:
        """Return what to expect of tables of no, one and more attributes, in words."""
        lies = self.lies(table)
        moves = dict(zip(lies.every(), (n.sensitivity for n in lies.aggregates()), strict=True))
        plain = [moves[CountedTable(margin)] for margin in lies.tables]
        noise = [(law, moves[vector]) for vector, law in counted.items()]
        alone = one_by_one(noise, plain, alpha)
        numbers = sum(map(lies.lies.size, lies.tables))
        named = f"tables {listed(list(map(' and '.join, self.margins)), _NAMED)}"
        named += f" where {self.ask.where}" if self.ask.where else ""
        many = f"{len(lies.tables)} with margins,"
        if self.asked_as == "cube":
            named, many = f"cube{self.ask.suffix()}", f"{len(lies.tables)} tables"
        total = None if self.known is None else "total known"
        words = [
            f"{named}: {many} of {numbers:,} cells, which add up: "
            f"{self.depths(sizes, total)}. Asked one by one, and not adding up: ±{alone:,}."
        ]
        if any(vector.contrasts for vector in counted) and self.ask.within is None:
            gain = 100 * gained(lies.sizes, lies.tables, tuple(self._known(lies)))
            words.append(
                "Contrasts of the tables are counted, and not the tables themselves: that makes "
                f"the mean square error {rounded(gain, 2)} % smaller."
            )
        if self.ask.within is not None:
            known = tuple(self._known(lies))
            least = balanced(lies.sizes, lies.tables, known).least if lies.even else 0.0
            variance = self._widest(table, laws=[*counted.values()])
            words.append(nearness(table, noise, variance, least))
        agree = lies.even and not any(map(any, self._known(lies)))
        published = PUBLISHED if lies.together else (AGREEING if agree else LINEAR)
        words.append(published.replace("{cells}", f"{lies.joint:,}"))
        return (*words, *(self.known.words() if self.known else ()))

    def _widest(self, table: Table, laws: Sequence[Law]) -> float:
        """Return the largest variance of all numbers, where all groups have as many parts."""
        found = self.family(table, laws)
        return max(found.variance(shown) for shown in found.shown)

    def measured(
        self, table: Table, laws: Sequence[Law]
    ) -> list[tuple[tuple[str, ...], bool, Law]]:
        """Return the columns of each vector counted, whether it is contrasts, and its noise."""
        columns = self.lies(table).lies.columns
        return [
            (
                tuple(
                    n[level - 1] for n, level in zip(columns, vector.shows, strict=True) if level
                ),
                vector.contrasts,
                law,
            )
            for vector, law in self.counted(table, laws).items()
        ]

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is tables, and which."""
        del about
        if self.asked_as == "cube":
            return Telling("Number of rows in all tables", chart="crossed", ruled="added")
        names = listed([" and ".join(margin) for margin in self.margins], _NAMED)
        heading = f"Number of rows, in tables {names}"
        return Telling(heading, grouped=False, chart="crossed", ruled="added")

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        plain: dict[str, object] = {"statistic": self.asked_as, **self.ask.plain()}
        if self.asked_as == "tables":
            plain["by"] = [list(margin) for margin in self.margins]
        if self.levels:
            plain["levels"] = {each.name: each.plain() for each in self.levels}
        if self.known is not None:
            plain["known"] = self.known.plain()
        if not self.contrasts:
            plain["contrasts"] = False
        return {**plain, "clean": True} if self.clean else plain

    def sum_of(
        self,
        table: Table,
        noisy: Sequence[Noisy],
        laws: Sequence[Law],
        alpha: Fraction,
        only: Mapping[str, Sequence[object]],
    ) -> tuple[list[int], float, float, float]:
        """Return a sum of cells: their places, its estimate, how far that is off, its deviation.

        Of the columns in `only` these keys are counted; of others, all.
        """
        import numpy as np

        estimates, counted = self.estimates(table, noisy, laws), self.counted(table, laws)
        shown, rows, places = self.lies(table).chosen(only)
        array = estimates.table(shown)
        kept = [row for row, level in zip(rows, shown, strict=True) if level]
        made = list(estimates.family.parts(shown, rows))
        for row in kept:
            array = np.tensordot(row, array, axes=(0, 0))
        return (
            places,
            float(array),
            post.parts_reach(made, counted, float(alpha)),
            estimates.family.variance_of(made) ** 0.5,
        )


def tables(
    by: Iterable[Iterable[str | Levels] | str | Levels] | str | Levels | None = None,
    *,
    levels: Mapping[str, Any] | None = None,
    known: Mapping[str, object] | None = None,
    clean: bool = False,
    contrasts: bool = True,
    weight: int = 1,
    within: Wanted = None,
    where: str | None = None,
    spend: OwnLoss = None,
) -> Tables:
    """Ask for a list of tables and their margins; all tables are consistent with each other.

    If discreet can fit the cells of all columns together, the published numbers are whole numbers
    of at least 0 that add up, as in a cube. Otherwise they are real numbers that add up. A row
    counts if all of its keys are listed.

    Args:
        by: a list of tables, each a list of columns with public keys. In place of a column, give a
            hierarchy made by `discreet.levels`, or the name of a level; the answer then also has
            all levels above this level.
        levels: the hierarchies, by column, in the form of a plan file.
        known: numbers that are public, as typed: {"total": n}, or for a column or level {"sex":
            {"F": n, "M": m}}, or for a table of several {("sex", "age"): {("F", 0): n, ...}}. Known
            numbers are not protected, and discreet never reads them from the data.
        clean: whether to publish a smoother fit; the intervals stay those of the linear estimates.
        contrasts: whether to count contrasts in place of tables, if contrasts give less noise.
            Write False if you want to fit the counted tables by a program of your own.
        weight: this question's share of the plan's loss, in proportion to the weights of all
            questions.
        within: the half-width that you want for each number, instead of a loss.
        spend: a loss of its own for this question, instead of an error: `discreet.zcdp("1/100")`.
        where: a condition; a row counts in all tables if the condition is true (docs/rows.md). The
            numbers in `known` are then about these rows.

    Returns: a question for `discreet.plan`. The answer has a row for each cell of each table, in
        rows of the data. The row holds the linear estimate, the deviation of this estimate, the
        published value, low and high.

    Raises:
        InputError: `by` is not a list of tables, `levels` is not a hierarchy, or `known` is not a
            number or table of numbers.

    Source: docs/laws/tables.md; the optimum is that of Xiao, He, Zhang and Kifer 2023.

    Example:
        >>> import discreet as dp
        >>> keys = {"sex": ["f", "m"], "ward": ["A", "B"]}
        >>> people = dp.table("people.csv", unit="row", keys=keys)
        >>> print(dp.plan(people, dp.tables([["sex", "ward"]]), spend=dp.zcdp("1/50")).cost)
        rho = 0.02
    """
    by_name = hierarchies(_each(by), levels)
    margins, names = margins_of(by, by_name)
    ask = asked(names, None, None, weight, within=within, where=where, spend=spend)
    return Tables(
        ask,
        margins,
        tuple(by_name.values()),
        known_of(known),
        clean is True,
        contrasts=contrasts is not False,
    )


def _each(by: object) -> Iterable[object]:
    """Return what stands in a list, or in the lists of it."""
    lists = by if isinstance(by, (list, tuple)) else [by]
    return [
        entry for each in lists for entry in (each if isinstance(each, (list, tuple)) else [each])
    ]


def _examples(_table: Table) -> Iterable[Options]:
    """Return plain tables, and smoothed ones."""
    return ({}, {"clean": True})


TABLES = ListedStatistic("tables", tables, _examples, tight=("add_remove",))
