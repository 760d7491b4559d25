"""A soft threshold on the Haar wavelets of a sequence, by PyWavelets.

Rules of this module:
- the numbers' order must mean something: bins, hours, ranks;
- a length that is not a multiple of the largest block is filled up with the mean of the numbers;
  filled places carry no noise, and each coefficient's share of noise is counted;
- the averages of the largest blocks are kept.
"""

import numpy as np

from .basis import Coefficients, thresholded
from .estimate import Estimate, estimated, raw
from .noise import Noise, Vector
from .optional import needed

_LEVELS = 8


def wavelets(noisy: Vector, noise: Noise, *, universal: bool = False) -> Estimate:
    """Return the sequence rebuilt from its Haar wavelets after a soft threshold.

    Args:
        noisy: the noisy numbers, in their order.
        noise: their noise.
        universal: take the universal threshold, not the one of least estimated risk.

    Raises:
        InputError: PyWavelets is not installed.

    Source: Haar 1910; Donoho and Johnstone 1995 (SureShrink).
    """
    pywt = needed("pywt")
    level = min(_LEVELS, int(noisy.size).bit_length() - 1)
    if level < 1:
        return raw(noisy, noise)
    block = 1 << level
    center = float(noisy.mean())
    filled = np.zeros(-(-noisy.size // block) * block)
    filled[: noisy.size] = noisy - center
    averages, *details = pywt.wavedec(filled, "haar", mode="periodization", level=level)
    sizes = [detail.size for detail in details]
    width = np.repeat([block >> i for i in range(level)], sizes)
    place = np.concatenate([np.arange(size) for size in sizes])
    held = np.clip(noisy.size - width * place, 0, width) / width
    weight = width**-0.5
    found = Coefficients(np.concatenate(details), weight, held, weight, np.zeros_like(held))
    kept, covariance = thresholded(found, noise, universal=universal)
    parts = [averages, *np.split(kept, np.cumsum(sizes)[:-1])]
    rebuilt = pywt.waverec(parts, "haar", mode="periodization")[: noisy.size]
    values = np.asarray(rebuilt + center, dtype=float)
    covariance += noisy.size * noise.variance / block
    name = "wavelets_universal" if universal else "wavelets_sure"
    return estimated(name, noisy, values, noise=noise, covariance=covariance)
