"""What a cell means: its number, its place on the grid and its bin, as parts of a query.

Rules of this module:
- each expression is total: no cell of an accepted type makes it fail;
- every literal is a whole number or a text, so that no dialect chooses a type for us;
- text is a number only by one ASCII grammar, checked before the cast, because engines differ.
"""

from collections.abc import Callable

from sqlglot import exp

from ..aggregate import Bins
from ..schema import Bounds
from .grammar import NUMBER

As = Callable[[exp.Expression], exp.Expression]

_WHOLE = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
}
FLOATS = {"FLOAT", "DOUBLE"}


def is_number(kind: str) -> bool:
    """Say whether cells of this engine type are numbers (truth values count as 0 and 1)."""
    return kind in _WHOLE | FLOATS | {"BOOLEAN"} or kind.startswith("DECIMAL(")


def is_text(kind: str) -> bool:
    """Say whether cells of this engine type are text."""
    return kind == "VARCHAR" or kind.startswith("ENUM(")


def whole(value: int) -> exp.Expression:
    """Return a whole number as a literal."""
    literal = exp.Literal.number(abs(value))
    return exp.Neg(this=literal) if value < 0 else literal


def number(cell: exp.Expression, kind: str, as_bytes: As) -> exp.Expression:
    """Return the cell as a double; NULL for text that is no number, for NaN and infinities."""
    if kind in FLOATS:
        return exp.Case().when(_is_finite(cell), exp.cast(cell.copy(), "DOUBLE"))
    if not is_text(kind):
        return exp.cast(cell, "DOUBLE")
    words = as_bytes(text(cell, kind))
    is_number = exp.RegexpLike(this=words, expression=exp.Literal.string(NUMBER))
    found = exp.Case().when(is_number, words.copy())
    return exp.TryCast(this=found, to=exp.DataType.build("DOUBLE"))


def text(cell: exp.Expression, kind: str) -> exp.Expression:
    """Return the cell as text."""
    return cell if kind == "VARCHAR" else exp.cast(cell, "TEXT")


def identity(cell: exp.Expression, kind: str, as_bytes: As) -> exp.Expression:
    """Return a unit's name so that equal names hash alike: no -0.0, no codes of categories."""
    if kind in FLOATS:
        return exp.Add(this=cell, expression=whole(0))
    return as_bytes(text(cell, kind)) if is_text(kind) else cell


def is_named(cell: exp.Expression, kind: str) -> exp.Expression:
    """Return the condition that a unit's name is there: not NULL, NaN or infinite."""
    return _is_finite(cell) if kind in FLOATS else is_there(cell)


def _is_finite(cell: exp.Expression) -> exp.Expression:
    """Return the condition that a float is there and finite.

    Not by comparing: DuckDB trusts the smallest and the largest value that a Parquet file states,
    and these leave out NaN. Then `cell <= 1` of a NaN came out by what the other rows hold, and
    isnan(cell) was never true.
    """
    gap = exp.paren(exp.Sub(this=cell, expression=cell.copy()))
    return exp.EQ(this=gap, expression=whole(0))


def is_there(cell: exp.Expression) -> exp.Expression:
    """Return the condition that a cell is not NULL."""
    return exp.Not(this=exp.Is(this=cell, expression=exp.Null()))


def grid(value: exp.Expression, bounds: Bounds) -> exp.Expression:
    """Return floor(value / step + 1/2) within the bounds, as a whole number; NULL if missing.

    The common case comes first. NULL compares as unknown and passes every branch; NaN and infinite
    cells have become NULL before (`number`). One that overflows on its way to the grid is clamped.
    """
    low, high = bounds.lower_step, bounds.upper_step
    kind = "INT" if max(abs(low), abs(high)) < 2**31 else "BIGINT"
    steps = _steps(value, bounds)
    half = exp.Add(this=steps, expression=_double("0.5"))
    return (
        exp.Case()
        .when(
            exp.and_(
                exp.GTE(this=steps.copy(), expression=whole(low)),
                exp.LT(this=steps.copy(), expression=whole(high)),
            ),
            exp.cast(exp.Floor(this=half), kind),
        )
        .when(
            exp.and_(
                exp.GTE(this=steps.copy(), expression=whole(high)),
                exp.LT(this=value.copy(), expression=_double("Infinity")),
            ),
            exp.cast(whole(high), kind),
        )
        .when(
            exp.and_(
                exp.LT(this=steps.copy(), expression=whole(low)),
                exp.GT(this=value.copy(), expression=_double("-Infinity")),
            ),
            exp.cast(whole(low), kind),
        )
    )


def _steps(value: exp.Expression, bounds: Bounds) -> exp.Expression:
    up, down = bounds.step.denominator, bounds.step.numerator
    found = value.copy()
    if up > 1:
        found = exp.Mul(this=found, expression=whole(up))
    if down > 1:
        found = exp.Div(this=exp.paren(found), expression=exp.cast(whole(down), "DOUBLE"))
    return found


def bin_of(value: exp.Expression, bins: Bins) -> exp.Expression:
    """Return the position of the bin that holds a value within the bounds; NULL for NULL."""
    first, width = bins.edges[0], bins.edges[1] - bins.edges[0]
    last = bins.count - 1
    if all(b - a == width for a, b in zip(bins.edges, bins.edges[1:], strict=False)):
        place = exp.IntDiv(
            this=exp.paren(exp.Sub(this=value, expression=exp.paren(whole(first)))),
            expression=whole(width),
        )
        closed = exp.GTE(this=value.copy(), expression=whole(bins.edges[-1]))
        return exp.Case().when(closed, whole(last)).else_(place)
    return _search(value, bins.edges[1:-1], 0)


def _search(value: exp.Expression, inner: tuple[int, ...], before: int) -> exp.Expression:
    if not inner:
        return exp.Case().when(is_there(value.copy()), whole(before))
    middle = len(inner) // 2
    below = exp.LT(this=value.copy(), expression=whole(inner[middle]))
    return (
        exp.Case()
        .when(below, _search(value, inner[:middle], before))
        .else_(_search(value, inner[middle + 1 :], before + middle + 1))
    )


def _double(text: str) -> exp.Expression:
    return exp.cast(exp.Literal.string(text), "DOUBLE")
