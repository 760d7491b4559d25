"""Rows whose tables are near estimates that no table of all attributes is made for.

A list of tables over many attributes has more cells together than can be fitted. Rows are then
fitted themselves: as many as there are estimated to be, each with a key of every attribute.

Rules of this module:
- no coin is drawn: the same rows come out of the same estimates;
- a first row is made from the margins, and from the table of two attributes that tells most of a
  new one beside one that is there; sequences of multiples of a root spread keys evenly;
- then keys are changed, as long as that brings all tables together nearer to the estimates: of one
  attribute after the other all rows are asked which key would be best, and those that gain most are
  changed at once, half as many as before where that would lead away;
- what is asked for is a distance that hardly adds to the noise of what was measured (`NEAR`), or
  rounds that gain nothing more.

Decision 104.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from .attribute import Attribute, Levels, Places, Vector

NEAR = 0.25  # of the noise: distances whose squares add up to less than 1.04 of it
_ROUNDS = 200
_GAIN = 1e-3  # of the distance, in a round
_GROWS = 1.3
_AT_ONCE = 1 << 22  # numbers that are looked at
_NONE = 1e-9


@dataclass(slots=True)
class TableTarget:
    """A table that rows shall have.

    Attributes:
        shows: which level of each attribute.
        numbers: the estimates, in their order.
        deviation: of the noise that they shall be near for.
        excess: how many more the rows have than the estimates.
    """

    shows: Levels
    numbers: Vector
    deviation: float
    excess: Vector = field(init=False)

    @property
    def weight(self) -> float:
        """What a square of its excess counts."""
        return 1 / self.deviation**2

    @property
    def size(self) -> float:
        """How far the rows are off: the root of the mean square, over the deviation."""
        return sqrt(float((self.excess**2).mean())) / self.deviation


def counted(
    attributes: Sequence[Attribute], keys: Sequence[Places], shows: Levels, times: Any = None
) -> Vector:
    """Return the table that rows have, each so many times."""
    import numpy as np

    place, size = _places(attributes, keys, shows)
    return np.asarray(np.bincount(place, times, minlength=size).astype(float))


def synthesized(
    attributes: Sequence[Attribute], rows: int, targets: Sequence[TableTarget]
) -> list[Places]:
    """Return of each attribute the key of every row, so that all tables are near their estimates.

    Args:
        attributes: with their levels.
        rows: how many.
        targets: the tables; their excess is kept.
    """
    keys = _started(attributes, rows, targets)
    for target in targets:
        target.excess = counted(attributes, keys, target.shows) - target.numbers
    shares = [0.5] * len(attributes)
    now = _distance(targets)
    for _ in range(_ROUNDS):
        before = now
        for at, attribute in enumerate(attributes):
            if len(attribute.levels[-1]) > 1:
                shares[at], now = _improved(attributes, keys, targets, at, shares[at], now)
        if before - now <= _GAIN * before or all(target.size <= NEAR for target in targets):
            break
    return keys


def _distance(targets: Iterable[TableTarget]) -> float:
    return sum(target.weight * float((target.excess**2).sum()) for target in targets)


def _places(
    attributes: Sequence[Attribute], keys: Sequence[Places], shows: Levels, leave: int = -1
) -> tuple[Places, int]:
    """Return where in a table each row is, without one attribute, and how many places there are."""
    import numpy as np

    place, size = np.zeros(len(keys[0]) if keys else 0, dtype=np.int64), 1
    for at, (attribute, level) in enumerate(zip(attributes, shows, strict=True)):
        if level and at != leave:
            groups = np.array(attribute.levels[level])[keys[at]]
            place = place * attribute.sizes[level] + groups
            size *= attribute.sizes[level]
    return place, size


def _improved(
    attributes: Sequence[Attribute],
    keys: list[Places],
    targets: Sequence[TableTarget],
    at: int,
    share: float,
    now: float,
) -> tuple[float, float]:
    """Change keys of one attribute; return which share of the rows that gain, and the distance."""
    import numpy as np

    mine = [target for target in targets if target.shows[at]]
    best, gain = _best(attributes, keys, mine, at)
    rows = np.flatnonzero(gain < -_NONE)
    rows = rows[np.argsort(gain[rows], kind="stable")]
    rest = now - _distance(mine)
    while rows.size:
        many = max(1, int(rows.size * share))
        chosen = rows[:many]
        moved = [each[chosen] for each in keys]
        there = [*moved[:at], best[chosen], *moved[at + 1 :]]
        changes = [
            counted(attributes, there, t.shows) - counted(attributes, moved, t.shows) for t in mine
        ]
        pairs = zip(mine, changes, strict=True)
        wanted = rest + sum(t.weight * float(((t.excess + c) ** 2).sum()) for t, c in pairs)
        if wanted < now:
            keys[at][chosen] = best[chosen]
            for target, change in zip(mine, changes, strict=True):
                target.excess = target.excess + change
            return min(1.0, share * _GROWS), wanted
        if many == 1:
            break
        share /= 2
    return share, now


def _best(
    attributes: Sequence[Attribute], keys: Sequence[Places], mine: Sequence[TableTarget], at: int
) -> tuple[Places, Vector]:
    """Return for each row the best key of one attribute, and by how much the distance falls.

    A row that goes from group u to v of a table changes its squares by 2 (e_v - e_u) + 2, e being
    the excess beside the row's other keys; within a group by nothing.
    """
    import numpy as np

    attribute = attributes[at]
    many, rows = len(attribute.levels[-1]), len(keys[at])
    best, gain = np.zeros(rows, dtype=np.int64), np.zeros(rows)
    apart, sides = np.zeros((many, many)), []
    for target in mine:
        groups = np.array(attribute.levels[target.shows[at]])
        apart += 2 * target.weight * (groups[:, None] != groups)
        shape = [a.sizes[n] for a, n in zip(attributes, target.shows, strict=True) if n]
        axis = sum(map(bool, target.shows[:at]))
        excess = np.moveaxis(target.excess.reshape(shape), axis, -1)
        table = excess.reshape(-1, shape[axis])[:, groups] * (2 * target.weight)
        sides.append((table, _places(attributes, keys, target.shows, at)[0]))
    step = max(1, _AT_ONCE // many)
    for start in range(0, rows, step):
        part = slice(start, start + step)
        slopes = np.zeros((len(keys[at][part]), many))
        for table, place in sides:
            slopes += table[place[part]]
        own, here = keys[at][part], np.arange(len(slopes))
        slopes += apart[own] - slopes[here, own][:, None]
        best[part] = slopes.argmin(axis=1)
        gain[part] = slopes[here, best[part]]
    return best, gain


def _started(
    attributes: Sequence[Attribute], rows: int, targets: Sequence[TableTarget]
) -> list[Places]:
    """Return first rows: each attribute beside the one before that tells most of it."""
    import numpy as np

    pairs = _pairs(attributes, targets)
    keys = [np.zeros(rows, dtype=np.int64) for _ in attributes]
    left, placed = list(range(len(attributes))), list[int]()
    spread = np.arange(1, rows + 1)
    while left:
        beside = [
            (pairs[old, new][0], -new, -old)
            for new in left
            for old in placed
            if (old, new) in pairs
        ]
        new, old = left[0], -1
        if beside:
            _, new, old = max(beside)
            new, old = -new, -old
        order = np.modf(spread * sqrt(_root(new)))[0]
        attribute = attributes[new]
        if old >= 0:
            for key, numbers in enumerate(pairs[old, new][1]):
                mine = np.flatnonzero(keys[old] == key)
                keys[new][mine[np.argsort(order[mine], kind="stable")]] = _handed(
                    numbers, mine.size
                )
        else:
            margin = _margin(len(attribute.levels[-1]), new, attributes, targets)
            keys[new][np.argsort(order, kind="stable")] = _handed(margin, rows)
        placed.append(new)
        left.remove(new)
    return keys


def _handed(numbers: Vector, rows: int) -> Places:
    """Return so many keys in the proportion of these numbers, one key after the other."""
    import numpy as np

    some = np.maximum(numbers, 0.0)
    some = some if some.sum() > 0 else np.ones(some.size)
    ends = np.rint(np.cumsum(some) * (rows / some.sum()))
    return np.minimum(np.searchsorted(ends, np.arange(rows), side="right"), some.size - 1)


def _margin(
    many: int, at: int, attributes: Sequence[Attribute], targets: Sequence[TableTarget]
) -> Vector:
    """Return the table of one attribute's keys; even numbers where there is none."""
    import numpy as np

    for target in targets:
        shown = [place for place, level in enumerate(target.shows) if level]
        if shown == [at] and target.shows[at] == len(attributes[at].levels) - 1:
            return target.numbers
    return np.ones(many)


