"""Sums of noise and many numbers at once, against masses multiplied and added one by one."""

from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from flint import ctx

from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_gaussian_accuracy import accuracy
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.law import Law
from discreet.post.fieller import Ratio, _reach, sum_half_width, sum_tail
from discreet.post.together import common_level, half_widths, level_for

GAUSSIAN, LAPLACE = DiscreteGaussian, DiscreteLaplace
ALPHAS = [Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6)]
SUMS = [
    [(GAUSSIAN(Fraction(3, 7)), 2)],
    [(GAUSSIAN(Fraction(25)), 3)],
    [(LAPLACE(Fraction(1, 2)), 4)],
    [(LAPLACE(Fraction(10)), 2)],
    [(LAPLACE(Fraction(3)), 1), (GAUSSIAN(Fraction(40)), 2)],
    [(LAPLACE(Fraction(20)), 1), (LAPLACE(Fraction(1, 3)), 3)],
]


def masses(law):
    reach = law.half_width(Fraction(1, 10**18))
    with ctx.workprec(120):
        side = [float(law.mass(k)) for k in range(reach + 1)]
    return np.array([*side[:0:-1], *side])


def missed(parts):
    """Pr[|S| > a] for a = 0, 1, ...: every mass of every sum."""
    sums = reduce(np.convolve, [masses(law) for law, count in parts for _ in range(count)])
    middle = len(sums) // 2
    sizes = np.array([sums[middle], *(2 * sums[middle + 1 :])])
    return np.append(np.cumsum(sizes[::-1])[::-1][1:], 0.0)


@pytest.mark.claim("C62")
@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
@pytest.mark.parametrize("parts", SUMS, ids=str)
def test_a_sum_has_the_half_width_that_adding_up_masses_finds(parts, alpha):
    """The least a, but for the rounding of doubles."""
    beyond = missed(parts)
    a = sum_half_width(parts, alpha)

    assert beyond[a] <= float(alpha) * (1 + 1e-9)
    assert a == 0 or beyond[a - 1] > float(alpha) * (1 - 1e-5)


@pytest.mark.claim("C62")
@pytest.mark.parametrize("many", [2, 12, 200, 5000])
def test_a_sum_of_equal_gaussians_is_that_of_their_own_convolution(many):
    """An independent way to the same number, wide noise included."""
    for sigma2 in (Fraction(25), Fraction(10**6), Fraction(10**13)):
        exact = accuracy(sigma2=sigma2, alpha=ALPHAS[1], convention="gt", releases=many)
        assert sum_half_width([(GAUSSIAN(sigma2), many)], ALPHAS[1]) == exact


@pytest.mark.claim("C62")
@pytest.mark.slow
def test_the_cost_does_not_grow_with_the_noise():
    """Noise of 2^100: with two of it the tail is (1 + x / 2) e^-x; and a sliver beside it."""
    wide, scale = LAPLACE(Fraction(2**100)), 2.0**100
    x = sum_half_width([(wide, 2)], ALPHAS[1]) / scale
    beside = sum_half_width([(LAPLACE(Fraction(10**6)), 1), (GAUSSIAN(Fraction(4)), 1)], ALPHAS[1])

    assert (1 + x / 2) * np.exp(-x) == pytest.approx(0.05, rel=1e-9)
    assert x == pytest.approx(4.1130032807)
    assert 0 <= beside - LAPLACE(Fraction(10**6)).half_width(ALPHAS[1]) <= 20


def test_the_figures_of_the_design_are_met():
    """Difference 28, twelve cells 68, ten of the seed's 89, twelve Laplace 97; none is nothing."""
    tenth = LAPLACE(Fraction(10))

    assert sum_half_width([(GAUSSIAN(Fraction(100)), 2)], ALPHAS[1]) == 28
    assert sum_half_width([(GAUSSIAN(Fraction(100)), 12)], ALPHAS[1]) == 68
    assert sum_half_width([(tenth, 10)], ALPHAS[1]) == 89
    assert sum_half_width([(tenth, 12)], ALPHAS[1]) == 97
    assert sum_half_width([], ALPHAS[1]) == 0
    assert sum_half_width([(tenth, 1), (tenth, 0)], ALPHAS[1]) == tenth.half_width(ALPHAS[1])


def test_below_any_rounding_half_widths_are_added():
    """An alpha of 10^-12 is beyond what doubles can tell: the answer is safe, and wider."""
    laws, alpha = [(GAUSSIAN(Fraction(100)), 2)], Fraction(1, 10**12)
    exact = accuracy(sigma2=Fraction(100), alpha=alpha, convention="gt", releases=2)

    assert exact <= sum_half_width(laws, alpha) <= 1.5 * exact


def test_a_tail_has_no_floor():
    """Far out the chance of a sum goes to 0, so that whoever looks for a rarer place finds one."""
    for parts in ([(GAUSSIAN(Fraction(100)), 3)], [(LAPLACE(Fraction(10)), 2)]):
        above = sum_tail(parts)
        places = [0, 20, 60, 150, 400, 1_000, 2_500, 6_000]
        chances = [above(x) for x in places]
        assert chances == sorted(chances, reverse=True)
        assert chances[-1] < 1e-80
        wide = missed(parts)
        assert all(c >= w / 2 - 1e-18 for c, w in zip(chances[:3], wide[places[:3]], strict=True))
    assert Ratio(
        [(LAPLACE(Fraction(10)), 2)], [(LAPLACE(Fraction(10)), 1)], 1.0, Fraction(1, 10**11)
    )


