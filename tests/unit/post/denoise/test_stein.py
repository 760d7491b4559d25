"""Stein's identity by noise law, against sums over the whole law."""

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.post.denoise.james_stein import soft
from discreet.post.denoise.noise import Noise, gaussian, needed
from discreet.post.denoise.prior import stein_sum
from discreet.post.denoise.stein import covariance_of_soft

EXACT = [
    Noise("discrete_laplace", 0.3),
    Noise("discrete_laplace", 2.0),
    Noise("discrete_laplace", 20.0),
    Noise("discrete_gaussian", 0.05),
    Noise("discrete_gaussian", 1.0),
    Noise("discrete_gaussian", 15.0),
]
CLOSE = [Noise("discrete_gaussian", 17.0), Noise("discrete_gaussian", 400.0)]


def gaps(noise, covariance):
    """Return the largest distance of E[covariance(y)] from E[Z f(y)], in variances."""
    reach = noise.reach()
    z, mass = np.arange(-reach, reach + 1.0), noise.mass(reach)
    worst = 0.0
    for truth in (0.0, 1.0, 7.0):
        for weight in (1.0, 0.31):
            for cut in (0.0, 0.7, 2.0):
                x, size = truth + 0.37 + weight * z, cut * noise.sigma * weight
                true = mass @ (z * soft(x, size))
                gap = abs(mass @ covariance(x, size, noise, weight=weight) - true)
                worst = max(worst, gap / (noise.variance * weight))
    return worst


def as_if_gaussian(noisy, threshold, noise, *, weight):
    """The planted fault: Stein's identity of the Gaussian, whatever the law."""
    return weight * noise.variance * (np.abs(noisy) > threshold)


@pytest.mark.exhaustive
@pytest.mark.parametrize("noise", EXACT, ids=str)
def test_the_covariance_of_a_soft_threshold_is_exact_for_the_discrete_laws(noise):
    """E[sum_k s_k f(y + k)] = E[Z f(y)] for whole noise, any weight, threshold and truth."""
    assert gaps(noise, covariance_of_soft) < 1e-6
    assert gaps(noise, as_if_gaussian) > 0.01


@pytest.mark.parametrize("noise", CLOSE, ids=str)
def test_a_wide_discrete_gaussian_is_within_one_percent(noise):
    """Beyond sigma2 = 16 the half-step rule stands for the sum, within 1 % of the variance."""
    assert gaps(noise, covariance_of_soft) < 0.01


@pytest.mark.parametrize("noise", EXACT[:5], ids=str)
def test_the_covariance_of_any_function_on_the_lattice_is_exact(noise):
    """For a function of whole numbers, sum_k s_k f(y + k) averages to E[Z f(y)]."""
    reach = noise.reach()
    z, mass = np.arange(-reach, reach + 1.0), noise.mass(reach)
    cells = np.arange(-3 * reach, 3 * reach + 1.0)
    means = np.tanh(cells / (2 * noise.sigma + 1)) * 5
    slopes = 5 / np.cosh(cells / (2 * noise.sigma + 1)) ** 2 / (2 * noise.sigma + 1)
    found = stein_sum(means, slopes * noise.variance, noise)
    inner = slice(2 * reach, 4 * reach + 1)

    true = mass @ (z * means[inner])
    allowed = 2e-3 if noise.kind == "discrete_gaussian" else 1e-9
    assert mass @ found[inner] == pytest.approx(true, abs=allowed * noise.variance)


def test_variance_and_fourth_cumulant_are_those_of_the_law():
    """Against sums over the law; the Gaussian has none, the wide Laplace three variances squared."""
    for noise in EXACT:
        reach = noise.reach()
        z, mass = np.arange(-reach, reach + 1.0), noise.mass(reach)
        second, fourth = mass @ z**2, mass @ z**4

        assert noise.variance == pytest.approx(second, rel=1e-9)
        assert noise.fourth == pytest.approx(fourth - 3 * second**2, rel=1e-6, abs=1e-6 * second)
    assert gaussian(3).fourth == 0
    assert Noise("discrete_laplace", 1e6).fourth == pytest.approx(3 * (2e12) ** 2, rel=1e-6)


def test_noise_that_no_denoiser_knows_is_refused():
    """A sigma that is no size, and a library that is not there."""
    for refused in (0, float("nan")):
        with pytest.raises(InputError):
            gaussian(refused)
    with pytest.raises(InputError, match="not installed") as missing:
        needed("no_such_library")
    assert "pip install scipy PyWavelets" in str(missing.value)
