"""Whole numbers near fitted cells, whose margins of one attribute are whole and given.

Rules of this module:
- cells are rounded down, and what is missing is handed out one by one, largest remainder first,
  only where each margin of one attribute still misses something: so all of these are kept;
- then ones are moved from cell to cell, as long as that brings all tables together nearer to the
  fit, in the metric of the estimates' errors.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from . import fit
from .attribute import Attribute, Vector, Whole
from .family import Fittable, Metric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOVED = 50_000  # cells; of more, those in which the fit has most
_ANY = 1e-3  # of a one: what a fit has no more of is nothing
_LEAST = 1e-9


def whole_margins(attributes: Sequence[Attribute], targets: Sequence[Vector]) -> list[Whole]:
    """Return whole numbers near the margins of each attribute, all with one total.

    From the coarsest level down, what a group has is handed out to its parts.
    """

    import numpy as np

    total = round(float(targets[0].sum()))
    margins = []
    for attribute, keys in zip(attributes, targets, strict=True):
        above = np.array([total], dtype=np.int64)
        up = np.zeros(keys.size, dtype=np.int64)
        for level, size in zip(attribute.levels[1:], attribute.sizes[1:], strict=True):
            down = np.array(level)
            parts = np.bincount(down, keys, minlength=size).astype(float)
            parent = np.zeros(size, dtype=np.int64)
            parent[down] = up
            here = np.zeros(size, dtype=np.int64)
            for group, whole in enumerate(above):
                inside = np.flatnonzero(parent == group)
                here[inside] = handed_out(parts[inside], int(whole))
            above, up = here, down
        margins.append(above)
    return margins


def handed_out(numbers: Vector, total: int) -> Whole:
    """Return whole numbers of at least 0 near these, that add up to a whole number.

    Example:
        >>> import numpy as np
        >>> handed_out(np.array([1.5, 1.4, 0.2]), 4).tolist()
        [2, 2, 0]
    """

    import numpy as np

    size = float(numbers.sum())
    scaled = numbers * (total / size) if size > 0 else np.full(numbers.size, total / numbers.size)
    floors = np.floor(scaled + _LEAST).astype(np.int64)
    missing = total - int(floors.sum())
    order = np.argsort(floors - scaled, kind="stable")
    floors[order[:missing]] += 1
    return floors


def fitted(linear: Fittable, *, clean: bool = False) -> Whole:
    """Return whole cells near the fit of linear estimates, whose sums are whole and near, too.

    Args:
        linear: the linear estimates.
        clean: near the smoother fit (`fit.shrunk`).
    """

    import numpy as np

    if not linear.attributes:
        return np.asarray(np.rint(np.maximum(linear.cells, 0.0)), dtype=np.int64)
    wanted = whole_margins(linear.attributes, fit.margins(linear))
    metric = cache(lambda: linear.metric(likelihood=clean))
    cells = fit.cells_near(linear, [each.astype(float) for each in wanted], metric, clean=clean)
    start = rounded(cells, wanted)
    return _moved(linear, metric(), cells, start)


def rounded(cells: Vector, margins: Sequence[Whole]) -> Whole:
    """Return whole numbers of at least 0 near these cells, with these sums of each attribute."""

    import numpy as np

    axes = range(cells.ndim)
    numbers = np.floor(cells + _LEAST).astype(np.int64, order="C")
    for axis, wanted in enumerate(margins):  # rounding errors of the fit: no margin is passed
        now = numbers.sum(axis=tuple(other for other in axes if other != axis))
        for key in np.flatnonzero(now > wanted):
            line = numbers[(slice(None),) * axis + (key,)]
            for _ in range(int(now[key] - wanted[key])):
                line[np.unravel_index(int(line.argmax()), line.shape)] -= 1
    left = [
        wanted - numbers.sum(axis=tuple(other for other in axes if other != axis))
        for axis, wanted in enumerate(margins)
    ]
    missing = _handed_on(numbers, np.argsort((numbers - cells).reshape(-1), kind="stable"), left)
    while missing:  # what no cell takes once: to the first keys that still miss something
        first = tuple(int(np.flatnonzero(rest)[0]) for rest in left)
        many = min(int(rest[here]) for rest, here in zip(left, first, strict=True))
        numbers[first] += many
        missing -= many
        for rest, here in zip(left, first, strict=True):
            rest[here] -= many
    return numbers


def _handed_on(numbers: Whole, order: "NDArray[np.intp]", left: list[Whole]) -> int:
    """Give a one to each place, in order, whose margins all miss some; return what is left over.

    A run of places that the margins have room for gets all of its ones at once; another is halved.
    """
    import numpy as np

    flat, missing = numbers.reshape(-1), int(left[0].sum())
    runs = [order]
    while runs and missing:
        run = runs.pop()
        places = np.unravel_index(run, numbers.shape)
        free = np.logical_and.reduce([rest[k] > 0 for rest, k in zip(left, places, strict=True)])
        run, keys = run[free], [k[free] for k in places]
        taken = [np.bincount(k, minlength=len(rest)) for rest, k in zip(left, keys, strict=True)]
        if all((t <= rest).all() for t, rest in zip(taken, left, strict=True)):
            flat[run] += 1
            missing -= run.size
            left[:] = [rest - t for rest, t in zip(left, taken, strict=True)]
        else:
            runs += [run[run.size // 2 :], run[: run.size // 2]]
    return missing


def _moved(linear: Fittable, metric: Metric, cells: Vector, start: Whole) -> Whole:
    """Return whole cells from which moving a one brings the tables no nearer to the fit.

    With N the metric and g = N (whole - cells), a one more in a and one less in b changes half the
    distance by g_a - g_b + (N_aa + N_bb) / 2 - N_ab. A one stays where sums that are known keep it.
    """

    import numpy as np

    flat = np.maximum(cells, start).reshape(-1)
    size = min(_MOVED, flat.size if flat.size <= _MOVED else int(np.count_nonzero(flat > _ANY)))
    chosen = np.sort(np.argpartition(-flat, size - 1)[:size]) if size < flat.size else slice(None)
    chosen = np.arange(flat.size)[chosen]
    places = np.unravel_index(chosen, cells.shape)
    own, slope = metric.own[places], metric.times(start - cells)[places]
    here, kinds = start[places].copy(), _kinds(linear)[places]
    for kind in range(int(kinds.max(initial=0)) + 1):
        outside = np.where(kinds == kind, 0.0, np.inf)
        for _ in range(4 * size):
            more = slope + own / 2 + outside
            up = int(more.argmin())
            row = metric.beside([axis[up] for axis in places], places)
            less = np.where(here > 0, own / 2 - slope - row, np.inf) + outside
            less[up] = np.inf
            down = int(less.argmin())
            if not more[up] + less[down] < -_LEAST:
                break
            here[up] += 1
            here[down] -= 1
            slope += row - metric.beside([axis[down] for axis in places], places)
    moved = start.copy()
    moved[places] = here
    return moved


def _kinds(linear: Fittable) -> Whole:
    """Return for each cell a number: cells of one number are in the same sums that are known."""
    import numpy as np

    kinds = np.zeros(linear.cells.shape, dtype=np.int64)
    for axis, level in linear.kept:
        groups = np.array(linear.attributes[axis].levels[level])
        shape = [-1 if other == axis else 1 for other in range(kinds.ndim)]
        kinds = kinds * (int(groups.max()) + 1) + groups.reshape(shape)
    return kinds
