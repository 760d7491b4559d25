"""The best linear estimates of all cells of a cube, and how far each is off.

Every table B of a cube is known with noise of variance s / w_B, and w_B is a product over the
attributes. Then the sum of w_B A_B'A_B over all tables is a Kronecker product of small matrices
N_i, one an attribute, and so is its inverse:

    estimate of the cells = (N_1^-1 x N_2^-1 x ...) times the sum of w_B A_B' y_B,
    covariance of two sums of cells m, m' = s m (N_1^-1 x N_2^-1 x ...) m'.

That holds for every hierarchy (docs/laws/tables.md), and nothing larger than N_i is ever inverted.

Rules of this module:
- a known total is noise of variance 0: estimates are moved along their covariance with the total.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from .attribute import Attribute, Levels, Vector, sums
from .metric import Metric, along, outer, product_of

_ROUNDED = 1e-12  # of a variance: what is left of one that is all known

Selection = tuple[Vector, ...]  # of each attribute, how often each key is counted


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The estimates of a cube, linear in its noisy tables.

    Attributes:
        attributes: what its cells are laid out by.
        weights: of each attribute, the weight of each level; 0 where it was not counted.
        scale: the variance of noise of weight 1.
        inverses: N_i^-1.
        cells: the estimates of all cells, an axis for each attribute.
        known: whether the total is known.
    """

    attributes: tuple[Attribute, ...]
    weights: tuple[tuple[float, ...], ...]
    scale: float
    inverses: tuple[Vector, ...]
    cells: Vector
    known: bool = False

    @property
    def kept(self) -> tuple[tuple[int, int], ...]:
        """Of which attributes the sums by a level are known: of none."""
        return ()

    def metric(self) -> Metric:
        """Return how far cells are from the estimates."""
        pairs = zip(self.attributes, self.weights, strict=True)
        return product_of([normal(attribute, weights) for attribute, weights in pairs])

    def table(self, table: Levels) -> Vector:
        """Return the estimates of one table."""
        return sums(self.cells, self.attributes, table)

    def variances(self, table: Levels) -> Vector:
        """Return the variance of each estimate of one table."""

        import numpy as np

        diagonals, alone, whole = [], [], []
        for attribute, inverse, level in zip(self.attributes, self.inverses, table, strict=True):
            matrix = attribute.matrix(level)
            rows = matrix @ inverse
            diagonals.append((rows * matrix).sum(axis=1))
            alone.append(rows.sum(axis=1))
            whole.append(float(inverse.sum()))
        found = outer(diagonals)
        if self.known:
            left = found - outer(alone) ** 2 / prod(whole)
            found = np.where(left > _ROUNDED * found, left, 0.0)
        return self.scale * found

    def sum_of(self, chosen: Selection) -> float:
        """Return the estimate of a sum of cells."""
        return float(along([m[None, :] for m in chosen], self.cells).sum())

    def variance(self, chosen: Selection) -> float:
        """Return the variance of the estimate of a sum of cells."""
        pairs = list(zip(chosen, self.inverses, strict=True))
        found = prod(float(m @ inverse @ m) for m, inverse in pairs)
        if self.known:
            alone = prod(float(m @ inverse.sum(axis=1)) for m, inverse in pairs)
            found -= alone**2 / prod(float(inverse.sum()) for inverse in self.inverses)
        return max(0.0, self.scale * found)

    def parts(self, chosen: Selection) -> Iterator[tuple[Levels, Vector, Vector]]:
        """Return how a sum of cells is made: of each noisy table, its factors and how many have it.

        Factors that are alike are counted together.
        """

        import numpy as np

        pairs = list(zip(chosen, self.inverses, strict=True))
        share = 0.0
        if self.known:
            alone = prod(float(m @ inverse.sum(axis=1)) for m, inverse in pairs)
            share = alone / prod(float(inverse.sum()) for inverse in self.inverses)
        each = [
            [
                _alike(
                    weight * attribute.matrix(level) @ inverse @ np.stack([m, np.ones_like(m)], 1)
                )
                for level, weight in enumerate(weights)
            ]
            for attribute, weights, (m, inverse) in zip(
                self.attributes, self.weights, pairs, strict=True
            )
        ]
        for table in tables(self.attributes):
            found = [parts[level] for parts, level in zip(each, table, strict=True)]
            own, all_ = (outer([f[:, at] for f, _ in found]) for at in (0, 1))
            yield table, (own - share * all_).ravel(), outer([n for _, n in found]).ravel()


def solved(
    attributes: Sequence[Attribute],
    weights: Sequence[Sequence[float]],
    scale: float,
    noisy: Mapping[Levels, Vector],
) -> Solved:
    """Return the least squares estimates of a cube.

    Args:
        attributes: what its cells are laid out by.
        weights: of each attribute, the weight of each level.
        scale: the variance of noise of weight 1.
        noisy: the tables that were counted, an axis for each attribute.

    Example: a total of 10 and two halves of 4, all with the same noise.

        >>> from .attribute import flat
        >>> tables = {(0,): np.array([10.0]), (1,): np.array([4.0, 4.0])}
        >>> found = solved([flat(2)], [(1.0, 1.0)], 1.0, tables)
        >>> found.table((0,)).round(4).tolist(), found.cells.round(4).tolist()
        ([9.3333], [4.6667, 4.6667])
    """

    import numpy as np

    inverses = [_inverse(a, w) for a, w in zip(attributes, weights, strict=True)]
    shape = [attribute.sizes[-1] for attribute in attributes]
    found = np.zeros(shape)
    for table, values in noisy.items():
        part = np.asarray(values, dtype=float)
        for axis, (attribute, level) in enumerate(zip(attributes, table, strict=True)):
            if level:
                part = attribute.spread(part, axis, level)
        factor = prod(w[level] for w, level in zip(weights, table, strict=True))
        found += factor * part
    cells = along(inverses, found)
    kept = tuple(tuple(map(float, w)) for w in weights)
    return Solved(tuple(attributes), kept, scale, tuple(inverses), cells)


def with_total(found: Solved, total: int) -> Solved:
    """Return the estimates, given that the sum of all cells is known."""
    toward = outer([inverse.sum(axis=1) for inverse in found.inverses])
    gap = total - float(found.cells.sum())
    return replace(found, cells=found.cells + toward * (gap / float(toward.sum())), known=True)


def tables(attributes: Sequence[Attribute]) -> list[Levels]:
    """Return all tables of a cube: first those of few attributes; the cells come last."""
    every = product(*(range(len(attribute.levels)) for attribute in attributes))
    return sorted(every, key=lambda table: (sum(map(bool, table)), [not n for n in table], table))


def normal(attribute: Attribute, weights: Sequence[float]) -> Vector:
    """Return N_i: the sum over all levels of a weight times M'M."""

    import numpy as np

    matrices = [attribute.matrix(level) for level in range(len(attribute.levels))]
    return np.asarray(sum(w * (m.T @ m) for w, m in zip(weights, matrices, strict=True)))


def _inverse(attribute: Attribute, weights: Sequence[float]) -> Vector:
    import numpy as np

    return np.asarray(np.linalg.inv(normal(attribute, weights)))


def _alike(factors: Vector) -> tuple[Vector, Vector]:
    """Return the different rows of a matrix, up to rounding, and how often each occurs."""

    import numpy as np

    sizes = np.abs(factors).max(axis=0, initial=0.0)
    ranks = np.rint(factors * (2.0**36 / np.where(sizes > 0, sizes, 1.0)))
    _, first, counts = np.unique(ranks, axis=0, return_index=True, return_counts=True)
    return factors[first], counts.astype(float)
