"""The laws: the samplers' parts multiply to them, and what they say of their tails is exact."""

from fractions import Fraction

import pytest
from flint import ctx

from coins import Tape
from discreet.errors import InputError
from discreet.exact.enclosure import ball, enclosed
from discreet.mechanism.discrete_gaussian import DiscreteGaussian
from discreet.mechanism.discrete_laplace import DiscreteLaplace
from discreet.mechanism.laws import LAWS, law_of
from discreet.privacy.loss import pure, zcdp

BITS = 400
SCALES = [Fraction(1, 1000), Fraction(3, 7), Fraction(1), Fraction(32), Fraction(33)]
SCALES += [Fraction(1000), Fraction(123457, 10), Fraction(10**6), Fraction(2**100)]
SIGMA2S = [Fraction(1, 1000), Fraction(3, 7), Fraction(1), Fraction(2**15), Fraction(2**15 + 1)]
SIGMA2S += [Fraction(10**6), Fraction(10**12, 7), Fraction(2**200)]
ALL = [DiscreteLaplace(scale) for scale in SCALES] + [DiscreteGaussian(s2) for s2 in SIGMA2S]
NEAR = [law for law in ALL if law.variance() < 10**5]


def same(left, right):
    """Two balls that hold one real, each narrow."""
    assert left.overlaps(right)
    assert min(left.rel_accuracy_bits(), right.rel_accuracy_bits()) > 100


@pytest.mark.slow
@pytest.mark.parametrize("law", NEAR, ids=str)
def test_tails_are_the_sums_of_masses(law):
    """Pr[Y >= k] by closed forms or series = the masses added one by one, both tails."""
    spread = int(law.variance() ** 0.5) + 1
    with ctx.workprec(BITS):
        for k in (-spread, 0, 1, spread, 4 * spread):
            added = sum((law.mass(x) for x in range(k, k + 60 * spread)), ball(Fraction(0)))
            gap = law.tail(k) - added
            rest = law.tail(k + 60 * spread)
            assert gap.overlaps(rest)
            same(law.tail(k), law.tail_below(-k))
            assert law.tail(k).log().is_finite()


@pytest.mark.parametrize("law", ALL, ids=str)
def test_half_width_is_exact_on_both_sides_of_each_tail(law):
    """alpha just above Pr[|Y| > a] gives a; just below, a + 1. No other alpha is as hard."""
    spread = int(law.variance() ** 0.5)
    for a in sorted({0, 1, spread, 3 * spread + 1}):
        bits = 300 + 4000 * (spread == 0)
        low, high = enclosed(lambda a=a: 2 * law.tail(a + 1), bits)
        if high < 1 and low > 0:
            assert law.half_width(high) == a
            assert law.half_width(low) == a + 1
            assert 0 < law.tail_up(a) - low <= low / 2**59


@pytest.mark.slow
@pytest.mark.parametrize("law", NEAR, ids=str)
def test_half_width_is_what_adding_up_masses_finds(law):
    """The least a whose mass outside is at most alpha, by brute force in rationals."""
    spread = int(law.variance() ** 0.5) + 1
    inside, a, found = Fraction(0), 0, {}
    alphas = [Fraction(9, 10), Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6)]
    while len(found) < len(alphas) and a < 30 * spread:
        inside += (1 if a == 0 else 2) * enclosed(lambda a=a: law.mass(a), 200)[0]
        for alpha in alphas:
            if 1 - inside <= alpha:
                found.setdefault(alpha, a)
        a += 1

    assert [law.half_width(alpha) for alpha in alphas] == [found[alpha] for alpha in alphas]


def test_tail_up_is_one_below_zero():
    """|Y| > -1 always."""
    assert [law.tail_up(-1) for law in ALL] == [1] * len(ALL)


