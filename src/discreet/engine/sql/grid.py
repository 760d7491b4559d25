"""A number on the grid of its bounds: floor(v / step + 1/2), as IEEE doubles give it, in SQL.

Rules of this module:
- `memory.in_steps` says the same in Python: both change together;
- what is no number is missing, or what a missing cell counts as; nothing raises;
- every literal of a double is a text, so that no dialect chooses a type for us.
"""

from collections.abc import Sequence
from struct import Struct

from sqlglot import exp

from ...schema import Bounds
from .tree import to_type, whole

_TINY = "6.223015277861142e-61"  # 2^-200
_LONG, _BITS = Struct("<q"), Struct("<d")
_LAST = 0x7FEF_FFFF_FFFF_FFFF  # the bits of the largest double, as a whole number


def on_grid(value: exp.Expression, bounds: Bounds) -> exp.Expression:
    """Return floor(value / step + 1/2) within the bounds, as a whole number.

    Where a cell is missing it is what that counts as, or NULL.

    The common case comes first. NULL compares as unknown and passes every branch, and so do NaN,
    which is above all numbers, and infinities, which the last two branches leave out. A number
    that overflows on its way to the grid is clamped.
    """
    low, high = whole(bounds.lower_step), whole(bounds.upper_step)
    steps = _steps(value, bounds)
    inside = exp.and_(_gte(steps, low), _lt(steps, high))
    cases = [(inside, _nearest(steps))]
    return _within(value, bounds, cases, _gte(steps, high), _lt(steps, low))


def on_grid_by_ends(value: exp.Expression, bounds: Bounds) -> exp.Expression:
    """Return the same, where an engine raises if a product or a quotient of doubles is no double.

    Proof. With x the steps of a double v, rounded as IEEE doubles are, x never falls where v grows.
    So x is below the lower bound exactly if v is below the least double whose x is not, and
    likewise for the upper bound: both ends are looked for beforehand, by the same arithmetic. NaN
    is above all numbers, and so beyond both ends, as infinities are. Arithmetic is done between the
    ends alone, where x is finite, as its larger product is: if that was not, x would not be, and
    beyond a bound. Where v is divided, x could be less than the least double: there |v| <= 2^-200
    is 0 steps, because a step is 2^-52 at least. It is above 0 in size otherwise, because a step is
    2^52 at most.
    """
    low, high = (
        _double(repr(_least(bounds, step))) for step in (bounds.lower_step, bounds.upper_step)
    )
    inside = exp.and_(_gte(value, low), _lt(value, high))
    cases: list[tuple[exp.Expression | exp.Condition, exp.Expression]]
    cases = [(inside, _nearest(_steps(value, bounds)))]
    if bounds.step.numerator > 1 and bounds.lower_step <= 0 < bounds.upper_step:
        tiny = exp.LTE(this=exp.Abs(this=value.copy()), expression=_double(_TINY))
        cases.insert(0, (tiny, whole(0)))
    return _within(value, bounds, cases, _gte(value, high), _lt(value, low))


def _within(
    value: exp.Expression,
    bounds: Bounds,
    cases: Sequence[tuple[exp.Expression | exp.Condition, exp.Expression]],
    above: exp.Expression,
    below: exp.Expression,
) -> exp.Expression:
    """Return what is found in these cases, and beyond them the bounds of what is a number."""
    kind = "INT" if max(abs(bounds.lower_step), abs(bounds.upper_step)) < 2**31 else "BIGINT"
    is_less = exp.LT(this=value.copy(), expression=_double("Infinity"))
    is_more = exp.GT(this=value.copy(), expression=_double("-Infinity"))
    ends: list[tuple[exp.Expression | exp.Condition, exp.Expression]] = [
        (exp.and_(above, is_less), whole(bounds.upper_step)),
        (exp.and_(below, is_more), whole(bounds.lower_step)),
    ]
    found = exp.Case()
    for condition, steps in [*cases, *ends]:
        found = found.when(condition, to_type(steps, kind))
    if bounds.missing_step is None:
        return found
    return exp.Coalesce(this=found, expressions=[to_type(whole(bounds.missing_step), kind)])


def _steps(value: exp.Expression, bounds: Bounds) -> exp.Expression:
    up, down = bounds.step.denominator, bounds.step.numerator
    found = value.copy()
    if up > 1:
        found = exp.Mul(this=found, expression=whole(up))
    if down > 1:
        found = exp.Div(this=exp.paren(found), expression=to_type(whole(down), "DOUBLE"))
    return found


def _nearest(steps: exp.Expression) -> exp.Expression:
    return exp.Floor(this=exp.Add(this=steps.copy(), expression=_double("0.5")))


def _least(bounds: Bounds, step: int) -> float:
    """Return the least double that is at least so many steps."""
    up, down = bounds.step.denominator, bounds.step.numerator
    low, high = -_LAST, _LAST
    while high - low > 1:
        middle = (low + high) // 2
        steps = _placed(middle) * up / down  # exact: the grid is defined in IEEE doubles
        if steps >= step:
            high = middle
        else:
            low = middle
    return _placed(high)


def _placed(number: int) -> float:
    """Return the double of a number: both are ordered alike, and 0 is 0."""
    size: float = _BITS.unpack(_LONG.pack(abs(number)))[0]
    return -size if number < 0 else size


def _gte(one: exp.Expression, other: exp.Expression) -> exp.Expression:
    return exp.GTE(this=one.copy(), expression=other.copy())


def _lt(one: exp.Expression, other: exp.Expression) -> exp.Expression:
    return exp.LT(this=one.copy(), expression=other.copy())


def _double(text: str) -> exp.Expression:
    return to_type(exp.Literal.string(text), "DOUBLE")
