"""Tables that must add up: a parent is the sum of its children, in every release of a tree.

Rules of this module:
- generalized least squares: among all tables that add up, the one nearest to the noisy numbers,
  each weighted by the inverse of its noise's variance; no unbiased linear rule has less error;
- one pass up and one pass down the tree (Hay and others 2010), so that it costs what reading costs;
- a node without noise of its own (variance 0) is a known fact, kept as it is.
"""

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...fix import write
from .noise import Vector

_KNOWN = 1e-12  # of the largest variance: what stands for no noise


def consistent(
    noisy: Vector, variances: Vector, parents: NDArray[np.int64]
) -> tuple[Vector, Vector]:
    """Return numbers that add up along a tree, and the variance of each.

    Args:
        noisy: one number a node.
        variances: of each node's noise, at least 0; infinite for a node that was not released.
        parents: the parent of each node, -1 for a root; a parent stands before its children.

    Raises:
        InputError: the lengths differ, a variance is negative, a parent does not stand before its
            child, or a leaf was not released.

    Source: Hay, Rastogi, Miklau and Suciu 2010, in the form for unequal variances.

    Example: a total of 10 and two halves of 4, all with the same noise.

        >>> values, _ = consistent(np.array([10.0, 4, 4]), np.ones(3), np.array([-1, 0, 0]))
        >>> values.round(4).tolist()
        [9.3333, 4.6667, 4.6667]
    """
    _check(noisy, variances, parents)
    children = _children(parents)
    tiny = _KNOWN * float(variances[np.isfinite(variances)].max(initial=1.0))
    spread = np.maximum(variances.astype(float), tiny)
    best, size = noisy.astype(float), spread.copy()  # from below: the node's own subtree alone
    for node in range(noisy.size - 1, -1, -1):
        below = children[node]
        if below:
            total, width = best[below].sum(), size[below].sum()
            share = width / (width + spread[node]) if np.isfinite(spread[node]) else 0.0
            best[node] = share * noisy[node] + (1 - share) * total if share else total
            size[node] = (1 - share) * width
    values, final = best.copy(), size.copy()
    for node in range(noisy.size):
        below = children[node]
        if below:
            width = size[below].sum()
            gap = values[node] - best[below].sum()
            part = size[below] / width
            values[below] = best[below] + part * gap
            final[below] = size[below] * (1 - part) + part**2 * final[node]
    return values, final


def _children(parents: NDArray[np.int64]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents.tolist()):
        if parent >= 0:
            found[parent].append(node)
    return found


def _check(noisy: Vector, variances: Vector, parents: NDArray[np.int64]) -> None:
    why = None
    if not noisy.size == variances.size == parents.size:
        why = "numbers, variances and parents must be as many"
    elif np.any(np.isnan(variances)) or np.any(variances < 0):
        why = "a variance is at least 0"
    elif np.any(parents >= np.arange(parents.size)) or np.any(parents < -1):
        why = "a parent must stand before its children, and a root has the parent -1"
    elif np.any(
        np.isinf(variances) & (np.bincount(parents + 1, minlength=noisy.size + 1)[1:] == 0)
    ):
        why = "a leaf that was not released can be anything"
    if why:
        raise InputError(
            "these numbers are not a tree that can be made to add up.",
            why=why,
            fix=write(", the nodes from the root down", parents=[-1, 0, 0]),
        )
