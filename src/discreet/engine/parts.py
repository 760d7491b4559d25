"""The tables of a join, each as an engine opens it: which of its columns are read, and for what.

Rules of this module:
- a column is read of the table that gives it, and else of the first one, as the declaration says;
- columns by which rows find each other are links: text, or whole numbers, and compared as text is,
  byte by byte.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..aggregate import Aggregate, Measure
from ..errors import InputError, shown
from ..expressions import Typed
from ..fix import Do, Variable, call
from ..schema import ROW, Join, Table
from ..sensitivity import Sensitivity
from .protocol import key_columns, reads_of, used_columns, value_columns


@dataclass(frozen=True, slots=True)
class OneTable:
    """One table of a join: declared for its own columns, and a question that looks at them.

    Attributes:
        table: the declaration; its `links` are the columns by which rows find each other.
        aggregates: what is read of it.
        tells_units: whether all that is counted of the join is which units have which rows, and not
            how many of them.
    """

    table: Table
    aggregates: tuple[Aggregate, ...]
    tells_units: bool = False


def tables_of(table: Table) -> list[Table]:
    """Return the declared table, and one for each that is joined to it, none of them joined."""
    alone = replace(table, joins=())
    return [alone, *(_alone(alone, join) for join in table.joins)]


def _alone(first: Table, join: Join) -> Table:
    """Return a joined table by itself, with the way in which its cells are written."""
    verb = "owner" if join.kind == "owner" else "join"
    csv = first.csv if join.csv is None else join.csv
    alone = replace(first, source=join.source, name=join.name, csv=csv, declared_by=verb)
    return alone if join.part == first.part else replace(alone, part=join.part)


def parts_of(table: Table, aggregates: Sequence[Aggregate]) -> list[OneTable]:
    """Return the tables of a join, each with what is read of it; without a join the table."""
    if not table.joins:
        return [OneTable(table, tuple(aggregates))]
    used, tells_units = used_columns(table, aggregates), _tells_units(table, aggregates)
    names = [
        [name for name in used if table_with(table, name) == place]
        for place in range(len(table.joins) + 1)
    ]
    return [
        replace(_part(table, place, aggregates, of_place), tells_units=tells_units)
        for place, of_place in enumerate(names)
    ]


def _tells_units(table: Table, aggregates: Sequence[Aggregate]) -> bool:
    """Say whether rows that are equal count as one: no rows are limited, and units are counted."""
    limits = [table.unit.max_rows, *(asked.max_rows_per_group for asked in aggregates)]
    kinds = {measure.kind for asked in aggregates for measure in asked.measures}
    return table.unit.column is not None and {*limits} == {None} and kinds == {"units"}


def table_with(table: Table, name: str) -> int:
    """Return which table of a join has a column: 0 for the first, or the place of its join."""
    places = (place for place, join in enumerate(table.joins, 1) if name in join.gives)
    return next(places, 0)


def place_of_link(table: Table, number: int) -> int:
    """Return which table has the column by which the rows before a join find their partners.

    Who owns a row is said over a column of the first table, whatever other tables give; rows of one
    unit find each other by the unit, which an owner may have given.
    """
    join = table.joins[number - 1]
    return 0 if join.kind == "owner" else table_with(table, join.on)


def _part(table: Table, place: int, aggregates: Sequence[Aggregate], names: list[str]) -> OneTable:
    links = [
        link.on
        for number, link in enumerate(table.joins, 1)
        if place_of_link(table, number) == place
    ]
    links += [table.joins[place - 1].key] if place else []
    values = [name for name in value_columns(aggregates) if name in names]
    keys = [name for name in key_columns(aggregates) if name in names]
    looks = [
        Typed("is_null", "truth", (read,))
        for read in reads_of(table, aggregates)
        if read.value in names
    ]
    question = Aggregate(
        by=tuple(keys),
        measures=tuple(Measure("cells", (name,)) for name in values),
        sensitivity=Sensitivity(1, 1, 1),
        where=Typed("and", "truth", tuple(looks)) if looks else None,
    )
    declared = replace(
        tables_of(table)[place],
        unit=table.unit if table.unit.column in names else ROW,
        columns={name: table.columns[name] for name in values},
        keys={name: table.keys[name] for name in keys},
        derived={},
        condition=None,
        links=tuple(dict.fromkeys(links)),
        taken=() if place else _taken(table),
    )
    return OneTable(declared, (question,))


def _taken(table: Table) -> tuple[tuple[str, str], ...]:
    """Return the names that joined tables give, with the table; the unit's where that is given."""
    return tuple((name, join.name) for join in table.joins for name in join.gives)


def check_together(table: Table, is_together: Callable[[object], bool]) -> None:
    """Refuse tables of a join that lie in places of two kinds.

    Raises:
        InputError: one of them is not where the first one is.
    """
    for join in table.joins:
        if not is_together(join.source):
            raise InputError(
                f"{shown(join.name)} does not lie where {shown(table.name)} does.",
                kind="table-not-found",
                why="tables are joined where they lie: files and frames with each other, tables of "
                "one connection, or lists of dicts",
                fix=_together(table, join),
            )


def _together(table: Table, join: Join) -> Do | str:
    """Return what brings a joined table to the first: a name on its connection, or a sentence."""
    is_connection = hasattr(type(table.source), "cursor")
    if not is_connection or not isinstance(join.source, str) or "." in join.source:
        return "bring both to one place: two files, frames, or tables of one connection"
    names = {"key": join.key} if join.key not in ("", join.on) else {}
    names |= {"on": join.on} if join.kind == "owner" else {}
    verb = "discreet.owner" if join.kind == "owner" else "discreet.join"
    options = {"name": join.source, **names, "gives": [*join.gives]}
    return Do(call(verb, Variable("connection"), **options))
