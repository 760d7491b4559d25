"""What is published of a cube: the fitted numbers of all its tables, with their intervals.

Rules of this module:
- intervals are made of the linear estimates, whatever the fit does;
- numbers that a plan shows before any data is read come from the same place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ...errors import InternalError
from ...noise.law import Law
from . import whole
from .attribute import Attribute, Levels, Vector, Whole, sums
from .interval import ends, reach
from .solve import Solved, solved, tables
from .tails import variance_up

DIGITS = 6  # of a linear estimate, behind the point


@dataclass(frozen=True, slots=True)
class Published:
    """All cells of all tables, in their order."""

    values: tuple[int | float, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    linear: tuple[float, ...]
    deviation: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CubeFrame:
    """What is known of a cube's estimates before there are any.

    Attributes:
        attributes: what its cells are laid out by.
        weights: of each attribute, the weight of each level.
        scale: a bound on the variance of noise of weight 1.
    """

    attributes: tuple[Attribute, ...]
    weights: tuple[tuple[float, ...], ...]
    scale: float

    def solved(self, vectors: Mapping[Levels, Sequence[int]]) -> Solved:
        """Return the estimates that the counted tables make; none where there are none yet."""

        import numpy as np

        shaped = {
            table: np.array(values, dtype=float).reshape(
                [a.sizes[level] for a, level in zip(self.attributes, table, strict=True)]
            )
            for table, values in vectors.items()
        }
        return solved(self.attributes, self.weights, self.scale, shaped)


def frame(attributes: Sequence[Attribute], counted: Mapping[Levels, Law]) -> CubeFrame:
    """Return the weights that the noise of the counted tables has.

    Raises:
        InternalError: they are not products of a weight for each attribute.
    """
    cells = tuple(len(attribute.levels) - 1 for attribute in attributes)
    scale = variance_up(counted[cells])
    precision = {table: scale / variance_up(law) for table, law in counted.items()}
    weights = tuple(
        tuple(
            precision.get((*cells[:at], level, *cells[at + 1 :]), 0.0)
            for level in range(len(attribute.levels))
        )
        for at, attribute in enumerate(attributes)
    )
    for table in tables(attributes):
        wanted = prod(w[level] for w, level in zip(weights, table, strict=True))
        told = precision.get(table, 0.0)
        if abs(told - wanted) > 1e-6 * max(told, wanted):
            raise InternalError(
                "the noise of a cube's tables is not that of its weights.",
                why="the estimates of a cube need weights that are products over its attributes",
                fix="please report it, with the plan",
            )
    return CubeFrame(tuple(attributes), weights, scale)


def published(found: Solved, sizes: Mapping[Levels, Vector], *, clean: bool) -> Published:
    """Return the fitted numbers of all tables, with their intervals and linear estimates.

    Args:
        found: the linear estimates.
        sizes: how far they are off (`interval.reaches`).
        clean: whether the fit is the smoother one.
    """

    import numpy as np

    cells = whole.fitted(found, clean=clean)
    parts: list[tuple[Vector | Whole, ...]] = []
    for table in tables(found.attributes):
        values, linear = sums(cells, found.attributes, table).ravel(), found.table(table).ravel()
        low, high = ends(linear, sizes[table].ravel(), values)
        deviation: Vector = found.variances(table).ravel() ** 0.5
        parts.append((values, low, high, linear.round(DIGITS), deviation.round(DIGITS)))
    columns = [np.concatenate(column).tolist() for column in zip(*parts, strict=True)]
    return Published(*map(tuple, columns))


def widest(found: CubeFrame, counted: Mapping[Levels, Law], alpha: float) -> float:
    """Return the half-width of the cell of the largest variance."""
    empty, worst = found.solved({}), _worst(found)
    return _reach_at(empty, max(worst.values())[1:], counted, alpha)


def by_depth(found: CubeFrame, counted: Mapping[Levels, Law], alpha: float) -> list[float]:
    """Return the half-width of the least certain cell of no attribute, of one, and so on."""
    empty, worst = found.solved({}), _worst(found)
    return [_reach_at(empty, worst[depth][1:], counted, alpha) for depth in sorted(worst)]


def _worst(found: CubeFrame) -> dict[int, tuple[float, Levels, int]]:
    """Return the largest variance of each kind of table, and where it is."""
    empty = found.solved({})
    worst: dict[int, tuple[float, Levels, int]] = {}
    for table in tables(found.attributes):
        variances = empty.variances(table).ravel()
        at, depth = int(variances.argmax()), sum(map(bool, table))
        mine = (float(variances[at]), table, at)
        worst[depth] = max(worst.get(depth, mine), mine)
    return worst


def _reach_at(
    empty: Solved, cell: tuple[Levels, int], counted: Mapping[Levels, Law], alpha: float
) -> float:
    import numpy as np

    table, at = cell
    shape = [a.sizes[level] for a, level in zip(empty.attributes, table, strict=True)]
    place = np.unravel_index(at, shape)
    chosen = tuple(
        attribute.matrix(level)[key]
        for attribute, level, key in zip(empty.attributes, table, place, strict=True)
    )
    return reach(empty, chosen, counted, alpha)
