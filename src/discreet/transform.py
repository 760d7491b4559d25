"""Public integer matrices between an engine's vectors and the door: exact, and never written out.

The matrices that make a table: sums over groups of keys, and contrasts of such sums. And one thing
that is none: how many counts are above 0.

Convolutions of whole numbers as products of very long ones, which FLINT multiplies fast.

Rules of this module:
- a matrix says of itself what a proof of sensitivity asks: of each column the sum of sizes and of
  squares, and between which entries all others lie;
- NumPy's 64 bits add up only where no sum on the way can pass them; elsewhere Python does;
- it is one of `transform`'s matrices: exact, public, and it says what a proof of sensitivity asks;
- every number is a whole one of 64 bits, and no sum runs over: whoever asks keeps the bound.

Decision 10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import Any, Literal, Protocol

from .errors import InternalError

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
        whole = convolved(vector, self.kernel)
        past = whole[self.columns :]
        past += [0] * (self.columns - len(past))
        return [x + self.wrap * y for x, y in zip(whole[: self.columns], past, strict=True)]

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
class Leaning:
    """A square matrix that adds shifted copies, each times a weight of its own.

    Entry (i, j) is weights[j] below kernel[i - j] on and below the diagonal, and above it it is
    -weights[j] kernel[columns + i - j]. Turned, it takes its numbers in reverse order.
    """

    kernel: tuple[int, ...]
    weights: tuple[int, ...]
    below: int
    turned: bool = False

    def __len__(self) -> int:
        """Return how many numbers go in."""
        return len(self.kernel)

    @property
    def rows(self) -> int:
        """How many numbers come out."""
        return len(self.kernel)

    @property
    def columns(self) -> int:
        """How many numbers go in."""
        return len(self.kernel)

    def times(self, vector: Sequence[int]) -> list[int]:
        """Return the matrix times a vector."""
        ordered = vector[::-1] if self.turned else vector
        weighed = [weight * x for weight, x in zip(self.weights, ordered, strict=True)]
        whole = [*convolved(weighed, self.kernel), 0]
        size = len(self.kernel)
        return [self.below * x - y for x, y in zip(whole[:size], whole[size:], strict=True)]

    def sizes(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' sizes."""
        return self._of_columns([abs(a) for a in self.kernel], 1)

    def squares(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' squares."""
        return self._of_columns([a * a for a in self.kernel], 2)

    def _of_columns(self, each: list[int], power: int) -> tuple[int, ...]:
        sums = [0, *accumulate(each)]
        kept, size = self.below**power, len(each)
        columns = [
            weight**power * (kept * sums[size - j] + sums[size] - sums[size - j])
            for j, weight in enumerate(self.weights)
        ]
        return tuple(columns[::-1] if self.turned else columns)

    def ends(self) -> tuple[int, int]:
        """Return the least and the largest entry, or numbers beyond; 0 lies between."""
        most = max(self.weights) * max(map(abs, self.kernel))
        return (-most if min(self.kernel) >= 0 else -self.below * most), self.below * most


@dataclass(frozen=True, slots=True)
class Beside:
    """A matrix with one row more: a weight times the sum of all numbers that go in."""

    shifts: Shifts | Leaning
    weight: int

    @property
    def rows(self) -> int:
        """How many numbers come out."""
        return self.shifts.rows + 1

    @property
    def columns(self) -> int:
        """How many numbers go in."""
        return self.shifts.columns

    def times(self, vector: Sequence[int]) -> list[int]:
        """Return the matrix times a vector."""
        return [*self.shifts.times(vector), self.weight * sum(vector)]

    def sizes(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' sizes."""
        return tuple([size + abs(self.weight) for size in self.shifts.sizes()])

    def squares(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' squares."""
        return tuple([square + self.weight**2 for square in self.shifts.squares()])

    def ends(self) -> tuple[int, int]:
        """Return the least and the largest entry, or numbers beyond; 0 lies between."""
        least, most = self.shifts.ends()
        return min(least, self.weight), max(most, self.weight)


@dataclass(frozen=True, slots=True)
class Transform:
    """A matrix that a vector is multiplied by: the cells of each group, or the whole vector."""

    matrix: Matrix
    of: Literal["group", "vector"] = "group"

    @property
    def answers(self) -> bool:
        """Whether each number that comes out is told as it is, and no two are put together."""
        return isinstance(self.matrix, Occurring)

    def size(self, groups: int, cells: int) -> int:
        """Return how many numbers are made of a vector of as many groups and cells in each."""
        blocks, columns = (groups, cells) if self.of == "group" else (1, groups * cells)
        if self.matrix.columns != columns:
            raise InternalError(
                f"a matrix of {self.matrix.columns} columns does not fit {columns} numbers.",
                kind="internal-fault",
                why="it has a column for each number that it is applied to",
                fix="please report it, with the plan",
            )
        return blocks * self.matrix.rows

    def applied(self, vector: Sequence[int]) -> tuple[int, ...]:
        """Return the vector, block by block times the matrix."""
        block = self.matrix.columns
        parts = [self.matrix.times(vector[i : i + block]) for i in range(0, len(vector), block)]
        return tuple([x for part in parts for x in part])


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
            array: Any = np.array(vector, dtype=kind)
            wide = max(int(array.max()), -int(array.min())) * len(vector) >= _SAFE
        except OverflowError:
            wide = True
        if wide:
            kind = object
            array = np.array(vector, dtype=kind)
        array = array.reshape([len(axis) for axis in self.groups])
        for at, axis in enumerate(self.groups):
            size = max(axis) + 1
            if size == 1:
                array = array.sum(axis=at, keepdims=True)
            elif axis != tuple(range(len(axis))):
                lines = np.moveaxis(array, at, 0)
                sums = np.zeros((size, *lines.shape[1:]), dtype=kind)
                np.add.at(sums, np.array(axis), lines)
                array = np.moveaxis(sums, 0, at)
        numbers: list[int] = array.ravel().tolist()
        return numbers

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
class Occurring:
    """Of each block of counts, how many of the first few are above 0: no matrix, but as bounded.

    A row more adds at most 1 to one number, as a matrix of ones does: what it says of itself is
    that of such a matrix. How far a unit moves it proves whoever asks for it.

    Attributes:
        rows: how many blocks there are, and numbers come out.
        width: of a block.
        counted: how many of its counts are looked at.
        blank: the blocks of which none is.
    """

    rows: int
    width: int
    counted: int
    blank: frozenset[int] = frozenset()

    @property
    def columns(self) -> int:
        """How many numbers go in."""
        return self.rows * self.width

    def times(self, vector: Sequence[int]) -> list[int]:
        """Return how many counts of each block are above 0."""
        starts = [self.width * block for block in range(self.rows)]
        counts = [sum(x > 0 for x in vector[at : at + self.counted]) for at in starts]
        return [0 if block in self.blank else count for block, count in enumerate(counts)]

    def sizes(self) -> tuple[int, ...]:
        """Return for each count how far it can move the numbers."""
        return (1,) * self.columns

    def squares(self) -> tuple[int, ...]:
        """Return for each count the square of that."""
        return (1,) * self.columns

    def ends(self) -> tuple[int, int]:
        """Return between what one count moves one number."""
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
        numbers: list[int] = array.ravel().tolist()
        return numbers

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


def convolved(vector: Sequence[int], kernel: Sequence[int]) -> list[int]:
    """Return the full convolution of numbers with a kernel."""
    if sum(map(abs, vector)) * max(1, *map(abs, kernel)) < _SAFE:
        import numpy as np

        if len(kernel) > _LONG and min(vector) >= 0:
            return packed_product(vector, kernel)

        product = np.convolve(np.array(vector, np.int64), np.array(kernel, np.int64))
        return [int(x) for x in product]
    spread = [0] * (len(vector) + len(kernel) - 1)
    for j, x in enumerate(vector):
        for i, a in enumerate(kernel):
            spread[i + j] += a * x
    return spread


def packed_product(vector: Sequence[int], kernel: Sequence[int]) -> list[int]:
    """Return a convolution with numbers of at least 0, as a product of two very long numbers.

    Each number takes 64 bits of one. The sum of the vector times the largest entry must stay below
    2^62: then no sum on the way reaches 2^63, so that none runs over into the next. The kernel is
    lifted by its least entry, so that none is negative; what that adds is the sum of the numbers
    that it lies over, and is taken away.
    """
    import numpy as np

    least, lifted = _lifted(tuple(kernel))
    size, numbers = len(vector) + len(kernel) - 1, np.array(vector, dtype="<i8")
    made = int(_packed(numbers) * lifted).to_bytes(8 * (size + 1), "little")
    sums = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(numbers, out=sums[1 : len(vector) + 1])
    sums[len(vector) + 1 :] = sums[len(vector)]
    over = sums[1:].copy()
    over[len(kernel) :] -= sums[1 : size - len(kernel) + 1]
    product: list[int] = (np.frombuffer(made, dtype="<i8")[:size] + least * over).tolist()
    return product


@lru_cache(maxsize=8)
def _lifted(kernel: tuple[int, ...]) -> tuple[int, Any]:
    """Return the least entry of a kernel, or 0, and the kernel less that, packed."""
    import numpy as np

    least = min(0, *kernel)
    return least, _packed(np.array(kernel, dtype="<i8") - least)


def _packed(numbers: Any) -> Any:
    """Return a long number that has each of these as 64 of its bits."""
    from flint import fmpz

    return fmpz(int.from_bytes(numbers.tobytes(), "little"))
