"""An attribute of a cube: its keys, and the coarser levels that they are put together to.

Rules of this module:
- the first level is everything together, the last one the keys themselves; each level is made of
  whole groups of the next one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ...errors import InternalError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float64]"
Whole: TypeAlias = "NDArray[np.int64]"
Numbers: TypeAlias = "Vector | Whole"
Array = TypeVar("Array", "Vector", "Whole")
Levels = tuple[int, ...]  # of a table, which level of each attribute it shows; 0 shows none


@dataclass(frozen=True, slots=True)
class Attribute:
    """Levels from the coarsest to the finest: for each the group of every key, counted from 0."""

    levels: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        keys = len(self.levels[-1])
        nested = all(
            len(set(zip(up, down, strict=True))) == len(set(down))
            for up, down in pairwise(self.levels)
        )
        if set(self.levels[0]) != {0} or self.levels[-1] != tuple(range(keys)) or not nested:
            raise InternalError(
                "the levels of an attribute are not nested.",
                why="each is made of whole groups of the next, from all keys down to each",
                fix="please report it, with the plan",
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many groups each level has."""
        return tuple(max(level) + 1 for level in self.levels)

    def matrix(self, level: int) -> Vector:
        """Return the 0/1 matrix that adds keys up to the groups of a level."""

        import numpy as np

        groups = np.array(self.levels[level])
        found: Vector = (np.arange(self.sizes[level])[:, None] == groups).astype(float)
        return found

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
        found: Vector = array.take(self.levels[level], axis=axis)
        return found


def flat(keys: int) -> Attribute:
    """Return the attribute of so many keys without levels between them and everything."""
    return Attribute(((0,) * keys, tuple(range(keys))))


def sums(array: Array, attributes: Sequence[Attribute], table: Levels) -> Array:
    """Return the sums of an array of all keys that a table shows."""
    for axis, (attribute, level) in enumerate(zip(attributes, table, strict=True)):
        array = attribute.summed(array, axis, level)
    return array
