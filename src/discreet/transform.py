"""Public integer matrices between an engine's vectors and the door: exact, and never written out.

Rules of this module:
- a matrix says of itself what a proof of sensitivity asks: of each column the sum of sizes and of
  squares, and between which entries all others lie;
- NumPy's 64 bits add up only where no sum on the way can pass them; elsewhere Python does.

Decision 10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from .errors import InternalError
from .exact.packed import packed_product

_SAFE = 2**62  # sums that stay below are made in 64 bits
_LONG = 64  # entries of a kernel, from which on products of long numbers are faster


class Matrix(Protocol):
    """A matrix of whole numbers."""

    @property
    def rows(self) -> int:
        """How many numbers come out."""

    @property
    def columns(self) -> int:
        """How many numbers go in."""

    def times(self, vector: Sequence[int]) -> list[int]:
        """Return the matrix times a vector."""

    def sizes(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' sizes."""

    def squares(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' squares."""

    def ends(self) -> tuple[int, int]:
        """Return the least and the largest entry, or numbers beyond; 0 lies between."""


@dataclass(frozen=True, slots=True)
class Shifts:
    """A square matrix that adds shifted copies: entry (i, j) is kernel[i - j], or 0 beyond it.

    Above the diagonal it is `wrap` times kernel[columns + i - j]: 0 for prefix sums and other
    filters that look back, 1 for a circulant matrix, -1 for a skew-circulant one.
    """

    columns: int
    kernel: tuple[int, ...]
    wrap: Literal[-1, 0, 1] = 0

    @property
    def rows(self) -> int:
        """How many numbers come out."""
        return self.columns

    def times(self, vector: Sequence[int]) -> list[int]:
        """Return the matrix times a vector."""
        if len(self.kernel) == 1:
            return [self.kernel[0] * x for x in vector]
        whole = self._spread(vector)
        past = whole[self.columns :]
        past += [0] * (self.columns - len(past))
        return [x + self.wrap * y for x, y in zip(whole[: self.columns], past, strict=True)]

    def _spread(self, vector: Sequence[int]) -> list[int]:
        """Return the full convolution with the kernel."""
        if sum(map(abs, vector)) * max(1, *map(abs, self.kernel)) < _SAFE:
            import numpy as np

            if len(self.kernel) > _LONG and min(vector) >= 0:
                return packed_product(vector, self.kernel)

            found = np.convolve(np.array(vector, np.int64), np.array(self.kernel, np.int64))
            return [int(x) for x in found]
        spread = [0] * (len(vector) + len(self.kernel) - 1)
        for j, x in enumerate(vector):
            for i, a in enumerate(self.kernel):
                spread[i + j] += a * x
        return spread

    def sizes(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' sizes."""
        return self._of_columns([abs(a) for a in self.kernel])

    def squares(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' squares."""
        return self._of_columns([a * a for a in self.kernel])

    def _of_columns(self, each: list[int]) -> tuple[int, ...]:
        """Return the sums of each column: whole where the kernel wraps, else of what is left."""
        sums, total = [0], 0
        for number in each:
            total += number
            sums.append(total)
        if self.wrap:
            return (total,) * self.columns
        return tuple(sums[min(self.columns - j, len(each))] for j in range(self.columns))

    def ends(self) -> tuple[int, int]:
        """Return the least and the largest entry, or numbers beyond; 0 lies between."""
        every = [*self.kernel, *(self.wrap * a for a in self.kernel)]
        return min(0, *every), max(0, *every)


@dataclass(frozen=True, slots=True)
class Transform:
    """A matrix that a vector is multiplied by: the cells of each group, or the whole vector."""

    matrix: Matrix
    of: Literal["group", "vector"] = "group"

    def size(self, groups: int, cells: int) -> int:
        """Return how many numbers are made of a vector of as many groups and cells in each."""
        blocks, columns = (groups, cells) if self.of == "group" else (1, groups * cells)
        if self.matrix.columns != columns:
            raise InternalError(
                f"a matrix of {self.matrix.columns} columns does not fit {columns} numbers.",
                why="it has a column for each number that it is applied to",
                fix="please report it, with the plan",
            )
        return blocks * self.matrix.rows

    def applied(self, vector: Sequence[int]) -> tuple[int, ...]:
        """Return the vector, block by block times the matrix."""
        block = self.matrix.columns
        found = [self.matrix.times(vector[i : i + block]) for i in range(0, len(vector), block)]
        return tuple([x for part in found for x in part])
