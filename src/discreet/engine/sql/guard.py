"""The second look of `guard`, as parts of a query.

Rules of this module:
- a shorter look may hold too many units beyond a limit, never too few: they are left out;
- units and groups are compared as they are where a unit is left out, and no hash of them decides:
  who knows the salt, and chooses names, gains nothing. Their places may only have a unit looked
  at closely;
- rows without a unit count nowhere (`within`), nor do those without a group (`numbered`).

Proofs stand at the shorter looks: `_beyond_one`, `quick_query`, `cleared_or_chosen` and
`only_leaves_out`.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from ...aggregate import Coarse
from ...schema import Bounds
from ..guard import Limits
from .tree import is_there, paren, picked, to_type, whole

_NARROW = 2**62  # what stays below is held in 64 bits
_PLAIN = (  # what a column may be made of that makes one row of one
    exp.Column, exp.Identifier, exp.Alias, exp.Cast, exp.DataType,
    exp.Literal, exp.Paren, exp.Add, exp.Mul,
)  # fmt: skip

Taken = Callable[[exp.Expression], exp.Expression]


def is_of_rows(limits: Limits) -> bool:
    """Say whether the limit of all rows of a unit implies the others."""
    groups, rows, each = limits.groups, limits.rows, limits.rows_per_group
    return rows is not None and rows <= groups and (each is None or rows <= each)


def only_leaves_out(query: exp.Select, source: str) -> bool:
    """Say whether a query does nothing but to leave out rows of a source, as it is written.

    Proof. It names the source and no other, and has a condition at most, so that each row comes
    once or not at all; what it selects makes no rows; and the unit stays as it is. If a unit has no
    more rows in the source than it may have in all, it has no more in what is left. The query is
    looked at for that, not those who made it.
    """
    there = {name for name, part in query.args.items() if part}
    if not there <= {"expressions", "from_", "where"} or "from_" not in there:
        return False
    units = [found for found in query.selects if found.alias_or_name == "u"]
    plain = all(isinstance(part, _PLAIN) for found in query.selects for part in found.walk())
    named = query.args["from_"].this == exp.to_table(source)
    return plain and named and units == [exp.column("u")]


def quick_query(source: str, limits: Limits, taken: Taken | None) -> exp.Select | None:
    """Return the query of the units that must be looked at closely: column u; None for all.

    Where rows are limited group by group, one count by unit tells of most units that they are
    within, where two by unit and group would be needed to tell who is not.

    Proof. A unit with n rows is in at most n groups. Each group has one of 64 places, so if d
    places are taken the unit is in at least d groups, and none of these has more than n - (d - 1)
    rows. So whoever has no more rows than he may have groups, nor than he may have in all, and for
    whom n - d is below the limit of one group, is within all limits, whatever the places are. A
    row that takes no place only makes d smaller.

    Args:
        source: the rows that are left: u, and g the number of the group.
        taken: of the numbers of groups, how many of 64 places they take; None to look closely.
    """
    each = limits.rows_per_group
    if taken is None or each is None or limits.groups == 1 or is_of_rows(limits):
        return None
    of_all = _least(limits.groups, limits.rows) or 0
    count = exp.Count(this=exp.Star())
    again = exp.Sub(this=count.copy(), expression=taken(exp.column("g")))
    many = exp.GT(this=count, expression=whole(of_all))
    often = exp.GTE(this=again, expression=whole(each))
    found = picked(source, "u").where(is_there(exp.column("u")), copy=False)
    found.group_by(exp.column("u"), copy=False)
    return found.having(exp.or_(many, often), copy=False)


def cleared_or_chosen(
    rows: str, named: str, chosen: str, columns: Sequence[exp.Column]
) -> exp.Select:
    """Return all rows of the units that the look clears, and chosen rows of the others.

    Proof. Let `named` hold each unit that `quick_query` names of the rows, and perhaps more. A unit
    that is not in it is within all limits with all its rows, and these are what is returned of it,
    because of `chosen` only rows of named units are taken. Of a named unit nothing is returned but
    what was chosen, and what `unfit_query` finds of that is left out where rows are summed. So
    whatever `rows` and `chosen` are, each unit that counts is within the limits.

    Args:
        rows: the rows that are looked at: u, g and values.
        named: column u, never NULL.
        chosen: rows of the same columns.
    """
    among = exp.column("u").isin(query=picked(named, "u"))
    cleared = picked(rows, *(one.copy() for one in columns))
    cleared.where(exp.not_(among.copy()), copy=False)
    others = picked(chosen, *(one.copy() for one in columns)).where(among, copy=False)
    both = exp.Union(this=cleared, expression=others, distinct=False)
    return picked(both.subquery("c", copy=False), *(one.copy() for one in columns))


def unfit_query(source: str, limits: Limits, among: str | None = None) -> exp.Select:
    """Return the query of the units that are beyond a limit: column u. Where all is well, of none.

    A limit that another one implies is not looked at again: that of rows by those of groups and of
    rows in each, or both of these by that of rows.

    Args:
        source: the rows that are left: u, and g the number of the group.
        among: the step of `quick_query`: no other unit is beyond a limit.
    """
    groups, rows, each = limits.groups, limits.rows, limits.rows_per_group
    count = exp.Count(this=exp.Star())
    there = is_there(exp.column("u"))
    if among is not None:
        there = exp.column("u").isin(query=picked(among, "u"))
    if rows is not None and is_of_rows(limits):
        beyond = exp.GT(this=count, expression=whole(rows))
        found = picked(source, "u").where(there, copy=False).group_by(exp.column("u"), copy=False)
        return found.having(beyond, copy=False)
    if groups == 1:
        return _beyond_one(source, there, _least(rows, each))
    by_group = picked(source, "u", exp.alias_(count, "n")).where(there, copy=False)
    by_group.group_by(exp.column("u"), exp.column("g"), copy=False)
    checks = [(exp.Count(this=exp.Star()), groups), (exp.Max(this=exp.column("n")), each)]
    if rows is not None and (each is None or rows < groups * each):
        checks.append((exp.Sum(this=exp.column("n")), rows))
    over = [exp.GT(this=one, expression=whole(m)) for one, m in checks if m is not None]
    found = picked(by_group.subquery("c", copy=False), "u")
    return found.group_by(exp.column("u"), copy=False).having(exp.or_(*over), copy=False)


def _beyond_one(source: str, there: exp.Expression, most: int | None) -> exp.Select:
    """Return the query of the units in more than one group, or with too many rows.

    Proof. A unit's groups are one if the least is the largest and no row is without; all of its
    rows are then in that group, so that both limits of rows are one of their number. Beyond is
    also whose rows have no group at all: of these none counts.
    """
    several = exp.NEQ(this=exp.Min(this=exp.column("g")), expression=exp.Max(this=exp.column("g")))
    grouped = exp.Count(this=exp.column("g"))
    none = exp.GT(this=exp.Count(this=exp.Star()), expression=grouped)
    beyond: list[exp.Expression] = [several, none]
    if most is not None:
        beyond.append(exp.GT(this=exp.Count(this=exp.Star()), expression=whole(most)))
    found = picked(source, "u").where(there, copy=False)
    found.group_by(exp.column("u"), copy=False)
    return found.having(exp.or_(*beyond), copy=False)


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


def within(unfit: str) -> exp.Condition:
    """Return the condition that a row has a unit, and one that is within the limits."""
    unit = exp.column("u")
    beyond = unit.copy().isin(query=picked(unfit, "u"))
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
    away = exp.Sub(this=to_type(value, kind), expression=paren(whole(bounds.lower_step)))
    twice = exp.Mul(this=paren(away), expression=whole(2 * grid.parts))
    total = exp.Add(this=twice, expression=whole(width))
    return exp.IntDiv(this=paren(total), expression=whole(2 * width))


def inside(place: exp.Expression, size: exp.Expression) -> exp.Condition:
    """Return the condition that a place is one of the first `size`."""
    return exp.and_(
        exp.GTE(this=place, expression=whole(0)),
        exp.LT(this=place.copy(), expression=size),
    )
