"""Mixtures of denoisers: the weights against a search, the risk against the truth."""

import itertools

import numpy as np
import pytest
from scipy import optimize

from discreet.post.denoise import james_stein, select
from discreet.post.denoise.noise import gaussian
from discreet.post.denoise.prior import empirical_bayes
from discreet.post.denoise.select import denoise
from discreet.post.denoise.stein import Estimate
from discreet.post.denoise.trend_filter import trend_filter
from noisy import grid

NOISE = gaussian(8)
ROW, COLUMN = np.indices((24, 32)).astype(float)
HILL = 60 * np.exp(-((ROW - 8) ** 2 + (COLUMN - 8) ** 2) / 40)  # it bends
PLATEAU = 40 * ((ROW > 12) & (COLUMN > 20))  # it jumps
HILLS = (HILL + PLATEAU).ravel()
STREET = grid(*ROW.shape)


def noisy_hills(draw):
    """Return the hills, which have jumps and bends, under noise."""
    return HILLS + np.random.default_rng([41, draw]).normal(size=HILLS.size) * NOISE.sigma


def parts(noisy):
    """Return the three that a mixture is made of."""
    bent, jumping = (trend_filter(noisy, NOISE, graph=STREET, order=order) for order in (1, 0))
    return [empirical_bayes(noisy, NOISE), jumping, bent]


def risk_of(weights, found, noisy, noise):
    """Return the estimated risk of fixed weights, from its definition."""
    values = sum(weight * one.values for weight, one in zip(weights, found, strict=True))
    freedom = [one.risk - np.sum((one.values - noisy) ** 2) for one in found]  # 2 covariance - d v
    return np.sum((values - noisy) ** 2) + np.dot(weights, freedom)


@pytest.mark.parametrize("seed", range(8))
def test_no_weights_on_a_grid_have_a_lower_risk(seed):
    """Second method: all weights in steps of 1/20, by the definition of the risk."""
    coins = np.random.default_rng([43, seed])
    noisy = coins.normal(size=30) * 5
    found = [
        Estimate(str(i), noisy * coins.uniform(0, 1, 30), float(coins.uniform(100, 600)), 1.0)
        for i in range(3)
    ]
    steps = itertools.product(range(21), repeat=2)
    grid = [(a / 20, b / 20, (20 - a - b) / 20) for a, b in steps if a + b <= 20]
    mixed = james_stein.stacked(noisy, NOISE, found)
    count = mixed.name.count("+") + 1
    least = min(risk_of(weights, found, noisy, NOISE) for weights in grid)

    assert mixed.risk - 2 * (count - 1) * NOISE.variance <= least + 1e-6 * abs(least) + 1e-6


def test_the_risk_is_that_of_the_weights():
    """From its definition, and one variance of covariance for each weight that was found."""
    noisy = noisy_hills(0)
    found = parts(noisy)
    mixed = james_stein.stacked(noisy, NOISE, found)
    weights = np.linalg.lstsq(np.stack([one.values for one in found], axis=1), mixed.values)[0]
    free = np.count_nonzero(weights > 1e-6) - 1

    assert free > 0
    assert weights.sum() == pytest.approx(1)
    assert mixed.risk == pytest.approx(
        risk_of(weights, found, noisy, NOISE) + 2 * free * NOISE.variance
    )


def test_a_part_that_no_other_helps_is_taken_whole():
    """Its name, its numbers and its risk."""
    noisy = noisy_hills(0)
    good = Estimate("good", HILLS, 0.0, 1.0)
    bad = Estimate("bad", noisy + 100, HILLS.size * 1e4, 1.0)
    found = james_stein.stacked(noisy, NOISE, [bad, good])

    assert found.name == "good"
    assert found.values == pytest.approx(HILLS)
    assert found.risk == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("moved", [0.0, 1e-12, 3.0, 1e9])
def test_parts_that_are_equal_are_as_good_as_one(moved):
    """Whatever the weights: the same numbers, and weights that are weights."""
    noisy = noisy_hills(0)
    parts_alike = [Estimate(name, noisy + moved, 100.0, 1.0) for name in ("one", "other", "third")]
    found = james_stein.stacked(noisy, NOISE, parts_alike)

    assert found.values == pytest.approx(noisy + moved)
    assert found.risk >= 100 - 1e-6


def test_where_no_weights_are_found_the_least_risk_is_taken(monkeypatch):
    """A search that gave up is no reason to release what it left."""
    minimize = optimize.minimize

    def gives_up(*given, **named):
        found = minimize(*given, **named)
        found.success, found.x = False, np.full_like(found.x, np.nan)
        return found

    monkeypatch.setattr(optimize, "minimize", gives_up)
    noisy = noisy_hills(0)
    good, bad = Estimate("good", HILLS, 5.0, 1.0), Estimate("bad", noisy, 9.0, 1.0)

    assert james_stein.stacked(noisy, NOISE, [bad, good]).name == "good"


@pytest.mark.slow
def test_a_mixture_errs_less_than_each_of_its_parts():
    """Where jumps and bends both are: on average over 20 draws, by 5.4 standard errors."""
    gaps = []
    for draw in range(20):
        noisy = noisy_hills(draw)
        found = parts(noisy)
        errors = [np.sum((one.values - HILLS) ** 2) for one in found]
        mixed = james_stein.stacked(noisy, NOISE, found)
        gaps.append(np.sum((mixed.values - HILLS) ** 2) - min(errors))

    assert np.mean(gaps) < -5.4 * np.std(gaps) / np.sqrt(20)


def optimism(runs):
    """Return the mean of the estimated less the true risk, in variances of a number."""
    gaps = []
    for draw in range(runs):
        noisy = noisy_hills(draw)
        mixed = james_stein.stacked(noisy, NOISE, parts(noisy))
        more_noise = np.sum((noisy - HILLS) ** 2) - HILLS.size * NOISE.variance  # 0 on average
        lost = np.sum((mixed.values - HILLS) ** 2)
        gaps.append((mixed.risk - lost - more_noise) / NOISE.variance)
    return np.mean(gaps), 5.4 * np.std(gaps) / np.sqrt(runs)


@pytest.mark.slow
def test_the_risk_of_a_mixture_is_hardly_optimistic():
    """Too small by at most 8 % of the raw risk, as each rule that fits itself.

    False alarms, were the seeds drawn anew: 2e-5 for a bias of 8 % (Student, 20 draws).
    """
    gap, luck = optimism(20)

    assert abs(gap) < 0.08 * HILLS.size + luck


def test_auto_takes_the_mixture_where_it_is_clearly_better():
    """Named by its weights; one line of it is said as every choice is."""
    found = denoise(noisy_hills(1), NOISE, graph=STREET.ends)

    assert " + " in found.name
    assert "trend_filter_0" in found.name
    assert f"{found.name} is taken" in found.words()
    assert found.name not in {one.name for one in found.candidates}


def test_a_choice_that_never_mixes_is_caught(monkeypatch):
    """The planted fault: it errs more."""
    mixed = denoise(noisy_hills(1), NOISE, graph=STREET.ends)
    monkeypatch.setattr(select, "stacked", lambda _, __, found: found[0])
    single = denoise(noisy_hills(1), NOISE, graph=STREET.ends)

    assert " + " not in single.name
    assert np.sum((mixed.values - HILLS) ** 2) < np.sum((single.values - HILLS) ** 2)
