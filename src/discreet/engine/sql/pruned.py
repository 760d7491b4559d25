"""Rows that cannot stay, dropped before they are sorted: of units with many groups.

Rules of this module:
- what is dropped would be dropped anyway: no integer changes;
- whether rows are pruned follows from the declaration, never from the data.

Proof. The groups that stay of a unit are the first `max_groups` by their hash. If so many different
hashes of a unit's groups lie below a level, each is of another group, and no group at or above the
level is among the first. So a unit's rows from the least such level on can be dropped, and the
groups that are left keep their order. Only hashes below the first level, a sixteenth of all, are
looked at; where units are small there are few, and where they are large most rows go.
"""

from sqlglot import exp

from ..protocol import Grouping
from .columns import Names
from .tree import whole

_SHARE = 16  # of all hashes, one in so many lies below the first level


def cut_query(names: Names, grouping: Grouping, rows: exp.Select) -> exp.Select | None:
    """Return for each unit with enough groups below a level the least such level: u, c.

    None where the engine has no levels, or no unit may have so many rows that it is worth it.
    """
    levels, most = names.reader.dialect.levels, grouping.max_groups
    limit = names.table.unit.max_rows
    if not levels or most is None or (limit is not None and limit <= _SHARE * most):
        return None
    below = _below(levels[0])
    seen = exp.select("u", "h").distinct().from_(_hashed(names, rows).subquery("s")).where(below)
    found = exp.Case()
    for level in levels[:0:-1]:
        counted = exp.Count(this=exp.Case().when(_below(level), whole(1)))
        found = found.when(exp.GTE(this=counted, expression=whole(most)), _level(level))
    cut = exp.alias_(found.else_(_level(levels[0])), "c")
    enough = exp.GTE(this=exp.Count(this=exp.Star()), expression=whole(most))
    return exp.select("u", cut).from_(seen.subquery("d")).group_by("u").having(enough)


def below(names: Names, rows: exp.Select, cuts: str) -> exp.Select:
    """Return the rows that are below the level of their unit, and all of a unit without one."""
    hashed = _hashed(names, rows).subquery("s")
    same = exp.EQ(this=exp.column("u", table="s"), expression=exp.column("u", table="t"))
    joined = (
        exp.select("s.*").from_(hashed).join(exp.to_table(cuts).as_("t"), on=same, join_type="left")
    )
    level = exp.column("c", table="t")
    none = exp.Is(this=level, expression=exp.Null())
    lower = exp.LT(this=exp.column("h", table="s"), expression=level.copy())
    return joined.where(exp.or_(none, lower))


def _hashed(names: Names, rows: exp.Select) -> exp.Select:
    """Return rows with the hash of their unit and group beside."""
    hashed = names.reader.dialect.hash_of([exp.column("u"), exp.column("g")])
    return exp.select("*", exp.alias_(hashed, "h")).from_(rows.subquery("r"))


def _level(level: int) -> exp.Expression:
    return exp.cast(whole(level), "UBIGINT", dialect="duckdb")


def _below(level: int) -> exp.Expression:
    return exp.LT(this=exp.column("h"), expression=_level(level))
