"""Total variation on a graph, solved exactly by minimum cuts.

Rules of this module:
- the solution of min 1/2 |y - b|^2 + penalty sum_edges |b_i - b_j| is found from coarse to fine:
  a piece is split by the minimum cut between its numbers above and below its mean; where the cut
  is empty the piece is constant in the solution (Hochbaum 2001; Chambolle and Darbon 2009);
- all pieces of a round are cut together by SciPy's maximum flow, in whole capacities 2^-22 of the
  largest number: a wrongly joined or split piece moves the target by no more than that.
"""

from typing import Any

import numpy as np

from .graph import Graph, Indices
from .noise import Vector
from .optional import needed

_GRAIN = float(1 << 22)
_ROUNDS = 200


def total_variation(noisy: Vector, graph: Graph, penalty: float) -> tuple[Vector, int]:
    """Return the solution and the number of constant pieces it is made of.

    Raises:
        InputError: SciPy is not installed.

    Example:
        >>> from discreet.post.denoise.graph import line
        >>> values, pieces = total_variation(np.array([0.0, 2.0, 9.0, 11.0]), line(4), 2.0)
        >>> values.tolist(), pieces
        ([2.0, 2.0, 9.0, 9.0], 2)
    """
    inner = np.ones(len(graph.ends), dtype=bool)
    target = noisy.copy()
    count, label = graph.pieces()
    done = np.zeros(noisy.size, dtype=bool)
    for _ in range(_ROUNDS):
        means = _means(target, label, count)
        open_edges = inner & ~done[graph.ends[:, 0]]
        above = _above(np.where(done, 0, target - means), graph.ends[open_edges], penalty)
        sides = above[graph.ends]
        cut = open_edges & (sides[:, 0] != sides[:, 1])
        if not cut.any():
            break
        high = np.where(sides[cut, 0], graph.ends[cut, 0], graph.ends[cut, 1])
        low = graph.ends[cut].sum(axis=1) - high
        target -= penalty * np.bincount(high, minlength=noisy.size)
        target += penalty * np.bincount(low, minlength=noisy.size)
        inner &= ~cut
        split = np.zeros(count, dtype=bool)
        split[label[high]] = True
        done |= ~split[label]
        count, label = graph.pieces(keep=inner)
    return _means(target, label, count), count


def _means(values: Vector, label: Indices, count: int) -> Vector:
    sums = np.bincount(label, weights=values, minlength=count)
    found = sums / np.bincount(label, minlength=count)
    return np.asarray(found[label], dtype=float)


def _above(excess: Vector, ends: Indices, penalty: float) -> Any:
    """Return which nodes a minimum cut leaves on the side of the numbers above their mean."""
    sparse, csgraph = needed("scipy.sparse"), needed("scipy.sparse.csgraph")
    nodes = excess.size
    above = np.zeros(nodes + 2, dtype=bool)
    largest = max(float(np.abs(excess).max()), penalty)
    if largest == 0:
        return above[:nodes]
    whole = np.rint(excess * (_GRAIN / largest)).astype(np.int32)
    capacity = np.full(2 * len(ends), np.rint(penalty * (_GRAIN / largest)), dtype=np.int32)
    give, take = np.flatnonzero(whole > 0), np.flatnonzero(whole < 0)
    rows = [ends[:, 0], ends[:, 1], np.full(give.size, nodes), take]
    columns = [ends[:, 1], ends[:, 0], give, np.full(take.size, nodes + 1)]
    worth = np.concatenate([capacity, whole[give], -whole[take]])
    where = (np.concatenate(rows), np.concatenate(columns))
    network = sparse.csr_matrix((worth, where), shape=(nodes + 2, nodes + 2))
    left = network - csgraph.maximum_flow(network, nodes, nodes + 1).flow
    left.data[left.data < 0] = 0
    left.eliminate_zeros()
    above[csgraph.breadth_first_order(left, nodes, return_predecessors=False)] = True
    return above[:nodes]
