"""Empirical Bayes without a shape: the prior of the truths is fitted to the noisy numbers.

Rules of this module:
- numbers are measured in steps below the noise's spread, and counted; everything after is
  convolutions on that lattice, so that a million numbers cost what their histogram costs;
- the prior is the likeliest one on the lattice (Kiefer and Wolfowitz 1956), by expectation and
  maximization, accelerated; stopping early leaves it smoother, never invalid;
- numbers beyond the lattice's most cells around the median are kept raw;
- the risk counts what the fit itself owes to the noise, by simulation at the noise
  level (see `_fitted_freedom`).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .estimate import Estimate, estimated
from .lattice import FLOOR, Smooth, smoothing, stein_sum
from .noise import Noise, Vector
from .signs import scrambled, stand_in

_FINE = 6.0  # steps to a standard deviation of the noise
_MOST_CELLS = 1 << 18
_ROUNDS = 32  # fewer where the lattice is wide
_ENOUGH = 1e-7  # sum of the changes of the prior's chances in a round
_RUNS = 3
_WIDE = 1 << 14  # cells from which one simulation tells enough
_SHORT = 100  # numbers below which stand-ins for the noise are scaled to its variance
_MANY = 20_000  # numbers from which one simulation tells enough


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Noisy numbers on a lattice, and the prior that fits them.

    Attributes:
        start: where the first cell lies, in the numbers' unit.
        step: width of a cell.
        noise: the noise, in steps.
        inside: which numbers lie on the lattice.
        places: the place of each number inside, in steps from the start.
        chances: prior probability of each cell.
        smooth: the convolution with the noise.
    """

    start: float
    step: float
    noise: Noise
    inside: NDArray[np.bool_]
    places: Vector
    chances: Vector
    smooth: Smooth

    def means(self, chances: Vector | None = None) -> Vector:
        """Return the posterior mean in each cell, in steps from the start."""
        prior = self.chances if chances is None else chances
        where = np.arange(prior.size, dtype=float)
        found = self.smooth(prior * where) / np.maximum(self.smooth(prior), FLOOR)
        return np.clip(found, 0, prior.size - 1)

    def variances(self, means: Vector, chances: Vector | None = None) -> Vector:
        """Return the posterior variance in each cell, in squared steps."""
        prior = self.chances if chances is None else chances
        where = np.arange(prior.size, dtype=float)
        square = self.smooth(prior * where**2) / np.maximum(self.smooth(prior), FLOOR)
        return np.maximum(square - means**2, 0)

    def at_places(self, cells: Vector) -> Vector:
        """Return the values at the numbers' places, straight between cells."""
        return np.interp(self.places, np.arange(cells.size, dtype=float), cells)


def empirical_bayes(noisy: Vector, noise: Noise) -> Estimate:
    """Return the posterior mean of each number under the likeliest prior of all of them.

    Raises:
        InputError: SciPy is not installed.

    Source: Robbins 1956; Kiefer and Wolfowitz 1956; Jiang and Zhang 2009.

    Example: a crowd at 3 draws its members in; a lonely 40 is left where it is.

        >>> from discreet.post.denoise.noise import gaussian
        >>> numbers = np.array([2.0, 4.0, 3.5, 2.5, 3.0, 40.0])
        >>> empirical_bayes(numbers, gaussian(1)).values.round(1).tolist()
        [3.0, 3.0, 3.0, 3.0, 3.0, 40.0]
    """
    fit = fitted(noisy, noise)
    cells = fit.means()
    values = noisy.copy()
    values[fit.inside] = fit.start + fit.step * fit.at_places(cells)
    slopes = fit.at_places(stein_sum(cells, fit.variances(cells), fit.noise))
    outside = noisy.size - fit.places.size
    covariance = fit.step**2 * float(slopes.sum()) + noise.variance * outside
    covariance += fit.step**2 * _fitted_freedom(fit)
    return estimated("empirical_bayes", noisy, values, noise=noise, covariance=covariance)


