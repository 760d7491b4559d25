"""The parts of days and moments, as parts of a query, by whole numbers alone, or by the engine.

Source: Hinnant, chrono-compatible low-level date algorithms, civil_from_days: years begin in March,
so that the day that is sometimes there is the last one of a year.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...expressions import Typed
from ...expressions.kinds import DAY_SECONDS, FIRST_DAY
from .expression_cells import Layered
from .tree import Operand, called, if_, number, par

if TYPE_CHECKING:
    from .layers import Layers

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
