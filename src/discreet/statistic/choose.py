"""Which key most rows have, or which group has the largest sum: keys leave, and no number.

Of a column whose keys nobody knows the choice is among those that were found, which are public by
then; all others together are no choice. Where fewer were found than asked for, all are told, and
where none was, that all are others.

Where one number is wanted of each group, ask for counts or sums; where only the best keys are, a
choice takes much less of a loss, and the same for a list of any length but for its logarithm.

Spread: how far one unit can move two of the numbers apart. Let a row add between -l and u to its
group, l and u at least 0, and let a unit have at most r rows in a group. add_remove: the unit's
part of each group lies between -l r and u r, so that no two moves are further apart than (u + l) r;
if it has rows in one group alone, the others stay where they are, and the spread is max(u, l) r.
replace: one unit's parts go and another's come, each within that, so that the spread doubles. A row
that counts adds 1: u = 1, l = 0. Of scores of one's own, of which a unit is stated to move each by
at most s (`statement`), two move apart by at most 2 s, in either relation. What a choice costs
follows from the spread: noise/selection.py.

How short a choice falls: of n numbers at most n - 1 are more than a below the largest that is left,
each at most x = e^(-(a + 1) / scale) times as likely: one of them is chosen with probability at
most (n - 1) x / (1 + (n - 1) x). Permute-and-flip is never further from the largest (McKenna and
Sheldon 2020, Theorem 2).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, Unpack

from ..aggregate import Aggregate, Choice, Noisy
from ..errors import InputError, as_given, shown
from ..exact.number import Number, whole
from ..fix import Ways, leave_out, name_columns, ways_of, write
from ..noise.law import Law
from ..post.interval import ups
from ..schema import About, Table
from .ask import Ask, asked, bounds_of
from .count import Count
from .options import AskOptions, question
from .statement import STATED, StatedSensitivity, check_own, statement_of
from .statistic import (
    AS_NAMED,
    SHORT,
    Answer,
    Axis,
    Expected,
    ListedStatistic,
    Options,
    Question,
    Row,
    Telling,
    cells,
    groups,
    keyed,
)
from .sum import Sum

_SUPPOSED = 1_000  # keys that are found
_SURE = Fraction(999, 1000)  # a chance below 1, where one of two is asked at alpha = 1/2


@dataclass(frozen=True, slots=True, repr=False)
class Choose(Question):
    """Choose the keys with most rows, or with the largest sum of a column."""

    name: Literal["choose", "top_k"]
    k: int
    most: str | None
    ask: Ask
    statement: StatedSensitivity | None = None

    @property
    def label(self) -> str:
        """A short name."""
        several = f" {self.k}" if self.name == "top_k" else ""
        largest = "" if self.most is None else f", most {self.most}"
        stated = "" if self.statement is None else ", stated"
        return f"{self.name}{several}{self.ask.suffix()}{largest}{stated}"

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the numbers that are compared, and that only places of them leave."""
        self._check(table)
        numbers = Count(self.ask) if self.most is None else Sum(self.most, self.ask)
        (aggregate,) = numbers.aggregates(table)
        spare = int(self._is_open(table))
        if not spare and self.k >= table.groups(self.ask.by):
            raise InputError(
                f"{self.label} cannot choose {self.k} of {table.groups(self.ask.by)} groups.",
                kind="cannot-choose",
                why="there must be more to choose from than is chosen",
                fix=_fewer(self.name, table.groups(self.ask.by) - 1),
            )
        return (replace(aggregate, choice=Choice(self.k, self._spread(table), spare=spare)),)

    def _is_open(self, table: Table) -> bool:
        return any(column in table.unknown for column in self.ask.by)

    def _check(self, table: Table) -> None:
        if self.statement is not None:
            check_own(table, self.ask, self.label)
        if not self._is_open(table):
            return
        column = next(name for name in self.ask.by if name in table.unknown)
        if len(self.ask.by) > 1:
            raise InputError(
                f"{self.label} cannot choose among pairs with an unknown part.",
                kind="keys-unknown-here",
                why="all keys that are not found are one group, which is no choice, and it would "
                "be in many of the pairs",
                fix=(
                    write(by=column),
                    write(", with the keys listed", of="table", keys={column: ["?", "?"]}),
                ),
                at="by",
            )
        if self.ask.within is not None:
            raise InputError(
                f"{self.label} takes no shortfall.",
                kind="cannot-choose",
                why=f"how far short it falls follows from how many keys of {shown(column)} are "
                "found, and nobody knows that before",
                fix=leave_out("within"),
                at="within",
            )

    def _spread(self, table: Table) -> int:
        if self.statement is not None and self.most is not None:
            return 2 * self.statement.steps(bounds_of(table, self.most))
        limits = self.ask.reach(table)
        up, down = 1, 0
        if self.most is not None:
            bounds = bounds_of(table, self.most)
            up, down = max(bounds.upper_step, 0), max(-bounds.lower_step, 0)
        apart = up + down if limits.groups > 1 else max(up, down)
        return limits.rows_per_group * apart * (2 if table.neighbors == "replace" else 1)

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the keys in the order of their choice, and how far each may be from the best.

        Each by itself falls shorter of the best that was left with probability at most alpha.
        """
        listed, most = list(groups(table, self.ask.by)), self._short(table, laws[0], alpha)
        short: float = most
        if self.most is not None:
            step = table.columns[self.most].step
            (short,) = ups([most * step.numerator], step.denominator)
        places = noisy[0].values
        return Answer(
            label=self.label,
            axes=(Axis("level", "rank"), *keyed(self.ask.by)),
            measure=SHORT,
            index=tuple([(rank, *listed[at]) for rank, at in enumerate(places, start=1)]),
            values=(0,) * len(places),
            low=(0,) * len(places),
            high=(short,) * len(places),
        )

    def _short(self, table: Table, law: Law, alpha: Fraction) -> int:
        others = self._among(table) - 1
        if others < 1:
            return 0
        return law.half_width(min(alpha / ((1 - alpha) * others), _SURE))

    def _among(self, table: Table) -> int:
        """Return how many keys there are to choose from; before any are found, as if 1,000 were."""
        return (
            table.groups(self.ask.by) - self._is_open(table) if self._is_known(table) else _SUPPOSED
        )

    def _is_known(self, table: Table) -> bool:
        return table.groups(self.ask.by) > 0

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return how much less than the best one the key that is told may have."""
        step = Fraction(1) if self.most is None else table.columns[self.most].step
        less = "many rows fewer" if self.most is None else f"much less of {self.most}"
        supposed, statement = not self._is_known(table), self.statement
        marks = () if statement is None else (statement.words(self.label, table.neighbors),)
        return Expected(
            self._short(table, laws[0], alpha) * step,
            whole=self.ask.size,
            of=SHORT,
            note="A choice tells keys and no numbers, and may fall short: the key told has at most "
            f"so {less} than the best that is left"
            + f", if {_SUPPOSED:,} keys are found." * supposed
            + "." * (not supposed),
            words=lambda: marks,
        )

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        several = {"k": self.k} if self.name == "top_k" else {}
        largest = {} if self.most is None else {"most": self.most}
        stated = {} if self.statement is None else self.statement.plain()
        return {"statistic": self.name, **several, **largest, **stated, **self.ask.plain()}

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it tells groups in their order."""
        del about
        most = "most rows" if self.most is None else f"the largest sum of {self.most}"
        most += "" if self.statement is None else f", its sensitivity {STATED}"
        if self.name == "choose":
            return Telling(f"The group with {most}", chart="ordered", ruled="names")
        heading = f"The {self.k} groups with {most}, in this order"
        return Telling(heading, chart="ordered", ruled="names")

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the number by which a group is compared with the others."""
        del table
        return [float(len(rows) if self.most is None else sum(cells(rows, self.most)))]


