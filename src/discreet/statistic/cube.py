"""All tables of several attributes at once: they add up, and each number has its own interval.

The cells, the table of all attributes at their keys, are counted once; every other table is made of
them by adding up before the door (`transform`), so that all count the same rows: those whose keys
are all listed. Each gets noise of its own, by weights in closed form (`post.tables.designs`), and
least squares puts them together.

Sensitivity. A row is in one cell of each table. So a table moves as a count of rows by its cells
does (`aggregate.row_sensitivity`), of at most r rows of one unit that may all lie in one cell.
Several tables together cost what their noise costs one by one; r rows in one cell move all of them
that far at once, so that the sum is exact.

Limits by group would keep other rows in each table, and are not taken: the unit's `max_rows` is.

Decisions 35, 80.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod
from typing import Any

from ..aggregate import Aggregate, Measure, Noisy
from ..errors import InputError, shown
from ..fix import leave_out, write
from ..noise.law import Law
from ..post.tables import answer as tables
from ..post.tables.attribute import Levels as Shown
from ..post.tables.designs import narrowest, precisions, shares
from ..post.tables.interval import reach, reaches
from ..post.tables.widest import balanced
from ..schema import About, Key, Levels, Table
from ..sensitivity import Reach, row_sensitivity
from .ask import Ask, OwnLoss, Wanted, asked, check_groups
from .cube_layout import (
    CubeLayout,
    check_cube,
    layout_of,
    margin_of,
    nearness,
    one_by_one,
    rows_of_a_unit,
)
from .known_totals import known_of
from .statistic import AS_NAMED, BOTH, Answer, Expected, ListedStatistic, Options, Telling
from .tables import PUBLISHED, AddingUp, Tables, hierarchies


@dataclass(frozen=True, slots=True, repr=False)
class Cube(AddingUp):
    """Count rows by all combinations of attributes, and of any fewer of them."""

    ask: Ask
    levels: tuple[Levels, ...]
    clean: bool

    @property
    def label(self) -> str:
        """A short name."""
        return f"cube where {self.ask.where}" if self.ask.where else "cube"

    def laid_out(self, table: Table) -> CubeLayout:
        """Return how the tables lie."""
        return layout_of(
            table, self.ask.by, {hierarchy.name: hierarchy for hierarchy in self.levels}
        )

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the count of each table: all of one count of the cells."""
        check_groups(table, self.ask)
        rows = rows_of_a_unit(table)
        check_cube(table, self.ask.by, known=False)
        lies = self.laid_out(table)
        return tuple(
            Aggregate(
                by=self.ask.by,
                measures=(Measure("rows"),),
                sensitivity=row_sensitivity(table, Reach(rows, rows, 1), lies.size(margin)),
                transform=margin_of(lies, margin),
                where=self.ask.test(table),
            )
            for margin in lies.tables
        )

    def shares(self, table: Table, kind: str) -> tuple[Fraction, ...]:
        """Return the part of the loss that each table gets; 0 for one that is not counted."""
        lies, parts = self.laid_out(table), []
        sizes = [attribute.sizes for attribute in lies.attributes]
        gaussian = precisions if self.ask.within is None else narrowest
        weights = [shares(each) if kind == "pure" else gaussian(each) for each in sizes]
        for margin, counted in zip(lies.tables, self.aggregates(table), strict=True):
            weight = prod(
                (w[level] for w, level in zip(weights, margin, strict=True)), start=Fraction(1)
            )
            moved = counted.sensitivity
            parts.append(weight * (moved.l1 if kind == "pure" else moved.l2_squared))
        whole = sum(parts)
        return tuple(part / whole for part in parts)  # exact: rationals

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return all tables, fitted, with intervals made of their linear estimates."""
        lies = self.laid_out(table)
        counted = self.counted(table, laws)
        vectors = {margin: drawn.values for margin, drawn in zip(counted, noisy, strict=True)}
        fitted = tables.frame(lies.attributes, counted).solved(vectors)
        made = tables.published(fitted, reaches(fitted, counted, float(alpha)), clean=self.clean)
        return Answer(
            label=self.label,
            axes=lies.axes,
            measure="rows",
            index=tuple(lies.index()),
            values=made.values,
            low=made.low,
            high=made.high,
            linear=made.linear,
            deviation=made.deviation,
        )

    def cells(self, table: Table) -> list[tuple[Key | None, ...]]:
        """Return the index of all cells of all tables."""
        return list(self.laid_out(table).index())

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width of the widest interval; in words, those of each kind of table."""
        lies, counted = self.laid_out(table), self.counted(table, laws)
        frame = tables.frame(lies.attributes, counted)
        width = max(1, ceil(tables.widest(frame, counted, float(alpha))))
        return Expected(Fraction(width), words=lambda: self._forecast(table, counted, alpha))

    def _forecast(
        self, table: Table, counted: Mapping[Shown, Law], alpha: Fraction
    ) -> tuple[str, ...]:
        """Return what to expect of tables of no, one and more attributes, in words."""
        lies = self.laid_out(table)
        frame = tables.frame(lies.attributes, counted)
        sizes = tables.by_depth(frame, counted, float(alpha))
        cells = sum(map(lies.size, lies.tables))
        moves = {
            n: aggregate.sensitivity
            for n, aggregate in zip(lies.tables, self.aggregates(table), strict=True)
        }
        noise = [(law, moves[margin]) for margin, law in counted.items()]
        alone = one_by_one(noise, [*moves.values()], alpha)
        words = (
            f"cube{self.ask.suffix()}: {len(lies.tables)} tables of {cells:,} cells, which add up: "
            f"{self.depths(sizes)}. Asked one by one, and not adding up: ±{alone:,}."
        )
        if self.ask.within is None:
            return words, PUBLISHED
        least = float(all(attribute.even for attribute in lies.attributes))
        for attribute in lies.attributes:
            levels = tuple((level,) for level in range(len(attribute.sizes)))
            least *= balanced((attribute.sizes,), levels, ()).least
        variance = tables.largest_variance(tables.frame(lies.attributes, counted))
        return words, nearness(table, noise, variance, least), PUBLISHED

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is tables."""
        del about
        return Telling("Number of rows in all tables", chart="crossed", ruled="added")

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        plain: dict[str, object] = {"statistic": "cube", **self.ask.plain()}
        if self.levels:
            plain["levels"] = {hierarchy.name: hierarchy.plain() for hierarchy in self.levels}
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
        lies, counted = self.laid_out(table), self.counted(table, laws)
        vectors = {margin: drawn.values for margin, drawn in zip(counted, noisy, strict=True)}
        fitted = tables.frame(lies.attributes, counted).solved(vectors)
        chosen = lies.chosen(only)
        estimate = float(fitted.sum_of(chosen))
        width = reach(fitted, chosen, counted, float(alpha))
        return lies.places(chosen), estimate, width, fitted.variance(chosen) ** 0.5

    def measured(
        self, table: Table, laws: Sequence[Law]
    ) -> list[tuple[tuple[str, ...], bool, Law]]:
        """Return the columns of each table that was counted, that it is no contrast, its noise."""
        columns = self.laid_out(table).columns
        return [
            (
                tuple(n[level - 1] for n, level in zip(columns, margin, strict=True) if level),
                False,
                law,
            )
            for margin, law in self.counted(table, laws).items()
        ]

    def counted(self, table: Table, laws: Sequence[Law]) -> dict[Shown, Law]:
        """Return the noise of each table that was counted."""
        return self.noise_of(table, self.laid_out(table).tables, laws)


def cube(
    by: str | Levels | Iterable[str | Levels] | None = None,
    *,
    levels: Mapping[str, Any] | None = None,
    known: Mapping[str, object] | None = None,
    clean: bool = False,
    weight: int = 1,
    within: Wanted = None,
    where: str | None = None,
    spend: OwnLoss = None,
) -> Cube | Tables:
    """Ask for all tables of several attributes: every combination, and every margin of it.

    The released tables are whole numbers of at least 0 that add up, near the linear estimates of
    all tables. Each released number has a linear estimate beside it, and the intervals are made of
    the estimates. A row counts if all keys of the row are listed.

    Args:
        by: columns with public keys, or for a column the hierarchy that `discreet.levels` made.
        levels: the hierarchies, by column, in the form of a plan file.
        known: numbers that are public, as typed: {"total": n}, or for a column or level {"sex":
            {"F": n, "M": m}}, or for a table of several {("sex", "age"): {("F", 0): n, ...}}. Known
            numbers are not protected, and discreet never reads them from the data. discreet asks
            for all other numbers as `tables` does.
        clean: publish a smoother fit, which is drawn toward the tables of few attributes. In sparse
            cubes, cells of this fit are nearer to the truth. The intervals stay those of the linear
            estimates.
        weight: this question's share of the plan's loss, in proportion to the weights of all
            questions.
        within: the half-width that you want for each number, instead of a loss.
        spend: a loss of its own for this question, instead of an error: `discreet.zcdp("1/100")`.
        where: a condition; a row counts if the condition is true (docs/rows.md).

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
        >>> print(dp.plan(people, dp.cube(["sex", "ward"]), spend=dp.zcdp("1/50")))
        Plan for people.csv: rho = 0.02 in all. Nothing has been read.
        ...
        cube           9   13.1, 10.3, 8.1        ±15   rho = 0.02
        ...
    """
    attributes: list[Any] = (
        list(by) if isinstance(by, (list, tuple)) else [] if by is None else [by]
    )
    by_name = hierarchies(attributes, levels)
    names = [
        attribute.name if isinstance(attribute, Levels) else attribute for attribute in attributes
    ]
    beside = [name for name in by_name if name not in names]
    if beside:
        raise InputError(
            f"the hierarchy of {shown(beside[0])} belongs to none of the cube's attributes.",
            kind="hierarchy-wrong",
            why="levels group the keys of a column that the cube is laid out by",
            fix=(leave_out("levels"), write(by=[*names, beside[0]])),
            at="levels",
        )
    ask = asked(names, None, None, weight, within=within, where=where, spend=spend)
    known_totals = known_of(known)
    if known_totals is not None:
        return Tables(ask, (ask.by,), tuple(by_name.values()), known_totals, clean is True, "cube")
    return Cube(ask, tuple(by_name.values()), clean is True)


def _examples(_table: Table) -> Iterable[Options]:
    """Return a plain cube, and one that is smoothed."""
    return ({}, {"clean": True})


CUBE = ListedStatistic("cube", cube, _examples, tight=BOTH)
