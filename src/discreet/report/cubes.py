"""Cubes of a release: any sum of their cells, and their tables as they were counted.

Rules of this module:
- only the sum of some cells is made anew, with an interval of its own, from the noisy tables that
  the release holds;
- it is arithmetic on released numbers: nothing is charged and nothing is read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..aggregate import Noisy
from ..document.accessors import alpha_of, has_linear
from ..document.document import Document, Released
from ..document.numbers import Cell, percent, plainly
from ..errors import InputError, as_given, names_shown, shown
from ..exact.number import Number
from ..fix import nearest_name
from ..plans.checked import checked_alpha
from ..plans.plan import plan_of
from ..post.tables.interval import ends
from ..statistic.known_totals import known_of
from ..text import prompt


@dataclass(frozen=True, slots=True)
class Total:
    """A sum of cells of a cube, with its own interval; a bound on its deviation stands beside."""

    value: int | float
    low: int
    high: int
    linear: float
    deviation: float

    def __str__(self) -> str:
        return f"{estimate(self.value)} ({self.low:,} to {self.high:,})"

    def __repr__(self) -> str:
        return prompt("Total", str(self))


def estimate(value: float) -> str:
    """Return a published number for people: an estimate with one digit behind the point."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def cube_of(document: Document) -> Released:
    """Return the only statistic of a document, if its tables add up: a cube, or a list of them.

    Raises:
        InputError: it is something else.
    """
    released = document.statistics[0]
    if not has_linear(released):
        raise InputError(
            f"{shown(released.label)} is no cube, and no list of tables.",
            kind="unknown-axis",
            why="only the tables of such a question add up and can be crossed",
            fix="ask for a cube of these columns in a plan",
        )
    return released


def notes_of(document: Document) -> tuple[str, ...]:
    """Return what must be known of the numbers of a cube."""
    released = cube_of(document)
    known = known_of(released.question.get("known"))
    interval = percent(alpha_of(document))
    if is_whole(released):
        note = (
            f"All tables add up exactly. Every number has its own {interval} interval, made before "
            "negative numbers were removed, so that it still holds."
        )
    else:
        note = (
            f"All tables add up. Every number is an estimate with its own {interval} interval; "
            + (
                "some can be below 0: of all cells together no table was fitted."
                if min(released.answer.rows.columns[-3]) < 0
                else "all are at least 0, but no table of all cells together was fitted."
            )
        )
    conditions = [of.get("where") for of in (document.plan["table"], released.question)]
    rows = [f"Rows: those where {condition}." for condition in conditions if condition is not None]
    return (*rows, *(known.words() if known else ()), note)


def is_whole(released: Released) -> bool:
    """Tell whether published tables are whole numbers, and not estimates."""
    return all(type(value) is int for value in released.answer.rows.columns[-3])


def total(document: Document, chosen: Mapping[str, object], alpha: Number | None = None) -> Total:
    """Return the sum of some cells of a cube, with an interval of its own.

    Args:
        document: a release of a cube alone.
        chosen: by attribute one key or several; of the others, all.
        alpha: the chance that the interval misses; by default, that of the release.
    """
    released = cube_of(document)
    names = [axis.name for axis in released.answer.axes]
    keys = {names[axis_of(names, name)]: _listed(value) for name, value in chosen.items()}
    for name, values in keys.items():
        for key in values:
            known_keys(released, {name: key})
    plan = plan_of(document.plan)
    line: Any = next(
        planned for planned in plan.lines if planned.statistic.plain() == released.question
    )
    noisy = [Noisy(tuple(vector.noisy)) for vector in released.vectors]
    chance = checked_alpha(document.alpha if alpha is None else alpha)
    refuse_apart(released, list(keys))
    made = line.statistic.sum_of(plan.table, noisy, line.laws, chance, keys)
    places, estimate, width, deviation = made
    published: Any = released.answer.rows.columns[-3]
    whole = sum([published[at] for at in places])
    value = whole if is_whole(released) else round(float(whole), 6)
    low, high = ends(np.array([estimate]), np.array([width]), np.array([value]))
    return Total(value, int(low[0]), int(high[0]), round(estimate, 6), round(deviation, 6))


def shows(released: Released, names: Sequence[str]) -> bool:
    """Tell whether a table of the release has these columns together."""
    if released.question["statistic"] != "tables":
        return True
    return any(set(names) <= with_above(released, table) for table in released.question["by"])


def with_above(released: Released, names: Sequence[str]) -> set[str]:
    """Return some columns, and the levels above them."""
    above = set(names)
    for hierarchy in released.question.get("levels", {}).values():
        columns = hierarchy["columns"]
        deepest = max((at for at, name in enumerate(columns) if name in above), default=-1)
        above |= set(columns[: deepest + 1])
    return above


def refuse_apart(released: Released, names: Sequence[str]) -> None:
    """Raise InputError where no table has these columns together."""
    if not shows(released, names):
        raise InputError(
            f"no table of this release has {names_shown(names, ' and ')}.",
            kind="unknown-axis",
            why="its tables are of "
            + names_shown((" and ".join(table) for table in released.question["by"]), "; "),
            fix="name columns of one of them",
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """A table as it was counted: its attributes, its noisy numbers, their deviation.

    Numbers are laid out by the keys of the attributes, the last one fastest. `contrasts` are not
    the table itself, but d I - J of it along each attribute, d being how many keys that has.
    """

    attributes: tuple[str, ...]
    noisy: tuple[int, ...]
    deviation: float
    contrasts: bool = False


def measured(document: Document) -> list[Measured]:
    """Return the tables of a cube as they were counted, with noise of their own."""
    released, plan = cube_of(document), plan_of(document.plan)
    line: Any = next(
        planned for planned in plan.lines if planned.statistic.plain() == released.question
    )
    pairs = zip(line.statistic.measured(plan.table, line.laws), released.vectors, strict=True)
    return [
        Measured(names, tuple(vector.noisy), float(law.variance()) ** 0.5, contrasts)
        for ((names, contrasts, law), vector) in pairs
    ]


def axis_of(names: Sequence[str], name: object) -> int:
    """Return the place of an attribute, or raise InputError."""
    if not isinstance(name, str) or name not in names:
        near = nearest_name(str(name), names)
        raise InputError(
            f"{as_given(name)} is no attribute of this cube.",
            kind="unknown-axis",
            why=f"there are {names_shown(names)}",
            fix=f"write {shown(near)!r}" if near else "name one of them",
        )
    return names.index(name)


def known_keys(released: Released, keys: Mapping[str, object]) -> dict[str, Cell]:
    """Return the keys as the release has them; a text may stand for a number."""
    names = [axis.name for axis in released.answer.axes]
    cells: dict[str, Cell] = {}
    for name, value in keys.items():
        known = dict.fromkeys(released.answer.rows.columns[names.index(name)])
        match = [k for k in known if k is not None and (k == value or str(k) == str(value))]
        if not match:
            raise InputError(
                f"{as_given(value)} is no key of {shown(name)}.",
                kind="selects-nothing",
                why=f"its keys are {names_shown(plainly(k) for k in known if k is not None)}",
                fix="write one of them",
            )
        cells[name] = match[0]
    return cells


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple, set, range)) else [value]
