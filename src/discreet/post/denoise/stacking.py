"""Denoisers mixed: the weights, at least 0 and summing to 1, of least estimated risk.

Rules of this module:
- for fixed weights w the risk of sum w_k g_k is estimated without bias by
  |sum w_k g_k - y|^2 + 2 sum w_k covariance_k - d variance, a convex function of w; what errs in
  different places cancels in part, so that a mixture can err less than each of its parts;
- weights that were found add a covariance of about one variance for each part beyond the first, as
  in a regression on the parts; the risk counts it.
"""

from collections.abc import Sequence

import numpy as np

from .estimate import Estimate
from .noise import Noise, Vector
from .optional import needed

_LEAST = 0.005  # a weight that is used: others are said to be 0


def stacked(noisy: Vector, noise: Noise, found: Sequence[Estimate]) -> Estimate:
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
    moved = np.stack([one.values - noisy for one in found])
    square = moved @ moved.T
    line = np.array([one.risk for one in found]) - np.diag(square)
    weights = _weights(square, line, noisy.size * noise.variance)
    held = [(weight, one) for weight, one in zip(weights, found, strict=True) if weight]
    mixed = " + ".join(f"{weight:.2f} {one.name}" for weight, one in held)
    risk = float(weights @ square @ weights + weights @ line)
    return Estimate(
        name=mixed if len(held) > 1 else held[0][1].name,
        values=noisy + weights @ moved,
        risk=risk + 2 * (len(held) - 1) * noise.variance,
        spread=float(weights @ [one.spread for one in found]),
    )


def _weights(square: Vector, line: Vector, scale: float) -> Vector:
    """Return the weights of least w . square w + w . line, both divided by the scale."""
    optimize = needed("scipy.optimize")
    square, line, count = square / scale, line / scale, line.size
    found = optimize.minimize(
        lambda w: w @ square @ w + w @ line,
        np.full(count, 1 / count),
        jac=lambda w: 2 * square @ w + line,
        bounds=[(0, 1)] * count,
        constraints=[{"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like}],
        method="SLSQP",
    )
    if not found.success:
        return np.asarray(np.eye(count)[int(np.argmin(np.diag(square) + line))], dtype=float)
    weights = np.where(found.x >= _LEAST, found.x, 0)
    return np.asarray(weights / weights.sum(), dtype=float)
