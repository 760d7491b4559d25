"""What is published of a list of margins: all its tables, with their intervals.

Where the cells of all attributes are few enough, they are fitted as those of a cube are, and tables
are their sums: whole numbers of at least 0. Else nobody can tell whether any table of all
attributes has no number below 0 and these margins: the linear estimates are published.

Rules of this module:
- intervals are made of the linear estimates, whatever the fit does.
"""

from collections.abc import Mapping, Sequence
from math import prod

from ...noise.law import Law
from . import whole
from .answer import DIGITS, Published
from .attribute import Numbers, Whole, flat, sums
from .interval import ends
from .margins import CountedTable, Estimates, Family, Shown, family
from .metric import JointEstimates
from .tails import NoisePart, half_width, variance_up

MOST_FITTED = 1_000_000  # cells of all attributes
_DIGITS = 12  # of a factor: those of tables that are alike come out alike


def family_of(
    sizes: Sequence[int],
    shown: Sequence[Shown],
    laws: Mapping[CountedTable, Law],
    known: Sequence[Shown],
) -> Family:
    """Return how far the estimates are off under the noise of what was counted."""
    return family(sizes, shown, {one: 1 / variance_up(law) for one, law in laws.items()}, known)


def reach(
    found: Family,
    laws: Mapping[CountedTable, Law],
    alpha: float,
    shown: Shown,
    chosen: Sequence[int] = (),
) -> float:
    """Return how far a number is off at most, but with probability alpha.

    Args:
        found: the estimates.
        laws: the noise of what was counted.
        alpha: the chance.
        shown: the table.
        chosen: of each of its attributes, how many keys are added up; without, one.
    """
    counts: dict[tuple[Law, float], float] = {}
    for one, factor, count in found.parts(shown, chosen):
        kind = laws[one], float(f"{abs(factor):.{_DIGITS}g}")
        counts[kind] = counts.get(kind, 0.0) + count
    return half_width([NoisePart(law, factor, n) for (law, factor), n in counts.items()], alpha)


def by_depth(found: Family, laws: Mapping[CountedTable, Law], alpha: float) -> list[float]:
    """Return the half-width of the least certain table of no attribute, of one, and so on."""
    worst: dict[int, tuple[float, Shown]] = {}
    for shown in found.shown:
        mine = (found.variance(shown), shown)
        worst[len(shown)] = max(worst.get(len(shown), mine), mine)
    return [reach(found, laws, alpha, worst[depth][1]) for depth in sorted(worst)]


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
    if prod(found.sizes) <= MOST_FITTED:
        values = _fitted(told, clean=clean)
    parts: list[tuple[Numbers, ...]] = []
    for shown, linear, value in zip(found.shown, tables, values, strict=True):
        size = np.full(linear.size, reach(found, laws, alpha, shown))
        low, high = ends(linear.ravel(), size, value.ravel())
        deviation = np.full(linear.size, found.variance(shown) ** 0.5)
        parts.append(
            (value.ravel(), low, high, linear.ravel().round(DIGITS), deviation.round(DIGITS))
        )
    columns = [np.concatenate(column).tolist() for column in zip(*parts, strict=True)]
    return Published(*map(tuple, columns))


def _fitted(told: Estimates, *, clean: bool) -> list[Whole]:
    """Return tables of whole numbers of at least 0: the sums of fitted cells."""
    attributes = tuple(map(flat, told.family.sizes))
    every = range(len(attributes))
    kept = tuple((at, 1) for at in every if not told.family.spread.get((at,), 1))
    cells = whole.fitted(JointEstimates(attributes, told, told.joint(), kept), clean=clean)
    return [
        sums(cells, attributes, tuple(int(at in shown) for at in every))
        for shown in told.family.shown
    ]
