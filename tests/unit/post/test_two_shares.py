"""Differences of shares, variances and their roots: what the proof says of noise, tried on noise.

Noise is made as large as it may be while it stays within all that the proof asks of it; the interval
must then hold the true difference, whatever the truth and the direction of the noise are.
"""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post import two_shares
from discreet.post.two_shares import SHARES, STDS, VARIANCES

PART, LEVEL = 0.004, 0.05
TRUTHS, NOISES = 10, 40
LAWS = [DiscreteGaussian(Fraction(10**6)), DiscreteLaplace(Fraction(1_000))]


def chosen(kind, rng):
    """A truth of one group: the sums, its number, weights of e and of f, and its slope."""
    parts = rng.dirichlet(np.ones(2 if kind is SHARES else 3) * rng.choice([0.3, 1, 5]))
    rows = 10 ** rng.uniform(5.2, 7.5)
    if kind is SHARES:
        return rows * parts, parts[0], [np.array([1 - parts[0], -parts[0]])], 1.0
    mean = parts[2] - parts[0]
    variance = parts[0] + parts[2] - mean**2
    own = np.array([(1 + mean) ** 2, mean**2, (1 - mean) ** 2]) - variance
    number, slope = (variance**0.5, 2 * variance**0.5) if kind is STDS else (variance, 1.0)
    return rows * parts, number, [own, np.array([-1 - mean, -mean, 1 - mean])], slope


def asked(truth, widths, parts):
    """Weights on all numbers, a row for each sum of noise, and what the proof lets it be."""
    (one, _, mine, steep), (two, _, other, steeper) = truth
    draws, rows = len(one), (one.sum(), two.sum())
    ratio, zero = rows[0] / rows[1], np.zeros(draws)
    whole = rows[0] * steep / rows[1] / steeper
    count = np.concatenate([np.ones(draws), np.full(draws, -ratio)])
    forms = [(np.concatenate([mine[0], -whole * other[0]]), 1 - (6 + parts) * PART - 0.002)]
    forms += [(count, 2 * PART)]
    forms += [(np.concatenate([weights, zero]), PART) for weights in mine]
    forms += [(np.concatenate([zero, weights]), PART) for weights in other]
    forms += [*doubled(count, np.concatenate([zero, other[0]]), ratio, draws)]
    forms += [*doubled(count / ratio, np.concatenate([mine[0], zero]), 1 / ratio, draws)]
    bounds = [float(widths(part, *abs(weights)[:, None])[0]) for weights, part in forms]
    return np.stack([weights for weights, _ in forms]), np.array(bounds)


def doubled(count, own, ratio, draws):
    """Both sums of (4), by the l that the module names."""
    factor = (draws * (1 + ratio**2)) ** 0.5 / max(np.linalg.norm(own), 0.25)
    return [(count + sign * factor * own, 2 * PART) for sign in (1, -1)]


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C127")
@pytest.mark.parametrize("kind", [SHARES, VARIANCES, STDS], ids=["share", "variance", "std"])
@pytest.mark.parametrize("law", LAWS, ids=["gaussian", "laplace"])
def test_noise_within_its_bounds_never_leaves_the_interval(kind, law):
    """Of some truths: noise in the directions that move most, and in any, up to its bounds."""
    rng = np.random.default_rng(10 * kind.parts + len(law.name))
    widths, near = partial(two_shares._widths, law.continuous(), LEVEL), 0.0
    for _ in range(TRUTHS):
        truth = chosen(kind, rng), chosen(kind, rng)
        if kind is STDS and min(t[0].sum() * t[1] ** 2 for t in truth) < 200_000:
            continue  # no class is of such
        rows, bounds = asked(truth, widths, kind.parts)
        size = (NOISES, rows.shape[1])
        any_way = rng.normal(size=size) * rng.choice([0.1, 1, 10], size=size)
        some = rows[rng.integers(len(rows), size=NOISES)] * rng.normal(size=(NOISES, 1))
        noise = rng.choice([1, -1], (NOISES, 1)) * rows[0] + some * rng.choice([0, 1], (NOISES, 1))
        noise += 10.0 ** rng.uniform(-4, 0, (NOISES, 1)) * any_way
        noise *= np.min(bounds / np.maximum(abs(noise @ rows.T), 1e-300), axis=1)[:, None]
        moved = np.concatenate([truth[0][0], truth[1][0]]) + noise
        sums = [list(side.T) for side in np.split(moved, 2, axis=1)]
        low, high = two_shares._around(kind, sums, [sum(side) for side in sums], widths, PART)
        true = truth[0][1] - truth[1][1]
        assert np.all(low <= true)
        assert np.all(true <= high)
        near = max(near, float(np.max(abs(2 * true - low - high) / (high - low))))
    assert near > (0.9 if kind is STDS else 0.95)  # the noise went as far as it could


@pytest.mark.claim("C127")
@pytest.mark.parametrize("rows", [10**15, 10**17])
def test_roots_of_tiny_variances_hold_as_often_as_they_say(rows):
    """Of 300 draws 270 hold, but with a chance below one in 5,000: what is small has no floor."""
    rng, sigma, half = np.random.default_rng(7), 100, rows // 10**11
    law, each = DiscreteGaussian(Fraction(sigma**2)), 300
    sums = [half // 2, rows - 2 * (half // 2), half // 2]  # a variance of 1e-11
    sides = [
        [[n + z for z in map(int, rng.normal(0, sigma, each).round())] for n in sums] for _ in "ab"
    ]
    nothing = (np.full(each, -1.0), np.full(each, 1.0))
    low, high = two_shares.differences(*sides, nothing, (STDS, law), Fraction(1, 20))
    assert np.sum((low <= 0) & (high >= 0)) >= 270
