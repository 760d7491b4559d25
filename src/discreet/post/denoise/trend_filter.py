"""Graph trend filters: few jumps (order 0) or few bends (order 1) along the edges of a graph.

Rules of this module:
- order 0 minimizes 1/2 |y - b|^2 + penalty |D b|_1, D the differences along edges; order 1 puts the
  graph's Laplacian in the place of D;
- the penalty is the one of least estimated risk, found by doubling, halving and one finer step;
  on a graph of more than 20,000 nodes it is found, and that is simulated, on a ball of 5,000;
- slopes count the pieces (order 0) or the bends (order 1), which is exact for Gaussian noise; for
  noise with heavier tails what is missing is simulated at the noise level.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .estimate import Estimate, estimated
from .graph import Graph
from .needs import needed
from .noise import Noise, Vector
from .signs import stand_in
from .total_variation import total_variation

Filter = Callable[[Vector, float], tuple[Vector, float]]  # numbers and penalty to values and slopes

LARGE = 20_000  # nodes
_FARTHEST = 10  # doublings or halvings of the penalty
_HEAVY = 0.02  # fourth cumulant, in variances squared, from which Gaussian slopes are mended
_PILOT = 2.0  # penalty of the pilot, in standard deviations
_STEPS = 300
_CLOSE = 1e-3


def trend_filter(noisy: Vector, noise: Noise, *, graph: Graph, order: int) -> Estimate:
    """Return the graph trend filter of order 0 or 1 with its penalty chosen by estimated risk.

    Raises:
        InputError: SciPy is not installed.

    Source: Wang, Sharpnack, Smola and Tibshirani 2016; slopes: Tibshirani and Taylor 2012.
    """
    filter_ = _filter(graph, noise, order)
    near: Filter = filter_
    place: Any = slice(None)
    if graph.nodes > LARGE:
        place = graph.ball(LARGE // 4)
        near = _filter(graph.part(place), noise, order)
    penalty, found = _least_risk(near, noisy[place], noise)
    values, slopes = found.values, found.slopes
    if near is not filter_:
        values, slopes = filter_(noisy, penalty)
    missing = found.missing * noisy.size / found.values.size
    covariance = noise.variance * slopes + missing
    name = f"trend_filter_{order}"
    return estimated(name, noisy, values, noise=noise, covariance=covariance)


def _filter(graph: Graph, noise: Noise, order: int) -> Filter:
    return _few_jumps(graph) if order == 0 else _few_bends(graph, noise.sigma)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What a filter gives at one penalty; `missing` is the covariance that slopes leave out."""

    values: Vector
    slopes: float
    missing: float


def _least_risk(filter_: Filter, noisy: Vector, noise: Noise) -> tuple[float, _Found]:
    """Return the penalty of least estimated risk, and what the filter gives there."""
    found: dict[float, _Found] = {}
    missing = _simulated(filter_, noisy, noise)

    def risk(exponent: float) -> float:
        if exponent not in found:
            penalty = noise.sigma * 2.0**exponent
            found[exponent] = _Found(*filter_(noisy, penalty), missing(penalty))
        one = found[exponent]
        moved = one.values - noisy
        return float(moved @ moved) + 2 * (noise.variance * one.slopes + one.missing)

    best, way = 0.0, 1.0 if risk(1.0) < risk(0.0) else -1.0
    while abs(best) < _FARTHEST and risk(best + way) < risk(best):
        best += way
    for step in (0.5, -0.5):
        if risk(best + step) < risk(best):
            best += step
            break
    return noise.sigma * 2.0**best, found[best]


def _simulated(filter_: Filter, noisy: Vector, noise: Noise) -> Callable[[float], float]:
    """Return what Gaussian slopes leave out of the covariance, by simulation at the noise level.

    Fixed stand-ins for the noise are added to a smooth pilot; slopes of 1 for a lonely spike would
    say sigma^2 where a heavy tail's spike brings its own, larger square.
    """
    if noise.fourth <= _HEAVY * noise.variance**2:
        return lambda _: 0.0
    pilot, _ = filter_(noisy, noise.sigma * _PILOT)
    drawn = stand_in(noise, noisy.size, 1)

    def missing(penalty: float) -> float:
        again, slopes = filter_(pilot + drawn, penalty)
        return max(0.0, float(drawn @ (again - pilot)) - noise.variance * slopes)

    return missing


def _few_jumps(graph: Graph) -> Filter:
    def filtered(noisy: Vector, penalty: float) -> tuple[Vector, float]:
        values, pieces = total_variation(noisy, graph, penalty)
        return values, float(pieces)

    return filtered


def _few_bends(graph: Graph, sigma: float) -> Filter:
    """Order 1 by alternating directions: one sparse factor a penalty, its solution kept as a start.

    Source: Boyd and others 2011, section 6.4.1 (generalized lasso).
    """
    sparse = needed("scipy.sparse")
    linear = needed("scipy.sparse.linalg")
    bend = graph.laplacian()
    square, one = (bend @ bend).tocsc(), sparse.identity(graph.nodes, format="csc")
    pieces, label = graph.pieces()
    start = {"bends": np.zeros(graph.nodes), "pull": np.zeros(graph.nodes)}

    def filtered(noisy: Vector, penalty: float) -> tuple[Vector, float]:
        rate = 2 * penalty / sigma
        system = (one + rate * square).tocsc()
        options = {"SymmetricMode": True}
        solve = linear.splu(system, permc_spec="MMD_AT_PLUS_A", options=options).solve
        bends, pull = start["bends"], np.clip(start["pull"], -penalty, penalty) / rate
        values = noisy
        for _ in range(_STEPS):
            values = solve(noisy + rate * (bend @ (bends - pull)))
            moved = bend @ values + pull
            before, bends = bends, moved - np.clip(moved, -penalty / rate, penalty / rate)
            pull = moved - bends
            apart = _length(bend @ values - bends)
            drift = _length(bends - before)
            if max(apart, drift) <= _CLOSE * max(_length(bends), sigma):
                break
        start["bends"], start["pull"] = bends, pull * rate
        held = np.bincount(label, weights=bends != 0, minlength=pieces)
        return values, float(np.maximum(held, 1).sum())

    return filtered


def _length(values: Vector) -> float:
    return float(np.linalg.norm(values))
