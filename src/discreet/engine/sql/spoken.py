"""What another engine has no word for, exchanged in a query that is built in DuckDB's meaning.

Rules of this module:
- each exchange keeps the meaning: the same rows, the same whole numbers;
- only whole numbers of at least 0 are divided, so that a quotient cut off is one rounded down.
"""

from collections.abc import Collection

from sqlglot import exp

from ...errors import InputError
from .dialect import Dialect
from .tree import paren, whole

_WIDE = exp.DType.INT128


def spoken(query: exp.Query, dialect: Dialect) -> exp.Query:
    """Exchange, in place, what an engine cannot be told, and return the query.

    Raises:
        InputError: it reads text as a day or a moment, which would fail on a cell there.
    """
    if not dialect.has_try and query.find(exp.TryCast):
        raise InputError(
            "an expression reads text as a day or a moment, which a server cannot do safely.",
            why="a cell that spells none would stop the count, and stand in the server's log",
            fix="store that column as a date or a timestamp, or compare it as text",
        )
    if dialect.wide is not None:
        _exchange_wide(query, dialect.wide)
    if dialect.is_fenced:
        _fence(query)
    if not dialect.has_asof:
        for join in list(query.find_all(exp.Join)):
            if join.args.get("method") == "ASOF":
                _exchange_nearest(join)
    return query


def _fence(query: exp.Query) -> None:
    """Tell parts apart whose expressions are named more than once by what reads them.

    From the innermost on, so that what a part reads is settled or not: a table, a step that is
    stored, or a part that stays apart. There a column is a column, and an expression elsewhere.
    """
    steps = {one.alias for one in query.find_all(exp.CTE) if not one.args.get("materialized")}
    for part in reversed(list(query.find_all(exp.Subquery))):
        if not _is_apart(part) and _is_named_twice(part, _made(part.this, steps)):
            part.this.set("offset", exp.Offset(expression=whole(0)))


def _is_apart(part: exp.Expression) -> bool:
    """Say whether no expression of a part is put in the place of its name."""
    return bool(part.this.args.get("offset")) or any(
        one.find(exp.Window) for one in part.this.selects
    )


def _made(read: exp.Query, steps: Collection[str]) -> set[str]:
    """Return the columns of a part that are expressions, and not read from what is settled."""
    if isinstance(read, exp.SetOperation):
        return {one.alias_or_name for one in read.selects}
    read_from = [read.args.get("from_"), *(read.args.get("joins") or [])]
    sources = [one.this for one in read_from if one is not None]
    is_settled = all(
        _is_apart(one) if isinstance(one, exp.Subquery) else one.name not in steps
        for one in sources
    )
    plain = (exp.Column, exp.Star, exp.Literal) if is_settled else ()
    return {one.alias_or_name for one in read.selects if not isinstance(one.unalias(), plain)}


def _is_named_twice(part: exp.Expression, made: Collection[str]) -> bool:
    """Say whether what reads a part names one of these columns twice, or all of them by a star."""
    reader, named = part.parent_select, set[str]()
    if reader is None or not made:
        return False
    for one in reader.walk(prune=lambda found: found is part or isinstance(found, exp.With)):
        if isinstance(one, exp.Star) and not isinstance(one.parent, exp.Count):
            return True
        if isinstance(one, exp.Column) and one.name in made:
            if one.name in named:
                return True
            named.add(one.name)
    return "*" in made  # of a part that is open: nobody knows which columns are expressions


def _exchange_wide(query: exp.Query, wide: str) -> None:
    """Let whole numbers of up to 128 bits be decimals without places.

    Narrow ones, divided by a literal, stay narrow: division of decimals is slow.
    """
    for division in list(query.find_all(exp.IntDiv)):
        kinds = {kind.this for kind in division.find_all(exp.DataType)}
        if division.expression.is_number and kinds and _WIDE not in kinds:
            one, other = division.this, division.expression
            division.replace(paren(exp.Div(this=one, expression=other, typed=True)))
    for kind in list(query.find_all(exp.DataType)):
        if kind.this == _WIDE:
            kind.replace(exp.DataType.build(wide))


def _exchange_nearest(join: exp.Join) -> None:
    """Join to the row whose range holds the value: from its step on, and below the next one."""
    value, known = join.args["on"].this, join.args["on"].expression
    above = exp.GTE(this=value, expression=known)
    end = exp.column("until", table=known.table)
    below = exp.LT(this=value.copy(), expression=end)
    join.set("method", None)
    join.set("on", exp.And(this=above, expression=below))
