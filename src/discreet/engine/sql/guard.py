"""The second look of `guard`, as parts of a query.

Rules of this module:
- a shorter look may hold too many units beyond a limit, never too few: they are left out;
- units and groups are compared as they are where a unit is left out, and no hash of them decides:
  who knows the salt, and chooses names, gains nothing. Their places may only have a unit looked
  at closely;
- rows without a unit count nowhere (`within`), nor do those without a group (`numbered`).

Proofs stand at the shorter looks: `counts_once`, `_beyond_one`, `uncleared_by`,
`cleared_or_chosen`, `only_leaves_out` and `looked_along`.

Decision 149.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from ...aggregate import Coarse
from ...schema import Bounds
from ..guard import Limits
from .tree import Operand, is_there, number, par, picked, whole

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


def counts_once(limits: Limits, groups: int) -> bool:
    """Say whether no unit can be beyond a limit where nothing but distinct units is counted.

    Proof. A cell that is not of the vector is left out (`numbered`), so that there is one for each
    group. Its number is COUNT(DISTINCT u), to which a unit adds 1 or 0, whatever rows are left of
    it and however many; and no more groups are there than it may be in.

    Args:
        groups: how many the vector has.
    """
    return groups <= limits.groups


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
    units = [column for column in query.selects if column.alias_or_name == "u"]
    plain = all(isinstance(part, _PLAIN) for column in query.selects for part in column.walk())
    named = query.args["from_"].this == exp.table_(source)
    return plain and named and units == [exp.column("u")]


def looked_along(rows: exp.Select, most: int) -> exp.Select:
    """Return the rows of a query whose unit has no more of them than may be.

    Proof. The count is of all rows of the unit that the query brings, however they were chosen. All
    or none of them are returned. So each unit is within the limit in what is returned. It is so,
    too, in all that only leaves out rows of it (`only_leaves_out`).
    """
    columns = [column.alias_or_name for column in rows.selects]
    many = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[exp.column("u")])
    counted = picked(rows.subquery("x", copy=False), *columns, exp.alias_(many, "w"))
    fits = exp.LTE(this=exp.column("w"), expression=whole(most))
    return picked(counted.subquery("y", copy=False), *columns).where(fits, copy=False)


def quick_query(source: str, limits: Limits, taken: Taken | None) -> exp.Select | None:
    """Return the query of the units that must be looked at closely: column u; None for all.

    Where rows are limited group by group, one count by unit tells of most units that they are
    within, where two by unit and group would be needed to tell who is not.

    Args:
        source: the rows that are left: u, and g the number of the group.
        taken: of the numbers of groups, how many of 64 places they take; None to look closely.
    """
    uncleared = uncleared_by(limits, taken)
    if uncleared is None:
        return None
    units = picked(source, "u").where(is_there(exp.column("u")), copy=False)
    return units.group_by(exp.column("u"), copy=False).having(uncleared, copy=False)


def uncleared_by(limits: Limits, taken: Taken | None) -> exp.Condition | None:
    """Return what is false of all rows of a unit only if it is within the limits; None for no such.

    Proof. A unit with n rows is in at most n groups. Each group has one of 64 places, so if d
    places are taken the unit is in at least d groups, and none of these has more than n - (d - 1)
    rows. So whoever has no more rows than he may have groups, nor than he may have in all, and for
    whom n - d is below the limit of one group, is within all limits, whatever the places are. A
    row that takes no place only makes d smaller. Where no rows are limited, but groups are, whoever
    has no more rows than he may have groups is within.
    """
    each = limits.rows_per_group
    if taken is None or limits.groups == 1 or is_of_rows(limits):
        return None
    of_all = _least(limits.groups, limits.rows) or 0
    count = exp.Count(this=exp.Star())
    many = exp.GT(this=count, expression=whole(of_all))
    if each is None:
        return None if limits.rows is not None else many
    again = exp.Sub(this=count.copy(), expression=taken(exp.column("g")))
    often = exp.GTE(this=again, expression=whole(each))
    return exp.or_(many, often)


def listed_rows(
    rows: exp.Select,
    columns: Sequence[exp.Column],
    named: exp.Condition,
    listed: exp.Condition,
) -> exp.Select:
    """Return a row for each unit: u, whether it is named, how many rows it has, and lists of these.

    Args:
        rows: the rows that are looked at: u, and the columns.
        columns: g and values, of each of which there is a list; in all of them a row has one place.
        named: of all rows of a unit, whether it is named: at least where `uncleared_by` is true.
        listed: of a row, whether it is in the lists.
    """
    count = exp.Count(this=exp.Star())
    lists = picked(
        rows.subquery("a", copy=False), "u", exp.alias_(named, "named"), exp.alias_(count, "n")
    )
    for column in columns:
        every = exp.ArrayAgg(this=column.copy())
        some = exp.Filter(this=every, expression=exp.Where(this=listed.copy()))
        lists.select(exp.alias_(some, column.name), copy=False)
    return lists.group_by(exp.column("u"), copy=False)


def units_of(listed: str) -> exp.Select:
    """Return the units that are named: column u."""
    return picked(listed, "u").where(exp.column("named"), copy=False)


def unlisted(listed: str, columns: Sequence[exp.Column]) -> exp.Select:
    """Return the rows of lists, one for each place in them: u, and the columns."""
    each = [exp.alias_(exp.Explode(this=column.copy()), column.name) for column in columns]
    return picked(listed, "u", *each)


def cleared_or_chosen(
    listed: str, chosen: str, unfit: str, columns: Sequence[exp.Column]
) -> exp.Select:
    """Return all rows of the units that the look clears, and chosen rows of the others.

    Proof. `listed` has one row for each unit, because it is grouped by u, whatever the rows are
    that it is made of; so a unit is named, or is not. One that is not has, by `uncleared_by`, no
    row beyond a limit among all that it is made of, and of no other rows are its lists: these are
    returned. Of one that is named nothing is returned but rows of `chosen`, where the unit is not
    among those that `unfit_query` finds in them. A unit of which that cannot be said (NULL) is
    neither. So whatever ranks, lists and choices are, each unit that counts is within the limits.

    Args:
        listed: the step of `listed_rows`, of lists of these columns.
        chosen: u and the same columns.
        unfit: the step of `unfit_query`, of `chosen`.
    """
    cleared = unlisted(listed, columns).where(exp.not_(exp.column("named")), copy=False)
    others = picked(chosen, "u", *(column.copy() for column in columns))
    others.where(exp.column("u").isin(query=units_of(listed)), within(unfit), copy=False)
    both = exp.Union(this=cleared, expression=others, distinct=False)
    return picked(both.subquery("c", copy=False), "u", *(column.copy() for column in columns))


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
        units = picked(source, "u").where(there, copy=False).group_by(exp.column("u"), copy=False)
        return units.having(beyond, copy=False)
    if groups == 1:
        return _beyond_one(source, there, _least(rows, each))
    by_group = picked(source, "u", exp.alias_(count, "n")).where(there, copy=False)
    by_group.group_by(exp.column("u"), exp.column("g"), copy=False)
    checks = [(exp.Count(this=exp.Star()), groups), (exp.Max(this=exp.column("n")), each)]
    if rows is not None and (each is None or rows < groups * each):
        checks.append((exp.Sum(this=exp.column("n")), rows))
    over = [exp.GT(this=count_of, expression=whole(m)) for count_of, m in checks if m is not None]
    units = picked(by_group.subquery("c", copy=False), "u")
    return units.group_by(exp.column("u"), copy=False).having(exp.or_(*over), copy=False)


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
    units = picked(source, "u").where(there, copy=False)
    units.group_by(exp.column("u"), copy=False)
    return units.having(exp.or_(*beyond), copy=False)


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


def within(unfit: str | None) -> exp.Condition:
    """Return the condition that a row has a unit, and one that is within the limits.

    Args:
        unfit: the step of the units that are not; None where their rows are gone.
    """
    unit = exp.column("u")
    if unfit is None:
        return exp.and_(is_there(unit))
    beyond = unit.copy().isin(query=picked(unfit, "u"))
    return exp.and_(is_there(unit), exp.not_(beyond))


def coarse(value: exp.Expression, grid: Coarse, bounds: Bounds) -> exp.Expression:
    """Return a clamped value on a coarser grid: a number of at least 0 is divided by a whole one.

    With W the width of the bounds that number is at most W (2 parts + 1).
    """
    width = bounds.width
    kind = "BIGINT" if width * (2 * grid.parts + 1) < _NARROW else "INT128"
    away = Operand(value).cast(kind) - par(number(bounds.lower_step))
    return (par(par(away) * (2 * grid.parts) + width) // (2 * width)).take()
