"""Whether two sets of answers are the same, up to how processors round.

Rules of this module:
- integers, text and shape must be equal; a double may differ by a billionth, because libraries
  take e^x and square roots with other last digits on other processors;
- the fit of a cube is made of such doubles, in many steps: it is checked, and need not be the same.
"""

from collections import Counter
from collections.abc import Sequence
from math import isclose

from .accessors import has_linear
from .document import Released, canonical
from .rows import Column

_ROUNDING = 1e-9
_SOLVED = 1e-6  # of an estimate that was solved for
_OTHERS = 100  # one cell of so many may be another whole number


def same_answers(stated: Sequence[Released], derived: Sequence[Released]) -> bool:
    """Tell whether answers that a release states are those that were derived from its integers."""
    return len(stated) == len(derived) and all(map(_same, stated, derived))


def _same(one: Released, other: Released) -> bool:
    stated, derived = one.answer, other.answer
    mine, theirs = stated.rows.columns, derived.rows.columns
    return (
        (one.label, one.vectors) == (other.label, other.vectors)
        and canonical(one.question) == canonical(other.question)
        and (stated.axes, stated.measure) == (derived.axes, derived.measure)
        and (stated.columns, stated.adds_up) == (derived.columns, derived.adds_up)
        and _alike([stated.rows_within], [derived.rows_within])
        and len(mine) == len(theirs)
        and (all(map(_alike, mine, theirs)) or (has_linear(one) and _fits(mine, theirs)))
    )


def _fits(stated: Sequence[Column], derived: Sequence[Column]) -> bool:
    """Tell whether the tables of a cube are a fit of the same estimates.

    They are whole, at least 0 and add up; cells are the derived ones, but for some that rounding
    has put next to them; intervals are the derived ones, but for as much.
    """
    *index, linear, deviation, values, low, high = stated
    *keys, solved, spread, fitted, lows, highs = derived
    alike = all(map(_alike, index, keys)) and all(
        isclose(a, b, rel_tol=_SOLVED, abs_tol=_SOLVED)
        for mine, theirs in ((linear, solved), (deviation, spread))
        for a, b in zip(mine, theirs, strict=True)
    )
    rows = list(zip(*index, strict=True))
    cells = [at for at, row in enumerate(rows) if None not in row]
    apart = [abs(values[at] - fitted[at]) for at in cells if values[at] != fitted[at]]
    return (
        alike
        and all(type(x) is int for column in (values, low, high) for x in column)
        and min(values) >= 0
        and max(apart, default=0) <= 1
        and len(apart) <= 2 + len(cells) // _OTHERS
        and all(
            lower <= value <= higher and abs(lower - a) <= moved and abs(higher - b) <= moved
            for lower, value, higher, a, b, moved in zip(
                low, values, high, lows, highs, _moved(values, fitted), strict=True
            )
        )
        and _adds_up(rows, cells, values)
    )


def _moved(values: Column, fitted: Column) -> list[int]:
    """Return how far the ends of each interval may be apart: by a rounding, or a stretch."""
    return [1 + abs(a - b) for a, b in zip(values, fitted, strict=True)]


def _adds_up(rows: Sequence[tuple[object, ...]], cells: Sequence[int], values: Column) -> bool:
    """Tell whether each number of a cube is the sum of the cells that it stands for."""
    shapes = {tuple(cell is not None for cell in row) for row in rows}
    sums: Counter[tuple[object, ...]] = Counter()
    for shape in shapes:
        for at in cells:
            kept = zip(rows[at], shape, strict=True)
            sums[tuple(cell if shown else None for cell, shown in kept)] += values[at]
    return all(sums[row] == value for row, value in zip(rows, values, strict=True))


def _alike(one: Column, other: Column) -> bool:
    """Tell whether two columns hold the same cells: 1 is neither 1.0 nor True."""
    if list(map(type, one)) != list(map(type, other)):
        return False
    return one == other or all(
        isclose(a, b, rel_tol=_ROUNDING, abs_tol=_ROUNDING) if isinstance(a, float) else a == b
        for a, b in zip(one, other, strict=True)
    )
