"""What every statistic is: a question that says what to count, and makes an answer of it.

What a statistic answers: numbers with intervals, what they are, and what they are laid out by.
A statistic as the register lists it: its name, the function that asks it, and what tries it.

Rules of this module:
- a statistic turns a question into aggregates, and noisy aggregates into an answer;
- it sees the declaration and public numbers, never data;
- what people are told of it, and what may be made of its numbers, it says itself (`Telling`): no
  other room lists names of statistics;
- an interval [low, high] misses the bounded, rounded truth with probability at most alpha, each
  interval by itself;
- an answer says its axes, its measure and whether it adds up: nobody counts columns to guess;
- it holds public numbers alone;
- what follows from a measure stands beside it (`MEASURES`), whichever statistic has it;
- the suites ask what is listed: a statistic for which nobody wrote a test is tried by its examples,
  which hold all of its options but the grouping and the limits; those the suites choose.

Decision 72.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal, Protocol, runtime_checkable

from ..aggregate import Aggregate, Noisy
from ..exact.number import text_of
from ..members import answers_for
from ..noise.law import Errs, Law
from ..post.interval import nearest
from ..schema import About, Key, Table
from ..text import pasted, piece, prompt
from .ask import Ask
from .worth import worth_of

Number = int | float | None
AxisKind = Literal["key", "bin", "column", "level"]
Measured = Literal[
    "rows", "units", "sum", "mean", "variance", "std", "quantile", "iqr", "share", "covariance",
    "correlation", "coefficient", "short", "chosen", "keys",
]  # fmt: skip
SHORT: Literal["short"] = "short"  # how much less than the largest number may be what was chosen
CHOSEN: Literal["chosen"] = "chosen"  # of a quantile that a choice tells, and no number of rows
KEYS: Literal["keys"] = "keys"  # how many keys there are of at least a size


@dataclass(frozen=True, slots=True)
class MeasureFacts:
    """What numbers of a measure are.

    Attributes:
        adds_up: whether those of several groups together are their sum.
        of_column: whether they are values of the column, and shown as these are.
        noun: of what is made of a noisy number of rows, what one is called; else "".
    """

    adds_up: bool = False
    of_column: bool = False
    noun: str = ""


MEASURES: dict[Measured, MeasureFacts] = {
    "rows": MeasureFacts(adds_up=True),
    "units": MeasureFacts(adds_up=True),
    "sum": MeasureFacts(adds_up=True),
    "mean": MeasureFacts(of_column=True, noun="mean"),
    "variance": MeasureFacts(noun="variance"),
    "std": MeasureFacts(noun="standard deviation"),
    "quantile": MeasureFacts(of_column=True, noun="quantile"),
    "iqr": MeasureFacts(noun="interquartile range"),
    "share": MeasureFacts(noun="share"),
    "covariance": MeasureFacts(noun="covariance"),
    "correlation": MeasureFacts(noun="correlation"),
    "coefficient": MeasureFacts(noun="coefficient"),
    SHORT: MeasureFacts(),
    CHOSEN: MeasureFacts(of_column=True),
    KEYS: MeasureFacts(),
}
ADD_UP = frozenset(name for name, measure in MEASURES.items() if measure.adds_up)
OF_COLUMN = frozenset(name for name, measure in MEASURES.items() if measure.of_column)
ALONE = frozenset(
    name for name, measure in MEASURES.items() if not measure.noun
)  # without rows beside


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
        rows_within: of the same, how far that count is off at most, except with probability alpha.
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
    if table.neighbors != "replace":
        return answer
    return replace(
        answer,
        values=moved(table, answer.measure, answer.values),
        low=moved(table, answer.measure, answer.low),
        high=moved(table, answer.measure, answer.high),
    )


def rows_within_public(table: Table, answer: Answer) -> Answer:
    """Return an answer whose numbers of rows are no more than are public, under `replace`."""
    most = table.facts.rows
    if answer.rows is None or most is None or table.neighbors != "replace":
        return answer
    return replace(answer, rows=tuple([min(rows, most) for rows in answer.rows]))


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


AS_NAMED = About()  # columns by their names
_NAMED = 5  # columns that a heading names at most


@dataclass(frozen=True, slots=True)
class Expected:
    """The half-width to expect before any data is read; with `per_row`, over the group's rows.

    `whole` is the public size that a relative error is a part of: None where there is none. The
    half-width is in the units of the answer, or `of` says in what; `note` is a sentence on what
    the question cannot tell; `words` say more, and take longer.
    """

    half_width: Fraction
    per_row: bool = False
    whole: Fraction | None = None
    of: str = ""
    note: str = ""
    words: Callable[[], tuple[str, ...]] = tuple


@dataclass(frozen=True, slots=True)
class Telling:
    """What people are told of a question, and what may be made of its numbers.

    Attributes:
        heading: what is asked, without its groups and its condition: "Sum of cost".
        grouped: whether its groups are named behind the heading.
        chart: what its numbers are: amounts, which bars from 0 show; values that can lie anywhere;
            tables that cross two keys; or groups in their order.
        cleaned: whether its numbers are counts with the noise of their law, which denoisers take.
        compared: which intervals a difference of two groups has in `post`; "" for those of any two
            numbers.
        joined: whether it is a count of rows or a mean of one column, which may share a vector.
        apart: why no total, share or ratio is made of numbers whose measure adds up, and what to
            ask for instead; None where they are made.
        ruled: what a rule of publication looks at: its own count, with the noise of its law; its
            own whole number; its own value; or the noisy rows it is made of. Or why it takes none:
            numbers are added up, read off one curve or made of the same sums, or names are told.
            "" is its value where it is an amount, and else its rows.
        sparse: whether a cell without rows counts 0, so that cells can be told sparsely.
    """

    heading: str
    grouped: bool = True
    chart: Literal["amounts", "values", "crossed", "ordered"] = "values"
    cleaned: bool = False
    compared: Literal["", "shares", "variances", "stds"] = ""
    joined: bool = False
    apart: tuple[str, str] | None = None
    ruled: Literal["", "count", "whole", "value", "rows", "added", "curve", "sums", "names"] = ""
    sparse: bool = False

    @property
    def rule(self) -> str:
        """The number that a rule looks at, or why it takes none; by the chart without `ruled`."""
        return self.ruled or ("value" if self.chart == "amounts" else "rows")


def named(columns: Sequence[str], about: About) -> str:
    """Return columns as a publisher calls them, in words; of many, the first few.

    Example:
        >>> named(["a", "b", "c"], AS_NAMED), named("abcdef", AS_NAMED)
        ('a, b and c', 'a, b, c, d and 2 more columns')
    """
    names = [about.own_column(column) for column in columns]
    if len(names) > _NAMED:
        names[_NAMED - 1 :] = [f"{len(names) - _NAMED + 1} more columns"]
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


@runtime_checkable
class Statistic(Protocol):
    """One question of a plan.

    Example:
        >>> dp.count(by="ward").label
        'count by ward'
    """

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

    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return what people are told of it, in a publisher's words for columns."""

    def worth(self, table: Table) -> Fraction | None:
        """Return what 1 of its numbers is worth in the measure of its columns."""

    def counted_in(self, table: Table) -> str:
        """Return in what its numbers move, for people who check noise."""

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


