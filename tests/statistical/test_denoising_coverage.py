"""Intervals after denoising, by simulation: which hold their truths, and which do not.

Each test draws seeded noise, so that it always gives the same answer; were the seed drawn anew, it
would raise a false alarm with a chance below 1e-7 (allowances of 5.4 standard errors).
"""

from fractions import Fraction

import numpy as np
import pytest

from discreet.post.denoise.interval import average_interval, raw_interval
from discreet.post.denoise.james_stein import james_stein, soft_threshold
from discreet.post.denoise.noise import Noise, gaussian

COUNT, RUNS, ALPHA = 1000, 40, Fraction(1, 20)
PLACE = np.arange(1, COUNT + 1)
SIGNALS = {
    "dense": np.round(np.random.default_rng(3).normal(size=COUNT) * 2),
    "sparse": np.where(PLACE <= 50, 4.0, 0.0),
    "power law": np.round(1000 / PLACE),
    "constant": np.full(COUNT, 5.0),
}
LAWS = [gaussian(1), Noise("discrete_gaussian", 4.0), Noise("discrete_laplace", 1.0)]


def shares(signal, noise, interval, chosen=None):
    """Return the share of truths inside the interval in each run, over the chosen places."""
    coins, reach = np.random.default_rng(17), noise.reach()
    found = []
    for _ in range(RUNS):
        if noise.whole:
            drawn = coins.choice(np.arange(-reach, reach + 1.0), p=noise.mass(reach), size=COUNT)
        else:
            drawn = coins.normal(size=COUNT) * noise.sigma
        low, high = interval(signal + drawn, noise)
        inside = (low <= signal) & (signal <= high)
        found.append(inside.mean() if chosen is None else inside[chosen].mean())
    return np.array(found)


def check_covers(signal, noise, interval, chosen=None):
    """Refuse an interval that covers less than 95 %, beyond 5.4 standard errors of the runs."""
    found = shares(signal, noise, interval, chosen)
    count = COUNT if chosen is None else len(chosen)

    assert found.mean() > 0.95 - 5.4 * np.sqrt(0.95 * 0.05 / (count * RUNS))


def average(noisy, noise):
    """Return the ends of the average interval."""
    found = average_interval(noisy, noise, ALPHA)
    return found.low, found.high


@pytest.mark.slow
@pytest.mark.parametrize("noise", LAWS, ids=str)
@pytest.mark.parametrize("signal", SIGNALS)
def test_raw_intervals_cover_everywhere_and_the_largest_too(signal, noise):
    """95 % of all, and 95 % of the 50 largest truths, after any denoiser: they do not change."""
    truth = SIGNALS[signal]
    largest = np.argsort(-truth, kind="stable")[:50]

    check_covers(truth, noise, lambda y, law: raw_interval(y, law, ALPHA))
    check_covers(truth, noise, lambda y, law: raw_interval(y, law, ALPHA), largest)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("noise", LAWS, ids=str)
@pytest.mark.parametrize("signal", SIGNALS)
def test_average_intervals_cover_on_average_and_are_never_longer(signal, noise):
    """95 % over the vector, for dense, sparse, power-law and constant truths."""
    truth = SIGNALS[signal]
    low, high = average(truth, noise)
    raw_low, raw_high = raw_interval(truth, noise, ALPHA)

    check_covers(truth, noise, average)
    assert np.all(high - low <= raw_high - raw_low + 1e-9)


@pytest.mark.slow
def test_constant_truths_get_intervals_less_than_two_thirds_as_long():
    """The promise on average buys something where the truths are alike."""
    low, high = average(
        SIGNALS["constant"] + np.random.default_rng(1).normal(size=COUNT), gaussian(1)
    )

    assert np.all(high - low < 2 / 3 * 2 * 1.96)


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "most"), [("james_stein", 0.35), ("soft", 0.10)])
def test_the_naive_interval_around_a_denoised_number_fails(rule, most):
    """The planted fault: estimate +- 1.96 sigma covers 28 % or 4 % of the 50 largest of 1,000."""
    largest = np.arange(50)

    def naive(noisy, noise):
        rules = {
            "james_stein": lambda: james_stein(noisy, noise, toward="zero"),
            "soft": lambda: soft_threshold(noisy, noise),
        }
        values = rules[rule]().values
        return values - 1.96 * noise.sigma, values + 1.96 * noise.sigma

    assert shares(SIGNALS["sparse"], gaussian(1), naive, largest).mean() < most
    with pytest.raises(AssertionError):
        check_covers(SIGNALS["sparse"], gaussian(1), naive, largest)
