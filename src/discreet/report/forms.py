"""Numbers in the forms that offices publish: of each question, and all questions side by side.

Rules of this module:
- every number is one of the release, shown as the publisher shows it: nothing is made anew;
- where all groups are public, a group whose number is not shown has a row, and its mark says so;
  where groups were found there is none: nobody can list what was not shown;
- a cell without a number has a mark that says why: not shown, too few to say, or not asked for;
- in a column of keys a gap is all of them, as in the long table.

Decision 130.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ..aggregate import Noisy
from ..document.accessors import (
    has_rows,
    is_sparse,
    keys_of,
    kinds_of,
    public_keys,
    width_of,
)
from ..document.document import Document, Released
from ..document.headings import as_shown, names_said
from ..document.marks import HIDDEN, NOT_ASKED, TOO_FEW, flags
from ..document.numbers import Cell, bin_text, plainly
from ..document.rows import Column, Rows
from ..document.tidy import Kind, Tidy, keys_used, renamed
from ..plans.plan import plan_of
from ..schema import About, ValueKind

Form = Literal["long", "wide", "sdmx-csv"]
MARK = "mark"
_MOST_WHOLE, _ENDS = 2**63 - 1, 2  # a bin has two ends


@dataclass(frozen=True, slots=True)
class Marked:
    """One number of a question, or the place of one that is not shown.

    Attributes:
        index: the cells of its axes.
        rows: of a mean, the noisy number of its rows.
        value, low, high: the number and the ends of its interval; None where there is none.
        mark: why there is none, or the office's flag; "" for neither.
        status: the code of that in SDMX's list of observation statuses.
    """

    index: tuple[Cell, ...]
    rows: Cell
    value: Cell
    low: Cell
    high: Cell
    mark: str
    status: str


def marked(document: Document, place: int, about: About) -> list[Marked]:
    """Return the numbers of a question in their order, those that are not shown among them.

    Args:
        document: the release, with its numbers as they are shown (`as_shown`).
        place: which of its questions.
        about: the publisher's words.
    """
    released = document.statistics[place]
    width, rows = width_of(released), has_rows(released)
    numbers = []
    for row, flag in zip(released.answer.rows, flags(document, released, about), strict=True):
        few = row[-3] is None
        mark = TOO_FEW if few else "" if flag is None else flag.flag
        status = "O" if few else "A" if flag is None else flag.status or "A"
        beside, (value, low, high) = row[width] if rows else None, row[-3:]
        numbers.append(Marked(tuple(row[:width]), beside, value, low, high, mark, status))
    every = _every_index(document, place)
    if every is None:
        return numbers
    there = dict(zip(released.shown.places if released.shown else (), numbers, strict=True))
    return [there.get(at) or unshown(index) for at, index in enumerate(every)]


def unshown(index: tuple[Cell, ...]) -> Marked:
    """Return the place of a number that is not shown."""
    return Marked(index, None, None, None, None, HIDDEN, "Q")


def _every_index(document: Document, place: int) -> Sequence[tuple[Cell, ...]] | None:
    """Return the cells of all numbers of a question of which some are not shown, if public."""
    released = document.statistics[place]
    whole = released.shown is not None and len(released.shown.places) == released.shown.of
    if released.shown is None or whole or is_sparse(released):
        return None
    if any(public_keys(document, column) is None for column in keys_of(released)):
        return None
    plan = plan_of(document.plan)
    asked = (planned for planned in plan.lines if planned.statistic.plain() == released.question)
    line = next(asked)  # of two that are the same either has these groups
    nothing = [Noisy((0,) * vector.cells) for vector in released.vectors]
    answer = line.statistic.answer(plan.table, nothing, line.laws, Fraction(document.alpha))
    return list(answer.index) if len(answer.index) == released.shown.of else None


@dataclass(frozen=True, slots=True)
class _Head:
    """What stands over three numbers of a wide table: a question, and what is inside its groups."""

    place: int
    text: str
    names: frozenset[str]
    rows: bool

    def mark(self, number: Marked | None, asked: frozenset[str]) -> str | None:
        """Return the mark of a number, or why a group has none."""
        if number is None:
            return HIDDEN if asked == self.names else NOT_ASKED
        return number.mark or None


def wide(document: Document, about: About) -> Tidy:
    """Return all questions as one table: a row for each group, three numbers for each question.

    Bins, columns of a vector and levels stand side by side. Behind each three stands a mark.
    """
    shown_as, used = as_shown(document, about), keys_used(document)
    groups: dict[tuple[Cell, ...], dict[_Head, Marked]] = {}
    heads: dict[_Head, None] = {}
    for place, name in enumerate(names_said(document, about)):
        released = shown_as.statistics[place]
        keys, kind = keys_of(released), kinds_of(document, released)[1]
        for number in marked(shown_as, place, about):
            mine, inside = apart(released, number.index)
            cells, inner = dict(zip(keys, mine, strict=True)), inner_text(inside, kind)
            text = f"{name}, {inner}" if inner else name
            head = _Head(place, text, frozenset(keys), has_rows(released))
            heads[head] = None
            groups.setdefault(tuple(cells.get(key) for key in used), {})[head] = number
    columns = renamed([about.column(key) for key in used], ())
    cells_of = [_keys(about, key, at, groups) for at, key in enumerate(used)]
    kinds = [_kind(cells) for cells in cells_of]
    asked = [frozenset(k for k, c in zip(used, g, strict=True) if c is not None) for g in groups]
    for head in heads:
        numbers = [group.get(head) for group in groups.values()]
        for what in (*["rows"] * head.rows, "value", "low", "high"):
            columns.append(_own(f"{head.text} {what}", columns))
            cells_of.append([None if n is None else getattr(n, what) for n in numbers])
            kinds.append(_kind(cells_of[-1], "real"))
        columns.append(_own(f"{head.text} {MARK}", columns))
        cells_of.append(list(map(head.mark, numbers, asked)))
        kinds.append("text")
    return Tidy(document.title, tuple(columns), tuple(kinds), Rows(cells_of))


def apart(released: Released, index: Sequence[Cell]) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """Return the keys of a number, and what stands inside its group: two ends, or one cell."""
    keys: list[Cell] = []
    inner: list[Cell] = []
    rest = iter(index)
    for axis in released.answer.axes:  # of choices the rank comes before the keys
        (keys if axis.kind == "key" else inner).append(next(rest))
        if axis.kind == "bin":
            inner.append(next(rest))
    return tuple(keys), tuple(inner)


def inner_text(inner: Sequence[Cell], kind: ValueKind) -> str:
    """Return the words for what stands inside a group: its bin, column or level."""
    if len(inner) == _ENDS:
        return bin_text(inner[0], inner[1], kind)
    return plainly(inner[0], kind) if inner else ""


def _keys(about: About, key: str, at: int, groups: Iterable[tuple[Cell, ...]]) -> Column:
    cells = [group[at] for group in groups]
    if not about.names(key):
        return cells
    return [None if cell is None else about.value(key, cell, plainly(cell)) for cell in cells]


def _kind(cells: Iterable[Cell], empty: Kind = "text") -> Kind:
    """Return what a column holds, by what stands in it."""
    types = {type(cell) for cell in cells if cell is not None}
    if types == {int}:
        most = max(abs(cell) for cell in cells if isinstance(cell, int))
        return "whole" if most <= _MOST_WHOLE else "real"
    if types == {bool} or not types:
        return "flag" if types else empty
    return "text" if str in types else "real"


def _own(name: str, names: Sequence[str]) -> str:
    """Return a name that no other column has, even without regard to case."""
    taken = {other.casefold() for other in names}
    while name.casefold() in taken:
        name += " (again)"
    return name
