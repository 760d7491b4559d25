"""The tables of a list: which there are, what is below what, and what is told by what.

A table is named by the level of each attribute that it shows (`attribute.Levels`). Contrasts of a
table are c I - J in each group of c, along each of its attributes: they tell its part (`parts`)
alone, times the product of all c. They are made where all groups of a level have as many parts.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from .attribute import Levels

Sizes = Sequence[tuple[int, ...]]  # of each attribute, how many groups each level has


class CountedTable(NamedTuple):
    """A vector that may be counted: a table, or the contrasts of its attributes."""

    shows: Levels
    contrasts: bool = False


def closed(margins: Iterable[Levels]) -> tuple[Levels, ...]:
    """Return all tables of a list with all of their margins: those of few attributes first.

    Example:
        >>> closed([(1, 0, 1), (0, 1, 0)])
        ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1))
    """
    found = {one for margin in margins for one in below(margin)}
    return tuple(sorted(found, key=order))


def order(shown: Levels) -> tuple[int, list[bool], Levels]:
    """Return what tables are sorted by: few attributes first."""
    return sum(map(bool, shown)), [not level for level in shown], shown


def below(shown: Levels) -> Iterator[Levels]:
    """Return a table and all of its margins."""
    return product(*(range(level + 1) for level in shown))


def inside(one: Levels, other: Levels) -> bool:
    """Tell whether a table is another one, or a margin of it."""
    return all(a <= b for a, b in zip(one, other, strict=True))


def cells(sizes: Sizes, shown: Levels) -> int:
    """Return how many numbers a table has."""
    return prod(each[level] for each, level in zip(sizes, shown, strict=True))


def steps(sizes: Sizes, shown: Levels) -> list[int]:
    """Return how many parts each group above has, of each attribute that is shown."""
    pairs = zip(sizes, shown, strict=True)
    return [each[level] // each[level - 1] for each, level in pairs if level]


def told_by(sizes: Sizes, one: CountedTable, part: Levels) -> float:
    """Return how precisely a vector with noise of variance 1 tells a part, in the mean."""
    if one.contrasts:
        return float(prod(steps(sizes, part))) ** 2 if one.shows == part else 0.0
    return cells(sizes, part) / cells(sizes, one.shows) if inside(part, one.shows) else 0.0


def settled_parts(
    sizes: Sizes, shown: Sequence[Levels], known: Iterable[Levels]
) -> frozenset[Levels]:
    """Return the tables whose part is known: of known margins, or of levels that split nothing."""
    margins = list(known)
    return frozenset(
        part
        for part in shown
        if any(inside(part, one) for one in margins)
        or any(
            level and each[level] == each[level - 1]
            for each, level in zip(sizes, part, strict=True)
        )
    )
