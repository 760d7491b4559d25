"""The prior that numbers show: where 0 is likely, where a few lie far out, where noise is rare."""

import numpy as np
import pytest

from discreet.post.denoise import prior
from discreet.post.denoise.brake import denoise
from discreet.post.denoise.empirical_bayes import fitted
from discreet.post.denoise.lattice import smoothing
from discreet.post.denoise.noise import Noise

LOUD = Noise("discrete_laplace", 10.0)
ZEROS = np.zeros(400)
ONE_FAR = np.where(np.arange(400) == 7, 100.0, 0.0)  # ten times the scale of the noise


def error(truth, runs):
    """Return the mean summed squared error of the posterior means, in variances of a number."""
    coins, reach, found = np.random.default_rng(53), LOUD.reach(), []
    for _ in range(runs):
        noisy = truth + coins.choice(
            np.arange(-reach, reach + 1.0), p=LOUD.mass(reach), size=truth.size
        )
        fit = fitted(noisy, LOUD)
        values = fit.start + fit.step * fit.at_places(fit.prior.answer()[0])
        found.append(np.sum((values - truth) ** 2) / LOUD.variance)
    return np.mean(found)


def test_priors_and_shares_are_probabilities():
    """Each row sums to 1, and so do the shares; none is below a thousandth."""
    places = np.random.default_rng(5).integers(0, 90, 300).astype(float)
    noise = Noise("discrete_laplace", 6.0)
    found = prior.shown(places, 30.0, 90, noise, smoothing(noise, 90))

    assert found.chances.sum(axis=1) == pytest.approx(1)
    assert found.shares.sum() == pytest.approx(1)
    assert found.shares.min() > prior._LEAST / 2
    assert found.chances.min() >= 0


def test_zeros_cost_less_than_one_number():
    """400 zeros, 40 draws: what is lost in all is below the variance of one number (about 0.5)."""
    assert error(ZEROS, 40) < 0.8


def test_a_prior_that_does_not_know_of_0_is_caught(monkeypatch):
    """The planted fault: a center is always fitted, which costs more."""
    shown = prior.shown
    monkeypatch.setattr(
        "discreet.post.denoise.empirical_bayes.shown",
        lambda places, _, cells, noise, smooth: shown(places, -1.0, cells, noise, smooth),
    )

    assert error(ZEROS, 40) > 0.8


def test_one_number_far_out_is_found():
    """Of the 50 variances that its loss would cost, on average over 40 draws less than half are."""
    assert error(ONE_FAR, 40) < 25


def test_a_prior_without_outliers_is_caught(monkeypatch):
    """The planted fault: outliers that are never far."""
    monkeypatch.setattr(prior, "_OUTLYING", 1e-3)

    assert error(ONE_FAR, 40) > 25


@pytest.mark.parametrize("how", ["auto", "empirical_bayes", "james_stein_mean", "james_stein_zero"])
def test_where_noise_is_rare_a_number_that_differs_is_kept(how):
    """999 fives and a six, and 0.09 of all numbers with any noise: the six is likelier true."""
    numbers = np.where(np.arange(1000) == 3, 6.0, 5.0)
    rare, less = Noise("discrete_laplace", 0.1), Noise("discrete_laplace", 0.5)

    assert denoise(numbers, rare, how).values.tolist() == numbers.tolist()
    assert how == "auto" or denoise(numbers, less, how).values.tolist() != numbers.tolist()
