"""Pairs of made-up neighbors: the rows of others, and one unit with any rows in any table.

Which tables there are follows from the plan: what is one source in it is one made-up table here.
Who refers to whom, which cells stand where, and how many rows a unit has, a case decides.

Rules of this module:
- a pair is decided by the plan and the text of its case, so that whoever has both makes it again;
- one unit brings its rows in every table that names it, and the rows of the first table that
  nobody else's refer to;
- nothing of the data is opened; whether two sources are one is asked of their paths alone.

Decision 119.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from os import PathLike, fspath
from os.path import realpath

from ..aggregate import Aggregate
from ..engine.evaluate import test
from ..plans.plan import Plan
from ..schema import Table
from ..sums import added, largest
from .cells import Cell, Cells, cells_of, key_cell
from .dice import Dice

ANN, BOB = "ann", "bob"
LINKS, OWN = ("l0", "l1", "l2"), {ANN: "lann", BOB: "lbob"}
_MOST, _CROWD = 3_000, 1_000  # rows of one unit, and units
_WIDTHS = (64, 53, 32, 24)  # bits of a whole number, or of the digits of a double or a float
_FAR = (16, 2)  # times a width: the further beyond, the more units of a sum are lost there
_TRIES = 20

Cut = dict[str, Cell]


@dataclass(frozen=True, slots=True)
class MadeRow:
    """A row, and whose it is; "" is nobody's."""

    whose: str
    cells: Cut


World = tuple[tuple[MadeRow, ...], ...]  # the rows of each made-up table


@dataclass(frozen=True, slots=True)
class Spot:
    """One made-up table: its columns, those that name the unit, and those that link it."""

    columns: dict[str, Cells] = field(default_factory=dict)
    units: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def kind(self, column: str) -> str:
        """Return what a column's cells are where columns have types."""
        return self.columns[column].kind if column in self.columns else "text"


@dataclass(frozen=True, slots=True)
class Layout:
    """The made-up tables of a plan.

    Attributes:
        table, aggregates: what is declared and counted.
        spots: the tables; the first holds the table's own rows.
        places: for the table and each of its joins the number of its spot.
        most: how many rows of one unit count at most.
        tall: how many units at the ends of their bounds pass the next width of machine numbers.
    """

    table: Table
    aggregates: tuple[Aggregate, ...]
    spots: tuple[Spot, ...]
    places: tuple[int, ...]
    most: int
    tall: int


@dataclass(frozen=True, slots=True)
class Neighbors:
    """Two neighbors: with the one unit, and without it, or with another in its place."""

    family: str
    before: World
    after: World


def layout_of(plan: Plan) -> Layout:
    """Return which tables are made up for a plan."""
    table, aggregates = plan.table, plan.aggregates
    sources = [_mark(table.source), *(_mark(join.source) for join in table.joins)]
    known = list(dict.fromkeys(sources))
    spots = tuple(Spot() for _ in known)
    places = tuple(known.index(mark) for mark in sources)
    cells = cells_of(table, aggregates)
    joined = {name: at for at, join in enumerate(table.joins, 1) for name in join.gives}
    for name, kind in cells.items():
        if name != table.unit.column:
            spots[places[joined.get(name, 0)]].columns[name] = kind
    if table.unit.column is not None and table.unit.column not in joined:
        spots[0].units.append(table.unit.column)
    for join, place in zip(table.joins, places[1:], strict=True):
        if join.kind == "owner":
            spots[0].links.append(join.on)
            spots[place].links.append(join.key or join.on)
            spots[place].units.append(str(table.unit.column))
        else:
            spots[place].units.append(join.key or join.on)
    most, tall = _most_rows(table, aggregates), _tall(table, aggregates)
    return Layout(table, aggregates, spots, places, most, tall)


def _mark(source: object) -> object:
    parts = source if isinstance(source, (list, tuple)) else [source]
    paths = [realpath(fspath(part)) for part in parts if isinstance(part, (str, PathLike))]
    return tuple(paths) if paths and len(paths) == len(parts) else id(source)


