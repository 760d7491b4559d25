"""The matrix that makes a table of a cube: sums over groups of keys, each number added once.

Rules of this module:
- it is one of `transform`'s matrices: exact, public, and it says what a proof of sensitivity asks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

_SAFE = 2**62  # sums that stay below are made in 64 bits


@dataclass(frozen=True, slots=True)
class Margin:
    """A table of sums of a vector that is laid out by axes, the last one fastest.

    For each axis the group that each of its places is added to, counted from 0: every number of the
    vector is added once, so that each column holds a single 1.
    """

    groups: tuple[tuple[int, ...], ...]

    @property
    def rows(self) -> int:
        """How many numbers come out."""
        return prod(max(axis) + 1 for axis in self.groups)

    @property
    def columns(self) -> int:
        """How many numbers go in."""
        return prod(map(len, self.groups))

    def times(self, vector: Sequence[int]) -> list[int]:
        """Return the matrix times a vector."""
        import numpy as np

        place = np.zeros(1, np.int64)
        for axis in self.groups:
            place = (place[:, None] * (max(axis) + 1) + np.array(axis)).reshape(-1)
        if sum(map(abs, vector)) < _SAFE:
            sums = np.zeros(self.rows, np.int64)
            np.add.at(sums, place, np.array(vector, np.int64))
            found: list[int] = sums.tolist()
            return found
        wide = [0] * self.rows
        for at, x in zip(place.tolist(), vector, strict=True):
            wide[at] += x
        return wide

    def sizes(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' sizes."""
        return (1,) * self.columns

    def squares(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' squares."""
        return (1,) * self.columns

    def ends(self) -> tuple[int, int]:
        """Return the least and the largest entry; 0 lies between."""
        return 0, 1
