"""What the reference engine uses of a row, read once, before anything is chosen among rows.

Rules of this module:
- a row is read by itself: its cells, what expressions make of them, and which conditions hold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor

from ..aggregate import Aggregate, Point
from ..expressions import Typed
from ..schema import Bounds, Table
from .evaluate import cell, test, value
from .key_matcher import matcher_of
from .protocol import key_columns, points_of, tests_of, value_columns
from .reading import number, unit_of
from .rows import cell_of

_HALF = 2.0**-1  # exact: a double by definition of the grid


@dataclass(frozen=True, slots=True)
class Row:
    """What is used of a row: its unit, the position of its keys, its cells in steps, its points.

    `tests` holds for each condition of a question whether it holds: 0, 1, or 2 where it is unknown.
    """

    unit: object
    keys: Mapping[str, int | None]
    steps: Mapping[str, int | None]
    points: Mapping[Point, list[int] | None]
    tests: Mapping[Typed, int]


class RowReader:
    """Reads rows one by one; what the questions look at is the same for all, and found once."""

    def __init__(self, table: Table, aggregates: Sequence[Aggregate]) -> None:
        self._table = table
        self._match = {name: matcher_of(table, name) for name in key_columns(aggregates)}
        self._names = value_columns(aggregates)
        self._points = points_of(aggregates)
        self._tests = tests_of(aggregates)

    def read(self, row: object) -> Row | None:
        """Return what is used of a row; None if it has no unit, or its table's condition fails.

        Args:
            row: a dict, or something that counts as a row without cells.
        """
        table = self._table
        unit = table.unit.column and unit_of(cell_of(row, table.unit.column))
        if table.unit.column is not None and unit is None:
            return None
        if table.condition is not None and test(table.condition.tree, table, row) != 1:
            return None
        steps = {n: in_steps(value(table, row, n), table.columns[n]) for n in self._names}
        return Row(
            unit=unit,
            keys={column: match(cell(table, row, column)) for column, match in self._match.items()},
            steps=steps,
            points={point: point.read(steps) for point in self._points},
            tests={one: test(one, table, row) for one in self._tests},
        )


def in_steps(cell: object, bounds: Bounds) -> int | None:
    """Return a cell on the grid, as IEEE doubles give it; if it is missing, what it counts as."""
    steps = number(cell)
    if steps is None:
        return bounds.missing_step
    if bounds.step.denominator > 1:
        steps = steps * bounds.step.denominator
    if bounds.step.numerator > 1:
        steps = steps / bounds.step.numerator  # exact: the grid is defined in IEEE doubles
    if steps < bounds.lower_step:
        return bounds.lower_step
    return floor(steps + _HALF) if steps < bounds.upper_step else bounds.upper_step


def passes(where: Typed | None, row: Row) -> bool:
    """Tell whether a condition is true of a row; it was evaluated before rows were left out."""
    return where is None or row.tests[where] == 1
