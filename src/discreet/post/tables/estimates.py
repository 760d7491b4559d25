"""The best linear estimates of a list of margins: part by part (`family`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from .attribute import Levels, Vector
from .family import CountedTable, Family, Sizes, below, inside, steps
from .parts import centered, summed, written


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """The linear estimates of all tables.

    Attributes:
        family: how far they are off.
        parts: by table, the estimate of its part.
    """

    family: Family
    parts: Mapping[Levels, Vector]

    def table(self, shown: Levels) -> Vector:
        """Return the estimates of one table, an axis for each of its attributes."""
        import numpy as np

        pairs = zip(self.family.sizes, shown, strict=True)
        array = np.zeros([each[level] for each, level in pairs if level])
        mine = below(shown) if shown in self.parts else self.parts
        for part in mine:
            if inside(part, shown):
                array = array + written(self.family.attributes, self.parts[part], part, shown)
        return array

    def joint(self) -> Vector:
        """Return a table of all keys that has these tables: what is told of none is even."""
        return self.table(tuple(len(each) - 1 for each in self.family.sizes))


def estimated(
    family_: Family,
    vectors: Mapping[CountedTable, Sequence[int]],
    known: Mapping[Levels, Vector],
) -> Estimates:
    """Return the estimates that the counted vectors make.

    Args:
        family_: how far they are off.
        vectors: the noisy numbers, in the order of their tables.
        known: margins that are known.
    """
    import numpy as np

    attributes, sizes = family_.attributes, family_.sizes
    parts = {part: np.zeros(_shape(sizes, part)) for part in family_.shown}
    for vector, values in vectors.items():
        array = np.asarray(values, dtype=float).reshape(_shape(sizes, vector.shows))
        array = array / (prod(steps(sizes, vector.shows)) if vector.contrasts else 1)
        mine = [vector.shows] if vector.contrasts else [p for p in parts if inside(p, vector.shows)]
        for part in mine:
            share = family_.share(vector, part)
            if share.any():
                parts[part] += share * summed(attributes, array, vector.shows, part)
    for shown, true in known.items():
        for part in below(shown):
            if part in parts:
                parts[part] = summed(attributes, true, shown, part)
    return Estimates(
        family_, {part: centered(attributes, array, part) for part, array in parts.items()}
    )


def _shape(sizes: Sizes, shown: Levels) -> list[int]:
    return [each[level] for each, level in zip(sizes, shown, strict=True) if level]
