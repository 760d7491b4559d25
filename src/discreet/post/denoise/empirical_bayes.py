"""Empirical Bayes: the prior of the truths is fitted to the noisy numbers.

Rules of this module:
- numbers are measured in steps below the noise's spread, and counted; everything after is
  convolutions on that lattice, so that a million numbers cost what their histogram costs;
- the prior is as plain as the numbers allow (see `prior`);
- fewer than 5 numbers are kept raw, and where less than one in all is expected to have any noise:
  a number that differs from its crowd is then likelier true than noise;
- numbers beyond the lattice's most cells around the median are kept raw;
- the risk counts what the fit itself owes to the noise, by simulation at the noise
  level (see `_fitted_freedom`).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .estimate import Estimate, estimated, raw
from .lattice import smoothing
from .noise import Noise, Vector
from .prior import Prior, shown
from .signs import scrambled

_FEWEST = 5  # numbers from which a prior can be seen
_FINE = 6.0  # steps to a standard deviation of the noise
_MOST_CELLS = 1 << 18
_RUNS = 3
_RUNS_IF_RARE = 12
_RARE = 0.9  # chance of no noise, from which few stand-ins are any
_WIDE = 1 << 14  # cells from which one simulation tells enough
_MANY = 20_000  # numbers from which one simulation tells enough


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Noisy numbers on a lattice, and the prior that fits them.

    Attributes:
        start: where the first cell lies, in the numbers' unit.
        step: width of a cell.
        inside: which numbers lie on the lattice.
        places: the place of each number inside, in steps from the start.
        prior: the priors in steps, and their shares.
    """

    start: float
    step: float
    inside: NDArray[np.bool_]
    places: Vector
    prior: Prior

    def at_places(self, cells: Vector) -> Vector:
        """Return the values at the numbers' places, straight between cells."""
        return np.interp(self.places, np.arange(cells.size, dtype=float), cells)


def empirical_bayes(noisy: Vector, noise: Noise) -> Estimate:
    """Return the posterior mean of each number under the prior that all of them show.

    Fewer than 5 numbers, and numbers of which less than one is expected to have any noise, are kept
    as they are.

    Raises:
        InputError: SciPy is not installed.

    Source: Robbins 1956; Kiefer and Wolfowitz 1956; Jiang and Zhang 2009.

    Example: a crowd at 3 draws its members in; a lonely 40 is left where it is.

        >>> from discreet.post.denoise.noise import gaussian
        >>> numbers = np.array([2.0, 4.0, 3.5, 2.5, 3.0, 40.0])
        >>> empirical_bayes(numbers, gaussian(1)).values.round(1).tolist()
        [3.0, 3.0, 3.0, 3.0, 3.0, 40.0]
    """
    if noisy.size < _FEWEST or noise.rare(noisy.size):
        return raw(noisy, noise)
    fit = fitted(noisy, noise)
    means, sums = fit.prior.answer()
    values = noisy.copy()
    values[fit.inside] = fit.start + fit.step * fit.at_places(means)
    outside = noisy.size - fit.places.size
    covariance = fit.step**2 * float(fit.at_places(sums).sum()) + noise.variance * outside
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
    prior = shown(places, -start / step, cells, on_lattice, smoothing(on_lattice, cells))
    return Fitted(start, step, inside, places, prior)


def _fitted_freedom(fit: Fitted) -> float:
    """Return the covariance, in squared steps, that fitting the prior adds to a fixed prior's.

    By simulation at the noise level: truths spread as the likeliest prior is, stand-ins for the
    noise Z that look drawn, a prior fitted to their sum. What its answer f adds over the old
    prior's is sum Z f - Stein's sum of f, less the same for the old answer, which is 0 on average.
    A stand-in that leaves the lattice changes its sign. The sum is scaled by what the stand-ins
    vary less or more than the noise; where none is drawn, one stands for those to come.
    """
    old, noise = fit.prior, fit.prior.noise
    count, cells = fit.places.size, old.chances.shape[1]
    if np.ptp(fit.places) == 0:
        return noise.variance  # one value is fitted
    mass = noise.mass(noise.reach())
    runs = _RUNS_IF_RARE if mass.max() > _RARE else _RUNS
    runs = 1 if count > _MANY or cells > _WIDE else runs
    likeliest = old.chances[int(np.argmax(old.shares))]
    share, below = np.cumsum(likeliest), np.cumsum(mass)
    before = old.answer()
    total = 0.0
    for run in range(runs):
        rank = np.argsort(np.argsort(scrambled(count, 2 * run)))
        truth = np.minimum(np.searchsorted(share, (rank + 0.5) / count * share[-1]), cells - 1)
        drawn = np.searchsorted(below, _even(count, 2 * run + 1) * below[-1]) - noise.reach()
        drawn = np.where((truth + drawn >= 0) & (truth + drawn < cells), drawn, -drawn)
        held = (truth + drawn >= 0) & (truth + drawn < cells)
        truth, drawn = (truth[held], drawn[held]) if drawn[held].any() else _lonely(truth, cells)
        places = (truth + drawn).astype(float)
        after = shown(places, -fit.start / fit.step, cells, noise, old.smooth).answer()
        means, sums = (new - former for new, former in zip(after, before, strict=True))
        extra = float(drawn @ means[truth + drawn] - sums[truth + drawn].sum())
        total += extra * count / truth.size * noise.variance / float(np.mean(drawn**2.0))
    return max(0.0, total / runs)


def _even(count: int, which: int) -> Vector:
    """Return numbers between 0 and 1 that look drawn evenly and are the same for everybody."""
    return (scrambled(count, which) >> np.uint64(11)) / 2.0**53


def _lonely(truth: NDArray[np.int64], cells: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the truths, and a noise that is one step on the first of them, inward."""
    drawn = np.zeros_like(truth)
    drawn[0] = 1 if truth[0] < cells - 1 else -1
    return truth, drawn
