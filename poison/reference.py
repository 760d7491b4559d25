"""What docs/cells.md says, once more in plain Python: cell by cell, and nothing of discreet's.

Rules of this module:
- it is slow and short, and imports nothing of the library;
- a cell of a column that has a type comes as a Python value of that type; text without a type, and
  text of a list of dicts or of a column of objects, as `Loose`.
"""

import datetime as dt
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

_NUMBER = re.compile(
    r"[ \t\n\v\f\r]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\v\f\r]*"
)
_TRUTH = re.compile(r"[ \t\n\v\f\r]*(true|false)[ \t\n\v\f\r]*", re.IGNORECASE | re.ASCII)


class Loose(str):
    """Text that a column without a type holds."""

    __slots__ = ()


def number(cell: object) -> float | None:
    """A cell with bounds: the nearest double; None where it is missing."""
    if isinstance(cell, Loose):
        return _of_text(cell)
    if isinstance(cell, (bool, int, float, Decimal)):
        try:
            found = float(cell)
        except OverflowError:
            return None
        return found if math.isfinite(found) else None
    return None


def _of_text(text: str) -> float | None:
    if _TRUTH.fullmatch(text):
        return float(text.strip().lower() == "true")
    if not _NUMBER.fullmatch(text):
        return None
    found = float(text)
    return found if math.isfinite(found) else None


def in_steps(cell: object, lower: Fraction, upper: Fraction, step: Fraction) -> int | None:
    """The number of the step: floor(v / step + 1/2) within the bounds, as doubles compute it."""
    value = number(cell)
    if value is None:
        return None
    value = value * step.denominator / step.numerator
    if value >= float(upper / step):
        return int(upper / step)
    if value <= float(lower / step):
        return int(lower / step)
    return math.floor(value + 0.5)


def key(cell: object, keys: Sequence[object]) -> int | None:
    """The place of the first key that a cell fits."""
    return next((place for place, one in enumerate(keys) if _fits(cell, one)), None)


def _fits(cell: object, one: object) -> bool:
    if isinstance(one, (bool, int)):
        if isinstance(cell, (bool, int, float, Decimal, Loose)):
            value = number(cell)
            return value is not None and value == one
        return False
    text = str(one)
    if isinstance(cell, str):
        return str(cell) == text
    if isinstance(cell, (bool, int, float, Decimal)):
        return _spells(cell, text)
    if isinstance(cell, dt.datetime):
        moment = cell.astimezone(dt.UTC).replace(tzinfo=None) if cell.tzinfo else cell
        return text in (moment.date().isoformat(), str(moment))
    if isinstance(cell, (dt.date, dt.time, UUID)):
        return str(cell) == text
    return False


def _spells(cell: bool | int | float | Decimal, text: str) -> bool:
    if _TRUTH.fullmatch(text):
        return _is_number(cell) and cell == (text.strip().lower() == "true")
    if not _NUMBER.fullmatch(text) or not _is_number(cell):
        return False
    if isinstance(cell, float):
        return cell == float(text)
    return Fraction(cell) == Fraction(text.strip())


def _is_number(cell: bool | int | float | Decimal) -> bool:
    return not isinstance(cell, (float, Decimal)) or math.isfinite(cell)


def unit(cell: object) -> object:
    """What a unit is, so that two are equal where they are one; None where there is nobody."""
    if cell is None or (isinstance(cell, (float, Decimal)) and not math.isfinite(cell)):
        return None
    if isinstance(cell, (bool, int, float, Decimal)):
        return str(Fraction(cell))  # and the text of these digits is the same unit
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, dt.datetime) and cell.tzinfo:
        cell = cell.astimezone(dt.UTC).replace(tzinfo=None)
    return type(cell).__name__, cell


def near(cell: object) -> object:
    """A cell of a pandas column whose type the cells choose, as it is told apart: see docs/cells.md."""
    if not isinstance(cell, (bool, int, float, Decimal)):
        return cell
    if not _is_number(cell) or abs(cell) >= 2**53:
        return None
    return float(cell)


Row = Mapping[str, object]


def answers(
    rows: Sequence[Row],
    *,
    has_unit: bool,
    keys: Sequence[object],
    bounds: tuple[Fraction, Fraction, Fraction],
    bins: Sequence[int],
    chosen: bool = False,
) -> dict[str, list[int]]:
    """Every answer of a table without limits that bind: counts, units, sums, variances, histograms.

    Args:
        rows: cells under u, k and v.
        has_unit: whether u names the unit.
        keys: the public keys of k.
        bounds: lower, upper, step of v.
        bins: the edges of the histogram, in steps.
        chosen: whether the cells choose the types of the columns, as in pandas.
    """
    apart = near if chosen else lambda cell: cell
    found: dict[str, list[int]] = {
        "count": [0] * len(keys),
        "sum": [0] * len(keys),
        "histogram": [0] * (len(bins) - 1),
        "variance": [0] * (3 * len(keys)),
    }
    units: list[set[object]] = [set() for _ in keys]
    for row in rows:
        who = unit(apart(row["u"]))
        if has_unit and who is None:
            continue
        steps = in_steps(row["v"], *bounds)
        if steps is not None:
            found["histogram"][_bin(steps, bins)] += 1
        place = key(apart(row["k"]), keys)
        if place is not None:
            found["count"][place] += 1
            found["sum"][place] += steps or 0
            for which, part in enumerate([] if steps is None else _spread(steps, *bounds)):
                found["variance"][3 * place + which] += part
            units[place].add(who if has_unit else len(units[place]))
    return {**found, "count_units": [len(some) for some in units]}


def _spread(steps: int, lower: Fraction, upper: Fraction, step: Fraction) -> list[int]:
    """Lagrange's polynomials of a cell at both bounds and between, times the width squared.

    Where a bound is more than 2^20 steps from 0, the bounds are cut into 2^20 parts at most.
    """
    low, high = int(lower / step), int(upper / step)
    width = high - low if max(abs(low), abs(high)) <= 2**20 else min(high - low, 2**20)
    at = math.floor(Fraction((steps - low) * width, high - low) + Fraction(1, 2))
    x = Fraction(2 * at - width, width)
    return [int(width**2 * part) for part in (x * (x - 1) / 2, 1 - x * x, x * (x + 1) / 2)]


def _bin(steps: int, edges: Sequence[int]) -> int:
    """The bin [edge, next edge) of a value; the last one includes its upper edge."""
    inner = [edge for edge in edges[1:-1] if edge <= steps]
    return len(inner)
