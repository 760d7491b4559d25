"""Counts at junctions spread by a kernel: how dense points are, from released numbers, for nothing.

Document 004 gives each trip to the junctions around it by a kernel, and then adds noise. Here trips
are counted at their junctions, noise is added, and the released counts are spread by the same
kernel. Both are of one sum, K n with n the counts: K (n + Z) = K n + K Z. The second way errs less,
or as much, and leaves counts, and other kernels, for the same price:

Each column of K has entries of at least 0 that sum to 1, so that a trip is given away once. Let c_j
and r_i be the sums of squares of its columns and rows. One trip moves K n by up to max c_j in
squares, n by 1. With Gaussian noise of variance v on n, K n needs v max c_j at the same loss, at
every junction; K Z has v r_i at junction i, in the mean v (sum r_i) / d = v (sum c_j) / d, which is
at most v max c_j. With Laplace noise one trip moves both by 1 in l1: K n needs v, K Z has v r_i, in
the mean at most v, because no c_j is above 1. So it is for trips of one unit at several junctions
where their limit is paid for as if all went to one, and for the same noise as far as v is the same.

Rules of this module:
- the kernel and its bandwidth are public, and chosen without the points;
- a weight is (1 - (d / h)^2)^2 for a distance d below the bandwidth h, in parts of its column;
- the answer is a density, not a count: as an estimate of counts its error is told without bias.

Decision 108.
"""

import re
from typing import Any

from ..errors import InputError, as_given
from ..exact.number import rational, text_of
from ..post.denoise.noise import Noise, Vector, needed
from ..post.denoise.own import NOTHING, Own
from ..post.denoise.stein import Estimate, estimated
from .earth import in_space
from .net import Net

_ASKED = re.compile(r"kernel(?: (\S+))?")
_FARTHEST = 100_000  # meters
_MOST = 20_000_000  # pairs of places


def kernel_of(how: str, net: Net) -> tuple[str, Own]:
    """Return which denoiser is asked for, and a kernel where it is one: "kernel 200", in meters.

    Raises:
        InputError: the bandwidth is none, or so wide that too many places are in reach.
    """
    asked = _ASKED.fullmatch(how) if isinstance(how, str) else None
    if asked is None:
        return how, NOTHING
    if asked[1] is None:
        raise InputError(
            f"how = {as_given(how)} comes without a bandwidth.",
            kind="setting-missing",
            why="how far a kernel gives a point away is a public choice, in meters",
            fix="name it behind the kernel, as in 'kernel 200'",
        )
    matrix = spread(net, float(_bandwidth(asked[1])))

    def rule(noisy: Vector, noise: Noise) -> Estimate:
        covariance = noise.variance * float(matrix.diagonal().sum())
        return estimated("kernel", noisy, matrix @ noisy, noise=noise, covariance=covariance)

    return "kernel", Own(kernel=rule)


def _bandwidth(text: str) -> Any:
    meters = rational(text, "the bandwidth")
    if 0 < meters <= _FARTHEST:
        return meters
    raise InputError(
        f"a bandwidth of {text_of(meters)} meters must be above 0 and at most {_FARTHEST:,}.",
        kind="out-of-range",
        why="it says how far a kernel gives a point away; it is public",
        fix="write a number of meters, as in 'kernel 200'",
    )


def spread(net: Net, bandwidth: float) -> Any:
    """Return the sparse matrix that gives each place's count to the places around it.

    Example: two places some 111 m apart; each keeps most of its own.
        >>> from .net import junctions
        >>> net = junctions([(0, 0), (0.001, 0)], [], within=50)
        >>> spread(net, 200.0).toarray().round(3).tolist()
        [[0.677, 0.323], [0.323, 0.677]]
    """
    import numpy as np

    sparse = needed("scipy.sparse")
    tree, many = needed("scipy.spatial").cKDTree(in_space(net.places)), len(net.places)
    if tree.count_neighbors(tree, bandwidth) > _MOST:
        raise InputError(
            f"the map has too many pairs of its {many:,} places within {bandwidth:g} meters.",
            kind="too-large-to-calculate",
            why=f"a kernel is kept as a list of pairs of places, of which at most {_MOST:,} fit",
            fix="choose a smaller bandwidth",
        )
    near = tree.query_pairs(bandwidth, output_type="ndarray")
    apart = np.linalg.norm(tree.data[near[:, 0]] - tree.data[near[:, 1]], axis=1) / bandwidth
    weights = np.maximum(0, 1 - apart**2) ** 2
    half = sparse.csr_array((weights, (near[:, 0], near[:, 1])), shape=(many, many))
    whole = (half + half.T + sparse.eye_array(many)).tocsr()
    return whole @ sparse.diags_array(1 / whole.sum(axis=0))
