"""How many of a column's listed keys occur in each group.

Sensitivity. Whether a key occurs in a group is 1 or 0, and a group's number is the sum of that over
the K keys. One unit is in at most g cells of a group and a key (its rows, or `max_groups`), and
decides of no other cell whether a key occurs there. Let it be in x_i cells of group i: x_i is at
most K, and all x_i make at most g.

add_remove: the number of group i moves by at most x_i, up where it comes. So l1 is at most g, one
number moves by at most min(g, K), and the sum of squares is at most q K^2 + r^2 with g = q K + r,
because it is largest where as many groups as possible are full. replace: keys of one unit go, up to
x_i, and keys of another come, up to y_i. Of the difference no number is larger than the larger of
both; l1 is at most 2 g, and the squares, since (x - y)^2 is at most x^2 + y^2 for numbers of at
least 0, at most twice those of one unit. Of few groups no more moves than min(g, K) in each.

The column may be one of the groups: then its key occurs in its group, or not; K is 1. In the groups
of rows that have none of the listed keys none occurs.

Decision 94.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..aggregate import Aggregate, Measure, Noisy
from ..errors import InputError, shown
from ..fix import Do, call, leave_out, write
from ..noise.law import Law
from ..post.interval import around, clamped
from ..schema import About, Table
from ..sensitivity import Sensitivity
from ..transform import Occurring, Transform
from .ask import Ask, check_groups
from .statistic import AS_NAMED, KEYS, Answer, Expected, Question, Row, Telling, groups, keyed


@dataclass(frozen=True, slots=True, repr=False)
class CountDistinct(Question):
    """Count the listed keys of a column that occur, by group."""

    column: str
    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        return f"count distinct {self.column}{self.ask.suffix()}"

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return whether each key occurs in each group, added up by group."""
        keys = self._keys(table)
        cells = self._cells()
        check_groups(table, cells)
        limits = [limit for limit in (table.unit.max_rows, self.ask.max_groups) if limit]
        most = min([*limits, table.most_groups(cells.by)])
        groups_ = table.groups(self.ask.by)
        width = table.groups(cells.by) // groups_
        return (
            cells.aggregate(
                table,
                measures=(Measure("units"),),
                sensitivity=self._sensitivity(table, most, keys),
                transform=Transform(Occurring(groups_, width, keys, self._blank(table)), "vector"),
            ),
        )

    def _sensitivity(self, table: Table, most: int, keys: int) -> Sensitivity:
        """Return how far one unit moves the numbers; the proof is in the module."""
        one, whole, rest = min(most, keys), most // keys, most % keys
        moved, groups_ = 2 if table.neighbors == "replace" else 1, table.groups(self.ask.by)
        return Sensitivity(
            l1=min(moved * most, groups_ * one),
            l2_squared=min(moved * (whole * keys**2 + rest**2), groups_ * one**2),
            linf=one,
        )

    def _cells(self) -> Ask:
        """Return the question of each group and key."""
        by = self.ask.by
        return self.ask if self.column in by else replace(self.ask, by=(*by, self.column))

    def _keys(self, table: Table) -> int:
        """Return how many keys count in one group, or raise InputError."""
        column = self.column
        unknown = [name for name in self.ask.by if name in table.unknown]
        if unknown:
            raise InputError(
                f"the keys of {shown(unknown[0])} are not known beforehand.",
                kind="keys-unknown-here",
                why="values are told apart in groups that are listed",
                fix=leave_out("distinct"),
                at="by",
            )
        if column in table.unknown:
            sizes = call("discreet.group_sizes", column, at_least=[1])
            raise InputError(
                f"the keys of {shown(column)} are not listed.",
                kind="keys-missing",
                why="only of listed keys it is public which of them can occur",
                fix=Do(sizes, ", which counts keys that nobody knows"),
                at="distinct",
            )
        if column == table.unit.column:
            units = call("discreet.count_units", *self.ask.by[:1])
            raise InputError(
                f"{shown(column)} says who is protected.",
                kind="wrong-columns",
                why="how many units there are is counted by a question of its own",
                fix=Do(units, ", which counts distinct units"),
                at="distinct",
            )
        if column not in table.keys:
            raise InputError(
                f"there are no public keys for {shown(column)!r}.",
                kind="keys-missing",
                why="which values there are must not come from the data: a rare one is somebody's",
                fix=(*(write(distinct=key) for key in [*table.keys][:1]), leave_out("distinct")),
                at="distinct",
            )
        return 1 if column in self.ask.by else len(table.listed(column))

    def _blank(self, table: Table) -> frozenset[int]:
        """Return the groups of rows without a listed value, where the column makes the groups."""
        if self.column not in self.ask.by:
            return frozenset()
        listed = len(table.listed(self.column))
        later = self.ask.by[self.ask.by.index(self.column) + 1 :]
        each, keys = table.groups(later), len(table.keys[self.column])
        every = range(table.groups(self.ask.by)) if listed < keys else ()
        return frozenset(at for at in every if at // each % keys >= listed)

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the noisy numbers of keys, and their intervals, between 0 and all keys."""
        most, values = self._keys(table), noisy[0].values
        low, high = (clamped(ends, 0, most) for ends in around(values, laws[0].half_width(alpha)))
        return Answer(
            label=self.label,
            axes=keyed(self.ask.by),
            measure=KEYS,
            index=tuple(groups(table, self.ask.by)),
            values=clamped(values, 0, most),
            low=low,
            high=high,
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width in keys, at most all of them."""
        most = self._keys(table)
        return Expected(Fraction(laws[0].half_width(alpha)), whole=Fraction(most))

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        return {"statistic": "count", "distinct": self.column, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is an amount, of keys."""
        of = about.own_column(self.column)
        return Telling(f"How many listed values of {of} occur", chart="amounts", ruled="whole")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return how many of the listed keys are in a row."""
        listed = set(table.listed(self.column))
        return [len(listed & {row[self.column] for row in rows})]
