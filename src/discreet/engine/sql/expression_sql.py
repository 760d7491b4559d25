"""Expressions over one row as parts of a query, emitted from our own trees, layer by layer.

The operators of expressions in a query; `engine/evaluate.py` says the same in Python.

The parts of days and moments, as parts of a query, by whole numbers alone, or by the engine.

Source: Hinnant, chrono-compatible low-level date algorithms, civil_from_days: years begin in March,
so that the day that is sometimes there is the last one of a year.

Rules of this module:
- what a tree says in `engine/evaluate.py` it says here: every operator is total, in every engine;
- nothing of a user's text is emitted: names and literals enter as identifiers and literals;
- a part that is needed twice is worked out in a layer of its own and then named, so that the query
  grows with the expression and no faster.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from string import ascii_lowercase, ascii_uppercase
from typing import cast

from sqlglot import exp

from ...expressions import Typed, series
from ...expressions.kinds import DAY_SECONDS, FIRST_DAY, signed
from ...schema.unknown import BETWEEN
from .expression_cells import Layered, Read, double, normal
from .tree import Operand, called, if_, number, par, paren, to_type, whole


@dataclass(slots=True)
class Layers:
    """The columns that expressions need, by the layer in which each is worked out.

    Attributes:
        read: the cell of a column for what it is read as, in layer 0.
        derived: the trees of the derived columns.
        as_bytes: text without its collation.
        columns: for each layer its new columns.
    """

    read: Read
    derived: Mapping[str, Typed]
    as_bytes: Callable[[exp.Expression], exp.Expression]
    columns: list[dict[str, exp.Expression]] = field(default_factory=lambda: [{}])
    _known: dict[Typed, Layered] = field(default_factory=dict)

    def place(self, name: str, layered: Layered) -> None:
        """Give what was worked out a name of its own."""
        self._named(name, layered)

    def bare(self, tree: Typed) -> exp.Column:
        """Return the cell of a column as it is, for what reads it as its own type."""
        key = replace(tree, op="bare")
        if key not in self._known:
            name = f"r{len(self.columns[0])}"
            self.columns[0][name] = self.read.bare(tree.value, tree.kind)
            self._known[key] = Layered(exp.column(name), 1)
        return cast("exp.Column", self._known[key].said)

    def of(self, tree: Typed) -> Layered:
        """Return what a tree gives; the same part is worked out once."""
        if tree not in self._known:
            self._known[tree] = self._made(tree)
        return self._known[tree]

    def _made(self, tree: Typed) -> Layered:
        if tree.op == "literal":
            return Layered(_literal(tree), 0)
        if tree.op == "column" and tree.value in self.derived:
            return self._held(self.of(self.derived[tree.value]))
        if tree.op == "column":
            name = f"r{len(self.columns[0])}"
            self.columns[0][name] = self.read.cell(tree.value, tree.kind)
            cell = exp.column(name)
            return Layered(self.read.settled(cell, tree.value, tree.kind), 1)
        return MAKERS[tree.op](self, tree)

    def _held(self, layered: Layered) -> Layered:
        """Return a part as a column, which may be named more than once."""
        if isinstance(layered.said, (exp.Column, exp.Literal)):
            return layered
        return self._named(f"x{sum(map(len, self.columns))}", layered)

    def _named(self, name: str, layered: Layered) -> Layered:
        while len(self.columns) <= layered.layer:
            self.columns.append({})
        self.columns[layered.layer][name] = layered.copy()
        return Layered(exp.column(name), layered.layer + 1)

    def args(self, tree: Typed) -> tuple[list[exp.Expression], int]:
        """Return the arguments of a part, each for one place, and their layer."""
        parts = [self.of(part) for part in tree.args]
        return [part.copy() for part in parts], max(part.layer for part in parts)

    def columns_of(self, tree: Typed) -> tuple[list[exp.Expression], int]:
        """Return the arguments of a part as columns, and their layer."""
        columns = [self._held(self.of(column)) for column in tree.args]
        return [column.said for column in columns], max(column.layer for column in columns)

    def holding(self, tree: Typed) -> "tuple[list[Operand], Hold]":
        """Return the arguments of a part, and what gives to parts that are made of them a name."""
        columns, layer = self.columns_of(tree)
        return [Operand(column, is_used=True) for column in columns], Hold(self, layer)

    def number(self, expression: exp.Expression, layer: int) -> Layered:
        """Return what arithmetic gives, as a number of the language."""
        held = self._held(Layered(expression, layer))
        return Layered(normal(held.said), held.layer)

    def held(self, expression: exp.Expression, layer: int) -> Layered:
        """Return an expression as a column."""
        return self._held(Layered(expression, layer))


@dataclass(slots=True)
class Hold:
    """Names parts that are needed more than once, one made of the other, layer by layer."""

    layers: Layers
    layer: int

    def __call__(self, part: Operand) -> Operand:
        """Return a part as a column."""
        held = self.layers.held(part.take(), self.layer)
        self.layer = held.layer
        return Operand(held.said, is_used=True)

    def double(self, part: Operand) -> Layered:
        """Return a whole number that is made of all that, as a number of the language."""
        return Layered(part.cast("DOUBLE").take(), self.layer)


def _literal(tree: Typed) -> exp.Expression:
    if tree.kind == "number":
        return double(tree.value)
    if tree.kind == "text":
        return exp.Literal.string(tree.value)
    return exp.Boolean(this=tree.value == "1") if tree.kind == "truth" else whole(int(tree.value))


_MARCH = 306 - FIRST_DAY  # days from 0000-03-01, which years and months are counted from
_ERA = 146_097  # days of 400 years


def _over(value: Operand, by: int) -> Operand:
    """Return a whole number of at least 0 divided by another, rounded down."""
    return par(value) // by


def _plus(value: Operand, more: int) -> Operand:
    return par(value + more)


def _minus(left: Operand, right: Operand) -> Operand:
    return par(par(left) - par(right))


def _rest(value: Operand, by: int) -> Operand:
    return _minus(value, par(_over(value, by)) * by)


def _hour(layers: "Layers", tree: Typed) -> Layered:
    (value,), hold = layers.holding(tree)
    hours = hold(_over(_plus(value, -FIRST_DAY * DAY_SECONDS), 3600))
    return hold.double(_rest(hours, 24))


def _weekday(layers: "Layers", tree: Typed) -> Layered:
    """Return the day of the week; 0001-01-01 was a Monday, which is 1."""
    (value,), hold = layers.holding(tree)
    days = hold(_plus(value, -FIRST_DAY))
    return hold.double(_plus(_rest(days, 7), 1))


def _of_calendar(layers: "Layers", tree: Typed) -> Layered:
    """Return the year, the month or the day."""
    (value,), hold = layers.holding(tree)
    date = layers.read.reader.dialect.speed.date
    if date is not None:
        return hold.double(Operand(called(tree.op.upper(), date(value.take()))))
    days = hold(_plus(value, _MARCH))
    d = hold(_rest(days, _ERA))
    leaps = _minus(_minus(d, _over(d, 1460)), _minus(_over(d, 146_096), _over(d, 36_524)))
    y = hold(_over(leaps, 365))
    before = par(par(y) * 365 + _minus(_over(y, 4), _over(y, 100)))
    of_year = hold(_minus(d, before))
    m = hold(_over(_plus(par(of_year) * 5, 2), 153))
    is_spring = m < 10
    if tree.op == "day":
        return hold.double(_plus(_minus(of_year, _over(_plus(par(m) * 153, 2), 5)), 1))
    if tree.op == "month":
        return hold.double(if_(is_spring, _plus(m, 3), _plus(m, -9)))
    eras = par(par(_over(days, _ERA)) * 400)
    return hold.double(par(eras + y + if_(is_spring, number(0), number(1))))


CIVIL: dict[str, Callable[["Layers", Typed], Layered]] = {
    **dict.fromkeys(("year", "month", "day"), _of_calendar),
    "hour": _hour,
    "weekday": _weekday,
}


COMPARED: dict[str, type[exp.Expression]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_ARITHMETIC: dict[str, type[exp.Expression]] = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul}
_FLOORED = "4503599627370496"  # 2^52: from here on, every double is a whole number


def _arithmetic(layers: "Layers", tree: Typed) -> Layered:
    (left, other), layer = layers.args(tree)
    return layers.number(_ARITHMETIC[tree.op](this=paren(left), expression=paren(other)), layer)


def _divided(layers: "Layers", tree: Typed) -> Layered:
    (left, other), layer = layers.args(tree)
    by = signed(tree.args[1])
    if by is None or Fraction(by.value) == 0:
        other = exp.Nullif(this=other, expression=double("0"))
    return layers.number(exp.Div(this=paren(left), expression=paren(other), typed=True), layer)


def _negative(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.args(tree)
    return Layered(paren(exp.Neg(this=paren(value))), layer)


def _abs(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.args(tree)
    return Layered(exp.Abs(this=value), layer)


def _root(layers: "Layers", tree: Typed) -> Layered:
    """Return a square root, of what is at least 0: engines fail on others, or give no number."""
    (value,), layer = layers.columns_of(tree)
    is_sound = exp.GTE(this=value.copy(), expression=double("0"))
    return Layered(exp.Case().when(is_sound, exp.Sqrt(this=exp.Abs(this=value.copy()))), layer)


def _from_days(layers: "Layers", tree: Typed) -> Layered:
    """Return a whole number as the day, or the moment, that it counts; none is out of range."""
    (value,), layer = layers.args(tree)
    return Layered(to_type(value, "BIGINT"), layer)


def _floor(layers: "Layers", tree: Typed) -> Layered:
    if layers.read.reader.dialect.floors:
        (value,), layer = layers.args(tree)
        return Layered(exp.Floor(this=value), layer)
    (value,), layer = layers.columns_of(tree)
    small = exp.LT(this=exp.Abs(this=value.copy()), expression=double(_FLOORED))
    floored = to_type(exp.Floor(this=value.copy()), "DOUBLE")
    return Layered(exp.Case().when(small, floored).else_(value.copy()), layer)


def _compared(layers: "Layers", tree: Typed) -> Layered:
    (left, other), layer = layers.args(tree)
    if tree.args[0].kind == "text":
        left, other = layers.as_bytes(paren(left)), layers.as_bytes(paren(other))
    return Layered(paren(COMPARED[tree.op](this=paren(left), expression=paren(other))), layer)


def _in(layers: "Layers", tree: Typed) -> Layered:
    (value, *listed), layer = layers.args(tree)
    if tree.args[0].kind == "text":
        value, *listed = (layers.as_bytes(paren(text)) for text in (value, *listed))
    return Layered(paren(exp.In(this=paren(value), expressions=listed)), layer)


def _joined(layers: "Layers", tree: Typed) -> Layered:
    args, layer = layers.args(tree)
    return Layered(all_or_any(args, tree.op), layer)


def all_or_any(parts: Sequence[exp.Expression], op: str) -> exp.Expression:
    """Return conditions joined by AND or OR."""
    return _balanced(parts, exp.And if op == "and" else exp.Or)


def _balanced(parts: Sequence[exp.Expression], kind: type[exp.Expression]) -> exp.Expression:
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    first, other = _balanced(parts[:half], kind), _balanced(parts[half:], kind)
    return paren(kind(this=paren(first), expression=paren(other)))


def _not(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.args(tree)
    return Layered(paren(exp.Not(this=paren(value))), layer)


def _is_null(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.args(tree)
    return Layered(paren(exp.Is(this=paren(value), expression=exp.Null())), layer)


def _case(layers: "Layers", tree: Typed) -> Layered:
    args, layer = layers.args(tree)
    case = exp.Case()
    for condition, value in zip(args[0::2], args[1::2], strict=False):
        case = case.when(condition, value, copy=False)
    return Layered(case.else_(args[-1], copy=False) if len(args) % 2 else case, layer)


def _coalesce(layers: "Layers", tree: Typed) -> Layered:
    (first, *rest), layer = layers.args(tree)
    return Layered(exp.Coalesce(this=first, expressions=rest), layer)


def _extreme(layers: "Layers", tree: Typed) -> Layered:
    """Return the least or the greatest of some; NULL if one is, which engines' own skip."""
    kind = exp.LTE if tree.op == "least" else exp.GTE
    columns, layer = layers.columns_of(tree)
    extreme = Layered(columns[0], layer)
    for other in columns[1:]:
        best = layers.held(extreme.copy(), extreme.layer)
        first = kind(this=best.copy(), expression=other.copy())
        second = kind(this=other.copy(), expression=best.copy())
        chosen = exp.Case().when(first, best.copy()).when(second, other.copy())
        extreme = Layered(chosen, max(best.layer, layer))
    return extreme


