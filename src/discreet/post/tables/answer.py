"""What is published of a cube: the fitted numbers of all its tables, with their intervals.

What is published of a list of margins: all its tables, with their intervals.

Where the cells of all attributes are asked, or few enough, they are fitted as those of a cube are,
and tables are their sums: whole numbers of at least 0. Else nobody can tell whether any table of
all attributes has no number below 0 and these margins: real numbers of at least 0 are published
that agree with each other (`local`), or the linear estimates where groups have other sizes.

Rules of this module:
- intervals are made of the linear estimates, whatever the fit does;
- numbers that a plan shows before any data is read come from the same place.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from ...errors import InternalError
from ...noise.law import Law
from . import whole
from .attribute import Attribute, Levels, Numbers, Vector, Whole, sums
from .estimates import Estimates
from .family import CountedTable, Family, Part, family
from .fit import Solved, solved, tables
from .interval import JointEstimates, NoisePart, ends, half_width, kinds_of, reach, variance_up
from .local import can_be_found, nonnegative

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
        actual = precision.get(table, 0.0)
        if abs(actual - wanted) > 1e-6 * max(actual, wanted):
            raise InternalError(
                "the noise of a cube's tables is not that of its weights.",
                kind="internal-fault",
                why="the estimates of a cube need weights that are products over its attributes",
                fix="please report it, with the plan",
            )
    return CubeFrame(tuple(attributes), weights, scale)


def published(estimates: Solved, sizes: Mapping[Levels, Vector], *, clean: bool) -> Published:
    """Return the fitted numbers of all tables, with their intervals and linear estimates.

    Args:
        estimates: the linear estimates.
        sizes: how far they are off (`interval.reaches`).
        clean: whether the fit is the smoother one.
    """

    import numpy as np

    cells = whole.fitted(estimates, clean=clean)
    parts: list[tuple[Vector | Whole, ...]] = []
    for table in tables(estimates.attributes):
        values, linear = (
            sums(cells, estimates.attributes, table).ravel(),
            estimates.table(table).ravel(),
        )
        low, high = ends(linear, sizes[table].ravel(), values)
        deviation: Vector = estimates.variances(table).ravel() ** 0.5
        parts.append((values, low, high, linear.round(DIGITS), deviation.round(DIGITS)))
    columns = [np.concatenate(column).tolist() for column in zip(*parts, strict=True)]
    return Published(*map(tuple, columns))


def widest(cube: CubeFrame, counted: Mapping[Levels, Law], alpha: float) -> float:
    """Return the half-width of the cell of the largest variance."""
    empty, worst = cube.solved({}), _worst(cube)
    return _reach_at(empty, max(worst.values())[1:], counted, alpha)


def largest_variance(found: CubeFrame) -> float:
    """Return the variance of the least certain cell."""
    return max(variance for variance, _, _ in _worst(found).values())


def by_depth(cube: CubeFrame, counted: Mapping[Levels, Law], alpha: float) -> list[float]:
    """Return the half-width of the least certain cell of no attribute, of one, and so on."""
    empty, worst = cube.solved({}), _worst(cube)
    return [_reach_at(empty, worst[depth][1:], counted, alpha) for depth in sorted(worst)]


def _worst(cube: CubeFrame) -> dict[int, tuple[float, Levels, int]]:
    """Return the largest variance of each kind of table, and where it is."""
    empty = cube.solved({})
    worst: dict[int, tuple[float, Levels, int]] = {}
    for table in tables(cube.attributes):
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


MOST_FITTED = 1_000_000  # cells of all attributes
_DIGITS = 12  # of a factor: those of tables that are alike come out alike


def family_of(
    attributes: Sequence[Attribute],
    shown: Sequence[Levels],
    laws: Mapping[CountedTable, Law],
    known: Sequence[Levels],
) -> Family:
    """Return how far the estimates are off under the noise of what was counted."""
    return family(
        attributes, shown, {vector: 1 / variance_up(law) for vector, law in laws.items()}, known
    )


def parts_reach(parts: Iterable[Part], laws: Mapping[CountedTable, Law], alpha: float) -> float:
    """Return how far a number is off at most, except with probability alpha.

    Args:
        parts: how it is made.
        laws: the noise of what was counted.
        alpha: the chance.
    """
    counts: dict[tuple[Law, float], float] = {}
    for vector, factors, many in parts:
        for factor, count in zip(factors.tolist(), many.tolist(), strict=True):
            kind = laws[vector], float(f"{abs(factor):.{_DIGITS}g}")
            counts[kind] = counts.get(kind, 0.0) + count
    return half_width([NoisePart(law, factor, n) for (law, factor), n in counts.items()], alpha)


def list_by_depth(family_: Family, laws: Mapping[CountedTable, Law], alpha: float) -> list[float]:
    """Return the half-width of the least certain number of no attribute, of one, and so on."""
    worst: dict[int, tuple[float, list[Part]]] = {}
    for shown in family_.shown:
        depth = sum(map(bool, shown))
        for rows in _unlike(family_.attributes, shown).values():
            parts = list(family_.parts(shown, rows))
            variance = family_.variance_of(parts)
            if depth not in worst or variance > worst[depth][0]:
                worst[depth] = (variance, parts)
    return [parts_reach(worst[depth][1], laws, alpha) for depth in sorted(worst)]


def list_published(
    estimates: Estimates, laws: Mapping[CountedTable, Law], alpha: float, *, clean: bool
) -> Published:
    """Return the numbers of all tables, with their intervals and linear estimates.

    Args:
        estimates: the linear estimates.
        laws: the noise of what was counted.
        alpha: the chance that an interval misses.
        clean: whether the fit, where there is one, is the smoother one.
    """
    import numpy as np

    family_ = estimates.family
    tables = [estimates.table(shown) for shown in family_.shown]
    values: Sequence[Numbers] = [table.round(DIGITS) for table in tables]
    keys = tuple(len(each) - 1 for each in family_.sizes)
    if keys in family_.shown or prod(each[-1] for each in family_.sizes) <= MOST_FITTED:
        values = _fitted(estimates, clean=clean)
    elif can_be_found(estimates):
        near = nonnegative(estimates)
        values = [near.table(shown).round(DIGITS) + 0.0 for shown in family_.shown]
    parts: list[tuple[Numbers, ...]] = []
    for shown, linear, value in zip(family_.shown, tables, values, strict=True):
        size, deviation = np.zeros(linear.shape), np.zeros(linear.shape)
        for place, rows in _unlike(family_.attributes, shown).items():
            made = list(family_.parts(shown, rows))
            size[np.ix_(*place)] = parts_reach(made, laws, alpha)
            deviation[np.ix_(*place)] = family_.variance_of(made) ** 0.5
        low, high = ends(linear.ravel(), size.ravel(), value.ravel())
        told_ = linear.ravel().round(DIGITS), deviation.ravel().round(DIGITS)
        parts.append((value.ravel(), low, high, *told_))
    columns = [np.concatenate(column).tolist() for column in zip(*parts, strict=True)]
    return Published(*map(tuple, columns))


def _unlike(
    attributes: Sequence[Attribute], shown: Levels
) -> dict[tuple[tuple[int, ...], ...], list[Vector]]:
    """Return one number of each kind of a table: where all alike are, and the groups of one."""
    import numpy as np

    lines: list[list[tuple[int, ...]]] = []
    for attribute, level in zip(attributes, shown, strict=True):
        kinds = np.array(kinds_of(attribute)[level])
        every = range(int(kinds.max()) + 1)
        lines.append([tuple(np.flatnonzero(kinds == kind).tolist()) for kind in every])
    rows_by_place = {}
    for places in product(*lines):
        rows = [np.zeros(a.sizes[level]) for a, level in zip(attributes, shown, strict=True)]
        for row, place in zip(rows, places, strict=True):
            row[place[0]] = 1
        rows_by_place[tuple(p for p, level in zip(places, shown, strict=True) if level)] = rows
    return rows_by_place


def _fitted(estimates: Estimates, *, clean: bool) -> list[Whole]:
    """Return tables of whole numbers of at least 0: the sums of fitted cells."""
    cells = joint_cells(estimates, clean=clean)
    return [sums(cells, estimates.family.attributes, shown) for shown in estimates.family.shown]


def joint_cells(estimates: Estimates, *, clean: bool) -> Whole:
    """Return the fitted cells of all attributes, an axis for each."""
    joint = JointEstimates(estimates)
    return joint.apart(whole.fitted(joint, clean=clean))
