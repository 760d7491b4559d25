"""Rows that cannot stay, dropped before they are sorted: of units with many rows or groups.

Rules of this module:
- why no integer changes: what is dropped would be dropped anyway, as the proof says;
- a declaration says where they may be; an engine may leave it where units have few rows.

Proof. The groups that stay of a unit are the first `max_groups` by their hash. Of different hashes
of a unit's groups each is of another group. So no group beyond the `max_groups`-th smallest of them
is among the first, a unit's rows beyond it can be dropped, and the groups that are left keep their
order. Of rows that are chosen one by one, the hashes of each count, equal or not: a row beyond the
`max_rows`-th smallest has as many before it. Only a sixteenth of all hashes is looked at: where
units are small few lie there, and where they are large most rows go. Whichever units are passed
over, their rows are only not dropped.

Rows that are chosen one by one are hashed with their number among the equal rows of their unit, so
that they are pruned once they are numbered (`numbered`).

Decision 71.
"""

from collections.abc import Iterable

from sqlglot import exp

from ....aggregate import Aggregate
from ....schema import Table
from ...protocol import Grouping
from ..columns import PREFIX, Names
from ..ranked import of_groups
from ..tree import ascending, picked, to_type, whole
from .speed import Pruning

_HASHES = 2**64
_SHARE = 16  # of all hashes, one in so many is looked at
_MOST = 1_000  # hashes of a unit that are kept to find the last one that stays
LOW = f"{PREFIX}_low"  # how steps are called of a query that prunes rows


def may_be_pruned(table: Table, aggregates: Iterable[Aggregate]) -> bool:
    """Say whether some limit leaves out rows, or groups of units that may have many."""
    limit = table.unit.max_rows
    is_of_rows = limit is not None and limit <= _MOST
    return is_of_rows or pays_from(table, aggregates) > 0


def pays_from(table: Table, aggregates: Iterable[Aggregate]) -> int:
    """Return about how many groups a unit has of which some are pruned; 0 where none may be."""
    limits = [limit.max_groups for limit in aggregates if _may_be(table, limit.max_groups)]
    return _SHARE * max((most for most in limits if most is not None), default=0)


def _may_be(table: Table, most: int | None) -> bool:
    limit = table.unit.max_rows
    return most is not None and most <= _MOST and (limit is None or limit > _SHARE * most)


def low_query(names: Names, grouping: Grouping, rows: exp.Select) -> exp.Select | None:
    """Return the rows of each unit whose hash is in a share of all: u, h.

    None where the engine does not prune, or no unit may have so many rows that it is worth it.
    """
    pruning = names.reader.dialect.speed.prunes
    if pruning is None or not _may_be(names.table, grouping.max_groups):
        return None
    return _low(pruning, hashed(names, rows))


def reads_again(names: Names) -> bool:
    """Say whether rows are read once more to be pruned, in place of being written down."""
    pruning = names.reader.dialect.speed.prunes
    return pruning is not None and pruning.reads_again and names.table.unit.max_rows is None


def prunes_rows(names: Names, most: int) -> bool:
    """Say whether rows that are chosen one by one are pruned, of each of which so many may stay."""
    return names.reader.dialect.speed.prunes is not None and most <= _MOST


def low_rows(names: Names, source: exp.Select) -> exp.Select:
    """Return those of some rows (u, h) whose hash is in a share of all, where rows are pruned."""
    return _low(names.reader.dialect.speed.prunes or Pruning(0, "UBIGINT"), source)


def _low(pruning: Pruning, source: exp.Select) -> exp.Select:
    share = to_type(whole(pruning.least + _HASHES // _SHARE), pruning.kind, dialect="duckdb")
    low = exp.LT(this=exp.column("h"), expression=share)
    rows = picked(source.subquery("s", copy=False), "u", "h")
    return rows.where(low, copy=False)


def cut_query(names: Names, low: str, most: int, *, of_rows: bool = False) -> exp.Select:
    """Return the last hash that stays of each unit with enough groups in a share of all: u, c.

    A unit with fewer rows there than `most` has fewer groups there. Where units are small nearly
    all are of these, and one count of rows leaves them out before their hashes are told apart. A
    unit that is left out without a reason keeps all its rows until they are ranked.

    Args:
        names: the engine's hashes among them.
        low: the step of `low_query`.
        most: how many groups of a unit stay, or rows.
        of_rows: whether rows are chosen one by one, so that equal hashes count as often.
    """
    enough = exp.GTE(this=exp.Count(this=exp.Star()), expression=whole(most))
    many = picked(low, "u").group_by(exp.column("u"), copy=False).having(enough, copy=False)
    often = exp.column("u").isin(query=many)
    seen = picked(low, "u", "h").where(often, copy=False)
    if not of_rows:
        seen.distinct(copy=False)
    pruning = names.reader.dialect.speed.prunes
    if pruning is not None and not pruning.lists_least:
        return _by_place(seen, most)
    smallest = exp.Anonymous(this="MIN", expressions=[exp.column("h"), whole(most)])
    last = exp.Anonymous(this="LIST_EXTRACT", expressions=[smallest, whole(most)])
    cut = picked(seen.subquery("d", copy=False), "u", exp.alias_(last, "c"))
    return cut.group_by(exp.column("u"), copy=False).having(enough.copy(), copy=False)


def _by_place(seen: exp.Select, most: int) -> exp.Select:
    """Return the hash at the last place that stays of each unit with so many: u, c."""
    order = exp.Order(expressions=[ascending(exp.column("h"))])
    place = exp.Window(this=exp.RowNumber(), partition_by=[exp.column("u")], order=order)
    placed = picked(seen.subquery("d", copy=False), "u", "h", exp.alias_(place, "r"))
    last = exp.EQ(this=exp.column("r"), expression=whole(most))
    cut = picked(placed.subquery("p", copy=False), "u", exp.alias_(exp.column("h"), "c"))
    return cut.where(last, copy=False)


def few(names: Names, rows: exp.Select, cuts: str | None) -> exp.Select:
    """Return rows, without those that `cuts` prunes, where there is such a step."""
    if cuts is None:
        return rows
    columns = [exp.column(column.alias_or_name) for column in rows.selects]
    return picked(below(hashed(names, rows), cuts).subquery("f", copy=False), *columns)


def below(source: exp.Select, cuts: str) -> exp.Select:
    """Return hashed rows up to the last hash of their unit, and all of a unit without one."""
    same = exp.EQ(this=exp.column("u", table="s"), expression=exp.column("u", table="t"))
    beyond = exp.GT(this=exp.column("h", table="s"), expression=exp.column("c", table="t"))
    every = exp.Column(this=exp.Star(), table=exp.to_identifier("s"))
    joined = picked(source.subquery("s", copy=False), every)
    last = exp.table_(cuts, alias="t")
    return joined.join(last, on=exp.and_(same, beyond), join_type="anti", copy=False)


def hashed(names: Names, rows: exp.Select) -> exp.Select:
    """Return rows with the hash of their unit and group beside."""
    hash_column = exp.alias_(of_groups(names), "h")
    return picked(rows.subquery("r", copy=False), exp.Star(), hash_column)