@pytest.mark.slow
@pytest.mark.parametrize("law", NEAR, ids=str)
def test_variance_is_the_sum_of_squares(law):
    """The displayed float against mass-weighted squares."""
    spread = int(law.variance() ** 0.5) + 1
    with ctx.workprec(200):
        added = sum((law.mass(x) * x * x for x in range(1, 60 * spread)), ball(Fraction(0)))

    assert law.variance() == pytest.approx(float(2 * added), rel=1e-12, abs=1e-300)


def test_calibration_and_loss_are_inverse_and_exact():
    """The noise calibrated to a loss costs that loss, not one part in 10^100 more."""
    epsilon, rho = Fraction(1, 3) + Fraction(1, 10**100), Fraction(1, 50) + Fraction(1, 10**100)
    laplace = DiscreteLaplace.calibrated(pure(epsilon), l1=7, l2_squared=1)
    gaussian = DiscreteGaussian.calibrated(zcdp(rho), l1=1, l2_squared=7)

    assert laplace.loss(l1=7, l2_squared=49) == pure(epsilon)
    assert gaussian.loss(l1=7, l2_squared=7) == zcdp(rho)
    assert laplace.scale == 7 / epsilon
    assert gaussian.sigma2 == 7 / (2 * rho)


def test_one_step_of_the_vector_costs_what_the_loss_says():
    """Pure: mass ratio of neighbors is e^(1 / scale) exactly beyond the center, never more."""
    law = DiscreteLaplace(Fraction(5, 2))
    with ctx.workprec(BITS):
        for k in range(-20, 20):
            ratio = (law.mass(k) / law.mass(k + 1)).log() * ball(law.scale)
            assert ratio.overlaps(ball(Fraction(1 if k >= 0 else -1)))


def test_a_law_survives_the_ledger():
    """plain() and law_of are inverse; the names are those of LAWS."""
    assert [law_of(law.plain()) for law in ALL] == ALL
    assert all(LAWS[law.name] is type(law) for law in ALL)
    assert DiscreteLaplace(Fraction(10, 3)).plain() == {"law": "discrete_laplace", "scale": "10/3"}


@pytest.mark.parametrize(
    "make",
    [
        lambda: DiscreteLaplace(Fraction(0)),
        lambda: DiscreteLaplace(Fraction(-1)),
        lambda: DiscreteLaplace(Fraction(1, 10**9)),
        lambda: DiscreteLaplace(Fraction(2**161)),
        lambda: DiscreteLaplace("nan"),
        lambda: DiscreteGaussian(Fraction(0)),
        lambda: DiscreteGaussian(Fraction(-1)),
        lambda: DiscreteGaussian(Fraction(1, 10**9)),
        lambda: DiscreteGaussian(Fraction(2**321)),
        lambda: DiscreteLaplace.calibrated(pure(Fraction(0)), l1=1, l2_squared=1),
        lambda: DiscreteLaplace.calibrated(pure(Fraction(1)), l1=0, l2_squared=1),
        lambda: DiscreteGaussian.calibrated(zcdp(Fraction(0)), l1=1, l2_squared=1),
        lambda: DiscreteGaussian.calibrated(zcdp(Fraction(1)), l1=1, l2_squared=0),
        lambda: DiscreteLaplace(Fraction(1)).loss(l1=0, l2_squared=0),
        lambda: DiscreteLaplace(Fraction(1)).half_width(Fraction(0)),
        lambda: DiscreteGaussian(Fraction(1)).half_width(Fraction(1)),
        lambda: DiscreteLaplace(Fraction(1)).draws(-1, Tape("none")),
        lambda: DiscreteGaussian(Fraction(1)).draws(-1, Tape("none")),
        lambda: law_of({"law": "uniform"}),
        lambda: law_of({"law": "discrete_laplace", "sigma2": "1"}),
        lambda: law_of({}),
    ],
)
def test_what_cannot_be_noise_is_refused(make):
    """Zero, negative, absurd and foreign parameters raise InputError, never draw."""
    with pytest.raises(InputError):
        make()
