"""Ranks among the rows of a unit, or of one of its groups, and the rows that are first by them.

Rules of this module:
- rows are ordered by a keyed hash and then by their content, so that rows which tie are equal;
- equal rows of a part are numbered, and the number is hashed too: else they would stand or fall
  together, and a rare row would stay as often as a common one;
- a rank looks at the rows of one part only.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from ..portable_sample import AGAIN
from .columns import Names
from .faster.speed import Once
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
    columns = [exp.column(column.alias_or_name) for column in query.selects]
    dialect, hashed_names = names.reader.dialect, [*part, *hashed_beside(content, part)]
    speed = dialect.speed
    alike = rank == "ROW_NUMBER" and bool(content)  # rows without content are all the same
    again = names.table.unit.max_rows is not None and (rank, [*part]) != ("ROW_NUMBER", ["u"])
    if alike:
        query = _numbered(query, part, content, AGAIN if again else 0)
    tags = [_NUMBER] if alike else [whole(AGAIN)] if again else []
    hashed = _hash(dialect.hash_of, hashed_names, tags, alike=alike and not again)
    if speed.once is not None and [*part] == ["u"]:
        by_digest = _hash(
            speed.once.hash_of, ["d", *hashed_names[1:]], tags, alike=alike and not again
        )
        query, hashed = _digested_once(query, speed.once, by_digest, limit)
    elif speed.hashes_late:
        query, hashed = _hashed_late(query, hashed, part, limit)
    order = [ascending(hashed)]
    order += [ascending(cell.copy()) for cell in content]
    order += [ascending(exp.column(_NUMBER))] if alike else []
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


def of_groups(names: Names) -> exp.Expression:
    """Return the hash of a unit and one of its groups, by which groups are chosen."""
    again = [whole(AGAIN)] if names.table.unit.max_rows is not None else []
    return names.reader.dialect.hash_of([exp.column("u"), exp.column("g"), *again])


_NUMBER = "a"  # which of the equal rows of its part a row is: 1, 2, ...


def _numbered(
    query: exp.Select, part: Sequence[str], content: Sequence[exp.Expression], before: int
) -> exp.Select:
    """Return rows with their number among those that are equal to them in their part.

    Numbers begin with 1, or behind `before` where rows are chosen a second time: the hash is
    another one then, so that who stayed by the first choice is no likelier to stay by the next.

    The order of rows decides which of equal rows has which number, and so nothing. Spark wants an
    order said: that of a cell of which all rows that are numbered together have the same.
    """
    columns = [exp.column(column.alias_or_name) for column in query.selects]
    equal = [exp.column(name) for name in (*part, *hashed_beside(content, part))]
    order = exp.Order(expressions=[ascending(equal[-1].copy())])
    place = exp.Window(this=exp.RowNumber(), partition_by=equal, order=order)
    number = exp.Add(this=place, expression=whole(before)) if before else place
    column = exp.select(*columns, exp.alias_(number, _NUMBER), copy=False)
    return column.from_(query.subquery("e", copy=False), copy=False)


def _hash(
    hash_of: Callable[[Sequence[exp.Expression]], exp.Expression],
    columns: Sequence[str],
    tags: Sequence[str | exp.Expression],
    *,
    alike: bool,
) -> exp.Expression:
    """Return the hash of some columns and tags; of the first of equal rows without its number."""

    def hashed(*more: str | exp.Expression) -> exp.Expression:
        parts = (*columns, *more)
        return hash_of([exp.column(part) if isinstance(part, str) else part for part in parts])

    if not alike:
        return hashed(*tags)
    is_later = exp.GT(this=exp.column(_NUMBER), expression=whole(1))
    return exp.Case().when(is_later, hashed(*tags)).else_(hashed())


def within_limits(
    ranked: exp.Select, columns: Sequence[exp.Column], within: Sequence[exp.Expression]
) -> exp.Select:
    """Return these columns of the ranked rows that are within their limits."""
    inside = exp.select(*(column.copy() for column in columns), copy=False)
    inside.from_(ranked.subquery("b", copy=False), copy=False)
    return inside.where(*within, copy=False)


def rank_in_unit(function: exp.Expression, order: Sequence[exp.Expression]) -> exp.Window:
    """Return a rank among the rows of a unit."""
    ordered = [ascending(cell.copy()) for cell in order]
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
    columns = [exp.column(column.alias_or_name) for column in query.selects]
    counted = exp.select(*columns, exp.alias_(many, "n"), copy=False)
    counted.from_(query.subquery("c", copy=False), copy=False)
    binds = exp.GT(this=exp.column("n"), expression=whole(limit))
    return counted, exp.Case().when(binds, hashed)


def _digested_once(
    query: exp.Select, once: Once, by_digest: exp.Expression, limit: int
) -> tuple[exp.Select, exp.Expression]:
    """Return rows with the digest of their unit, and the hash by it, where a limit can bind.

    One row of each unit makes the digest: the next one after as many as may stay. A unit without
    such a row stays whole. All its rows would make the same, so that it is nobody's matter which
    row that is.
    """
    columns = [exp.column(column.alias_or_name) for column in query.selects]
    number = exp.Window(this=exp.RowNumber(), partition_by=[exp.column("u")])
    numbered = exp.select(*columns, exp.alias_(number, "n"), copy=False)
    numbered.from_(query.subquery("c", copy=False), copy=False)
    next_one = exp.EQ(this=exp.column("n"), expression=whole(limit + 1))
    made = exp.Case().when(next_one, once.digest_of(exp.column("u")))
    shared = exp.Window(this=exp.Max(this=made), partition_by=[exp.column("u")])
    again = [cell.copy() for cell in columns]
    digested = exp.select(*again, exp.alias_(shared, "d"), copy=False)
    digested.from_(numbered.subquery("m", copy=False), copy=False)
    return digested, exp.Case().when(is_there(exp.column("d")), by_digest)


def hashed_beside(content: Sequence[exp.Expression], part: Sequence[str]) -> list[str]:
    """Return the names of some columns that are not those of the part."""
    return [cell.name for cell in content if cell.name not in part]
