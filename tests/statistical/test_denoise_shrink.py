"""Denoisers of a plain vector: against the exact formulas, and their risks against the truth."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.calculator.formulas import shrinkage
from discreet.post.denoise.james_stein import (
    james_stein,
    soft_sure,
    soft_threshold,
    universal_threshold,
)
from discreet.post.denoise.noise import Noise, gaussian
from discreet.post.denoise.prior import empirical_bayes
from discreet.post.denoise.wavelets import wavelets
from noisy import drawn

Y = np.array([3.0, -1.0, 0.5, 4.0, 2.0])
EXACT = [Fraction(y) for y in Y.tolist()]


def draws(noise, shape, seed):
    """Return noise; coins of tests may be seeded."""
    return drawn(noise, shape, np.random.default_rng(seed))


def test_floats_agree_with_the_exact_formulas():
    """James and Stein and the soft threshold are those of `shrinkage`, to rounding."""
    noise = gaussian(1.5)
    plain = shrinkage.james_stein_factor(EXACT, Fraction(3, 2))
    js = [(plain + Fraction(5, 3) / 100) * y for y in EXACT]  # less 1 % of the raw error
    cut = shrinkage.universal_threshold(5, Fraction(3, 2))
    soft = shrinkage.soft_threshold(EXACT, cut)

    assert james_stein(Y, noise, toward="zero").values == pytest.approx([float(v) for v in js])
    assert universal_threshold(5, noise) == pytest.approx(float(cut))
    assert soft_threshold(Y, noise).values == pytest.approx([float(v) for v in soft])
    assert soft_threshold(Y, noise).risk == pytest.approx(
        float(shrinkage.soft_threshold_sure(EXACT, Fraction(3, 2), cut))
    )


def test_short_vectors_are_left_alone_where_nothing_can_be_gained():
    """Four numbers toward zero, five toward their mean: raw; one number has no wavelets."""
    noise = gaussian(1)

    assert james_stein(Y[:4], noise, toward="zero").values.tolist() == Y[:4].tolist()
    assert james_stein(Y, noise, toward="mean").values.tolist() == Y.tolist()
    assert wavelets(Y[:1], noise).values.tolist() == [3]
    assert james_stein(np.zeros(5), noise, toward="zero").values.tolist() == [0] * 5


def test_the_fitted_prior_finds_the_two_places_where_the_truths_are():
    """900 truths at 0 and 100 at 30: the posterior mean is nearly the truth, the risk says so."""
    truth = np.repeat([0.0, 30.0], [900, 100])
    noise = Noise("discrete_laplace", 1.5)
    found = empirical_bayes(truth + draws(noise, 1000, seed=1), noise)

    assert np.mean((found.values - truth) ** 2) < 0.1 * noise.variance
    assert found.risk < 0.25 * noise.variance * 1000


def test_numbers_far_beyond_the_lattice_stay_raw():
    """One number a billion steps away neither breaks the fit nor moves."""
    found = empirical_bayes(np.concatenate([np.repeat(5.0, 20), [1e12]]), gaussian(1)).values

    assert found[-1] == 1e12
    assert found[0] == pytest.approx(5)


SIGNALS = {
    "spikes": np.repeat([8.0, 0.0], [20, 236]),
    "dense": np.round(3 * np.sin(np.arange(256.0) * 7)),
    "steps": np.repeat([0.0, 6.0, 3.0, 9.0], 64),
}
RULES = {
    "james_stein_zero": lambda y, noise: james_stein(y, noise, toward="zero"),
    "james_stein_mean": lambda y, noise: james_stein(y, noise, toward="mean"),
    "soft_universal": soft_threshold,
    "wavelets_universal": lambda y, noise: wavelets(y, noise, universal=True),
}
CHOOSING = {"soft_sure": soft_sure, "wavelets_sure": wavelets, "empirical_bayes": empirical_bayes}
LAWS = [Noise("discrete_laplace", 2.0), Noise("discrete_gaussian", 1.0), gaussian(2)]


def optimism(rule, truth, noise, runs):
    """Return the estimated less the true covariance with the noise, in variances, by run."""
    found = []
    for run in range(runs):
        drawn = draws(noise, truth.size, seed=run)
        got = rule(truth + drawn, noise)
        moved = got.values - truth - drawn
        covariance = (got.risk - moved @ moved + truth.size * noise.variance) / 2
        found.append(covariance - drawn @ (got.values - truth))
    return np.array(found) / (truth.size * noise.variance)


def check_without_bias(rule, truth, noise, *, runs=200):
    """False alarms: 1e-7 each (5.4 standard errors of a mean of 200)."""
    gap = optimism(rule, truth, noise, runs)

    assert abs(gap.mean()) < 5.4 * gap.std() / np.sqrt(runs) + 0.002


@pytest.mark.slow
@pytest.mark.parametrize("noise", LAWS, ids=str)
@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("rule", RULES)
def test_the_risk_of_a_fixed_rule_is_estimated_without_bias(rule, signal, noise):
    """For every law: the mean of the estimated covariance is the true covariance."""
    check_without_bias(RULES[rule], SIGNALS[signal], noise)


@pytest.mark.slow
def test_a_gaussian_stand_in_for_laplace_noise_is_caught():
    """The check has power: Stein's Gaussian identity is refused where the noise is Laplace."""
    laplace = Noise("discrete_laplace", 2.0)

    def lying(noisy, noise):
        return soft_threshold(noisy, Noise("gaussian", noise.variance), threshold=3)

    with pytest.raises(AssertionError):
        check_without_bias(lying, SIGNALS["dense"], laplace)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("noise", LAWS, ids=str)
@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("rule", CHOOSING)
def test_a_rule_that_fits_itself_is_hardly_optimistic(rule, signal, noise):
    """Choosing on the numbers makes the estimated risk too small by at most 8 % of the raw one."""
    gap = optimism(CHOOSING[rule], SIGNALS[signal], noise, 40)

    assert abs(2 * gap.mean()) < 0.08 + 2 * 5.4 * gap.std() / np.sqrt(40)
