"""James and Stein's estimate, positive part, toward zero or toward the mean of the numbers.

Soft thresholds: each number moved toward 0 by one threshold, small ones to 0.

Denoisers mixed: the weights, at least 0 and summing to 1, of least estimated risk.

A soft threshold on coefficients of which each is a weighted sum of noisy numbers.

Rules of this module:
- the covariance with the noise is Stein's, and the next term of its expansion in the cumulants of
  the noise, which for discrete Laplace noise adds up to 3 variances to the whole sum;
- nothing moves unless the gain is at least 1 % of the raw error, and the pull is less by what it
  would be there: a pull that began with a jump would cost 5 to 10 numbers 2 to 3 % of it;
- the risk of a threshold is estimated by the exact identity of the noise law (see `stein`);
- the universal threshold is the size that the noise of d numbers hardly exceeds;
- the chosen threshold is one of a fixed number of candidates between 0 and the universal one;
- for fixed weights w the risk of sum w_k g_k is estimated without bias by
  |sum w_k g_k - y|^2 + 2 sum w_k covariance_k - d variance, a convex function of w; what errs in
  different places cancels in part, so that a mixture can err less than each of its parts;
- weights that were found add a covariance of about one variance for each part beyond the first, as
  in a regression on the parts; the risk counts it;
- a coefficient has one weight (up to sign) on each of two groups of numbers, as in every basis of
  Haar's kind; the share of its noise that each group carries is known;
- E[noise f(coefficient)] is then exact for the law of a single number's noise, by `stein`;
- one threshold for all coefficients: the fewer the choices, the smaller the optimism of the risk.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from .noise import Noise, Vector, needed
from .stein import MATERIAL, Estimate, covariance_of_soft, estimated, raw

_FEWEST = 3  # degrees of freedom that are left, below which even so small a pull may cost 1 %


def james_stein(
    noisy: Vector,
    noise: Noise,
    *,
    toward: Literal["zero", "mean"],
    plain: bool = False,
    positive: bool = True,
) -> Estimate:
    """Return the numbers shrunk by one common factor, of at least 0 where `positive`.

    Guarantee: for Gaussian noise the summed squared error is on average above the raw numbers' by
        at most 0.8 %, whatever the truth, and from 10 numbers on by 0.3 % (computed; without the
        1 % that must be gained it is never above). Below 5 numbers (6 toward the mean), and where
        less than one of them is expected to have any noise, they are kept as they are.

    Args:
        toward: zero, or the mean of all numbers.
        plain: the rule of the sources, from 3 numbers on (4 toward the mean), without the 1 %.
        positive: as Baranchik has it; without, as first printed: numbers whose squares sum to less
            than the pull change their sign, and such a rule is worse whatever the truth is.

    Source: James and Stein 1961; Baranchik 1964 (positive part); Efron and Morris 1973 (mean).

    Example:
        >>> import numpy as np
        >>> from discreet.post.denoise.noise import gaussian
        >>> james_stein(np.array([10.0, 0, 0, 0, 0]), gaussian(2), toward="zero").values.round(2)
        array([8.97, 0.  , 0.  , 0.  , 0.  ])
    """
    lost = 2 if toward == "zero" else 3
    free = noisy.size - lost
    if free < (1 if plain else _FEWEST) or noise.rare(noisy.size):
        return raw(noisy, noise)
    center = 0.0 if toward == "zero" else float(noisy.mean())
    away = noisy - center
    square = float(away @ away)
    full = free * noise.variance / square if square else float("inf")
    pull = full if plain else max(0.0, full - MATERIAL * noisy.size / free)
    factor = max(0.0, 1 - pull) if positive else 1 - pull if square else 0.0
    covariance = (free + lost) * factor * noise.variance
    if toward == "mean":
        covariance += (1 - factor) * noise.variance
    if 0 < factor < 1 or factor < 0:
        slope = full / square  # of the factor in the square
        covariance += 2 * slope * square * noise.variance + noisy.size * slope * noise.fourth
    values = center + factor * away
    name = f"james_stein_{toward}" if positive else PRINTED
    return estimated(name, noisy, values, noise=noise, covariance=covariance)


PRINTED = "james_stein_plain"
PLAIN = {  # by its name it is the rule of its source
    "james_stein_zero": partial(james_stein, toward="zero", plain=True),
    PRINTED: partial(james_stein, toward="zero", plain=True, positive=False),
}


_CANDIDATES = 64
_MANY = 4096  # more numbers than this are gathered into bins while thresholds are compared


def universal_threshold(count: int, noise: Noise) -> float:
    """Return sigma sqrt(2 ln d), or scale ln d for Laplace noise.

    Source: Donoho and Johnstone 1994. It harms dense signals by a factor of up to 1 + 2 ln d.
    """
    logarithm = math.log(max(1, count))
    if noise.kind == "discrete_laplace":
        return noise.parameter * logarithm
    return noise.sigma * math.sqrt(2 * logarithm)


def soft(noisy: Vector, threshold: float) -> Vector:
    """Return each number moved toward 0 by the threshold.

    Example:
        >>> soft(np.array([3.0, -1.0]), 2)
        array([1., 0.])
    """
    return np.asarray(noisy - np.clip(noisy, -threshold, threshold), dtype=float)


def soft_threshold(noisy: Vector, noise: Noise, *, threshold: float | None = None) -> Estimate:
    """Return the soft threshold at the given threshold, or at the universal one.

    Example:
        >>> from discreet.post.denoise.noise import gaussian
        >>> soft_threshold(np.array([9.0, 0.5]), gaussian(1), threshold=2).values
        array([7., 0.])
    """
    cut = universal_threshold(noisy.size, noise) if threshold is None else threshold
    covariance = float(covariance_of_soft(noisy, cut, noise).sum())
    values = soft(noisy, cut)
    return estimated("soft_universal", noisy, values, noise=noise, covariance=covariance)


def soft_sure(noisy: Vector, noise: Noise) -> Estimate:
    """Return the soft threshold whose estimated risk is least.

    Source: Donoho and Johnstone 1995 (SureShrink), with the identity of the law for Stein's.
    """
    size, count = gathered(np.abs(noisy))
    cuts = universal_threshold(noisy.size, noise) * np.linspace(0, 1, _CANDIDATES)
    risks = [_risk(size, count, cut, noise) for cut in cuts]
    best = soft_threshold(noisy, noise, threshold=float(cuts[int(np.argmin(risks))]))
    return Estimate("soft_sure", best.values, best.risk, best.spread)


def gathered(sizes: Vector) -> tuple[Vector, Vector]:
    """Return different sizes and how often each stands, gathered into bins where they are many."""
    values, count = np.unique(sizes, return_counts=True)
    if values.size <= _MANY:
        return values, count.astype(float)
    edges = np.linspace(0, float(values[-1]), _MANY + 1)
    held, _ = np.histogram(sizes, edges)
    summed, _ = np.histogram(sizes, edges, weights=sizes)
    some = held > 0
    return summed[some] / held[some], held[some].astype(float)


def _risk(size: Vector, count: Vector, cut: float, noise: Noise) -> float:
    moved = np.minimum(size, cut) ** 2
    return float(count @ (moved + 2 * covariance_of_soft(size, cut, noise)))


_LEAST = 0.005  # a weight that is used: others are said to be 0


def stacked(noisy: Vector, noise: Noise, estimates: Sequence[Estimate]) -> Estimate:
    """Return the mixture of least estimated risk; its name says the weights.

    Raises:
        InputError: SciPy is not installed.

    Source: Breiman 1996 (stacking); Leung and Barron 2006 (mixtures by estimated risk).

    Example: what two denoisers say of different numbers, each half believed.

        >>> from discreet.post.denoise.noise import gaussian
        >>> one = Estimate("one", np.array([4.0, 0.0]), 10.0, 1.0)
        >>> other = Estimate("other", np.array([0.0, 4.0]), 10.0, 1.0)
        >>> mixed = stacked(np.array([4.0, 4.0]), gaussian(3), [one, other])
        >>> mixed.name, mixed.values.tolist()
        ('0.50 one + 0.50 other', [2.0, 2.0])
    """
    moved = np.stack([estimate.values - noisy for estimate in estimates])
    square = moved @ moved.T
    line = np.array([estimate.risk for estimate in estimates]) - np.diag(square)
    weights = _weights(square, line, noisy.size * noise.variance)
    held = [
        (weight, estimate) for weight, estimate in zip(weights, estimates, strict=True) if weight
    ]
    mixed = " + ".join(f"{weight:.2f} {estimate.name}" for weight, estimate in held)
    risk = float(weights @ square @ weights + weights @ line)
    return Estimate(
        name=mixed if len(held) > 1 else held[0][1].name,
        values=noisy + weights @ moved,
        risk=risk + 2 * (len(held) - 1) * noise.variance,
        spread=float(weights @ [estimate.spread for estimate in estimates]),
    )


def _weights(square: Vector, line: Vector, scale: float) -> Vector:
    """Return the weights of least w . square w + w . line, both divided by the scale."""
    optimize = needed("scipy.optimize")
    square, line, count = square / scale, line / scale, line.size
    solution = optimize.minimize(
        lambda w: w @ square @ w + w @ line,
        np.full(count, 1 / count),
        jac=lambda w: 2 * square @ w + line,
        bounds=[(0, 1)] * count,
        constraints=[{"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like}],
        method="SLSQP",
    )
    if not solution.success:
        return np.asarray(np.eye(count)[int(np.argmin(np.diag(square) + line))], dtype=float)
    weights = np.where(solution.x >= _LEAST, solution.x, 0)
    return np.asarray(weights / weights.sum(), dtype=float)


_BASIS_CANDIDATES = 48


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


def thresholded(
    coefficients: Coefficients, noise: Noise, *, universal: bool
) -> tuple[Vector, float]:
    """Return the coefficients after a soft threshold, and their covariance with the noise.

    Args:
        coefficients: the coefficients.
        noise: of each number.
        universal: take the universal threshold, not the one of least estimated risk.
    """
    count = coefficients.values.size
    cut = noise.sigma * float(np.sqrt(2 * np.log(max(1, count))))
    if not universal:
        cuts = cut * np.linspace(0, 1, _BASIS_CANDIDATES)
        cut = float(min(cuts, key=lambda c: coefficients.risk(float(c), noise)))
    return soft(coefficients.values, cut), coefficients.covariance(cut, noise)
