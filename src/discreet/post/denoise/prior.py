"""The prior that numbers on a lattice show: one value, a bell, one value with outliers, any shape.

Rules of this module:
- simple priors are tried at 0, at the numbers' likeliest one value and at their mean; beside them
  the likeliest of any shape (Kiefer and Wolfowitz 1956), blurred a little and more, by expectation
  and maximization, accelerated; stopping early leaves it smoother, never invalid;
- the numbers are cut into folds, and every prior is fitted again without each fold: how far it is
  believed is how likely it makes the numbers that it has not seen, so that a shape which luck made
  is not believed;
- a prior of any shape keeps the share of one number for what lies anywhere: a lonely number is then
  left where it is.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .convolution import FLOOR, Smooth, bell, mass_of, smoothing, stein_sum
from .noise import Noise, Vector

_ROUNDS = 8  # fewer where the lattice is wide
_FEWEST_ROUNDS = 4
_WORK = 1 << 20  # cells of all rows and rounds together
_ENOUGH = 1e-5  # sum of the changes of the prior's chances in a round
_LEAST = 1e-3  # share of a prior that is used
_BLURS = (0.0, 0.5, 2.0)  # standard deviations of the noise: how far any shape is blurred
_SHARP = 3.0  # by how much the logarithm of its likelihood must be higher without a blur
_OUTLYING = 8.0  # standard deviations of the noise: how far outliers lie on average
_MOST_ANYWHERE = 0.5
_NARROW = 0.3  # cells: a bell that is narrower is one value

Folds = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """Priors of the truths, and how far each is believed.

    Attributes:
        chances: for each prior one row a fit: the probability of each cell. The first fit saw all
            numbers, fit k + 1 all but those of fold k.
        shares: how much of the answer each prior gives; they sum to 1.
        noise: the noise, in cells.
        smooth: the convolution with the noise.
    """

    chances: Vector
    shares: Vector
    noise: Noise
    smooth: Smooth

    def answer(self) -> tuple[Vector, Vector]:
        """Return, for each fit, the posterior mean in each cell and its Stein sum, in cells."""
        where = np.arange(self.chances.shape[-1], dtype=float)
        density = np.maximum(self.smooth(self.chances), FLOOR)
        first = (self.chances > 0).argmax(axis=-1)[..., None]
        last = where.size - 1 - (self.chances[..., ::-1] > 0).argmax(axis=-1)[..., None]
        means = np.clip(self.smooth(self.chances * where) / density, first, last)
        squares = self.smooth(self.chances * where**2) / density
        variances = np.maximum(squares - means**2, 0)
        mean = np.tensordot(self.shares, means, axes=1)
        variance = np.tensordot(self.shares, variances, axes=1)
        rows = zip(mean, variance, strict=True)
        return mean, np.stack([stein_sum(one, around, self.noise) for one, around in rows])


def shown(places: Vector, folds: Folds, zero: float, cells: int, noise: Noise) -> Prior:
    """Return the priors that the numbers show, and their shares.

    A share is the likelihood of the numbers, each fold under the prior fitted without it.

    Args:
        places: where the numbers lie, in cells.
        folds: the fold of each, counted from 0.
        zero: where 0 lies, in cells; a prior at 0 is tried if that is among the cells.
        cells: how many there are.
        noise: of each number, in cells.

    Source: Stone 1977 (likelihood of what was left out); Yao, Vehtari, Simpson and Gelman 2018
        (pseudo Bayesian model averaging).
    """
    smooth = smoothing([mass_of(noise)], cells)
    seen = [places, *(places[folds != fold] for fold in range(int(folds.max()) + 1))]
    tried = np.stack([*_any_shape(seen, cells, noise), *_simple(seen, zero, cells, noise)])
    believed = _unseen(np.log(np.maximum(smooth(tried), FLOOR)), places, folds)
    believed[0] -= _SHARP
    shares = np.exp(believed - believed.max())
    used = shares >= _LEAST * shares.sum()
    return Prior(tried[used], shares[used] / shares[used].sum(), noise, smooth)


def _unseen(logarithms: Vector, places: Vector, folds: Folds) -> Vector:
    """Return the logarithm of each prior's likelihood, every fold under the fit without it."""
    every = [
        summed(logarithms[:, fold + 1], places[folds == fold])
        for fold in range(int(folds.max()) + 1)
    ]
    return np.asarray(np.sum(every, axis=0), dtype=float)


def summed(cells: Vector, places: Vector) -> Vector:
    """Return the sum over places of what `between` gives, which asks for no value of each.

    Example:
        >>> float(summed(np.array([0.0, 1.0, 3.0]), np.array([0.5, 2.0])))
        3.5
    """
    return np.asarray(cells @ on_cells(places, cells.shape[-1]) * places.size, dtype=float)