@question()
def choose(
    by: str | Iterable[str],
    *,
    most: str | None = None,
    sensitivity: Number | None = None,
    protects: str | None = None,
    **options: Unpack[AskOptions],
) -> Choose:
    """Ask which public key has the most rows: the answer is the key, without a number.

    A plan in zCDP uses the exponential mechanism, a plan in pure loss uses permute-and-flip. The
    answer says how much less than the best key the chosen key may have.

    Args:
        by: one or several columns with public keys, from which the question chooses; or one column
            of unknown keys, which discreet finds first.
        most: a column with public bounds, to choose the key with its largest sum instead.
        **options: those of all questions about groups.
        within: in place of a weight, the shortfall that you accept: by how much the best key may be
            better than the chosen key.
        rows: a public number of rows. `within="5%"` is a part of this number.
        sensitivity, protects: for scores of your own, with `most`. `sensitivity` is the largest
            change of a score that one unit can cause. `protects` names one unit in words: "one
            household". Releases mark the number as stated, not proved.

    Returns: a question for `discreet.plan`. The answer has one row: the chosen key. The answer has
        no number of rows.

    Raises:
        InputError: there are no keys to choose from.

    Source: McSherry and Talwar 2007 (exponential mechanism); McKenna and Sheldon 2020
        (permute-and-flip).

    Example:
        >>> print(dp.choose("ward", most="cost"))
        choose by ward, most cost
    """
    ask = asked(by, **options)
    return _choice("choose", 1, most, ask, _own(most, sensitivity, protects))