def _pairs(
    attributes: Sequence[Attribute], targets: Sequence[TableTarget]
) -> dict[tuple[int, int], tuple[float, Vector]]:
    """Return tables of two attributes' keys, both ways, with how much one tells of the other."""
    import numpy as np

    pairs: dict[tuple[int, int], tuple[float, Vector]] = {}
    for target in targets:
        shown = [place for place, level in enumerate(target.shows) if level]
        finest = all(target.shows[n] == len(attributes[n].levels) - 1 for n in shown)
        if len(shown) == 2 and finest:
            first, second = shown
            table = np.maximum(target.numbers.reshape(attributes[first].sizes[-1], -1), 0.0)
            part = table / max(float(table.sum()), 1.0)
            alone = part.sum(1, keepdims=True) * part.sum(0, keepdims=True)
            some = part > 0
            tells = float((part[some] * np.log(part[some] / alone[some])).sum())
            pairs[first, second] = tells, table
            pairs[second, first] = tells, table.T
    return pairs


def _root(at: int) -> int:
    """Return a number that is no square, another one for each attribute: a prime."""
    primes = [2]
    while len(primes) <= at:
        number = primes[-1] + 1
        while any(number % prime == 0 for prime in primes):
            number += 1
        primes.append(number)
    return primes[at]
