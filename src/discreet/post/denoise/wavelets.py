"""A soft threshold on the Haar wavelets of a sequence, by PyWavelets.

A soft threshold on the wavelets of a spanning tree of a graph.

Rules of this module:
- the numbers' order must mean something: bins, hours, ranks;
- a length that is not a multiple of the largest block is filled up with the mean of the numbers;
  filled places carry no noise, and each coefficient's share of noise is counted;
- the averages of the largest blocks are kept;
- the tree is cut again and again at the node that balances it, and the parts are halved as a list;
  each halving is one wavelet, constant on each half, so that the basis is orthonormal;
- every coefficient but the components' averages is thresholded;
- one threshold for all coefficients, and risks exact for the noise law (see `james_stein`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .graph import Graph, Indices
from .james_stein import Coefficients, thresholded
from .noise import Noise, Vector, needed
from .stein import Estimate, estimated, raw, scrambled

_LEVELS = 8


def wavelets(noisy: Vector, noise: Noise, *, universal: bool = False) -> Estimate:
    """Return the sequence rebuilt from its Haar wavelets after a soft threshold.

    Args:
        noisy: the noisy numbers, in their order.
        noise: their noise.
        universal: take the universal threshold, not the one of least estimated risk.

    Raises:
        InputError: PyWavelets is not installed.

    Source: Haar 1910; Donoho and Johnstone 1995 (SureShrink).
    """
    pywt = needed("pywt")
    level = min(_LEVELS, int(noisy.size).bit_length() - 1)
    if level < 1:
        return raw(noisy, noise)
    block = 1 << level
    center = float(noisy.mean())
    filled = np.zeros(-(-noisy.size // block) * block)
    filled[: noisy.size] = noisy - center
    averages, *details = pywt.wavedec(filled, "haar", mode="periodization", level=level)
    sizes = [detail.size for detail in details]
    width = np.repeat([block >> i for i in range(level)], sizes)
    place = np.concatenate([np.arange(size) for size in sizes])
    held = np.clip(noisy.size - width * place, 0, width) / width
    weight = width**-0.5
    coefficients = Coefficients(np.concatenate(details), weight, held, weight, np.zeros_like(held))
    kept, covariance = thresholded(coefficients, noise, universal=universal)
    parts = [averages, *np.split(kept, np.cumsum(sizes)[:-1])]
    rebuilt = pywt.waverec(parts, "haar", mode="periodization")[: noisy.size]
    values = np.asarray(rebuilt + center, dtype=float)
    covariance += noisy.size * noise.variance / block
    name = "wavelets_universal" if universal else "wavelets_sure"
    return estimated(name, noisy, values, noise=noise, covariance=covariance)


Nodes = list[int]


@dataclass(frozen=True, slots=True, eq=False)
class TreeBasis:
    """An orthonormal basis: one row a wavelet, constant on each of two sets of nodes.

    Attributes:
        rows: the sparse matrix of the wavelets.
        first, second: how many nodes each row's two sets have.
        label: the component of each node, whose averages complete the basis.
    """

    rows: Any
    first: Vector
    second: Vector
    label: Indices


def tree_wavelets(
    noisy: Vector, noise: Noise, *, basis: TreeBasis, universal: bool = False
) -> Estimate:
    """Return the numbers rebuilt from their tree wavelets after a soft threshold.

    Args:
        noisy: the noisy numbers.
        noise: their noise.
        basis: of `tree_basis`.
        universal: take the universal threshold, not the one of least estimated risk.

    Source: Sharpnack, Krishnamurthy and Singh 2013.
    """
    whole = basis.first + basis.second
    share, other = basis.second / whole, basis.first / whole
    weights = np.sqrt(share / basis.first), np.sqrt(other / basis.second)
    coefficients = Coefficients(basis.rows @ noisy, weights[0], share, weights[1], other)
    kept, covariance = thresholded(coefficients, noise, universal=universal)
    sizes = np.bincount(basis.label)
    averages = np.bincount(basis.label, weights=noisy) / sizes
    values = np.asarray(basis.rows.T @ kept + averages[basis.label], dtype=float)
    covariance += noise.variance * sizes.size
    name = "tree_wavelets_universal" if universal else "tree_wavelets_sure"
    return estimated(name, noisy, values, noise=noise, covariance=covariance)


def tree_basis(graph: Graph) -> TreeBasis:
    """Return the wavelets of a spanning tree of each component.

    Example: three nodes in a row have two wavelets, orthonormal beside the average.

        >>> from discreet.post.denoise.graph import line
        >>> rows = tree_basis(line(3)).rows.toarray()
        >>> (rows @ rows.T).round(12).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    sparse, csgraph = needed("scipy.sparse"), needed("scipy.sparse.csgraph")
    weights = 1 + scrambled(len(graph.ends), 0) / 2.0**64
    tree = csgraph.minimum_spanning_tree(graph.matrix(weights)).tocsr()
    near = (tree + tree.T).tocsr()
    neighbors = [part.tolist() for part in np.split(near.indices, near.indptr[1:-1])]
    _, label = graph.pieces()
    halves: list[tuple[Nodes, Nodes]] = []
    order = np.argsort(label, kind="stable")
    todo = [part.tolist() for part in np.split(order, np.cumsum(np.bincount(label))[:-1])]
    where = np.zeros(graph.nodes, dtype=np.int64).tolist()
    while todo:
        piece = todo.pop()
        if len(piece) > 1:
            _halve(_parts(piece, neighbors, where, len(halves) + 1), halves, todo)
    first = np.array([len(a) for a, _ in halves], dtype=float)
    second = np.array([len(b) for _, b in halves], dtype=float)
    size = np.sqrt(first * second / (first + second))
    counts = (first + second).astype(np.int64)
    columns = np.fromiter((i for a, b in halves for part in (a, b) for i in part), dtype=np.int64)
    values = np.repeat(
        np.stack([size / first, -size / second], axis=1).ravel(),
        np.stack([first, second], axis=1).astype(np.int64).ravel(),
    )
    starts = np.concatenate([[0], np.cumsum(counts)])
    rows = sparse.csr_matrix((values, columns, starts), shape=(len(halves), graph.nodes))
    return TreeBasis(rows, first, second, label)


