"""What a statistic answers: numbers with intervals, what they are, and what they are laid out by.

Rules of this module:
- an answer says its axes, its measure and whether it adds up: nobody counts columns to guess;
- it holds public numbers alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Literal

from ..post.interval import nearest
from ..schema import Key, Table

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
