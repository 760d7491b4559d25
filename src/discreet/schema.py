"""What the curator swears to before any data is read: table, unit, bounds and keys.

Rules of this module:
- nothing here is ever taken from the data;
- inside, a value counts steps: the integer `v / step`, between `lower_step` and `upper_step`;
- a declaration that cannot be kept exactly is refused here, not later.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from math import prod
from typing import Any, Literal, cast

from .errors import InputError, shown
from .exact.number import Number, rational, text_of, whole

Neighbors = Literal["add_remove", "replace"]
Key = str | int | bool

MAX_STEP = 2**52  # a double holds every whole number up to here, and so does v + 1/2
MAX_KEYS = 10_000_000
_AUTO_STEPS = 100_000  # without a step, the range is cut into this many to ten times as many


@dataclass(frozen=True, slots=True)
class Bounds:
    """A public range of a numeric column, and the grid its values are put on.

    A usable cell v becomes floor(v / step + 1/2), computed in IEEE doubles, clamped to the range.
    """

    lower: Fraction
    upper: Fraction
    step: Fraction
    step_was_chosen: bool = False

    @property
    def lower_step(self) -> int:
        """The lower bound in steps."""
        return (self.lower / self.step).numerator

    @property
    def upper_step(self) -> int:
        """The upper bound in steps."""
        return (self.upper / self.step).numerator

    @property
    def width(self) -> int:
        """The length of the range in steps."""
        return self.upper_step - self.lower_step

    def plain(self) -> dict[str, str]:
        """Return the bounds as plain data."""
        return {"lower": str(self.lower), "upper": str(self.upper), "step": str(self.step)}

    def __str__(self) -> str:
        return f"{text_of(self.lower)} to {text_of(self.upper)} in steps of {text_of(self.step)}"


@dataclass(frozen=True, slots=True)
class Unit:
    """Who is protected: a row, or all rows that share a value of one column."""

    column: str | None
    max_rows: int | None = None

    def plain(self) -> dict[str, str | int | None]:
        """Return the unit as plain data."""
        return {"column": self.column, "max_rows": self.max_rows}

    def __str__(self) -> str:
        if self.column is None:
            return "one row"
        limit = f", at most {self.max_rows} rows of each" if self.max_rows else ""
        return f"all rows with the same {shown(self.column)}{limit}"


ROW = Unit(None, 1)


@dataclass(frozen=True, slots=True)
class Table:
    """A declared table: where the data is, who is protected, and what is publicly known."""

    source: object = field(repr=False, compare=False)
    name: str
    unit: Unit
    columns: Mapping[str, Bounds]
    keys: Mapping[str, tuple[Key, ...]]
    neighbors: Neighbors = "add_remove"

    def groups(self, by: Sequence[str]) -> int:
        """Return how many groups the public keys of these columns make."""
        return prod(len(self.keys[column]) for column in by)

    def plain(self) -> dict[str, object]:
        """Return the declaration as plain data, without the source."""
        return {
            "name": self.name,
            "unit": self.unit.plain(),
            "neighbors": self.neighbors,
            "columns": {name: bounds.plain() for name, bounds in self.columns.items()},
            "keys": {name: list(values) for name, values in self.keys.items()},
        }


def bounds(lower: Number, upper: Number, *, step: Number | None = None) -> Bounds:
    """Declare the public range of a numeric column.

    Values outside are moved to the nearer end, then to the nearest multiple of `step` (halves up).
    What a sum can be moved by one unit follows from this range, so it must not come from the data.

    Args:
        lower: the smallest value that counts, in the column's own measure.
        upper: the largest value that counts, above `lower`.
        step: the grid; `lower` and `upper` must be multiples of it. Without it a power of ten is
            chosen that cuts the range into 100,000 steps or somewhat more, and every plan shows it.

    Raises:
        InputError: not numbers, reversed, off the grid, or more than 2^52 steps from zero.

    Example:
        >>> print(bounds(0, 5_000, step="0.01"))
        0 to 5000 in steps of 0.01
    """
    low, high = rational(lower, "lower"), rational(upper, "upper")
    if low >= high:
        raise InputError(
            f"lower = {text_of(low)} is not below upper = {text_of(high)}.",
            why="a range needs some width; one value alone would carry no information",
            fix=f"write bounds({text_of(min(low, high))}, {text_of(max(low, high))})"
            if low > high
            else f"write bounds({text_of(low)}, {text_of(high + 1)})",
        )
    size = _auto_step(high - low) if step is None else rational(step, "step")
    if size <= 0:
        raise InputError(
            f"step = {text_of(size)} must be above 0.",
            why="values are counted in steps",
            fix='write step="0.01", or leave step out',
        )
    found = Bounds(low, high, size, step_was_chosen=step is None)
    _check_grid(found)
    return found


def unit(column: str, *, max_rows: int | None = None) -> Unit:
    """Declare that all rows with the same value in `column` belong to one protected unit.

    Args:
        column: the column that names the unit, for example a person's id.
        max_rows: how many rows of one unit are used at most, in the whole release; those kept are
            chosen by a secret keyed hash of their content. Without it each statistic must say
            `max_rows_per_group` (and should say `max_groups`).

    Raises:
        InputError: `column` is not text or `max_rows` not a whole number of at least 1.
    """
    _check_name(column, "unit")
    return Unit(column, None if max_rows is None else whole(max_rows, "max_rows", least=1))


def keys(*values: object) -> tuple[Key, ...]:
    """Declare the public values of a column grouped by.

    Args:
        values: text, whole numbers, True and False, or dates; or one list or range of them.

    Raises:
        InputError: none, one twice, or values of several types.

    Example:
        >>> keys("A", "B"), keys(range(1, 4))
        (('A', 'B'), (1, 2, 3))
    """
    one = values[0] if len(values) == 1 else values
    return _keys("the column", values if isinstance(one, (str, int)) else one)


def table(
    source: object,
    *,
    unit: Unit | str,
    columns: Mapping[str, Bounds] | None = None,
    keys: Mapping[str, Iterable[object]] | None = None,
    neighbors: str = "add_remove",
    name: str | None = None,
) -> Table:
    """Declare a table: where the data is, who is protected, and what is publicly known of it.

    Nothing is read. A cell that is null, NaN, infinite or no number is missing; a missing cell does
    not enter sum, mean or histogram; a row whose unit is missing is dropped.

    Args:
        source: a CSV or Parquet path, a glob or a list of them; a DuckDB connection (then `name` is
            the table in it); a pandas, Polars or PyArrow table, or anything with the Arrow stream
            interface; a list of dicts, counted by the reference engine.
        unit: "row", or `discreet.unit(column, max_rows=...)`.
        columns: the public bounds of each numeric column used.
        keys: the public values of each column grouped by. Groups come from this list and never from
            the data: a key without rows is released like all others. Whole-number keys match cells
            as numbers, text keys match them as text, True and False match booleans.
        neighbors: "add_remove" (one unit more or less) or "replace" (one unit exchanged).
        name: what the release calls the data; by default the file's name.

    Raises:
        InputError: anything in the declaration that cannot be kept.
    """
    if neighbors not in ("add_remove", "replace"):
        raise InputError(
            f"neighbors = {shown(neighbors)} is not a relation that discreet knows.",
            why="neighbors says which two tables must look alike: one unit more or less, or one "
            "unit exchanged",
            fix='write neighbors="add_remove" or neighbors="replace"',
        )
    declared = columns or {}
    for column, found in declared.items():
        _check_name(column, "columns")
        if not isinstance(found, Bounds):
            raise InputError(
                f"columns[{shown(column)!r}] is not made by bounds(...).",
                why="the range of a column must be public, exact and on a grid",
                fix=f'write columns={{{shown(column)!r}: discreet.bounds(0, 100, step="0.01")}}',
            )
    return Table(
        source=source,
        name=_name_of(source) if name is None else name,
        unit=_unit(unit),
        columns=dict(declared),
        keys={column: _keys(column, found) for column, found in (keys or {}).items()},
        neighbors=cast("Neighbors", neighbors),
    )


def table_of(plain: Mapping[str, Any], source: object = None) -> Table:
    """Return the declaration that `Table.plain()` wrote."""
    who = plain["unit"]
    return table(
        source,
        unit=ROW if who["column"] is None else unit(who["column"], max_rows=who["max_rows"]),
        columns={
            name: bounds(ends["lower"], ends["upper"], step=ends["step"])
            for name, ends in plain["columns"].items()
        },
        keys=plain["keys"],
        neighbors=plain["neighbors"],
        name=plain["name"],
    )


def _unit(given: Unit | str) -> Unit:
    if isinstance(given, Unit):
        return given
    if given == "row":
        return ROW
    raise InputError(
        f"unit = {shown(given)} does not say who is protected.",
        why='the unit is "row", or a column with a limit on the rows of each unit',
        fix=f"write unit=discreet.unit({shown(given)!r}, max_rows=1)",
    )


def _keys(column: str, values: object) -> tuple[Key, ...]:
    _check_name(column, "keys")
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(
            f"the keys of {shown(column)} are not a list.",
            why="every public value that a group can have must be listed",
            fix=f'write keys={{{shown(column)!r}: ["A", "B"]}}',
        )
    found = [_key(column, value) for value in values]
    kinds = {type(value) for value in found}
    if not found or len(kinds) > 1 or len(found) > MAX_KEYS:
        raise InputError(
            f"the keys of {shown(column)} must be between 1 and {MAX_KEYS} values of one type.",
            why=f"{len(found)} were given, of {len(kinds)} types",
            fix=f'write them all as text: keys={{{shown(column)!r}: ["1", "2"]}}',
        )
    if len(set(found)) < len(found):
        twice = next(value for i, value in enumerate(found) if value in found[:i])
        raise InputError(
            f"the key {shown(twice)} of {shown(column)} is listed twice.",
            why="each row may count for one key only",
            fix=f"remove the second {shown(twice)} from the keys of {shown(column)}",
        )
    return tuple(found)


def _key(column: str, value: object) -> Key:
    item = getattr(value, "item", None)  # a NumPy scalar
    plain = item() if callable(item) else value
    if isinstance(plain, date):
        return plain.isoformat()
    if isinstance(plain, (str, bool)) or (isinstance(plain, int) and abs(plain) <= 2**53):
        return plain
    raise InputError(
        f"a key of {shown(column)} is of type {type(plain).__name__}.",
        why="keys are text, whole numbers of at most 2^53, True or False, or dates; other types "
        "match differently in different engines",
        fix=f'write it as text: keys={{{shown(column)!r}: ["..."]}}',
    )


def _check_name(column: object, where: str) -> None:
    if not isinstance(column, str) or not column or "\x00" in column:
        raise InputError(
            f"{shown(column)} in {where} is not a column name.",
            why="a column name is text of at least one character, without NUL",
            fix=f"write the name of a column in {where}",
        )


def _check_grid(found: Bounds) -> None:
    for side, value in (("lower", found.lower), ("upper", found.upper)):
        if (value / found.step).denominator != 1:
            raise InputError(
                f"{side} = {text_of(value)} is not a multiple of step = {text_of(found.step)}.",
                why="sums are exact only if the bounds lie on the grid of the values",
                fix="choose a step that divides both bounds, or move the bound to the grid",
            )
    furthest = max(abs(found.lower_step), abs(found.upper_step))
    if max(furthest, found.step.numerator, found.step.denominator) > MAX_STEP:
        coarser = text_of(_auto_step(found.upper - found.lower))
        raise InputError(
            f"bounds of {found} are more than 2^52 steps from zero.",
            why="beyond that, doubles skip whole numbers and sums may pass 128 bits",
            fix=f"write a larger step, for example step={coarser!r}",
        )


def _auto_step(width: Fraction) -> Fraction:
    goal = width / _AUTO_STEPS
    power = len(str(goal.numerator)) - len(str(goal.denominator))
    step = Fraction(10) ** (power + 1)
    while step > goal:
        step /= 10
    return step


def _name_of(source: object) -> str:
    first = source[0] if isinstance(source, (list, tuple)) and source else source
    if isinstance(first, str) or hasattr(first, "__fspath__"):
        return str(first).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return "table"
