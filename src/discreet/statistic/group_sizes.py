"""How many keys of a column that nobody knows have at least so many units: a cheap look at it.

The counts say which keys a plan may hope to find, before it pays for finding any. They need no
delta: each is a number of keys, and no key is shown.

Sensitivity. Of the distinct keys of one unit at most k stay, chosen by the unit's own rows alone,
once (`finding.pairs`). add_remove: the number of units of each of these keys moves by one, and so
crosses at most one of the sizes, which are all different. So the counts move up, by k in all: l1
and linf are at most k, and l2_squared at most k^2, which a unit reaches whose keys all cross the
same one. replace: one unit's keys go and another's come. The moves down and up are each at most k
in all; of their difference no number is larger than k, the sum at most 2 k, and the sum of squares
at most 2 k^2, because a - b squared is at most the squares of both where neither is negative.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..aggregate import Aggregate, Measure, Noisy, Sizes
from ..errors import InputError, as_given, shown
from ..exact.number import whole
from ..fix import BLANK, call, leave_out, name_columns, write
from ..noise.law import Law
from ..post import interval
from ..schema import About, Table
from ..sensitivity import Sensitivity
from .ask import Ask, OwnLoss, Wanted, asked
from .statistic import AS_NAMED, KEYS, Answer, Axis, Expected, Inner, Question, Row, Telling

_MOST = 100  # sizes in one question
_AXIS = Axis("level", "at least")


@dataclass(frozen=True, slots=True, repr=False)
class GroupSizes(Question):
    """Count the keys of an unknown column that have at least so many units."""

    column: str
    at_least: tuple[int, ...]
    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        return f"group_sizes {self.column}"

    def inner(self, table: Table) -> Inner:
        """Return the sizes."""
        del table
        return _AXIS, self.at_least

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the numbers of keys, one for each size."""
        column = self.column
        if column not in table.unknown:
            raise InputError(
                f"{shown(column)} is not declared as unknown.",
                kind="unknown-keys-wrong",
                why="of listed keys each can be counted; here keys are counted that nobody knows",
                fix=write(of="table", keys={column: call("discreet.unknown", max_groups=BLANK)}),
                at="column",
            )
        most = self._most(table)
        moved = 2 if table.neighbors == "replace" else 1
        return (
            Aggregate(
                by=(),
                measures=(Measure("units"),) * len(self.at_least),
                sensitivity=Sensitivity(moved * most, moved * most**2, most),
                sizes=Sizes(column, most, self.at_least),
            ),
        )

    def _most(self, table: Table) -> int:
        """Return of how many keys one unit counts, or raise InputError."""
        if table.unit.column is None:
            if self.ask.max_groups is not None:
                raise InputError(
                    "max_groups is given, but the unit is a row.",
                    kind="unit-is-a-row",
                    why="one row has one key already",
                    fix=leave_out("max_groups"),
                    at="max_groups",
                )
            return 1
        declared = table.unknown[self.column].max_groups
        return min(declared, self.ask.max_groups or declared)

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the noisy numbers of keys; no interval reaches below zero, because none is."""
        del table
        low, high = interval.around(noisy[0].values, laws[0].half_width(alpha))
        return Answer(
            label=self.label,
            axes=(_AXIS,),
            measure=KEYS,
            index=tuple([(size,) for size in self.at_least]),
            values=noisy[0].values,
            low=interval.at_least(0, low),
            high=interval.at_least(0, high),
        )

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width in keys."""
        del table
        return Expected(Fraction(laws[0].half_width(alpha)))

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        own = {"statistic": "group_sizes", "column": self.column, "at_least": [*self.at_least]}
        return {**own, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is an amount, of keys."""
        of = about.own_column(self.column)
        heading = f"How many keys of {of} have at least so many units"
        return Telling(heading, chart="amounts", ruled="names")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return nothing: it is not made of the rows of a group."""
        del table, rows
        return []


def group_sizes(
    column: str,
    *,
    at_least: Sequence[int] = (1, 10, 100, 1_000),
    max_groups: int | None = None,
    weight: int = 1,
    within: Wanted = None,
    spend: OwnLoss = None,
) -> GroupSizes:
    """Ask, for each size, how many keys of an unknown column have at least that many units. This is
    a cheap first look.

    The answer shows no key, and needs no delta. For a few percent of a loss, the answer says how
    many keys a plan may find; `discreet.forecast(..., sizes=...)` takes the answer.

    Args:
        column: a column that the table declares as `discreet.unknown`.
        at_least: a list of at most 100 different sizes.
        max_groups: the number of keys in which one unit counts, chosen at random; by default the
            `max_groups` of the column. Noise grows with it.
        weight: this question's share of the plan's loss, in proportion to the weights of all
            questions.
        within: in place of a weight, the half-width that you want, in keys.
        spend: a loss of its own for this question: `discreet.pure("1/20")`.

    Returns: a question for `discreet.plan`. The answer has a row for each size, with value, low and
        high in keys.

    Raises:
        InputError: a size is not a whole number from 1 on, or is listed twice.

    Example:
        >>> print(dp.group_sizes("film", at_least=[10, 100]))
        group_sizes film
    """
    wanted = at_least if isinstance(at_least, (list, tuple, range)) else ()
    sizes = [whole(size, "at_least", least=1) for size in wanted]
    if not sizes or len(set(sizes)) < len(sizes) or len(sizes) > _MOST:
        raise InputError(
            f"at_least = {as_given(at_least, bare=True)} is no list of 1 to {_MOST} different "
            "sizes.",
            kind="wrong-numbers",
            why="for each of them the keys are counted that have so many units",
            fix=write(at_least=[10, 100, 1_000]),
        )
    if not isinstance(column, str):
        raise InputError(
            f"column = {as_given(column)} is not the name of a column.",
            kind="wrong-columns",
            why="keys of one column are counted",
            fix=name_columns("column", column),
            at="column",
        )
    ask = asked(None, max_groups, None, weight, within=within, spend=spend)
    return GroupSizes(column, tuple(sorted(sizes)), ask)
