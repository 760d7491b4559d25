"""Noise on numbers of one's own, with a sensitivity that is stated.

Sensitivity. Whoever asks states that one unit moves each number by at most s, and at most m of
them (all, where no m is given). With S = s in steps, rounded up (`statement`), l1 is at most m S,
the sum of squares at most m S^2, and no number moves by more than S. It is stated of the table's
neighbor relation, so that nothing doubles under replace. Nobody proves it.

Decision 107.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Unpack

from ..aggregate import Aggregate, Noisy
from ..exact.number import Number, whole
from ..noise.law import Law
from ..schema import About, Table
from ..sensitivity import Sensitivity
from .ask import Ask, asked, bounds_of
from .options import AskOptions, By, question
from .statement import STATED, StatedSensitivity, check_own, statement_of
from .statistic import (
    AS_NAMED,
    Answer,
    Expected,
    Question,
    Row,
    Telling,
)
from .sum import Sum


@dataclass(frozen=True, slots=True, repr=False)
class Stated(Question):
    """Numbers of one's own, each a cell of its group."""

    column: str
    statement: StatedSensitivity
    numbers: int | None
    ask: Ask

    @property
    def label(self) -> str:
        """A short name."""
        return f"stated {self.column}{self.ask.suffix()}"

    @property
    def _sum(self) -> Sum:
        return Sum(self.column, self.ask)

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return the number of each group in steps."""
        check_own(table, self.ask, self.label)
        (aggregate,) = self._sum.aggregates(table)
        most = self.statement.steps(bounds_of(table, self.column))
        groups = table.groups(self.ask.by)
        many = groups if self.numbers is None else min(self.numbers, groups)
        return (replace(aggregate, sensitivity=Sensitivity(many * most, many * most**2, most)),)

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the noisy numbers in the column's own measure; ends are rounded outward."""
        return replace(self._sum.answer(table, noisy, laws, alpha), label=self.label)

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width in the column's own measure, and what is stated."""
        sentence = self.statement.words(self.label, table.neighbors)
        return replace(self._sum.expected(table, laws, alpha), words=lambda: (sentence,))

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""
        numbers = {} if self.numbers is None else {"numbers": self.numbers}
        return {
            "statistic": "stated",
            "column": self.column,
            **self.statement.plain(),
            **numbers,
            **self.ask.plain(),
        }

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return that it is an amount, and what was stated."""
        return Telling(
            f"{about.own_column(self.column)}, its sensitivity {STATED}", chart="amounts"
        )

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the sum of the usable cells."""
        return self._sum.textbook(table, rows)


@question("numbers")
def stated(
    column: str,
    by: By = None,
    *,
    sensitivity: Number,
    protects: str,
    numbers: int | None = None,
    **options: Unpack[AskOptions],
) -> Stated:
    """Ask for noisy numbers of your own, with a sensitivity that you state and discreet does not
    prove.

    Use `stated` for numbers that discreet does not count itself. The table has one row for each
    number. The number is in a column with public bounds. The plan, the ledger, the release and the
    report say that the sensitivity was stated.

    Args:
        column: the column of the numbers, with public bounds.
        by: the columns with public keys that tell the numbers apart; without `by` there is one
            number.
        sensitivity: the largest change of a number that one unit can cause, for the table's
            neighbors.
        protects: one unit in words: "one household with all its members".
        numbers: the largest number of numbers that one unit moves; by default all numbers.
        **options: those of all questions about groups.

    Returns: a question for `discreet.plan`. The answer has a row for each number, with value, low
        and high in the units of the column.

    Raises:
        InputError: the sensitivity is not above 0, or `protects` is missing.

    Example:
        >>> print(dp.stated("gini", sensitivity=3, protects="one household"))
        stated gini
    """
    ask = asked(by, **options)
    most = None if numbers is None else whole(numbers, "numbers", least=1)
    return Stated(column, statement_of(sensitivity, protects), most, ask)
