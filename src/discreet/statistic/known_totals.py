"""Numbers that are public and typed into a plan: a total, those of a column, or a table of several.

Rules of this module:
- they are typed, and never read from the data: an exact count of the data has no price in privacy;
- wherever they show, it is said that noise does not protect them, and that nobody checked them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod
from typing import Any

from ..errors import InputError, as_given, shown
from ..exact.number import whole
from ..fix import BLANK, nearest_name, write
from ..text import listed

TOTAL, TABLES = "total", "tables"
_MOST = 2_000  # keys of the columns of a known table: a matrix of their squares is made
_SHOWN = 8  # numbers that a sentence names
_MOST_ROWS = 10**15  # what data may have; whole numbers of this size are exact in doubles

Cells = tuple[tuple[tuple[str, ...], int], ...]  # of each key of some columns, how many


@dataclass(frozen=True, slots=True)
class Known:
    """What is known: the number of all rows, and tables of one column or of several.

    A key is its text, as plans and plan files write it.
    """

    total: int
    tables: tuple[tuple[tuple[str, ...], Cells], ...] = ()

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        plain: dict[str, Any] = {
            names[0]: {key: n for (key,), n in cells}
            for names, cells in self.tables
            if len(names) == 1
        }
        several = [
            {"columns": list(names), "rows": [[*keys, n] for keys, n in cells]}
            for names, cells in self.tables
            if len(names) > 1
        ]
        if several:
            plain[TABLES] = several
        return plain or {TOTAL: self.total}

    def words(self) -> list[str]:
        """Return what must be said wherever these numbers show."""
        if not self.tables:
            return [
                f"KNOWN TOTAL: {self.total:,} is published as typed. It is not protected by noise, "
                "and discreet did not check it."
            ]
        named = [
            (
                " and ".join(names),
                [f"{' | '.join(keys)}{':' * (len(names) > 1)} {n:,}" for keys, n in cells],
            )
            for names, cells in self.tables
        ]
        return [
            f"KNOWN TOTALS by {name}: {listed(numbers, _SHOWN)} are published as typed. "
            "They are not protected by noise, and discreet did not check them."
            for name, numbers in named
        ]

    def shown(
        self,
        columns: Sequence[Sequence[str]],
        labels: Sequence[Sequence[Sequence[Any]]],
        asked: Sequence[tuple[int, ...]],
    ) -> dict[tuple[int, ...], list[int]]:
        """Return the known tables: which level of each attribute they show, and their numbers.

        Args:
            columns: of each attribute, its columns from the coarsest level to the keys.
            labels: of each attribute, level and group, the cells of these columns.
            asked: the tables that are asked, by level.

        Raises:
            InputError: an attribute is in two of them, numbers are not one for each cell, or no
                such table is asked.
        """
        self._check([name for own in columns for name in own])
        self._refuse_twice(columns)
        numbers = {(0,) * len(columns): [self.total]}
        for names, cells in self.tables:
            levels = tuple(
                next((at for at, name in enumerate(own, start=1) if name in names), 0)
                for own in columns
            )
            if levels not in asked:
                raise InputError(
                    f"no table of this list has {shown(' and '.join(names))}.",
                    kind="known-facts",
                    why="what is known is published as typed, in tables that are asked",
                    fix="list a table that has these columns",
                    at="known",
                )
            many = prod(len(own[-1]) for own, level in zip(labels, levels, strict=True) if level)
            if many > _MOST and len(names) > 1:
                raise InputError(
                    f"{shown(' and '.join(names))} have {many:,} keys together.",
                    kind="known-facts",
                    why=f"the sums of a known table are kept for at most {_MOST:,}",
                    fix="type the numbers of one of its columns",
                    at="known",
                )
            groups = [
                [(str(label[level - 1]), own[level - 1]) for label in each[level]]
                for each, own, level in zip(labels, columns, levels, strict=True)
                if level
            ]
            numbers[levels] = _in_order(names, dict(cells), groups)
        return numbers

    def _refuse_twice(self, columns: Sequence[Sequence[str]]) -> None:
        place = {name: at for at, own in enumerate(columns) for name in own}
        named = [name for names, _ in self.tables for name in names]
        times = Counter(place[name] for name in named)
        twice = next((at for at, n in times.items() if n > 1), None)
        if twice is None:
            return
        levels = [name for name in columns[twice] if name in named]
        two = f"two levels of a column: {shown(listed(levels, _SHOWN))}"
        raise InputError(
            f"known names {two if len(levels) > 1 else f'{shown(levels[0])} twice'}.",
            kind="known-facts",
            why="tables that share a column can contradict each other, and could then not be "
            "published as typed",
            fix="type one table of it, and leave out the others",
            at="known",
        )

    def _check(self, columns: list[str]) -> None:
        """Raise InputError where a column is not among those of the tables."""
        for name in (name for names, _ in self.tables for name in names):
            if name not in columns:
                near = nearest_name(name, columns)
                raise InputError(
                    f"known names {shown(name)}, which is no column of these tables.",
                    kind="known-facts",
                    why=f"known is the total, or the numbers of one of {listed(columns, _SHOWN)}",
                    fix=write(known={near or TOTAL: BLANK}),
                    at="known",
                )


def _in_order(
    names: Sequence[str],
    numbers: Mapping[tuple[str, ...], int],
    groups: Sequence[Sequence[tuple[str, str]]],
) -> list[int]:
    """Return the numbers of a known table by the groups of its attributes: key and column."""
    by_cell = []
    for cell in product(*groups):
        own = {column: key for key, column in cell}
        by_cell.append(numbers.get(tuple(own[name] for name in names)))
    present = [n for n in by_cell if n is not None]
    if len(present) < len(by_cell) or len(by_cell) != len(numbers):
        keys = [key for key, _ in groups[0][:_SHOWN]]
        raise InputError(
            f"the known numbers of {shown(' and '.join(names))} are not one for each "
            f"{'of its keys' if len(names) == 1 else 'cell'}.",
            kind="known-facts",
            why="they are published as typed, what is left out with them",
            fix=write(known={names[0]: dict.fromkeys(keys, BLANK)})
            if len(names) == 1
            else "type a number for each combination of keys, 0 where there is none",
            at="known",
        )
    return present


def known_of(argument: object) -> Known | None:
    """Return what a question says is known, or raise InputError.

    A table of several columns stands under a tuple of their names, by tuples of their keys; or, as
    plain data, among `tables`: {"columns": [...], "rows": [[key, key, number], ...]}.
    """
    if argument is None or (isinstance(argument, Mapping) and not argument):
        return None
    if not isinstance(argument, Mapping):
        raise _refused(argument)
    tables: list[tuple[tuple[str, ...], Cells]] = []
    for name, numbers in argument.items():
        if name == TABLES and isinstance(numbers, list) and numbers:
            tables += [_table(argument, *_written(argument, entry)) for entry in numbers]
        elif isinstance(name, tuple):
            tables.append(_table(argument, name, numbers))
        elif name != TOTAL:
            if not isinstance(name, str) or not isinstance(numbers, Mapping) or not numbers:
                raise _refused(argument)
            pairs = (((str(key),), whole(n, "known", least=0)) for key, n in numbers.items())
            tables.append(((name,), _once(pairs)))
    totals = {sum(n for _, n in cells) for _, cells in tables}
    if TOTAL in argument:
        totals.add(whole(argument[TOTAL], "known", least=0))
    _check_totals(totals)
    return Known(totals.pop(), tuple(sorted(tables, key=lambda entry: (len(entry[0]), entry))))


def _check_totals(totals: set[int]) -> None:
    """Raise InputError where known numbers have two totals, or one that no data has."""
    if len(totals) > 1:
        raise InputError(
            f"the known numbers add up to {' and '.join(f'{n:,}' for n in sorted(totals))}.",
            kind="known-facts",
            why="all tables count the same rows, so that all totals are one",
            fix="type numbers that add up to the same total, or leave out one of them",
            at="known",
        )
    if max(totals) > _MOST_ROWS:
        raise InputError(
            "the known numbers add up to more than 10^15.",
            kind="known-facts",
            why="they are numbers of rows, which are kept exactly up to there",
            fix=write(known={TOTAL: BLANK}),
            at="known",
        )


def _written(argument: object, entry: Any) -> tuple[object, object]:
    """Return the columns of a table that is written as plain data, and its numbers by key."""
    if not isinstance(entry, Mapping) or set(entry) != {"columns", "rows"}:
        raise _refused(argument)
    columns, rows = entry["columns"], entry["rows"]
    each = [*columns, *rows] if isinstance(columns, list) and isinstance(rows, list) else [()]
    if not all(isinstance(r, str) or (isinstance(r, list) and r) for r in each):
        raise _refused(argument)
    keys = [tuple(map(str, row[:-1])) for row in rows]
    if len(set(keys)) < len(keys):
        raise _refused(argument)
    return tuple(columns), dict(zip(keys, (row[-1] for row in rows), strict=True))


def _table(argument: object, names: Any, numbers: Any) -> tuple[tuple[str, ...], Cells]:
    """Return a known table, its columns in their order."""
    named = len(names) > 1 and all(isinstance(n, str) for n in names)
    if not named or len(set(names)) < len(names) or not isinstance(numbers, Mapping) or not numbers:
        raise _refused(argument)
    if not all(isinstance(keys, tuple) and len(keys) == len(names) for keys in numbers):
        raise _refused(argument)
    order = sorted(range(len(names)), key=names.__getitem__)
    cells = (
        (tuple(str(keys[at]) for at in order), whole(n, "known", least=0))
        for keys, n in numbers.items()
    )
    return tuple(names[at] for at in order), _once(cells)


def _once(cells: Iterable[tuple[tuple[str, ...], int]]) -> Cells:
    """Return the numbers of a table in order, or raise InputError where a key has two."""
    ordered = tuple(sorted(cells))
    twice = next((key for (key, _), (other, _) in pairwise(ordered) if key == other), None)
    if twice is not None:
        raise InputError(
            f"known has two numbers of {shown(' and '.join(twice))}.",
            kind="known-facts",
            why="keys are compared as text, so that 0 and '0' are one",
            fix="leave out one of them",
            at="known",
        )
    return ordered


def _refused(argument: object) -> InputError:
    return InputError(
        f"known = {as_given(argument)} is not a known total.",
        kind="known-facts",
        why="the number of all counted rows may be public, or of those of each key of a column, or "
        "of several; it is typed, and never read from the data: an exact count has no price",
        fix=write(known={TOTAL: BLANK}),
        at="known",
    )
