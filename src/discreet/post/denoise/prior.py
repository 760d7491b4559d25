"""The prior that numbers on a lattice show: one value, a bell around it, or any shape.

Rules of this module:
- three priors are fitted: one value, a Gaussian bell around it, and the likeliest of any shape
  (Kiefer and Wolfowitz 1956), by expectation and maximization, accelerated; stopping early leaves
  that one smoother, never invalid;
- their answers are mixed by how likely they make the numbers, less what a richer one gains by luck
  alone: a shape that the numbers do not show costs nearly nothing, one that they do is used.
"""

import math
from dataclasses import dataclass

import numpy as np

from .lattice import FLOOR, Smooth, stein_sum
from .noise import Noise, Vector

_ROUNDS = 32  # fewer where the lattice is wide
_ENOUGH = 1e-7  # sum of the changes of the prior's chances in a round, or a share of a mixture
_NARROW = 0.3  # cells: a bell that is narrower is one value
_PARAMETERS = (0, 1, 3)  # a bell's width; one more value of any shape, and its chance


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
            if share > _ENOUGH:
                mean, variance = _posterior(prior, self.smooth)
                means += share * mean
                sums += share * stein_sum(mean, variance, self.noise)
        return means, sums


def shown(places: Vector, cells: int, noise: Noise, smooth: Smooth) -> Prior:
    """Return the three priors and their shares.

    A share is the root of the prior's likelihood, after half the logarithm of the count of numbers
    has been taken off the likelihood's own for each parameter more than one value has.

    Args:
        places: where the numbers lie, in cells.
        cells: how many there are.
        noise: of each number, in cells.
        smooth: the convolution with it.

    Source: Schwarz 1978 (what a parameter costs); Walker and Hjort 2001 (the root, which stays
        consistent where the fit makes the likelihood itself too sure).
    """
    weights, count = on_cells(places, cells), places.size
    held = weights > 0
    middle = float(places.mean())
    if noise.kind == "discrete_laplace":
        middle = float(np.partition(places, count // 2)[count // 2])  # its likeliest one value

    def likelihood(prior: Vector) -> float:
        density = np.maximum(smooth(prior)[held], FLOOR)
        return count * float(weights[held] @ np.log(density))

    one = on_cells(np.array([middle]), cells)
    spread = math.sqrt(float(np.mean((places - middle) ** 2)))
    widths = _widths(max(noise.sigma / 4, _NARROW), spread)
    bells = (_bell(middle, cells, width) for width in widths)
    bell = max(bells, key=likelihood, default=one)
    chances = np.stack([one, bell, _likeliest(weights, smooth)])
    found = np.array([likelihood(prior) for prior in chances])
    found -= math.log(count) / 2 * np.array(_PARAMETERS)
    shares = np.exp((found - found.max()) / 2)
    return Prior(chances, shares / shares.sum(), noise, smooth)


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
