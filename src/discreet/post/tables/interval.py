"""Intervals of a cube's estimates: made of the linear ones, so that no fit can break them.

The estimate of a sum of cells is off by E, of which its tails tell the reach h exactly. The truth
is a whole number of at least 0. So the whole numbers of [estimate - h, estimate + h] that are not
below 0 hold it as often as that interval does, and so they do when the interval is stretched to a
published number beside it.

The estimates of a list of margins, written out to the cells of all attributes, to be fitted.

What is told of a part stretches its own directions: along each attribute those that are even in the
groups of a level, and add up to 0 in each group above. Where groups of a level are of different
size that is near the metric of the errors; a fit needs no more.

How far a weighted sum of whole-number noises reaches, without a normal approximation.

An estimate of a cell is off by E, a sum of some hundred noises, each times a factor. With G normal
and of a hundredth of E's deviation or less, E + G has a density, and its chances follow from its
characteristic function c by Davies' formula: for a step d,

    Pr[|E + G| > x] = 1 - 4 sum over k of sin((k + 1/2) d x) c((k + 1/2) d) / (2 pi (k + 1/2)),

up to twice Pr[|E + G| > 2 pi / d - x]. That is bounded by moments, and Pr[|E| > x + g] is at most
Pr[|E + G| > x] + Pr[|G| > g].

Rules of this module:
- a half-width misses with probability at most alpha, for every noise; what floats add is less than
  `_ROUNDED`, which is taken off alpha;
- of noise without a closed form, Chebyshev's inequality bounds the reach.

Source: Davies 1973 (Biometrika 60, 415-417), equation 4 and its error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import pairwise, product
from math import exp, log, log1p, pi, sqrt
from statistics import NormalDist

from ...noise.law import Law
from .attribute import Attribute, Levels, Numbers, Places, Vector, Whole
from .estimates import Estimates
from .family import Metric, Place, along, cells, inside, mirror, outer
from .fit import COARSER, Selection, Solved, blended, in_proportion, on_simplex
from .local import can_be_found, nonnegative

_BEGUN = 30  # rounds of bringing tables into proportion, of the cells that a fit goes from
_ROOM = 1e-7  # of an estimate's last digits


def reaches(estimates: Solved, laws: Mapping[Levels, Law], alpha: float) -> dict[Levels, Vector]:
    """Return for each table how far its estimates are off at most, except with probability alpha.

    Cells that are alike (whose groups have as many keys, and as many beside them) are worked out
    once.
    """

    import numpy as np

    groups = [kinds_of(attribute) for attribute in estimates.attributes]
    sizes: dict[Levels, Vector] = {}
    every = (range(len(attribute.levels)) for attribute in estimates.attributes)
    for table in product(*every):
        kinds = [each[level] for each, level in zip(groups, table, strict=True)]
        firsts = [[line.index(kind) for kind in range(max(line) + 1)] for line in kinds]
        made = np.zeros([len(first) for first in firsts])
        for place in np.ndindex(*made.shape):
            chosen = tuple(
                attribute.row(level, first[at])
                for attribute, level, first, at in zip(
                    estimates.attributes, table, firsts, place, strict=True
                )
            )
            made[place] = reach(estimates, chosen, laws, alpha)
        sizes[table] = made[np.ix_(*kinds)]
    return sizes


def reach(estimates: Solved, chosen: Selection, laws: Mapping[Levels, Law], alpha: float) -> float:
    """Return how far a sum of cells is off at most, except with probability alpha."""
    parts = [
        NoisePart(laws[table], float(factor), float(count))
        for table, factors, counts in estimates.parts(chosen)
        if table in laws
        for factor, count in zip(factors, counts, strict=True)
    ]
    return half_width(parts, alpha)


def ends(estimates: Vector, sizes: Vector, values: Numbers) -> tuple[Whole, Whole]:
    """Return the whole numbers that intervals end at.

    Args:
        estimates: the linear ones.
        sizes: their reaches.
        values: what is published; an estimate itself may be below 0, and is none of the truth.

    Example:
        >>> import numpy as np
        >>> ends(np.array([2.5, -4.2, 2.5]), np.array([3.1, 3.1, 0.2]), np.array([2, 0, 3]))
        (array([0, 0, 3]), array([5, 0, 3]))
    """

    import numpy as np

    room = _ROOM * (1 + np.abs(estimates))
    low = np.maximum(0, np.ceil(estimates - sizes - room)).astype(np.int64)
    high = np.floor(estimates + sizes + room).astype(np.int64)
    covered = np.floor(values).astype(np.int64), np.ceil(values).astype(np.int64)
    return np.minimum(low, covered[0]), np.maximum(high, covered[1])


@lru_cache(maxsize=256)
def kinds_of(attribute: Attribute) -> list[list[int]]:
    """Return for each level the kind of each of its groups, counted from 0.

    Two groups are of one kind where the trees below them are alike, and the groups above them, up
    to the whole, are of one kind: then they have the same place in all that is made of the tree.
    """
    levels = attribute.levels
    steps = list(pairwise(levels))
    trees = [[0] * len(levels[-1])]
    for up, down in reversed(steps):
        children: list[dict[int, int]] = [{} for _ in range(max(up) + 1)]
        for parent, child in zip(up, down, strict=True):
            children[parent][child] = trees[0][child]
        trees.insert(0, _numbered([tuple(sorted(branch.values())) for branch in children]))
    kinds = [[0]]
    for (up, down), own in zip(steps, trees[1:], strict=True):
        above = dict(zip(down, up, strict=True))
        kinds.append(_numbered([(kinds[-1][above[g]], tree) for g, tree in enumerate(own)]))
    return kinds


def _numbered(stories: Sequence[tuple[int, ...]]) -> list[int]:
    numbers: dict[tuple[int, ...], int] = {}
    return [numbers.setdefault(story, len(numbers)) for story in stories]


@dataclass(frozen=True, slots=True, eq=False)
class JointEstimates:
    """Linear estimates of all cells, and what a fit of them needs.

    Attributes whose table is known are one axis, in its keys' order: so a fit keeps their sums.
    """

    estimates: Estimates
    scale: float = 1.0

    @property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """The attributes of each axis."""
        crossed = [block for block, _ in self._known() if len(block) > 1]
        inside = {at for block in crossed for at in block}
        every = range(len(self.estimates.family.attributes))
        return (*crossed, *((at,) for at in every if at not in inside))

    def _known(self) -> list[tuple[tuple[int, ...], Levels]]:
        known = self.estimates.family.known
        return [
            (tuple(at for at, n in enumerate(table) if n), table) for table in known if any(table)
        ]

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What cells are laid out by: of a known table, its cells, and the keys in each."""
        every, tables = self.estimates.family.attributes, dict(self._known())
        return tuple(
            _together([every[at] for at in block], [tables[block][at] for at in block])
            if len(block) > 1
            else every[block[0]]
            for block in self.blocks
        )

    @property
    def kept(self) -> tuple[tuple[int, int], ...]:
        """Of which axes the sums by a level are known: the axis, and the level."""
        return tuple(
            (self.blocks.index(block), 1 if len(block) > 1 else table[block[0]])
            for block, table in self._known()
        )

    @property
    def cells(self) -> Vector:
        """The estimates of all cells: of what nothing is told, even ones."""
        return self._axes(self.estimates.joint())

    def begun(self) -> Vector:
        """Return the cells that a fit goes from: the tables that agree are theirs, or nearly.

        If tables that agree are not looked for, linear ones are taken, moved to one total.
        """
        import numpy as np

        family, near = self.estimates.family, self.estimates
        shown, keys = family.shown, tuple(len(each) - 1 for each in family.sizes)
        if keys in shown:
            return np.maximum(self.cells, 0.0)
        if can_be_found(near):
            near = nonnegative(near)
        largest = [b for b in shown if not any(b != c and inside(b, c) for c in shown)]
        total = max(0.0, float(near.table((0,) * len(keys))))
        tables = {table: on_simplex(near.table(table).ravel(), total) for table in largest}
        even = np.full([each[-1] for each in family.sizes], total / self.cells.size)
        return self._axes(in_proportion(even, family.attributes, tables, _BEGUN))

    def _axes(self, array: Vector) -> Vector:
        """Return an array with an axis for each attribute with one for each block."""
        order = [at for block in self.blocks for at in block]
        return array.transpose(order).reshape([a.sizes[-1] for a in self.attributes])

    def apart(self, cells: Whole) -> Whole:
        """Return fitted cells with an axis for each attribute, in their order."""
        import numpy as np

        order = [at for block in self.blocks for at in block]
        sizes = [self.estimates.family.attributes[at].sizes[-1] for at in order]
        return cells.reshape(sizes).transpose(np.argsort(order))

    def metric(self, *, likelihood: bool = False) -> Metric:
        """Return how far cells are from the estimates."""
        import numpy as np

        family = self.estimates.family
        sizes = family.sizes
        keys = tuple(len(each) - 1 for each in sizes)
        told = self._precisions() if likelihood else self._worth()
        if max(keys) == 1 and len(self.blocks) == len(sizes):
            corner = np.zeros([2] * len(sizes))
            for part, precision in told.items():
                corner[part] = precision * cells(sizes, keys) / cells(sizes, part)
            return _alike(corner, [each[1] for each in sizes])
        turned = [*map(_turned, family.attributes)]
        there = tuple(reduce(_crossed, [turned[at] for at in block]) for block in self.blocks)
        back = tuple(matrix.T for matrix in there)
        stretched = np.zeros([each[-1] for each in sizes])
        for part, precision in told.items():
            pairs = zip(sizes, part, strict=True)
            place = tuple(
                slice(each[level - 1], each[level]) if level else 0 for each, level in pairs
            )
            stretched[place] = precision * cells(sizes, keys) / cells(sizes, part)
        stretched = self._axes(stretched)

        def times(array: Vector) -> Vector:
            return along(back, stretched * along(there, array))

        def row(place: Place) -> Vector:
            columns = [matrix[:, key] for matrix, key in zip(there, place, strict=True)]
            return along(back, stretched * outer(columns))

        own = along([matrix.T**2 for matrix in there], stretched)

        def beside(place: Place, others: Sequence[Places]) -> Vector:
            return np.asarray(row(place)[tuple(others)])

        return Metric(times, own, row, beside, there, back, stretched)

    def _precisions(self) -> dict[Levels, float]:
        """Return how precisely each part is told: known ones as well as the best told."""
        spread = {part: float(s.mean()) for part, s in self.estimates.family.spread.items()}
        least = min(filter(None, spread.values()))
        return {part: 1 / (each or least) for part, each in spread.items()}

    def _worth(self) -> dict[Levels, float]:
        """Return what an error in each part counts: in all tables that have it, as of a cube."""
        family = self.estimates.family
        last = [len(each) - 1 for each in family.sizes]
        variances = {shown: family.variance(shown) for shown in family.shown}
        least = min(filter(None, variances.values()))
        worth = {
            shown: COARSER ** (sum(last) - sum(shown)) / (variance or least)
            for shown, variance in variances.items()
        }
        return {
            part: sum(
                each * cells(family.sizes, part) / cells(family.sizes, shown)
                for shown, each in worth.items()
                if inside(part, shown)
            )
            for part in family.shown
        }


