"""The first steps of the query: the used cells of each row, and what expressions make of them.

Rules of this module:
- where nothing is derived and no condition is put, it is one step, as it always was;
- a row that the table's condition is not true of is gone here, before anything is chosen among
  rows, as is one that the condition which all questions share is not true of where a row is the
  unit; the other conditions of questions are worked out here, and tested when rows have been
  chosen.
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from ...errors import InputError, shown
from ...expressions import Typed
from ...expressions.literals import day_of
from ...schema import Key, Table, value_tree
from ..parts import tables_of
from .cells import Reader
from .columns import PREFIX, Names
from .dialect import Dialect
from .expression_cells import Layered, Read
from .expression_sql import Layers
from .faster.predicate_pushdown import sifted
from .grid import on_grid, on_grid_by_ends
from .matching import Match, match_of
from .tree import is_there, to_type, whole

Named = tuple[str, exp.Select]
_TRIED = ("duckdb", "postgres", "spark")  # engines on which random expressions were compared
MADE = "VARCHAR"  # the type of keys that are made of several columns
_ENGINE = {"number": "DOUBLE", "text": "VARCHAR", "truth": "BOOLEAN"}


def derived_match(table: Table, key: str, keys: Sequence[Key], reader: Reader) -> Match:
    """Return how a derived column is matched with its keys: a day by how many days it counts."""
    kind = table.derived[key].tree.kind
    if kind != "day":
        return match_of(key, tuple(keys), _ENGINE[kind], reader)
    return Match(_same, _same, _same, [day_of(str(text)) for text in keys])


def _same(cell: exp.Expression) -> exp.Expression:
    return cell


def steps_of(names: Names, source: exp.Expression) -> list[Named]:
    """Return the steps that bring the used cells of each row that has a unit and counts.

    Without the conditions in `filters` a row counts for no question.
    Keys are as they are, values on the grid, conditions 0, 1, or 2 where they are unknown.
    """
    layers, own = _layers(names), names.table.condition
    filters = [*([own.tree] if own else []), *([names.shared] if names.shared else [])]
    if names.reader.dialect.name not in _TRIED:
        _check_tried(names, layers, filters)
    holds = [_filter(layers, condition).said for condition in filters]
    read = exp.select(exp.alias_(whole(1), "one", copy=False), copy=False)
    read.from_(exp.alias_(source, "s"), copy=False)
    ready = exp.select(exp.column("one"), copy=False)
    unit = names.table.unit.column
    if unit is not None:
        cell = names.reader.own.get(unit, names.reader).unit(
            names.cell("unit", unit), names.kinds[unit]
        )
        read.select(exp.alias_(cell, "u", copy=False), copy=False)
        ready.select(exp.column("u"), copy=False).where(is_there(exp.column("u")), copy=False)
    _select_keys(names, read, ready)
    _select_values(names, read, ready)
    for number in range(len(names.tests)):
        held = exp.column(f"b{number}")
        test = held if names.are_rows else _settled(held)
        ready.select(exp.alias_(test, f"t{number}", copy=False), copy=False)
    ready.where(*(condition.copy() for condition in holds), copy=False)
    for name, cell in layers.columns[0].items():
        read.select(exp.alias_(cell, name, copy=False), copy=False)
    steps = [(f"{PREFIX}_read", read)]
    if len(layers.columns) > 1:
        steps += _steps(layers, names.reader.dialect)
    if names.reader.dialect.is_fenced:
        made = any(
            condition.vouched is not None for condition in tables_of(names.table)
        )  # perhaps a view
        for _, query in steps if made else steps[:-1]:
            query.offset(0, copy=False)
    name, last = steps.pop()
    ready.from_(last.subquery(name, copy=False), copy=False)
    return [*steps, (f"{PREFIX}_cells", ready)]


def _check_tried(names: Names, layers: Layers, filters: Sequence[Typed]) -> None:
    """Refuse expressions on an engine where they have not been compared with the reference."""
    if filters or layers.columns != [{}]:
        raise InputError(
            f"{shown(names.table.name)} has a filter or a derived column, and lies on "
            f"{names.reader.dialect.name}.",
            kind="engine-cannot",
            why="there no test compares what expressions give with the reference",
            fix="write the rows to Parquet, and declare them there",
        )


def _layers(names: Names) -> Layers:
    """Return the layers of all that is made of a row and used."""
    derived = names.table.trees
    reader = Read(names.reader, names.cell, names.kinds)
    layers = Layers(reader, derived, names.reader.dialect.as_bytes)
    for number, name in enumerate(names.by):
        if name in derived:
            layers.place(f"k{number}", layers.of(Typed("column", derived[name].kind, value=name)))
    for number, name in enumerate(names.values):
        tree = value_tree(names.table, name)
        if tree is not None:
            layers.place(f"v{number}", layers.of(tree))
    for number, test in enumerate(names.tests):
        layers.place(f"b{number}", _filter(layers, test) if names.are_rows else layers.of(test))
    return layers


def _filter(layers: Layers, condition: Typed) -> Layered:
    """Return what is true where a condition is; where it is not, this need not say in which way."""
    return (sifted if layers.read.reader.dialect.speed.sifts else Layers.of)(layers, condition)


def _select_keys(names: Names, read: exp.Select, ready: exp.Select) -> None:
    made = names.table.trees
    for number, (key, match) in enumerate(names.matches.items()):
        name = f"k{number}"
        if key in made:
            cell = match.raw(exp.column(name))
            ready.select(exp.alias_(cell, name, copy=False), copy=False)
            continue
        cell = match.raw(names.cell("key", key))
        read.select(exp.alias_(cell, name, copy=False), copy=False)
        ready.select(exp.column(name), copy=False)


def _select_values(names: Names, read: exp.Select, ready: exp.Select) -> None:
    for number, value in enumerate(names.values):
        cell: exp.Expression = exp.column(f"v{number}")
        made = value_tree(names.table, value)
        if made is None:
            measured = names.reader.own.get(value, names.reader).measured(
                names.cell("value", value), names.kinds[value]
            )
            read.select(exp.alias_(measured, f"v{number}", copy=False), copy=False)
        elif made.kind == "truth":
            cell = to_type(cell, "DOUBLE")
        lay = on_grid if names.reader.dialect.is_total else on_grid_by_ends
        steps = lay(cell, names.table.columns[value])
        ready.select(exp.alias_(steps, f"q{number}", copy=False), copy=False)


def _settled(condition: exp.Column) -> exp.Expression:
    """Return a truth value as a whole number: 0, 1, or 2 where it is unknown."""
    unknown = exp.Is(this=condition.copy(), expression=exp.Null())
    return exp.Case().when(unknown, whole(2)).when(condition.copy(), whole(1)).else_(whole(0))


def _steps(layers: Layers, dialect: Dialect) -> Iterator[Named]:
    """Yield a step for each layer above the one that reads."""
    below = f"{PREFIX}_read"
    for number, columns in enumerate(layers.columns[1:], start=1):
        query = exp.select(exp.Star(), *dialect.layer(columns), copy=False).from_(below)
        below = f"{PREFIX}_made_{number}"
        yield below, query
