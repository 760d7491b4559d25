"""Gaussian losses: no curve of any noise of ours lies above what its mu^2 promises."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr, ndtri

import discreet as dp
from discreet.calculator.formulas import discrete_gaussian_calibration as single
from discreet.calculator.formulas import gaussian
from discreet.exact.enclosure import enclosed
from discreet.noise import discrete_gaussian as price
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.plans.price import Act, epsilon_alone, price_of
from discreet.privacy import gdp
from discreet.privacy.conversion import converted, rho_down, rho_of_pure

MILLIONTH = Fraction(1, 10**6)
TINY = 1e-11  # more than the rounding of all sums here


def gaussian_masses(sigma2):
    reach = math.ceil(12 * math.sqrt(sigma2)) + 3
    weights = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * sigma2))
    return weights / weights.sum()


def laplace_masses(scale):
    reach = math.ceil(34 * scale) + 3
    weights = np.exp(-np.abs(np.arange(-reach, reach + 1.0)) / scale)
    return weights / weights.sum()


def gaussian_curve(sigma2, move, epsilons):
    """The exact delta of noise on a vector, by the law of the whole number v·x on which it depends."""
    masses, law = gaussian_masses(sigma2), np.ones(1)
    for step in move:
        spread = np.zeros((len(masses) - 1) * step + 1)
        spread[::step] = masses
        law = np.convolve(law, spread)
    places = np.arange(len(law)) - len(law) // 2
    squared = sum(step * step for step in move)
    losses = (2 * places + squared) / (2 * sigma2)
    gains = -np.expm1(np.minimum(0.0, epsilons[:, None] - losses[None, :]))
    return gains @ law


def normal_curve(mu, epsilons):
    return ndtr(mu / 2 - epsilons / mu) - np.exp(epsilons + log_ndtr(-mu / 2 - epsilons / mu))


def worst(sigma2, move, mu2):
    """How far the exact delta lies above that of a mu^2, at a hundred epsilons; 0 is one of them."""
    mu = math.sqrt(mu2)
    epsilons = np.concatenate([[0.0], np.geomspace(1e-3, mu * mu / 2 + 6 * mu, 99)])
    return (gaussian_curve(sigma2, move, epsilons) - normal_curve(mu, epsilons)).max()


def moves(seed, number):
    """Variances from 0.05 to 400, and moves of one to three numbers by up to four."""
    random = np.random.default_rng(seed)
    for _ in range(number):
        sigma2 = Fraction(round(float(np.exp(random.uniform(-3, 6))) * 1000) + 1, 1000)
        yield sigma2, tuple(int(n) for n in random.integers(1, 5, random.integers(1, 4)))


@pytest.mark.claim("C73")
@pytest.mark.slow
def test_no_move_of_discrete_gaussian_noise_loses_more_than_its_mu2():
    """Theorem 2 on 1,000 variances and moves, against the exact sums."""
    for sigma2, move in moves(14, 1000):
        squared = sum(step * step for step in move)
        mu2 = DiscreteGaussian(sigma2).mu2_up(l1=sum(move), l2_squared=squared)

        assert worst(float(sigma2), move, float(mu2)) <= TINY, (sigma2, move)


@pytest.mark.claim("C73")
@pytest.mark.parametrize("sigma2", ["1/1000", "0.1", "0.324", "1", "7/3", "100", "123456"])
def test_a_move_by_1_has_exactly_that_mu2(sigma2):
    """At epsilon = 0 its delta is Pr[0], and that is 2 Phi(mu0 / 2) - 1: no smaller mu is true."""
    sigma2 = Fraction(sigma2)
    mu2 = price.mu2_of_one_up(sigma2)
    exact = float(single.delta_up(epsilon=Fraction(0), sigma2=sigma2, sensitivity=1))

    assert float(gdp.delta_up(mu2, Fraction(0))) == pytest.approx(exact, rel=1e-14)
    assert gdp.delta_up(mu2 * Fraction(999_999, 1_000_000), Fraction(0)) < exact or exact == 1


@pytest.mark.claim("C73")
def test_noise_that_is_taken_for_continuous_is_caught():
    """The checks have power: 1 / sigma2, and its first correction at sigma2 = 0.324, promise too much."""
    assert worst(1.0, (1,), 1.0) > 1e-3
    assert worst(0.324, (1,), 1 / (0.324 - 1 / 12)) > 1e-3
    assert worst(0.324, (1,), 1 / (0.324 - 0.0899)) < TINY
    assert worst(0.1, (2, 1), 5 / 0.1) > 1e-6


@pytest.mark.claim("C73")
@settings(max_examples=60)
@given(st.fractions(Fraction(1, 10**7), 60), st.integers(1, 10**6))
def test_a_calibrated_sigma2_is_the_least_of_six_digits(mu2, l2_squared):
    """It keeps the loss, and with its sixth digit one less it does not."""
    law = DiscreteGaussian.calibrated(dp.gdp(mu2=mu2), l1=1, l2_squared=l2_squared)
    step = math.floor(math.log10(l2_squared / mu2 + Fraction(9, 100))) - 5
    less = law.sigma2 - Fraction(10) ** step

    assert law.mu2_up(l1=1, l2_squared=l2_squared) <= mu2
    assert l2_squared * price.mu2_of_one_up(less) > mu2 * (1 - Fraction(1, 2**50))


def laplace_curve(scale, move, epsilons):
    """The exact delta of discrete Laplace noise on a vector, by all its values."""
    masses = laplace_masses(scale)
    here, there = np.ones(1), np.ones(1)
    for step in move:
        padded = np.pad(masses, (step, step))
        here = np.multiply.outer(here, padded).ravel()
        there = np.multiply.outer(there, np.roll(padded, step)).ravel()
    return np.array([np.maximum(0.0, here - np.exp(e) * there).sum() for e in epsilons])


@pytest.mark.claim("C73")
@pytest.mark.parametrize("scale", ["1/3", "1", "2.5"])
def test_no_move_of_discrete_laplace_noise_loses_more_than_its_mu2(scale):
    """Theorem 3, for every move by up to 4 in two numbers."""
    law = DiscreteLaplace(Fraction(scale))
    epsilons = np.linspace(0, 4 / float(law.scale), 41)
    for move in product(range(5), repeat=2):
        l1 = sum(move)
        if l1:
            mu = math.sqrt(law.mu2_up(l1=l1, l2_squared=1))
            above = laplace_curve(float(law.scale), move, epsilons) - normal_curve(mu, epsilons)
            assert above.max() <= 1e-9


@pytest.mark.slow
@pytest.mark.claim("C73")
@settings(max_examples=80)
@given(st.fractions(Fraction(1, 20), 200, max_denominator=10**4), st.integers(1, 300))
def test_the_mu2_of_discrete_laplace_noise_is_the_largest_over_all_tests(scale, l1):
    """Theorem 3 against each place where a test can be cut, in doubles."""
    law, steps = DiscreteLaplace(scale), np.arange(0, l1 + 2.0)
    tails = np.exp(-(steps + 1) / float(scale)) / (1 + math.exp(-1 / float(scale)))
    with np.errstate(divide="ignore"):
        z = -ndtri(tails)
    up = z[: l1 + 1] + np.concatenate([z[l1 - 1 :: -1], [-z[0]]])[: l1 + 1]
    mu = up[np.isfinite(up)].max() if np.isfinite(up).any() else 0.0

    mu2 = float(law.mu2_up(l1=l1, l2_squared=1))
    assert mu2 >= mu * mu * (1 - 1e-9)
    assert mu2 <= mu * mu * (1 + 1e-6) or not np.isfinite(up).all()
    assert law.mu2_up(l1=l1, l2_squared=1) <= gdp.mu2_of_pure(l1 / scale) * (1 + MILLIONTH)


@pytest.mark.slow
@pytest.mark.claim("C74")
@settings(max_examples=60)
@given(
    st.fractions(Fraction(1, 10**4), 200, max_denominator=10**6),
    st.fractions(Fraction(1, 10**15), Fraction(1, 2)),
)
def test_a_gaussian_loss_and_epsilon_with_delta_follow_from_each_other(epsilon, delta):
    """Each direction is certified, and next to the least; formulas.gaussian finds the same."""
    mu2 = gdp.mu2_down(epsilon, delta)
    back = gdp.epsilon_up(mu2, delta)
    sigma = gaussian.sigma_up(epsilon=epsilon, delta=delta, sensitivity=Fraction(1))

    assert gdp.delta_up(mu2, epsilon) <= delta
    assert gdp.delta_up(mu2 * (1 + MILLIONTH), epsilon) > delta
    assert gdp.delta_up(mu2, back) <= delta
    assert back <= epsilon * (1 + Fraction(1, 2**40))
    assert float(mu2 * sigma**2) == pytest.approx(1, rel=1e-12)
    with mpmath.workdps(50):
        mu, e = (
            mpmath.sqrt(mpmath.mpf(mu2.numerator) / mu2.denominator),
            mpmath.mpf(epsilon.numerator) / epsilon.denominator,
        )
        exact = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
        found = gdp.delta_up(mu2, epsilon)
        assert mpmath.mpf(found.numerator) / found.denominator >= exact * (
            1 - mpmath.mpf(10) ** -30
        )


@pytest.mark.claim("C74")
@pytest.mark.parametrize("power", [-4000, -300, 100, 4000])
@pytest.mark.parametrize(
    "delta", [Fraction(1, 2**4000), Fraction(999, 1000)], ids=["least", "most"]
)
def test_the_wildest_gaussian_losses_convert_too(power, delta):
    """No search goes on for ever, and what it finds keeps the promise."""
    epsilon = Fraction(2) ** power
    mu2 = gdp.mu2_down(epsilon, delta)

    assert mu2 > 0
    assert gdp.epsilon_up(mu2, delta) <= epsilon * (1 + Fraction(1, 2**20))


@pytest.mark.claim("C74")
@pytest.mark.parametrize("epsilon", ["1/1000", "1/10", "1", "5", "60"])
def test_pure_loss_is_never_more_than_its_rho_and_its_mu2(epsilon):
    """Against randomized response: its divergence at many orders, its corner, and a bit less fails."""
    epsilon = Fraction(epsilon)
    rho, mu2 = rho_of_pure(epsilon), gdp.mu2_of_pure(epsilon)
    with mpmath.workdps(60):
        e = mpmath.mpf(epsilon.numerator) / epsilon.denominator
        corner = 1 / (1 + mpmath.exp(e))
        for above in (mpmath.mpf(10) ** n for n in range(-20, 4)):
            a = 1 + above
            inside = mpmath.cosh((a - mpmath.mpf(1) / 2) * e) / mpmath.cosh(e / 2)
            assert mpmath.log(inside) / above <= a * (mpmath.mpf(rho.numerator) / rho.denominator)
        near = mpmath.log(
            mpmath.cosh((above := mpmath.mpf(10) ** -20) * e + e / 2) / mpmath.cosh(e / 2)
        )
        assert (
            near / above > (1 - mpmath.mpf(10) ** -9) * mpmath.mpf(rho.numerator) / rho.denominator
        )
        mu = mpmath.sqrt(mpmath.mpf(mu2.numerator) / mu2.denominator)
        assert mpmath.ncdf(-mu / 2) <= corner <= mpmath.ncdf(-mu / 2) * (1 + mpmath.mpf(10) ** -9)
    assert rho < epsilon**2 / 2


@pytest.mark.claim("C125")
def test_parts_of_a_pure_loss_cost_no_more_mu2_than_their_share_of_the_whole():
    """mu^2 / epsilon and rho / epsilon grow with epsilon: what groups of one unit are priced by."""
    losses = [Fraction(n, 64) ** 3 for n in range(4, 170, 7)]
    for cost in (gdp.mu2_of_pure, rho_of_pure):
        parts = [cost(epsilon) / epsilon for epsilon in losses]
        assert parts == sorted(parts)


@pytest.mark.claim("C74")
def test_gaussian_loss_converts_where_one_number_follows():
    """Pure to Gaussian, Gaussian to zCDP; never back."""
    assert converted(dp.gdp(mu2="1/4"), "zcdp") == dp.zcdp("1/8")
    assert converted(dp.pure(1), "gdp").mu2 == gdp.mu2_of_pure(Fraction(1))
    for kind in ("pure", "approx"):
        assert converted(dp.gdp(mu2=1), kind) is None
    assert converted(dp.zcdp(1), "gdp") is None
    assert converted(dp.approx(1, MILLIONTH), "gdp") is None


TARGETS = [(e, d) for e in ("0.1", "1", "3", "8") for d in ("1e-3", "1e-6", "1e-9", "1e-12")]


def planned(epsilon, delta, k):
    """The noise of one question of k groups a person, with (epsilon, delta) for all of it."""
    people = dp.table("p.csv", unit=dp.unit("id", max_rows=k), keys={"w": range(2 * k)})
    asked = dp.count_units(by="w", max_groups=k)
    return dp.plan(people, asked, spend=dp.approx(epsilon, delta))


@pytest.mark.claim("C75")
@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
@pytest.mark.parametrize("k", [1, 4, 30])
def test_noise_for_epsilon_and_delta_is_next_to_the_least(epsilon, delta, k):
    """Within 0.5 % of the exact lattice from sigma2 = 10 on, 2 % from 2 on; never above zCDP."""
    e, d = Fraction(epsilon), Fraction(delta)
    through = DiscreteGaussian.calibrated(dp.gdp(mu2=gdp.mu2_down(e, d)), l1=k, l2_squared=k)
    zcdp = k / (2 * rho_down(e, d))
    found = min(through.sigma2, zcdp)
    alone = price.narrower(e, d, moved=k, than=found)
    found = alone or found

    assert found <= zcdp
    assert enclosed(price.delta_of(e, found, moved=k), 300)[1] <= d
    if found >= 2:
        assert next_to_least(e, d, k, found)


def next_to_least(e, d, k, sigma2):
    """Say whether so little less noise loses more than (e, d), by the exact lattice curve."""
    less = sigma2 * Fraction(995 if sigma2 >= 10 else 980, 1000)
    return enclosed(price.delta_of(e, less, moved=k), 300)[0] > d


@pytest.mark.claim("C75")
@pytest.mark.slow
def test_noise_through_zcdp_alone_is_seen_to_be_too_much():
    """The planted fault of the test above: 15 % more noise than is needed."""
    e = Fraction(1)
    assert not next_to_least(e, MILLIONTH, 4, 4 / (2 * rho_down(e, MILLIONTH)))


@pytest.mark.claim("C75")
def test_a_plan_of_epsilon_and_delta_takes_the_least_noise():
    """What `discreet compare` prints for the same question (A1): sigma2 357.0, not 410.6."""
    plan = planned(1, "1e-6", 20)

    assert float(plan.laws[0].sigma2) == pytest.approx(357.0, rel=1e-3)
    assert plan.cost == dp.approx(1, "1e-6")
    assert plan.price("gdp").mu2 <= gdp.mu2_down(Fraction(1), MILLIONTH)
    assert plan.price("zcdp").rho < plan.price("gdp").mu2 / 2


@pytest.mark.claim("C75")
def test_a_vector_that_is_alone_has_its_own_curve():
    """Little noise: less than by any bound that adds up, and the price says the same."""
    plan = planned(8, "1e-6", 20)
    (law,) = plan.laws
    through = price.least_sigma2(gdp.mu2_down(Fraction(8), MILLIONTH) / 20)

    assert law.sigma2 < through * Fraction(995, 1000)
    assert plan.cost == dp.approx(8, "1e-6")
    assert "by its own exact curve" in " ".join(str(plan).split())
    two = price_of([*plan.lines[0].acts] * 2, "approx", plan.spend)
    assert two.epsilon > 8


@pytest.mark.claim("C75")
def test_the_exact_curve_is_not_asked_where_a_number_moves_further():
    """It is the curve of moves by 1."""
    law = DiscreteGaussian(Fraction(2))
    from discreet.sensitivity import Sensitivity

    assert epsilon_alone(Act(law, Sensitivity(3, 3, 1)), MILLIONTH) is not None
    assert epsilon_alone(Act(law, Sensitivity(3, 9, 3)), MILLIONTH) is None


@pytest.mark.claim("C75")
@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("sigma2", ["1/2", "3", "19"])
def test_the_epsilon_of_a_vector_alone_is_the_least(k, sigma2):
    """Its exact delta is at the target, and above it a little below."""
    sigma2 = Fraction(sigma2)
    found = price.epsilon_up(MILLIONTH, sigma2, moved=k)

    assert enclosed(price.delta_of(found, sigma2, moved=k), 200)[1] <= MILLIONTH
    less = found * (1 - MILLIONTH)
    assert enclosed(price.delta_of(less, sigma2, moved=k), 200)[0] > MILLIONTH
