"""The prior that numbers show, how far it is believed, and the risk that is not made of it.

Coins are seeded, so that a test always gives the same answer.
"""

import numpy as np
import pytest

from discreet.post.denoise import prior
from discreet.post.denoise.noise import Noise
from discreet.post.denoise.prior import _drawn_together, fitted
from discreet.post.denoise.select import denoise
from noisy import drawn

LOUD = Noise("discrete_laplace", 10.0)
ZEROS = np.zeros(400)
ONE_FAR = np.where(np.arange(400) == 7, 100.0, 0.0)  # ten times the scale of the noise


def errors(truth, runs):
    """Return the summed squared errors of the posterior means, in variances of a number."""
    coins, found = np.random.default_rng(53), []
    for _ in range(runs):
        values = prior.empirical_bayes(truth + drawn(LOUD, truth.size, coins), LOUD).values
        found.append(np.sum((values - truth) ** 2) / LOUD.variance)
    return np.array(found)


def error(truth, runs):
    """Return their mean."""
    return errors(truth, runs).mean()


def ignore_zero(monkeypatch):
    """Plant the fault that a center is always fitted."""
    shown = prior.shown
    monkeypatch.setattr(
        prior,
        "shown",
        lambda places, folds, _, cells, noise: shown(places, folds, -1.0, cells, noise),
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
    found = prior.shown(places, np.arange(300) % 5, 30.0, 90, Noise("discrete_laplace", 6.0))

    assert found.chances.shape[1:] == (6, 90)
    assert found.chances.sum(axis=-1) == pytest.approx(1)
    assert found.shares.sum() == pytest.approx(1)
    assert found.shares.min() > prior._LEAST / 2
    assert found.chances.min() >= 0


def test_zeros_cost_less_than_one_number():
    """400 zeros: with these coins 0.79 variances of one number in all."""
    assert error(ZEROS, 40) < 1


def test_a_prior_that_does_not_know_of_0_is_caught(monkeypatch):
    """The planted fault: a center is always fitted, which costs more."""
    ignore_zero(monkeypatch)

    assert error(ZEROS, 40) > 1


def test_one_number_far_out_is_found():
    """Of 50 variances of one number, with these coins 16 are lost."""
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


NEAR = 20.0 * np.arange(60)  # two standard deviations apart: there is next to nothing to learn
LAWS = [Noise("discrete_gaussian", 100.0), Noise("discrete_laplace", 7.0), Noise("gaussian", 100.0)]
RUNS, MORE = 40, 100


def seen_alone(monkeypatch):
    """Plant the fault that a prior is believed by the numbers that it was fitted to."""
    monkeypatch.setattr(
        prior,
        "_unseen",
        lambda rows, places, _: prior.between(rows[:, 0], places).sum(axis=-1),
    )


def harm(noise):
    """Return by how much lonely numbers are farther from the truth than raw, over the raw error."""
    coins, found = np.random.default_rng(61), []
    for _ in range(RUNS):
        noisy = NEAR + drawn(noise, NEAR.size, coins)
        values = prior.empirical_bayes(noisy, noise).values
        found.append(np.mean((values - NEAR) ** 2) - np.mean((noisy - NEAR) ** 2))
    return np.array(found) / noise.variance


def check_lonely_numbers_are_left(noise):
    """At most 4 % above raw before any brake. False alarms: 1e-6 (5.6 standard errors; Student)."""
    found = harm(noise)

    assert found.mean() <= 0.04 + 5.6 * found.std() / np.sqrt(RUNS)


@pytest.mark.claim("C33")
@pytest.mark.slow
@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_a_shape_that_luck_made_is_not_believed(noise):
    """Numbers that lie two standard deviations apart show no shape, and hardly move."""
    check_lonely_numbers_are_left(noise)


@pytest.mark.claim("C33")
@pytest.mark.slow
def test_a_prior_that_is_judged_by_what_it_saw_is_caught(monkeypatch):
    """The planted fault: such a prior finds a place for each number, and errs a fifth more."""
    seen_alone(monkeypatch)

    with pytest.raises(AssertionError):
        check_lonely_numbers_are_left(LAWS[0])


def check_the_risk_is_unbiased(noise, truth):
    """The stated risk is on average the error of what each number gets from all the others.

    False alarms: 1e-6 each (5.4 standard errors; Student).
    """
    coins, gaps = np.random.default_rng(67), []
    for _ in range(MORE):
        noisy = truth + drawn(noise, truth.size, coins)
        fit = fitted(noisy, noise)
        real = np.sum((noisy + fit.answer()[1] - truth) ** 2)
        raw = np.sum((noisy - truth) ** 2) - truth.size * noise.variance
        gaps.append(prior.empirical_bayes(noisy, noise).risk - real + raw)
    gaps = np.array(gaps) / (truth.size * noise.variance)

    assert abs(gaps.mean()) <= 0.01 + 5.4 * gaps.std() / np.sqrt(MORE)


CROWD = np.round(15 * np.sin(np.arange(120) * 2.4))
SCATTERED = np.round(60 * np.sin(np.arange(35) * 2.4))  # 35 numbers over 12 standard deviations


@pytest.mark.exhaustive
@pytest.mark.claim("C33")
@pytest.mark.slow
@pytest.mark.parametrize("truth", [NEAR, CROWD, SCATTERED], ids=["lonely", "crowd", "scattered"])
@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_the_risk_is_not_made_of_the_fit(noise, truth):
    """Neither too low nor too high, where numbers lie alone and where they crowd."""
    check_the_risk_is_unbiased(noise, truth)


@pytest.mark.claim("C33")
@pytest.mark.slow
def test_a_risk_that_takes_the_fit_for_given_is_caught(monkeypatch):
    """The planted fault: Stein's identity for the prior that saw the number itself."""
    honest = prior.Prior.answer
    of_all = lambda one: [rows[[0] * len(rows)] for rows in honest(one)]  # noqa: E731
    monkeypatch.setattr(prior.Prior, "answer", of_all)

    with pytest.raises(AssertionError):
        check_the_risk_is_unbiased(LAWS[0], SCATTERED)


def test_far_apart_costs_no_more_than_apart():
    """A gap is shortened by whole cells; what lies within 6 standard deviations stays in place."""
    places = np.array([0.0, 1.25, 1e6, 1e6 + 3.5])
    near, zero = _drawn_together(places, -2.0, 48)

    assert zero == -2
    assert np.diff(near).round(6).tolist() == pytest.approx([1.25, 48.75, 3.5])


@pytest.mark.parametrize("far", [0.0, 1e3, 1e6, 1e12, 1e15])
def test_crowds_are_cleaned_alike_however_far_apart(far):
    """Two crowds of 30: the second is moved as by the same noise a thousand times as far away."""
    noise = Noise("discrete_gaussian", 25.0)
    drawn_ = drawn(noise, 60, np.random.default_rng(3))
    values = prior.empirical_bayes(np.repeat([0.0, 400 + far], 30) + drawn_, noise).values

    if far <= 1e3:  # beyond, one crowd is outside of the lattice and stays raw
        assert np.mean((values - np.repeat([0.0, 400 + far], 30)) ** 2) < 25 / 4
    assert np.isfinite(values).all()


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_the_lattice_has_a_most_size(noise, monkeypatch):
    """4,000 numbers, each ten standard deviations from the next: 16,384 cells and the margins."""
    cells = []
    shown = prior.shown
    monkeypatch.setattr(prior, "shown", lambda *given: cells.append(given[3]) or shown(*given))
    prior.empirical_bayes(100.0 * np.arange(4000), noise)

    assert 100 < cells[0] < (1 << 14) + 200