def fitted(noisy: Vector, noise: Noise) -> Fitted:
    """Return the numbers on their lattice with the prior that fits them best."""
    step = noise.sigma / _FINE
    if noise.whole:
        step = max(1.0, math.floor(step))
    middle = float(np.partition(noisy, noisy.size // 2)[noisy.size // 2])
    inside = np.abs(noisy - middle) <= step * (_MOST_CELLS // 2)
    low, high = float(noisy[inside].min()), float(noisy[inside].max())
    start = step * math.floor(low / step)
    places = (noisy[inside] - start) / step
    cells = math.ceil((high - start) / step) + 1
    on_lattice = noise.on_lattice(step)
    smooth = smoothing(on_lattice, cells)
    weights = _weights(places, cells)
    chances = _likeliest(np.full(cells, 1 / cells), weights, smooth, rounds=_rounds(cells))
    return Fitted(start, step, on_lattice, inside, places, chances, smooth)


def _rounds(cells: int) -> int:
    return max(6, min(_ROUNDS, (1 << 20) // cells))


def _weights(places: Vector, cells: int) -> Vector:
    """Return the share of the numbers in each cell; one between two cells is shared out."""
    below = np.clip(np.floor(places).astype(np.int64), 0, cells - 1)
    part = np.clip(places - below, 0, 1)
    above = np.minimum(below + 1, cells - 1)
    found = np.bincount(below, weights=1 - part, minlength=cells)
    found += np.bincount(above, weights=part, minlength=cells)
    return np.asarray(found / places.size, dtype=float)


def _likeliest(prior: Vector, weights: Vector, smooth: Smooth, *, rounds: int) -> Vector:
    """Return the prior after rounds of expectation and maximization, each one extrapolated.

    Source: Varadhan and Roland 2008 (SQUAREM, their third step length); a round whose likelihood
        fell is taken without extrapolation.
    """
    held = weights > 0

    def better(chances: Vector) -> tuple[Vector, float]:
        density = np.maximum(smooth(chances), FLOOR)
        likelihood = float(weights[held] @ np.log(density[held]))
        found = chances * smooth(np.where(held, weights / density, 0))
        return found / found.sum(), likelihood

    for _ in range(rounds):
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


def _fitted_freedom(fit: Fitted) -> float:
    """Return the covariance, in squared steps, that fitting the prior adds to a fixed prior's.

    By simulation at the noise level: truths from the fitted prior, fixed stand-ins for the noise Z,
    a prior fitted to their sum. What the new prior's means f add over the old prior's is
    sum Z f - Stein's sum of f, less the same for the old means, which is 0 on average. Few
    stand-ins vary less than the noise (a single one is 0), and what they say is scaled up for it.
    """
    count, cells = fit.places.size, fit.chances.size
    runs = 1 if count > _MANY or cells > _WIDE else _RUNS
    share = np.cumsum(fit.chances)
    total = 0.0
    for run in range(runs):
        even = (np.argsort(np.argsort(scrambled(count, 2 * run))) + 0.5) / count
        truth = np.minimum(np.searchsorted(share, even * share[-1]), cells - 1)
        drawn = np.round(stand_in(fit.noise, count, 2 * run + 1))
        held = (truth + drawn >= 0) & (truth + drawn <= cells - 1)
        places, noise = (truth + drawn)[held], drawn[held]
        if not noise.any():  # a single number, or all on one cell: all of it is fitted
            total += count * fit.noise.variance
            continue
        even_prior = np.full(cells, 1 / cells)
        new = _likeliest(even_prior, _weights(places, cells), fit.smooth, rounds=_rounds(cells))
        where = places.astype(np.int64)
        extra = 0.0
        for chances, sign in ((new, 1.0), (fit.chances, -1.0)):
            means = fit.means(chances)
            sums = stein_sum(means, fit.variances(means, chances), fit.noise)
            extra += sign * float(noise @ means[where] - sums[where].sum())
        if count < _SHORT:
            extra *= fit.noise.variance / float(np.mean(noise**2))
        total += extra * count / places.size
    return max(0.0, total / runs)
