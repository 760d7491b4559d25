"""The prior that numbers show: where 0 is likely, where a few lie far out, where noise is rare.

Coins are seeded, so that a test always gives the same answer.
"""

import numpy as np
import pytest

from discreet.post.denoise import empirical_bayes, prior
from discreet.post.denoise.brake import denoise
from discreet.post.denoise.empirical_bayes import fitted
from discreet.post.denoise.lattice import smoothing
from discreet.post.denoise.noise import Noise
from noisy import drawn

LOUD = Noise("discrete_laplace", 10.0)
ZEROS = np.zeros(400)
ONE_FAR = np.where(np.arange(400) == 7, 100.0, 0.0)  # ten times the scale of the noise


def errors(truth, runs):
    """Return the summed squared errors of the posterior means, in variances of a number."""
    coins, found = np.random.default_rng(53), []
    for _ in range(runs):
        fit = fitted(truth + drawn(LOUD, truth.size, coins), LOUD)
        values = fit.start + fit.step * fit.at_places(fit.prior.answer()[0])
        found.append(np.sum((values - truth) ** 2) / LOUD.variance)
    return np.array(found)


def error(truth, runs):
    """Return their mean."""
    return errors(truth, runs).mean()


def ignore_zero(monkeypatch):
    """Plant the fault that a center is always fitted."""
    shown = prior.shown
    monkeypatch.setattr(
        empirical_bayes,
        "shown",
        lambda places, _, cells, noise, smooth: shown(places, -1.0, cells, noise, smooth),
    )


def ignore_outliers(monkeypatch):
    """Plant the fault that outliers are never far."""
    monkeypatch.setattr(prior, "_OUTLYING", 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "plant"), [(ZEROS, ignore_zero), (ONE_FAR, ignore_outliers)], ids=["zeros", "one far"]
)
def test_each_simple_prior_pays(truth, plant, monkeypatch):
    """The same 100 draws with and without it: what it saves is 5.4 standard errors above 0."""
    ours = errors(truth, 100)
    plant(monkeypatch)
    saved = errors(truth, 100) - ours

    assert saved.mean() > 5.4 * saved.std() / 10


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
    """400 zeros: with these coins 0.49 variances of one number in all (over 600 draws 0.77)."""
    assert error(ZEROS, 40) < 0.8


def test_a_prior_that_does_not_know_of_0_is_caught(monkeypatch):
    """The planted fault: a center is always fitted, which costs more."""
    ignore_zero(monkeypatch)

    assert error(ZEROS, 40) > 0.8


def test_one_number_far_out_is_found():
    """Of 50 variances of one number, with these coins 22 are lost (over 600 draws 23.7)."""
    assert error(ONE_FAR, 40) < 25


def test_a_prior_without_outliers_is_caught(monkeypatch):
    """The planted fault: outliers that are never far."""
    ignore_outliers(monkeypatch)

    assert error(ONE_FAR, 40) > 25


@pytest.mark.parametrize("how", ["auto", "empirical_bayes", "james_stein_mean", "james_stein_zero"])
def test_where_noise_is_rare_a_number_that_differs_is_kept(how):
    """999 fives and a six, where 0.09 numbers are expected to have any noise: it is likelier true."""
    numbers = np.where(np.arange(1000) == 3, 6.0, 5.0)
    rare, less = Noise("discrete_laplace", 0.1), Noise("discrete_laplace", 0.5)

    assert denoise(numbers, rare, how).values.tolist() == numbers.tolist()
    assert how == "auto" or denoise(numbers, less, how).values.tolist() != numbers.tolist()
