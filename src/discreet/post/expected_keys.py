"""How many keys a finder shows of made-up pairs: its rounds, on whole columns of numbers.

Rules of this module:
- what is made up follows from a public guess, and uniform bits that are handed in;
- the rounds are those of `releases.find`; a test compares.

Decision 159.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from ..finding.finding import Finding

Numbers = Any  # numpy array of whole numbers
Noise = Callable[[int, int], Numbers]  # of a round, for so many keys

_WORD = 2.0**64
_ABOVE_ALL = 0.25  # the rank of a size that no key reaches
_SLIP = 1e-6  # so that a whole number is not rounded down to the one before
_CERTAIN = 8.0  # the most that one key takes of a unit's draws: all but one unit in 3,000 have it
_CLASSES = 3_000  # of keys that are nearly alike, at most
_ROUNDS = 200


def made_up_pairs(
    words: Numbers, *, keys: int, exponent: float, each: int
) -> tuple[Numbers, Numbers]:
    """Return distinct pairs of a unit and a key, as two columns of numbers.

    Args:
        words: `each` uniform 64-bit numbers for each unit, which choose its keys.
        keys: how many keys there are; the i-th is chosen in proportion to i^-exponent.
        exponent: of Zipf's law; 0 for keys that are alike.
        each: how many keys a unit chooses; it may choose one twice.
    """

    import numpy as np

    weights = np.arange(1, keys + 1, dtype=np.float64) ** -exponent
    places = np.searchsorted(np.cumsum(weights) / weights.sum(), words / _WORD, side="right")
    units = np.arange(words.size, dtype=np.int64) // each
    pairs = np.unique(units * keys + np.minimum(places, keys - 1))
    return pairs // keys, pairs % keys


def sizes_between(counts: Mapping[int, float], units: int) -> list[int]:
    """Return made-up numbers of units, one for each key, of which so many are at least each size.

    The odds that a unit has a key fall as a power of its rank between two sizes, and as 1 / rank
    beyond the last one: as those of words and films do, of which a few are had by nearly all.

    Args:
        counts: by size, how many keys have at least so many units: noisy numbers may be negative,
            and need not fall. They are told as numbers that do, in the middle of those that fit.
        units: how many there are: no key has more.

    Example:
        >>> sizes_between({10: 4.2, 100: 1.0}, 1_000)
        [100, 52, 22, 12]
    """
    sizes = sorted(counts)
    below = [*accumulate((max(counts[size], 0) for size in sizes), min)]
    above = [*accumulate((max(counts[size], 0) for size in reversed(sizes)), max)][::-1]
    many = [round((low + high) / 2) for low, high in zip(below, above, strict=True)]
    odds = [_odds(min(size, units), units) for size in sizes]
    numbers = [odds[-1] * many[-1] / rank for rank in range(1, many[-1] + 1)]
    bands = zip(pairwise(odds), pairwise(many), strict=True)
    for (low, high), (more, fewer) in bands:
        steps = math.log(more / max(fewer, _ABOVE_ALL)) if more else 1
        ranks = (rank - 0.5 for rank in range(fewer + 1, more + 1))
        numbers += [low * (high / low) ** (math.log(more / rank) / steps) for rank in ranks]
    return [min(units, int((units + 0.5) * odd / (1 + odd) + _SLIP)) for odd in numbers]


def _odds(size: float, units: int) -> float:
    """Return the odds that one of the units has a key of so many; a half of a unit never does."""
    return size / (units + 0.5 - size)


def pairs_of_sizes(words: Numbers, sizes: Sequence[int], units: int) -> tuple[Numbers, Numbers]:
    """Return distinct pairs of a unit and a key: each key has about so many units, any of them.

    Args:
        words: a uniform 64-bit number for each unit of each key.
        sizes: of each key.
        units: how many there are.
    """

    import numpy as np

    keys = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    chosen = np.minimum((words / _WORD * units).astype(np.int64), units - 1)
    pairs = np.unique(chosen * max(1, len(sizes)) + keys)
    return pairs // max(1, len(sizes)), pairs % max(1, len(sizes))


@dataclass(frozen=True, slots=True)
class Margins:
    """Units by how many keys each has, and keys by how readily a unit has them.

    A unit has a key with odds x y: x follows from how many keys the unit has, y is the key's. Of
    all laws with so many keys for each unit, and so many units for each key, this is the one that
    says nothing else: a large unit has the frequent keys, and its share of rare ones.

    Attributes:
        groups: pairs of a number of keys and a number of units.
        odds: y of each class of keys.
        many: how many keys there are in each class.
    """

    groups: tuple[tuple[int, int], ...]
    odds: Numbers
    many: Numbers

    @property
    def keys(self) -> int:
        """How many keys there are."""
        return int(self.many.sum())

    def draws(self) -> list[tuple[int, int, int, Numbers]]:
        """Return, for each group, its keys and units, the draws of a unit, and the weights of keys.

        A unit draws with replacement until it has its keys; it draws a few more than this takes.
        """
        import numpy as np

        draws = []
        for each, units in self.groups:
            some = min(each, self.keys)
            more = min(some + 3 * math.sqrt(some), (some + self.keys) / 2)
            x = _solved(more, lambda x: float((self.many * (1 - 1 / (1 + x * self.odds))).sum()))
            weights = np.minimum(np.log1p(x * self.odds), _CERTAIN)
            draws.append((some, units, math.ceil((weights * self.many).sum() * 1.1) + 3, weights))
        return draws

    def pairs(self, words: Callable[[int], Numbers]) -> tuple[Numbers, Numbers]:
        """Return distinct pairs of a unit and a key.

        Args:
            words: so many uniform 64-bit numbers.
        """
        import numpy as np

        firsts = np.r_[0, np.cumsum(self.many)]
        units, keys, before = [], [], 0
        for some, count, draws, weights in self.draws():
            ends = np.cumsum(weights * self.many)
            at = words(count * draws) / _WORD * ends[-1]
            kind = np.minimum(np.searchsorted(ends, at, side="right"), ends.size - 1)
            inside = ((at - np.r_[0, ends][kind]) / weights[kind]).astype(np.int64)
            key = firsts[kind] + np.clip(inside, 0, self.many[kind] - 1)
            unit = np.repeat(np.arange(count), draws)
            first = np.sort(np.unique(unit * firsts[-1] + key, return_index=True)[1])
            unit, key = unit[first], key[first]
            stays = _place(unit) < some
            units.append(unit[stays] + before)
            keys.append(key[stays])
            before += count
        return np.concatenate(units), np.concatenate(keys)


def _solved(total: float, function: Callable[[float], float]) -> float:
    """Return where a function that grows is about `total`."""
    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(math.exp(middle)) < total else (low, middle)
    return math.exp(high)


def _place(units: Numbers) -> Numbers:
    """Return of each row how many rows of the same unit stand before it; a unit's are together."""
    import numpy as np

    starts = np.flatnonzero(np.r_[True, units[1:] != units[:-1]]) if units.size else units
    return np.arange(units.size) - np.repeat(starts, np.diff(np.r_[starts, units.size]))


