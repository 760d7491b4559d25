"""The tables of a cube as people print them: long, or crossed with their totals.

Any question by two keys, crossed: without totals, which were not asked for.

Rules of this module:
- every number is one of the release: nothing is made anew;
- a cell without a number has a mark that says why.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product
from typing import Any

from ..document.accessors import kinds_of
from ..document.document import Document, Released
from ..document.headings import as_shown
from ..document.marks import WORDS
from ..document.numbers import Cell, bin_text, plainly, spoken
from ..document.tidy import Tidy
from ..errors import InputError, names_shown, shown
from ..schema import About
from ..text import Sheet
from .cubes import (
    axis_of,
    cube_of,
    estimate,
    known_keys,
    notes_of,
    refuse_apart,
    shows,
    with_above,
)
from .forms import MARK, Marked, marked, unshown

NUMBERS = ("value", "low", "high", "linear", "deviation")


@dataclass(frozen=True, slots=True)
class Crossed:
    """One table of a cube as people print it: rows, columns, and their totals.

    Attributes:
        title: what it is.
        rows, columns: the attributes on each side; none is one line.
        row_keys, column_keys: what stands at each line; "all" for totals, which come last.
        cells: for each row its numbers: value, low, high.
        notes: sentences that a reader of the numbers must know.
        marks: for each row the marks of its numbers; none where no number can have one.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_keys: tuple[tuple[Cell, ...], ...]
    column_keys: tuple[tuple[Cell, ...], ...]
    cells: tuple[tuple[tuple[Any, Any, Any], ...], ...]
    notes: tuple[str, ...] = ()
    marks: tuple[tuple[str, ...], ...] = ()

    def long(self) -> Tidy:
        """Return the table with a row for each number."""
        names = (*self.rows, *self.columns)
        cells = [
            (*row, *column, *numbers, *mark)
            for row, line, marks in zip(self.row_keys, self.cells, self._marks(), strict=True)
            for column, numbers, mark in zip(self.column_keys, line, marks, strict=True)
        ]
        kinds: list[Any] = [_kind(cell[at] for cell in cells) for at in range(len(names))]
        texts: list[Any] = ["text"] * bool(self.marks)
        numbers = self._number_kinds()
        columns = (*names, "value", "low", "high", *[MARK] * len(texts))
        return Tidy(self.title, columns, (*kinds, *numbers, *texts), cells)

    def wide(self) -> Tidy:
        """Return the table with its numbers side by side: value, low and high of each column."""
        heads = [self.head(key) for key in self.column_keys]
        words = ["value", "low", "high", *[MARK] * bool(self.marks)]
        names = [*(self.rows or ("",)), *(f"{h} {w}" for h in heads for w in words)]
        rows: list[tuple[Cell, ...]] = []
        for key, line, marks in zip(self.row_keys, self.cells, self._marks(), strict=True):
            side = ["all" if cell is None else plainly(cell) for cell in key or (None,)]
            pairs = zip(line, marks, strict=True)
            rows.append((*side, *(cell for numbers, mark in pairs for cell in (*numbers, *mark))))
        kinds: list[Any] = [*self._number_kinds(), *["text"] * bool(self.marks)]
        sides: list[Any] = ["text"] * (len(names) - len(words) * len(heads))
        return Tidy(self.title, tuple(names), (*sides, *kinds * len(heads)), rows)

    def named(self, about: About) -> "Crossed":
        """Return the table with what a publisher calls its columns and keys."""
        sides = [
            tuple(
                tuple(
                    cell
                    if cell is None or not about.names(n)
                    else about.value(n, cell, plainly(cell))
                    for n, cell in zip(names, key, strict=True)
                )
                for key in keys
            )
            for names, keys in ((self.rows, self.row_keys), (self.columns, self.column_keys))
        ]
        rows, columns = (tuple(map(about.column, n)) for n in (self.rows, self.columns))
        return replace(self, rows=rows, columns=columns, row_keys=sides[0], column_keys=sides[1])

    def _marks(self) -> Iterator[list[tuple[str | None, ...]]]:
        for line, marks in zip(self.cells, self.marks or (None,) * len(self.cells), strict=True):
            yield [()] * len(line) if marks is None else [(mark or None,) for mark in marks]

    def _number_kinds(self) -> list[Any]:
        numbers = [numbers for line in self.cells for numbers in line]
        ends = kind_of_values(end for each in numbers for end in each[1:])
        return [kind_of_values(each[0] for each in numbers), ends, ends]

    def sheet(self) -> Sheet:
        """Return the table for people: each number with its interval."""
        names = tuple(self.head(key) for key in self.column_keys)
        lines = [
            (self.head(key), *map(_told, line, marks))
            for key, line, marks in zip(self.row_keys, self.cells, self._marks(), strict=True)
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
        return estimate(value)

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


def _told(numbers: tuple[Any, Any, Any], mark: tuple[str | None, ...]) -> str:
    """Return a number with its interval, and its mark; a mark alone where there is no number."""
    value, low, high = numbers
    sign = "".join(text or "" for text in mark)
    if low is None:
        return sign
    if not (isinstance(low, int) and isinstance(high, int)):
        text, low, high = spoken(value, low, high)
        return " ".join(filter(None, ("" if value is None else text, sign, f"({low} to {high})")))
    shown_as = "" if value is None else estimate(value)
    return " ".join(filter(None, (shown_as, sign, f"({low:,} to {high:,})")))


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
        where: one key of each other attribute; the table is about these keys.
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


_MOST_CELLS = 1_000_000


def crossed_groups(
    document: Document,
    rows: Sequence[str],
    columns: Sequence[str],
    where: Mapping[str, object],
    about: About,
) -> Crossed:
    """Return the numbers of a question that is no cube, crossed; its totals were not asked for.

    Args:
        document: a release of this question alone.
        rows, columns: the attributes at the side and at the top.
        where: one key of each other attribute; the table is about these keys.
        about: how numbers are shown, and which are flagged.
    """
    shown_as = as_shown(document, about)
    released = shown_as.statistics[0]
    names = [axis.name for axis in released.answer.axes]
    side, top = ([names[axis_of(names, name)] for name in axes] for axes in (rows, columns))
    fixed = {names[axis_of(names, name)]: str(value) for name, value in where.items()}
    _check_sides(names, [*side, *top, *fixed])
    cells: dict[Any, Marked] = {}
    for number in marked(shown_as, 0, about):
        index = dict(zip(names, _cells(document, released, number.index), strict=True))
        if all(str(index[name]) == key for name, key in fixed.items()):
            cells[tuple(index[n] for n in side), tuple(index[n] for n in top)] = number
    if not cells:
        known_keys(released, {next(iter(fixed)): fixed[next(iter(fixed))]})
    return _laid_out(document, (side, top), cells, fixed)


def _check_sides(names: Sequence[str], named: Sequence[str]) -> None:
    """Refuse a table that leaves an attribute out, or has one twice."""
    out = next((name for name in names if named.count(name) != 1), None)
    if out is not None:
        raise InputError(
            f"{shown(out)} is named {'twice' if out in named else 'nowhere'}.",
            kind="wrong-columns",
            why="of a question that is no cube there are no totals over an attribute: each stands "
            "at the side, at the top, or is fixed to one key",
            fix=f"name each of {names_shown(names)} once",
        )


def _laid_out(
    document: Document,
    sides: tuple[Sequence[str], Sequence[str]],
    cells: Mapping[Any, Marked],
    fixed: Mapping[str, str],
) -> Crossed:
    """Return numbers as a table; a place where there is none was not shown."""
    lines = [tuple(dict.fromkeys(place[at] for place in cells)) for at in (0, 1)]
    if len(lines[0]) * len(lines[1]) > _MOST_CELLS:
        raise InputError(
            f"this table would have {len(lines[0]) * len(lines[1]):,} cells.",
            kind="too-many-cells",
            why=f"at most {_MOST_CELLS:,} are crossed",
            fix="fix an attribute to one key, or take the long table",
        )
    every = [[cells.get((row, column), unshown(())) for column in lines[1]] for row in lines[0]]
    only = "".join(f", {name} = {key}" for name, key in fixed.items())
    title = f"{document.title}: {document.statistics[0].label}{only}"
    marks = tuple(tuple(number.mark for number in line) for line in every)
    used = {mark for line in marks for mark in line}
    return Crossed(
        title,
        tuple(sides[0]),
        tuple(sides[1]),
        lines[0],
        lines[1],
        tuple(tuple((n.value, n.low, n.high) for n in line) for line in every),
        tuple(f"{mark}: {words}." for mark, words in WORDS.items() if mark in used),
        marks,
    )


def _cells(document: Document, released: Released, index: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return a cell for each axis: of a bin its words."""
    if released.answer.axes and released.answer.axes[-1].kind == "bin":
        return (*index[:-2], bin_text(index[-2], index[-1], kinds_of(document, released)[1]))
    return tuple(index)


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
