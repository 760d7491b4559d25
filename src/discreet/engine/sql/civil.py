"""The parts of days and moments, as parts of a query, by whole numbers alone, or by the engine.

Source: Hinnant, chrono-compatible low-level date algorithms, civil_from_days: years begin in March,
so that the day that is sometimes there is the last one of a year.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from ...expressions import Typed
from ...expressions.kinds import DAY_SECONDS, FIRST_DAY
from .expression_cells import Layered
from .tree import called, paren, to_type, whole

if TYPE_CHECKING:
    from .layers import Layers

_MARCH = 306 - FIRST_DAY  # days from 0000-03-01, which years and months are counted from
_ERA = 146_097  # days of 400 years


def _over(value: exp.Expression, by: int) -> exp.Expression:
    """Return a whole number of at least 0 divided by another, rounded down."""
    return exp.IntDiv(this=paren(value), expression=whole(by))


def _plus(value: exp.Expression, more: int) -> exp.Expression:
    return paren(exp.Add(this=value, expression=whole(more)))


def _times(value: exp.Expression, factor: int) -> exp.Expression:
    return exp.Mul(this=paren(value), expression=whole(factor))


def _minus(one: exp.Expression, other: exp.Expression) -> exp.Expression:
    return paren(exp.Sub(this=paren(one), expression=paren(other)))


def _rest(value: exp.Expression, by: int) -> exp.Expression:
    return _minus(value.copy(), _times(_over(value.copy(), by), by))


def _hour(layers: "Layers", tree: Typed) -> Layered:
    (value,), layer = layers.columns_of(tree)
    hours = layers.held(_over(_plus(value, -FIRST_DAY * DAY_SECONDS), 3600), layer)
    return Layered(to_type(_rest(hours.said, 24), "DOUBLE"), hours.layer)


def _weekday(layers: "Layers", tree: Typed) -> Layered:
    """Return the day of the week; 0001-01-01 was a Monday, which is 1."""
    (value,), layer = layers.columns_of(tree)
    days = layers.held(_plus(value, -FIRST_DAY), layer)
    return Layered(to_type(_plus(_rest(days.said, 7), 1), "DOUBLE"), days.layer)


def _of_calendar(layers: "Layers", tree: Typed) -> Layered:
    """Return the year, the month or the day."""
    (value,), layer = layers.columns_of(tree)
    date = layers.read.reader.dialect.date
    if date is not None:
        return Layered(to_type(called(tree.op.upper(), date(value)), "DOUBLE"), layer)
    days = layers.held(_plus(value, _MARCH), layer)
    in_era = layers.held(_rest(days.said, _ERA), days.layer)
    d = in_era.said
    leaps = _minus(
        _minus(d.copy(), _over(d.copy(), 1460)),
        _minus(_over(d.copy(), 146_096), _over(d.copy(), 36_524)),
    )
    year = layers.held(_over(leaps, 365), in_era.layer)
    y = year.said
    before = paren(
        exp.Add(
            this=_times(y.copy(), 365), expression=_minus(_over(y.copy(), 4), _over(y.copy(), 100))
        )
    )
    of_year = layers.held(_minus(d.copy(), before), year.layer)
    month = layers.held(_over(_plus(_times(of_year.copy(), 5), 2), 153), of_year.layer)
    m = month.said
    spring = exp.LT(this=m.copy(), expression=whole(10))
    if tree.op == "day":
        gone = _over(_plus(_times(m.copy(), 153), 2), 5)
        found = _plus(_minus(of_year.copy(), gone), 1)
    elif tree.op == "month":
        found = exp.Case().when(spring, _plus(m.copy(), 3)).else_(_plus(m.copy(), -9))
    else:
        eras = _times(_over(days.copy(), _ERA), 400)
        late = exp.Case().when(spring, whole(0)).else_(whole(1))
        found = paren(exp.Add(this=exp.Add(this=paren(eras), expression=y.copy()), expression=late))
    return Layered(to_type(found, "DOUBLE"), month.layer)


CIVIL: dict[str, Callable[["Layers", Typed], Layered]] = {
    **dict.fromkeys(("year", "month", "day"), _of_calendar),
    "hour": _hour,
    "weekday": _weekday,
}
