"""Intervals of a cube's estimates: made of the linear ones, so that no fit can break them.

The estimate of a sum of cells is off by E, of which `tails` knows the reach h exactly. The truth is
a whole number of at least 0. So the whole numbers of [estimate - h, estimate + h] that are not
below 0 hold it as often as that interval does, and so they do when the interval is stretched to a
published number beside it.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, product

from ...noise.law import Law
from .attribute import Attribute, Levels, Numbers, Vector, Whole
from .solve import Selection, Solved
from .tails import NoisePart, half_width

_ROOM = 1e-7  # of an estimate's last digits


def reaches(found: Solved, laws: Mapping[Levels, Law], alpha: float) -> dict[Levels, Vector]:
    """Return for each table how far its estimates are off at most, but with probability alpha.

    Cells that are alike (whose groups have as many keys, and as many beside them) are worked out
    once.
    """

    import numpy as np

    groups = [kinds_of(attribute) for attribute in found.attributes]
    sizes: dict[Levels, Vector] = {}
    every = (range(len(attribute.levels)) for attribute in found.attributes)
    for table in product(*every):
        kinds = [each[level] for each, level in zip(groups, table, strict=True)]
        firsts = [[line.index(kind) for kind in range(max(line) + 1)] for line in kinds]
        made = np.zeros([len(first) for first in firsts])
        for place in np.ndindex(*made.shape):
            chosen = tuple(
                attribute.row(level, first[at])
                for attribute, level, first, at in zip(
                    found.attributes, table, firsts, place, strict=True
                )
            )
            made[place] = reach(found, chosen, laws, alpha)
        sizes[table] = made[np.ix_(*kinds)]
    return sizes


def reach(found: Solved, chosen: Selection, laws: Mapping[Levels, Law], alpha: float) -> float:
    """Return how far the estimate of a sum of cells is off at most, but with probability alpha."""
    parts = [
        NoisePart(laws[table], float(factor), float(count))
        for table, factors, counts in found.parts(chosen)
        if table in laws
        for factor, count in zip(factors, counts, strict=True)
    ]
    return half_width(parts, alpha)


def ends(estimates: Vector, sizes: Vector, values: Numbers) -> tuple[Whole, Whole]:
    """Return the whole numbers that intervals end at.

    Args:
        estimates: the linear ones.
        sizes: their reaches.
        values: what is published; an estimate itself may be below 0, and is none of the truth.

    Example:
        >>> import numpy as np
        >>> ends(np.array([2.5, -4.2, 2.5]), np.array([3.1, 3.1, 0.2]), np.array([2, 0, 3]))
        (array([0, 0, 3]), array([5, 0, 3]))
    """

    import numpy as np

    room = _ROOM * (1 + np.abs(estimates))
    low = np.maximum(0, np.ceil(estimates - sizes - room)).astype(np.int64)
    high = np.floor(estimates + sizes + room).astype(np.int64)
    told = np.floor(values).astype(np.int64), np.ceil(values).astype(np.int64)
    return np.minimum(low, told[0]), np.maximum(high, told[1])


@lru_cache(maxsize=256)
def kinds_of(attribute: Attribute) -> list[list[int]]:
    """Return for each level the kind of each of its groups, counted from 0.

    Two groups are of one kind where the trees below them are alike, and the groups above them, up
    to the whole, are of one kind: then they have the same place in all that is made of the tree.
    """
    levels = attribute.levels
    steps = list(pairwise(levels))
    trees = [[0] * len(levels[-1])]
    for up, down in reversed(steps):
        children: list[dict[int, int]] = [{} for _ in range(max(up) + 1)]
        for parent, child in zip(up, down, strict=True):
            children[parent][child] = trees[0][child]
        trees.insert(0, _numbered([tuple(sorted(found.values())) for found in children]))
    kinds = [[0]]
    for (up, down), own in zip(steps, trees[1:], strict=True):
        above = dict(zip(down, up, strict=True))
        kinds.append(_numbered([(kinds[-1][above[g]], tree) for g, tree in enumerate(own)]))
    return kinds


def _numbered(stories: Sequence[tuple[int, ...]]) -> list[int]:
    numbers: dict[tuple[int, ...], int] = {}
    return [numbers.setdefault(story, len(numbers)) for story in stories]
