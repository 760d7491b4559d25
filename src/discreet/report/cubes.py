"""Cubes of a release: any sum of their cells, and rows that have their tables.

Rules of this module:
- only the sum of some cells is made anew, with an interval of its own, from the noisy tables that
  the release holds;
- it is arithmetic on released numbers: nothing is charged and nothing is read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..aggregate import Noisy
from ..document.accessors import alpha_of, has_linear
from ..document.document import Document, Released
from ..document.numbers import Cell, percent, plainly
from ..document.tidy import Tidy
from ..errors import InputError, as_given, shown
from ..exact.number import Number
from ..fix import Do, call, nearest_name
from ..plans.plan import checked_alpha, plan_of
from ..post.tables.interval import ends
from ..post.tables.solve import Selection
from ..text import prompt

_NAMED = 300  # letters of names in a refusal
_MOST_ROWS = 10_000_000
SYNTHETIC = "Synthetic rows, not persons: they repeat the released tables, and tell no more."


@dataclass(frozen=True, slots=True)
class Total:
    """A sum of cells of a cube, with its own interval; a bound on its deviation stands beside."""

    value: int
    low: int
    high: int
    linear: float
    deviation: float

    def __str__(self) -> str:
        return f"{self.value:,} ({self.low:,} to {self.high:,})"

    def __repr__(self) -> str:
        return prompt("Total", str(self))


def cube_of(document: Document) -> Released:
    """Return the only statistic of a document, if it is a cube.

    Raises:
        InputError: it is something else.
    """
    released = document.statistics[0]
    if not has_linear(released):
        raise InputError(
            f"{shown(released.label)} is no cube.",
            why="only the tables of a cube add up and can be crossed",
            fix=Do(call("discreet.cube", ["?", "?"]), ", asked in a plan"),
        )
    return released


def notes_of(document: Document) -> tuple[str, ...]:
    """Return what must be known of the numbers of a cube."""
    released = cube_of(document)
    known = released.question.get("known")
    notes: tuple[str, ...] = (
        "All tables add up exactly. Every number has its own "
        f"{percent(alpha_of(document))} interval, made before negative numbers were removed, so "
        "that it still holds.",
    )
    if known:
        from ..statistic.cube import KNOWN

        notes = (KNOWN.format(f"{known['total']:,}"), *notes)
    return notes


def total(document: Document, chosen: Mapping[str, object], alpha: Number | None = None) -> Total:
    """Return the sum of some cells of a cube, with an interval of its own.

    Args:
        document: a release of a cube alone.
        chosen: by attribute one key or several; of the others, all.
        alpha: the chance that the interval misses; without, the release's own.
    """
    released = cube_of(document)
    names = [axis.name for axis in released.answer.axes]
    keys = {names[axis_of(names, name)]: _listed(value) for name, value in chosen.items()}
    for name, values in keys.items():
        for value in values:
            known_keys(released, {name: value})
    plan = plan_of(document.plan)
    line: Any = next(one for one in plan.lines if one.statistic.plain() == released.question)
    noisy = [Noisy(tuple(vector.noisy)) for vector in released.vectors]
    chance = checked_alpha(document.alpha if alpha is None else alpha)
    made = line.statistic.sum_of(plan.table, noisy, line.laws, chance, keys)
    cells, estimate, width, deviation = made
    value = _published(released, cells)
    low, high = ends(np.array([estimate]), np.array([width]), np.array([value]))
    return Total(value, int(low[0]), int(high[0]), round(estimate, 6), round(deviation, 6))


def _published(released: Released, chosen: Selection) -> int:
    """Return the sum of the published cells that are chosen."""
    size = prod(map(len, chosen))
    values = np.array(released.answer.rows.columns[-3][-size:], dtype=np.int64)
    for kept in reversed(chosen):
        values = values.reshape(-1, len(kept))[:, kept > 0].sum(axis=1)
    return int(values.sum())


@dataclass(frozen=True, slots=True)
class Measured:
    """A table of a cube as it was counted: its attributes, its noisy numbers, their deviation.

    Numbers are laid out by the keys of the attributes, the last one fastest.
    """

    attributes: tuple[str, ...]
    noisy: tuple[int, ...]
    deviation: float


def measured(document: Document) -> list[Measured]:
    """Return the tables of a cube as they were counted, with noise of their own."""
    released, plan = cube_of(document), plan_of(document.plan)
    line: Any = next(one for one in plan.lines if one.statistic.plain() == released.question)
    told = zip(line.statistic.counted(plan.table, line.laws), released.vectors, strict=True)
    return [
        Measured(names, tuple(vector.noisy), float(law.variance()) ** 0.5)
        for ((names, law), vector) in told
    ]


def microdata(document: Document) -> Tidy:
    """Return rows that make the tables of a cube: each of its cells as often as it counts.

    Raises:
        InputError: the release has no cube, or rows without end.
    """
    released = cube_of(document)
    names = [axis.name for axis in released.answer.axes]
    columns = released.answer.rows.columns
    index, values = columns[: len(names)], columns[-3]
    places = [at for at in range(len(values)) if all(c[at] is not None for c in index)]
    size = sum(values[at] for at in places)
    if size > _MOST_ROWS:
        raise InputError(
            f"the cells of {shown(released.label)} add up to {size:,} rows.",
            why=f"more than {_MOST_ROWS:,} are not written out",
            fix="use the table of the cells, with value as a weight",
        )
    rows = [tuple(c[at] for c in index) for at in places for _ in range(values[at])]
    kinds: list[Any] = [
        "flag" if isinstance(c, bool) else "whole" if isinstance(c, int) else "text"
        for c in (column[places[0]] for column in index)
    ]
    return Tidy(f"{document.title}. {SYNTHETIC}", tuple(names), tuple(kinds), rows)


def axis_of(names: Sequence[str], name: object) -> int:
    """Return the place of an attribute, or raise InputError."""
    if not isinstance(name, str) or name not in names:
        near = nearest_name(str(name), names)
        raise InputError(
            f"{as_given(name)} is no attribute of this cube.",
            why=f"there are {shown(', '.join(names), _NAMED)}",
            fix=f"write {shown(near)!r}" if near else "name one of them",
        )
    return names.index(name)


def known_keys(released: Released, keys: Mapping[str, object]) -> dict[str, Cell]:
    """Return the keys as the release has them; a text may stand for a number."""
    names = [axis.name for axis in released.answer.axes]
    found: dict[str, Cell] = {}
    for name, value in keys.items():
        known = dict.fromkeys(released.answer.rows.columns[names.index(name)])
        match = [k for k in known if k is not None and (k == value or str(k) == str(value))]
        if not match:
            listed = ", ".join(plainly(k) for k in known if k is not None)
            raise InputError(
                f"{as_given(value)} is no key of {shown(name)}.",
                why=f"its keys are {shown(listed, _NAMED)}",
                fix="write one of them",
            )
        found[name] = match[0]
    return found


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple, set, range)) else [value]
