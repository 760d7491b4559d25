"""Numbers that are public and typed into a plan: the total of its tables, or those of a column.

Rules of this module:
- they are typed, and never read from the data: an exact count of the data has no price in privacy;
- wherever they show, it is said that noise does not protect them, and that nobody checked them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, as_given, shown
from ..exact.number import whole
from ..fix import BLANK, nearest_name, write
from ..schema import Key
from ..text import listed

TOTAL = "total"
_SHOWN = 8  # numbers that a sentence names


@dataclass(frozen=True, slots=True)
class Known:
    """What is known: the number of all rows, and of those of each key of some columns.

    A key is its text, as plans and plan files write it.
    """

    total: int
    margins: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        if not self.margins:
            return {TOTAL: self.total}
        return {name: dict(numbers) for name, numbers in self.margins}

    def words(self) -> list[str]:
        """Return what must be said wherever these numbers show."""
        if not self.margins:
            return [
                f"KNOWN TOTAL: {self.total:,} is published as typed. It is not protected by noise, "
                "and discreet did not check it."
            ]
        return [
            f"KNOWN TOTALS by {name}: "
            f"{listed([f'{key} {n:,}' for key, n in numbers], _SHOWN)} are published as typed. "
            "They are not protected by noise, and discreet did not check them."
            for name, numbers in self.margins
        ]

    def of(self, column: str, keys: tuple[Key, ...]) -> list[int] | None:
        """Return the known numbers of a column's keys, in their order; None where none is known.

        Raises:
            InputError: they are those of other keys.
        """
        found = dict(self.margins).get(column)
        if found is None:
            return None
        numbers = dict(found)
        if len(numbers) != len(keys) or set(numbers) != set(map(str, keys)):
            raise InputError(
                f"the known numbers of {shown(column)} are not one for each of its keys.",
                why="they are published as typed, a key that is left out with them",
                fix=write(known={column: {str(key): BLANK for key in keys[:_SHOWN]}}),
                at="known",
            )
        return [numbers[str(key)] for key in keys]

    def check(self, columns: list[str]) -> None:
        """Raise InputError where a column is not among those of the tables."""
        for name, _ in self.margins:
            if name not in columns:
                near = nearest_name(name, columns)
                raise InputError(
                    f"known names {shown(name)}, which is no column of these tables.",
                    why=f"known is the total, or the numbers of one of {listed(columns, _SHOWN)}",
                    fix=write(known={near or TOTAL: BLANK}),
                    at="known",
                )


def known_of(given: object) -> Known | None:
    """Return what a question says is known, or raise InputError."""
    if given is None or (isinstance(given, Mapping) and not given):
        return None
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise _refused(given)
    margins = []
    for name, numbers in given.items():
        if name != TOTAL:
            if not isinstance(numbers, Mapping) or not numbers:
                raise _refused(given)
            pairs = ((str(key), whole(n, "known", least=0)) for key, n in numbers.items())
            margins.append((name, tuple(sorted(pairs))))
    totals = {sum(n for _, n in numbers) for _, numbers in margins}
    if TOTAL in given:
        totals.add(whole(given[TOTAL], "known", least=0))
    if len(totals) > 1:
        raise InputError(
            f"the known numbers add up to {' and '.join(f'{n:,}' for n in sorted(totals))}.",
            why="all tables count the same rows, so that all totals are one",
            fix="type numbers that add up to the same total, or leave out one of them",
            at="known",
        )
    return Known(totals.pop(), tuple(sorted(margins)))


def _refused(given: object) -> InputError:
    return InputError(
        f"known = {as_given(given)} is not a known total.",
        why="the number of all counted rows may be public, or of those of each key of a column; it "
        "is typed, and never read from the data: an exact count has no price in privacy",
        fix=write(known={TOTAL: BLANK}),
        at="known",
    )
