"""The prior that numbers on a lattice show: one value, a bell, one value with outliers, any shape.

Rules of this module:
- simple priors are tried at 0, at the numbers' likeliest one value and at their mean; beside them
  the likeliest of any shape (Kiefer and Wolfowitz 1956), by expectation and maximization,
  accelerated; stopping early leaves that one smoother, never invalid;
- their answers are mixed by how likely they make the numbers, less what a richer one gains by luck
  alone: a shape that the numbers do not show costs nearly nothing, one that they do is used.
"""

import math
from dataclasses import dataclass

import numpy as np

from .lattice import FLOOR, Smooth, stein_sum
from .noise import Noise, Vector

_ROUNDS = 32  # fewer where the lattice is wide
_ENOUGH = 1e-7  # sum of the changes of the prior's chances in a round
_LEAST = 1e-3  # share of a prior that is used
_NARROW = 0.3  # cells: a bell that is narrower is one value
_OUTLYING = 8.0  # standard deviations of the noise: how far outliers lie on average
_ANY = 4  # parameters that any shape counts for: the places and the chances of two more values
_ROOT = 3  # of a likelihood, which the fit makes too sure


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """Priors of the truths, and how far each is believed.

    Attributes:
        chances: one row a prior: the probability of each cell.
        shares: how much of the answer each prior gives; they sum to 1.
        noise: the noise, in cells.
        smooth: the convolution with the noise.
    """

    chances: Vector
    shares: Vector
    noise: Noise
    smooth: Smooth

    def answer(self) -> tuple[Vector, Vector]:
        """Return the posterior mean in each cell, in cells, and Stein's sum of it."""
        means, sums = np.zeros(self.chances.shape[1]), np.zeros(self.chances.shape[1])
        for prior, share in zip(self.chances, self.shares, strict=True):
            mean, variance = _posterior(prior, self.smooth)
            means += share * mean
            sums += share * stein_sum(mean, variance, self.noise)
        return means, sums


def shown(places: Vector, zero: float, cells: int, noise: Noise, smooth: Smooth) -> Prior:
    """Return the priors that the numbers show, and their shares.

    A share is the cube root of the prior's likelihood, after half the logarithm of the count of
    numbers has been taken off the likelihood's own logarithm for each parameter.

    Args:
        places: where the numbers lie, in cells.
        zero: where 0 lies, in cells; a prior at 0 is tried if that is among the cells.
        cells: how many there are.
        noise: of each number, in cells.
        smooth: the convolution with it.

    Source: Schwarz 1978 (what a parameter costs); Walker and Hjort 2001 (a root of the likelihood
        stays consistent).
    """
    weights, count = on_cells(places, cells), places.size
    held = weights > 0

    def believed(prior: Vector, parameters: int) -> float:
        density = np.maximum(smooth(prior)[held], FLOOR)
        likelihood = count * float(weights[held] @ np.log(density))
        return (likelihood - parameters * math.log(count) / 2) / _ROOT

    tried = [*_simple(places, zero, cells, noise), (_likeliest(weights, smooth), _ANY)]
    found = np.array([believed(prior, parameters) for prior, parameters in tried])
    shares = np.exp(found - found.max())
    used = shares >= _LEAST * shares.sum()
    chances = np.stack([prior for (prior, _), use in zip(tried, used, strict=True) if use])
    return Prior(chances, shares[used] / shares[used].sum(), noise, smooth)


def on_cells(places: Vector, cells: int) -> Vector:
    """Return the share of the numbers in each cell; one between two cells is shared out.

    Example:
        >>> on_cells(np.array([0.0, 1.5]), 3).tolist()
        [0.5, 0.25, 0.25]
    """
    below = np.clip(np.floor(places).astype(np.int64), 0, cells - 1)
    part = np.clip(places - below, 0, 1)
    above = np.minimum(below + 1, cells - 1)
    found = np.bincount(below, weights=1 - part, minlength=cells)
    found += np.bincount(above, weights=part, minlength=cells)
    return np.asarray(found / places.size, dtype=float)


