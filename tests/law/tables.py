"""Every kind of table that the samplers make, and its thresholds by a second method (mpmath).

The shipped code sums balls from one end; here each outcome's own probability is computed at many
digits from the law's formula, and the sums are taken of those.
"""

from fractions import Fraction
from functools import lru_cache

import mpmath

from discreet.noise import discrete_laplace, rejection
from discreet.noise.inversion import InversionTable

DIGITS = 120
TINY_DIGITS = 1000  # for parameters whose thresholds lie within e^-1000 of 1
SCALES = [Fraction(1, 1000), Fraction(1, 2), Fraction(10, 3), Fraction(32), Fraction(1000)]
SCALES += [Fraction(10**6), Fraction(2**100)]
SIGMA2S = [Fraction(1, 1000), Fraction(1, 2), Fraction(25), Fraction(10**4)]
SIGMA2S += [Fraction(10**6, 3), Fraction(2**200)]
LAWS = [("laplace", scale) for scale in SCALES] + [("gaussian", sigma2) for sigma2 in SIGMA2S]
NARROW = [law for law in LAWS if law[1] < 2**80]  # those whose values fit into 64 bits


def real(number):
    return mpmath.mpf(number.numerator) / number.denominator


def laplace_tables(scale):
    """Each digit's table with its outcomes' probabilities, from the law's formula."""
    tables = discrete_laplace.tables_of(scale)
    place = 0
    for i, table in enumerate(tables):
        last = i == len(tables) - 1
        count = table.law.reach + (table.law.then == "last")
        size = count // 2 if i == 0 else count
        step = real(Fraction(1 << place) / scale)
        total = 1 if last else -mpmath.expm1(-size * step)
        digit = [mpmath.exp(-x * step) * -mpmath.expm1(-step) / total for x in range(size)]
        if i == 0:
            plus = 1 / (1 + mpmath.exp(-step))
            signed = [(x, p * plus) for x, p in enumerate(digit)]
            signed += [(-1 - x, p * (1 - plus)) for x, p in enumerate(digit)]
            yield table, dict(signed)
        else:
            yield table, {x << place: p for x, p in enumerate(digit)}
        place += (size - 1).bit_length()


def gaussian_table(sigma2):
    """The strips' table with each strip's share of all weights."""
    sampler = rejection.Strips(sigma2)
    width = 1 << sampler.bits

    def weight(near):
        return mpmath.exp(-real(Fraction(near * near) / (2 * sigma2)))

    count = sampler.table.law.reach
    more = 2 * count + 40
    total = mpmath.fsum(weight(j * width + s) for j in range(more) for s in (0, 1))
    shares = {}
    for j in range(count // 2):
        shares[j * width] = weight(j * width) / total
        shares[-1 - j * width] = weight(j * width + 1) / total
    return sampler.table, shares


@lru_cache
def tables(kind, parameter):
    """The tables of a law: each one, the probabilities of its labels and the digits these have."""
    digits = TINY_DIGITS if parameter < Fraction(1, 10) else DIGITS
    with mpmath.workdps(digits):
        found = laplace_tables(parameter) if kind == "laplace" else [gaussian_table(parameter)]
        return [(table, shares, digits) for table, shares in found]


def check_thresholds(table, shares, digits):
    """Each shipped floor is floor(2^64 sum of the shares so far), with 40 digits to spare."""
    labels = [table.law.label(i) for i in range(table.law.reach)]
    everything = labels + [table.law.label(table.law.reach)] * (table.law.then == "last")
    assert sorted(everything) == sorted(shares)
    with mpmath.workdps(digits):
        so_far, spare = mpmath.mpf(0), mpmath.mpf(10) ** (40 - digits)
        for label, floor in zip(labels, table.floors, strict=True):
            so_far += shares[label]
            scaled = so_far * 2**64
            assert floor + spare < scaled < floor + 1 - spare


def check_look_up(table, entries, unknown):
    """Each of 65,536 entries: the one outcome of all reals that begin so, or open, and only then.

    Reals that begin with u lie in [u, u + 1) / 2^16; an outcome i lies in [t_(i-1), t_i).
    """
    floors, law = table.floors, table.law
    inside = {floor >> 48 for floor in floors}
    place = 0
    for u, entry in enumerate(entries.tolist()):
        while place < law.reach and floors[place] >> 48 < u:
            place += 1
        if u in inside or (place == law.reach and law.then != "last"):
            assert entry == unknown
        else:
            assert entry == law.label(place)


def rebuilt(law, floors):
    """A table with other floors: a planted fault."""
    table = InversionTable.__new__(InversionTable)
    table.law, table.floors = law, floors
    return table
