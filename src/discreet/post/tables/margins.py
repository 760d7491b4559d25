"""The best linear estimates of any list of margins of flat attributes, and how far each is off.

The numbers of a table split into parts, one for each set A of its attributes: what A says beyond
its own margins, which adds up to 0 along each attribute in A. A table C tells the part of A with
variance D_(C less A) times that of its noise, D being the product of the numbers of keys, whatever
the parts of other sets are; so the best estimate of a part is the mean of what is told of it,
weighted by precision, and those of different parts have nothing in common. Put together,

    number of B = sum over A in B of (part of A) / D_(B less A).

Contrasts of A are d I - J along each of its attributes: they tell D_A times the part of A, alone.

Rules of this module:
- the table of all attributes is never built here, so that it may have any number of cells;
- a margin that is known tells the parts of all sets in it without any noise.

Source: docs/laws/tables.md; the parts are those of Xiao, He, Zhang and Kifer 2023.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, product
from math import prod
from typing import NamedTuple

from .attribute import Vector

Shown = tuple[int, ...]  # the attributes that a table shows, by their places, rising


class CountedTable(NamedTuple):
    """A vector that may be counted: a table, or the contrasts of its attributes."""

    shows: Shown
    contrasts: bool = False


def closed(margins: Iterable[Iterable[int]]) -> tuple[Shown, ...]:
    """Return all tables of a list with all of their margins: those of few attributes first.

    Example:
        >>> closed([[2, 0], [1]])
        ((), (0,), (1,), (2,), (0, 2))
    """
    found = {one for margin in margins for one in below(tuple(sorted(margin)))}
    return tuple(sorted(found, key=lambda one: (len(one), one)))


def below(shown: Shown) -> Iterator[Shown]:
    """Return the sets of some attributes: none, each, each two, and so on."""
    for size in range(len(shown) + 1):
        yield from combinations(shown, size)


def cells(sizes: Sequence[int], shown: Iterable[int]) -> int:
    """Return how many numbers a table has."""
    return prod(sizes[at] for at in shown)


def told_by(sizes: Sequence[int], one: CountedTable, part: Shown) -> float:
    """Return how precisely a vector with noise of variance 1 tells the part of some attributes."""
    if one.contrasts:
        return float(cells(sizes, part)) ** 2 if one.shows == part else 0.0
    if not set(part) <= set(one.shows):
        return 0.0
    return cells(sizes, part) / cells(sizes, one.shows)


@dataclass(frozen=True, slots=True)
class Family:
    """What is known of the estimates of a list of margins before there are any.

    Attributes:
        sizes: how many keys each attribute has.
        shown: the tables, each with all of its margins.
        counted: the vectors that are counted, with the precision of their noise.
        spread: of the part of each table's attributes, the variance of its estimate; 0 if known.
    """

    sizes: tuple[int, ...]
    shown: tuple[Shown, ...]
    counted: Mapping[CountedTable, float]
    spread: Mapping[Shown, float]

    def share(self, one: CountedTable, part: Shown) -> float:
        """Return the weight that a vector has in the estimate of a part."""
        return self.spread[part] * self.counted[one] * told_by(self.sizes, one, part)

    def variance(self, shown: Shown, chosen: Sequence[int] = ()) -> float:
        """Return the variance of a number of a table.

        Args:
            shown: its attributes.
            chosen: of each, how many keys are added up; without, one.
        """
        ratios = dict(zip(shown, self._ratios(shown, chosen), strict=True))
        found = 0.0
        for part in below(shown):
            own = prod(self.sizes[at] * ratios[at] * (1 - ratios[at]) for at in part)
            found += (
                self.spread[part] * own * prod(ratios[at] ** 2 for at in shown if at not in part)
            )
        return found

    def _ratios(self, shown: Shown, chosen: Sequence[int]) -> list[float]:
        kept = chosen or [1] * len(shown)
        return [n / self.sizes[at] for at, n in zip(shown, kept, strict=True)]

    def parts(
        self, shown: Shown, chosen: Sequence[int] = ()
    ) -> Iterator[tuple[CountedTable, float, float]]:
        """Return how a number is made: vectors, a factor of their noise, and how often it occurs.

        A vector stands for all that have the same precision, size and attributes in common.
        """
        ratios = dict(zip(shown, self._ratios(shown, chosen), strict=True))
        alike: dict[tuple[object, ...], list[CountedTable]] = {}
        for one, precision in self.counted.items():
            both = tuple(at for at in one.shows if at in ratios)
            if not one.contrasts or len(both) == len(one.shows):
                kind = (one.contrasts, both, precision, cells(self.sizes, one.shows))
                alike.setdefault(kind, []).append(one)
        for same in alike.values():
            first = same[0]
            both = tuple(at for at in first.shows if at in ratios)
            times = len(same) * cells(self.sizes, (at for at in first.shows if at not in ratios))
            for factor, count in self._patterns(first, both, ratios):
                yield first, factor, count * times

    def _patterns(
        self, one: CountedTable, both: Shown, ratios: Mapping[int, float]
    ) -> Iterator[tuple[float, float]]:
        """Return the factors of a vector's noise: by which keys are among the chosen ones."""
        whole = prod(ratios.values())
        weights = [
            (part, self.share(one, part) * whole / prod(ratios[at] for at in part))
            for part in below(both)
            if not one.contrasts or part == one.shows
        ]
        if one.contrasts:
            weights = [(part, weight / cells(self.sizes, part)) for part, weight in weights]
        for inside in product((True, False), repeat=len(both)):
            here = dict(zip(both, inside, strict=True))
            factor = sum(
                weight * prod(here[at] - ratios[at] for at in part) for part, weight in weights
            )
            share = prod(ratios[at] if here[at] else 1 - ratios[at] for at in both)
            yield factor, share * cells(self.sizes, both)


