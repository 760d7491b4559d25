"""The operators of expressions in a query; `engine/evaluate.py` says the same in Python."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from sqlglot import exp

from ...expressions import Typed, series
from ...expressions.kinds import signed
from ...schema.unknown import BETWEEN
from .civil import CIVIL
from .expression_cells import Layered, double
from .tree import paren, to_type, whole

if TYPE_CHECKING:
    from .layers import Layers

COMPARED: dict[str, type[exp.Expression]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_ARITHMETIC: dict[str, type[exp.Expression]] = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul}
_FLOORED = double("4503599627370496")  # 2^52: from here on, every double is a whole number


def _arithmetic(layers: "Layers", tree: Typed) -> Layered:
    (one, other), layer = layers.args(tree)
    return layers.number(_ARITHMETIC[tree.op](this=paren(one), expression=paren(other)), layer)


def _divided(layers: "Layers", tree: Typed) -> Layered:
    (one, other), layer = layers.args(tree)
    by = signed(tree.args[1])
    if by is None or Fraction(by.value) == 0:
        other = exp.Nullif(this=other, expression=double("0"))
    return layers.number(exp.Div(this=paren(one), expression=paren(other), typed=True), layer)


def _negative(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.args(tree)
    return Layered(paren(exp.Neg(this=paren(value))), layer)


def _abs(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.args(tree)
    return Layered(exp.Abs(this=value), layer)


def _floor(layers: "Layers", tree: Typed) -> Layered:
    if layers.read.reader.dialect.floors:
        (value,), layer = layers.args(tree)
        return Layered(exp.Floor(this=value), layer)
    (value,), layer = layers.columns_of(tree)
    small = exp.LT(this=exp.Abs(this=value.copy()), expression=_FLOORED.copy())
    floored = to_type(exp.Floor(this=value.copy()), "DOUBLE")
    return Layered(exp.Case().when(small, floored).else_(value.copy()), layer)


def _compared(layers: "Layers", tree: Typed) -> Layered:
    (one, other), layer = layers.args(tree)
    if tree.args[0].kind == "text":
        one, other = layers.as_bytes(paren(one)), layers.as_bytes(paren(other))
    return Layered(paren(COMPARED[tree.op](this=paren(one), expression=paren(other))), layer)


def _in(layers: "Layers", tree: Typed) -> Layered:
    (value, *listed), layer = layers.args(tree)
    if tree.args[0].kind == "text":
        value, *listed = (layers.as_bytes(paren(one)) for one in (value, *listed))
    return Layered(paren(exp.In(this=paren(value), expressions=listed)), layer)


def _joined(layers: "Layers", tree: Typed) -> Layered:
    args, layer = layers.args(tree)
    return Layered(joined(args, tree.op), layer)


def joined(parts: Sequence[exp.Expression], op: str) -> exp.Expression:
    """Return conditions joined by AND or OR."""
    return _balanced(parts, exp.And if op == "and" else exp.Or)


def _balanced(parts: Sequence[exp.Expression], kind: type[exp.Expression]) -> exp.Expression:
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    one, other = _balanced(parts[:half], kind), _balanced(parts[half:], kind)
    return paren(kind(this=paren(one), expression=paren(other)))


def _not(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.args(tree)
    return Layered(paren(exp.Not(this=paren(value))), layer)


def _is_null(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.args(tree)
    return Layered(paren(exp.Is(this=paren(value), expression=exp.Null())), layer)


def _case(layers: "Layers", tree: Typed) -> Layered:
    args, layer = layers.args(tree)
    found = exp.Case()
    for condition, value in zip(args[0::2], args[1::2], strict=False):
        found = found.when(condition, value, copy=False)
    return Layered(found.else_(args[-1], copy=False) if len(args) % 2 else found, layer)


def _coalesce(layers: "Layers", tree: Typed) -> Layered:
    (first, *rest), layer = layers.args(tree)
    return Layered(exp.Coalesce(this=first, expressions=rest), layer)


def _extreme(layers: "Layers", tree: Typed) -> Layered:
    """Return the least or the greatest of some; NULL if one is, which engines' own skip."""
    kind = exp.LTE if tree.op == "least" else exp.GTE
    columns, layer = layers.columns_of(tree)
    found = Layered(columns[0], layer)
    for other in columns[1:]:
        best = layers.held(found.copy(), found.layer)
        first = kind(this=best.copy(), expression=other.copy())
        second = kind(this=other.copy(), expression=best.copy())
        chosen = exp.Case().when(first, best.copy()).when(second, other.copy())
        found = Layered(chosen, max(best.layer, layer))
    return found


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
    found, *smaller = (double(one) for one in reversed(series(int(tree.value))))
    for factor in smaller:
        found = paren(
            exp.Add(this=exp.Mul(this=found, expression=square.copy()), expression=factor)
        )
    return Layered(
        paren(exp.Add(this=exp.Mul(this=found, expression=s.copy()), expression=near.copy())),
        square.layer,
    )


def _within(layers: "Layers", tree: Typed) -> Layered:
    """Return whether a text starts with another, or contains it; that one is not empty."""
    (one, other), layer = layers.args(tree)
    text, sought = paren(layers.as_bytes(paren(one))), other
    if tree.op == "starts_with":
        return Layered(exp.StartsWith(this=text, expression=sought), layer)
    place = exp.StrPosition(this=text, substr=sought)
    return Layered(paren(exp.GT(this=place, expression=whole(0))), layer)


def _composed(layers: "Layers", tree: Typed) -> Layered:
    """Return texts as one: a bar in each stands twice, so that the bars between stand alone."""
    args, layer = layers.args(tree)
    bar, bars = exp.Literal.string("|"), exp.Literal.string("||")
    texts = [
        exp.Replace(
            this=layers.as_bytes(paren(one)), expression=bar.copy(), replacement=bars.copy()
        )
        for one in args
    ]
    found: exp.Expression = texts[0]
    for text in texts[1:]:
        ended = exp.DPipe(this=found, expression=exp.Literal.string(BETWEEN))
        found = exp.DPipe(this=ended, expression=text)
    return Layered(paren(found), layer)


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
    "floor": _floor,
    "in": _in,
    "not": _not,
    "is_null": _is_null,
    "case": _case,
    "coalesce": _coalesce,
    "search": _search,
    "log": _log,
    "compose": _composed,
    **CIVIL,
}
