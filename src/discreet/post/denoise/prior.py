"""The prior that numbers on a lattice show: one value, a bell, one value with outliers, any shape.

Empirical Bayes: the prior of the truths is fitted to the noisy numbers.

Convolutions of a noise law with weights on the cells of a lattice.

Rules of this module:
- simple priors are tried at 0, at the numbers' likeliest one value and at their mean; beside them
  the likeliest of any shape (Kiefer and Wolfowitz 1956), blurred a little and more, by expectation
  and maximization, accelerated; stopping early leaves it smoother, never invalid;
- the numbers are cut into folds, and every prior is fitted again without each fold: how far it is
  believed is how likely it makes the numbers that it has not seen, so that a shape which luck made
  is not believed;
- a prior of any shape keeps the share of one number for what lies anywhere: a lonely number is then
  left where it is;
- numbers are measured in steps below the noise's spread, and counted; everything after is
  convolutions on that lattice, so that a million numbers cost what their histogram costs; a gap
  that no noise bridges is shortened, so that far apart costs no more than apart;
- the prior is as plain as the numbers allow (see `prior`);
- the risk is not made of the fit: it is that of the answer that each number gets from a prior
  fitted without its fold, where Stein's identity is exact, because the noise of a number is
  independent of all the others; what a fit gains by having seen the number itself is not counted;
- fewer than 5 numbers are kept raw, and where less than one in all is expected to have any noise:
  a number that differs from its crowd is then likelier true than noise;
- numbers beyond the lattice's most cells around the median are kept raw;
- by fast Fourier transforms: errors stay near 1e-16 of the largest value, so that every density is
  held above a floor before it is divided by;
- many rows of weights are smoothed at once, each along its last axis.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .noise import Noise, Vector, needed
from .stein import Estimate, estimated, gaussian_kernel, raw, scrambled

FLOOR = 1e-18
_TINY = 1e-20
_SMOOTH_FROM = 1.0  # sigma2 in steps, from which a posterior variance stands for Stein's sum
_BELL = 6.0  # widths at which a bell is cut off

Smooth = Callable[[Vector], Vector]


def mass_of(noise: Noise, *, wider: float = 0.0) -> Vector:
    """Return the noise's chances, or those of its sum with a bell of a width in cells."""
    return np.convolve(noise.mass(noise.reach()), bell(wider))


def bell(width: float) -> Vector:
    """Return the chances of a bell in the middle of an odd number of cells."""
    if width < _NARROW:
        return np.ones(1)
    reach = math.ceil(_BELL * width)
    chances = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * width**2))
    return np.asarray(chances / chances.sum(), dtype=float)