def test_a_law_without_a_formula_for_its_wave_adds_up_its_masses():
    """What docs/extend.md promises to new laws."""
    t = np.linspace(0, np.pi, 50)
    for law in (GAUSSIAN(Fraction(3)), LAPLACE(Fraction(2))):
        assert np.abs(Law.wave(law, t) - law.wave(t)).max() < 1e-12


@pytest.mark.claim("C63")
@pytest.mark.parametrize("many", [1, 10, 100, 1000, 100_000])
def test_all_numbers_of_one_law_hold_at_once_and_one_less_would_not(many):
    """The exact maximum: Pr[|X| <= a]^n is at least 95 %, and with a - 1 it is not."""
    for law in (GAUSSIAN(Fraction(100)), LAPLACE(Fraction(10)), GAUSSIAN(Fraction(1, 3))):
        (a,) = half_widths([(law, many)], ALPHAS[1])
        assert (1 - float(law.tail_up(a))) ** many >= 0.95
        assert a == 0 or (1 - float(law.tail_up(a - 1))) ** many < 0.95


@pytest.mark.claim("C63")
def test_many_laws_hold_at_once():
    """Their product is at least 95 %; where noise is coarse, at a higher level than N would have."""
    laws = [(GAUSSIAN(Fraction(1)), 5), (LAPLACE(Fraction(3)), 5), (GAUSSIAN(Fraction(100)), 10)]
    found = half_widths(laws, ALPHAS[1])
    held = [
        (1 - float(law.tail_up(a))) ** count for (law, count), a in zip(laws, found, strict=True)
    ]

    assert found == (3, 17, 29)
    assert 0.95 <= np.prod(held) < 0.96
    assert common_level(laws, ALPHAS[1]) > level_for(20, ALPHAS[1])


@pytest.mark.claim("C63")
def test_a_level_is_never_above_its_share():
    """(1 - t)^N is at least 1 - alpha in rationals; other intervals count as the level itself."""
    for many in (2, 7, 51):
        level = level_for(many, ALPHAS[1])
        assert (
            (1 - level) ** many >= Fraction(19, 20) > (1 - level * (1 + Fraction(1, 10**9))) ** many
        )
    assert level_for(1, ALPHAS[1]) == ALPHAS[1]
    assert (1 - common_level([], ALPHAS[1], others=9)) ** 9 >= Fraction(19, 20)


PAIRS = [
    ([(GAUSSIAN(Fraction(1)), 1)], [(GAUSSIAN(Fraction(3, 7)), 3)]),
    ([(LAPLACE(Fraction(3)), 1)], [(LAPLACE(Fraction(2)), 4)]),
    ([(LAPLACE(Fraction(1, 2)), 1)], [(GAUSSIAN(Fraction(40)), 2)]),
    ([(LAPLACE(Fraction(20)), 1)], [(LAPLACE(Fraction(1, 3)), 1)]),
]


def both(parts):
    """Every value of a sum, and its mass."""
    sums = reduce(np.convolve, [masses(law) for law, count in parts for _ in range(count)])
    return np.arange(len(sums)) - len(sums) // 2, sums


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C420")
@pytest.mark.parametrize("alpha", [Fraction(1, 5), Fraction(1, 20), Fraction(1, 10**5)], ids=str)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_a_bound_misses_with_at_most_alpha_by_every_mass(pair, alpha):
    """At nodes, between them, at 0 and far out: every value of S with every one of R."""
    ratio, (s, of_s), (r, of_r) = Ratio(*pair, 1.0, alpha), both(pair[0]), both(pair[1])
    unit = ratio._kept["unit"]
    sizes = [0.0, 0.0025, 0.0075, 0.1, 0.4975, 0.9, 1.0, 1.0025, 1.7, 3.0, 50.0, 399.0, 1e6]
    for t in [unit * size for size in sizes] + [1 / 3, 0.5, 1.0, 2.0, 3.0]:
        q = ratio.bound(t)
        beyond = np.abs(s[:, None] - t * r[None, :]) > q * (1 + 1e-12) + 1e-12
        assert of_s @ beyond @ of_r <= float(alpha) * (1 + 1e-9)
        inside = np.abs(s[:, None] - t * r[None, :]) > 0.98 * q - 1.0 - t
        assert of_s @ inside @ of_r > float(alpha) * 0.9  # and is not much wider than it must be


@pytest.mark.claim("C420")
@pytest.mark.parametrize("law", [GAUSSIAN(Fraction(3, 7)), LAPLACE(Fraction(1, 2))], ids=str)
@pytest.mark.parametrize("many", [30, 400])
def test_a_sum_of_many_stays_within_its_reach(law, many):
    """By every mass, down to chances that doubles hardly tell; and not by adding half-widths."""
    beyond = missed([(law, many)])
    for level in (Fraction(1, 20), Fraction(1, 10**6), Fraction(1, 10**12)):
        reach = _reach([(law, many)], level)
        assert beyond[min(reach, len(beyond) - 1)] <= float(level)
        assert reach < many * law.half_width(level / many)
