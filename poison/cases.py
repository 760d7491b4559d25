"""The cases: every source, every role, every strange cell."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Self
from zlib import crc32

import pyarrow as pa

import discreet as dp

from .cells import LINES, OBJECTS, TEXTS, random_objects
from .columns import COLUMNS, Column
from .harness import Declared, Found, compared, outcome
from .sources import LOOSE, ORDER, TYPED, WRITERS, of_lines

ROWS = 40
BOUNDS = dp.bounds(-5, 5, step=1)
WIDE = dp.bounds(-15_000_000, 15_000_000, step="0.01")
PEOPLE = dp.unit("u", max_rows=3)
WHOSE = {"row": "row", "3 rows": PEOPLE}
ROLES = ("u", "k", "v", "z")


Feature = tuple[int, str]  # a part of a case's name, and its place there


@dataclass
class Tally:
    """Of all cases, and of those that are tried: how many there are, and the pairs of features that occur together."""

    cases: list[int] = field(default_factory=lambda: [0, 0])
    pairs: tuple[set[tuple[Feature, Feature]], set[tuple[Feature, Feature]]] = field(
        default_factory=lambda: (set(), set())
    )

    def add(self, name: str, *, is_tried: bool) -> None:
        pairs = [*combinations(enumerate(_BETWEEN.split(name)), 2)]
        for place in range(1 + is_tried):
            self.cases[place] += 1
            self.pairs[place].update(pairs)

    def __str__(self) -> str:
        cases, tried = self.cases
        pairs, met = map(len, self.pairs)
        return f"{tried:,} of {cases:,} cases, {met:,} of {pairs:,} pairs of features"


_BETWEEN = re.compile(r", | as | of a join by ")


@dataclass(frozen=True)
class Share:
    """Which cases are tried: one of so many, chosen by name. Counts them, and the pairs of their features."""

    of: int = 1
    tally: Tally = field(default_factory=Tally)

    def has(self, name: str) -> bool:
        is_tried = crc32(name.encode()) % self.of == 0
        self.tally.add(name, is_tried=is_tried)
        return is_tried

    def fewer(self, times: int) -> Self:
        """Return one of so many of these."""
        return replace(self, of=times * self.of)


def usual(number: int) -> dict[str, object]:
    """An ordinary row."""
    return {"u": f"p{number % 9}", "k": "AB"[number % 2], "v": float(number % 7 - 3), "z": "z"}


def table_of(rows: Sequence[dict[str, object]], role: str, column: Column) -> pa.Table:
    """The rows, with the type of one column in one role."""
    arrays = {
        "u": pa.array([r["u"] for r in rows], pa.string()) if role != "u" else None,
        "k": pa.array([r["k"] for r in rows], pa.string()) if role != "k" else None,
        "v": pa.array([r["v"] for r in rows], pa.float64()) if role != "v" else None,
        "z": pa.array([r["z"] for r in rows], pa.string()) if role != "z" else None,
    }
    arrays[role] = column.array([row[role] for row in rows])
    return pa.table({name: arrays[name] for name in ORDER})


def typed(share: Share) -> Iterator[Found]:
    """Sources whose columns have types."""
    for source, make in TYPED.items():
        for column in COLUMNS:
            for role in ROLES:
                fits = {
                    "u": column.is_unit,
                    "k": bool(column.keys),
                    "v": column.is_value,
                    "z": True,
                }
                if fits[role]:
                    yield from _typed(source, make, column, role, share)


def _typed(source: str, make: Any, column: Column, role: str, share: Share) -> Iterator[Found]:
    rows: list[dict[str, object]] = [
        {**usual(n), role: column.usual[n % len(column.usual)]} for n in range(ROWS)
    ]
    keys = column.keys if role == "k" else ["A", "B"]
    for whose, unit in WHOSE.items():
        if role == "u" and whose == "row":
            continue
        before = None
        for name, cell in column.strange:
            case = f"{source}, {column.name} as {_ROLE[role]}, {name}, unit {whose}"
            if not share.has(case):
                continue
            declared = Declared(unit, BOUNDS, keys, has_value=True)
            more = [*rows, {**usual(8), "u": "q", role: cell}]
            try:
                one, other = (table_of(some, role, column) for some in (rows, more))
            except Exception:
                continue
            try:
                before = before or outcome(partial(make, one), declared)
                after = outcome(partial(make, other), declared)
            except Exception:
                continue
            finding = name.split()[0] if name.startswith("P0") else column.finding
            yield from compared(finding, case, before, after)
            if role == "z" and before[0] != "answered":
                yield Found("D3", case, f"{before[0]} for a column that nobody uses")


_ROLE = {"u": "the unit", "k": "a key", "v": "a value", "z": "nothing"}


def loose(share: Share) -> Iterator[Found]:
    """Sources whose cells are of their own kinds."""
    rows = [usual(n) for n in range(ROWS)]
    for source, make in LOOSE.items():
        for whose, unit in WHOSE.items():
            for bounds in (BOUNDS, WIDE):
                declared = Declared(unit, bounds, ["A", "B"], has_value=True)
                before = outcome(partial(make, rows), declared)
                for role in ROLES if bounds is BOUNDS else ("v",):
                    for name, cell in OBJECTS:
                        case = f"{source}, {name} as {_ROLE[role]}, unit {whose}"
                        if share.has(case + str(bounds)):
                            more = [*rows, {**usual(8), "u": "q", role: cell}]
                            after = outcome(partial(make, more), declared)
                            yield from compared(_finding(name), case, before, after)


def _finding(name: str) -> str:
    first = name.split(maxsplit=1)[0]
    return first if first[0] in "PD" and any(letter.isdigit() for letter in first) else ""


def many(share: Share, how_many: int = 100_000, at_once: int = 500) -> Iterator[Found]:
    """Random objects, hundreds at once, each a unit of its own."""
    rows = [usual(n) for n in range(ROWS)]
    for source, make in LOOSE.items():
        for place, role in enumerate(ROLES):
            part = how_many // (len(LOOSE) * len(ROLES)) // share.of
            cells = list(random_objects(part, seed=place))
            for start in range(0, len(cells), at_once):
                some = cells[start : start + at_once]
                more = [{**usual(n), "u": f"q{n}", role: cell} for n, cell in enumerate(some)]
                declared = Declared(PEOPLE, BOUNDS, ["A", "B"], has_value=True)
                before = outcome(partial(make, rows), declared)
                after = outcome(partial(make, [*rows, *more]), declared)
                case = f"{source}, {len(some)} random objects as {_ROLE[role]}, from {start}"
                yield from compared("P1", case, before, after, units=len(some))


def written(share: Share) -> Iterator[Found]:
    """CSV files as people's programs write them."""
    rows = [{name: str(cell) for name, cell in usual(n).items()} for n in range(ROWS)]
    for source, make in WRITERS.items():
        for whose, unit in WHOSE.items():
            declared = Declared(unit, BOUNDS, ["A", "B"], has_value=True)
            before = outcome(partial(make, rows), declared)
            for role in ROLES:
                for text in TEXTS:
                    case = f"{source}, {text[:20]!r} of {len(text)} as {_ROLE[role]}, unit {whose}"
                    if not share.has(case) or (role == "u" and whose == "row"):
                        continue
                    for rows_more in _placed(rows, {**rows[8], "u": "q", role: text}):
                        after = outcome(partial(make, rows_more), declared)
                        yield from compared("P0b" if "\r" in text else "", case, before, after)


