"""Which rows of a unit stay: chosen by a keyed hash of their content, never by their position.

Rules of this module:
- every choice looks at the rows of one unit only, so one unit's rows decide only their own fate;
- every order is total by content: rows that tie are equal in all that is used of them;
- nothing is chosen where no limit can bind.
"""

from collections.abc import Sequence

from sqlglot import exp

from ..protocol import Grouping
from . import pruned
from .columns import PREFIX, Names
from .dialect import Once
from .tree import add_step, ascending, is_there, picked, whole


def rows(names: Names, groupings: Sequence[Grouping]) -> exp.Select:
    """Return the rows that some grouping wants, at most `max_rows` of each unit.

    Whether a condition holds is a stored whole number, and part of the content that rows are
    chosen by: so what is tested afterwards never depends on which of two equal rows has stayed.
    """
    table = names.table
    keyed = exp.select(exp.column("u", table="c"))
    keyed.from_(exp.table_(f"{PREFIX}_cells", alias="c"), copy=False)
    for number, key in enumerate(names.by):
        raw = exp.column(f"k{number}", table="c")
        keyed = names.on_key(keyed, key, raw, side="left")
        keyed.select(exp.alias_(names.position_in_rows(key), f"i{number}"), copy=False)
    stored = [f"q{i}" for i in range(len(names.values))] + [
        f"t{i}" for i in range(len(names.tests))
    ]
    keyed.select(*(exp.column(name, table="c") for name in stored), copy=False)
    wanted = [_wanted(names, grouping) for grouping in groupings]
    if wanted and all(wanted):
        keyed.where(exp.or_(*(exp.and_(*conditions) for conditions in wanted)), copy=False)
    if table.unit.max_rows is None:
        return keyed
    content = [names.position(key) for key in names.by] + [names.steps(v) for v in names.values]
    content += [names.test(where) for where in names.tests]
    most = table.unit.max_rows
    few = pruned.rows_query(names, keyed, _names(content, ["u"]), most)
    return _first(names, few or keyed, "ROW_NUMBER", ["u"], content, most)


def _wanted(names: Names, grouping: Grouping) -> list[exp.Expression]:
    """Return what makes a row count for a grouping; nothing where each row does."""
    there = [names.is_placed(key) for key in grouping.by]
    return [*there, *names.passes(grouping.where)]


def kept(names: Names, grouping: Grouping, cuts: str | None) -> exp.Select:
    """Return the rows in the groups of a grouping that its limits leave of each unit.

    Args:
        cuts: the step of `cut_query`, where rows are pruned by it.
    """
    found = _grouped(names, grouping)
    values = [names.steps(value) for value in grouping.columns]
    if grouping.max_groups is not None and names.reader.dialect.sorts_once:
        hashed = pruned.hashed(names, found)
        few = hashed if cuts is None else pruned.below(hashed, cuts)
        return _at_once(names, grouping, few, values)
    if grouping.max_groups is not None:
        found = _first(names, found, "DENSE_RANK", ["u"], [exp.column("g")], grouping.max_groups)
    if grouping.max_rows_per_group is not None:
        limit = grouping.max_rows_per_group
        found = _first(names, found, "ROW_NUMBER", ["u", "g"], values, limit)
    return found


def low_query(names: Names, grouping: Grouping) -> exp.Select | None:
    """Return the query of the rows by which others are pruned; None where that is no help."""
    return pruned.low_query(names, grouping, _grouped(names, grouping))


def _grouped(names: Names, grouping: Grouping) -> exp.Select:
    """Return the rows that a grouping wants, with the number of their group."""
    group = names.group(grouping.by, names.position)
    values = [names.steps(value) for value in grouping.columns]
    found = picked(f"{PREFIX}_rows", "u", exp.alias_(group, "g"), *values)
    if names.is_alone:
        return found
    there = [is_there(names.position(key)) for key in grouping.by]
    return found.where(*there, *names.passes(grouping.where), copy=False)


