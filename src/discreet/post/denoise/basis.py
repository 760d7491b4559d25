"""A soft threshold on coefficients of which each is a weighted sum of noisy numbers.

Rules of this module:
- a coefficient has one weight (up to sign) on each of two groups of numbers, as in every basis of
  Haar's kind; the share of its noise that each group carries is known;
- E[noise f(coefficient)] is then exact for the law of a single number's noise, by `stein`;
- one threshold for all coefficients: the fewer the choices, the smaller the optimism of the risk.
"""

from dataclasses import dataclass

import numpy as np

from .noise import Noise, Vector
from .soft_threshold import soft
from .stein import covariance_of_soft

_CANDIDATES = 48


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """Coefficients, and for two groups of numbers each: the weight, and the share of variance."""

    values: Vector
    weight: Vector
    share: Vector
    other_weight: Vector
    other_share: Vector

    def covariance(self, threshold: float, noise: Noise) -> float:
        """Return an unbiased estimate of the sum of E[noise of c times soft(c)]."""
        total = 0.0
        for weight, share in ((self.weight, self.share), (self.other_weight, self.other_share)):
            some = share > 0
            w = weight[some]
            each = covariance_of_soft(self.values[some], threshold, noise, weight=w) / w
            total += float(share[some] @ each)
        return total

    def risk(self, threshold: float, noise: Noise) -> float:
        """Return the estimated risk, up to what no threshold changes."""
        moved = np.minimum(np.abs(self.values), threshold)
        return float(moved @ moved) + 2 * self.covariance(threshold, noise)


def thresholded(found: Coefficients, noise: Noise, *, universal: bool) -> tuple[Vector, float]:
    """Return the coefficients after a soft threshold, and their covariance with the noise.

    Args:
        found: the coefficients.
        noise: of each number.
        universal: take the universal threshold, not the one of least estimated risk.
    """
    count = found.values.size
    cut = noise.sigma * float(np.sqrt(2 * np.log(max(1, count))))
    if not universal:
        cuts = cut * np.linspace(0, 1, _CANDIDATES)
        cut = float(min(cuts, key=lambda c: found.risk(float(c), noise)))
    return soft(found.values, cut), found.covariance(cut, noise)
