"""How far the estimates of a list of margins are off, whatever they are.

The numbers of a table split into parts (`parts`), one for each table A below it: what A says beyond
the tables above A. A table C tells the part of A with the variance of its own noise times the
number of its cells in each cell of A, whatever the other parts are; so a part is estimated by the
mean of what is told of it, weighted by precision. Put together, a number of B is the sum of what
the parts of all A below it write to it.

Where each group of a level has as many parts as the others, different parts have nothing in common,
and this is least squares. Elsewhere cells of a part are weighted each by its own precision: the
estimates are unbiased, their errors exact, and a few percent above the least (docs/laws/tables.md).

The tables of a list: which there are, what is below what, and what is told by what.

A table is named by the level of each attribute that it shows (`attribute.Levels`). Contrasts of a
table are c I - J in each group of c, along each of its attributes: they tell its part (`parts`)
alone, times the product of all c. They are made where all groups of a level have as many parts.

How far tables are from their estimates: in the metric of the estimates' errors.

A fit needs to know of it what it makes of an array of cells, its diagonal, single rows, and along
which directions it only stretches. For a cube it is a Kronecker product of the matrices of its
attributes (`fit.normal`); for a list of margins a part has its own factor (`interval`).

Rules of this module:
- the table of all attributes is never built here, so that it may have any number of cells;
- a margin that is known tells the parts of all tables in it without any noise.

Source: docs/laws/tables.md; the parts are those of Xiao, He, Zhang and Kifer 2023.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple, Protocol

from .attribute import Attribute, Levels, Places, Vector
from .parts import alike, directions

if TYPE_CHECKING:
    import numpy as np


Sizes = Sequence[tuple[int, ...]]  # of each attribute, how many groups each level has


class CountedTable(NamedTuple):
    """A vector that may be counted: a table, or the contrasts of its attributes."""

    shows: Levels
    contrasts: bool = False


def closed(margins: Iterable[Levels]) -> tuple[Levels, ...]:
    """Return all tables of a list with all of their margins: those of few attributes first.

    Example:
        >>> closed([(1, 0, 1), (0, 1, 0)])
        ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1))
    """
    tables = {table for margin in margins for table in below(margin)}
    return tuple(sorted(tables, key=order))


def order(shown: Levels) -> tuple[int, list[bool], Levels]:
    """Return what tables are sorted by: few attributes first."""
    return sum(map(bool, shown)), [not level for level in shown], shown


def below(shown: Levels) -> Iterator[Levels]:
    """Return a table and all of its margins."""
    return product(*(range(level + 1) for level in shown))


def inside(table: Levels, other: Levels) -> bool:
    """Tell whether a table is another one, or a margin of it."""
    return all(a <= b for a, b in zip(table, other, strict=True))


def cells(sizes: Sizes, shown: Levels) -> int:
    """Return how many numbers a table has."""
    return prod(each[level] for each, level in zip(sizes, shown, strict=True))


def steps(sizes: Sizes, shown: Levels) -> list[int]:
    """Return how many parts each group above has, of each attribute that is shown."""
    pairs = zip(sizes, shown, strict=True)
    return [each[level] // each[level - 1] for each, level in pairs if level]


def told_by(sizes: Sizes, vector: CountedTable, part: Levels) -> float:
    """Return how precisely a vector with noise of variance 1 tells a part, in the mean."""
    if vector.contrasts:
        return float(prod(steps(sizes, part))) ** 2 if vector.shows == part else 0.0
    return cells(sizes, part) / cells(sizes, vector.shows) if inside(part, vector.shows) else 0.0


def settled_parts(
    sizes: Sizes, shown: Sequence[Levels], known: Iterable[Levels]
) -> frozenset[Levels]:
    """Return the tables whose part is known: of known margins, or of levels that split nothing."""
    margins = list(known)
    return frozenset(
        part
        for part in shown
        if any(inside(part, margin) for margin in margins)
        or any(
            level and each[level] == each[level - 1]
            for each, level in zip(sizes, part, strict=True)
        )
    )


Part = tuple[CountedTable, Vector, Vector]  # a vector, factors of its noise, how many have each


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """What is known of the estimates of a list of margins before there are any.

    Attributes:
        attributes: what their cells are laid out by.
        shown: the tables, each with all of its margins.
        counted: the vectors that are counted, with the precision of their noise.
        spread: of the part of each table, the variance of its cells; 0 where it is known. An axis
            for each attribute that it shows; of length 1 where all groups are alike.
        known: the tables that are known.
    """

    attributes: tuple[Attribute, ...]
    shown: tuple[Levels, ...]
    counted: Mapping[CountedTable, float]
    spread: Mapping[Levels, Vector]
    known: tuple[Levels, ...] = ()

    @property
    def sizes(self) -> Sizes:
        """Of each attribute, how many groups each level has."""
        return [attribute.sizes for attribute in self.attributes]

    def share(self, vector: CountedTable, part: Levels) -> Vector:
        """Return the weight that a vector has in the estimate of each cell of a part."""
        return self.spread[part] * (self.counted[vector] * _told(self.attributes, vector, part))

    def variance(self, shown: Levels, rows: Sequence[Vector] = ()) -> float:
        """Return the variance of a number of a table, or of a sum of its cells.

        Args:
            shown: the table.
            rows: of each attribute, how often each of its groups is counted; without, the first.
        """
        return self.variance_of(self.parts(shown, rows))

    def variance_of(self, parts: Iterable[Part]) -> float:
        """Return the variance of a number that is made so."""
        return sum(float((f * f * n).sum()) / self.counted[vector] for vector, f, n in parts)

    def parts(self, shown: Levels, rows: Sequence[Vector] = ()) -> Iterator[Part]:
        """Return how a number is made: vectors, factors of their noise, and how many have each.

        A vector stands for all that are made of alike.
        """
        pairs = list(zip(self.attributes, shown, strict=True))
        chosen = rows or [_first(attribute.sizes[level]) for attribute, level in pairs]
        ways = [
            directions(attribute, level, row)
            for (attribute, level), row in zip(pairs, chosen, strict=True)
        ]
        uneven = [at for at, attribute in enumerate(self.attributes) if not attribute.even]
        same: dict[tuple[Levels, tuple[object, ...]], list[CountedTable]] = {}
        for vector, precision in self.counted.items():
            both = tuple(map(min, shown, vector.shows))
            if not vector.contrasts or both == vector.shows:
                deep = [vector.shows[at] for at in uneven if both[at]]
                kind = (vector.contrasts, precision, cells(self.sizes, vector.shows), *deep)
                same.setdefault((both, kind), []).append(vector)
        seen: dict[tuple[int, int, int], Pattern] = {}
        for (both, _), each in same.items():
            factors, counts = self._factors(each[0], both, ways, seen)
            yield each[0], factors, counts * len(each)

    def _factors(
        self,
        vector: CountedTable,
        both: Levels,
        ways: Sequence[Sequence[Vector]],
        seen: "dict[tuple[int, int, int], Pattern]",
    ) -> tuple[Vector, Vector]:
        """Return the factors of one vector's noise: by where its cells lie beside the chosen."""
        import numpy as np

        size, times, patterns = 1.0, 1, []
        for at, (level, deep) in enumerate(zip(both, vector.shows, strict=True)):
            if not level:
                size *= float(ways[at][0][0])
                times *= self.attributes[at].sizes[deep]
            else:
                key = (at, level, deep)
                if key not in seen:
                    seen[key] = _pattern(self.attributes[at], level, deep, ways[at])
                patterns.append(seen[key])
        factors = np.zeros([len(pattern.counts) for pattern in patterns])
        for part in [vector.shows] if vector.contrasts else below(both):
            share = self.share(vector, part) / (
                prod(steps(self.sizes, part)) if vector.contrasts else 1
            )
            levels = [level for level, with_ in zip(part, both, strict=True) if with_]
            pairs = list(zip(patterns, levels, strict=True))
            if share.size > 1:
                places = [p.above[level] for p, level in pairs if level]
                kept = [
                    place if n > 1 else place * 0
                    for place, n in zip(places, share.shape, strict=True)
                ]
                share = share[np.ix_(*kept)].reshape(
                    [len(p.counts) if level else 1 for p, level in pairs]
                )
            else:
                share = share.reshape([1] * len(pairs))
            factors = factors + share * outer([p.ways[level] for p, level in pairs])
        counts = outer([pattern.counts for pattern in patterns]) * times
        return size * factors.ravel(), counts.ravel()


