"""What no linear Gaussian noise tells the ranks of quantiles better than: a bound, and its proof.

To tell F(e) - t n at every edge e, the end of the bounds that lies farther from the quantiles
included, is to multiply the counts h by a matrix W with 1 - t on and below the diagonal and -t
above; of several quantiles the matrices stand one below the other. Noise that is linear and
Gaussian lets R h out, with noise of one size in each number, and leads back by some A with A R = W.
One row of the data costs the longest column of R, squared; the rank that is told worst varies by
the longest row of A, squared. For any weights p of the rows of W and q of the bins, each of sum 1,
with D their diagonal matrices:

    nuclear norm of D_p^(1/2) W D_q^(1/2) <= |D_p^(1/2) A| |R D_q^(1/2)| <= longest row * column,

with lengths of matrices as of vectors. So its square is a bound, whatever p and q are; which they
are decides only how near it comes. Taken are powers of the place, and of the lowest and the highest
quantile the highest at edges far below and the lowest at edges far above, where each is told worst.
With a part m of the weight at an edge for the one and 1 - m for the other, the rows l - t and l - s
have together the squares of one row, l less the mean of t and s, and of one that is alike in all
bins, m (1 - m) (t - s)^2: all of the second kind are put together.

The nuclear norm of X is at least the trace of O' X over the spectral norm of O, for any O. Taken is
the O of the singular vectors. How far its columns are from being of length 1 and at right angles is
worked out again from itself, and each step on the way may be wrong by as much as its sums can be
(Higham 2002, section 3.5), so that no rounding makes the bound too large.

Decisions 92, 143, 156.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import log, sqrt
from typing import Any

_UNIT = 2.0**-52  # twice what one operation is wrong by
_ENTRY = 16  # operations that an entry of a matrix is made of, at most
_RAMP = 0.2  # of the edges, on either side of where both quantiles have the same weight
_BASE, _SLOPE = 2.4, 0.9  # of what the power of the place is 1 over: near the best for all bins
Vector = Any  # numpy array of float64


def least_rank(bins: int, at: Sequence[Fraction]) -> float:
    """Return what the squares of the longest row and column are at least, for these quantiles.

    Example:
        >>> low, high = Fraction(1, 20), Fraction(19, 20)
        >>> print(f"{least_rank(64, [low]):.3f} {least_rank(64, [low, high]):.3f}")
        4.275 4.911
    """
    low, high = min(at), max(at)
    return _least(bins, *((1 - high, 1 - low) if low + high > 1 else (low, high)))


@cache
def _least(bins: int, low: Fraction, high: Fraction) -> float:
    """Return the bound, of shares seen from the end that they lie nearer to."""
    weighted, size = _weighted(bins, low, high)
    norm = _nuclear(weighted) - _ENTRY * bins * _UNIT * size
    return norm**2 / size**2 * (1 - _ENTRY * bins * _UNIT)


def _weights(bins: int, low: Fraction, high: Fraction) -> tuple[Vector, Vector]:
    """Return the weights of edges (in reverse of bins), and which part the highest quantile has."""
    import numpy as np

    place = np.arange(bins)
    power = sqrt(float(1 - low - high)) / (_BASE + _SLOPE * log(bins))
    edges = ((place + 0.5) / (bins - place - 0.5)) ** power
    even = float((low + high) / 2)  # a share of the edges, too
    return edges, np.clip((even + _RAMP - (place + 1) / bins) / (2 * _RAMP), 0, 1)


def _weighted(bins: int, low: Fraction, high: Fraction) -> tuple[Vector, float]:
    """Return W with its weights, and what the weights of either kind add up to."""
    import numpy as np

    edges, upper = _weights(bins, low, high)
    shares = upper * float(high) + (1 - upper) * float(low)
    alike = sqrt(float((edges * upper * (1 - upper)).sum())) * float(high - low)
    ranks = np.sqrt(edges)[:, None] * (np.tri(bins) - shares[:, None])
    both = np.concatenate([ranks, np.full((1, bins), alike)])
    return both * np.sqrt(edges[::-1]), float(edges.sum())


def _nuclear(matrix: Vector) -> float:
    """Return a number that a nuclear norm is not below."""
    import numpy as np

    squares, vectors = np.linalg.eigh(matrix.T @ matrix)
    halves = vectors / np.maximum(squares, squares[-1] * _UNIT) ** 0.25
    turned = matrix @ (halves @ halves.T)
    wrong: float = turned.size * _UNIT
    length = float(np.linalg.norm(turned))
    trace = float((turned * matrix).sum()) - wrong * length * float(np.linalg.norm(matrix))
    off = float(np.linalg.norm(turned.T @ turned - np.eye(len(squares))))
    return trace / sqrt(1 + (off + len(turned) * _UNIT * length**2) * (1 + wrong))