@question()
def top_k(
    by: str | Iterable[str],
    k: int,
    *,
    most: str | None = None,
    sensitivity: Number | None = None,
    protects: str | None = None,
    **options: Unpack[AskOptions],
) -> Choose:
    """Ask for the k public keys with the most rows, in order. The answer has keys, and no numbers.

    discreet chooses one key after the other, each among the remaining keys, and each choice costs a
    part of the loss.

    Args:
        k: the number of keys to choose, which is less than the number of listed keys.
        by: one or several columns with public keys, from which the question chooses; or one column
            of unknown keys, which discreet finds first.
        most: a column with public bounds, to choose the keys with its largest sums instead.
        **options: those of all questions about groups.
        within: in place of a weight, the shortfall that you accept: by how much the best key may be
            better than each chosen key.
        rows: a public number of rows. `within="5%"` is a part of this number.
        sensitivity, protects: for scores of your own, with `most`. `sensitivity` is the largest
            change of a score that one unit can cause. `protects` names one unit in words: "one
            household". Releases mark the number as stated, not proved.

    Returns: a question for `discreet.plan`. The answer has k rows: a rank from 1 on, and the key of
        this rank.

    Raises:
        InputError: there are no keys to choose from, or k is not a whole number.

    Source: McSherry and Talwar 2007 (exponential mechanism); McKenna and Sheldon 2020
        (permute-and-flip).

    Example:
        >>> print(dp.top_k("ward", 3))
        top_k 3 by ward
    """
    ask = asked(by, **options)
    own = _own(most, sensitivity, protects)
    return _choice("top_k", whole(k, "k", least=1), most, ask, own)


def _own(most: object, sensitivity: Number | None, protects: object) -> StatedSensitivity | None:
    """Return what is stated of scores; None where keys are compared by what is proved."""
    if sensitivity is None and protects is None:
        return None
    if most is None:
        raise InputError(
            "a sensitivity is stated, and no column of scores is named.",
            kind="setting-missing",
            why="how far one unit moves numbers of rows is proved, and need not be stated",
            fix=(leave_out("sensitivity", "protects"), name_columns("most", None)),
            at="most",
        )
    if sensitivity is None:
        raise InputError(
            "protects is given without a sensitivity.",
            kind="setting-missing",
            why="scores of your own need both: how far one unit moves each, and what one unit is",
            fix=leave_out(
                "protects", note=", or say in sensitivity how far one unit moves a score"
            ),
        )
    return statement_of(sensitivity, protects)


def _choice(
    name: Literal["choose", "top_k"],
    k: int,
    most: str | None,
    ask: Ask,
    own: StatedSensitivity | None,
) -> Choose:
    if not ask.by:
        raise InputError(
            f"{name} has no keys to choose from.",
            kind="keys-missing",
            why="what is chosen is a key of a public list",
            fix=name_columns("by", None),
            at="by",
        )
    if most is not None and not isinstance(most, str):
        raise InputError(
            f"most = {as_given(most)} is not the name of a column.",
            kind="wrong-columns",
            why="keys are compared by the sums of one column, or else by their rows",
            fix=(name_columns("most", most), leave_out("most")),
            at="most",
        )
    return Choose(name, k, most, ask, own)


def _fewer(name: str, upper: int) -> Ways:
    """Return what to write where as many are chosen as there are: so many fewer, if any."""
    if name == "top_k" and upper:
        return (write(k=upper),)
    return ways_of("group by a column of several keys")


def _best(table: Table) -> Iterable[Options]:
    """Return most rows, and the largest sum of each column."""
    return [{}, *({"most": column} for column in table.columns)]


def _one(table: Table) -> Iterable[Options]:
    """Return the first of a list, by its rows and by a sum: lists of two keys have no second."""
    return [{"k": 1, **options} for options in _best(table)]


CHOOSE = ListedStatistic("choose", choose, _best, chooses=True)
TOP_K = ListedStatistic("top_k", top_k, _one, chooses=True)