def family(
    sizes: Sequence[int],
    shown: Sequence[Shown],
    counted: Mapping[CountedTable, float],
    known: Iterable[Shown],
) -> Family:
    """Return how far the estimates are off.

    Args:
        sizes: how many keys each attribute has.
        shown: the tables, each with all of its margins.
        counted: the vectors that are counted, with the precision of their noise.
        known: margins that are known.
    """
    settled = settled_parts(sizes, shown, known)
    spread = {}
    for part in shown:
        precision = sum(n * told_by(sizes, one, part) for one, n in counted.items())
        spread[part] = 0.0 if part in settled else 1 / precision
    return Family(tuple(sizes), tuple(shown), dict(counted), spread)


def settled_parts(
    sizes: Sequence[int], shown: Sequence[Shown], known: Iterable[Shown]
) -> frozenset[Shown]:
    """Return the sets whose part is known: of a known margin, or of an attribute with one key."""
    margins = [set(one) for one in known]
    return frozenset(
        part
        for part in shown
        if any(set(part) <= one for one in margins) or any(sizes[at] == 1 for at in part)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """The linear estimates of all tables.

    Attributes:
        family: how far they are off.
        parts: by set of attributes, the estimate of its part, an axis for each.
    """

    family: Family
    parts: Mapping[Shown, Vector]

    def table(self, shown: Shown) -> Vector:
        """Return the estimates of one table, an axis for each of its attributes."""
        import numpy as np

        sizes = self.family.sizes
        found = np.zeros([sizes[at] for at in shown])
        for part in below(shown):
            if part in self.parts:
                shape = [sizes[at] if at in part else 1 for at in shown]
                rest = cells(sizes, (at for at in shown if at not in part))
                found = found + self.parts[part].reshape(shape) / rest
        return found

    def joint(self) -> Vector:
        """Return a table of all attributes that has these tables: of all, the nearest to even."""
        return self.table(tuple(range(len(self.family.sizes))))


def estimated(
    family_: Family,
    vectors: Mapping[CountedTable, Sequence[int]],
    known: Mapping[Shown, Vector],
) -> Estimates:
    """Return the estimates that the counted vectors make.

    Args:
        family_: how far they are off.
        vectors: the noisy numbers, in the order of their tables.
        known: margins that are known.
    """
    import numpy as np

    sizes = family_.sizes
    parts = {part: np.zeros([sizes[at] for at in part]) for part in family_.shown}
    for one, values in vectors.items():
        array = np.asarray(values, dtype=float).reshape([sizes[at] for at in one.shows])
        for part in [one.shows] if one.contrasts else below(one.shows):
            share = family_.share(one, part) if part in parts else 0.0
            if share:
                scale = share / cells(sizes, part) if one.contrasts else share
                parts[part] += scale * _summed(array, one.shows, part)
    for shown, true in known.items():
        for part in below(shown):
            if part in parts:
                parts[part] = _summed(true, shown, part)
    return Estimates(family_, {part: _centered(array) for part, array in parts.items()})


def _summed(array: Vector, shown: Shown, kept: Shown) -> Vector:
    """Return the sums of a table over the attributes that are not kept."""
    import numpy as np

    axes = tuple(axis for axis, at in enumerate(shown) if at not in kept)
    return np.asarray(array.sum(axis=axes))


def _centered(array: Vector) -> Vector:
    """Return the part of an array that adds up to 0 along each of its axes."""
    return reduce(lambda a, axis: a - a.mean(axis=axis, keepdims=True), range(array.ndim), array)
