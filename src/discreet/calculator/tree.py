"""Noisy numbers of any tree, made to add up: least squares under the sums of all parents.

Rules of this module:
- with V the variances and K x = 0 what the tree asks of the truth, the numbers nearest to y, each
  weighted by the inverse of its variance, are y - V K' (K V K')^+ K y, and V - V K' (K V K')^+ K V
  is their covariance; no unbiased linear rule has less error (Gauss and Markov);
- what has variance 0 is a known fact, and stays; what was not released is the sum of its children.
"""

from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..fix import write

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST = 3_000  # nodes: a matrix of the squares of all parents is inverted
_RANK = 1e-12  # of the largest singular value, all sums being on one scale
_CLOSE = 1e-9  # of the numbers: rounding


def added_up(
    noisy: "NDArray[np.float64]",
    variances: "NDArray[np.float64]",
    parents: "NDArray[np.int64]",
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return numbers that add up along a tree, and the variance of each.

    Args:
        noisy: one number a node.
        variances: of each node's noise, at least 0; infinite for a node that was not released.
        parents: the parent of each node, -1 for a root; a parent stands before its children.

    Raises:
        InputError: the lengths differ, there are too many, a variance is negative, a parent does
            not stand before its child, a leaf was not released, or known numbers contradict.
    """
    import numpy as np

    _check(noisy, variances, parents)
    told = np.isfinite(variances)
    every = np.diag(told.astype(float))  # each node as a sum of those that were released
    for node in np.flatnonzero(~told)[::-1]:
        every[node] = every[parents == node].sum(axis=0)
    above = [node for node in np.unique(parents[parents >= 0]) if told[node]]
    gaps = np.array([every[n] - every[parents == n].sum(axis=0) for n in above])
    gaps = gaps.reshape(-1, noisy.size)
    own, spread = np.where(told, noisy, 0.0), np.where(told, variances, 0.0)
    scale = np.sqrt(gaps**2 @ spread)
    gaps = gaps / np.where(scale > 0, scale, 1.0)[:, None]
    pulled = np.linalg.pinv((gaps * spread) @ gaps.T, rcond=_RANK, hermitian=True)
    values = own - spread * (gaps.T @ (pulled @ (gaps @ own)))
    size = float(np.abs(own).max())
    if np.abs(gaps @ values).max(initial=0.0) > _CLOSE * max(1.0, size):
        raise _refused("its known numbers contradict each other")
    moved = (every * spread) @ gaps.T
    final = every**2 @ spread - ((moved @ pulled) * moved).sum(axis=1)
    return every @ values, np.maximum(final, 0.0)


def _check(noisy: Any, variances: Any, parents: Any) -> None:
    import numpy as np

    why = None
    if not noisy.size == variances.size == parents.size:
        why = "numbers, variances and parents must be as many"
    elif noisy.size > _MOST:
        why = f"at most {_MOST:,} are solved for together"
    elif np.any(np.isnan(variances)) or np.any(variances < 0):
        why = "a variance is at least 0"
    elif np.any(parents >= np.arange(parents.size)) or np.any(parents < -1):
        why = "a parent must stand before its children, and a root has the parent -1"
    elif not set(np.flatnonzero(np.isinf(variances))) <= set(parents):
        why = "a leaf that was not released can be anything"
    if why:
        raise _refused(why)


def _refused(why: str) -> InputError:
    return InputError(
        "these numbers are not a tree that can be made to add up.",
        why=why,
        fix=write(", the nodes from the root down", parents=[-1, 0, 0]),
    )
