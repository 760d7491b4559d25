"""Ranks among the rows of a unit, or of one of its groups, and the rows that are first by them.

Rules of this module:
- rows are ordered by a keyed hash and then by their content, so that rows which tie are equal;
- a rank looks at the rows of one part only.
"""

from collections.abc import Sequence

from sqlglot import exp

from .columns import Names
from .dialect import Once
from .tree import ascending, is_there, whole


def first_of(
    names: Names,
    query: exp.Select,
    rank: str,
    part: Sequence[str],
    content: Sequence[exp.Expression],
    limit: int,
) -> exp.Select:
    """Return the rows whose rank in their part, by hash and then content, is within the limit."""
    columns = [exp.column(found.alias_or_name) for found in query.selects]
    dialect, hashed_names = names.reader.dialect, [*part, *names_of(content, part)]
    hashed = dialect.hash_of([exp.column(name) for name in hashed_names])
    if dialect.once is not None and [*part] == ["u"]:
        query, hashed = _digested_once(query, dialect.once, hashed_names[1:], limit)
    elif dialect.hashes_late:
        query, hashed = _hashed_late(query, hashed, part, limit)
    order = [ascending(hashed)]
    order += [ascending(cell.copy()) for cell in content]
    function = exp.RowNumber() if rank == "ROW_NUMBER" else exp.DenseRank()
    ranked = exp.Window(
        this=function,
        partition_by=[exp.column(name) for name in part],
        order=exp.Order(expressions=order),
    )
    inner = exp.select(*columns, exp.alias_(ranked, "r"), copy=False)
    inner.from_(query.subquery("a", copy=False), copy=False)
    within = exp.LTE(this=exp.column("r"), expression=whole(limit))
    return within_limits(inner, columns, [within])


def within_limits(
    ranked: exp.Select, columns: Sequence[exp.Column], within: Sequence[exp.Expression]
) -> exp.Select:
    """Return these columns of the ranked rows that are within their limits."""
    found = exp.select(*(column.copy() for column in columns), copy=False)
    found.from_(ranked.subquery("b", copy=False), copy=False)
    return found.where(*within, copy=False)


def rank_in_unit(function: exp.Expression, order: Sequence[exp.Expression]) -> exp.Window:
    """Return a rank among the rows of a unit."""
    ordered = [ascending(one.copy()) for one in order]
    unit = [exp.column("u")]
    return exp.Window(this=function, partition_by=unit, order=exp.Order(expressions=ordered))


def _hashed_late(
    query: exp.Select, hashed: exp.Expression, part: Sequence[str], limit: int
) -> tuple[exp.Select, exp.Expression]:
    """Return rows with the number of those in their part, and the hash where a limit can bind.

    A part of no more rows than the limit stays whole, so that their order is nobody's matter.
    """
    many = exp.Window(
        this=exp.Count(this=exp.Star()), partition_by=[exp.column(name) for name in part]
    )
    columns = [exp.column(found.alias_or_name) for found in query.selects]
    counted = exp.select(*columns, exp.alias_(many, "n"), copy=False)
    counted.from_(query.subquery("c", copy=False), copy=False)
    binds = exp.GT(this=exp.column("n"), expression=whole(limit))
    return counted, exp.Case().when(binds, hashed)


def _digested_once(
    query: exp.Select, once: Once, content: Sequence[str], limit: int
) -> tuple[exp.Select, exp.Expression]:
    """Return rows with the digest of their unit, and the hash by it, where a limit can bind.

    One row of each unit makes the digest: the next one after as many as may stay. A unit without
    such a row stays whole. All its rows would make the same, so that it is nobody's matter which
    row that is.
    """
    columns = [exp.column(found.alias_or_name) for found in query.selects]
    number = exp.Window(this=exp.RowNumber(), partition_by=[exp.column("u")])
    numbered = exp.select(*columns, exp.alias_(number, "n"), copy=False)
    numbered.from_(query.subquery("c", copy=False), copy=False)
    next_one = exp.EQ(this=exp.column("n"), expression=whole(limit + 1))
    made = exp.Case().when(next_one, once.digest_of(exp.column("u")))
    shared = exp.Window(this=exp.Max(this=made), partition_by=[exp.column("u")])
    again = [one.copy() for one in columns]
    digested = exp.select(*again, exp.alias_(shared, "d"), copy=False)
    digested.from_(numbered.subquery("m", copy=False), copy=False)
    hashed = once.hash_of([exp.column(name) for name in ("d", *content)])
    return digested, exp.Case().when(is_there(exp.column("d")), hashed)


def names_of(content: Sequence[exp.Expression], part: Sequence[str]) -> list[str]:
    """Return the names of some columns that are not those of the part."""
    return [cell.name for cell in content if cell.name not in part]
