"""The best linear estimates of all cells of a cube, and how far each is off.

Every table B of a cube is known with noise of variance s / w_B, and w_B is a product over the
attributes. Then the sum of w_B A_B'A_B over all tables is a Kronecker product of small matrices
N_i, one an attribute, and so is its inverse:

    estimate of the cells = (N_1^-1 x N_2^-1 x ...) times the sum of w_B A_B' y_B,
    covariance of two sums of cells m, m' = s m (N_1^-1 x N_2^-1 x ...) m'.

That holds for every hierarchy (docs/laws/tables.md), and nothing larger than N_i is ever inverted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from .attribute import Attribute, Levels, Vector, sums
from .metric import Metric, along, outer, product_of
from .parts import alike

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
    """

    attributes: tuple[Attribute, ...]
    weights: tuple[tuple[float, ...], ...]
    scale: float
    inverses: tuple[Vector, ...]
    cells: Vector

    @property
    def kept(self) -> tuple[tuple[int, int], ...]:
        """Of which attributes sums are known: of none."""
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
        pairs = zip(self.attributes, table, strict=True)
        rows = [a.matrix(level) @ n for (a, level), n in zip(pairs, self.inverses, strict=True)]
        matrices = [a.matrix(level) for a, level in zip(self.attributes, table, strict=True)]
        return self.scale * outer(
            [(r * m).sum(axis=1) for r, m in zip(rows, matrices, strict=True)]
        )

    def sum_of(self, chosen: Selection) -> float:
        """Return the estimate of a sum of cells."""
        return float(along([m[None, :] for m in chosen], self.cells).sum())

    def variance(self, chosen: Selection) -> float:
        """Return the variance of the estimate of a sum of cells."""
        pairs = zip(chosen, self.inverses, strict=True)
        return self.scale * prod(float(m @ inverse @ m) for m, inverse in pairs)

    def parts(self, chosen: Selection) -> Iterator[tuple[Levels, Vector, Vector]]:
        """Return how a sum of cells is made: of each noisy table, its factors and how many have it.

        Factors that are alike are counted together.
        """
        alone = [inverse @ m for inverse, m in zip(self.inverses, chosen, strict=True)]
        each = [
            [
                alike_numbers(weight * attribute.added(own, level))
                for level, weight in enumerate(weights)
            ]
            for attribute, weights, own in zip(self.attributes, self.weights, alone, strict=True)
        ]
        for table in tables(self.attributes):
            found = [parts[level] for parts, level in zip(each, table, strict=True)]
            factors, counts = outer([f for f, _ in found]), outer([n for _, n in found])
            yield table, factors.ravel(), counts.ravel()


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

        >>> import numpy as np
        >>> from .attribute import Attribute
        >>> halves = Attribute(((0, 0), (0, 1)))
        >>> tables = {(0,): np.array([10.0]), (1,): np.array([4.0, 4.0])}
        >>> found = solved([halves], [(1.0, 1.0)], 1.0, tables)
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


def alike_numbers(factors: Vector) -> tuple[Vector, Vector]:
    """Return different numbers, up to rounding, and how often each occurs."""
    first, counts = alike(factors[:, None])
    return factors[first], counts
