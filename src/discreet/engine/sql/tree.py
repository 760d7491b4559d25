"""Small pieces of syntax trees, which every part of the query is put together from."""

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


def called(function: str, *arguments: exp.Expression) -> exp.Expression:
    """Return the call of a function that is said alike to every engine, or to one."""
    return exp.Anonymous(this=function, expressions=list(arguments))


def matches(text: exp.Expression, pattern: str) -> exp.Expression:
    """Return the condition that a text matches a regular expression."""
    return exp.RegexpLike(this=text, expression=exp.Literal.string(pattern))
