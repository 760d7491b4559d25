"""Denoisers that stand on what only a caller knows: taken by name alone, and never by "auto".

Rules of this module:
- an order, or a prior, is a public assumption: where it is wrong, the estimate is;
- the posterior mean has a flat prior on the whole numbers from 0 on: E[theta | y] is the sum of
  F(y - j) over j >= 1, over F(y), with F the chance that the noise is at most that;
- it is tabled on a lattice of at most a fortieth of the noise's deviation. Where that is coarser
  than 1 it is an approximation, below the sum: by 1 % at y = 0 and a deviation of 3,000, by more
  below; far above 0 it is the number itself, and far below 0 it is 0.
"""

from collections.abc import Callable
from functools import lru_cache
from math import floor
from typing import Literal

import numpy as np

from .estimate import Estimate, estimated
from .known_facts import monotone
from .noise import Noise, Vector

ASSUMED, ON_LINE = ("posterior_mean",), ("isotonic_rising", "isotonic_falling")
_FINE = 40  # lattice steps in a deviation


def isotonic(noisy: Vector, noise: Noise, *, way: Literal["rising", "falling"]) -> Estimate:
    """Return the nearest numbers that never fall, or never rise.

    The covariance with Gaussian noise is one variance for each run of equal numbers.

    Source: Barlow and others 1972; of the risk, Meyer and Woodroofe 2000.

    Example:
        >>> from .noise import gaussian
        >>> isotonic(np.array([1.0, 3.0, 2.0]), gaussian(1), way="rising").values.tolist()
        [1.0, 2.5, 2.5]
    """
    values = monotone(noisy, way)
    runs = 1 + int(np.count_nonzero(np.diff(values)))
    return estimated(
        f"isotonic_{way}", noisy, values, noise=noise, covariance=runs * noise.variance
    )


def posterior_mean(noisy: Vector, noise: Noise) -> Estimate:
    """Return each number's posterior mean under a flat prior on the whole numbers from 0 on.

    Source: Bayes; of the risk, Stein's identity (`stein`).

    Example: what is below 0 is pulled up, and what is far above stays.

        >>> from .noise import gaussian
        >>> posterior_mean(np.array([-10.0, 0, 100]), gaussian(5)).values.round(1).tolist()
        [1.5, 3.7, 100.0]
    """
    step = max(1.0, floor(noise.sigma / _FINE))
    means, slopes = _tables(noise.on_lattice(step))
    reach = (means.size - 1) // 2
    lattice = np.arange(-reach, reach + 1, dtype=float)
    places = noisy / step
    inside = np.interp(places, lattice, means)
    values = np.where(places > reach, noisy, step * inside)
    covariance = noise.variance * float(np.interp(places, lattice, slopes).sum())
    return estimated("posterior_mean", noisy, values, noise=noise, covariance=covariance)


def assumed(*, ordered: bool) -> dict[str, Callable[[Vector, Noise], Estimate]]:
    """Return the rules that stand on what a caller assumes, which are never tried unasked."""
    rules: dict[str, Callable[[Vector, Noise], Estimate]] = {"posterior_mean": posterior_mean}
    if ordered:
        rules["isotonic_rising"] = lambda y, noise: isotonic(y, noise, way="rising")
        rules["isotonic_falling"] = lambda y, noise: isotonic(y, noise, way="falling")
    return rules


@lru_cache(maxsize=8)
def _tables(noise: Noise) -> tuple[Vector, Vector]:
    """Return the posterior mean at whole numbers around 0, and E[Z g] over the variance there."""
    reach = noise.reach()
    below = np.cumsum(noise.mass(reach))
    sums = np.concatenate([[0.0], np.cumsum(below)])[:-1]
    found = sums / below
    beyond = found[-1] + np.arange(1, 2 * reach + 1)
    means = np.concatenate([np.full(2 * reach, found[0]), found, beyond])
    weights = _weights(noise, reach)
    kernel = np.concatenate([-weights[::-1], [0.0], weights])
    made = np.convolve(means, kernel[::-1], mode="valid")
    away = (means.size - made.size) // 2
    middle = slice(away, means.size - away)
    at = np.arange(means.size, dtype=float)[middle] - (means.size - 1) / 2
    ends = np.arange(-2 * reach, 2 * reach + 1, dtype=float)
    slopes = np.interp(ends, at, made) / (2 * float(weights @ np.arange(1, weights.size + 1)))
    return means[reach : means.size - reach], slopes


def _weights(noise: Noise, reach: int) -> Vector:
    """Return Stein's weights s_1, s_2, ..., up to a factor.

    A Gaussian's are those of a derivative, here of the fourth order; where it is hardly wider than
    a step, only the first is left.
    """
    if noise.kind == "discrete_laplace":
        return np.asarray(np.exp(-np.arange(1, reach + 1) / noise.parameter), dtype=float)
    return np.ones(1) if noise.variance <= 1 else np.array([8.0, -1.0])
