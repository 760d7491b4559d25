"""The tables of a cube as people print them: long, or crossed with their totals.

Rules of this module:
- every number is one of the release: nothing is made anew.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import Any

from ..document.document import Document, Released
from ..document.numbers import Cell, plainly
from ..document.tidy import Tidy
from ..errors import InputError, shown
from ..text import Sheet
from .cubes import (
    axis_of,
    cube_of,
    figure,
    known_keys,
    notes_of,
    refuse_apart,
    shows,
    with_above,
)

NUMBERS = ("value", "low", "high", "linear", "deviation")


@dataclass(frozen=True, slots=True)
class Crossed:
    """One table of a cube as people print it: rows, columns, and their totals.

    Attributes:
        title: what it is.
        rows, columns: the attributes on each side; none is one line.
        row_keys, column_keys: what stands at each line; "all" for totals, which come last.
        cells: for each row its numbers: value, low, high.
        notes: what must be known of them.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_keys: tuple[tuple[Cell, ...], ...]
    column_keys: tuple[tuple[Cell, ...], ...]
    cells: tuple[tuple[tuple[int | float, int, int], ...], ...]
    notes: tuple[str, ...] = ()

    def long(self) -> Tidy:
        """Return the table with a row for each number."""
        names = (*self.rows, *self.columns)
        cells = [
            (*row, *column, *numbers)
            for row, line in zip(self.row_keys, self.cells, strict=True)
            for column, numbers in zip(self.column_keys, line, strict=True)
        ]
        kinds: list[Any] = [_kind(cell[at] for cell in cells) for at in range(len(names))]
        kind = kind_of_values(line[0] for each in self.cells for line in each)
        whole: list[Any] = [kind, "whole", "whole"]
        return Tidy(self.title, (*names, "value", "low", "high"), (*kinds, *whole), cells)

    def sheet(self) -> Sheet:
        """Return the table for people: each number with its interval."""
        names = tuple(self.head(key) for key in self.column_keys)
        lines = [
            (self.head(key), *(f"{figure(v)} ({low:,} to {high:,})" for v, low, high in line))
            for key, line in zip(self.row_keys, self.cells, strict=True)
        ]
        return Sheet(
            title=self.title,
            columns=(", ".join(self.rows) or "", *names),
            rows=tuple(lines),
            below=self.notes,
            right=names,
        )

    def figure(self, value: float) -> str:
        """Return a number for people."""
        return figure(value)

    def lines(self) -> list[tuple[tuple[Cell, ...], list[tuple[Any, Any]]]]:
        """Return each row with its cells, each behind the key at its top."""
        pairs = zip(self.row_keys, self.cells, strict=True)
        return [(key, list(zip(self.column_keys, line, strict=True))) for key, line in pairs]

    def head(self, key: Sequence[Cell]) -> str:
        """Return the words at the head of a line."""
        cells = [plainly(cell) for cell in key if cell is not None]
        return ", ".join(cells) or "all"

    def __str__(self) -> str:
        return self.sheet().text()

    def _repr_html_(self) -> str:
        return self.sheet().html()


def table_of_cube(document: Document, by: Sequence[str]) -> Tidy:
    """Return one table of a cube with its margins: all rows that show no other attribute."""
    released = cube_of(document)
    names = [axis.name for axis in released.answer.axes]
    kept = [axis_of(names, name) for name in by]
    refuse_apart(released, [names[at] for at in kept])
    columns = dict(zip(released.answer.columns, released.answer.rows.columns, strict=True))
    mine = {names.index(n) for n in with_above(released, [names[at] for at in kept])}
    others = [columns[name] for at, name in enumerate(names) if at not in mine]
    places = [at for at in range(len(released.answer.rows)) if all(o[at] is None for o in others)]
    levels = [name for at, name in enumerate(names) if at in mine]
    chosen = [*levels, *NUMBERS]
    kinds: list[Any] = [_kind(columns[name]) for name in levels]
    return Tidy(
        title=f"{document.title}: {', '.join(levels) or 'total'}",
        columns=tuple(chosen),
        kinds=(*kinds, kind_of_values(columns["value"]), "whole", "whole", "real", "real"),
        rows=[tuple(columns[name][at] for name in chosen) for at in places],
    )


