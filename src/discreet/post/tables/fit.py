"""From linear estimates to tables that can be published: none below zero, and all of them add up.

The estimates of sparse cells are half below zero. The nearest table that is not is taken, in a
metric that counts the errors of every table, those of few attributes more: by their likelihood
alone, the margins of a sparse cube would move far. Those of one attribute, which are known well,
are then put back by raking.

The best linear estimates of all cells of a cube, and how far each is off.

Every table B of a cube is known with noise of variance s / w_B, and w_B is a product over the
attributes. Then the sum of w_B A_B'A_B over all tables is a Kronecker product of small matrices
N_i, one an attribute, and so is its inverse:

    estimate of the cells = (N_1^-1 x N_2^-1 x ...) times the sum of w_B A_B' y_B,
    covariance of two sums of cells m, m' = s m (N_1^-1 x N_2^-1 x ...) m'.

That holds for every hierarchy (docs/laws/tables.md), and nothing larger than N_i is ever inverted.

Rules of this module:
- what is fitted is an array of all cells; tables are its sums, so that they add up by themselves;
- a fit is arithmetic on public numbers, and says nothing of any error: intervals are made of the
  linear estimates (`interval`).

Decision 80.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from .attribute import Attribute, Levels, Vector, sums
from .family import Fittable, Metric, along, outer, product_of
from .parts import alike

COARSER = 3.0  # what a table counts in a fit, for each column that it has less
_ROUNDS, _MOST_ROUNDS, _WORK = 300, 3_000, 6 * 10**7  # rounds; more where their cells are so few
_STEP = 64.0  # the first step, in the mean of the metric's least and middle stretch
_BEYOND = 1.7  # a round goes so much of its way
_LOOKS = 10  # rounds between two looks
_STEADY = 1.15  # a step is kept that is as near as that to the right one
_CLOSE = 1e-3  # of a cell's deviation: rounds that move no number further have settled
_RAKED = 200
_MIRRORED = 300
_SEED = 1e-6  # what stands for nothing where a margin still needs it


def cells_near(
    linear: Fittable, targets: Sequence[Vector], metric: Callable[[], Metric], *, clean: bool
) -> Vector:
    """Return cells of at least 0 near the estimates, whose margins of one attribute are targets.

    Args:
        linear: the linear estimates.
        targets: for each attribute, what its keys shall add up to.
        metric: makes that of the estimates, where it is needed.
        clean: near a smoother fit, shrunk toward what the margins of few attributes say.
    """

    if clean:
        return raked(_shrunk(linear, metric(), targets), targets)
    if linear.cells.min() >= 0:
        return raked(linear.cells, targets)
    return raked(_nearest(linear, metric()), targets)


def margins(linear: Fittable) -> list[Vector]:
    """Return for each attribute what its keys shall add up to: at least 0, alike in total.

    From the coarsest level down, the groups of each are moved together to their group's number.
    """
    cells = linear.cells
    total, axes = max(0.0, float(cells.sum())), range(cells.ndim)
    sums_of = [cells.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes]
    return [_nested(a, keys, total) for a, keys in zip(linear.attributes, sums_of, strict=True)]


def _nested(attribute: Attribute, keys: Vector, total: float) -> Vector:
    import numpy as np

    above = np.array([total])
    groups = [np.array(level) for level in attribute.levels]
    for up, down, size in zip(groups, groups[1:], attribute.sizes[1:], strict=False):
        parts = np.bincount(down, keys, minlength=size)
        parent = np.zeros(size, dtype=int)
        parent[down] = up
        numbers = np.zeros(size)
        for group, whole in enumerate(above):
            inside = parent == group
            numbers[inside] = on_simplex(parts[inside], float(whole))
        above = numbers
    return above


def on_simplex(numbers: Vector, total: float) -> Vector:
    """Return the nearest numbers of at least 0 that add up to a total of at least 0.

    Source: Held, Wolfe and Crowder 1974.

    Example:
        >>> import numpy as np
        >>> on_simplex(np.array([5.0, 1.0, -3.0]), 4.0).tolist()
        [4.0, 0.0, 0.0]
    """

    import numpy as np

    falling = np.sort(numbers)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, numbers.size + 1)
    kept = int(np.count_nonzero(falling > excess))
    projected = np.maximum(numbers - excess[max(0, kept - 1)], 0.0)
    return np.asarray(projected)


def _nearest(linear: Fittable, metric: Metric) -> Vector:
    """Return the nearest cells of at least 0, by the alternating direction method of multipliers.

    It goes from the cells that the estimates say to begin with. Its step follows how far cells are
    from at least 0, and how far they have moved.

    Source: Boyd and others 2011, sections 3.3, 3.4.1 and 5.2.
    """

    import numpy as np

    sizes = metric.stretched
    positive = sizes[sizes > 0]  # what nothing was told of may be anything
    step = _STEP * float(np.sqrt(positive.min() * np.median(positive)))
    pulled = _pulled(metric, step)
    estimates = linear.cells  # once: some make them anew each time
    close = _CLOSE * _deviation(linear, np.maximum(estimates, 0.0))
    cells, prices = linear.begun(), np.zeros_like(estimates)
    rounds = max(_ROUNDS, min(_MOST_ROUNDS, _WORK // cells.size))
    for turn in range(1, rounds + 1):
        free = pulled(cells - prices - estimates)
        free += estimates
        prices += _BEYOND * free
        prices += (1 - _BEYOND) * cells
        moved = np.maximum(prices, 0.0)
        prices -= moved
        if turn % _LOOKS == 0:
            beside, gone = np.abs(free - moved), np.abs(moved - cells)
            if float(gone.max()) < close and float(beside.max()) < 10 * close:
                return moved
            off, away = float(np.linalg.norm(beside)), float(np.linalg.norm(gone))
            times = float(np.clip(np.sqrt(off / max(away, 1e-300)), 1 / 3, 3))
            if turn < rounds // 2 and not 1 / _STEADY < times < _STEADY:
                step, prices = step * times, prices / times
                pulled = _pulled(metric, step)
        cells = moved
    return cells


def _pulled(metric: Metric, step: float) -> Callable[[Vector], Vector]:
    """Return the map by step / (metric + step).

    Where the keys of each attribute are alike it multiplies what a mean along an axis holds by one
    number, and the rest by another.
    """
    import numpy as np

    shares = step / (metric.stretched + step)
    if any(matrix.ndim > 1 for matrix in metric.there):
        return lambda array: along(metric.back, shares * along(metric.there, array))
    corner = shares[np.ix_(*([0, min(1, size - 1)] for size in shares.shape))]
    return lambda array: blended(array, corner)


def blended(array: Vector, shares: Vector) -> Vector:
    """Return the sum of an array's parts, each times its share.

    A part is along each axis a mean (first in `shares`) or what is left of it (second).

    Example:
        >>> import numpy as np
        >>> blended(np.array([1.0, 3.0]), np.array([10.0, 1.0])).tolist()
        [19.0, 21.0]
    """
    axis = shares.ndim - 1
    if axis < 0:
        return array * float(shares)
    parts = blended(array, shares[..., 1])
    means = array.mean(axis=axis, keepdims=True)
    parts += blended(means, shares[..., 0] - shares[..., 1])
    return parts


def _deviation(found: Fittable, cells: Vector) -> float:
    """Return how far the cells are about off that are cut: their root mean square below 0."""
    import numpy as np

    below = found.cells - cells
    return float(np.sqrt((below**2).sum() / max(1, np.count_nonzero(below))))


def _shrunk(linear: Fittable, metric: Metric, targets: Sequence[Vector]) -> Vector:
    """Return cells on the way from independence to the estimates, by some mirror steps.

    Source: Beck and Teboulle 2003, Proposition 5.1; stopped early, which shrinks.
    """

    import numpy as np

    estimates = linear.cells
    total = max(1.0, float(estimates.sum()))
    cells = raked(np.full(estimates.shape, total / estimates.size), targets) + _SEED
    slope = metric.times(cells - estimates)
    step, off = 1 / (total * float(metric.own.max())), np.inf
    for _ in range(_MIRRORED):
        moved = cells * np.exp(np.clip(-step * slope, -2, 2))
        moved *= total / moved.sum()
        gap = moved - estimates
        steeper = metric.times(gap)
        distance = float((gap * steeper).sum())
        if distance < off:
            cells, slope, off, step = moved, steeper, distance, step * 1.3
        else:
            step /= 2
    return cells


def raked(cells: Vector, targets: Sequence[Vector]) -> Vector:
    """Return cells in the proportions of these, whose sums of each attribute are the targets.

    Source: Deming and Stephan 1940.
    """

    import numpy as np

    total = float(targets[0].sum())
    if total <= 0:
        return np.zeros_like(cells)
    scaled = cells + _SEED * total / cells.size
    axes = range(cells.ndim)
    for _ in range(_RAKED):
        off = 0.0
        for axis, target in enumerate(targets):
            others = tuple(other for other in axes if other != axis)
            now = scaled.sum(axis=others, keepdims=True)
            shaped = target.reshape(now.shape)
            off = max(off, float(np.abs(now - shaped).max()))
            scaled = scaled * np.divide(shaped, now, out=np.zeros_like(now), where=now > 0)
        if off < 1e-9 * total:
            break
    return scaled


def in_proportion(
    cells: Vector, attributes: Sequence[Attribute], tables: Mapping[Levels, Vector], rounds: int
) -> Vector:
    """Return cells in the proportions of these, near those that have some tables.

    Args:
        cells: of at least 0.
        attributes: what they are laid out by.
        tables: by their levels, an axis for each attribute that is shown.
        rounds: how often each table is brought about.

    Source: Deming and Stephan 1940.

    Example:
        >>> import numpy as np
        >>> two = Attribute(((0, 0), (0, 1)))
        >>> wanted = {(1, 0): np.array([3.0, 1.0]), (0, 1): np.array([2.0, 2.0])}
        >>> in_proportion(np.ones((2, 2)), [two, two], wanted, 1).tolist()
        [[1.5, 1.5], [0.5, 0.5]]
    """
    import numpy as np

    for _ in range(rounds):
        for table, wanted in tables.items():
            now = sums(cells, attributes, table)
            times = np.divide(wanted.reshape(now.shape), now, where=now > 0, out=now * 0.0)
            cells = cells * _spread(times, attributes, table)
    return cells


def _spread(numbers: Vector, attributes: Sequence[Attribute], table: Levels) -> Vector:
    """Return the numbers of a table written to each of their keys, where it shows groups."""
    for axis, (attribute, level) in enumerate(zip(attributes, table, strict=True)):
        if 0 < level < len(attribute.levels) - 1:
            numbers = attribute.spread(numbers, axis, level)
    return numbers


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

    def metric(self, *, likelihood: bool = False) -> Metric:
        """Return how far cells are from the estimates."""
        pairs = zip(self.attributes, self.weights, self.inverses, strict=True)
        return product_of(
            [normal(a, w if likelihood else _worth(a, inverse)) for a, w, inverse in pairs]
        )

    def begun(self) -> Vector:
        """Return the cells that a fit goes from: the estimates, cut at 0."""
        import numpy as np

        return np.maximum(self.cells, 0.0)

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
            pairs = [parts[level] for parts, level in zip(each, table, strict=True)]
            factors, counts = outer([f for f, _ in pairs]), outer([n for _, n in pairs])
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
    weighted = np.zeros(shape)
    for table, values in noisy.items():
        part = np.asarray(values, dtype=float)
        for axis, (attribute, level) in enumerate(zip(attributes, table, strict=True)):
            if level:
                part = attribute.spread(part, axis, level)
        factor = prod(w[level] for w, level in zip(weights, table, strict=True))
        weighted += factor * part
    cells = along(inverses, weighted)
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


def _worth(attribute: Attribute, inverse: Vector) -> list[float]:
    """Return what an error in each level counts in a fit: in its own variance, finer ones less."""
    last = len(attribute.levels) - 1
    found = []
    for level in range(last + 1):
        matrix = attribute.matrix(level)
        variance = float(((matrix @ inverse) * matrix).sum(axis=1).mean())
        found.append(COARSER ** (last - level) / variance)
    return found


def _inverse(attribute: Attribute, weights: Sequence[float]) -> Vector:
    import numpy as np

    return np.asarray(np.linalg.inv(normal(attribute, weights)))


def alike_numbers(factors: Vector) -> tuple[Vector, Vector]:
    """Return different numbers, up to rounding, and how often each occurs."""
    first, counts = alike(factors[:, None])
    return factors[first], counts