def _alike(corner: Vector, sizes: Sequence[int]) -> Metric:
    """Return a metric that stretches what is even along each axis, or not, each by one number.

    Two cells have the same number in it as any other two that have the same keys in common.
    """
    import numpy as np

    shares = [np.array([[1.0, -1.0], [1.0, size - 1.0]]) / size for size in sizes]
    common = along(shares, corner)

    def row(place: Place) -> Vector:
        same = [(np.arange(size) == key) * 1 for size, key in zip(sizes, place, strict=True)]
        return np.asarray(common[np.ix_(*same)])

    def beside(place: Place, others: Sequence[Places]) -> Vector:
        same = [(other == key) * 1 for other, key in zip(others, place, strict=True)]
        return np.asarray(common[tuple(same)])

    return Metric(
        times=lambda array: blended(array, corner),
        own=np.full(sizes, common.flat[-1]),
        row=row,
        beside=beside,
        there=tuple(map(mirror, sizes)),
        back=tuple(map(mirror, sizes)),
        stretched=corner[np.ix_(*((np.arange(size) > 0) * 1 for size in sizes))],
    )


def _together(attributes: Sequence[Attribute], levels: Sequence[int]) -> Attribute:
    """Return the attribute of all combinations of keys, with a level of those of some levels."""
    pairs = list(zip(attributes, levels, strict=True))
    groups = list(product(*(attribute.levels[level] for attribute, level in pairs)))
    named = {group: at for at, group in enumerate(dict.fromkeys(groups))}
    keys = range(len(groups))
    return Attribute(((0,) * len(keys), tuple(named[group] for group in groups), tuple(keys)))


