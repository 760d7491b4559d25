"""Every small world of a key finder, exactly: the chance of each history of what is found.

Noise is listed, not drawn. Rounds are followed as `releases.find` walks them, over pools of the
engine: a key that is still asked for has a total whose law is a convolution, and keys are
independent given what was found and set aside before. `tests/adversarial/test_unknown_keys.py` asks that the real walk, with
noise from a script, shows what this one shows.
"""

from itertools import combinations, combinations_with_replacement, product
from math import exp, prod

import numpy as np

from discreet.engine.memory import MemoryEngine
from discreet.engine.memory_pool import MemoryPool
from discreet.schema import table, unit, unknown

KEYS = ("a", "b", "c")
UNITS = [set(found) for size in (1, 2, 3) for found in combinations(KEYS, size)]
WALKED = {}
REACH = 9  # standard deviations that are listed; what is left out is below 1e-17


def rows_of(units):
    """The rows of some units, each a set of keys; every row stands there twice."""
    return [{"who": f"u{n}", "film": key} for n, keys in units for key in sorted(keys)] * 2


def pool_of(units, finding, salt=5):
    """What the reference engine pools of numbered units."""
    declared = table(
        rows_of(units), unit=unit("who"), keys={"film": unknown(max_groups=3)}, name="films"
    )
    return MemoryEngine().pooling(declared, finding.pairs).read(salt)


def masses(sigma2):
    """The law of discrete Gaussian noise, as floats from -n to n."""
    far = int(REACH * float(sigma2) ** 0.5) + 1
    found = np.exp(-(np.arange(-far, far + 1.0) ** 2) / (2 * float(sigma2)))
    return found / found.sum()


class Known:
    """The law of a total: masses from a lowest value on."""

    def __init__(self, low, mass):
        self.low, self.mass = low, mass

    def plus(self, factor, amount, noise):
        """The law of this total and factor times (amount + noise) more."""
        wide = np.zeros(factor * (len(noise) - 1) + 1)
        wide[::factor] = noise
        low = self.low + factor * (amount - len(noise) // 2)
        return Known(low, np.convolve(self.mass, wide))

    def split(self, threshold, level):
        """The chances to reach a threshold and to miss a level, and the law of what does neither.

        What reaches the threshold is found, wherever the level is.
        """
        below, least = (
            0 if one is None else max(0, min(len(self.mass), one - self.low))
            for one in (threshold, level)
        )
        least = min(least, below)
        chances = float(self.mass[below:].sum()), float(self.mass[:least].sum())
        left = self.mass[least:below] if least < below else np.zeros(1)
        return *chances, Known(self.low + least, left)


def histories(pool, finding):
    """Each history of found keys, by round, with its chance; a key is its text.

    Which units have which keys is all that a pool is: pools of the reference engine that are equal
    in this are walked once.
    """
    if type(pool) is not MemoryPool:
        return walked(pool, finding)
    units = tuple(sorted(tuple(sorted(keys)) for keys in pool._units))
    rules = finding.thresholds, finding.levels  # which a planted fault may change
    same = units, pool._weights, finding, rules
    if same not in WALKED:
        WALKED[same] = walked(pool, finding)
    return WALKED[same]


def walked(pool, finding):
    """The same, without a look at what was walked before."""
    names = pool.names(
        frozenset(range(len(pool.noise(lambda keys: [0] * len(keys)).opened_by_the_door())))
    )
    noises = [masses(law.sigma2) for law in finding.laws]
    out, known = {}, {}

    def after(number, law, amount):
        """What a round makes of the law of one key's total: once, whatever becomes of the others."""
        same = number, id(law), amount
        if same not in known:
            factor, threshold = finding.precisions[number], finding.thresholds[number]
            made = law.plus(factor, amount, noises[number])
            known[same] = law, made.split(threshold, (*finding.levels, None)[number])
        return known[same][1]

    def walk(number, found, aside, laws, chance, before):
        if number == len(noises):
            whole = chance * prod(float(law.mass.sum()) for law in laws.values())
            out[before] = out.get(before, 0.0) + whole
            return
        sums = pool.sums(found | aside).opened_by_the_door()
        parts = {place: after(number, law, sums[place]) for place, law in laws.items()}
        for ends in product(("found", "aside", "asked"), repeat=len(parts)):
            now = {place for place, end in zip(parts, ends, strict=True) if end == "found"}
            low = {place for place, end in zip(parts, ends, strict=True) if end == "aside"}
            more = chance * prod(parts[place][0] for place in now)
            more *= prod(parts[place][1] for place in low)
            if more == 0:
                continue
            rest = {place: part[2] for place, part in parts.items() if place not in now | low}
            told = (*before, tuple(sorted(names[place] for place in now)))
            walk(number + 1, found | now, aside | low, rest, more, told)

    start = {place: Known(0, np.ones(1)) for place in range(len(names))}
    walk(0, frozenset(), frozenset(), start, 1.0, ())
    return out


def apart(one, other, epsilon):
    """The least delta at which two laws are apart by epsilon, in this direction."""
    return sum(max(0.0, p - exp(epsilon) * other.get(story, 0.0)) for story, p in one.items())


def tables(most):
    """All tables of up to so many units."""
    for size in range(most + 1):
        for chosen in combinations_with_replacement(range(len(UNITS)), size):
            yield [(number, UNITS[kind]) for number, kind in enumerate(chosen)]