@answers_for("question")
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

    @abstractmethod
    def telling(self, about: About = AS_NAMED) -> Telling:
        """Return what people are told of it; columns are called as `about` calls them.

        Args:
            about: `about.column` for a column whose own values are told, `about.own_column` else.
        """

    def worth(self, table: Table) -> Fraction | None:
        """Return what 1 of its numbers is worth in the measure of its columns.

        It follows from what is counted: a sum of squares moves in squares of steps. None where rows
        or units are counted, or numbers of several measures.
        """
        return worth_of(table, self.aggregates(table)[0])

    def counted_in(self, table: Table) -> str:
        """Return in what its numbers move, for people who check noise; "" for rows and units."""
        size = self.worth(table)
        return "" if size is None else f", in steps of {text_of(size)}"

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
        short = prompt("Question", self.label)
        plain: dict[str, Any] = getattr(self, "plain", dict)()
        name = plain.pop("statistic", "")
        column = [plain.pop("column")] if "column" in plain else []
        by = plain.get("by", [])
        if isinstance(by, list) and len(by) == 1 and isinstance(by[0], str):
            plain["by"] = by[0]
        return pasted(short, f"discreet.{name}", *column, **plain)

    def _repr_html_(self) -> str:
        return piece(self.label)


Row = Mapping[str, Any]  # of one group: its cells by column, None where one is missing
Options = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SqlFunction:
    """A function of a SELECT that asks a statistic.

    Attributes:
        name: SUM.
        takes: the options that its arguments are; one that stands twice has both, in a list. All
            are columns, but for `at`, a number, which stands last.
        options: what the function says besides.
    """

    name: str
    takes: tuple[str, ...] = ("column",)
    options: Options = field(default_factory=dict)

    def asked(self, arguments: Sequence[str]) -> dict[str, Any]:
        """Return what a function of these arguments asks, as options of its statistic.

        Example:
            >>> SqlFunction("COVAR_POP", ("column", "column")).asked(["x", "y"])
            {'column': ['x', 'y']}
        """
        pairs = list(zip(self.takes, arguments, strict=True))
        by_option = {
            option: [argument for name, argument in pairs if name == option]
            for option in self.takes
        }
        single = {
            name: values[0] if len(values) == 1 else values for name, values in by_option.items()
        }
        return {**single, **self.options}


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
        sql: the functions of a SELECT that ask it.
    """

    name: str
    ask: Callable[..., Statistic]
    examples: Callable[[Table], Iterable[Options]]
    tight: tuple[str, ...] = ()
    joint: Literal["cell", "group"] | None = None
    chooses: bool = False
    sql: tuple[SqlFunction, ...] = ()


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