def _crossed(first: Vector, other: Vector) -> Vector:
    import numpy as np

    return np.asarray(np.kron(first, other))


def _turned(attribute: Attribute) -> Vector:
    """Return a rotation whose first rows, as many as a level has groups, are even in these."""
    import numpy as np

    columns = [np.ones(attribute.sizes[-1])]
    for level in range(1, len(attribute.levels)):
        above = attribute.above(level, level - 1).tolist()
        firsts = {parent: group for group, parent in reversed(list(enumerate(above)))}
        kept = [group for group, parent in enumerate(above) if group != firsts[parent]]
        columns += list(attribute.matrix(level)[kept])
    rotation, _ = np.linalg.qr(np.column_stack(columns))
    return np.asarray(rotation.T)


_SMOOTH = 1 / 300  # the deviation of G, in that of E
_SHARE = 1e-4  # of alpha, for |G| > g
_STEP = 0.05  # d, in 1 / (deviation of E)
_FAR = 40.0  # e to the minus that is nothing
_FEW = 1_000  # places
_NOTHING = 1e-15  # characteristic functions below it are left out
_ROUNDED = 1e-10
_STEEPEST = 300.0  # the square of a hyperbolic sine of more is no double
_LEAST = 1e-7  # an alpha below is refused to floats: Chernoff's or Chebyshev's bound stands


