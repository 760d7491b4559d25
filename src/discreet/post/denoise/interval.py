"""Intervals after denoising: the raw one, and a shorter one that is true on average.

Rules of this module:
- "estimate +- 1.96 sigma" around a denoised number is not an interval and is not offered: it
  covers 28 % of the largest of 50 spikes under James-Stein, and 4 % under a soft threshold;
- the raw interval misses each truth with at most alpha, whatever the denoiser did;
- the average interval misses at most a share alpha of the numbers, on average over the noise, for
  any truths of a given spread: the worst case over every distribution of their distances from the
  center is taken (Armstrong, Kolesar and Plagborg-Moller 2022), with the spread rounded up.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...noise.law import Law, chance
from .listed import ListedLaw
from .noise import Noise, Vector, needed

_POINTS = 400
_HALVINGS = 40
_SURER = 2.0  # standard errors by which the estimated spread of the truths is rounded up


@dataclass(frozen=True, slots=True, eq=False)
class Average:
    """Intervals of which at most a share alpha miss, on average.

    Attributes:
        values: the center of each interval: the numbers pulled toward their mean.
        low, high: the ends.
        alpha: the share that may miss.
        meaning: what is promised, as a sentence.
    """

    values: Vector
    low: Vector
    high: Vector
    alpha: Fraction
    meaning: str


def raw_interval(noisy: Vector, law: Law | Noise, alpha: Fraction) -> tuple[Vector, Vector]:
    """Return the ends of an interval around each noisy number that misses with at most alpha.

    Example:
        >>> from discreet.post.denoise.noise import gaussian
        >>> low, high = raw_interval(np.array([5.0]), gaussian(1), Fraction(1, 20))
        >>> low.round(2).tolist(), high.round(2).tolist()
        ([3.04], [6.96])
    """
    miss = chance(alpha)
    size = _size(law, float(miss)) if isinstance(law, Noise) else float(law.half_width(miss))
    return noisy - size, noisy + size


def _size(noise: Noise, alpha: float) -> float:
    """Return a size that the noise exceeds with at most alpha, rounded up to whole if it is."""
    high = noise.sigma
    while 2 * float(tail(np.array([high]), noise)[0]) > alpha:
        high *= 2
    low = 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        wide = 2 * float(tail(np.array([middle]), noise)[0]) > alpha
        low, high = (middle, high) if wide else (low, middle)
    return float(math.floor(high)) if noise.whole else high


def average_interval(noisy: Vector, noise: Noise, alpha: Fraction) -> Average:
    """Return intervals around pulled numbers that cover 1 - alpha of the truths on average.

    They are never longer than the raw ones: where nothing is gained the raw ones are returned.

    Args:
        noisy: the noisy numbers, of similar kind: "on average" is over them and the noise.
        noise: their noise.
        alpha: the share that may miss.

    Source: Armstrong, Kolesar and Plagborg-Moller 2022, with the second moment alone; the tail of
        the actual noise law stands in the place of the Gaussian's.
    """
    miss = float(chance(alpha))
    center, variance, count = float(noisy.mean()), noise.variance, noisy.size
    seen = float(np.mean((noisy - center) ** 2)) * count / max(1, count - 1) - variance
    strays = 2 * variance**2 + noise.fourth + 4 * variance * max(0.0, seen)
    spread = max(0.0, seen) + _SURER * math.sqrt(strays / count) + variance / count
    kept = spread / (spread + variance) if variance else 1.0
    bias = ((1 - kept) / kept) ** 2 * spread
    widest = _size(noise, miss)
    size = kept * _worst_size(noise, bias, miss)
    if size >= widest:
        kept, size = 1.0, widest
    values = center + kept * (noisy - center)
    return Average(values, values - size, values + size, alpha, promise(alpha))


def promise(alpha: Fraction) -> str:
    """Return what an average interval promises, as a sentence."""
    return (
        f"At least {100 * float(1 - alpha):.4g} % of the average intervals hold their truth, over "
        "the numbers and the noise; a single one, above all of an extreme number, may do so less."
    )


def tail(x: Vector, noise: Noise) -> Vector:
    """Return Pr[Z > x] for each x of at least 0, and by symmetry below."""
    size = np.abs(x)
    if noise.kind == "discrete_laplace":
        q = math.exp(-1 / noise.parameter)
        above = np.exp(-(np.floor(size) + 1) / noise.parameter) / (1 + q)
        reach = np.exp(-np.ceil(size) / noise.parameter) / (1 + q)  # Pr[Z >= size]
    elif noise.kind == "discrete_gaussian" and noise.parameter < 1e4:
        ends = np.cumsum(noise.mass(noise.reach())[::-1])  # Pr[Z >= reach - i]
        place = noise.reach() - np.floor(size).astype(np.int64) - 1
        above = np.where(place >= 0, ends[np.maximum(place, 0)], 0)
        place = noise.reach() - np.ceil(size).astype(np.int64)
        reach = np.where(place >= 0, ends[np.maximum(place, 0)], 0)
    elif isinstance(noise, ListedLaw):
        above, reach = noise.tails(size)
    else:
        above = reach = needed("scipy.special").ndtr(-size / math.sqrt(noise.parameter))
    return np.asarray(np.where(x >= 0, above, 1 - reach), dtype=float)


def _worst_size(noise: Noise, bias: float, alpha: float) -> float:
    """Return a size whose worst average miss is at most alpha, over all biases of that square.

    The worst case puts weight on two sizes of bias at most (a concave envelope at one point).
    """
    low, high = 0.0, _size(noise, alpha / 4) + math.sqrt(4 * bias / alpha)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        wide = _worst_miss(noise, bias, middle) > alpha
        low, high = (middle, high) if wide else (low, middle)
    return high


def _worst_miss(noise: Noise, bias: float, size: float) -> float:
    far = size + 12 * noise.sigma
    biases = np.append(np.linspace(0, far, _POINTS), math.sqrt(bias))
    squares = biases**2
    misses = tail(size - biases, noise) + tail(size + biases, noise)
    under, over = squares <= bias, squares > bias
    if not over.any():
        return 1.0
    share = (bias - squares[under][:, None]) / (squares[over] - squares[under][:, None])
    mixed = (1 - share) * misses[under][:, None] + share * misses[over]
    return float(max(mixed.max(), misses[-1]))