def _simple(places: Vector, zero: float, cells: int, noise: Noise) -> list[tuple[Vector, int]]:
    """Return the simple priors, and how many parameters each has: 0 is given, a center is found."""
    mean, count = float(places.mean()), places.size
    likeliest = mean
    if noise.kind == "discrete_laplace":
        likeliest = float(np.partition(places, count // 2)[count // 2])
    known = [(zero, 0)] * (0 <= zero <= cells - 1)
    found = [(_one(center, cells), parameters) for center, parameters in [*known, (mean, 1)]]
    if likeliest != mean:
        found.append((_one(likeliest, cells), 1))
    far = _OUTLYING * noise.sigma
    for center, parameters in [*known, (likeliest, 1)]:
        found.append((_with_outliers(center, cells, 1 / count, far), parameters))
    spread = math.sqrt(float(np.mean((places - mean) ** 2)))
    widths = _widths(max(noise.sigma / 4, _NARROW), spread)
    return found + [(_bell(mean, cells, width), 1) for width in widths]


def _one(center: float, cells: int) -> Vector:
    return on_cells(np.array([center]), cells)


def _with_outliers(center: float, cells: int, share: float, far: float) -> Vector:
    """Return one value, but for a share that lies so far from it on average, on either side."""
    away = np.exp(-np.abs(np.arange(cells) - center) / far)
    found = (1 - share) * _one(center, cells) + share / away.sum() * away
    return np.asarray(found, dtype=float)


def _posterior(prior: Vector, smooth: Smooth) -> tuple[Vector, Vector]:
    """Return the posterior mean and variance in each cell."""
    where = np.arange(prior.size, dtype=float)
    density = np.maximum(smooth(prior), FLOOR)
    some = np.flatnonzero(prior)
    mean = np.clip(smooth(prior * where) / density, some[0], some[-1])
    return mean, np.maximum(smooth(prior * where**2) / density - mean**2, 0)


def _widths(least: float, most: float) -> list[float]:
    """Return widths from the least to the most, two of which are a doubling."""
    count = int(2 * math.log2(most / least)) + 1 if most > least else 0
    return [least * 2 ** (i / 2) for i in range(count)]


def _bell(middle: float, cells: int, width: float) -> Vector:
    found = np.exp(-((np.arange(cells) - middle) ** 2) / (2 * width**2))
    return np.asarray(found / found.sum(), dtype=float)


def _likeliest(weights: Vector, smooth: Smooth) -> Vector:
    """Return the prior after rounds of expectation and maximization, each one extrapolated.

    Source: Varadhan and Roland 2008 (SQUAREM, their third step length); a round whose likelihood
        fell is taken without extrapolation.
    """
    held, cells = weights > 0, weights.size

    def better(chances: Vector) -> tuple[Vector, float]:
        density = np.maximum(smooth(chances), FLOOR)
        likelihood = float(weights[held] @ np.log(density[held]))
        found = chances * smooth(np.where(held, weights / density, 0))
        return found / found.sum(), likelihood

    prior = np.full(cells, 1 / cells)
    for _ in range(max(6, min(_ROUNDS, (1 << 20) // cells))):
        once, _ = better(prior)
        twice, _ = better(once)
        first, second = once - prior, twice - 2 * once + prior
        bend = float(np.linalg.norm(second))
        length = -max(1.0, float(np.linalg.norm(first)) / bend) if bend else -1.0
        far = np.maximum(prior - 2 * length * first + length**2 * second, 0)
        third, likelihood = better(far / far.sum())
        plain, least = better(twice)
        following = third if likelihood >= least else plain
        moved = float(np.abs(following - prior).sum())
        prior = following
        if moved < _ENOUGH:
            break
    return prior