def margins_of_law(groups: Mapping[int, int], *, keys: int, exponent: float) -> Margins:
    """Return units of so many keys, whose odds to have the i-th key fall as i^-exponent.

    Args:
        groups: how many units have so many keys.
        keys: how many keys there are.
        exponent: of Zipf's law.
    """
    import numpy as np

    edges = np.unique(np.geomspace(1, keys + 1, _CLASSES).astype(np.int64)) - 1
    weights = np.arange(1, keys + 1, dtype=np.float64) ** -exponent
    edges, many = edges[:-1], np.diff(np.r_[edges[:-1], keys])
    return Margins(tuple(groups.items()), np.add.reduceat(weights, edges) / many, many)


def margins_of_sizes(groups: Mapping[int, int], sizes: Sequence[int], least: int) -> Margins:
    """Return units of so many keys, and keys of so many units.

    If units have more keys than `sizes` account for, the others are rarer than all of these:
    their sizes fall as 1 / rank. If they have fewer, each unit has more in proportion.

    Args:
        groups: how many units have so many keys; some unit has one.
        sizes: of each key.
        least: the size that rarer keys do not have.
    """
    import numpy as np

    each = np.array([*groups], dtype=np.float64)
    units = np.array([*groups.values()], dtype=np.float64)
    rest = max(0, int(each @ units) - sum(sizes))
    ranks = np.arange(len(sizes) + 1, min(least * len(sizes), len(sizes) + rest) + 1)
    rare = np.minimum(least - 1, least * len(sizes) // ranks)
    rare = rare[: np.searchsorted(np.cumsum(rare), rest, side="right")]
    alone = rest - int(rare.sum()) if least > 1 or not sizes else 0
    size, many = np.unique(np.r_[np.array(sizes, np.int64), rare], return_counts=True)
    if alone:
        size, many = np.r_[1, size], np.r_[alone, many]
    size, many = size[size > 0], many[size > 0]
    total = float(size @ many)
    each = np.minimum(each * total / (each @ units), 0.999 * many.sum())
    x, y = each / math.sqrt(total), size / math.sqrt(total)
    for _ in range(_ROUNDS):
        x = each / (y * many / (1 + np.outer(x, y))).sum(axis=1)
        y = size / (x * units / (1 + np.outer(y, x))).sum(axis=1)
    some = np.maximum(np.rint(each), each > 0).astype(np.int64)
    return Margins(tuple(zip(some.tolist(), units.astype(np.int64).tolist(), strict=True)), y, many)


def keys_shown(
    finding: Finding, units: Numbers, keys: Numbers, words: Numbers, noise: Noise
) -> int:
    """Return how many keys a finding shows of pairs of a unit and a key.

    Args:
        finding: how keys are looked for.
        units, keys: the pairs.
        words: a uniform 64-bit number for each pair. Of a unit with too many keys those with the
            smallest stay: any of them, as the finder chooses by a hash, and not the most frequent.
        noise: of each round.
    """

    import numpy as np

    order = np.lexsort((words, units))
    units, keys = units[order], keys[order]
    stays = _place(units) < finding.max_groups
    _, units = np.unique(units[stays], return_inverse=True)
    names, keys = np.unique(keys[stays], return_inverse=True)
    weights = np.r_[0, np.array(finding.pairs.weights, dtype=np.int64)]
    total = np.zeros(names.size, dtype=np.int64)
    is_shown, asked = np.zeros(names.size, dtype=np.bool_), np.ones(names.size, dtype=np.bool_)
    rounds = zip(finding.precisions, finding.thresholds, (*finding.levels, None), strict=True)
    for number, (precision, threshold, level) in enumerate(rounds):
        left = asked[keys]
        counts = np.bincount(units[left], minlength=1)
        added = np.bincount(keys[left], weights[counts[units[left]]], minlength=names.size)
        total += precision * (added.astype(np.int64) + noise(number, names.size))
        is_shown |= asked & (total >= threshold)
        asked &= ~is_shown
        if level is not None:
            asked &= total >= level
    return int(is_shown.sum())
