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
from .tree import ascending, is_there, whole


def rows(names: Names, groupings: Sequence[Grouping]) -> exp.Select:
    """Return the rows that some grouping wants, at most `max_rows` of each unit.

    Whether a condition holds is a stored whole number, and part of the content that rows are
    chosen by: so what is tested afterwards never depends on which of two equal rows has stayed.
    """
    table = names.table
    keyed = exp.select("c.u").from_(exp.to_table(f"{PREFIX}_cells").as_("c"))
    for number, key in enumerate(names.by):
        raw = exp.column(f"k{number}", table="c")
        keyed = names.on_key(keyed, key, raw, side="left")
        keyed.select(exp.alias_(names.found_position(key), f"i{number}"), copy=False)
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
    return _first(names, keyed, "ROW_NUMBER", ["u"], content, table.unit.max_rows)


def _wanted(names: Names, grouping: Grouping) -> list[exp.Expression]:
    """Return what makes a row count for a grouping; nothing where each row does."""
    there = [is_there(names.found_position(key)) for key in grouping.by]
    return [*there, *names.passes(grouping.where)]


def kept(names: Names, grouping: Grouping, cuts: str | None) -> exp.Select:
    """Return the rows in the groups of a grouping that its limits leave of each unit.

    Args:
        cuts: the step of `cut_query`, where rows are pruned by it.
    """
    found = _grouped(names, grouping)
    values = [names.steps(value) for value in grouping.columns]
    if cuts is not None and grouping.max_groups is not None:
        return _at_once(names, grouping, pruned.below(names, found, cuts), values)
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
    found = exp.select("u", exp.alias_(group, "g"), *values).from_(f"{PREFIX}_rows")
    there = [is_there(names.position(key)) for key in grouping.by]
    return found.where(*there, *names.passes(grouping.where), copy=False)


def _at_once(
    names: Names, grouping: Grouping, source: exp.Select, values: Sequence[exp.Column]
) -> exp.Select:
    """Return what both limits leave, by one sort.

    Rows are sorted by the hash of their group (h), their group, the hash of their content, and
    that. A row's place among all of its unit, less the place of the first of its group, is its
    place in its group.
    """
    by_group = [exp.column("h"), exp.column("g")]
    ranks = {"r": _ranked(exp.DenseRank(), by_group)}
    most = whole(grouping.max_groups or 0)
    within: list[exp.Expression] = [exp.LTE(this=exp.column("r"), expression=most)]
    if grouping.max_rows_per_group is not None:
        hashed = names.reader.dialect.hash_of(
            [exp.column("u"), exp.column("g"), *(exp.column(value.name) for value in values)]
        )
        ranks["f"] = _ranked(exp.Anonymous(this="RANK"), by_group)
        ranks["n"] = _ranked(exp.RowNumber(), [*by_group, hashed, *values])
        place = exp.Sub(this=exp.column("n"), expression=exp.column("f"))
        within.append(exp.LT(this=place, expression=whole(grouping.max_rows_per_group)))
    columns = [exp.column(name) for name in ("u", "g", *(value.name for value in values))]
    listed = [exp.alias_(rank, name) for name, rank in ranks.items()]
    inner = exp.select(*columns, *listed, copy=False)
    inner.from_(source.subquery("a", copy=False), copy=False)
    return _within(inner, columns, within)


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
    dialect = names.reader.dialect
    hashed = dialect.hash_of([exp.column(name) for name in [*part, *_names(content, part)]])
    if dialect.hashes_late:
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


def _names(content: Sequence[exp.Expression], part: Sequence[str]) -> list[str]:
    return [cell.name for cell in content if cell.name not in part]
