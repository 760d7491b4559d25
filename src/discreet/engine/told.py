"""What an expression is: its type, what it reads, and what each engine of SQL is told; no data.

Rules of this module:
- the columns are given the types of a table that suits the expression; those of a real source may
  add a cast to the first step, and to no other.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from ..expressions import Expression, Kind, KnownNames, Typed, expression, typed
from ..expressions.kinds import WORDS
from ..schema import Table, names_of
from ..schema.csv_options import DEFAULT
from .postgres.dialect import POSTGRES
from .spark.dialect import SPARK
from .sql.cells import LINES, Reader
from .sql.columns import plain_cell
from .sql.dialect import DUCKDB, Dialect
from .sql.expression_cells import Read
from .sql.layers import Layers
from .sql.spoken import spoken

_DIALECTS: dict[str, Dialect] = {"DuckDB": DUCKDB, "PostgreSQL": POSTGRES, "Spark": SPARK}
_TYPES: dict[Kind, str] = {
    "number": "DOUBLE",
    "text": "VARCHAR",
    "truth": "BOOLEAN",
    "day": "DATE",
    "moment": "TIMESTAMP",
}


@dataclass(frozen=True, slots=True)
class ToldExpression:
    """An expression, as engines are told it.

    Attributes:
        expression: in its one way to be written.
        gives: the type of its value.
        reads: the columns of the data that it looks at, each as what it is read as.
        queries: for each engine the query that works it out, or in words why it cannot.
    """

    expression: Expression
    gives: str
    reads: tuple[tuple[str, str], ...]
    queries: Mapping[str, str]


def told(text: str, table: Table | None = None) -> ToldExpression:
    """Return what an expression is to each engine.

    Args:
        text: what was typed.
        table: what is declared of its columns, and the derived ones that it may name.

    Raises:
        InputError: it is not of the language; the place is marked.
    """
    found = expression(text)
    tree = typed(found, KnownNames() if table is None else names_of(table))
    made = {} if table is None else {name: one.tree for name, one in table.derived.items()}
    reads = _reads(tree, made)
    return ToldExpression(
        found,
        WORDS[tree.kind],
        tuple((name, WORDS[kind]) for name, kind in reads),
        {name: _query(tree, made, reads, dialect) for name, dialect in _DIALECTS.items()},
    )


def _reads(tree: Typed, made: Mapping[str, Typed]) -> tuple[tuple[str, Kind], ...]:
    """Return the columns of the data below a tree, also through derived columns."""
    trees, found = [tree], dict[tuple[str, Kind], None]()
    while trees:
        for one in trees.pop().columns():
            if one.value in made:
                trees.append(made[one.value])
            else:
                found[one.value, one.kind] = None
    return tuple(sorted(found))


def _query(
    tree: Typed,
    made: Mapping[str, Typed],
    reads: tuple[tuple[str, Kind], ...],
    dialect: Dialect,
) -> str:
    kinds: dict[str, str] = {}
    for name, kind in reads:  # what is read in two ways has no type, as in a CSV file
        kinds[name] = _TYPES[kind] if kinds.get(name, _TYPES[kind]) == _TYPES[kind] else LINES
    if LINES in kinds.values() and dialect != DUCKDB:
        return "not there: a column that has a type is read in one way"
    read = Read(Reader(dialect, DEFAULT), plain_cell, kinds)
    layers = Layers(read, made, dialect.as_bytes)
    layers.place("value", layers.of(tree))
    return spoken(_steps(layers, dialect), dialect).sql(dialect=dialect.name)


def _steps(layers: Layers, dialect: Dialect) -> exp.Query:
    """Return a query that works out one layer after the other, each above the one before."""
    name, found = "s", exp.select().from_(exp.alias_(exp.to_table("t"), "s"))
    for number, columns in enumerate(layers.columns):
        if number:
            before, name = found, f"layer_{number}"
            found = exp.select(exp.Star()).from_(before.subquery(name))
        found = found.select(*(dialect.layer if number else DUCKDB.layer)(columns))
    return exp.select("value").from_(found.subquery("made"))