def smoothing(masses: Sequence[Vector], cells: int) -> Smooth:
    """Return the function that convolves rows of `cells` weights with symmetric chances.

    Of several masses, each is for the rows at its place along the first of three axes.
    """
    fft = needed("scipy.fft")
    reach = min(max(mass.size for mass in masses) // 2, cells - 1)
    size = fft.next_fast_len(cells + 2 * reach, real=True)
    turned = np.stack([fft.rfft(_cut(mass, reach), size) for mass in masses])
    turned = turned[:, None, :] if len(masses) > 1 else turned[0]

    def smooth(weights: Vector) -> Vector:
        smoothed = fft.irfft(fft.rfft(weights, size) * turned, size)
        return np.asarray(np.maximum(smoothed[..., reach : reach + cells], 0), dtype=float)

    return smooth


def _cut(mass: Vector, reach: int) -> Vector:
    """Return symmetric chances from -reach to reach, cut off or filled up with 0."""
    own = mass.size // 2
    return np.pad(mass, reach - own) if own < reach else mass[own - reach : own + reach + 1]


def stein_sum(means: Vector, variances: Vector, noise: Noise) -> Vector:
    """Return sum_k s_k means[y + k] for each cell y: the estimate of E[Z means(theta + Z)].

    Args:
        means: a posterior mean in each cell; beyond the lattice it stays what it is at the end.
        variances: the posterior variance in each cell, which is that sum for a Gaussian law.
        noise: the noise, in cells.
    """
    listed = noise.kernel()
    if listed is not None:
        return _weighted(means, listed[0])
    if noise.kind == "discrete_laplace":
        q = math.exp(-1 / noise.parameter)
        return _geometric(means[::-1], q)[::-1] - _geometric(means, q)
    if noise.parameter >= _SMOOTH_FROM:
        return variances
    return _weighted(means, gaussian_kernel(noise.parameter))


def _weighted(means: Vector, kernel: Vector) -> Vector:
    ends = np.pad(means, kernel.size, mode="edge")
    signed = np.concatenate([kernel[::-1], [0.0], -kernel])
    return np.convolve(ends, signed, mode="valid")


def _geometric(values: Vector, q: float) -> Vector:
    """Return sum_k>=1 q^k values[y - k], the values before the first being equal to it.

    By doubling: the sum over twice as many k is the sum over the first half, and q^half times that
    sum half as far back. (`scipy.signal` takes longer to be imported than all else here.)
    """
    sums = np.zeros_like(values)
    sums[1:] = q * (values[:-1] - values[0])
    half, weight = 1, q
    while half < values.size and weight > _TINY:
        sums[half:] += weight * sums[:-half]
        half, weight = 2 * half, weight * weight
    return np.asarray(sums + values[0] * q / (1 - q), dtype=float)


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
        return mean, np.stack([stein_sum(center, around, self.noise) for center, around in rows])


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
    counts = np.bincount(below, weights=1 - part, minlength=cells)
    counts += np.bincount(above, weights=part, minlength=cells)
    return np.asarray(counts / places.size, dtype=float)


def _any_shape(seen: list[Vector], cells: int, noise: Noise) -> list[Vector]:
    """Return the likeliest prior of each fit, at each blur, one number's share lying anywhere."""
    weights = np.stack([on_cells(places, cells) for places in seen])
    blurs = [blur * noise.sigma for blur in _BLURS]
    sharp = _likeliest(weights, smoothing([mass_of(noise, wider=b) for b in blurs], cells))
    blurred = smoothing([bell(blur) for blur in blurs], cells)(sharp)
    blurred /= blurred.sum(axis=-1, keepdims=True)
    anywhere = np.array([[min(_MOST_ANYWHERE, 1 / places.size)] for places in seen])
    return list((1 - anywhere) * blurred + anywhere / cells)


def _simple(seen: list[Vector], zero: float, cells: int, noise: Noise) -> list[Vector]:
    """Return the simple priors, each with a row for each fit; the last lies anywhere alike."""
    means = np.array([float(places.mean()) for places in seen])
    likeliest = means
    if noise.kind == "discrete_laplace":
        likeliest = np.array(
            [np.partition(places, places.size // 2)[places.size // 2] for places in seen]
        )
    shares = [1 / places.size for places in seen]
    known = [np.full(means.size, zero)] * (0 <= zero <= cells - 1)
    far = _OUTLYING * noise.sigma
    priors = []
    for centers in [*known, likeliest]:
        priors.append(np.stack([_one(center, cells) for center in centers]))
        pairs = zip(centers, shares, strict=True)
        priors.append(np.stack([_with_outliers(c, cells, share, far) for c, share in pairs]))
    widths = _widths(noise.sigma / 4, float(seen[0].std()))
    priors += [np.stack([_bell(mean, cells, width) for mean in means]) for width in widths]
    return [*priors, np.full((means.size, cells), 1 / cells)]


def _one(center: float, cells: int) -> Vector:
    return on_cells(np.array([center]), cells)


def _with_outliers(center: float, cells: int, share: float, far: float) -> Vector:
    """Return one value, but for a share that lies so far from it on average, on either side."""
    away = np.exp(-np.abs(np.arange(cells) - center) / far)
    chances = (1 - share) * _one(center, cells) + share / away.sum() * away
    return np.asarray(chances, dtype=float)


def _widths(least: float, most: float) -> list[float]:
    """Return widths from the least to the most, two of which are a doubling; no too narrow one."""
    least = max(least, _NARROW)
    count = int(2 * math.log2(most / least)) + 1 if most > least else 0
    return [least * 2 ** (i / 2) for i in range(count)]


def _bell(middle: float, cells: int, width: float) -> Vector:
    chances = np.exp(-((np.arange(cells) - middle) ** 2) / (2 * width**2))
    return np.asarray(chances / chances.sum(), dtype=float)


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
        updated = chances * smooth(weights / density)
        return updated / updated.sum(axis=-1, keepdims=True), likelihood

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
    estimate = estimated("empirical_bayes", noisy, crossed, noise=noise, covariance=covariance)
    return replace(estimate, values=values)


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
