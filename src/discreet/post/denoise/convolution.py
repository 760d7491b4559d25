"""Convolutions of a noise law with weights on the cells of a lattice.

Rules of this module:
- by fast Fourier transforms: errors stay near 1e-16 of the largest value, so that every density is
  held above a floor before it is divided by;
- many rows of weights are smoothed at once, each along its last axis.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from .noise import Noise, Vector, needed
from .stein import gaussian_kernel

FLOOR = 1e-18
_TINY = 1e-20
_SMOOTH_FROM = 1.0  # sigma2 in steps, from which a posterior variance stands for Stein's sum
_BELL = 6.0  # widths at which a bell is cut off
_NARROW = 0.3  # cells: a bell that is narrower is one cell

Smooth = Callable[[Vector], Vector]


def mass_of(noise: Noise, *, wider: float = 0.0) -> Vector:
    """Return the noise's chances, or those of its sum with a bell of a width in cells."""
    return np.convolve(noise.mass(noise.reach()), bell(wider))


def bell(width: float) -> Vector:
    """Return the chances of a bell in the middle of an odd number of cells."""
    if width < _NARROW:
        return np.ones(1)
    reach = math.ceil(_BELL * width)
    found = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * width**2))
    return np.asarray(found / found.sum(), dtype=float)


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
        found = fft.irfft(fft.rfft(weights, size) * turned, size)
        return np.asarray(np.maximum(found[..., reach : reach + cells], 0), dtype=float)

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
    found = np.zeros_like(values)
    found[1:] = q * (values[:-1] - values[0])
    half, weight = 1, q
    while half < values.size and weight > _TINY:
        found[half:] += weight * found[:-half]
        half, weight = 2 * half, weight * weight
    return np.asarray(found + values[0] * q / (1 - q), dtype=float)
