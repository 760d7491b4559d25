"""Whether two sets of answers are the same, up to how processors round.

Rules of this module:
- integers, text and shape must be equal; a double may differ by a billionth, because libraries
  take e^x and square roots with other last digits on other processors;
- a fit of tables is made of such doubles, in many steps: it is checked, and need not be the same.
"""

from collections import Counter
from collections.abc import Sequence, Set
from math import ceil, isclose
from operator import is_

from .accessors import has_linear
from .document import Released, canonical
from .rows import Column, Rows

_ROUNDING = 1e-9
_SOLVED = 1e-6  # of an estimate that was solved for
_DIGIT = 2e-6  # twice the last digit of a linear estimate
_OTHERS = 100  # one cell of so many may be another whole number


def same_answers(stated: Sequence[Released], derived: Sequence[Released]) -> bool:
    """Tell whether answers that a release states are those that were derived from its integers."""
    return len(stated) == len(derived) and all(map(_same, stated, derived))


def _same(released: Released, other: Released) -> bool:
    stated, derived = released.answer, other.answer
    mine, theirs = stated.rows.columns, derived.rows.columns
    return (
        (released.label, released.vectors, released.shown)
        == (other.label, other.vectors, other.shown)
        and canonical(released.question) == canonical(other.question)
        and (stated.axes, stated.measure) == (derived.axes, derived.measure)
        and (stated.columns, stated.adds_up) == (derived.columns, derived.adds_up)
        and _alike([stated.rows_within], [derived.rows_within])
        and len(mine) == len(theirs)
        and (
            _same_rows(stated.rows, derived.rows) or (has_linear(released) and _fits(mine, theirs))
        )
    )


def _same_rows(stated: Rows, derived: Rows) -> bool:
    """Tell whether rows of as many columns hold the same cells."""
    return all(
        _alike(column, other, stated.kinds(at), derived.kinds(at))
        for at, (column, other) in enumerate(zip(stated.columns, derived.columns, strict=True))
    )


def _fits(stated: Sequence[Column], derived: Sequence[Column]) -> bool:
    """Tell whether tables that add up are a fit of the same estimates, or these themselves.

    A fit is whole, at least 0 and adds up; cells of the largest tables are the derived ones, but
    for some that rounding has put next to them; intervals are the derived ones, but for as much.
    """
    *index, linear, deviation, values, low, high = stated
    *keys, solved, spread, fitted, lows, highs = derived
    alike = all(map(_alike, index, keys)) and all(
        map(_close, (linear, deviation), (solved, spread))
    )
    rows = list(zip(*index, strict=True))
    whole = all(type(x) is int for x in fitted)
    return (
        alike
        and all(type(x) is int for column in (low, high) for x in column)
        and (_is_fit(rows, values, fitted) if whole else _is_near(values, fitted, solved))
        and all(
            lower <= value <= higher and abs(lower - a) <= moved and abs(higher - b) <= moved
            for lower, value, higher, a, b, moved in zip(
                low, values, high, lows, highs, _moved(values, fitted), strict=True
            )
        )
        and _adds_up(rows, values)
    )


def _is_fit(rows: Sequence[tuple[object, ...]], values: Column, fitted: Column) -> bool:
    shapes = {_shape(row) for row in rows}
    largest = {shape for shape in shapes if not any(_within(shape, other) for other in shapes)}
    cells = [at for at, row in enumerate(rows) if _shape(row) in largest]
    apart = [abs(values[at] - fitted[at]) for at in cells if values[at] != fitted[at]]
    return (
        all(type(x) is int for x in values)
        and min(values) >= 0
        and max(apart, default=0) <= len(largest)
        and len(apart) <= 2 * len(largest) + len(cells) // _OTHERS
    )


def _is_near(values: Column, fitted: Column, solved: Column) -> bool:
    """Tell whether these are the tables that agree, or the estimates that stood there before."""
    return _close(values, fitted) or _close(values, solved)


def _close(column: Column, other: Column) -> bool:
    """Tell whether columns hold the same doubles, up to how they were solved for."""
    return all(
        type(a) is type(b) is float and isclose(a, b, rel_tol=_SOLVED, abs_tol=_SOLVED)
        for a, b in zip(column, other, strict=True)
    )


def _moved(values: Column, fitted: Column) -> list[int]:
    """Return how far the ends of each interval may be apart: by a rounding, or a stretch."""
    return [1 + ceil(abs(a - b)) for a, b in zip(values, fitted, strict=True)]


def _shape(row: tuple[object, ...]) -> tuple[bool, ...]:
    """Return which columns a row names a key of: it is the same in all rows of one table."""
    return tuple(cell is not None for cell in row)


def _within(shape: tuple[bool, ...], other: tuple[bool, ...]) -> bool:
    return shape != other and all(b or not a for a, b in zip(shape, other, strict=True))


def _adds_up(rows: Sequence[tuple[object, ...]], values: Column) -> bool:
    """Tell whether each number is the sum of those of every table with one column more."""
    tables: dict[tuple[bool, ...], list[int]] = {}
    for at, row in enumerate(rows):
        tables.setdefault(_shape(row), []).append(at)
    for shape, places in tables.items():
        for column in (at for at, shown in enumerate(shape) if shown):
            above = (*shape[:column], False, *shape[column + 1 :])
            if above not in tables:
                continue
            sums: Counter[tuple[object, ...]] = Counter()
            for at in places:
                sums[(*rows[at][:column], None, *rows[at][column + 1 :])] += values[at]
            room = _DIGIT * len(places)
            if any(
                abs(sums[rows[at]] - values[at]) > (0 if type(values[at]) is int else room)
                for at in tables[above]
            ):
                return False
    return True


def _alike(
    column: Column,
    other: Column,
    types: Set[type] = frozenset(),
    other_types: Set[type] = frozenset(),
) -> bool:
    """Tell whether two columns hold the same cells: 1 is neither 1.0 nor True.

    Args:
        column: the cells of one.
        other: those of the other.
        types: of the cells of the first, where they are known; one type needs no look at each.
        other_types: of those of the other.
    """
    if len(column) != len(other):
        return False
    is_of_one = len(types) == 1 and types == other_types
    if not is_of_one and not all(map(is_, map(type, column), map(type, other))):
        return False
    return column == other or all(
        isclose(a, b, rel_tol=_ROUNDING, abs_tol=_ROUNDING) if isinstance(a, float) else a == b
        for a, b in zip(column, other, strict=True)
    )