@dataclass(frozen=True, slots=True)
class NoisePart:
    """So many independent noises of one law, each times a factor of this size."""

    law: Law
    factor: float
    count: float


def half_width(parts: Sequence[NoisePart], alpha: float) -> float:
    """Return a number that the size of a weighted sum exceeds with probability at most alpha.

    Args:
        parts: what is added up.
        alpha: between 0 and 1.

    Example: of one discrete Gaussian alone, a little more than its own.

        >>> from fractions import Fraction
        >>> from ...noise.discrete_gaussian import DiscreteGaussian
        >>> law = DiscreteGaussian(Fraction(25))
        >>> law.half_width(Fraction(1, 20)), round(half_width([NoisePart(law, 1.0, 1.0)], 0.05), 2)
        (10, 10.07)
    """
    kept = tuple(sorted(((p.law, abs(p.factor), p.count) for p in parts if p.factor), key=_order))
    return _half_width(kept, alpha) if kept else 0.0


def _order(part: tuple[Law, float, float]) -> tuple[float, float]:
    return -(part[1] ** 2) * part[2] * variance_up(part[0]), part[1]


@lru_cache(maxsize=4096)
def _half_width(parts: tuple[tuple[Law, float, float], ...], alpha: float) -> float:
    import numpy as np

    forms = [law.closed_form() for law, _, _ in parts]
    spread = sqrt(sum(n * a * a * variance_up(law) for law, a, n in parts))
    if None in forms:
        return spread / sqrt(alpha)
    normal = all(form is not None and form[0] == "discrete_gaussian" for form in forms)
    widest = _rough(spread, alpha, normal=normal)
    if alpha < _LEAST:
        return widest
    terms = [(*form, a, n) for form, (_, a, n) in zip(forms, parts, strict=True) if form]
    places, values = _characteristic(terms, spread)
    beyond = _beyond(2 * pi / _STEP - widest / spread, normal=normal)
    room = alpha * (1 - _SHARE) - 2 * beyond - _ROUNDED
    aside = NormalDist().inv_cdf(1 - alpha * _SHARE / 2) * _SMOOTH * spread
    if room <= 0:
        return widest
    weights = values / (np.rint(places / (_STEP / spread) - 0.5) + 0.5) * (2 / pi)

    def missed(x: float) -> float:
        return 1 - float(np.sum(np.sin(places * x) * weights))

    low, high = 0.0, widest
    while high - low > 1e-5 * spread:
        middle = (low + high) / 2
        low, high = (low, middle) if missed(middle) <= room else (middle, high)
    return min(widest, high + aside)


