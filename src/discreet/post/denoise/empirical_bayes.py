"""Empirical Bayes: the prior of the truths is fitted to the noisy numbers.

Rules of this module:
- numbers are measured in steps below the noise's spread, and counted; everything after is
  convolutions on that lattice, so that a million numbers cost what their histogram costs; a gap
  that no noise bridges is shortened, so that far apart costs no more than apart;
- the prior is as plain as the numbers allow (see `prior`);
- the risk is not made of the fit: it is that of the answer that each number gets from a prior
  fitted without its fold, where Stein's identity is exact, because the noise of a number is
  independent of all the others; what a fit gains by having seen the number itself is not counted;
- fewer than 5 numbers are kept raw, and where less than one in all is expected to have any noise:
  a number that differs from its crowd is then likelier true than noise;
- numbers beyond the lattice's most cells around the median are kept raw.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .estimate import Estimate, estimated, raw
from .noise import Noise, Vector
from .prior import Folds, Prior, between, shown, summed
from .pseudorandom import scrambled

_FEWEST = 5  # numbers from which a prior can be seen
_FINE = 4.0  # steps to a standard deviation of the noise
_MOST_CELLS = 1 << 14
_FOLDS = 5
_PAD = 6.0  # standard deviations of the noise, by which the lattice is wider than the numbers
_GAP = 12.0  # standard deviations of the noise, to which wider gaps are shortened


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Noisy numbers on a lattice, and the prior that fits them.

    Attributes:
        step: width of a cell.
        worth: what a squared step counts for: the noise's variance over the lattice law's, which
            is the step squared but for what a wide law loses in coarse steps.
        inside: which numbers lie on the lattice.
        places: the place of each number inside, in steps.
        folds: the fold of each.
        prior: the priors in steps, and their shares.
    """

    step: float
    worth: float
    inside: NDArray[np.bool_]
    places: Vector
    folds: Folds
    prior: Prior

    def answer(self) -> tuple[Vector, Vector, float]:
        """Return how far each number inside is moved by the prior that all of them show.

        Beside it, how far by the prior that was fitted without its fold, and Stein's estimate of
        the covariance of that.
        """
        means, sums = self.prior.answer()
        moved = between(means[0], self.places) - self.places
        crossed, covariance = np.empty_like(self.places), 0.0
        for fold in range(int(self.folds.max()) + 1):
            some = np.flatnonzero(self.folds == fold)
            places = self.places[some]
            crossed[some] = between(means[fold + 1], places) - places
            covariance += float(summed(sums[fold + 1], places))
        return self.step * moved, self.step * crossed, self.worth * covariance


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
        [2.7, 3.3, 3.1, 2.9, 3.0, 40.0]
    """
    fit = fitted(noisy, noise) if noisy.size >= _FEWEST and not noise.rare(noisy.size) else None
    if fit is None:
        return raw(noisy, noise)
    values, crossed = noisy.copy(), noisy.copy()
    by_all, by_others, covariance = fit.answer()
    values[fit.inside] += by_all
    crossed[fit.inside] += by_others
    covariance += noise.variance * (noisy.size - fit.places.size)
    found = estimated("empirical_bayes", noisy, crossed, noise=noise, covariance=covariance)
    return replace(found, values=values)


def fitted(noisy: Vector, noise: Noise) -> Fitted | None:
    """Return the numbers on their lattice with the prior that fits them best, None for too few."""
    step = noise.sigma / _FINE
    if noise.whole:
        step = max(1.0, math.floor(step))
    middle = float(np.partition(noisy, noisy.size // 2)[noisy.size // 2])
    inside = np.abs(noisy - middle) <= step * (_MOST_CELLS // 2)
    if np.count_nonzero(inside) < _FEWEST:
        return None
    pad = math.ceil(_PAD * noise.sigma / step)
    start = step * (math.floor(float(noisy[inside].min()) / step) - pad)
    places = (noisy[inside] - start) / step
    places, zero = _drawn_together(places, -start / step, math.ceil(_GAP * noise.sigma / step))
    cells = math.ceil(float(places.max())) + pad + 1
    folds = np.empty(places.size, dtype=np.int64)
    folds[np.argsort(scrambled(places.size, 0))] = np.arange(places.size) % _FOLDS
    lattice = noise.on_lattice(step)
    prior = shown(places, folds, zero, cells, lattice)
    return Fitted(step, noise.variance / lattice.variance, inside, places, folds, prior)


def _drawn_together(places: Vector, zero: float, most: int) -> tuple[Vector, float]:
    """Return the places, and that of 0, with each gap of more cells than `most` shortened to it.

    What is shortened is whole cells in the middle of a gap.

    Example:
        >>> _drawn_together(np.array([2.0, 30.5, 3.0]), 29.0, 10)
        (array([ 2. , 13.5,  3. ]), 12.0)
    """
    held = np.unique(places)
    cut = np.floor(np.maximum(np.diff(held) - most, 0))
    wide = np.flatnonzero(cut)
    if not wide.size:
        return places, zero
    ends = np.stack([held[wide] + most / 2, held[wide + 1] - most / 2], axis=1).ravel()
    sums = np.cumsum(cut[wide])
    less = np.stack([sums - cut[wide], sums], axis=1).ravel()
    return places - np.interp(places, ends, less), zero - float(np.interp(zero, ends, less))