def _search(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.columns_of(tree)

    def half(low: int, high: int) -> exp.Expression:
        """Return what is found among the cuts from `low` on, the first of which is reached."""
        if high - low == 1:
            return double(tree.table[low][1])
        middle = (low + high) // 2
        below = exp.LT(this=value.copy(), expression=double(tree.table[middle][0]))
        return exp.Case().when(below, half(low, middle)).else_(half(middle, high))

    reached = exp.GTE(this=value.copy(), expression=double(tree.table[0][0]))
    return Layered(exp.Case().when(reached, half(0, len(tree.table))), layer)


def _log(layers: "Layers", tree: Typed) -> Layered:
    """Return a logarithm; both numbers lie within public bounds, so that nothing overflows."""
    (x, centre, near), layer = layers.columns_of(tree)
    apart, both = (
        paren(kind(this=x.copy(), expression=centre.copy())) for kind in (exp.Sub, exp.Add)
    )
    s = layers.held(exp.Div(this=apart, expression=both, typed=True), layer)
    square = layers.held(exp.Mul(this=s.copy(), expression=s.copy()), s.layer)
    total, *smaller = (double(term) for term in reversed(series(int(tree.value))))
    for factor in smaller:
        total = paren(
            exp.Add(this=exp.Mul(this=total, expression=square.copy()), expression=factor)
        )
    return Layered(
        paren(exp.Add(this=exp.Mul(this=total, expression=s.copy()), expression=near.copy())),
        square.layer,
    )


def _within(layers: "Layers", tree: Typed) -> Layered:
    """Return whether a text starts with another, or contains it; that one is not empty."""
    (left, other), layer = layers.args(tree)
    text, sought = paren(layers.as_bytes(paren(left))), other
    if tree.op == "starts_with":
        return Layered(exp.StartsWith(this=text, expression=sought), layer)
    place = exp.StrPosition(this=text, substr=sought)
    return Layered(paren(exp.GT(this=place, expression=whole(0))), layer)


def _in_one_case(layers: "Layers", tree: Typed) -> Layered:
    """Return a text with the letters A to Z, and no others, made small or large."""
    (text,), layer = layers.args(tree)
    both = (ascii_uppercase, ascii_lowercase)
    before, after = both if tree.op == "lower" else reversed(both)
    letters = (exp.Literal.string(before), exp.Literal.string(after))
    return Layered(called("TRANSLATE", text, *letters), layer)


def _trimmed(layers: "Layers", tree: Typed) -> Layered:
    (text,), layer = layers.args(tree)
    return Layered(exp.Trim(this=text, expression=exp.Literal.string(" ")), layer)


def _length(layers: "Layers", tree: Typed) -> Layered:
    (text,), layer = layers.args(tree)
    return Layered(to_type(called("LENGTH", text), "DOUBLE"), layer)


def _piece(layers: "Layers", tree: Typed) -> Layered:
    """Return letters of a text from a place on, or its last ones."""
    found = layers.of(tree.args[0])
    places = (whole(int(one.value)) for one in tree.args[1:])
    name = "RIGHT" if tree.op == "right" else "SUBSTRING"
    return Layered(called(name, found.copy(), *places), found.layer)


def _composed(layers: "Layers", tree: Typed) -> Layered:
    """Return texts as one: a bar in each stands twice, so that the bars between stand alone."""
    args, layer = layers.args(tree)
    bar, bars = exp.Literal.string("|"), exp.Literal.string("||")
    texts = [
        exp.Replace(
            this=layers.as_bytes(paren(part)), expression=bar.copy(), replacement=bars.copy()
        )
        for part in args
    ]
    composed: exp.Expression = texts[0]
    for text in texts[1:]:
        ended = exp.DPipe(this=composed, expression=exp.Literal.string(BETWEEN))
        composed = exp.DPipe(this=ended, expression=text)
    return Layered(paren(composed), layer)


def _counted(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.args(tree)
    return Layered(to_type(value, "DOUBLE"), layer)


MAKERS: dict[str, Callable[["Layers", Typed], Layered]] = {
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    **dict.fromkeys(COMPARED, _compared),
    **dict.fromkeys(("and", "or"), _joined),
    **dict.fromkeys(("least", "greatest"), _extreme),
    **dict.fromkeys(("starts_with", "contains"), _within),
    **dict.fromkeys(("days", "seconds"), _counted),
    "/": _divided,
    "neg": _negative,
    "abs": _abs,
    "sqrt": _root,
    **dict.fromkeys(("as_day", "as_moment"), _from_days),
    "floor": _floor,
    "in": _in,
    "not": _not,
    "is_null": _is_null,
    "case": _case,
    "coalesce": _coalesce,
    "search": _search,
    "log": _log,
    **dict.fromkeys(("lower", "upper"), _in_one_case),
    "trim": _trimmed,
    "length": _length,
    **dict.fromkeys(("substr", "right"), _piece),
    "compose": _composed,
    **CIVIL,
}
