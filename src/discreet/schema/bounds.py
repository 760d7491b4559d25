"""The public range of a column of numbers, days or moments, and the grid its values are put on.

A value of a column with bounds as it is typed: a number, a day or a moment.

What a caller says of a table by column.

Rules of this module:
- inside, a value counts steps: the integer `v / step`, between `lower_step` and `upper_step`;
- days count one by one, and moments second by second;
- a range that cannot be kept exactly is refused here, not later;
- a day counts days from 1970-01-01 and a moment seconds from then, as in expressions; both are of
  the years 1 to 9999, and a moment is in UTC.

Decision 47.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InputError, as_given, shown
from ..exact.number import Number, common_step, rational, text_of, value_of
from ..expressions import Typed
from ..expressions.kinds import DAY_SECONDS
from ..expressions.literals import day_of, moment_of
from ..fix import BLANK, Set, Way, call, leave_out, write
from ..text import pasted, piece, prompt
from .keys import check_name

if TYPE_CHECKING:
    from .table import Table

ValueKind = Literal["number", "day", "moment"]
End = Number | date  # a moment of Python is a date, too

STEPS: dict[ValueKind, str] = {"day": "days", "moment": "seconds"}  # what 1 is worth
_EPOCH = date(1970, 1, 1).toordinal()
_LIKE_A_DAY = re.compile(r"\s*[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}", re.ASCII)


def end_of(end: End, name: str, *, setting: str = "") -> tuple[Fraction, ValueKind]:
    """Return what was typed as a number, and what it is.

    Args:
        end: a number, or a day or a moment as text or as an object of `datetime`.
        name: what it is called, for the message.
        setting: where it was typed, if that is not called by this name.

    Raises:
        InputError: it is none of these, or a moment of Python that is not in UTC without saying so.

    Example:
        >>> end_of("1970-01-02", "lower"), end_of("0.5", "lower")
        ((Fraction(1, 1), 'day'), (Fraction(1, 2), 'number'))
    """
    text = end
    if isinstance(end, datetime):
        if end.tzinfo is not None or end.microsecond:
            raise InputError(
                f"{name} = {as_given(end)} is not a moment of whole seconds without a zone.",
                kind="bounds-wrong",
                why="moments are counted in seconds, in UTC",
                fix=Set({setting or name: "2026-11-03 10:30:00"}),
            )
        text = end.isoformat(" ")
    elif isinstance(end, date):
        text = end.isoformat()
    if isinstance(text, str) and not text.isdecimal():  # digits alone are a number
        if (days := day_of(text)) is not None:
            return Fraction(days), "day"
        if (seconds := moment_of(text)) is not None:
            return Fraction(seconds), "moment"
        if _LIKE_A_DAY.match(text):
            raise InputError(
                f"{name} = {as_given(end)} is no day of the calendar, and no moment.",
                kind="bounds-wrong",
                why="a day is written as 2026-11-03, a moment as 2026-11-03 10:30:00, in UTC",
                fix="write a day of the calendar, such as 2026-11-03",
            )
    return rational(end, name, setting=setting), "number"


def ends_of(
    values: Iterable[End], name: str, *, setting: str = ""
) -> tuple[tuple[Fraction, ...], ValueKind]:
    """Return several values of one column, and what they are.

    Raises:
        InputError: one is no value, or they are not all numbers, all days or all moments.
    """
    pairs = [end_of(end, name, setting=setting) for end in values]
    kinds = list(dict.fromkeys(kind for _, kind in pairs))
    if len(kinds) > 1:
        raise InputError(
            f"{name} is a {kinds[0]} in one place, and a {kinds[1]} in another.",
            kind="bounds-wrong",
            why="values of one column are all numbers, all days or all moments",
            fix=f"write all values of {setting or name} as {kinds[0]}s",
        )
    return tuple([value for value, _ in pairs]), kinds[0] if kinds else "number"


def end_text(value: Fraction | Decimal, kind: ValueKind) -> str:
    """Return a value as it is typed; of a day or a moment the whole number is meant.

    Example:
        >>> end_text(Fraction(-1), "day"), end_text(Fraction(60), "moment")
        ('1969-12-31', '1970-01-01 00:01:00')
    """
    if kind == "number":
        return text_of(Fraction(value))
    days, seconds = divmod(int(value), DAY_SECONDS) if kind == "moment" else (int(value), 0)
    day = date.fromordinal(days + _EPOCH).isoformat()
    if kind == "day":
        return day
    return f"{day} {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


_NARROW = 2**62  # below this, and with a low end as near to 0, whole numbers of 64 bits suffice
MAX_STEP = 2**52  # a double holds every whole number up to here, and so does v + 1/2
_AUTO_STEPS = 100_000  # without a step, the range is cut into at least so many
_AUTO_PLACES = 12  # and into up to 10^12 times as many where the bounds have more places


@dataclass(frozen=True, slots=True)
class Bounds:
    """A public range of a column, with a grid; `discreet.bounds` makes it.

    A usable cell v becomes floor(v / step + 1/2), computed in IEEE doubles, clamped to the range.

    Attributes:
        missing: the public value of a missing cell; with a value the column is complete. None: a
            missing cell does not count.
        kind: whether values are numbers, days from 1970-01-01 or seconds from then.
        lower_step: the lower bound in steps.
        upper_step: the upper bound in steps.
    """

    lower: Fraction
    upper: Fraction
    step: Fraction
    step_was_chosen: bool = False
    missing: Fraction | None = None
    kind: ValueKind = "number"
    lower_step: int = field(init=False, repr=False, compare=False)
    upper_step: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, bound in (("lower_step", self.lower), ("upper_step", self.upper)):
            object.__setattr__(self, name, bound // self.step)

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
        ends = {"lower": self.lower, "upper": self.upper, "step": self.step}
        ends |= {} if self.missing is None else {"missing": self.missing}
        if self.kind == "number":
            return {name: str(end) for name, end in ends.items()}
        texts = {name: end_text(end, self.kind) for name, end in ends.items() if name != "step"}
        return {name: texts.get(name, str(end)) for name, end in ends.items()}

    def said(self, value: Fraction) -> str:
        """Return a value of the column as it is typed."""
        return end_text(value, self.kind)

    def __str__(self) -> str:
        step = f"steps of {text_of(self.step)}"
        ends = f"{self.said(self.lower)} to {self.said(self.upper)}"
        ends = f"{ends} in {STEPS.get(self.kind, step)}"
        return (
            ends if self.missing is None else f"{ends}, missing counts as {self.said(self.missing)}"
        )

    def __repr__(self) -> str:
        has_step = self.kind == "number" and not self.step_was_chosen
        options: dict[str, object] = {"step": text_of(self.step)} if has_step else {}
        if self.missing is not None:
            options["missing"] = self._typed(self.missing)
        low, high = self._typed(self.lower), self._typed(self.upper)
        return pasted(prompt("Bounds", str(self)), "discreet.bounds", low, high, **options)

    def _typed(self, end: Fraction) -> int | str:
        """Return an end as a call takes it, exactly."""
        if self.kind != "number":
            return self.said(end)
        return int(end) if end.denominator == 1 else text_of(end)

    def _repr_html_(self) -> str:
        return piece(str(self))


def bounds(
    lower: End, upper: End, *, step: Number | None = None, missing: End | None = None
) -> Bounds:
    """Declare the public range of a column of numbers, days or moments.

    Values outside are moved to the nearer end, then to the nearest multiple of `step` (halves up).
    This range fixes how far one unit can move a sum. Take the range from public knowledge, not from
    the data.

    Args:
        lower: the smallest value that counts, in the column's own units. If it is a day
            ("1990-01-01", or a date of Python), the column is read as days, and answers are days.
            If it is a moment ("1990-01-01 08:00:00"), the column is read as moments, to the second.
        upper: the largest value that counts, above `lower`.
        step: the width of the grid; `lower` and `upper` must be multiples of the step. By default,
            a power of ten that cuts the range into at least 100,000 steps; every plan shows the
            step. Days
            and moments have no step: they are counted one by one.
        missing: the value of a missing cell, a multiple of `step` in the range. The column is then
            complete: each row counts in sums and means, and several means can share one count. By
            default, a missing cell enters no sum and no mean.

    Returns: the range and the grid, for `columns` of `discreet.table`.

    Raises:
        InputError: a bound is not a number, day or moment, is off the grid, or is more than 2^52
            steps from zero; or the two bounds are of two kinds, or reversed.

    Example:
        >>> print(dp.bounds(0, 5_000, step="0.01"))
        0 to 5000 in steps of 0.01
        >>> print(dp.bounds("1990-01-01", "2024-12-31"))
        1990-01-01 to 2024-12-31 in days
    """
    (low, kind), (high, other) = end_of(lower, "lower"), end_of(upper, "upper")
    cell, third = (None, kind) if missing is None else end_of(missing, "missing")
    if {other, third} != {kind}:
        raise _of_two_kinds(kind, other, third)
    if low >= high:
        raise InputError(
            f"lower = {end_text(low, kind)} is not below upper = {end_text(high, kind)}.",
            kind="bounds-wrong",
            why="a range needs some width; one value alone would carry no information",
            fix=_turned(low, high, step, kind),
        )
    if kind != "number":
        return _of_time(Bounds(low, high, Fraction(1), missing=cell, kind=kind), step)
    size = _auto_step(low, high) if step is None else rational(step, "step")
    if size <= 0:
        raise InputError(
            f"step = {text_of(size)} must be above 0.",
            kind="step-wrong",
            why="values are counted in steps",
            fix=(write(step=BLANK), leave_out("step")),
        )
    limits = Bounds(low, high, size, step_was_chosen=step is None, missing=cell)
    _check_grid(limits)
    _check_missing(limits)
    return limits


def bounds_of_plain(plain: Mapping[str, str]) -> Bounds:
    """Return the bounds that `Bounds.plain()` wrote."""
    return bounds(plain["lower"], plain["upper"], step=plain["step"], missing=plain.get("missing"))


def _of_time(limits: Bounds, step: Number | None) -> Bounds:
    """Return bounds of days or moments, which have no step of their own, or raise InputError."""
    if step is not None and rational(step, "step") != 1:
        raise InputError(
            f"a step is given to bounds of {STEPS[limits.kind]}.",
            kind="step-wrong",
            why=f"they are counted in {STEPS[limits.kind]}, and answers do not get better by "
            "coarser ones",
            fix=leave_out("step"),
        )
    _check_missing(limits)
    return limits


def _of_two_kinds(lower: ValueKind, upper: ValueKind, missing: ValueKind) -> InputError:
    name, kind = ("upper", upper) if upper != lower else ("missing", missing)
    return InputError(
        f"lower is a {lower}, and {name} is a {kind}.",
        kind="bounds-wrong",
        why="a column is read in one way: as numbers, as days or as moments",
        fix=Set({"lower": BLANK, name: BLANK}, note=", alike"),
    )


def _check_missing(limits: Bounds) -> None:
    cell = limits.missing
    if cell is None:
        return
    if not limits.lower <= cell <= limits.upper:
        raise InputError(
            f"missing = {limits.said(cell)} is not between {limits.said(limits.lower)} and "
            f"{limits.said(limits.upper)}.",
            kind="bounds-wrong",
            why="a missing cell counts as a value of the column, and those are within its bounds",
            fix=(write(missing=_typed(limits.lower, limits.kind)), leave_out("missing")),
        )
    if (cell / limits.step).denominator != 1:  # exact: rationals
        low = max(limits.lower, limits.step * (cell // limits.step))
        raise InputError(
            f"missing = {text_of(cell)} is not a multiple of step = {text_of(limits.step)}.",
            kind="step-wrong",
            why="sums are exact only if all values lie on the grid",
            fix=(write(missing=value_of(low)), leave_out("missing")),
        )


def _check_grid(limits: Bounds) -> None:
    for side, value in (("lower", limits.lower), ("upper", limits.upper)):
        if value.numerator * limits.step.denominator % (value.denominator * limits.step.numerator):
            raise InputError(
                f"{side} = {text_of(value)} is not a multiple of step = {text_of(limits.step)}.",
                kind="step-wrong",
                why="sums are exact only if the bounds lie on the grid of the values",
                fix=_on_grid(limits, common_step(limits.lower, limits.upper, limits.step)),
            )
    if max(abs(limits.lower_step), abs(limits.upper_step)) > MAX_STEP:
        raise InputError(
            f"bounds of {limits} are more than 2^52 steps from zero.",
            kind="step-wrong",
            why="beyond that, doubles skip whole numbers and sums may pass 128 bits",
            fix=_on_grid(limits, _auto_step(limits.lower, limits.upper)),
        )
    if max(limits.step.numerator, limits.step.denominator) > MAX_STEP:
        raise InputError(
            f"step = {text_of(limits.step)} is no fraction of whole numbers up to 2^52.",
            kind="step-wrong",
            why="values are multiples of it, and beyond that doubles skip whole numbers",
            fix=_on_grid(limits, _auto_step(limits.lower, limits.upper)),
        )


def _turned(low: Fraction, high: Fraction, step: Number | None, kind: ValueKind) -> Way:
    """Return the ends the other way round where they pass so, or else the place for others."""
    lower, upper = _typed(high, kind), _typed(low, kind)
    if low == high:
        return write(", which is above it", lower=lower, upper=BLANK)
    try:
        bounds(lower, upper, step=step)
    except InputError:
        return write(", as they are publicly known", lower=BLANK, upper=BLANK)
    return write(lower=lower, upper=upper)


def _typed(value: Fraction, kind: ValueKind) -> int | str:
    """Return a value as a person would type it."""
    return value_of(value) if kind == "number" else end_text(value, kind)


def _on_grid(limits: Bounds, step: Fraction) -> Way:
    """Return this step where the bounds pass with it, or else the place for other bounds."""
    steps = [end / step for end in (limits.lower, limits.upper)]  # exact: rationals
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

        edges: list[int] = (low + np.arange(count + 1, dtype=np.int64) * width // count).tolist()
        return tuple(edges)
    return tuple([low + width * place // count for place in range(count + 1)])


_BOUNDS = call("discreet.bounds", BLANK, BLANK)


def checked_columns(argument: object) -> dict[str, Bounds]:
    """Return the public range of each column of a table, or raise InputError."""
    declared = by_column("columns", argument, _BOUNDS)
    for column, limits in declared.items():
        check_name(column, "columns")
        if not isinstance(limits, Bounds):
            from ..meant import bounds_meant

            raise InputError(
                f"columns[{shown(column)!r}] is not made by bounds(...).",
                kind="wrong-type",
                why="the range of a column must be public, exact and on a grid",
                fix=write(columns={column: bounds_meant(limits) or _BOUNDS}),
            )
    return dict(declared)


def by_column(what: str, argument: object, example: object) -> Mapping[str, Any]:
    """Return what is said by column; nothing for None."""
    if argument is None:
        return {}
    if not isinstance(argument, Mapping):
        raise InputError(
            f"{what} is a {type(argument).__name__}, not a dict.",
            kind="wrong-type",
            why=f"{what} says something public about each column, by the column's name",
            fix=_by_name(what, argument, example),
        )
    return argument


def _by_name(what: str, argument: object, example: object) -> Way:
    """Return the advice to say what is public by column, of the columns that were listed."""
    listed = [*argument] if isinstance(argument, (list, tuple, set)) else [argument]
    names = sorted(name for name in listed if isinstance(name, str))
    if not names or len(names) < len(listed):
        return leave_out(what)
    return Set({what: dict.fromkeys(names, example)})


def value_tree(table: "Table", column: str) -> Typed | None:
    """Return what makes the number of a column with bounds; None where its cell is one.

    That is the expression of a derived column, and of days and moments the count of them.
    """
    made, kind = table.derived.get(column), table.columns[column].kind
    if kind == "number":
        return None if made is None else made.tree
    of = Typed("column", kind, value=column) if made is None else made.tree
    return Typed(STEPS[kind], "number", (of,))
