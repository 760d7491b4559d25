"""The estimates of a list of margins, written out to the cells of all attributes, to be fitted.

What is told of a part stretches its own directions: along each attribute those that are even in the
groups of a level, and add up to 0 in each group above. Where groups of a level are of different
size that is near the metric of the errors; a fit needs no more.
"""

from dataclasses import dataclass

from .attribute import Attribute, Vector
from .estimates import Estimates
from .margins import cells
from .metric import Metric, Place, along, outer


@dataclass(frozen=True, slots=True, eq=False)
class JointEstimates:
    """Linear estimates of all cells, and what a fit of them needs."""

    estimates: Estimates
    cells: Vector
    scale: float = 1.0

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What cells are laid out by."""
        return self.estimates.family.attributes

    @property
    def kept(self) -> tuple[tuple[int, int], ...]:
        """Of which attributes the sums by a level are known: the axis, and the level."""
        named = [[(at, n) for at, n in enumerate(one) if n] for one in self.estimates.family.known]
        return tuple(one[0] for one in named if len(one) == 1)

    def metric(self) -> Metric:
        """Return how far cells are from the estimates: each part by its own precision."""
        import numpy as np

        family = self.estimates.family
        sizes = family.sizes
        keys = tuple(len(each) - 1 for each in sizes)
        there = tuple(map(_turned, self.attributes))
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

        def times(array: Vector) -> Vector:
            return along(back, stretched * along(there, array))

        def row(place: Place) -> Vector:
            found = [matrix[:, key] for matrix, key in zip(there, place, strict=True)]
            return along(back, stretched * outer(found))

        own = along([matrix.T**2 for matrix in there], stretched)
        return Metric(times, own, row, there, back, stretched)


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
