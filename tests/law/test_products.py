"""The parts of the samplers multiply to the laws, and so do those of the textbook samplers."""

from fractions import Fraction
from itertools import product
from math import isqrt

import mpmath
import numpy as np
import pytest
from flint import ctx

from coins import Script, word
from discreet.exact.enclosure import ball, enclosed
from discreet.noise import discrete_gaussian, discrete_laplace
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace

BITS = 400
SCALES = [Fraction(1, 1000), Fraction(3, 7), Fraction(1), Fraction(32), Fraction(33)]
SCALES += [Fraction(1000), Fraction(123457, 10), Fraction(10**6), Fraction(2**100)]
SIGMA2S = [Fraction(1, 1000), Fraction(3, 7), Fraction(1), Fraction(2**15), Fraction(2**15 + 1)]
SIGMA2S += [Fraction(10**6), Fraction(10**12, 7), Fraction(2**200)]


def same(left, right):
    """Two balls that hold one real, each narrow."""
    assert left.overlaps(right)
    assert min(left.rel_accuracy_bits(), right.rel_accuracy_bits()) > 100


def share(table, label):
    """What the table's own thresholds give to a label, as a ball."""
    law = table.law
    count = law.reach + (law.then == "last")
    place = next(i for i in range(count) if law.label(i) == label)
    upto = ball(Fraction(1)) if place == law.reach else law.cumulative(place + 1)[place]
    return upto - (law.cumulative(place)[place - 1] if place else 0)