def _parts(piece: Nodes, neighbors: list[Nodes], where: Nodes, mark: int) -> list[Nodes]:
    """Cut a subtree at its balancing node; the node joins the smallest part."""
    for node in piece:
        where[node] = mark
    order, parent = [piece[0]], {piece[0]: -1}
    for node in order:
        for near in neighbors[node]:
            if near != parent[node] and where[near] == mark:
                parent[near] = node
                order.append(near)
    size = dict.fromkeys(order, 1)
    for node in reversed(order[1:]):
        size[parent[node]] += size[node]
    center = order[0]
    while True:
        below = (n for n in neighbors[center] if parent.get(n) == center)
        heavy = next((n for n in below if 2 * size[n] > len(piece)), -1)
        if heavy < 0:
            break
        center = heavy
    return _branches(order, parent, center)


def _branches(order: Nodes, parent: dict[int, int], center: int) -> list[Nodes]:
    """Return the parts that are left when the center is taken out, the center in the smallest."""
    branch: dict[int, int] = {}
    parts: dict[int, Nodes] = {}
    for node in order:
        if node != center:
            above = parent[node]
            branch[node] = node if above == center else branch.get(above, -1)
            parts.setdefault(branch[node], []).append(node)
    branches = sorted(parts.values(), key=len)
    if len(branches) == 1:
        return [[center], branches[0]]
    branches[0].append(center)
    return branches


def _halve(parts: list[Nodes], halves: list[tuple[Nodes, Nodes]], todo: list[Nodes]) -> None:
    """Halve a list of parts, note the wavelet of each halving, and leave the parts to be cut."""
    waiting = [parts]
    while waiting:
        some = waiting.pop()
        if len(some) == 1:
            todo.append(some[0])
            continue
        middle = len(some) // 2
        left, right = some[:middle], some[middle:]
        halves.append(([i for p in left for i in p], [i for p in right for i in p]))
        waiting += [left, right]
