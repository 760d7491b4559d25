"""A statistic as the register lists it: its name, the function that asks it, and what tries it.

Rules of this module:
- the suites ask what is listed: a statistic for which nobody wrote a test is tried by its examples,
  which hold all of its options but the grouping and the limits; those the suites choose.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..schema import Table
from .statistic import Statistic

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
