"""How the numbers of a table split into parts: what each level says beyond the one above it.

Of an attribute with levels, let S write the number of a group to its parts, an equal share to each,
and T add parts up to their group. Then y = S T y + (y - S T y): what the level above says, and what
is beyond it, which adds up to 0 in each group. Done along each attribute of a table and level by
level, that splits it into one part for each table below it; put together again, it is the table.

Rules of this module:
- an array has an axis for each attribute that its table shows, in their order, and no other.
"""

from collections.abc import Sequence
from functools import lru_cache

from .attribute import Attribute, Levels, Places, Vector


def summed(attributes: Sequence[Attribute], array: Vector, shown: Levels, end: Levels) -> Vector:
    """Return the sums of a table by a table below it."""
    import numpy as np

    axis = 0
    for attribute, level, upper in zip(attributes, shown, end, strict=True):
        if level and not upper:
            array = array.sum(axis=axis)
        elif upper < level:
            array = np.moveaxis(
                np.tensordot(_adding(attribute, level, upper), array, axes=(1, axis)), 0, axis
            )
        axis += upper > 0
    return np.asarray(array)


def centered(attributes: Sequence[Attribute], array: Vector, shown: Levels) -> Vector:
    """Return what a table says beyond those above it: it adds up to 0 in each group above."""
    import numpy as np

    pairs = [(a, level) for a, level in zip(attributes, shown, strict=True) if level]
    for axis, (attribute, level) in enumerate(pairs):
        if level == 1:
            array = array - array.mean(axis=axis, keepdims=True)
        else:
            adding = _adding(attribute, level, level - 1)
            means = adding / attribute.many(level - 1, level)[:, None]
            above = np.moveaxis(np.tensordot(means, array, axes=(1, axis)), 0, axis)
            array = array - above.take(attribute.above(level, level - 1), axis=axis)
    return array


def written(attributes: Sequence[Attribute], array: Vector, part: Levels, shown: Levels) -> Vector:
    """Return the part of a table written out to a table below it, in equal shares."""
    import numpy as np

    axis = 0
    for attribute, upper, level in zip(attributes, part, shown, strict=True):
        if level:
            array = array if upper else np.expand_dims(array, axis)
            if upper < level:
                shape = [-1 if at == axis else 1 for at in range(array.ndim)]
                array = array.take(attribute.above(level, upper), axis=axis)
                array = array * _shares(attribute, level, upper).reshape(shape)
            axis += 1
    return array


def directions(attribute: Attribute, level: int, chosen: Vector) -> list[Vector]:
    """Return what a sum of groups of a level takes of each part, by the groups of its level.

    Args:
        attribute: whose groups.
        level: theirs.
        chosen: how often each is counted.

    Example: one of two keys is half of their total, and half of how much it is above the other.

        >>> import numpy as np
        >>> from .attribute import Attribute
        >>> two = Attribute(((0, 0), (0, 1)))
        >>> [found.tolist() for found in directions(two, 1, np.array([1.0, 0.0]))]
        [[0.5], [0.5, -0.5]]
    """
    import numpy as np

    taken = [chosen]
    for at in range(level - 1, -1, -1):
        sums = np.bincount(attribute.above(at + 1, at), taken[0])
        taken.insert(0, sums / attribute.many(at, at + 1))
    beyond = [taken[at] - taken[at - 1][attribute.above(at, at - 1)] for at in range(1, level + 1)]
    return [taken[0], *beyond]


def alike(rows: Vector) -> tuple[Places, Vector]:
    """Return where the different rows of a matrix are, up to rounding, and how many each has."""
    import numpy as np

    sizes = np.abs(rows).max(axis=0, initial=0.0)
    ranks = np.rint(rows * (2.0**36 / np.where(sizes > 0, sizes, 1.0)))
    _, first, counts = np.unique(ranks, axis=0, return_index=True, return_counts=True)
    return first, counts.astype(float)


@lru_cache(maxsize=32)
def _adding(attribute: Attribute, level: int, upper: int) -> Vector:
    """Return the 0/1 matrix that adds groups of a level up to those of a coarser one."""
    import numpy as np

    groups = np.arange(attribute.sizes[upper])
    return np.asarray((groups[:, None] == attribute.above(level, upper)).astype(float))


@lru_cache(maxsize=1024)
def _shares(attribute: Attribute, level: int, upper: int) -> Vector:
    """Return which share each group of a level gets of the group above that it lies in."""
    import numpy as np

    shares = np.ones(attribute.sizes[level])
    for at in range(upper, level):
        shares = shares / attribute.many(at, at + 1)[attribute.above(level, at)]
    return shares
