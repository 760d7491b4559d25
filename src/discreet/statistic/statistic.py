"""What every statistic is: a question that says what to count, and makes an answer of it.

Rules of this module:
- a statistic turns a question into aggregates, and noisy aggregates into an answer;
- it sees the declaration and public numbers, never data;
- an interval [low, high] misses the bounded, rounded truth with probability at most alpha, each
  interval by itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from ..aggregate import Aggregate, Noisy
from ..noise.law import Errs, Law
from ..schema import Key, Table
from ..text import piece, prompt
from .answer import Answer, Axis, Inner
from .ask import Ask


@dataclass(frozen=True, slots=True)
class Expected:
    """The half-width to expect before any data is read; with `per_row`, over the group's rows.

    `whole` is the public size that a relative error is a part of: None where there is none. The
    half-width is in the measure of the answer, or `of` says in what; `note` is a sentence on what
    the question cannot tell; `words` say more, and take longer.
    """

    half_width: Fraction
    per_row: bool = False
    whole: Fraction | None = None
    of: str = ""
    note: str = ""
    words: Callable[[], tuple[str, ...]] = tuple


class Statistic(Protocol):
    """One thing that may be asked."""

    @property
    def ask(self) -> Ask:
        """What all questions share: grouping, limits, and its part of the plan's loss."""

    @property
    def label(self) -> str:
        """A short name, unique for the question."""

    def inner(self, table: Table) -> Inner:
        """Return the axis inside each group whose cells the question says, if there is one."""

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return what must be counted, each with its proved sensitivity, or raise InputError."""

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the answer made of the noisy aggregates, with intervals."""

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width to expect, from public facts only."""

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""

    def shares(self, table: Table, kind: str) -> tuple[Fraction, ...] | None:
        """Return the part of its loss that each vector gets."""

    def cells(self, table: Table) -> Sequence[tuple[Key | None, ...]] | None:
        """Return the index of its answer, where that is not one row for each group."""

    def errs(self, law: Law) -> Errs:
        """Return how far a number with this noise is off, where each has noise of its own."""

    def instead(self) -> "Statistic | None":
        """Return the same question in another way, which a plan proposes where it is better."""

    def textbook(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> Sequence[float | None]:
        """Return what is true of a group, by definition: no noise, nothing shared with `answer`.

        Args:
            table: the declaration.
            rows: the rows of the group that count, each cell on its grid, within its bounds, or
                None where it is missing.
        """


class Question(ABC):
    """A statistic as it shows itself: by its label; a dataclass made from it has `repr=False`."""

    __slots__ = ()

    @property
    @abstractmethod
    def label(self) -> str:
        """A short name, unique for the question."""

    def inner(self, table: Table) -> Inner:
        """Return the axis inside each group, if there is one, and its cells.

        Without a word of its own a question has the bins that it counts, whose cells are not told.
        """
        bins = self.aggregates(table)[0].bins
        return (Axis("bin", bins.column), ()) if bins else None

    @abstractmethod
    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return what must be counted, each with its proved sensitivity, or raise InputError."""

    def shares(self, table: Table, kind: str) -> tuple[Fraction, ...] | None:
        """Return the part of a loss of this kind that each vector gets; None where all are alike.

        A vector whose part is 0 is not counted.
        """
        del table, kind
        return None

    def cells(self, table: Table) -> Sequence[tuple[Key | None, ...]] | None:
        """Return the index of an answer that is not one row for each group; else None."""
        del table
        return None

    def errs(self, law: Law) -> Errs:
        """Return how far a number with this noise is off: as far as the noise, if it stands."""
        return law

    def instead(self) -> "Statistic | None":
        """Return the same question in another way; None where there is none."""
        return None

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return prompt("Question", self.label)

    def _repr_html_(self) -> str:
        return piece(self.label)
