"""What every statistic is: a question that says what to count, and makes an answer of it.

What a statistic answers: numbers with intervals, what they are, and what they are laid out by.

A statistic as the register lists it: its name, the function that asks it, and what tries it.

Rules of this module:
- a statistic turns a question into aggregates, and noisy aggregates into an answer;
- it sees the declaration and public numbers, never data;
- an interval [low, high] misses the bounded, rounded truth with probability at most alpha, each
  interval by itself;
- an answer says its axes, its measure and whether it adds up: nobody counts columns to guess;
- it holds public numbers alone;
- the suites ask what is listed: a statistic for which nobody wrote a test is tried by its examples,
  which hold all of its options but the grouping and the limits; those the suites choose.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal, Protocol

from ..aggregate import Aggregate, Noisy
from ..noise.law import Errs, Law
from ..post.interval import nearest
from ..schema import Key, Table
from ..text import piece, prompt
from .ask import Ask

Number = int | float | None
AxisKind = Literal["key", "bin", "column", "level"]
Measured = Literal[
    "rows",
    "units",
    "sum",
    "mean",
    "variance",
    "std",
    "quantile",
    "iqr",
    "share",
    "covariance",
    "correlation",
    "coefficient",
    "short",
    "chosen",
    "keys",
]
ADD_UP = frozenset({"rows", "units", "sum"})  # measures whose numbers of several groups add up
SHORT: Literal["short"] = (
    "short"  # of a choice: how much less than the largest number may be what was chosen
)
CHOSEN: Literal["chosen"] = "chosen"  # of a quantile that a choice tells, and no number of rows
KEYS: Literal["keys"] = "keys"  # how many keys there are of at least a size
ALONE = ADD_UP | {SHORT, CHOSEN, KEYS}  # measures without a noisy number of rows beside them


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction in which an answer has several numbers.

    Attributes:
        kind: a key has a cell in the index; bins of a column have two, their ends; the columns of
            a vector have one, their names; levels have one, a number.
        name: the key's column, or the column that is cut into bins; "column" for those of a vector;
            of levels what they are: "quantile".
    """

    kind: AxisKind
    name: str

    def names(self) -> tuple[str, ...]:
        """Return what the axis is called in a table: one name for each cell of the index."""
        return (f"{self.name} from", f"{self.name} to") if self.kind == "bin" else (self.name,)


Inner = tuple[Axis, tuple[Key | float, ...]] | None  # inside each group: an axis and its cells


@dataclass(frozen=True, slots=True)
class Answer:
    """The released numbers of one statistic, each with its interval, and what they are.

    Attributes:
        label: the statistic's name.
        axes: what the numbers are laid out by, the last one fastest; none for one number.
        measure: what is counted, or how cells are put together.
        index: a row per number, with the cells that its axes have; None for all of an axis.
        values: None where there are too few rows to say; then the interval is the whole range.
        low, high: the ends of the intervals.
        rows: of means and variances, about how many rows each is made of: a noisy count, which can
            be negative.
        rows_within: of the same, how far that count is off at most, but with probability alpha.
        linear, deviation: of tables that add up, the estimates that the intervals are made of, and
            bounds on their standard deviations.
    """

    label: str
    axes: tuple[Axis, ...]
    measure: Measured
    index: tuple[tuple[Key | float | None, ...], ...]
    values: tuple[Number, ...]
    low: tuple[Number, ...]
    high: tuple[Number, ...]
    rows: tuple[float, ...] | None = None
    rows_within: float | None = None
    linear: tuple[float, ...] | None = None
    deviation: tuple[float, ...] | None = None

    @property
    def adds_up(self) -> bool:
        """Whether the numbers of several groups together are their sum."""
        return self.measure in ADD_UP


def within_public(table: Table, answer: Answer) -> Answer:
    """Return counts moved to 0 and to the public number of rows or units, and their intervals.

    Neighbors of `replace` have one number of units, so that where it is public no count exceeds it.
    Moving costs nothing and brings no number further from the truth. What is derived is made of the
    noisy integers, which stay as they are, so that its errors are those of the noise.
    """
    return replace(
        answer,
        values=moved(table, answer.measure, answer.values),
        low=moved(table, answer.measure, answer.low),
        high=moved(table, answer.measure, answer.high),
    )


def moved(table: Table, measure: str, values: Sequence[Number]) -> tuple[Number, ...]:
    """Return numbers of rows or units between 0 and what is public; all others as they are."""
    facts = table.facts
    most = {"rows": facts.rows, "units": facts.units}.get(measure)
    if table.neighbors != "replace" or most is None:
        return tuple(values)
    return tuple([None if value is None else min(max(value, 0), most) for value in values])


def keyed(by: Sequence[str]) -> tuple[Axis, ...]:
    """Return the axes of groups."""
    return tuple(Axis("key", column) for column in by)


def columns_of(axes: Sequence[Axis], measure: Measured, *, linear: bool = False) -> list[str]:
    """Return the names of an answer's columns: those of its axes, and of its numbers."""
    beside = ["linear", "deviation"] if linear else [] if measure in ALONE else ["rows"]
    return [*(name for axis in axes for name in axis.names()), *beside, "value", "low", "high"]


def groups(table: Table, by: Sequence[str]) -> Iterator[tuple[Key, ...]]:
    """Return the groups in the order of an aggregate's vector."""
    return product(*(table.keys[column] for column in by))


def in_measure(steps: Sequence[int], step: Fraction) -> tuple[float, ...]:
    """Return whole numbers of steps in a column's own measure, each rounded once, to nearest."""
    top, bottom = step.numerator, step.denominator
    return nearest([value * top for value in steps], bottom)


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


Row = Mapping[str, Any]  # of one group: its cells by column, None where one is missing
Options = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ListedStatistic:
    """A statistic by its name.

    Attributes:
        name: what plans and plan files call it; once it is written to a ledger it never changes.
        ask: the function that asks it.
        examples: from a table to the options of questions that try it.
        tight: the neighbor relations in which one unit reaches the declared sensitivity, so that
            declaring more would be seen; in the others it is only never exceeded.
        joint: what has noise of its own, so that intervals can be asked together: each number, or
            each group, in which columns share it; None where numbers are made of shared noise.
        chooses: whether it tells keys, and no number of each group.
    """

    name: str
    ask: Callable[..., Statistic]
    examples: Callable[[Table], Iterable[Options]]
    tight: tuple[str, ...] = ()
    joint: Literal["cell", "group"] | None = None
    chooses: bool = False


BOTH = ("add_remove", "replace")


def no_options(_table: Table) -> Iterable[Options]:
    """Return the example of a statistic that takes no options."""
    return ({},)


def each_column(table: Table) -> Iterable[Options]:
    """Return the examples of a statistic that takes a column."""
    return [{"column": column} for column in table.columns]


def cells(rows: Sequence[Row], column: str) -> list[Any]:
    """Return the usable cells of a column."""
    return [row[column] for row in rows if row[column] is not None]