def between(cells: Vector, places: Vector) -> Vector:
    """Return the values of cells, along the last axis, at places, straight between cells.

    Example:
        >>> between(np.array([0.0, 1.0, 3.0]), np.array([0.5, 2.0])).tolist()
        [0.5, 3.0]
    """
    below = np.clip(np.floor(places).astype(np.int64), 0, cells.shape[-1] - 2)
    part = places - below
    return np.asarray(cells[..., below] * (1 - part) + cells[..., below + 1] * part, dtype=float)


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


def _any_shape(seen: list[Vector], cells: int, noise: Noise) -> list[Vector]:
    """Return the likeliest prior of each fit, at each blur, one number's share lying anywhere."""
    weights = np.stack([on_cells(places, cells) for places in seen])
    blurs = [blur * noise.sigma for blur in _BLURS]
    sharp = _likeliest(weights, smoothing([mass_of(noise, wider=b) for b in blurs], cells))
    found = smoothing([bell(blur) for blur in blurs], cells)(sharp)
    found /= found.sum(axis=-1, keepdims=True)
    anywhere = np.array([[min(_MOST_ANYWHERE, 1 / places.size)] for places in seen])
    return list((1 - anywhere) * found + anywhere / cells)


def _simple(seen: list[Vector], zero: float, cells: int, noise: Noise) -> list[Vector]:
    """Return the simple priors, each with a row for each fit; the last lies anywhere alike."""
    means = np.array([float(places.mean()) for places in seen])
    likeliest = means
    if noise.kind == "discrete_laplace":
        likeliest = np.array([np.partition(one, one.size // 2)[one.size // 2] for one in seen])
    shares = [1 / places.size for places in seen]
    known = [np.full(means.size, zero)] * (0 <= zero <= cells - 1)
    far = _OUTLYING * noise.sigma
    found = []
    for centers in [*known, likeliest]:
        found.append(np.stack([_one(center, cells) for center in centers]))
        pairs = zip(centers, shares, strict=True)
        found.append(np.stack([_with_outliers(c, cells, share, far) for c, share in pairs]))
    widths = _widths(noise.sigma / 4, float(seen[0].std()))
    found += [np.stack([_bell(mean, cells, width) for mean in means]) for width in widths]
    return [*found, np.full((means.size, cells), 1 / cells)]


def _one(center: float, cells: int) -> Vector:
    return on_cells(np.array([center]), cells)


def _with_outliers(center: float, cells: int, share: float, far: float) -> Vector:
    """Return one value, but for a share that lies so far from it on average, on either side."""
    away = np.exp(-np.abs(np.arange(cells) - center) / far)
    found = (1 - share) * _one(center, cells) + share / away.sum() * away
    return np.asarray(found, dtype=float)


def _widths(least: float, most: float) -> list[float]:
    """Return widths from the least to the most, two of which are a doubling; no too narrow one."""
    least = max(least, _NARROW)
    count = int(2 * math.log2(most / least)) + 1 if most > least else 0
    return [least * 2 ** (i / 2) for i in range(count)]


def _bell(middle: float, cells: int, width: float) -> Vector:
    found = np.exp(-((np.arange(cells) - middle) ** 2) / (2 * width**2))
    return np.asarray(found / found.sum(), dtype=float)


def _likeliest(weights: Vector, smooth: Smooth) -> Vector:
    """Return the priors after rounds of expectation and maximization, each one extrapolated.

    Args:
        weights: one row a fit: the share of its numbers in each cell.
        smooth: the convolution with the noise, blurred in each of the ways.

    Source: Varadhan and Roland 2008 (SQUAREM, their third step length); a round whose likelihood
        fell is taken without extrapolation.
    """
    held = weights.max(axis=0) > 0

    def better(chances: Vector) -> tuple[Vector, Vector]:
        density = np.maximum(smooth(chances), FLOOR)
        likelihood = (weights[:, held] * np.log(density[..., held])).sum(axis=-1)
        found = chances * smooth(weights / density)
        return found / found.sum(axis=-1, keepdims=True), likelihood

    prior = np.full((len(_BLURS), *weights.shape), 1 / weights.shape[-1])
    for _ in range(max(_FEWEST_ROUNDS, min(_ROUNDS, _WORK // weights.size))):
        once, _ = better(prior)
        twice, least = better(once)
        first, second = once - prior, twice - 2 * once + prior
        bend = np.linalg.norm(second, axis=-1)
        length = np.linalg.norm(first, axis=-1) / np.where(bend > 0, bend, np.inf)
        length = -np.maximum(1, length)[..., None]
        far = np.maximum(prior - 2 * length * first + length**2 * second, 0)
        third, likelihood = better(far / far.sum(axis=-1, keepdims=True))
        following = np.where((likelihood >= least)[..., None], third, twice)
        moved = float(np.abs(following - prior).sum(axis=-1).max())
        prior = following
        if moved < _ENOUGH:
            break
    return prior
