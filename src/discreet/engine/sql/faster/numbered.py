"""Rows chosen one by one by content, where equal rows of a part are numbered: in little work.

Rules of this module:
- which rows stay is what `ranked.first_of` says, whatever is done here: no integer changes;
- how it is found out hangs on the declaration alone, never on rows.

Proofs. A row's place is its hash, its content and its number; the first of equal rows is hashed
without a number, or with the first one, which is known before any row is counted.
`_by_one_sort`: a first row before which as many contents stand, by that hash, as rows may stay has
as many rows before it. It cannot stay, so that all but the first ones and later ones are dropped
before they are sorted a second time. `_by_groups`: equal rows are one group and its size, and are
made again from it. `_without_last`: of the hashes of a part's rows each is of one row, so no row
beyond the smallest ones stays (`pruned`).

Decisions 67, 71.
"""

from collections.abc import Sequence
from math import prod

from sqlglot import exp

from ...portable_sample import AGAIN
from ..columns import PREFIX, Names
from ..ranked import first_of, hashed_beside, within_limits
from ..tree import add_step, ascending, called, picked, to_type, whole
from .pruned import LOW, cut_query, low_rows, prunes_rows
from .pruned import below as below_cut

_FEW = 2**12  # contents up to which equal rows are taken to be many
_NUMBER, _HASH = "a", "h"


def first_by_content(
    names: Names,
    query: exp.Select,
    part: Sequence[str],
    content: Sequence[exp.Expression],
    limit: int,
) -> exp.Select:
    """Return the first rows of each part by the hash of their part, content and number."""
    if not names.reader.dialect.speed.one_sort or not content:
        return first_of(names, query, "ROW_NUMBER", part, content, limit)
    steps: dict[str, exp.Query] = {}
    columns = [*part, *hashed_beside(content, part)]
    before = AGAIN if names.table.unit.max_rows is not None and [*part] != ["u"] else 0
    if _contents(names, content) <= _FEW:
        rows = _by_groups(names, query, columns, before, steps)
    else:
        rows = _by_one_sort(names, query, part, columns, limit, before)
    if [*part] == ["u"] and prunes_rows(names, limit):
        rows = _without_last(names, rows, columns, limit, steps)
    order = [_HASH, *hashed_beside(content, part), _NUMBER]
    place = _window(exp.RowNumber(), part, order)
    ranked = picked(rows.subquery("a", copy=False), *columns, exp.alias_(place, "r"))
    within = exp.LTE(this=exp.column("r"), expression=whole(limit))
    first = within_limits(ranked, [exp.column(name) for name in columns], [within])
    for name, step in steps.items():
        add_step(first, name, step, is_stored=True)
    return first


def _contents(names: Names, content: Sequence[exp.Expression]) -> int:
    """Return how many contents a row may have, as it is declared."""
    table = names.table
    sizes = {names.position(key).name: len(table.keys[key]) + 1 for key in names.by}
    for value in names.values:
        bounds = table.columns[value]
        sizes[names.steps(value).name] = bounds.upper_step - bounds.lower_step + 2
    return prod(sizes.get(cell.name, 3) for cell in content)


def _by_groups(
    names: Names,
    query: exp.Select,
    columns: Sequence[str],
    before: int,
    steps: dict[str, exp.Query],
) -> exp.Query:
    """Return rows with their number and hash, made again from the size of each group of equals."""
    equal, size = f"{PREFIX}_equal", exp.column("n")
    count = exp.alias_(exp.Count(this=exp.Star()), "n")
    groups = picked(query.subquery("e", copy=False), *columns, count)
    steps[equal] = groups.group_by(*(exp.column(name) for name in columns), copy=False)
    number = exp.alias_(to_type(whole(before + 1), "BIGINT"), _NUMBER)
    first = picked(equal, *columns, number, exp.alias_(_first_hash(names, columns, before), _HASH))
    end = exp.Add(this=size, expression=whole(before + 1))
    others = called("UNNEST", called("RANGE", whole(before + 2), end))
    more = picked(equal, *columns, exp.alias_(others, _NUMBER))
    more.where(exp.GT(this=size.copy(), expression=whole(1)), copy=False)
    hashed = exp.alias_(_hash(names, [*columns, _NUMBER]), _HASH)
    later = picked(more.subquery("l", copy=False), *columns, _NUMBER, hashed)
    return exp.Union(this=first, expression=later, distinct=False)


def _by_one_sort(
    names: Names,
    query: exp.Select,
    part: Sequence[str],
    columns: Sequence[str],
    limit: int,
    before: int,
) -> exp.Query:
    """Return the rows that may be first, with their number and hash, of rows that are sorted once.

    The order is that of the first of equal rows, which the others follow at once.
    """
    first_hash = exp.alias_(_first_hash(names, columns, before), _HASH)
    hashed = picked(query.subquery("e", copy=False), *columns, first_hash)
    order = [_HASH, *(name for name in columns if name not in part)]
    place, first, which = (
        _window(function, part, order)
        for function in (exp.RowNumber(), exp.Anonymous(this="RANK"), exp.DenseRank())
    )
    number = exp.Add(this=exp.Sub(this=place, expression=first), expression=whole(before + 1))
    ranked = picked(
        hashed.subquery("f", copy=False),
        *columns,
        _HASH,
        exp.alias_(number, _NUMBER),
        exp.alias_(which, "d"),
    )
    is_later = exp.GT(this=exp.column(_NUMBER), expression=whole(before + 1))
    own = exp.Case().when(is_later, _hash(names, [*columns, _NUMBER])).else_(exp.column(_HASH))
    some = picked(ranked.subquery("c", copy=False), *columns, _NUMBER, exp.alias_(own, _HASH))
    among = exp.LTE(this=exp.column("d"), expression=whole(limit))
    return some.where(exp.or_(among, is_later.copy()), copy=False)


def _without_last(
    names: Names,
    rows: exp.Query,
    columns: Sequence[str],
    limit: int,
    steps: dict[str, exp.Query],
) -> exp.Query:
    """Return rows up to the last hash that stays of their unit, where that is looked for."""
    every, low, cuts = f"{PREFIX}_every", LOW, f"{PREFIX}_cut"
    steps[every] = rows
    steps[low] = low_rows(names, picked(every, "u", _HASH))
    steps[cuts] = cut_query(names, low, limit, of_rows=True)
    return below_cut(picked(every, *columns, _NUMBER, _HASH), cuts)


def _window(function: exp.Expression, part: Sequence[str], order: Sequence[str]) -> exp.Window:
    ordered = [ascending(exp.column(name)) for name in order]
    whose = [exp.column(name) for name in part]
    return exp.Window(this=function, partition_by=whose, order=exp.Order(expressions=ordered))


def _first_hash(names: Names, columns: Sequence[str], before: int) -> exp.Expression:
    """Return the hash of the first of equal rows."""
    return _hash(names, columns, *([whole(before + 1)] if before else []))


def _hash(names: Names, columns: Sequence[str], *more: exp.Expression) -> exp.Expression:
    return names.reader.dialect.hash_of([*(exp.column(name) for name in columns), *more])