class Pattern(NamedTuple):
    """The groups of a level that lie alike beside those that are chosen: one for all of them.

    Attributes:
        ways: by level above, what the chosen ones take of the part of the group there.
        above: by level above, the group there.
        counts: how many lie so.
    """

    ways: list[Vector]
    above: list[Places]
    counts: Vector


def _pattern(attribute: Attribute, level: int, deep: int, ways: Sequence[Vector]) -> Pattern:
    """Return the groups of level `deep` by what a number takes of them, down to a level."""
    import numpy as np

    above = [attribute.above(deep, at) for at in range(level + 1)]
    columns = [ways[at][above[at]] for at in range(level + 1)]
    finer = [] if attribute.even else range(1, level + 1)
    last = len(attribute.levels)
    crowds = [attribute.many(at, to)[above[at]] for at in finer for to in range(at + 1, last)]
    first, counts = alike(np.stack([*columns, *crowds], 1))
    return Pattern([way[first] for way in columns], [at[first] for at in above], counts)


def _first(size: int) -> Vector:
    import numpy as np

    row = np.zeros(size)
    row[0] = 1
    return row


def _told(attributes: Sequence[Attribute], vector: CountedTable, part: Levels) -> Vector:
    """Return how precisely a vector with noise of variance 1 tells each cell of a part."""
    import numpy as np

    if vector.contrasts:
        sizes = [attribute.sizes for attribute in attributes]
        return np.full([1] * sum(map(bool, part)), told_by(sizes, vector, part))
    factors, others = [], 1
    for attribute, level, deep in zip(attributes, part, vector.shows, strict=True):
        if level:
            many = attribute.many(level, deep)
            factors.append(1 / (many[:1] if attribute.even else many))
        else:
            others *= attribute.sizes[deep]
    return outer(factors) / others


