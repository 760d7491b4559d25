"""Several tables of one engine as what a query scans: `memory` in SQL.

Rules of this module:
- each table brings the cells that are read of it, and its links, which are compared as text without
  a collation, or as whole numbers where both are;
- a row without a link has no partner; nothing is limited here;
- a table that says of a unit no more than that it is there is looked up, and not joined.

Decisions 40, 157.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ...errors import InputError, InternalError, shown
from ...schema import Table
from ..parts import OneTable, place_of_link
from ..protocol import roles_of
from .cells import NOTHING, WHOLE, Reader, is_text
from .columns import Cell, plain_cell

_ALIKE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}  # compared as they are


@dataclass(frozen=True, slots=True)
class Scanned:
    """One table of a join, opened.

    Attributes:
        part: what is read of it.
        address: what to scan.
        kinds: the engine's type of each column.
        cell: where the scanned table, called s, holds a column for a role.
    """

    part: OneTable
    address: exp.Expression
    kinds: Mapping[str, str]
    cell: Cell = plain_cell


@dataclass(frozen=True, slots=True)
class Together:
    """What a query scans: the rows of all tables together."""

    address: exp.Expression
    kinds: Mapping[str, str]
    cell: Cell


def joined(table: Table, scanned: Sequence[Scanned], reader: Reader) -> Together:
    """Return the rows of several tables as one; of one table its own.

    Args:
        table: the declaration, with its joins.
        scanned: its tables, opened, the first one first.
        reader: reads their cells.

    Raises:
        InputError: rows cannot find each other by a column of such a type.
    """
    if not table.joins:
        return Together(scanned[0].address, scanned[0].kinds, scanned[0].cell)
    if reader.dialect.speed.looks_up and scanned[0].part.tells_units and len(table.joins) == 1:
        from .faster.looked_up import looked_up

        if (rows := looked_up(table.joins[0], scanned, reader)) is not None:
            return rows
    places: dict[tuple[str, str], str] = {}
    inner = [_select(side, number, places) for number, side in enumerate(scanned)]
    kinds = dict(scanned[0].kinds)
    outer = exp.select(*(exp.column(name) for name in dict.fromkeys(places.values())))
    ties = []
    for number, join in enumerate(table.joins, 1):
        kinds |= {name: kind for name, kind in scanned[number].kinds.items() if name in join.gives}
        links = ((place_of_link(table, number), join.on), (number, join.key))
        if not links[0][0] < number:
            raise InternalError(
                f"the link of table {number} was looked for in table {links[0][0]}.",
                kind="internal-fault",
                why="rows would be joined with all rows, and not with their own",
                fix="please report it, with the plan",
            )
        plain = are_plain(scanned[place].kinds[name] for place, name in links)
        for place, name in links:
            tie = link(scanned[place], name, reader, plain=plain)
            inner[place].select(exp.alias_(tie, f"l{number}"), copy=False)
        here, there = (exp.column(f"l{number}", table=f"p{place}") for place, _ in links)
        as_bytes = reader.dialect.as_bytes
        ties.append(_same(here, there) if plain else _same(as_bytes(here), as_bytes(there)))
    outer.from_(inner[0].subquery("p0", copy=False), copy=False)
    for number, same in enumerate(ties, 1):
        outer.join(inner[number].subquery(f"p{number}", copy=False), on=same, copy=False)

    def cell(role: str, name: str) -> exp.Expression:
        return exp.column(places[role, name], table="s")

    return Together(outer.subquery("d", copy=False), kinds, cell)


def _same(here: exp.Expression, there: exp.Expression) -> exp.Expression:
    return exp.EQ(this=here, expression=there)


def _select(side: Scanned, number: int, places: dict[tuple[str, str], str]) -> exp.Select:
    """Return what is read of one table, and note where each cell of it stands."""
    query = exp.select().from_(exp.alias_(side.address.copy(), "s"))
    called: dict[str, str] = {}
    for role, names in roles_of(side.part.table, side.part.aggregates).items():
        for name in names if role != "link" else ():
            cell = side.cell(role, name)
            text = cell.sql()
            if text not in called:
                called[text] = f"c{number}_{len(called)}"
                query.select(exp.alias_(cell, called[text]), copy=False)
            places[role, name] = called[text]
    return query


def are_plain(kinds: Iterable[str]) -> bool:
    """Say whether links of these types are compared as whole numbers."""
    return all(kind in _ALIKE for kind in kinds)


def link(side: Scanned, name: str, reader: Reader, *, plain: bool) -> exp.Expression:
    """Return the cell by which a row finds its partners; NULL where it has none."""
    kind, cell = side.kinds[name], side.cell("link", name)
    if not (is_text(kind) or kind in WHOLE | {"BOOLEAN", "UUID", NOTHING}):
        raise InputError(
            f"{shown(name)} of {shown(side.part.table.name)} is of type {shown(kind)}, by which no "
            "rows are joined.",
            kind="column-type",
            why="text and whole numbers are the same in every engine; others may be equal here and "
            "not there",
            fix=f"cast {shown(name)} to a whole number or to text, in both tables",
        )
    return cell if plain else reader.link(cell, kind)