def _at_once(
    names: Names, grouping: Grouping, source: exp.Select, values: Sequence[exp.Column]
) -> exp.Select:
    """Return what both limits leave, of rows with the hash of their unit and group beside (h).

    Rows are sorted by h and their group. Only of units that may have a group with too many rows,
    which are few, are rows hashed and sorted by their content.

    Proof. Let r be the rank of a group in its unit, and n the place of a row among all of the unit,
    where rows of a group stand in any order. Before the last of c rows of a group stand the others
    of it, and one row at least of each of r - 1 groups: there n - r is at least c - 1. So in a unit
    without a row where n - r reaches the limit, no group has more rows than it. Of whatever other
    unit, what stays is chosen by content.
    """
    by_group = [exp.column("h"), exp.column("g")]
    columns = [exp.column(name) for name in ("u", "g", *(value.name for value in values))]
    most, limit = whole(grouping.max_groups or 0), grouping.max_rows_per_group
    ranks = {"r": _ranked(exp.DenseRank(), by_group)}
    if limit is not None:
        ranks["n"] = _ranked(exp.RowNumber(), by_group)
    listed = [exp.alias_(rank, name) for name, rank in ranks.items()]
    ranked = exp.select(*columns, *listed, copy=False)
    ranked.from_(source.subquery("a", copy=False), copy=False)
    first = _within(ranked, columns, [exp.LTE(this=exp.column("r"), expression=most)])
    if limit is None:
        return first
    more = exp.Sub(this=exp.column("n"), expression=exp.column("r"))
    return _in_groups(names, first.select(exp.alias_(more, "m"), copy=False), columns, limit)


def _in_groups(
    names: Names, first: exp.Select, columns: Sequence[exp.Column], limit: int
) -> exp.Select:
    """Return what the limit of rows in a group leaves, of rows with a number (m) beside.

    Where m stays below the limit in all of a unit, all its rows stay.
    """
    of_first, often = f"{PREFIX}_first", f"{PREFIX}_often"
    many = exp.GTE(this=exp.column("m"), expression=whole(limit))
    unfit = picked(of_first, "u").where(many, copy=False).group_by(exp.column("u"), copy=False)
    among = exp.column("u").isin(query=picked(often, "u"))
    few, rest = (picked(of_first, *(one.copy() for one in columns)) for _ in range(2))
    rest = rest.where(among, copy=False)
    chosen = _first(names, rest, "ROW_NUMBER", ["u", "g"], columns[2:], limit)
    few = few.where(exp.not_(among.copy()), copy=False)
    both = exp.Union(this=few, expression=chosen, distinct=False)
    found = exp.select(*(one.copy() for one in columns), copy=False)
    found.from_(both.subquery("c", copy=False), copy=False)
    add_step(found, of_first, first, is_stored=True)
    add_step(found, often, unfit, is_stored=True)
    return found


def _ranked(function: exp.Expression, order: Sequence[exp.Expression]) -> exp.Window:
    """Return a rank among the rows of a unit."""
    ordered = [ascending(one.copy()) for one in order]
    unit = [exp.column("u")]
    return exp.Window(this=function, partition_by=unit, order=exp.Order(expressions=ordered))


def _first(
    names: Names,
    query: exp.Select,
    rank: str,
    part: Sequence[str],
    content: Sequence[exp.Expression],
    limit: int,
) -> exp.Select:
    """Return the rows whose rank in their part, by hash and then content, is within the limit."""
    columns = [exp.column(found.alias_or_name) for found in query.selects]
    dialect, hashed_names = names.reader.dialect, [*part, *_names(content, part)]
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
    return _within(inner, columns, [within])


def _within(
    ranked: exp.Select, columns: Sequence[exp.Column], within: Sequence[exp.Expression]
) -> exp.Select:
    """Return these columns of the ranked rows that are within their limits."""
    found = exp.select(*(column.copy() for column in columns), copy=False)
    found.from_(ranked.subquery("b", copy=False), copy=False)
    return found.where(*within, copy=False)


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


def _names(content: Sequence[exp.Expression], part: Sequence[str]) -> list[str]:
    return [cell.name for cell in content if cell.name not in part]
