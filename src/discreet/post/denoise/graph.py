"""Which numbers are neighbors: an edge list, checked once.

Total variation on a graph, solved exactly by minimum cuts.

Rules of this module:
- edges are public; loops and doubles say nothing and are left out;
- several components and lonely nodes are allowed: each component is denoised by itself;
- the solution of min 1/2 |y - b|^2 + penalty sum_edges |b_i - b_j| is found from coarse to fine:
  a piece is split by the minimum cut between its numbers above and below its mean; where the cut
  is empty the piece is constant in the solution (Hochbaum 2001; Chambolle and Darbon 2009);
- all pieces of a round are cut together by SciPy's maximum flow, in whole capacities 2^-22 of the
  largest number: a wrongly joined or split piece moves the target by no more than that.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...fix import leave_out, write
from .noise import Vector, needed

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Nodes 0 to nodes - 1 and the edges between them, each once.

    Attributes:
        nodes: how many numbers there are.
        ends: one row (a, b) with a < b for each edge.
    """

    nodes: int
    ends: Indices

    def matrix(self, values: Any = 1.0, *, keep: Any = None) -> Any:
        """Return the symmetric sparse matrix with a value on each (kept) edge."""
        sparse = needed("scipy.sparse")
        a, b = self.ends[:, 0], self.ends[:, 1]
        value = np.broadcast_to(np.asarray(values, dtype=float), a.shape)
        if keep is not None:
            a, b, value = a[keep], b[keep], value[keep]
        both = (np.concatenate([a, b]), np.concatenate([b, a]))
        shape = (self.nodes, self.nodes)
        return sparse.csr_matrix((np.concatenate([value, value]), both), shape=shape)

    def laplacian(self) -> Any:
        """Return degrees less adjacency."""
        sparse = needed("scipy.sparse")
        near = self.matrix()
        return (sparse.diags(np.asarray(near.sum(axis=1)).ravel()) - near).tocsc()

    def pieces(self, keep: Any = None) -> tuple[int, Indices]:
        """Return how many connected pieces the (kept) edges leave, and the piece of each node."""
        count, label = needed("scipy.sparse.csgraph").connected_components(
            self.matrix(keep=keep), directed=False
        )
        return int(count), np.asarray(label, dtype=np.int64)

    def ball(self, most: int) -> Indices:
        """Return the nodes nearest to the best connected one, as many as asked, by steps."""
        near = self.matrix()
        start = int(np.argmax(np.diff(near.indptr)))
        order = needed("scipy.sparse.csgraph").breadth_first_order(
            near, start, return_predecessors=False
        )
        return np.asarray(order[:most], dtype=np.int64)

    def part(self, chosen: Indices) -> "Graph":
        """Return the graph between chosen nodes, numbered in their order."""
        place = np.full(self.nodes, -1)
        place[chosen] = np.arange(chosen.size)
        ends = place[self.ends]
        return Graph(int(chosen.size), np.sort(ends[(ends >= 0).all(axis=1)], axis=1))


def graph_of(edges: Any, nodes: int) -> Graph:
    """Return the graph of an edge list.

    Args:
        edges: pairs of node numbers, from 0 to nodes - 1.
        nodes: how many numbers there are.

    Raises:
        InputError: an edge is not a pair of these nodes, or there is none.

    Example:
        >>> graph_of([(1, 0), (1, 2), (0, 1)], 3).ends.tolist()
        [[0, 1], [1, 2]]
    """
    try:
        ends = np.asarray(edges)
        whole = ends.size > 0 and ends.ndim == 2 and ends.shape[1] == 2
        whole = whole and bool(np.all(ends == np.floor(ends)))
    except (TypeError, ValueError):
        whole = False
    if not whole:
        raise InputError(
            "the edges are not a list of pairs of whole numbers.",
            kind="wrong-graph",
            why="each edge joins two numbers of the vector, named by their places from 0 on",
            fix=write(graph=[(0, 1), (1, 2)]),
        )
    ends = np.sort(ends.astype(np.int64), axis=1)
    if ends[:, 0].min() < 0 or ends[:, 1].max() >= nodes:
        raise InputError(
            f"an edge names a node outside 0 to {nodes - 1}.",
            kind="wrong-graph",
            why=f"the vector has {nodes} numbers, counted from 0",
            fix="number the nodes as the numbers of the vector are ordered",
        )
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    if not ends.size:
        raise InputError(
            "the graph has no edge.",
            kind="wrong-graph",
            why="without neighbors there is nothing that a graph could tell",
            fix=leave_out("graph"),
        )
    return Graph(nodes, ends)


def line(nodes: int) -> Graph:
    """Return the graph in which each number neighbors the next.

    Example:
        >>> line(3).ends.tolist()
        [[0, 1], [1, 2]]
    """
    here = np.arange(max(0, nodes - 1))
    return Graph(nodes, np.stack([here, here + 1], axis=1).astype(np.int64))


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
    means = sums / np.bincount(label, minlength=count)
    return np.asarray(means[label], dtype=float)


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
