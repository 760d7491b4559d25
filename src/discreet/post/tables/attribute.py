"""An attribute of a cube: its keys, and the coarser levels that they are put together to.

Rules of this module:
- the first level is everything together, the last one the keys themselves; each level is made of
  whole groups of the next one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ...errors import InternalError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float64]"
Whole: TypeAlias = "NDArray[np.int64]"
Numbers: TypeAlias = "Vector | Whole"
Places: TypeAlias = "NDArray[np.intp]"
Array = TypeVar("Array", "Vector", "Whole")
Levels = tuple[int, ...]  # of a table, which level of each attribute it shows; 0 shows none


@dataclass(frozen=True, slots=True)
class Attribute:
    """Levels from the coarsest to the finest.

    Attributes:
        levels: for each the group of every key, counted from 0.
        sizes: how many groups each level has.
    """

    levels: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", tuple(max(level) + 1 for level in self.levels))
        keys = len(self.levels[-1])
        nested = all(
            len(set(zip(up, down, strict=True))) == len(set(down))
            for up, down in pairwise(self.levels)
        )
        if set(self.levels[0]) != {0} or self.levels[-1] != tuple(range(keys)) or not nested:
            raise InternalError(
                "the levels of an attribute are not nested.",
                kind="internal-fault",
                why="each is made of whole groups of the next, from all keys down to each",
                fix="please report it, with the plan",
            )

    @property
    def even(self) -> bool:
        """Whether each group has as many parts as the others of its level."""
        return _even(self)

    def above(self, level: int, upper: int) -> Places:
        """Return for each group of a level the group of a coarser one that it lies in."""
        return _above(self, level, upper)

    def many(self, level: int, finer: int) -> Vector:
        """Return how many groups of a finer level each group of a level has."""
        return _many(self, level, finer)

    def matrix(self, level: int) -> Vector:
        """Return the 0/1 matrix that adds keys up to the groups of a level."""

        import numpy as np

        groups = np.array(self.levels[level])
        matrix: Vector = (np.arange(self.sizes[level])[:, None] == groups).astype(float)
        return matrix

    def added(self, keys: Vector, level: int) -> Vector:
        """Return numbers of all keys, added up to the groups of a level."""

        import numpy as np

        totals: Vector = np.bincount(_above(self, len(self.levels) - 1, level), keys).astype(float)
        return totals

    def row(self, level: int, group: int) -> Vector:
        """Return which keys a group of a level has: 1, or 0 for others."""

        import numpy as np

        row: Vector = (_above(self, len(self.levels) - 1, level) == group).astype(np.float64)
        return row

    def summed(self, array: Array, axis: int, level: int) -> Array:
        """Return an array of all keys along an axis, added up to the groups of a level."""

        import numpy as np

        if level == len(self.levels) - 1:
            return array
        if level == 0:
            whole: Array = array.sum(axis=axis, keepdims=True)
            return whole
        matrix = self.matrix(level).astype(array.dtype)
        return np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis)

    def spread(self, array: Vector, axis: int, level: int) -> Vector:
        """Return an array of a level's groups along an axis, written to each of their keys."""
        copied: Vector = array.take(self.levels[level], axis=axis)
        return copied


@lru_cache(maxsize=1024)
def _even(attribute: Attribute) -> bool:
    depth = range(len(attribute.levels) - 1)
    return all(len(set(attribute.many(at, at + 1).tolist())) == 1 for at in depth)


@lru_cache(maxsize=1024)
def _above(attribute: Attribute, level: int, upper: int) -> Places:
    import numpy as np

    groups = np.zeros(attribute.sizes[level], dtype=np.intp)
    groups[np.array(attribute.levels[level])] = attribute.levels[upper]
    return groups


@lru_cache(maxsize=1024)
def _many(attribute: Attribute, level: int, finer: int) -> Vector:
    import numpy as np

    return np.bincount(attribute.above(finer, level)).astype(float)


def sums(array: Array, attributes: Sequence[Attribute], table: Levels) -> Array:
    """Return the sums of an array of all keys that a table shows."""
    for axis, (attribute, level) in enumerate(zip(attributes, table, strict=True)):
        array = attribute.summed(array, axis, level)
    return array