def _characteristic(
    parts: Sequence[tuple[str, float, float, float]], spread: float
) -> tuple[Vector, Vector]:
    """Return where the characteristic function of E + G is not nothing, and what it is there.

    G takes away all beyond some deviations; every part only makes it less. Where few places are
    left, parts of one law are worked out together.
    """

    import numpy as np

    tau = _SMOOTH * spread
    last = sqrt(-2 * log(_NOTHING)) / tau
    places: Vector = (
        np.float64(1) * (np.arange(int(last * spread / _STEP) + 1) + 0.5) * (_STEP / spread)
    )
    logs: Vector = -0.5 * (tau * places) ** 2
    alone = 0
    while alone < len(parts) and places.size > _FEW:
        form, size, factor, count = parts[alone]
        logs = logs + count * _log(form, size, factor * places)
        left = logs > log(_NOTHING)
        places, logs, alone = places[left], logs[left], alone + 1
    same: dict[tuple[str, float], list[tuple[float, float]]] = {}
    for form, size, factor, count in parts[alone:]:
        same.setdefault((form, size), []).append((factor, count))
    for (form, size), each in same.items():
        factors, counts = np.array(each).T
        logs = logs + counts @ _log(form, size, np.outer(factors, places))
    return places, np.exp(logs)


def _log(form: str, size: float, angles: Vector) -> Vector:
    """Return the logarithm of a law's characteristic function, which is above 0.

    Of a discrete Gaussian it is a sum of normal ones at the angle and at all turns of it, by
    Poisson's formula, over the same sum at 0; or, where sigma2 is small, of its chances.
    """

    import numpy as np

    if form == "discrete_laplace":
        steep = np.sinh(min(1 / (2 * size), _STEEPEST))
        return np.asarray(-np.log1p(np.sin(angles / 2) ** 2 / steep**2))
    turned = np.abs(angles - 2 * pi * np.rint(angles / (2 * pi)))
    if size >= 1:
        whole = 2 * sum(exp(-2 * pi * pi * size * turns**2) for turns in (1, 2))
        values = -size / 2 * turned**2 - log1p(whole)
        near = turned > pi - _FAR / (2 * pi * size)  # elsewhere all other turns are nothing
        close = turned[near]
        others = sum(
            np.exp(-2 * pi * size * turns * (pi * turns - sign * close))
            for turns in (1, 2)
            for sign in (1, -1)
        )
        values[near] += np.log1p(others)
        return np.asarray(values)
    chances = [exp(-k * k / (2 * size)) for k in range(1, 12)]
    values = 1 + 2 * sum(p * np.cos(k * turned) for k, p in enumerate(chances, start=1))
    return np.asarray(np.log(np.maximum(values, 1e-300)) - np.log(1 + 2 * sum(chances)))


def _rough(spread: float, alpha: float, *, normal: bool) -> float:
    """Return a half-width that always holds: a discrete Gaussian's tail is below a Gaussian's."""
    if normal:
        return spread * sqrt(-2 * log(alpha / 2))
    return spread * min(1 / sqrt(alpha), sqrt(sqrt(6 / alpha)))


def _beyond(deviations: float, *, normal: bool) -> float:
    """Return a bound on the chance that E + G exceeds so many deviations of E."""
    size = deviations / sqrt(1 + _SMOOTH**2)
    return 2 * exp(-size * size / 2) if normal else 6 / size**4


def variance_up(law: Law) -> float:
    """Return a number that the variance of a law does not exceed: what its size alone says."""
    form = law.closed_form()
    if form is None:
        return law.variance()
    return 2 * form[1] ** 2 if form[0] == "discrete_laplace" else form[1]