def some_values(spread):
    near = [0, -1, 1, -2, 2, 3, -17]
    far = [spread // 3, -(spread // 2), spread, -spread, 2 * spread + 1, -3 * spread - 2]
    return sorted(set(near + far), key=abs)


def test_xor_of_a_sign_and_digits_is_the_law_as_an_identity_in_q():
    """For rational q: each integer is mask ^ (l + K h) once, and the product is its probability."""
    for q, size in product([Fraction(1, 2), Fraction(7, 9)], [1, 2, 8]):
        seen = set()
        for mask, low, high in product((0, -1), range(size), range(40)):
            x = mask ^ (low + size * high)
            sign = q / (1 + q) if mask else 1 / (1 + q)
            low_share = (1 - q) * q**low / (1 - q**size)
            high_share = (1 - q**size) * q ** (size * high)

            assert sign * low_share * high_share == (1 - q) / (1 + q) * q ** abs(x)
            seen.add(x)
        assert seen == set(range(-40 * size, 40 * size))


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_shipped_digits_multiply_to_discrete_laplace(scale):
    """Product of the shares that the shipped tables give to an integer's digits = its mass."""
    law, tables = DiscreteLaplace(scale), discrete_laplace.tables_of(scale)
    with ctx.workprec(BITS + 2000 * (scale < 1)):
        for x in some_values(int(scale)):
            if len(tables) == 1 and abs(x) >= 45 * scale:
                continue  # beyond the table the law starts afresh
            same(product_of_digits(tables, x), law.mass(x))


def product_of_digits(tables, x):
    """Take the integer apart as the sampler puts it together."""
    mask, rest, found, place = -(x < 0), x ^ -(x < 0), ball(Fraction(1)), 0
    for i, table in enumerate(tables):
        closed = table.law.then == "last"
        size = (table.law.reach + closed) // (1 if i else 2)
        digit = rest % size if closed else rest
        found = found * share(table, mask ^ digit if i == 0 else digit << place)
        rest = rest // size if closed else 0
        place += (size - 1).bit_length()
    return found


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("sigma2", SIGMA2S, ids=str)
def test_strip_share_times_acceptance_is_discrete_gaussian(sigma2):
    """Share of an integer's strip / width x e^(-d / 2 sigma2) is its mass, up to one constant."""
    law, sampler = DiscreteGaussian(sigma2), discrete_gaussian._strips(sigma2)
    width = 1 << sampler.bits
    with ctx.workprec(BITS + 20000 * (sigma2 < 1)):
        ratios = []
        for x in some_values(isqrt(int(sigma2))):
            mask = -(x < 0)
            place = (x ^ mask) % width
            near = abs((x ^ mask) - place ^ mask)
            d = (2 * near + place) * place
            assert near + place == abs(x)
            assert d == x * x - near * near
            if (x ^ mask) // width < sampler.table.law.reach // 2:
                kept = ball(-d / (2 * sigma2)).exp()
                ratios.append(share(sampler.table, x ^ place) * kept / law.mass(x))
        for ratio in ratios:
            same(ratio, ratios[0])


@pytest.mark.parametrize("sigma2", [s for s in SIGMA2S if s > 2**15], ids=str)
def test_acceptance_turns_at_the_floor_of_its_probability(sigma2):
    """Heights below floor(2^64 e^-x) pass, above it fail, on it the next 64 bits decide."""
    sampler = discrete_gaussian._strips(sigma2)
    width = 1 << sampler.bits
    with mpmath.workdps(120):
        for near, place in product(
            (0, width, 40 * width, 500 * width + 1), {width // 2, width - 1}
        ):
            d = (2 * near + place) * place
            chance = mpmath.exp(-mpmath.mpf(d) * sigma2.denominator / (2 * sigma2.numerator))
            floor, more = divmod(int(mpmath.floor(chance * 2**128)), 2**64)

            assert sampler.keeps(d, floor - 1, Script())
            assert not sampler.keeps(d, floor + 1, Script())
            assert sampler.keeps(d, floor, Script(word(more - 1)))
            assert not sampler.keeps(d, floor, Script(word(more + 1)))
    assert sampler.keeps(0, 2**64 - 1, Script())


@pytest.mark.parametrize("sigma2", [Fraction(2**15 + 1), Fraction(10**12, 7)], ids=str)
def test_the_float_filter_never_decides_against_the_exact_comparison(sigma2):
    """Heights at, and at 2^10 to 2^40 from, the turning point: filtered and exact agree."""
    sampler = discrete_gaussian._strips(sigma2)
    many = discrete_gaussian._many(sigma2)
    width = 1 << sampler.bits
    cases = []
    for near, place in product((0, 3 * width, 100 * width + 1, 700 * width), (1, width - 1)):
        d = (2 * near + place) * place
        low, _ = enclosed(lambda d=d: ball(-d / (2 * sigma2)).exp() * 2**64, 200)
        offsets = [sign * (1 << k) for k in range(1, 41) for sign in (-1, 1)]
        cases += [(near, place, int(low) + off, off < 0) for off in offsets]
    cases = [case for case in cases if 0 <= case[2] < 1 << 64]
    near, place, height, expected = (list(column) for column in zip(*cases, strict=True))
    rest = b"".join(word((h & ((1 << 48) - 1)) << 16) for h in height)

    kept = many._filtered(
        np.array(near, dtype=np.int64),
        np.array(place, dtype=np.int64),
        np.array([h >> 48 for h in height], dtype=np.uint16),
        Script(rest),
    )

    assert kept.tolist() == expected


@pytest.mark.parametrize("sigma2", [s for s in SIGMA2S if 2**15 < s < 2**80], ids=str)
def test_quick_acceptance_is_sure_everywhere_in_its_strip(sigma2):
    """A 16-bit height below the entry is below e^-x for the strip's farthest place."""
    sampler, many = discrete_gaussian._strips(sigma2), discrete_gaussian._many(sigma2)
    far = (1 << sampler.bits) - 1
    entries, quick = many._look.entries.tolist(), many._quick.tolist()
    for base, sure in set(zip(entries, quick, strict=True)):
        if base == many._look.unknown:
            assert sure == 0
        else:
            d = (2 * abs(base) + far) * far
            least = enclosed(lambda d=d: ball(-d / (2 * sigma2)).exp(), 128)[0]
            assert sure <= least * 2**16
            assert sure >= least * 2**16 * Fraction(9, 10)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [Fraction(3, 7), Fraction(1), Fraction(5), Fraction(25, 3)])
def test_the_textbook_laplace_walk_has_our_masses(scale):
    """CKS 2020, Algorithm 2, walked: all (U, V) to one value, the sign, and no negative zero."""
    s, t = scale.denominator, scale.numerator
    with mpmath.workdps(50):
        walk = {}
        for u, v in product(range(t), range(60 * s)):
            y = (u + t * v) // s
            p = mpmath.exp(-mpmath.mpf(u) / t) * mpmath.exp(-v) / t
            for x in {y, -y}:
                walk[x] = walk.get(x, 0) + p
        total = mpmath.fsum(walk.values())
        for x in range(-12, 13):
            low, high = enclosed(lambda x=x: DiscreteLaplace(scale).mass(x), 200)
            ours = mpmath.mpf(low.numerator) / low.denominator
            assert high - low < Fraction(1, 2**150)
            assert abs(walk[x] / total / ours - 1) < mpmath.mpf(10) ** -20


@pytest.mark.parametrize("sigma2", [Fraction(3, 7), Fraction(1), Fraction(30), Fraction(999, 10)])
def test_the_textbook_gaussian_walk_has_our_masses(sigma2):
    """CKS 2020, Algorithm 3: Laplace of scale t, kept with e^(-(|y| - sigma2 / t)^2 / 2 sigma2)."""
    t = isqrt(int(sigma2)) + 1
    with mpmath.workdps(50):
        s2 = mpmath.mpf(sigma2.numerator) / sigma2.denominator
        walk = {
            y: mpmath.exp(-mpmath.mpf(abs(y)) / t - (abs(y) - s2 / t) ** 2 / (2 * s2))
            for y in range(-400, 401)
        }
        total = mpmath.fsum(walk.values())
        for x in range(-30, 31):
            low, _ = enclosed(lambda x=x: DiscreteGaussian(sigma2).mass(x), 200)
            ours = mpmath.mpf(low.numerator) / low.denominator
            assert abs(walk[x] / total / ours - 1) < mpmath.mpf(10) ** -30
