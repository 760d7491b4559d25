"""The second look of `guard`, as parts of a query."""

from sqlglot import exp

from ...aggregate import Coarse
from ...schema import Bounds
from ..guard import Limits
from .tree import is_there, paren, whole

_NARROW = 2**62  # what stays below is held in 64 bits


def unfit_query(source: str, limits: Limits) -> exp.Select:
    """Return the query of the units that are beyond a limit: column u. Where all is well, of none.

    A limit that another one implies is not looked at again: that of rows by those of groups and of
    rows in each, or both of these by that of rows.

    Args:
        source: the rows that are left: u, and g the number of the group.
    """
    groups, rows, each = limits.groups, limits.rows, limits.rows_per_group
    count = exp.Count(this=exp.Star())
    there = is_there(exp.column("u"))
    if rows is not None and rows <= groups and (each is None or rows <= each):
        beyond = exp.GT(this=count, expression=whole(rows))
        return exp.select("u").from_(source).where(there).group_by("u").having(beyond)
    by_group = exp.select("u", exp.alias_(count, "n")).from_(source).where(there).group_by("u", "g")
    checks = [(exp.Count(this=exp.Star()), groups), (exp.Max(this=exp.column("n")), each)]
    if rows is not None and (each is None or rows < groups * each):
        checks.append((exp.Sum(this=exp.column("n")), rows))
    over = [exp.GT(this=one, expression=whole(m)) for one, m in checks if m is not None]
    return exp.select("u").from_(by_group.subquery("c")).group_by("u").having(exp.or_(*over))


def within(unfit: str) -> exp.Condition:
    """Return the condition that a row has a unit, and one that is within the limits."""
    unit = exp.column("u")
    beyond = unit.copy().isin(query=exp.select("u").from_(unfit))
    return exp.and_(is_there(unit), exp.not_(beyond))


def clamped(value: exp.Expression, low: int, high: int) -> exp.Expression:
    """Return a value moved into a range; NULL stays NULL."""
    below = exp.LT(this=value, expression=whole(low))
    above = exp.GT(this=value.copy(), expression=whole(high))
    return exp.Case().when(below, whole(low)).when(above, whole(high)).else_(value.copy())


def coarse(value: exp.Expression, grid: Coarse, bounds: Bounds) -> exp.Expression:
    """Return a clamped value on a coarser grid: a number of at least 0 is divided by a whole one.

    With W the width of the bounds that number is at most W (2 parts + 1).
    """
    width = bounds.width
    kind = "BIGINT" if width * (2 * grid.parts + 1) < _NARROW else "INT128"
    away = exp.Sub(this=exp.cast(value, kind), expression=paren(whole(bounds.lower_step)))
    twice = exp.Mul(this=paren(away), expression=whole(2 * grid.parts))
    total = exp.Add(this=twice, expression=whole(width))
    return exp.IntDiv(this=paren(total), expression=whole(2 * width))


def inside(place: exp.Expression, size: exp.Expression) -> exp.Condition:
    """Return the condition that a place is one of the first `size`."""
    return exp.and_(
        exp.GTE(this=place, expression=whole(0)),
        exp.LT(this=place.copy(), expression=size),
    )
