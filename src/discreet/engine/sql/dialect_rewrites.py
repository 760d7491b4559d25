"""What another engine has no word for, exchanged in a query that is built in DuckDB's meaning.

Rules of this module:
- each exchange keeps the meaning: the same rows, the same whole numbers;
- only whole numbers of at least 0 are divided, so that a quotient cut off is one rounded down.
"""

from collections.abc import Collection, Iterator, Mapping

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
            kind="column-type",
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
    stored, or a part that stays apart. There a column is a column, and so it is by each name that
    it has from there on. A list that rows are looked up in is apart: it is hashed, and not joined
    in a way that suits as many rows as the server expects.
    """
    made = _Made(query)
    for part in reversed(list(query.find_all(exp.Subquery))):
        is_list = isinstance(part.parent, exp.In)
        if not _is_apart(part) and (is_list or _is_named_twice(part, made.of(part.this))):
            part.this.set("offset", exp.Offset(expression=whole(0)))


def _is_apart(part: exp.Expression) -> bool:
    """Say whether no expression of a part is put in the place of its name."""
    return bool(part.this.args.get("offset")) or any(
        column.find(exp.Window, exp.Explode) for column in part.this.selects
    )


class _Made:
    """Which columns of a query's parts and steps are expressions, seen from what is settled."""

    def __init__(self, query: exp.Query) -> None:
        steps = [step for step in query.find_all(exp.CTE) if not step.args.get("materialized")]
        self._steps = {step.alias: step.this for step in steps}
        self._found: dict[int, frozenset[str]] = {}

    def of(self, read: exp.Query) -> frozenset[str]:
        """Return the names of a query's columns that are expressions.

        Each query is looked at once; what is settled later was taken for an expression.
        """
        if id(read) not in self._found:
            self._found[id(read)] = frozenset(self._of(read))
        return self._found[id(read)]

    def _of(self, read: exp.Query) -> Iterator[str]:
        if isinstance(read, exp.SetOperation):
            names, other = ([column.alias_or_name for column in arm.selects] for arm in _arms(read))
            is_alike = names == other and "*" not in names
            yield from frozenset().union(*map(self.of, _arms(read))) if is_alike else names
            return
        if read.args.get("group"):  # its condition would go below, and the server expect few rows
            yield from (column.alias_or_name for column in read.selects)
            return
        read_from = [read.args.get("from_"), *(read.args.get("joins") or [])]
        sources = [column.this for column in read_from if column is not None]
        below = {column.alias_or_name: self._of_source(column) for column in sources}
        for column in read.selects:
            expression = column.unalias()
            if isinstance(expression, exp.Cast) and expression.to.this == exp.DType.INT:
                expression = (
                    expression.this
                )  # of a whole number, the position of a key: nothing to work out
            if isinstance(expression, exp.Star) or isinstance(expression.this, exp.Star):
                yield from (name for names in below.values() for name in names)
            elif not (isinstance(expression, exp.Explode) or _is_plain(expression, below)):
                yield column.alias_or_name

    def _of_source(self, source: exp.Expression) -> frozenset[str]:
        """Return the columns of a table, a step or a part that are expressions."""
        if isinstance(source, exp.Subquery):
            return frozenset() if _is_apart(source) else self.of(source.this)
        is_step = not source.args.get("db")  # a table of the user's may be called like a step
        step = self._steps.get(source.name) if is_step else None
        return frozenset() if step is None else self.of(step)


def _arms(both: exp.SetOperation) -> tuple[exp.Query, exp.Query]:
    return both.left, both.right


def _is_plain(expression: exp.Expr, below: Mapping[str, Collection[str]]) -> bool:
    """Say whether an expression is a literal, or a column that is none in what it is read from."""
    if not isinstance(expression, exp.Column):
        return isinstance(expression, exp.Literal)
    sources = [below[expression.table]] if expression.table in below else below.values()
    return not any(expression.name in names or "*" in names for names in sources)


def _is_named_twice(part: exp.Expression, made: Collection[str]) -> bool:
    """Say whether what reads a part names one of these columns twice, or all of them by a star."""
    reader, named = part.parent_select, set[str]()
    if reader is None or not made:
        return False
    for node in reader.walk(prune=lambda below: below is part or isinstance(below, exp.With)):
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
            return True
        if isinstance(node, exp.Column) and node.name in made:
            if node.name in named:
                return True
            named.add(node.name)
    return "*" in made  # of parts put together: nobody knows which columns are expressions


def _exchange_wide(query: exp.Query, wide: str) -> None:
    """Let whole numbers of up to 128 bits be decimals without places.

    Narrow ones, divided by a literal, stay narrow: division of decimals is slow.
    """
    for division in list(query.find_all(exp.IntDiv)):
        kinds = {kind.this for kind in division.find_all(exp.DataType)}
        if division.expression.is_number and kinds and _WIDE not in kinds:
            left, other = division.this, division.expression
            division.replace(paren(exp.Div(this=left, expression=other, typed=True)))
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
