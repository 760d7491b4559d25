"""Every small world of a key finder, exactly: the chance of each history of what is found.

Noise is listed, not drawn. Rounds are followed as `releases.find` walks them, over pools of the
engine: a key that is not found has a total whose law is a convolution, and keys are independent
given what was found before. `tests/adversarial/test_unknown_keys.py` asks that the real walk, with
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

    def split(self, threshold):
        """The chance to reach a threshold, and the law of what does not."""
        below = max(0, min(len(self.mass), threshold - self.low))
        return float(self.mass[below:].sum()), Known(self.low, self.mass[:below])


def histories(pool, finding):
    """Each history of found keys, by round, with its chance; a key is its text.

    Which units have which keys is all that a pool is: pools of the reference engine that are equal
    in this are walked once.
    """
    if type(pool) is not MemoryPool:
        return walked(pool, finding)
    units = tuple(sorted(tuple(sorted(keys)) for keys in pool._units))
    same = units, pool._weights, finding, finding.thresholds  # which a planted fault may change
    if same not in WALKED:
        WALKED[same] = walked(pool, finding)
    return WALKED[same]


def walked(pool, finding):
    """The same, without a look at what was walked before."""
    names = pool.names(
        frozenset(range(len(pool.noise(lambda keys: [0] * len(keys)).opened_by_the_door())))
    )
    noises = [masses(law.sigma2) for law in finding.laws]
    out = {}

    def walk(number, found, laws, chance, before):
        if number == len(noises):
            whole = chance * prod(float(law.mass.sum()) for law in laws.values())
            out[before] = out.get(before, 0.0) + whole
            return
        sums = pool.sums(found).opened_by_the_door()
        factor, threshold = finding.precisions[number], finding.thresholds[number]
        parts = {
            place: law.plus(factor, sums[place], noises[number]).split(threshold)
            for place, law in laws.items()
        }
        for shown in product((False, True), repeat=len(parts)):
            now = {place for place, yes in zip(parts, shown, strict=True) if yes}
            more = chance * prod(parts[place][0] for place in now)
            if more == 0:
                continue
            rest = {place: part[1] for place, part in parts.items() if place not in now}
            told = (*before, tuple(sorted(names[place] for place in now)))
            walk(number + 1, found | now, rest, more, told)

    start = {place: Known(0, np.ones(1)) for place in range(len(names))}
    walk(0, frozenset(), start, 1.0, ())
    return out


def apart(one, other, epsilon):
    """The least delta at which two laws are apart by epsilon, in this direction."""
    return sum(max(0.0, p - exp(epsilon) * other.get(story, 0.0)) for story, p in one.items())


def tables(most):
    """All tables of up to so many units."""
    for size in range(most + 1):
        for chosen in combinations_with_replacement(range(len(UNITS)), size):
            yield [(number, UNITS[kind]) for number, kind in enumerate(chosen)]
