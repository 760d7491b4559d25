"""What an expression is: its type, what it reads, and what each engine of SQL is told; no data.

What a cell that somebody types would mean in each declared column: no data is opened.

Rules of this module:
- the columns are given the types of a table that suits the expression; those of a real source may
  add a cast to the first step, and to no other;
- the cell is read as one of a CSV file, in the way that the table declares, by the functions that
  the reference engine reads with.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from ..exact.number import text_of
from ..expressions import Expression, Kind, KnownNames, Typed, expression, settled, typed
from ..expressions.kinds import WORDS
from ..schema import Table, Unknown, names_of
from ..schema.bounds import end_text
from ..schema.csv_options import DEFAULT, CsvOptions
from ..schema.derived import formulas
from . import spelled
from .csv.header import cell_of
from .evaluate import read_as
from .key_matcher import matcher_of
from .memory import in_steps
from .postgres.dialect import POSTGRES
from .spark.dialect import SPARK
from .sql.cells import LINES, Reader
from .sql.columns import plain_cell
from .sql.dialect import DUCKDB, Dialect
from .sql.dialect_rewrites import spoken
from .sql.expression_cells import Read
from .sql.expression_sql import Layers


@dataclass(frozen=True, slots=True)
class Meaning:
    """How a column reads a cell.

    Attributes:
        column: its name.
        role: what it is declared as: "bounds", "keys" or "unit"; or "read by an expression".
        value: what the cell is there; None where it is missing or matches no key.
        said: the same in words.
    """

    column: str
    role: str
    value: str | None
    said: str


def meanings(table: Table, raw: str, asked: Iterable[Typed] = ()) -> list[Meaning]:
    """Return what a cell means in each column that a table declares or an expression reads.

    Args:
        table: the declaration; its source is not looked at.
        raw: the cell as it stands between two separators of a file.
        asked: the conditions of questions.
    """

    def text(column: str) -> str | None:
        return cell_of(raw, table.csv_of(column))

    unit = table.unit.column
    entries = [] if unit is None else [_unit(unit, text(unit))]
    entries += [
        _number(table, column, text(column))
        for column in table.columns
        if column not in table.derived
    ]
    entries += [
        _found(column, table.unknown[column], text(column))
        if column in table.unknown
        else _key(table, column, text(column))
        for column in table.keys
        if table.made(column) is None
    ]
    listed = {entry.column for entry in entries}
    return entries + [
        _read(leaf, text(leaf.value), table.csv_of(leaf.value))
        for leaf in reads(table, asked)
        if leaf.value not in listed
        or (leaf.kind in ("day", "moment") and leaf.value not in table.columns)
    ]


def reads(table: Table, asked: Iterable[Typed] = ()) -> list[Typed]:
    """Return the columns of the data that expressions look at, each as what it is read as."""
    trees = [*asked, *(leaf.tree for leaf in formulas(table))]
    trees += [tree for tree in table.trees.values() if tree not in trees]
    read = dict.fromkeys(leaf for tree in trees for leaf in tree.columns())
    return sorted(
        (leaf for leaf in read if leaf.value not in table.trees),
        key=lambda leaf: (leaf.value, leaf.kind),
    )


def _read(leaf: Typed, text: str | None, csv: CsvOptions) -> Meaning:
    """Return what a cell is for an expression that looks at its column."""
    held = spelled.double(text, csv) if text is not None and leaf.kind in _NUMBERS else text
    value_read = read_as(held, leaf.kind, csv)
    if value_read is None:
        return Meaning(leaf.value, _ROLE, None, f"missing: no {_WORDS[leaf.kind]}")
    value = str(value_read)
    if leaf.kind in ("day", "moment"):
        value = end_text(Fraction(int(value_read)), "day" if leaf.kind == "day" else "moment")
    elif leaf.kind == "number":
        value = text_of(Fraction(value_read))
    elif leaf.kind == "truth":
        value = str(value_read).lower()
    words = repr(value) if leaf.kind in ("text", "label") else value
    return Meaning(leaf.value, _ROLE, value, f"the {_WORDS[leaf.kind]} {words}")


_ROLE = "read by an expression"
_NUMBERS = ("number", "truth")
_WORDS: dict[Kind, str] = {
    "number": "number",
    "truth": "truth value",
    "text": "text",
    "label": "text",
    "day": "day",
    "moment": "moment",
    "any": "cell",
}


def _unit(column: str, text: str | None) -> Meaning:
    words = "nobody: the row is left out" if text is None else f"the unit {text!r}"
    return Meaning(column, "unit", text, words)


def _number(table: Table, column: str, text: str | None) -> Meaning:
    bounds = table.columns[column]
    what = {"number": "the number ", "day": "the day ", "moment": "the moment "}[bounds.kind]
    csv = table.csv_of(column)
    number = None if text is None else spelled.double(text, csv)
    if bounds.kind != "number":
        counted = read_as(text, bounds.kind, csv)
        number = float(counted) if isinstance(counted, int) else None  # exact: whole, below 2^53
    steps = None if number is None else in_steps(number, bounds)
    if number is None and bounds.missing is not None:
        value = bounds.said(bounds.missing)
        return Meaning(column, "bounds", value, f"missing, which counts as {what}{value}")
    if number is None or steps is None:
        return Meaning(column, "bounds", None, "missing: it is in no sum, mean or histogram")
    value = bounds.said(steps * bounds.step)
    moved = "" if bounds.lower <= number <= bounds.upper else ", moved to its bound"
    return Meaning(column, "bounds", value, f"{what}{value}{moved}")


def _key(table: Table, column: str, text: str | None) -> Meaning:
    keys = table.keys[column]
    place = matcher_of(table, column)(text)
    if place is None:
        return Meaning(column, "keys", None, "no key: the row is in no group")
    return Meaning(column, "keys", str(keys[place]), f"the key {keys[place]!r}")


def _found(column: str, declared: Unknown, text: str | None) -> Meaning:
    """Return what a cell means where nobody knows the keys: which it would count for."""
    key = declared.missing if text is None else text
    if key is None:
        return Meaning(column, "keys", None, "no key: the row is in no group")
    if key == declared.other or len(key) > declared.longest:
        return Meaning(
            column, "keys", declared.other, f"the group of all others, {declared.other!r}"
        )
    words = f"the key {key!r} where it is found, else the group of all others, {declared.other!r}"
    return Meaning(column, "keys", key, words)


_DIALECTS: dict[str, Dialect] = {"DuckDB": DUCKDB, "PostgreSQL": POSTGRES, "Spark": SPARK}
_TYPES: dict[Kind, str] = {
    "number": "DOUBLE",
    "text": "VARCHAR",
    "truth": "BOOLEAN",
    "day": "DATE",
    "moment": "TIMESTAMP",
    "any": "VARCHAR",
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
        InputError: the condition is not of the language; the message marks the place.
    """
    names = KnownNames() if table is None else names_of(table)
    parsed = settled(expression(text), names)
    tree = typed(parsed, names)
    made = {} if table is None else {name: column.tree for name, column in table.derived.items()}
    reads = _reads(tree, made)
    return ToldExpression(
        parsed,
        WORDS[tree.kind],
        tuple((name, WORDS[kind]) for name, kind in reads),
        {name: _query(tree, made, reads, dialect) for name, dialect in _DIALECTS.items()},
    )


def _reads(tree: Typed, made: Mapping[str, Typed]) -> tuple[tuple[str, Kind], ...]:
    """Return the columns of the data below a tree, also through derived columns."""
    trees, columns = [tree], dict[tuple[str, Kind], None]()
    while trees:
        for leaf in trees.pop().columns():
            if leaf.value in made:
                trees.append(made[leaf.value])
            else:
                columns[leaf.value, leaf.kind] = None
    return tuple(sorted(columns))


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
    name, query = "s", exp.select().from_(exp.alias_(exp.to_table("t"), "s"))
    for number, columns in enumerate(layers.columns):
        if number:
            before, name = query, f"layer_{number}"
            query = exp.select(exp.Star()).from_(before.subquery(name))
        query = query.select(*(dialect.layer if number else DUCKDB.layer)(columns))
    return exp.select("value").from_(query.subquery("made"))
