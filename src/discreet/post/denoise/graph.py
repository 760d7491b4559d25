"""Which numbers are neighbors: an edge list, checked once.

Rules of this module:
- edges are public; loops and doubles say nothing and are left out;
- several components and lonely nodes are allowed: each component is denoised by itself.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...fix import leave_out, write
from .optional import needed

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
        found, label = needed("scipy.sparse.csgraph").connected_components(
            self.matrix(keep=keep), directed=False
        )
        return int(found), np.asarray(label, dtype=np.int64)

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
            why="each edge joins two numbers of the vector, named by their places from 0 on",
            fix=write(graph=[(0, 1), (1, 2)]),
        )
    ends = np.sort(ends.astype(np.int64), axis=1)
    if ends[:, 0].min() < 0 or ends[:, 1].max() >= nodes:
        raise InputError(
            f"an edge names a node outside 0 to {nodes - 1}.",
            why=f"the vector has {nodes} numbers, counted from 0",
            fix="number the nodes as the numbers of the vector are ordered",
        )
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    if not ends.size:
        raise InputError(
            "the graph has no edge.",
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
