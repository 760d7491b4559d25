"""Small pieces of syntax trees, which every part of the query is put together from."""

from functools import cache

from sqlglot import exp


def whole(value: int) -> exp.Expression:
    """Return a whole number as a literal."""
    literal = exp.Literal.number(abs(value))
    return exp.Neg(this=literal) if value < 0 else literal


def is_there(cell: exp.Expression) -> exp.Expression:
    """Return the condition that a cell is not NULL."""
    return exp.Not(this=exp.Is(this=cell, expression=exp.Null()))


def paren(part: exp.Expression) -> exp.Expression:
    """Return a part in parentheses; the part itself, not a copy."""
    return exp.paren(part, copy=False)


def column(name: str, table: str) -> exp.Column:
    """Return a column of the data, quoted."""
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def ascending(cell: exp.Expression) -> exp.Ordered:
    """Return the order from the least on, NULL first: said in full, whatever the default is.

    A connection of the user's may have a default of its own (`default_order`).
    """
    return exp.Ordered(this=cell, desc=False, nulls_first=True)


def to_type(cell: exp.Expression, kind: str, *, dialect: str | None = None) -> exp.Expression:
    """Return a cell cast to a type, by the name that it has in a dialect."""
    return exp.cast(cell, _type(kind, dialect))


@cache
def _type(kind: str, dialect: str | None) -> exp.DataType:
    """Return a type, whose name is parsed once: a query has dozens of casts to a few types."""
    return exp.DataType.build(kind, dialect=dialect)


def picked(source: str | exp.Expression, *what: str | exp.Expr) -> exp.Select:
    """Return the query of columns, by name, and of expressions, of a table, by name, or a part.

    No name is parsed: `exp.select` parses each text, which took half of the time to build a query.
    """
    listed = [exp.column(one) if isinstance(one, str) else one for one in what]
    read = exp.table_(source) if isinstance(source, str) else source
    return exp.select(*listed, copy=False).from_(read, copy=False)


def add_step(query: exp.Query, name: str, step: exp.Query, *, is_stored: bool | None) -> None:
    """Name a step before a query that reads it.

    Args:
        is_stored: whether it is made once for all its readers, or anew for each; None to leave that
            to the engine.
    """
    alias = exp.TableAlias(this=exp.to_identifier(name))
    query.with_(alias, step, materialized=is_stored, copy=False)


def called(function: str, *arguments: exp.Expression) -> exp.Expression:
    """Return the call of a function that is said alike to every engine, or to one."""
    return exp.Anonymous(this=function, expressions=list(arguments))


def matches(text: exp.Expression, pattern: str) -> exp.Expression:
    """Return the condition that a text matches a regular expression."""
    return exp.RegexpLike(this=text, expression=exp.Literal.string(pattern))
