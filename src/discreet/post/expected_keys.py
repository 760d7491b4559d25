"""How many keys a finder shows of made-up pairs: its rounds, on whole columns of numbers.

Rules of this module:
- what is made up follows from a public guess, and uniform bits that are handed in;
- the rounds are those of `releases.find`; a test compares.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from ..finding.finding import Finding

Numbers = Any  # numpy array of whole numbers
Noise = Callable[[int, int], Numbers]  # of a round, for so many keys

_WORD = 2.0**64


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

    Between two sizes they are as far apart as in a geometric row; beyond the last one they fall as
    1 / rank does, as those of words and films do.

    Args:
        counts: by size, how many keys have at least so many units: noisy numbers may be negative,
            and need not fall. They are told as numbers that do, in the middle of those that fit.
        units: how many there are: no key has more.

    Example:
        >>> sizes_between({10: 4.2, 100: 1.0}, 1_000)
        [100, 14, 31, 68]
    """
    sizes = sorted(counts)
    below = [*accumulate((max(counts[size], 0) for size in sizes), min)]
    above = [*accumulate((max(counts[size], 0) for size in reversed(sizes)), max)][::-1]
    many = [round((low + high) / 2) for low, high in zip(below, above, strict=True)]
    numbers = [sizes[-1] * many[-1] / rank for rank in range(1, many[-1] + 1)]
    bands = zip(pairwise(sizes), pairwise(many), strict=True)
    for (low, high), (more, fewer) in bands:
        places = range(more - fewer)
        numbers += [low * (high / low) ** ((place + 0.5) / len(places)) for place in places]
    return [min(units, int(number)) for number in numbers]


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
    starts = np.flatnonzero(np.r_[True, units[1:] != units[:-1]]) if units.size else units
    place = np.arange(units.size) - np.repeat(starts, np.diff(np.r_[starts, units.size]))
    stays = place < finding.max_groups
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
