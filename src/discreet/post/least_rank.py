"""What no linear Gaussian noise can tell a quantile's rank better than: a bound, and its proof.

To tell F(e) - t n at every edge e, the end of the bounds that lies farther from the t-quantile
included, is to multiply the counts h by a matrix W with 1 - t on and below the diagonal and -t
above, for t of at most 1/2; above 1/2 it is the same seen from the other end. Noise that is linear
and Gaussian lets R h out, with noise of one size in each number, and leads back by some A with
A R = W. One row of the data costs the longest column of R, squared; the rank that is told worst
varies by the longest row of A, squared. For any weights p of the edges and q of the bins, each of
sum 1, with D their diagonal matrices:

    nuclear norm of D_p^(1/2) W D_q^(1/2) <= |D_p^(1/2) A| |R D_q^(1/2)| <= longest row * column,

with lengths of matrices as of vectors. So its square is a bound, whatever p and q are; which they
are decides only how near it comes. Taken are powers of the place, near the best that were found.

How it is worked out: W has an inverse with two numbers in a row, so that its singular values are
those of a matrix with three in a row, and no large one is lost to rounding.

Decisions 92, 143.
"""

from fractions import Fraction
from functools import cache

_POWERS = (0.1, 0.15)  # of the place from one end over that from the other
_ROUNDING = 1e-6  # of the bound: more than all rounding


@cache
def least_rank(bins: int, at: Fraction) -> float:
    """Return what the squares of the longest row and column are at least, for the t-quantile."""
    far = float(max(at, 1 - at))  # seen from above, t is 1 - t
    powers = _POWERS if at != Fraction(1, 2) else (0.0,)
    return max(_nuclear(bins, 1 - far, power) for power in powers) ** 2 * (1 - _ROUNDING)


def _nuclear(bins: int, at: float, power: float) -> float:
    """Return the nuclear norm of W with weights that fall, or grow, as a power of the place."""
    import numpy as np

    place = np.arange(bins)
    edges = ((place + 1) / (bins - place)) ** power
    rows, columns = 1 / np.sqrt(edges / edges.sum()), 1 / np.sqrt(edges[::-1] / edges.sum())
    inverse = np.eye(bins) - np.eye(bins, k=-1)
    inverse[0, -1] += at / (1 - at)
    inverse *= columns[:, None] * rows[None, :]
    return float((1 / np.sqrt(np.linalg.eigvalsh(inverse.T @ inverse))).sum())
