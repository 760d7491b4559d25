"""The estimates of a list of margins, written out to the cells of all attributes, to be fitted.

What is told of a part stretches its own directions: along each attribute those that are even in the
groups of a level, and add up to 0 in each group above. Where groups of a level are of different
size that is near the metric of the errors; a fit needs no more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

from .attribute import Attribute, Levels, Vector, Whole
from .estimates import Estimates
from .margins import cells
from .metric import Metric, Place, along, outer


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
        return [(tuple(at for at, n in enumerate(one) if n), one) for one in known if any(one)]

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
            (self.blocks.index(block), 1 if len(block) > 1 else one[block[0]])
            for block, one in self._known()
        )

    @property
    def cells(self) -> Vector:
        """The estimates of all cells: of what nothing is told, even ones."""
        return self._axes(self.estimates.joint())

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

    def metric(self) -> Metric:
        """Return how far cells are from the estimates: each part by its own precision."""
        import numpy as np

        family = self.estimates.family
        sizes = family.sizes
        keys = tuple(len(each) - 1 for each in sizes)
        turned = [*map(_turned, family.attributes)]
        there = tuple(
            reduce(lambda one, other: np.asarray(np.kron(one, other)), [turned[at] for at in block])
            for block in self.blocks
        )
        back = tuple(matrix.T for matrix in there)
        stretched = np.zeros([each[-1] for each in sizes])
        means = {part: float(spread.mean()) for part, spread in family.spread.items()}
        least = min(filter(None, means.values()))  # known parts: as well as the best told
        for part, spread in means.items():
            pairs = zip(sizes, part, strict=True)
            place = tuple(
                slice(each[level - 1], each[level]) if level else 0 for each, level in pairs
            )
            rest = cells(sizes, keys) / cells(sizes, part)
            stretched[place] = rest / (spread or least)
        stretched = self._axes(stretched)

        def times(array: Vector) -> Vector:
            return along(back, stretched * along(there, array))

        def row(place: Place) -> Vector:
            found = [matrix[:, key] for matrix, key in zip(there, place, strict=True)]
            return along(back, stretched * outer(found))

        own = along([matrix.T**2 for matrix in there], stretched)
        return Metric(times, own, row, there, back, stretched)


def _together(attributes: Sequence[Attribute], levels: Sequence[int]) -> Attribute:
    """Return the attribute of all combinations of keys, with a level of those of some levels."""
    pairs = list(zip(attributes, levels, strict=True))
    groups = list(product(*(attribute.levels[level] for attribute, level in pairs)))
    named = {group: at for at, group in enumerate(dict.fromkeys(groups))}
    keys = range(len(groups))
    return Attribute(((0,) * len(keys), tuple(named[group] for group in groups), tuple(keys)))


def _turned(attribute: Attribute) -> Vector:
    """Return a rotation whose first rows, as many as a level has groups, are even in these."""
    import numpy as np

    columns = [np.ones(attribute.sizes[-1])]
    for level in range(1, len(attribute.levels)):
        above = attribute.above(level, level - 1).tolist()
        firsts = {parent: group for group, parent in reversed(list(enumerate(above)))}
        kept = [group for group, parent in enumerate(above) if group != firsts[parent]]
        columns += list(attribute.matrix(level)[kept])
    found, _ = np.linalg.qr(np.column_stack(columns))
    return np.asarray(found.T)
