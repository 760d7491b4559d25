"""Fixed patterns without order: signs and noise that look random and are the same for everybody.

Rules of this module:
- nothing here is secret and no privacy rests on it: the noise of a release has been drawn before;
- a number's place is scrambled by a fixed hash, so that the same numbers give the same estimate.
"""

import numpy as np
from numpy.typing import NDArray

from .noise import Noise, Vector

_ODD = np.uint64(0x9E3779B97F4A7C15)


def scrambled(count: int, which: int) -> NDArray[np.uint64]:
    """Return one scrambled 64-bit word for each place.

    Source: Steele, Lea and Flood 2014 (SplitMix64).
    """
    word = np.arange(1, count + 1, dtype=np.uint64) + np.uint64(which << 32)
    word *= _ODD
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(word ^ (word >> np.uint64(31)), dtype=np.uint64)


def stand_in(noise: Noise, count: int, which: int) -> Vector:
    """Return numbers whose histogram is the noise's, in a fixed order without pattern."""
    order = np.argsort(scrambled(count, which), kind="stable")
    found = np.empty(count)
    found[order] = noise.quantiles((np.arange(count) + 0.5) / count)
    return found
