"""The public range of a numeric column, and the grid its values are put on.

Rules of this module:
- inside, a value counts steps: the integer `v / step`, between `lower_step` and `upper_step`;
- a range that cannot be kept exactly is refused here, not later.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ..errors import InputError, shown
from ..exact.number import Number, common_step, rational, text_of, value_of
from ..fix import BLANK, Way, call, leave_out, write
from ..text import piece, prompt
from .given import by_column
from .keys import check_name

_NARROW = 2**62  # below this, and with a low end as near to 0, whole numbers of 64 bits suffice
MAX_STEP = 2**52  # a double holds every whole number up to here, and so does v + 1/2
_AUTO_STEPS = 100_000  # without a step, the range is cut into at least so many
_AUTO_PLACES = 12  # and into up to 10^12 times as many where the bounds have more places


@dataclass(frozen=True, slots=True)
class Bounds:
    """A public range of a numeric column, and the grid its values are put on.

    A usable cell v becomes floor(v / step + 1/2), computed in IEEE doubles, clamped to the range.

    Attributes:
        missing: the public value of a missing cell, which makes the column complete; None where a
            missing cell counts in nothing.
        lower_step: the lower bound in steps.
        upper_step: the upper bound in steps.
    """

    lower: Fraction
    upper: Fraction
    step: Fraction
    step_was_chosen: bool = False
    missing: Fraction | None = None
    lower_step: int = field(init=False, repr=False, compare=False)
    upper_step: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, bound in (("lower_step", self.lower), ("upper_step", self.upper)):
            object.__setattr__(self, name, (bound / self.step).numerator)  # exact: rationals

    @property
    def width(self) -> int:
        """The length of the range in steps."""
        return self.upper_step - self.lower_step

    @property
    def missing_step(self) -> int | None:
        """The value of a missing cell in steps; None where it has none."""
        if self.missing is None:
            return None
        return (self.missing / self.step).numerator  # exact: rationals

    def plain(self) -> dict[str, str]:
        """Return the bounds as plain data."""
        ends = {"lower": str(self.lower), "upper": str(self.upper), "step": str(self.step)}
        return ends if self.missing is None else {**ends, "missing": str(self.missing)}

    def __str__(self) -> str:
        ends = f"{text_of(self.lower)} to {text_of(self.upper)} in steps of {text_of(self.step)}"
        return (
            ends if self.missing is None else f"{ends}, missing counts as {text_of(self.missing)}"
        )

    def __repr__(self) -> str:
        return prompt("Bounds", str(self))

    def _repr_html_(self) -> str:
        return piece(str(self))


def bounds(
    lower: Number, upper: Number, *, step: Number | None = None, missing: Number | None = None
) -> Bounds:
    """Declare the public range of a numeric column.

    Values outside are moved to the nearer end, then to the nearest multiple of `step` (halves up).
    What a sum can be moved by one unit follows from this range, so it must not come from the data.

    Args:
        lower: the smallest value that counts, in the column's own measure.
        upper: the largest value that counts, above `lower`.
        step: the grid; `lower` and `upper` must be multiples of it. Without it a power of ten is
            chosen that cuts the range into at least 100,000 steps, and every plan shows it.
        missing: what a missing cell counts as, a multiple of `step` in the range. The column is
            then complete: each row counts in its sums and means, which can share a count. Without
            it a missing cell enters none of them.

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
            fix=_turned(low, high, step),
        )
    size = _auto_step(low, high) if step is None else rational(step, "step")
    if size <= 0:
        raise InputError(
            f"step = {text_of(size)} must be above 0.",
            why="values are counted in steps",
            fix=(write(step=BLANK), leave_out("step")),
        )
    cell = None if missing is None else rational(missing, "missing")
    found = Bounds(low, high, size, step_was_chosen=step is None, missing=cell)
    _check_grid(found)
    _check_missing(found)
    return found


def bounds_of_plain(plain: Mapping[str, str]) -> Bounds:
    """Return the bounds that `Bounds.plain()` wrote."""
    return bounds(plain["lower"], plain["upper"], step=plain["step"], missing=plain.get("missing"))