def family(
    attributes: Sequence[Attribute],
    shown: Sequence[Levels],
    counted: Mapping[CountedTable, float],
    known: Iterable[Levels],
) -> Family:
    """Return how far the estimates are off.

    Args:
        attributes: what their cells are laid out by.
        shown: the tables, each with all of its margins.
        counted: the vectors that are counted, with the precision of their noise.
        known: margins that are known.
    """
    margins = tuple(known)
    settled = settled_parts([attribute.sizes for attribute in attributes], shown, margins)
    spread = {}
    for part in shown:
        precisions = [
            n * _told(attributes, vector, part)
            for vector, n in counted.items()
            if (vector.shows == part if vector.contrasts else inside(part, vector.shows))
        ]
        spread[part] = _told(attributes, CountedTable(part), part) * 0.0
        if part not in settled:
            spread[part] = 1 / sum(precisions, start=spread[part])
    return Family(tuple(attributes), tuple(shown), dict(counted), spread, margins)


Place = Sequence["np.intp"]


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A symmetric matrix over all cells, of no negative direction.

    Attributes:
        times: multiplies an array of cells.
        own: its diagonal.
        row: the row of a cell.
        beside: what the row of a cell has at some places.
        there, back, stretched: along each axis a rotation and its inverse; between them the matrix
            multiplies by `stretched`.
    """

    times: Callable[[Vector], Vector]
    own: Vector
    row: Callable[[Place], Vector]
    beside: Callable[[Place, Sequence[Places]], Vector]
    there: tuple[Vector, ...]
    back: tuple[Vector, ...]
    stretched: Vector


class Fittable(Protocol):
    """Linear estimates of all cells, and what a fit of them needs."""

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What cells are laid out by."""

    @property
    def cells(self) -> Vector:
        """The estimates, an axis for each attribute."""

    @property
    def scale(self) -> float:
        """The variance of noise of weight 1."""

    @property
    def kept(self) -> tuple[tuple[int, int], ...]:
        """Of which attributes the sums by a level are known: the axis, and the level."""

    def begun(self) -> Vector:
        """Return the cells of at least 0 that a fit goes from."""

    def metric(self, *, likelihood: bool = False) -> Metric:
        """Return how far cells are from them.

        Args:
            likelihood: by their likelihood; without, each table counts, those of few columns more.
        """


def along(matrices: Sequence[Vector], array: Vector) -> Vector:
    """Return an array multiplied by a matrix along each of its axes.

    In place of a matrix may stand a vector w (`mirror`): then by I - 2 w w', a reflection.
    """
    import numpy as np

    for axis, matrix in enumerate(matrices):
        if matrix.ndim == 1:
            first, rest = float(matrix[0]), float(matrix[-1])
            head = (*(slice(None),) * axis, slice(0, 1))
            shares = rest * array.sum(axis=axis, keepdims=True) + (first - rest) * array[head]
            array = array - 2 * rest * shares
            array[head] -= 2 * (first - rest) * shares
        else:
            array = np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis)
    return array


def mirror(size: int) -> Vector:
    """Return the vector of the reflection that takes what is even to the first place.

    Example:
        >>> import numpy as np
        >>> along([mirror(4)], np.ones(4)).round(9).tolist()
        [2.0, 0.0, 0.0, 0.0]
    """
    import numpy as np

    found = np.full(size, size**-0.5)
    found[0] -= 1
    return np.asarray(found / (float(np.linalg.norm(found)) or 1.0))


def outer(vectors: Sequence[Vector]) -> Vector:
    """Return the array of all products of one number from each vector."""
    import numpy as np

    return reduce(np.multiply.outer, vectors, np.array(1.0))


def product_of(normals: Sequence[Vector]) -> Metric:
    """Return the Kronecker product of a matrix for each attribute."""
    import numpy as np

    turned = [*map(_turned, normals)]
    there, back, values = ([each[at] for each in turned] for at in range(3))
    stretched = outer(values)

    def beside(place: Place, others: Sequence[Places]) -> Vector:
        rows = zip(normals, place, others, strict=True)
        return np.asarray(reduce(np.multiply, [n[key][other] for n, key, other in rows]))

    return Metric(
        times=lambda array: along(back, stretched * along(there, array)),
        own=outer([np.diag(normal) for normal in normals]),
        row=lambda place: outer([n[key] for n, key in zip(normals, place, strict=True)]),
        beside=beside,
        there=tuple(there),
        back=tuple(back),
        stretched=stretched,
    )


def _turned(normal: Vector) -> tuple[Vector, Vector, Vector]:
    """Return a rotation, its inverse, and by what the matrix multiplies between them."""
    import numpy as np

    own, size = float(normal[0, 0]), len(normal)
    beside = float(normal[0, -1]) if size > 1 else 0.0
    if (normal == np.where(np.eye(size, dtype=bool), own, beside)).all():
        values = np.full(size, own - beside)
        values[0] += beside * size
        return mirror(size), mirror(size), values
    values, vectors = np.linalg.eigh(normal)
    return vectors.T, vectors, values
