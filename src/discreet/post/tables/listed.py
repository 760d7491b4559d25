"""What is published of a list of margins: all its tables, with their intervals.

Where the cells of all attributes are asked, or few enough, they are fitted as those of a cube are,
and tables are their sums: whole numbers of at least 0. Else nobody can tell whether any table of
all attributes has no number below 0 and these margins: the linear estimates are published.

Rules of this module:
- intervals are made of the linear estimates, whatever the fit does.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod

from ...noise.law import Law
from . import whole
from .answer import DIGITS, Published
from .attribute import Attribute, Levels, Numbers, Vector, Whole, sums
from .estimates import Estimates
from .family import Family, Part, family
from .interval import ends, kinds_of
from .joint import JointEstimates
from .margins import CountedTable
from .tails import NoisePart, half_width, variance_up

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
        attributes, shown, {one: 1 / variance_up(law) for one, law in laws.items()}, known
    )


def reach(parts: Iterable[Part], laws: Mapping[CountedTable, Law], alpha: float) -> float:
    """Return how far a number is off at most, but with probability alpha.

    Args:
        parts: how it is made.
        laws: the noise of what was counted.
        alpha: the chance.
    """
    counts: dict[tuple[Law, float], float] = {}
    for one, factors, many in parts:
        for factor, count in zip(factors.tolist(), many.tolist(), strict=True):
            kind = laws[one], float(f"{abs(factor):.{_DIGITS}g}")
            counts[kind] = counts.get(kind, 0.0) + count
    return half_width([NoisePart(law, factor, n) for (law, factor), n in counts.items()], alpha)


def by_depth(found: Family, laws: Mapping[CountedTable, Law], alpha: float) -> list[float]:
    """Return the half-width of the least certain number of no attribute, of one, and so on."""
    worst: dict[int, tuple[float, list[Part]]] = {}
    for shown in found.shown:
        depth = sum(map(bool, shown))
        for rows in _unlike(found.attributes, shown).values():
            parts = list(found.parts(shown, rows))
            variance = found.variance_of(parts)
            if depth not in worst or variance > worst[depth][0]:
                worst[depth] = (variance, parts)
    return [reach(worst[depth][1], laws, alpha) for depth in sorted(worst)]


def published(
    told: Estimates, laws: Mapping[CountedTable, Law], alpha: float, *, clean: bool
) -> Published:
    """Return the numbers of all tables, with their intervals and linear estimates.

    Args:
        told: the linear estimates.
        laws: the noise of what was counted.
        alpha: the chance that an interval misses.
        clean: whether the fit, where there is one, is the smoother one.
    """
    import numpy as np

    found = told.family
    tables = [told.table(shown) for shown in found.shown]
    values: Sequence[Numbers] = [table.round(DIGITS) for table in tables]
    keys = tuple(len(each) - 1 for each in found.sizes)
    if keys in found.shown or prod(each[-1] for each in found.sizes) <= MOST_FITTED:
        values = _fitted(told, clean=clean)
    parts: list[tuple[Numbers, ...]] = []
    for shown, linear, value in zip(found.shown, tables, values, strict=True):
        size, deviation = np.zeros(linear.shape), np.zeros(linear.shape)
        for place, rows in _unlike(found.attributes, shown).items():
            made = list(found.parts(shown, rows))
            size[np.ix_(*place)] = reach(made, laws, alpha)
            deviation[np.ix_(*place)] = found.variance_of(made) ** 0.5
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
    found = {}
    for places in product(*lines):
        rows = [np.zeros(a.sizes[level]) for a, level in zip(attributes, shown, strict=True)]
        for row, place in zip(rows, places, strict=True):
            row[place[0]] = 1
        found[tuple(p for p, level in zip(places, shown, strict=True) if level)] = rows
    return found


def _fitted(told: Estimates, *, clean: bool) -> list[Whole]:
    """Return tables of whole numbers of at least 0: the sums of fitted cells."""
    joint = JointEstimates(told)
    cells = joint.apart(whole.fitted(joint, clean=clean))
    return [sums(cells, told.family.attributes, shown) for shown in told.family.shown]