def _check_missing(found: Bounds) -> None:
    cell = found.missing
    if cell is None:
        return
    if not found.lower <= cell <= found.upper:
        raise InputError(
            f"missing = {text_of(cell)} is not between {text_of(found.lower)} and "
            f"{text_of(found.upper)}.",
            why="a missing cell counts as a value of the column, and those are within its bounds",
            fix=(write(missing=value_of(found.lower)), leave_out("missing")),
        )
    if (cell / found.step).denominator != 1:  # exact: rationals
        low = max(found.lower, found.step * (cell // found.step))
        raise InputError(
            f"missing = {text_of(cell)} is not a multiple of step = {text_of(found.step)}.",
            why="sums are exact only if all values lie on the grid",
            fix=(write(missing=value_of(low)), leave_out("missing")),
        )


def _check_grid(found: Bounds) -> None:
    for side, value in (("lower", found.lower), ("upper", found.upper)):
        if (value / found.step).denominator != 1:  # exact: rationals
            raise InputError(
                f"{side} = {text_of(value)} is not a multiple of step = {text_of(found.step)}.",
                why="sums are exact only if the bounds lie on the grid of the values",
                fix=_on_grid(found, common_step(found.lower, found.upper, found.step)),
            )
    furthest = max(abs(found.lower_step), abs(found.upper_step))
    if max(furthest, found.step.numerator, found.step.denominator) > MAX_STEP:
        raise InputError(
            f"bounds of {found} are more than 2^52 steps from zero.",
            why="beyond that, doubles skip whole numbers and sums may pass 128 bits",
            fix=_on_grid(found, _auto_step(found.lower, found.upper)),
        )


def _turned(low: Fraction, high: Fraction, step: Number | None) -> Way:
    """Return the ends the other way round where they pass so, or else the place for others."""
    if low == high:
        return write(", which is above it", lower=value_of(low), upper=BLANK)
    try:
        bounds(high, low, step=step)
    except InputError:
        return write(", as they are publicly known", lower=BLANK, upper=BLANK)
    return write(lower=value_of(high), upper=value_of(low))


def _on_grid(found: Bounds, step: Fraction) -> Way:
    """Return this step where the bounds pass with it, or else the place for other bounds."""
    steps = [end / step for end in (found.lower, found.upper)]  # exact: rationals
    largest = max(step.numerator, step.denominator, *(abs(end.numerator) for end in steps))
    if largest > MAX_STEP or any(end.denominator != 1 for end in steps):
        return write(", with fewer digits", lower=BLANK, upper=BLANK)
    return write(step=value_of(step))


def _auto_step(low: Fraction, high: Fraction) -> Fraction:
    """Return a power of ten that cuts the range finely and, if one does, divides both bounds."""
    goal = (high - low) / _AUTO_STEPS  # exact: rationals
    power = len(str(goal.numerator)) - len(str(goal.denominator)) + 1
    while Fraction(10) ** power > goal:
        power -= 1
    for finer in range(_AUTO_PLACES):
        step = Fraction(10) ** (power - finer)
        if (low / step).denominator == (high / step).denominator == 1:  # exact: rationals
            return step
    return Fraction(10) ** power


def even_edges(low: int, width: int, count: int) -> tuple[int, ...]:
    """Return the edges, in steps, of `count` bins as even as the grid allows, from `low` on.

    Example:
        >>> even_edges(-5, 10, 4)
        (-5, -3, 0, 2, 5)
    """
    if (width + 1) * (count + 1) < _NARROW:
        import numpy as np

        found: list[int] = (low + np.arange(count + 1, dtype=np.int64) * width // count).tolist()
        return tuple(found)
    return tuple([low + width * place // count for place in range(count + 1)])


def checked_columns(given: object) -> dict[str, Bounds]:
    """Return the public range of each column of a table, or raise InputError."""
    declared = by_column("columns", given, call("discreet.bounds", BLANK, BLANK))
    for column, found in declared.items():
        check_name(column, "columns")
        if not isinstance(found, Bounds):
            raise InputError(
                f"columns[{shown(column)!r}] is not made by bounds(...).",
                why="the range of a column must be public, exact and on a grid",
                fix=write(columns={column: call("discreet.bounds", BLANK, BLANK)}),
            )
    return dict(declared)
