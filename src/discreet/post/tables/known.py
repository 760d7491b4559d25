"""What known sums take off a cube's errors: the total, or those of some attributes by a level.

With C the covariance of all cells and K the sums that are known, estimates move by C K' G (k - K x)
with G = (K C K')^+, and the variance of a sum of cells m loses m C K' G K C m. C is a Kronecker
product of small matrices, and a row of K names a group of one attribute and adds up all others. So
G is as large as there are known sums; those of two attributes have one total, which is why it is a
pseudoinverse.

Rules of this module:
- a known total is a sum of the first attribute by its level 0, everything together.
"""

from collections.abc import Sequence
from math import prod

from .attribute import Attribute, Levels, Vector
from .metric import outer

Kept = tuple[tuple[int, int], ...]  # attributes whose sums are known: the axis, and the level
_RANK = 1e-10  # of the largest singular value


def is_known(table: Levels, kept: Kept) -> bool:
    """Tell whether all numbers of a table follow from known sums."""
    shown = [(axis, level) for axis, level in enumerate(table) if level]
    if not kept or len(shown) > 1:
        return False
    return not shown or any(shown[0][0] == at and shown[0][1] <= deep for at, deep in kept)


def gain_of(attributes: Sequence[Attribute], kept: Kept, inverses: Sequence[Vector]) -> Vector:
    """Return G."""
    import numpy as np

    alone = [inverse.sum(axis=1) for inverse in inverses]
    totals = [float(each.sum()) for each in alone]
    matrices = {axis: attributes[axis].matrix(level) for axis, level in kept}
    blocks = [
        [
            matrices[one] @ inverses[one] @ matrices[one].T * _without(totals, one)
            if one == other
            else np.outer(matrices[one] @ alone[one], matrices[other] @ alone[other])
            * _without(totals, one, other)
            for other, _ in kept
        ]
        for one, _ in kept
    ]
    return np.asarray(np.linalg.pinv(np.block(blocks), rcond=_RANK, hermitian=True))


def split(attributes: Sequence[Attribute], kept: Kept, numbers: Vector) -> list[Vector]:
    """Return for each attribute whose sums are known its own numbers, written to its keys."""
    import numpy as np

    ends = np.cumsum([attributes[axis].sizes[level] for axis, level in kept])[:-1]
    parts = np.split(numbers, ends)
    return [
        part[np.array(attributes[axis].levels[level])]
        for part, (axis, level) in zip(parts, kept, strict=True)
    ]


def toward(
    attributes: Sequence[Attribute], kept: Kept, gain: Vector, rows: Sequence[Vector]
) -> list[Vector]:
    """Return K' G K C m by attribute, for the sum of cells whose rows m_i N_i^-1 these are."""
    import numpy as np

    alone = [float(row.sum()) for row in rows]
    found = [
        attributes[axis].matrix(level) @ rows[axis] * _without(alone, axis) for axis, level in kept
    ]
    moves = dict(
        zip(
            (axis for axis, _ in kept),
            split(attributes, kept, gain @ np.concatenate(found)),
            strict=True,
        )
    )
    return [moves.get(axis, np.zeros(len(row))) for axis, row in enumerate(rows)]


def taken(
    attributes: Sequence[Attribute], kept: Kept, gain: Vector, rows: Sequence[Vector]
) -> Vector:
    """Return what variances of sums of cells lose, of all choices of a row for each attribute."""
    import numpy as np

    alone = [row.sum(axis=1) for row in rows]
    sizes = [attributes[axis].sizes[level] for axis, level in kept]
    starts = [0, *np.cumsum(sizes).tolist()]
    found: Vector = np.zeros([len(row) for row in rows])
    for at, (one, level) in enumerate(kept):
        mine = rows[one] @ attributes[one].matrix(level).T
        for to, (other, deep) in enumerate(kept):
            block = gain[starts[at] : starts[at + 1], starts[to] : starts[to + 1]]
            theirs = rows[other] @ attributes[other].matrix(deep).T
            if one == other:
                own = ((mine @ block) * theirs).sum(axis=1)
                found = found + outer(
                    [own if n == one else each**2 for n, each in enumerate(alone)]
                )
                continue
            both = mine @ block @ theirs.T
            first, second = sorted((one, other))
            shape = [len(row) if n in (one, other) else 1 for n, row in enumerate(rows)]
            pair = (both if one == first else both.T).reshape(shape)
            single = [each if n in (first, second) else each**2 for n, each in enumerate(alone)]
            found = found + pair * outer(single)
    return found


def _without(numbers: Sequence[float], *axes: int) -> float:
    """Return the product of all numbers but those of some axes."""
    return prod(number for at, number in enumerate(numbers) if at not in axes)
