"""The matrices that make a table: sums over groups of keys, and contrasts of such sums.

Rules of this module:
- it is one of `transform`'s matrices: exact, public, and it says what a proof of sensitivity asks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

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

        kind: Any = np.int64
        try:
            found: Any = np.array(vector, dtype=kind)
            wide = max(int(found.max()), -int(found.min())) * len(vector) >= _SAFE
        except OverflowError:
            wide = True
        if wide:
            kind = object
            found = np.array(vector, dtype=kind)
        found = found.reshape([len(axis) for axis in self.groups])
        for at, axis in enumerate(self.groups):
            size = max(axis) + 1
            if size == 1:
                found = found.sum(axis=at, keepdims=True)
            elif axis != tuple(range(len(axis))):
                lines = np.moveaxis(found, at, 0)
                sums = np.zeros((size, *lines.shape[1:]), dtype=kind)
                np.add.at(sums, np.array(axis), lines)
                found = np.moveaxis(sums, 0, at)
        told: list[int] = found.ravel().tolist()
        return told

    def sizes(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' sizes."""
        return (1,) * self.columns

    def squares(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' squares."""
        return (1,) * self.columns

    def ends(self) -> tuple[int, int]:
        """Return the least and the largest entry; 0 lies between."""
        return 0, 1


@dataclass(frozen=True, slots=True)
class Contrasts:
    """The contrasts of a margin: along each axis c I - J in each group of c places.

    Each number is c times itself less the sum of its group, axis by axis: what the table says
    beyond the one above it, times the product of all c.

    Attributes:
        margin: what makes the table.
        groups: of each axis of the table the group of each place, counted from 0, all groups of one
            axis of one size; without, all places are one group.
    """

    margin: Margin
    groups: tuple[tuple[int, ...], ...] = ()

    @property
    def rows(self) -> int:
        """How many numbers come out."""
        return self.margin.rows

    @property
    def columns(self) -> int:
        """How many numbers go in."""
        return self.margin.columns

    def _axes(self) -> list[tuple[int, ...]]:
        return [*self.groups] or [(0,) * (max(axis) + 1) for axis in self.margin.groups]

    def kept(self) -> list[int]:
        """Return how large the groups of each axis are, but where each is a single place."""
        sizes = (len(axis) // (max(axis) + 1) for axis in self._axes())
        return [n for n in sizes if n > 1]

    def times(self, vector: Sequence[int]) -> list[int]:
        """Return the matrix times a vector."""
        import numpy as np

        axes = self._axes()
        wide = sum(map(abs, vector)) * prod(2 * n for n in self.kept()) >= _SAFE
        kind: Any = object if wide else np.int64
        array = np.array(self.margin.times(vector), dtype=kind).reshape([*map(len, axes)])
        for at, axis in enumerate(axes):
            many = max(axis) + 1
            n = len(axis) // many
            if n > 1:
                lines = np.moveaxis(array, at, 0)
                sums = np.zeros((many, *lines.shape[1:]), dtype=kind)
                np.add.at(sums, np.array(axis), lines)
                array = n * array - np.moveaxis(sums[np.array(axis)], 0, at)
        found: list[int] = array.ravel().tolist()
        return found

    def sizes(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' sizes."""
        return (prod(2 * (n - 1) for n in self.kept()),) * self.columns

    def squares(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' squares."""
        return (prod(n * (n - 1) for n in self.kept()),) * self.columns

    def ends(self) -> tuple[int, int]:
        """Return the least and the largest entry: all but one axis agree, or all do."""
        most = prod(n - 1 for n in self.kept())
        return -max((most // (n - 1) for n in self.kept()), default=0), most
