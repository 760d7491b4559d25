"""Which rows of a unit stay: chosen by a keyed hash of their content, never by their position.

Rules of this module:
- every choice looks at the rows of one unit only, so one unit's rows decide only their own fate;
- every order is total by content: rows that tie are equal in all that is used of them, and are
  numbered, so that each row of a unit is as likely to stay as any other;
- nothing is chosen where no limit can bind.

Decisions 4, 67.
"""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from ...aggregate import Aggregate
from ..protocol import Grouping
from .columns import PREFIX, Names
from .faster import one_row, pruned
from .faster.numbered import first_by_content
from .ranked import first_of, rank_in_unit, within_limits
from .tree import add_step, is_there, picked, whole


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
    return first_by_content(names, keyed, ["u"], content, most)


def _wanted(names: Names, grouping: Grouping) -> list[exp.Expression]:
    """Return what makes a row count for a grouping; nothing where each row does."""
    there = [names.is_placed(key) for key in grouping.by]
    return [*there, *names.passes(grouping.where)]


def kept(
    names: Names, grouping: Grouping, aggregates: Iterable[Aggregate], cuts: str | None
) -> exp.Select:
    """Return the rows in the groups of a grouping that its limits leave of each unit.

    Args:
        names: the engine's hashes among them.
        grouping: whose rows are wanted.
        aggregates: what is counted of them.
        cuts: the step of `cut_query`, where rows are pruned by it.
    """
    query = grouped(names, grouping)
    if _is_found(names, grouping, aggregates):
        return one_row.of_units(names, query)
    values = [names.steps(value) for value in grouping.columns]
    if grouping.max_groups is not None and names.reader.dialect.speed.one_sort:
        hashed = pruned.hashed(names, query)
        rest = hashed if cuts is None else pruned.below(hashed, cuts)
        first = at_once(grouping, rest, exp.column("h"), values)
        limit = grouping.max_rows_per_group
        return first if limit is None else _in_groups(names, first, values, limit)
    if grouping.max_groups is not None:
        most, query = grouping.max_groups, pruned.few(names, query, cuts)
        query = first_of(names, query, "DENSE_RANK", ["u"], [exp.column("g")], most)
    if grouping.max_rows_per_group is not None:
        limit = grouping.max_rows_per_group
        query = first_by_content(names, query, ["u", "g"], values, limit)
    return query


def low_query(
    names: Names, grouping: Grouping, aggregates: Iterable[Aggregate]
) -> exp.Select | None:
    """Return the query of the rows by which others are pruned; None where that is no help."""
    if _is_found(names, grouping, aggregates):
        return None
    return pruned.low_query(names, grouping, grouped(names, grouping))


def _is_found(names: Names, grouping: Grouping, aggregates: Iterable[Aggregate]) -> bool:
    """Say whether one row of each unit is enough, and is found without a sort."""
    return names.reader.dialect.speed.first is not None and one_row.is_enough(grouping, aggregates)


def grouped(names: Names, grouping: Grouping) -> exp.Select:
    """Return the rows that a grouping wants, with the number of their group."""
    group = names.group(grouping.by, names.position)
    values = [names.steps(value) for value in grouping.columns]
    query = picked(f"{PREFIX}_rows", "u", exp.alias_(group, "g"), *values)
    if names.is_alone:
        return query
    there = [is_there(names.position(key)) for key in grouping.by]
    return query.where(*there, *names.passes(grouping.where), copy=False)


def at_once(
    grouping: Grouping,
    source: exp.Select,
    hashed: exp.Expression,
    values: Sequence[exp.Column],
    *,
    is_numbered: bool = False,
) -> exp.Select:
    """Return the rows in the groups that stay of each unit, and m where rows in each are limited.

    Rows are sorted by the hash of their unit and group, and their group. Only of units that may
    have a group with too many rows, which are few, need rows be hashed and sorted by their content.

    Proof. Let r be the rank of a group in its unit, and n the place of a row among all of the unit,
    where rows of a group stand in any order. Before the last of c rows of a group stand the others
    of it, and one row at least of each of r - 1 groups: there n - r (m) is at least c - 1. So in a
    unit without a row where m reaches the limit, no group has more rows than it. Of whatever other
    unit, what stays is chosen by content.

    Args:
        hashed: of a unit and a group.
        is_numbered: whether n is brought beside m.
    """
    by_group = [hashed, exp.column("g")]
    columns = kept_columns(values)
    ranks = {"r": rank_in_unit(exp.DenseRank(), by_group)}
    if grouping.max_rows_per_group is not None:
        ranks["n"] = rank_in_unit(exp.RowNumber(), by_group)
    listed = [exp.alias_(rank, name) for name, rank in ranks.items()]
    ranked = exp.select(*columns, *listed, copy=False)
    ranked.from_(source.subquery("a", copy=False), copy=False)
    most = whole(grouping.max_groups or 0)
    first = within_limits(ranked, columns, [exp.LTE(this=exp.column("r"), expression=most)])
    if "n" not in ranks:
        return first
    more = exp.Sub(this=exp.column("n"), expression=exp.column("r"))
    first.select(exp.alias_(more, "m"), copy=False)
    return first.select(exp.column("n"), copy=False) if is_numbered else first


def _in_groups(
    names: Names, first: exp.Select, values: Sequence[exp.Column], limit: int
) -> exp.Select:
    """Return what the limit of rows in a group leaves, of rows with a number (m) beside.

    Where m stays below the limit in all of a unit, all its rows stay.
    """
    of_first, often = f"{PREFIX}_first", f"{PREFIX}_often"
    many = exp.GTE(this=exp.column("m"), expression=whole(limit))
    unfit = picked(of_first, "u").where(many, copy=False).group_by(exp.column("u"), copy=False)
    few = picked(of_first, *kept_columns(values))
    few.where(exp.not_(exp.column("u").isin(query=picked(often, "u"))), copy=False)
    chosen = _chosen(names, of_first, often, values, limit)
    both = exp.Union(this=few, expression=chosen, distinct=False)
    query = picked(both.subquery("c", copy=False), *kept_columns(values))
    add_step(query, of_first, first, is_stored=True)
    add_step(query, often, unfit, is_stored=True)
    return query


def _chosen(
    names: Names, source: str, often: str, values: Sequence[exp.Column], limit: int
) -> exp.Select:
    """Return the rows that are the first ones of each group by content, of units in a step."""
    rest = picked(source, *kept_columns(values))
    rest.where(exp.column("u").isin(query=picked(often, "u")), copy=False)
    return first_of(names, rest, "ROW_NUMBER", ["u", "g"], values, limit)


def kept_columns(values: Sequence[exp.Column]) -> list[exp.Column]:
    """Return what rows hold that are chosen by their group: u, g, and their values."""
    return [exp.column(name) for name in ("u", "g", *(value.name for value in values))]