def _most_rows(table: Table, aggregates: Iterable[Aggregate]) -> int:
    if table.unit.column is None:
        return 1
    limits = [table.unit.max_rows or 0]
    if not table.unit.max_rows:
        limits = [
            (item.max_rows_per_group or 1) * min(item.max_groups or 4, table.most_groups(item.by))
            for item in aggregates
        ]
    return max(1, min(_MOST, max(limits, default=1)))


def _tall(table: Table, aggregates: Iterable[Aggregate]) -> int:
    """Return how many rows it takes for a sum to pass the widest numbers that it can."""
    sums = (each for item in aggregates for of in item.measures for _, each in added(of))
    most = max((largest(table, each) for each in sums), default=1) or 1
    sizes = ((far << bits) // most + 3 for bits in _WIDTHS for far in _FAR)
    return next((n for n in sizes if n <= _CROWD), 12)


FAMILIES = ("full", "heap", "calm", "over", "tall", "odd", "alike", "any", "full", "crowd")
PLAIN = ("calm", "tall")  # one row of each unit, and of good cells: no limit binds


def pair_of(layout: Layout, number: int) -> Neighbors:
    """Return a pair of neighbors by its number."""
    family = FAMILIES[number % len(FAMILIES)]
    dice = Dice("pair", layout.table.name, number)
    others = [f"p{n}" for n in range(dice.pick((0, 1, 2, 3, 6, 12)))]
    if family == "tall":
        others = [f"p{n}" for n in range(layout.tall)]
    by_row = layout.table.unit.column is None
    size = 1 if by_row or family in PLAIN else None
    parts = [_unit(layout, who, "any" if size is None else family, dice, size) for who in others]
    if family == "crowd" and not by_row:
        parts = [_unit(layout, who, "over", dice, size) for who in others]
    ann = _unit(layout, ANN, family, dice, size, like=parts[:1])
    rest = _merged(layout, parts)
    after = rest
    if layout.table.neighbors == "replace":
        way = family if dice.happens(1, 2) else "any"
        after = _merged(layout, [*parts, _unit(layout, BOB, way, dice, size, like=parts[:1])])
    before = _merged(layout, [*parts, ann])
    return Neighbors(family, before, after)


def _merged(layout: Layout, parts: Sequence[World]) -> World:
    return tuple(
        tuple(row for world in parts for row in world[at]) for at in range(len(layout.spots))
    )


def _unit(
    layout: Layout,
    who: str,
    family: str,
    dice: Dice,
    size: int | None,
    like: Sequence[World] = (),
) -> World:
    """Return what one unit brings, in each table."""
    worlds = []
    for place in range(len(layout.spots)):
        size_here = size if place == 0 else dice.pick((1, 1, 2, 3))
        cut = _cuts(layout, place, family, dice, size_here)
        if family == "alike" and like and like[0][place]:
            cut = [dict(dice.pick(like[0][place]).cells) for _ in cut]
        worlds.append(tuple(_named(layout, place, who, cells, dice) for cells in cut))
    return tuple(worlds)


def _named(layout: Layout, place: int, who: str, cells: Cut, dice: Dice) -> MadeRow:
    """Return a row of a unit, with the columns that name it and by which it is found."""
    spot = layout.spots[place]
    own = OWN.get(who, dice.pick(LINKS))
    is_facts = place == 0 and not spot.units and bool(spot.links)
    for name in spot.links:
        shared = own if is_facts else dice.pick((own, *LINKS))
        cells[name] = shared
    for name in spot.units:
        cells[name] = who
    whose = who
    if is_facts and who not in OWN:
        whose = ""
    return MadeRow(whose, cells)


def _cuts(
    layout: Layout, place: int, family: str, dice: Dice, size: int | None
) -> list[dict[str, Cell]]:
    """Return the cells of the rows of one unit in one table, but for those that name it."""
    columns, most = layout.spots[place].columns, layout.most
    how: Callable[[int], Cut]
    start, corner = dice.below(1 << 30), {name: dice.below(1 << 30) for name in columns}
    if family in ("full", "heap"):
        spread = family == "full"

        def how(at: int) -> Cut:
            return _edge(columns, start + (at if spread else 0), corner, dice)

    elif family == "tall":

        def how(_at: int) -> Cut:
            return _high(columns, dice)

    elif family == "calm":

        def how(_at: int) -> Cut:
            return {name: dice.pick(of.good) for name, of in columns.items()}

    else:
        often = {"odd": 1, "any": 4, "over": 9}.get(family, 6)

        def how(_at: int) -> Cut:
            return {
                name: dice.pick(of.odd if dice.happens(1, 1 + often) else of.good)
                for name, of in columns.items()
            }

    many = size or {
        "full": most,
        "heap": most,
        "over": most + 1 + dice.below(4),
    }.get(family, 1 + dice.below(min(most + 1, 6)))
    return [_passing(layout, place, how, at) for at in range(many)]


def _passing(layout: Layout, place: int, how: Callable[[int], Cut], at: int) -> Cut:
    """Return cells for which the table's condition holds, if a few tries find them."""
    condition = layout.table.condition
    if condition is None or layout.table.joins or place:
        return how(at)
    cut = how(at)
    for _ in range(_TRIES):
        if test(condition.tree, layout.table, cut) == 1:
            break
        cut = how(at)
    return cut


def _edge(columns: dict[str, Cells], at: int, corner: dict[str, int], dice: Dice) -> Cut:
    """Return cells at the edges of what is declared: of keys the next group, of values an end."""
    cut: Cut = {}
    for name, of in columns.items():
        if of.is_key:
            cut[name] = of.good[at % len(of.good)]
            at //= len(of.good)
        elif of.edges == 2:
            cut[name] = of.good[corner[name] % 2]
        else:
            cut[name] = dice.pick(of.good)
    return cut


def _high(columns: dict[str, Cells], dice: Dice) -> Cut:
    """Return cells of one group, whose values are near the end that is further from 0."""
    cut: Cut = {}
    for name, of in columns.items():
        if of.is_key:
            cut[name] = of.good[0]
        elif of.edges == 2:
            is_low = of.kind == "number" and abs(float(of.good[0] or 0)) > abs(
                float(of.good[1] or 0)
            )
            cut[name] = dice.pick(of.good[0 if is_low else 1 :: 2])
        else:
            cut[name] = dice.pick(of.good)
    return cut


def in_cell(layout: Layout, pair: Neighbors, by: Sequence[str], cell: int) -> Neighbors:
    """Return a pair whose one unit has all its rows in one cell of some columns of keys."""
    keys = dict[str, Cell]()
    for column in reversed(by):
        listed = layout.table.listed(column)
        cell, at = divmod(cell, len(layout.table.keys[column]))
        if column not in layout.table.trees and at < len(listed):
            keys[column] = key_cell(listed[at])
    before = tuple(
        tuple(
            MadeRow(row.whose, {**row.cells, **keys}) if row.whose == ANN else row for row in rows
        )
        for rows in pair.before
    )
    return Neighbors(pair.family, before, pair.after)


def smaller(pair: Neighbors, holds: Callable[[Neighbors], bool], *, most: int = 200) -> Neighbors:
    """Return a pair with fewer rows for which something still holds; each try takes one row."""
    tries = count()
    shrunk = True
    while shrunk and next(tries) < most:
        shrunk = False
        for fewer in _fewer(pair):
            if next(tries) >= most:
                break
            if holds(fewer):
                pair, shrunk = fewer, True
                break
    return pair


def _fewer(pair: Neighbors) -> Iterable[Neighbors]:
    """Return the pairs with half of the units less, then with one less, then with one row less."""
    rows = [row for table in (*pair.before, *pair.after) for row in table]
    others = [*dict.fromkeys(row.whose for row in rows if row.whose not in OWN)]
    half = len(others) // 2
    for some in (others[:half], others[half:]) if half > 2 else ():
        yield _without(pair, lambda row, some=frozenset(some): row.whose in some)  # type: ignore[misc]
    for who in others:
        yield _without(pair, lambda row, who=who: row.whose == who)  # type: ignore[misc]
    for item in {id(row): row for row in rows}.values():
        yield _without(pair, lambda row, item=item: row is item)  # type: ignore[misc]


def _without(pair: Neighbors, gone: Callable[[MadeRow], bool]) -> Neighbors:
    before, after = (
        tuple(tuple(row for row in table if not gone(row)) for table in world)
        for world in (pair.before, pair.after)
    )
    return Neighbors(pair.family, before, after)
