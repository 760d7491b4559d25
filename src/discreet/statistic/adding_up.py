"""What questions for tables that add up share, be they all tables of a cube or a list of them."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, TypeVar

from ..errors import InputError, InternalError, shown
from ..noise.law import Law
from ..schema import Levels, Table
from ..schema import levels as hierarchy
from .ask import Ask
from .listed import Row
from .statistic import Question

Vector = TypeVar("Vector")


class AddingUp(Question):
    """Count rows in several tables that agree."""

    __slots__ = ()
    ask: Ask
    clean: bool

    @abstractmethod
    def shares(self, table: Table, kind: str) -> tuple[Fraction, ...]:
        """Return the part of the loss that each vector gets; 0 for one that is not counted."""

    def noise_of(
        self, table: Table, every: Sequence[Vector], laws: Sequence[Law]
    ) -> dict[Vector, Law]:
        """Return the noise of each vector that was counted, of all that may be."""
        counted = every
        if len(laws) < len(every):
            parts = self.shares(table, laws[0].costs)
            counted = [one for one, part in zip(every, parts, strict=True) if part]
        if len(laws) != len(counted):
            raise InternalError(
                f"{len(laws)} vectors were counted of {len(every)}.",
                why="which are counted follows from the question",
                fix="please report it, with the plan",
            )
        return dict(zip(counted, laws, strict=True))

    def depths(self, sizes: Sequence[float], total: str | None = None) -> str:
        """Return the half-widths of tables of no, one and more attributes, in words."""
        names = ["total", "one attribute", *map(str, range(2, len(sizes)))]
        told = [f"{name} ±{max(1, ceil(n)):,}" for name, n in zip(names, sizes, strict=False)]
        return ", ".join([total or told[0], *told[1:]])

    def textbook(self, table: Table, rows: Sequence[Row]) -> list[float | None]:
        """Return the number of rows."""
        del table
        return [len(rows)]


def hierarchies(given: Iterable[object], levels: object) -> dict[str, Levels]:
    """Return the hierarchies by their column: those that stand in a list, and those beside it.

    Raises:
        InputError: one beside it is none, or that of another column; or a column has two.
    """
    named = [(one.name, one) for one in given if isinstance(one, Levels)]
    beside: Any = levels if isinstance(levels, Mapping | None) else {"?": levels}
    named += [(name, _hierarchy(name, one)) for name, one in (beside or {}).items()]
    found = dict(named)
    two = next((name for name, one in named if found[name] != one), None)
    if two is not None:
        raise InputError(
            f"{shown(two)} has two hierarchies here.",
            why="tables add up where each key lies in one group of each level",
            fix=f"name one hierarchy of {shown(two)}, with all of its levels",
            at="by",
        )
    return found


def _hierarchy(name: str, given: object) -> Levels:
    found = given
    if isinstance(given, Mapping) and set(given) == {"columns", "rows"}:
        found = hierarchy(given["columns"], rows=given["rows"])
    if not isinstance(found, Levels) or found.name != name:
        raise InputError(
            f"levels[{shown(name)!r}] is not the hierarchy of that column.",
            why="it is made by discreet.levels, and the last of its columns is the table's",
            fix="make it by discreet.levels, of the coarser columns and then this one",
            at="levels",
        )
    return found