def _placed(rows: list[Any], more: Any) -> Iterator[list[Any]]:
    """The row first, in the middle, last."""
    for place in (0, len(rows) // 2, len(rows)):
        yield [*rows[:place], more, *rows[place:]]


def lines(share: Share) -> Iterator[Found]:
    """CSV files with one line that no program should have written."""
    good = [",".join(map(str, usual(n).values())).encode() for n in range(ROWS)]
    for end in (b"\n", b"\r\n"):
        for whose, unit in WHOSE.items():
            declared = Declared(unit, BOUNDS, ["A", "B"], has_value=True)
            before = outcome(lambda folder: of_lines(good, folder, end), declared)  # noqa: B023
            for name, line in LINES:
                case = f"csv with {end!r}, {name}, unit {whose}"
                if not share.has(case):
                    continue
                for more in _placed(good, line):
                    after = outcome(partial(_of_lines, more, end), declared)
                    yield from compared(_finding(name), case, before, after)


def _of_lines(rows: Sequence[bytes], end: bytes, folder: Path) -> Any:
    return of_lines(rows, folder, end)


GROUPS: dict[str, Callable[[Share], Iterator[Found]]] = {
    "typed columns": typed, "cells of their own kinds": loose, "random objects": many,
    "written files": written, "damaged lines": lines,
}  # fmt: skip
