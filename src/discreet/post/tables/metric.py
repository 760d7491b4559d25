"""How far tables are from their estimates: in the metric of the estimates' errors.

A fit needs to know of it what it makes of an array of cells, its diagonal, single rows, and along
which directions it only stretches. For a cube it is a Kronecker product of the matrices of its
attributes (`solve.normal`); for a list of margins a part has its own factor (`joint`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Protocol

from .attribute import Attribute, Vector

if TYPE_CHECKING:
    import numpy as np

Place = Sequence["np.intp"]


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A symmetric matrix over all cells, of no negative direction.

    Attributes:
        times: multiplies an array of cells.
        own: its diagonal.
        row: the row of a cell.
        there, back, stretched: along each axis a rotation and its inverse; between them the matrix
            multiplies by `stretched`.
    """

    times: Callable[[Vector], Vector]
    own: Vector
    row: Callable[[Place], Vector]
    there: tuple[Vector, ...]
    back: tuple[Vector, ...]
    stretched: Vector


class Fittable(Protocol):
    """Linear estimates of all cells, and what a fit of them needs."""

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What cells are laid out by."""

    @property
    def cells(self) -> Vector:
        """The estimates, an axis for each attribute."""

    @property
    def scale(self) -> float:
        """The variance of noise of weight 1."""

    @property
    def kept(self) -> tuple[tuple[int, int], ...]:
        """Of which attributes the sums by a level are known: the axis, and the level."""

    def metric(self) -> Metric:
        """Return how far cells are from them."""


def along(matrices: Sequence[Vector], array: Vector) -> Vector:
    """Return an array multiplied by a matrix along each of its axes."""
    import numpy as np

    for axis, matrix in enumerate(matrices):
        array = np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis)
    return array


def outer(vectors: Sequence[Vector]) -> Vector:
    """Return the array of all products of one number from each vector."""
    import numpy as np

    return reduce(np.multiply.outer, vectors, np.array(1.0))


def product_of(normals: Sequence[Vector]) -> Metric:
    """Return the Kronecker product of a matrix for each attribute."""
    import numpy as np

    roots = [np.linalg.eigh(normal) for normal in normals]
    return Metric(
        times=lambda array: along(normals, array),
        own=outer([np.diag(normal) for normal in normals]),
        row=lambda place: outer([n[key] for n, key in zip(normals, place, strict=True)]),
        there=tuple(vectors.T for _, vectors in roots),
        back=tuple(vectors for _, vectors in roots),
        stretched=outer([values for values, _ in roots]),
    )
