"""Small pieces of syntax trees, which every part of the query is put together from.

Rules of this module:
- a tree has one parent: an `Operand` is the tree itself where it is used first, and a copy wherever
  it is used again;
- operators put no parentheses: `par` does, where somebody says so.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from sqlglot import exp


def _operator(kind: type[exp.Expression]) -> "Callable[[Operand, Operand | int], Operand]":
    def put(left: "Operand", right: "Operand | int") -> "Operand":
        other = whole(right) if isinstance(right, int) else right.take()
        return Operand(kind(this=left.take(), expression=other))

    return put


class Operand:
    """A part of a query, put together with others by Python's operators.

    Attributes:
        is_used: whether the tree has a parent already, or may get one elsewhere.
    """

    __slots__ = ("_tree", "is_used")
    __hash__ = None  # type: ignore[assignment]  # two are compared in the query, and not here

    def __init__(self, tree: exp.Expression, *, is_used: bool = False) -> None:
        self._tree = tree
        self.is_used = is_used

    def take(self) -> exp.Expression:
        """Return the tree for one place."""
        if self.is_used:
            return self._tree.copy()
        self.is_used = True
        return self._tree

    def cast(self, kind: str) -> "Operand":
        """Return the part as a type."""
        return Operand(to_type(self.take(), kind))

    def __neg__(self) -> "Operand":
        return Operand(exp.Neg(this=self.take()))

    def __invert__(self) -> "Operand":
        return Operand(exp.Not(this=self.take()))

    __add__ = _operator(exp.Add)
    __sub__ = _operator(exp.Sub)
    __mul__ = _operator(exp.Mul)
    __floordiv__ = _operator(exp.IntDiv)
    __lt__ = _operator(exp.LT)
    __le__ = _operator(exp.LTE)
    __gt__ = _operator(exp.GT)
    __ge__ = _operator(exp.GTE)
    __eq__: Any = _operator(exp.EQ)
    __ne__: Any = _operator(exp.NEQ)
    __and__ = _operator(exp.And)
    __or__ = _operator(exp.Or)


def par(part: Operand) -> Operand:
    """Return a part in parentheses."""
    return Operand(paren(part.take()))


def number(value: int) -> Operand:
    """Return a whole number as a part."""
    return Operand(whole(value))


def if_(condition: Operand, then: Operand, other: Operand | None = None) -> Operand:
    """Return a part where a condition is true, and another one, or NULL, where it is not."""
    case = exp.Case().when(condition.take(), then.take(), copy=False)
    return Operand(case if other is None else case.else_(other.take(), copy=False))


def whole(value: int) -> exp.Expression:
    """Return a whole number as a literal."""
    literal = exp.Literal.number(abs(value))
    return exp.Neg(this=literal) if value < 0 else literal


def floored(count: Operand, by: int) -> Operand:
    """Return floor(count / by), of whole numbers of either sign."""
    down = number(-1) - par(par(number(-1) - par(count)) // by)
    return if_(count < 0, down, count // by)


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
    listed = [exp.column(cell) if isinstance(cell, str) else cell for cell in what]
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


def clamped(value: exp.Expression, low: int, high: int) -> exp.Expression:
    """Return a value moved into a range; NULL stays NULL."""
    below = exp.LT(this=value, expression=whole(low))
    above = exp.GT(this=value.copy(), expression=whole(high))
    case = exp.Case(default=value.copy()).when(below, whole(low), copy=False)
    return case.when(above, whole(high), copy=False)


def inside(place: exp.Expression, size: exp.Expression) -> exp.Condition:
    """Return the condition that a place is one of the first `size`."""
    return exp.and_(
        exp.GTE(this=place, expression=whole(0)),
        exp.LT(this=place.copy(), expression=size),
        copy=False,
    )