def crossed(
    document: Document,
    rows: Sequence[str],
    columns: Sequence[str],
    where: Mapping[str, object],
) -> Crossed:
    """Return one table of a cube, with the totals of its rows and columns.

    Args:
        document: a release of a cube alone.
        rows, columns: what stands at the side and at the top.
        where: the one key of each other attribute that is looked at.
    """
    released = cube_of(document)
    names = [axis.name for axis in released.answer.axes]
    side, top = ([names[axis_of(names, name)] for name in axes] for axes in (rows, columns))
    keys = {names[axis_of(names, name)]: value for name, value in where.items()}
    twice = next((name for name in (*top, *keys) if [*side, *top, *keys].count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"{shown(twice)} is named twice.",
            kind="named-twice",
            why="an attribute stands at the side, at the top, or is fixed to one key",
            fix=f"name {shown(twice)} once",
        )
    refuse_apart(released, [*side, *top, *keys])
    wanted = known_keys(released, keys)
    above = _above(released, (*side, *top, *keys))
    cells: dict[Any, tuple[Any, ...]] = {}
    for row in released.answer.rows:
        index = dict(zip(names, row, strict=False))
        fixed = all(
            index[name] == wanted.get(name) for name in names if name not in (*side, *top, *above)
        )
        if fixed and all(
            (index[up] is None) == (index[name] is None) for up, name in above.items()
        ):
            place = tuple(index[n] for n in side), tuple(index[n] for n in top)
            cells[place] = tuple(row[-3:])
    lines = _lines(cells, 0), _lines(cells, 1)
    body: Any = tuple(tuple(cells[place] for place in product([r], lines[1])) for r in lines[0])
    only = "".join(f", {name} = {plainly(value)}" for name, value in wanted.items())
    title = f"{document.title}: {' and '.join((*side, *top)) or 'total'}{only}"
    return Crossed(title, tuple(side), tuple(top), *lines, body, notes_of(document))


def of_pairs(
    whole: Document, released: Released, most: int
) -> tuple[tuple[Crossed, ...], tuple[str, ...], int]:
    """Return tables of each two attributes of a cube, what must be known, and how many are left.

    Args:
        whole: the release.
        released: the cube.
        most: how many numbers are shown at most; one table is shown in any case.
    """
    document = whole.model_copy(update={"statistics": [released]})
    pairs = _pairs(released)
    tables: list[Crossed] = []
    covered: set[tuple[tuple[str, Cell], ...]] = set()
    columns = dict(zip(released.answer.columns, released.answer.rows.columns, strict=True))
    for pair in pairs:  # long lists at the side: a page is longer than wide
        sides = sorted(pair, key=lambda name: -len(set(columns.get(name, ()))))
        side, top = sides[0], (*sides, "")[1]
        table = crossed(document, [side] if side else [], [top] if top else [], {})
        most -= len(table.row_keys) * len(table.column_keys)
        if tables and most < 0:
            break
        tables.append(table)
        for row, column in product(table.row_keys, table.column_keys):
            keys = zip((*table.rows, *table.columns), (*row, *column), strict=True)
            covered.add(tuple(pair for pair in keys if pair[1] is not None))
    return tuple(tables), notes_of(document), len(released.answer.rows) - len(covered)


def _pairs(released: Released) -> list[tuple[str, ...]]:
    """Return each two attributes that a table shows, at the finest levels that it shows."""
    names = [axis.name for axis in released.answer.axes]
    above = {name: with_above(released, [name]) - {name} for name in names}
    for many in (2, 1):
        pairs = [
            pair
            for pair in combinations(names, many)
            if shows(released, pair) and not any(a in above[b] for a, b in permutations(pair, 2))
        ]
        attributes = {pair: {*pair}.union(*(above[name] for name in pair)) for pair in pairs}
        finer = [(pair, every) for pair, every in attributes.items() if len(every) > many]
        kept = [p for p in pairs if not any({*p} <= every and p != o for o, every in finer)]
        if kept:
            return [(*pair, "")[:2] for pair in kept]
    return [("", "")]


def _above(released: Released, named: Sequence[str]) -> dict[str, str]:
    """Return for each level that is not named a finer one that is, which tells it."""
    finest: dict[str, str] = {}
    for hierarchy in released.question.get("levels", {}).values():
        for at, up in enumerate(hierarchy["columns"]):
            finer = [name for name in hierarchy["columns"][at + 1 :] if name in named]
            if finer and up not in named:
                finest[up] = finer[-1]
    return finest


def _lines(cells: Mapping[Any, Any], side: int) -> tuple[tuple[Cell, ...], ...]:
    """Return the lines of one side in their order, each margin behind what it adds up."""
    every = list(dict.fromkeys(place[side] for place in cells))
    full = [key for key in every if None not in key]
    return (*full, *sorted((k for k in every if None in k), key=lambda k: k.count(None)))


def kind_of_values(values: Iterable[Cell]) -> Any:
    """Return what published numbers are: whole, or estimates."""
    return "real" if any(type(value) is float for value in values) else "whole"


def _kind(cells: Iterable[Cell]) -> str:
    """Return what a column of keys holds; None is all of them."""
    first = next((cell for cell in cells if cell is not None), "")
    return "flag" if isinstance(first, bool) else "whole" if isinstance(first, int) else "text"
