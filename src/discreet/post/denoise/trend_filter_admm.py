"""Few bends on a graph: the least of 1/2 |y - b|^2 + penalty |L b|_1, L the graph's Laplacian.

Rules of this module:
- by alternating directions: `bends` stands for L b, and `force`, the dual, is held within the
  penalty; each step solves (I + rate L^2) b = y + rate L (bends - force / rate);
- (I + rate L^2)^-1 is the real part of (I + i sqrt(rate) L)^-1, whose factor has the pattern of the
  graph and is far sparser than that of L^2; its imaginary part gives L b without a product;
- the rate is balanced a few times, and each answer is the start of the next one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .graph import Graph
from .noise import Vector
from .optional import needed

Filter = Callable[[Vector, float], tuple[Vector, float]]  # numbers and penalty to values and slopes

_STEPS = 300
_CLOSE, _LITTLE = 1e-3, 3e-3  # of the bends, and of the noise: which error is small enough
_RELAXED = 1.8
_EVERY, _BALANCED = 10, 80  # how often the rate is looked at, and up to which step
_UNEVEN, _MOST = 3.0, 10.0  # from which imbalance on it is changed, and how much at most
_TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """Where the steps are; `stiff` is the rate over the penalty."""

    bends: Vector
    force: Vector
    stiff: float


def few_bends(graph: Graph, sigma: float) -> Filter:
    """Return the filter of order 1; its slopes count the bends, and one for a piece without any.

    Args:
        graph: which numbers are neighbors.
        sigma: the standard deviation of their noise, above 0.

    Raises:
        InputError: SciPy is not installed.

    Source: Boyd and others 2011, sections 3.4.1, 3.4.3 and 6.4.1 (generalized lasso).

    Example: a straight line bends at its ends alone, and stays straight.

        >>> from discreet.post.denoise.graph import line
        >>> few_bends(line(5), 1.0)(np.array([0.0, 1, 2, 3, 4]), 0.1)[0].round(2).tolist()
        [0.04, 1.02, 2.0, 2.98, 3.96]
    """
    laplacian = graph.laplacian()
    pieces, label = graph.pieces()
    at = _Split(np.zeros(graph.nodes), np.zeros(graph.nodes), 2 / sigma)

    def filtered(noisy: Vector, penalty: float) -> tuple[Vector, float]:
        nonlocal at
        values, at = _descended(noisy, penalty, at, laplacian, sigma)
        held = np.bincount(label, weights=at.bends != 0, minlength=pieces)
        return values, float(np.maximum(held, 1).sum())

    return filtered


def _descended(
    noisy: Vector, penalty: float, at: _Split, laplacian: Any, sigma: float
) -> tuple[Vector, _Split]:
    """Return the values, and where the steps ended."""
    rate = at.stiff * penalty
    solve, root = _solver(laplacian, rate), math.sqrt(rate)
    bends, pull = at.bends, np.clip(at.force, -penalty, penalty) / rate
    values = noisy
    for step in range(1, _STEPS + 1):
        aim = bends - pull
        both = solve(noisy + 1j * root * aim)
        values, bent = both.real, aim - both.imag / root
        moved = _RELAXED * bent + (1 - _RELAXED) * bends + pull
        before, bends = bends, moved - np.clip(moved, -penalty / rate, penalty / rate)
        pull = moved - bends
        apart, drift = bent - bends, bends - before
        near = min(_CLOSE * max(_length(bends), sigma), _LITTLE * sigma * math.sqrt(noisy.size))
        if max(_length(apart), _length(drift)) <= near:
            break
        if step % _EVERY == 0 and step <= _BALANCED:
            primal = _length(apart) / max(_length(bent), _length(bends), _TINY)
            dual = _length(laplacian @ drift) / max(_length(laplacian @ pull), _TINY)
            change = min(max(math.sqrt(primal / max(dual, _TINY)), 1 / _MOST), _MOST)
            if not 1 / _UNEVEN <= change <= _UNEVEN:
                rate, pull = rate * change, pull / change
                solve, root = _solver(laplacian, rate), math.sqrt(rate)
    return np.asarray(values, dtype=float), _Split(bends, pull * rate, rate / penalty)


def _solver(laplacian: Any, rate: float) -> Callable[[Any], Any]:
    """Return the function that solves (I + i sqrt(rate) L) w = given.

    No pivots are sought: the real part of the matrix is the identity, so that none is small. One
    column at a time: wider panels are given to threads that wait for each other far longer.
    """
    sparse, linear = needed("scipy.sparse"), needed("scipy.sparse.linalg")
    system = (sparse.identity(laplacian.shape[0]) + 1j * math.sqrt(rate) * laplacian).tocsc()
    found = linear.splu(
        system,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        relax=1,
        panel_size=1,
        options={"SymmetricMode": True},
    )
    return found.solve  # type: ignore[no-any-return]


def _length(values: Vector) -> float:
    """Return the Euclidean norm, by one thread: a threaded product of long vectors mostly waits."""
    return math.sqrt(float(np.square(values).sum()))
