"""The choice: the plainest denoiser that no other clearly beats, and raw unless the gain is clear.

Rules of this module:
- each candidate's risk is estimated without bias for the law of the noise, and so is the spread of
  a difference of two such estimates (see `estimate`): the least of many is the luckiest, and a
  difference below 1.5 spreads may be luck alone;
- empirical Bayes fits a prior as plain as the numbers allow and stands for all that look at each
  number alone; the trend filters stand for the wavelets; what they stand for is taken only where
  it is clearly better. Of these three the one with the fewest degrees of freedom is taken that none
  with more clearly beats, or their mixture (see `stacked`) where that is clearly better still;
- raw is kept unless the estimated gain is at least 1 % of the raw risk and clear, that is beyond a
  share of its own spread, a larger one for few numbers; James and Stein's rules need not be clear:
  they do no harm on average, but would if they were taken only where luck makes their gain look
  large (they know of the 1 % themselves);
- where the numbers are counts, what is taken is rounded, and taken only if it still gains enough.
"""

import math
from collections.abc import Sequence

import numpy as np

from .estimate import MATERIAL, Estimate, apart, rounded
from .noise import Noise, Vector
from .stacking import stacked

_APART = 1.5  # spreads of a difference that luck may make, about once in 15 comparisons
_CLEAR = 0.3  # of the spread: what the gain over raw must exceed
_NOTHING = 1e-9  # of the raw risk: what errors of floats may make a gain
SHORT = 1000  # numbers below which it must exceed more, by the root of what is missing
_HARMLESS = {"james_stein_zero", "james_stein_mean"}
_COVERED = {
    *(*_HARMLESS, "soft_universal", "soft_sure"),  # empirical Bayes stands for these
    *("wavelets_universal", "wavelets_sure"),  # trend filters stand for these
    *("tree_wavelets_universal", "tree_wavelets_sure"),
}


def chosen(
    noisy: Vector, noise: Noise, found: Sequence[Estimate], *, whole: bool = False
) -> Estimate:
    """Return the estimate to take, in whole numbers if they are counts; the first one is raw."""
    taken, kept = _best(noisy, noise, found), found[0]
    if not whole or taken is kept:
        return taken
    taken = rounded(taken)
    least = _NOTHING if taken.name in _HARMLESS else MATERIAL
    worth = kept.risk - taken.risk > least * kept.risk and (taken.values != noisy).any()
    return taken if worth else kept


def _best(noisy: Vector, noise: Noise, found: Sequence[Estimate]) -> Estimate:
    kept = found[0]
    if not noise.variance:
        return kept

    def clear(one: Estimate) -> bool:
        share, spread = _CLEAR, _apart(one, kept, noisy, noise)
        if one.name in _HARMLESS:
            return kept.risk - one.risk > _NOTHING * kept.risk
        if noisy.size < SHORT:
            share, spread = share * math.sqrt(SHORT / noisy.size), max(spread, one.spread)
        return kept.risk - one.risk > max(share * spread, MATERIAL * kept.risk)

    def beats(other: Estimate, one: Estimate) -> bool:
        return one.risk - other.risk > _APART * _apart(one, other, noisy, noise)

    def richness(one: Estimate) -> tuple[bool, float]:
        moved = one.values - noisy
        return one.name in _COVERED, one.risk - float(moved @ moved)  # by degrees of freedom

    left = sorted((one for one in found[1:] if clear(one)), key=richness)
    for place, one in enumerate(left):
        if not any(beats(other, one) for other in left[place + 1 :]):
            parts = [other for other in left if other.name not in _COVERED]
            mixed = stacked(noisy, noise, parts) if len(parts) > 1 else one
            return mixed if beats(mixed, one) else one
    return kept


def _apart(one: Estimate, other: Estimate, noisy: Vector, noise: Noise) -> float:
    """Return the spread of the difference, by the one that leaves more of each number."""
    rest = np.maximum(np.abs(noisy - one.values), np.abs(noisy - other.values))
    return apart(one.values, other.values, rest, noise)
