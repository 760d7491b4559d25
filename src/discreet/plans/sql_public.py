"""What is public of an expression in SQL because its text and the declaration say it.

The groups of `CASE WHEN age < 18 THEN 'child' ELSE 'adult' END` stand in its text, those of
`EXTRACT(YEAR FROM born)` follow from the bounds of born, and `income * 2` lies within twice the
bounds of income. So nothing has to be declared, and nothing is looked at.

Rules of this module:
- values come from literals, from declared keys and from declared bounds, and from nothing else;
- a cell that is not what was declared may make another value: it is in no group then, or is moved
  to the nearer bound, as every cell is;
- what does not follow is not guessed: the SELECT is refused with the line that declares it.

Decision 117.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import gcd, lcm

from ..expressions import Piece, text_of
from ..expressions.parser import RESERVED
from ..schema import Bounds, Derived, Key, Table, bounds, derived, end_text

MOST_KEYS = 10_000
_GROUPS = (
    "The {0} groups of {1} follow from its text and from what is declared, and not from the data."
)
_LONGEST = 100  # letters of an expression that names its column
_TRUTHS = ("and", "or", "not", "in", "between", "is_null", "=", "<>", "<", "<=", ">", ">=")
_OF_TEXT = ("starts_with", "contains", "ends_with")
_RANGES = {  # what parts of days and moments can be, whatever is declared
    "month": (1, 12),
    "quarter": (1, 4),
    "day": (1, 31),
    "weekday": (1, 7),
    "isoweek": (1, 53),
    "dayofyear": (1, 366),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_UNITS = ("day", "week", *_MONTHS)


@dataclass(frozen=True, slots=True)
class Evenly:
    """Numbers from one on to another, some step apart; a step of 0 is one number."""

    low: Fraction
    high: Fraction
    step: Fraction

    def keys(self) -> list[int] | None:
        """Return them as whole keys; None where they are too many, or fractions."""
        if self.low.denominator != 1 or self.step.denominator != 1:
            return None
        if self.high - self.low > MOST_KEYS * self.step:
            return None
        return [*range(int(self.low), int(self.high) + 1, int(self.step) or 1)]

    def bounds(self) -> Bounds | None:
        """Return bounds of them; None for one number, or where doubles would not hold them."""
        if self.low == self.high:
            return None
        steps = max(abs(self.low), abs(self.high)) / self.step  # exact: rationals
        if steps > 2**50 or self.low % self.step:
            return None
        return bounds(self.low, self.high, step=self.step)


class MadeColumns:
    """The columns that a SELECT makes of each row."""

    def __init__(self, table: Table) -> None:
        self.columns: dict[str, Derived] = {}
        self.notes: dict[str, None] = {}
        self._table = table
        self._names: dict[str, str] = {}  # by the expression, as it is kept

    def name_of(self, part: Piece) -> str | None:
        """Return the name of a column that rows are grouped by, and that is made already."""
        name = self._names.get(text_of(part, RESERVED), "")
        return name if name and self.columns[name].keys is not None else None

    def column(self, part: Piece, alias: str | None, *, grouped: bool) -> str | None:
        """Return the name of an expression as a column; None where nothing public of it follows.

        Args:
            part: the expression.
            alias: the name that it is given.
            grouped: whether rows are grouped by it, or it is measured.
        """
        text = text_of(part, RESERVED)
        keys = _keys(self._table, part) if grouped else None
        limits = None if grouped else _bounds(self._table, part)
        if not keys and limits is None:
            return None
        name = self._names.get(text) or (alias if alias and self._is_free(alias) else text)
        if name not in self.columns and (len(name) > _LONGEST or not self._is_free(name)):
            return None
        before = self.columns.get(name)
        self._names[text] = name
        if keys:
            self.notes[_GROUPS.format(f"{len(keys):,}", name)] = None
        self.columns[name] = derived(
            text,
            keys=keys or (before.keys if before else None),
            bounds=limits or (before.bounds if before else None),
        )
        return name

    def _is_free(self, name: str) -> bool:
        table = self._table
        gives = [column for join in table.joins for column in join.gives]
        declared = (*table.columns, *table.keys, *table.derived, *table.unknown, table.unit.column)
        return name not in (*declared, *gives, *self.columns)


def _bounds(table: Table, part: Piece) -> Bounds | None:
    """Return the bounds of an expression that is measured."""
    numbers = _numbers(table, part)
    if numbers is None and _is_truth(table, part):
        numbers = Evenly(Fraction(0), Fraction(1), Fraction(1))
    return None if numbers is None else numbers.bounds()


def _keys(table: Table, part: Piece) -> Sequence[Key] | None:
    """Return the values of an expression that rows are grouped by."""
    if _is_truth(table, part):
        return (False, True)
    days = _days(table, part)
    if days is not None:
        return [day.isoformat() for day in days] if len(days) <= MOST_KEYS else None
    texts = _texts(table, part)
    if texts is not None:
        return [*dict.fromkeys(texts)]
    numbers = _listed(table, part)
    return None if numbers is None or len(numbers) > MOST_KEYS else sorted({*numbers})


def _listed(table: Table, part: Piece) -> list[int] | None:
    """Return the whole numbers that an expression gives; None where others may lie among them."""
    if part.op in ("case", "coalesce", "band"):
        branches = {"case": part.given(), "band": part.args[1:]}.get(part.op, part.args)
        lists = [_listed(table, branch) for branch in branches if branch.op != "null"]
        known = [numbers for numbers in lists if numbers is not None]
        return [n for numbers in known for n in numbers] if len(known) == len(lists) else None
    if part.op == "column" and part.value in table.keys:
        keys = table.keys[part.value]
        is_whole = part.value not in table.unknown and all(type(key) is int for key in keys)
        return [int(key) for key in keys] if is_whole else None
    if any(arg.op in ("case", "coalesce", "band") for arg in part.args) or any(
        arg.op == "column" and arg.value in table.keys for arg in part.args
    ):
        return None
    numbers = _numbers(table, part)
    return None if numbers is None else numbers.keys()


def _is_truth(table: Table, part: Piece) -> bool:
    if part.op == "cast":
        return part.value == "BOOLEAN" or _is_truth(table, part.args[0])
    return part.op in (*_TRUTHS, *_OF_TEXT, "truth")


def _texts(table: Table, part: Piece) -> list[str] | None:
    """Return the texts that an expression gives, each as often as it stands there."""
    if part.op == "text":
        return [part.value]
    if part.op == "column":
        return _texts_of(table, part.value)
    if part.op not in ("case", "coalesce"):
        return None
    branches = part.args if part.op == "coalesce" else part.given()
    texts: list[str] = []
    for branch in branches:
        values = [] if branch.op == "null" else _texts(table, branch)
        if values is None:
            return None
        texts += values
    return texts


def _texts_of(table: Table, name: str) -> list[str] | None:
    """Return the texts that cells of a column say, where they are its keys, and nothing else."""
    keys = table.keys.get(name, ())
    is_plain = name not in table.unknown and name not in table.spelled
    texts = [key for key in keys if isinstance(key, str)]
    return texts if is_plain and texts and tuple(table.listed(name)) == tuple(keys) else None


def _days(table: Table, part: Piece) -> list[date] | None:
    """Return the days that begin what a day or a moment is in."""
    is_trunc = part.op == "date_trunc" and part.args[0].op == "text"
    unit = part.args[0].value.lower() if is_trunc else "day"
    is_days = is_trunc or (part.op == "cast" and part.value == "DATE")
    if not is_days or part.args[-1].op != "column" or unit not in _UNITS:
        return None
    column = table.columns.get(part.args[-1].value)
    if column is None or column.kind == "number":
        return None
    first, last = (
        date.fromisoformat(end_text(end, column.kind)[:10]) for end in (column.lower, column.upper)
    )
    if unit in _MONTHS:
        every = _MONTHS[unit]
        start = first.year * 12 + (first.month - 1) // every * every
        months = range(start, last.year * 12 + last.month, every)
        return [date(month // 12, month % 12 + 1, 1) for month in months[: MOST_KEYS + 1]]
    step = 7 if unit == "week" else 1
    monday = first.toordinal() - (first.weekday() if step == 7 else 0)
    ordinals = range(max(monday, 1), last.toordinal() + 1, step)
    return [date.fromordinal(day) for day in ordinals[: MOST_KEYS + 1]]


def _numbers(table: Table, part: Piece) -> Evenly | None:
    """Return the numbers that an expression gives, or some more between them."""
    if part.op in _RANGES:
        low, high = _RANGES[part.op]
        return Evenly(Fraction(low), Fraction(high), Fraction(1))
    if part.op in _PARTS:
        return _PARTS[part.op](table, part)
    args = [_numbers(table, arg) for arg in part.args]
    known = [arg for arg in args if arg is not None]
    return _WORK[part.op](known) if part.op in _WORK and len(known) == len(args) else None


def _cast(table: Table, part: Piece) -> Evenly | None:
    """Return the numbers of a cast: of a condition 0 and 1, of a number itself."""
    if part.value not in ("INTEGER", "DOUBLE"):
        return None
    (inner,) = part.args
    if _is_truth(table, inner) or _are_truths(table, inner):
        return Evenly(Fraction(0), Fraction(1), Fraction(1))
    return _numbers(table, inner)


def _chosen(table: Table, part: Piece) -> Evenly | None:
    """Return the numbers of a CASE, or of coalesce."""
    branches = part.args if part.op == "coalesce" else part.given()
    return _united([_numbers(table, branch) for branch in branches if branch.op != "null"])


def _are_truths(table: Table, part: Piece) -> bool:
    """Tell whether a column has 0 and 1 as its public values."""
    keys = table.keys.get(part.value, ()) if part.op == "column" else ()
    return bool(keys) and {*keys} <= {0, 1}


def _literal(_table: Table, part: Piece) -> Evenly:
    return Evenly(Fraction(part.value), Fraction(part.value), Fraction(0))


def _turned(args: Sequence[Evenly]) -> Evenly:
    return Evenly(-args[0].high, -args[0].low, args[0].step)


def _declared(table: Table, part: Piece) -> Evenly | None:
    name = part.value
    column = table.columns.get(name)
    if column is not None and column.kind == "number":
        return Evenly(column.lower, column.upper, column.step)
    keys = [key for key in table.keys.get(name, ()) if type(key) is int]
    if not keys or name in table.unknown or len(keys) < len(table.keys[name]):
        return None
    return _united([Evenly(Fraction(key), Fraction(key), Fraction(0)) for key in keys])


def _years(table: Table, part: Piece) -> Evenly | None:
    (inner,) = part.args
    column = table.columns.get(inner.value) if inner.op == "column" else None
    if column is None or column.kind == "number":
        return None
    low, high = (int(end_text(end, column.kind)[:4]) for end in (column.lower, column.upper))
    return Evenly(Fraction(low), Fraction(high), Fraction(1))


def _united(parts: Sequence[Evenly | None]) -> Evenly | None:
    """Return numbers among which are all of several."""
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    low = min(part.low for part in known)
    high = max(part.high for part in known)
    steps = [step for part in known for step in (part.step, part.low - low)]
    return Evenly(low, high, _common([*steps, high - low]))


def _common(steps: Sequence[Fraction]) -> Fraction:
    """Return the largest step of which all of these are multiples."""
    below = lcm(*(step.denominator for step in steps))
    return Fraction(gcd(*(int(step * below) for step in steps)), below)


def _added(args: Sequence[Evenly]) -> Evenly:
    left, other = args
    step = _common([left.step, other.step])
    return Evenly(left.low + other.low, left.high + other.high, step)


def _less(args: Sequence[Evenly]) -> Evenly:
    left, other = args
    return _added([left, _turned([other])])


def _times(args: Sequence[Evenly]) -> Evenly | None:
    left, other = args if not args[1].step else (args[1], args[0])
    if other.step:
        return None  # a product of two columns: its step would be too fine, or a guess
    by = other.low
    low, high = sorted((left.low * by, left.high * by))
    return Evenly(low, high, abs(left.step * by))


def _divided(args: Sequence[Evenly]) -> Evenly | None:
    left, other = args
    if other.step or not other.low:
        return None
    return _times([left, Evenly(1 / other.low, 1 / other.low, Fraction(0))])  # exact: rationals


def _floors(args: Sequence[Evenly]) -> Evenly | None:
    return _whole(args, lambda value: Fraction(value // 1))


def _whole(args: Sequence[Evenly], cut: Callable[[Fraction], Fraction]) -> Evenly | None:
    """Return numbers that are cut to whole ones, in their order."""
    low, high = cut(args[0].low), cut(args[0].high)
    whole = args[0].low.denominator == args[0].step.denominator == 1
    return Evenly(low, high, args[0].step if whole else Fraction(low < high))


def _quotient(args: Sequence[Evenly]) -> Evenly | None:
    divided = _divided(args)
    return None if divided is None else _floors([divided])


def _rest(args: Sequence[Evenly]) -> Evenly | None:
    left, other = args
    whole = left.low.denominator == left.step.denominator == other.low.denominator == 1
    if other.step or not whole or other.low < 1:
        return None
    return Evenly(Fraction(0), other.low - 1, Fraction(1))


def _rounded(args: Sequence[Evenly]) -> Evenly | None:
    places = args[1].low if len(args) == 2 else Fraction(0)
    unit = Fraction(10) ** -int(places)
    scaled = _divided([args[0], Evenly(unit, unit, Fraction(0))])
    cut = (
        None
        if scaled is None
        else _whole([scaled], lambda value: Fraction((value + Fraction(1, 2)) // 1))
    )
    return None if cut is None else _times([cut, Evenly(unit, unit, Fraction(0))])


def _steps(args: Sequence[Evenly]) -> Evenly | None:
    """Return the cuts of band(x, a, b, c); what is below the first is missing."""
    return _united(args[1:])


_PARTS: dict[str, Callable[[Table, Piece], Evenly | None]] = {
    "number": _literal,
    "column": _declared,
    "year": _years,
    "case": _chosen,
    "coalesce": _chosen,
    "cast": _cast,
}
_WORK: dict[str, Callable[[Sequence[Evenly]], Evenly | None]] = {
    "neg": _turned,
    "+": _added,
    "-": _less,
    "*": _times,
    "/": _divided,
    "floor": _floors,
    "ceil": lambda args: _whole(args, lambda value: Fraction(-(-value // 1))),
    "trunc": lambda args: _whole(args, lambda value: Fraction(int(value))),
    "div": _quotient,
    "mod": _rest,
    "round": _rounded,
    "band": _steps,
}
