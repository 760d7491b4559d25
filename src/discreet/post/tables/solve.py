"""The best linear estimates of all cells of a cube, and how far each is off.

Every table B of a cube is known with noise of variance s / w_B, and w_B is a product over the
attributes. Then the sum of w_B A_B'A_B over all tables is a Kronecker product of small matrices
N_i, one an attribute, and so is its inverse:

    estimate of the cells = (N_1^-1 x N_2^-1 x ...) times the sum of w_B A_B' y_B,
    covariance of two sums of cells m, m' = s m (N_1^-1 x N_2^-1 x ...) m'.

That holds for every hierarchy (docs/laws/tables.md), and nothing larger than N_i is ever inverted.

Rules of this module:
- known sums are noise of variance 0: estimates are moved along their covariance with them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from ...errors import InternalError
from . import known
from .attribute import Attribute, Levels, Vector, sums
from .known import Kept
from .metric import Metric, along, outer, product_of
from .parts import alike

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
        kept: of which attributes the sums by a level are known (`known`): the axis, and the level.
        gain: what they take off: the inverse of their covariance.
    """

    attributes: tuple[Attribute, ...]
    weights: tuple[tuple[float, ...], ...]
    scale: float
    inverses: tuple[Vector, ...]
    cells: Vector
    kept: Kept = ()
    gain: "Vector | None" = None

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

        pairs = zip(self.attributes, table, strict=True)
        rows = [a.matrix(level) @ n for (a, level), n in zip(pairs, self.inverses, strict=True)]
        matrices = [a.matrix(level) for a, level in zip(self.attributes, table, strict=True)]
        found = outer([(r * m).sum(axis=1) for r, m in zip(rows, matrices, strict=True)])
        if self.kept:
            left = found - known.taken(self.attributes, self.kept, self._gain(), rows)
            found = np.where(left > _ROUNDED * found, left, 0.0)
        return self.scale * found

    def _gain(self) -> Vector:
        if self.gain is None:
            raise InternalError(
                "known sums have no covariance.",
                why="they are put into estimates by `with_known`",
                fix="please report it, with the plan",
            )
        return self.gain

    def sum_of(self, chosen: Selection) -> float:
        """Return the estimate of a sum of cells."""
        return float(along([m[None, :] for m in chosen], self.cells).sum())

    def variance(self, chosen: Selection) -> float:
        """Return the variance of the estimate of a sum of cells."""
        rows = [m @ inverse for m, inverse in zip(chosen, self.inverses, strict=True)]
        found = prod(float(r @ m) for r, m in zip(rows, chosen, strict=True))
        if self.kept:
            single = [row[None, :] for row in rows]
            found -= float(known.taken(self.attributes, self.kept, self._gain(), single).sum())
        return max(0.0, self.scale * found)

    def parts(self, chosen: Selection) -> Iterator[tuple[Levels, Vector, Vector]]:
        """Return how a sum of cells is made: of each noisy table, its factors and how many have it.

        Factors that are alike are counted together.
        """

        import numpy as np

        toward: list[Vector] = [np.zeros(len(m)) for m in chosen]
        if self.kept:
            rows = [m @ inverse for m, inverse in zip(chosen, self.inverses, strict=True)]
            toward = known.toward(self.attributes, self.kept, self._gain(), rows)
        each = [
            [
                _kinds(weight * attribute.matrix(level) @ inverse @ np.stack([m, one, to], 1))
                for level, weight in enumerate(weights)
            ]
            for attribute, weights, inverse, m, one, to in zip(
                self.attributes,
                self.weights,
                self.inverses,
                chosen,
                map(np.ones_like, chosen),
                toward,
                strict=True,
            )
        ]
        for table in tables(self.attributes):
            found = [parts[level] for parts, level in zip(each, table, strict=True)]
            factors = outer([f[:, 0] for f, _ in found])
            for axis, _ in self.kept:
                factors = factors - outer(
                    [f[:, 2 if at == axis else 1] for at, (f, _) in enumerate(found)]
                )
            yield table, factors.ravel(), outer([n for _, n in found]).ravel()


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


def with_known(found: Solved, kept: Kept, numbers: Sequence[Vector]) -> Solved:
    """Return the estimates, given that some sums are known.

    Args:
        found: the estimates without.
        kept: of which attributes the sums by a level are known; a total is those of level 0.
        numbers: the sums of each.
    """
    import numpy as np

    alone = [inverse.sum(axis=1) for inverse in found.inverses]
    gain = known.gain_of(found.attributes, kept, found.inverses)
    shown = [tuple(n if at == axis else 0 for at in range(len(alone))) for axis, n in kept]
    gaps = [n - found.table(t).ravel() for n, t in zip(numbers, shown, strict=True)]
    moves = known.split(found.attributes, kept, gain @ np.concatenate(gaps))
    cells = found.cells
    for (axis, _), move in zip(kept, moves, strict=True):
        own = found.inverses[axis] @ move
        cells = cells + outer([own if at == axis else one for at, one in enumerate(alone)])
    return replace(found, cells=cells, kept=kept, gain=gain)


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


def _kinds(factors: Vector) -> tuple[Vector, Vector]:
    """Return the different rows of a matrix, up to rounding, and how often each occurs."""
    first, counts = alike(factors)
    return factors[first], counts
