"""What another engine has no word for, exchanged in a query that is built in DuckDB's meaning.

Rules of this module:
- each exchange keeps the meaning: the same rows, the same whole numbers;
- only whole numbers of at least 0 are divided, so that a quotient cut off is one rounded down.
"""

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
        for part in list(query.find_all(exp.Subquery)):
            if not any(one.find(exp.Window) for one in part.this.selects):  # these stay apart
                part.this.set("offset", exp.Offset(expression=whole(0)))
    if not dialect.has_asof:
        for join in list(query.find_all(exp.Join)):
            if join.args.get("method") == "ASOF":
                _exchange_nearest(join)
    return query


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
