"""Graph trend filters: few jumps (order 0) or few bends (order 1) along the edges of a graph.

Few bends on a graph: the least of 1/2 |y - b|^2 + penalty |L b|_1, L the graph's Laplacian.

Rules of this module:
- order 0 minimizes 1/2 |y - b|^2 + penalty |D b|_1, D the differences along edges; order 1 puts the
  graph's Laplacian in the place of D;
- the penalty of least estimated risk is found by doubling, halving and one finer step; taken is the
  largest from it on whose risk is within one spread of the least, so that luck adds no piece;
  on a graph of more than 20,000 nodes it is found, and that is simulated, on a ball of 5,000;
- slopes count the pieces (order 0) or the bends (order 1), which is exact for Gaussian noise; for
  noise with heavier tails what is missing is simulated at the noise level;
- by alternating directions: `bends` stands for L b, and `force`, the dual, is held within the
  penalty; each step solves (I + rate L^2) b = y + rate L (bends - force / rate);
- (I + rate L^2)^-1 is the real part of (I + i sqrt(rate) L)^-1, whose factor has the pattern of the
  graph and is far sparser than that of L^2; its imaginary part gives L b without a product;
- the rate is balanced a few times, and each answer is the start of the next one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .graph import Graph, total_variation
from .noise import Noise, Vector, needed
from .stein import Estimate, apart, estimated, stand_in

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
    factors = linear.splu(
        system,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        relax=1,
        panel_size=1,
        options={"SymmetricMode": True},
    )
    return factors.solve  # type: ignore[no-any-return]


def _length(values: Vector) -> float:
    """Return the Euclidean norm, by one thread: a threaded product of long vectors mostly waits."""
    return math.sqrt(float(np.square(values).sum()))


HUGE = 200_000  # nodes beyond which order 1 is left out: 250,000 take 40 seconds and 730 MB
_LARGE = 20_000  # nodes
_FARTHEST = 10  # doublings or halvings of the penalty
_FINER = 0.5  # of a doubling
_HEAVY = 0.02  # fourth cumulant, in variances squared, from which Gaussian slopes are mended
_WORTH = 0.005  # of the raw risk: what a halving of the penalty must gain
_PILOT = 1.0  # the pilot's penalty, as an exponent


def trend_filter(noisy: Vector, noise: Noise, *, graph: Graph, order: int) -> Estimate:
    """Return the graph trend filter of order 0 or 1 with its penalty chosen by estimated risk.

    Raises:
        InputError: SciPy is not installed.

    Source: Wang, Sharpnack, Smola and Tibshirani 2016; slopes: Tibshirani and Taylor 2012.
    """
    name = f"trend_filter_{order}"
    if not noise.variance:
        return estimated(name, noisy, noisy, noise=noise, covariance=0.0)
    place: Any = slice(None)
    near = graph
    if graph.nodes > _LARGE:
        place = graph.ball(_LARGE // 4)
        near = graph.part(place)
    search = _Search(noisy[place], noise, _filter(near, noise, order), _filter(near, noise, order))
    exponent = search.plainest()
    values, slopes = search.plain(exponent)
    missing = search.missing(exponent) * noisy.size / values.size
    if near is not graph:
        values, slopes = _filter(graph, noise, order)(noisy, search.penalty(exponent))
    covariance = noise.variance * slopes + missing
    return estimated(name, noisy, values, noise=noise, covariance=covariance)


def filtered_with(
    noisy: Vector, noise: Noise, *, graph: Graph, order: int, penalty: float
) -> Estimate:
    """Return the graph trend filter of order 0 or 1 at a penalty of the caller's own.

    Example: the penalty is what a run's end is moved by, spread over the run.

        >>> from discreet.post.denoise.graph import line
        >>> from discreet.post.denoise.noise import gaussian
        >>> some = np.array([0.0, 0, 9, 9])
        >>> filtered_with(some, gaussian(1), graph=line(4), order=0, penalty=2).values.tolist()
        [1.0, 1.0, 8.0, 8.0]
    """
    name = f"trend_filter_{order}"
    if not noise.variance:
        return estimated(name, noisy, noisy, noise=noise, covariance=0.0)
    make = _filter(graph, noise, order)
    search = _Search(noisy, noise, make, _filter(graph, noise, order))
    exponent = math.log2(penalty / noise.sigma)
    values, slopes = search.plain(exponent)
    covariance = noise.variance * slopes + search.missing(exponent)
    return estimated(name, noisy, values, noise=noise, covariance=covariance)


def _filter(graph: Graph, noise: Noise, order: int) -> Filter:
    return _few_jumps(graph) if order == 0 else few_bends(graph, noise.sigma)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The search for the exponent of least estimated risk; what was found once is kept.

    Attributes:
        noisy, noise: what is filtered.
        filter_: for the noisy numbers.
        again: the same filter for simulated numbers, so that each starts where it left off.
    """

    noisy: Vector
    noise: Noise
    filter_: Filter
    again: Filter
    found: dict[float, tuple[Vector, float]] = field(default_factory=dict)
    mended: dict[float, float] = field(default_factory=dict)

    def penalty(self, exponent: float) -> float:
        """Return the penalty of an exponent of 2, in standard deviations."""
        return float(self.noise.sigma * 2.0**exponent)

    def best(self) -> float:
        """Return the exponent of least estimated risk."""
        best, way = 0.0, 1.0 if self._less(1.0, 0.0) else -1.0
        worth = 0.0 if way > 0 else _WORTH * self.noise.variance * self.noisy.size
        while abs(best) < _FARTHEST and self._less(best + way, best, by=worth):
            best += way
        half = (step for step in (_FINER, -_FINER) if self._less(best + step, best))
        return best + next(half, 0.0)

    def plainest(self) -> float:
        """Return the largest exponent from the best on that is within one spread of the best.

        Source: Breiman, Friedman, Olshen and Stone 1984 (the one-standard-error rule).
        """
        exponent = best = self.best()
        values = self.plain(best)[0]
        while exponent < _FARTHEST:
            other = self.plain(exponent + _FINER)[0]
            luck = apart(other, values, self.noisy - values, self.noise)
            more = self._risk(exponent + _FINER) - self._risk(best)
            if more > luck or not (other - values).any():
                break
            exponent += _FINER
        return exponent

    def plain(self, exponent: float) -> tuple[Vector, float]:
        """Return the filtered numbers and the slopes that they count."""
        if exponent not in self.found:
            self.found[exponent] = self.filter_(self.noisy, self.penalty(exponent))
        return self.found[exponent]

    def missing(self, exponent: float) -> float:
        """Return what Gaussian slopes leave out of the covariance, by simulation at the noise.

        Fixed stand-ins for the noise are added to a smooth pilot; slopes of 1 for a lonely spike
        would say sigma^2 where a heavy tail's spike brings its own, larger square.
        """
        if self.noise.fourth <= _HEAVY * self.noise.variance**2:
            return 0.0
        if exponent not in self.mended:
            pilot, _ = self.plain(_PILOT)
            drawn = stand_in(self.noise, self.noisy.size, 1)
            values, slopes = self.again(pilot + drawn, self.penalty(exponent))
            follows = float(drawn @ (values - pilot))
            self.mended[exponent] = max(0.0, follows - self.noise.variance * slopes)
        return self.mended[exponent]

    def _less(self, exponent: float, other: float, by: float = 0.0) -> bool:
        """Tell whether one risk is less; where it is not even without `missing`, that is spared."""
        most = self._risk(other) - by
        return self._least(exponent) < most and self._risk(exponent) < most

    def _risk(self, exponent: float) -> float:
        """Return the estimated risk, up to what no penalty changes."""
        return self._least(exponent) + 2 * self.missing(exponent)

    def _least(self, exponent: float) -> float:
        """Return the estimated risk, up to what no penalty changes, without `missing`."""
        values, slopes = self.plain(exponent)
        moved = values - self.noisy
        return float(moved @ moved) + 2 * self.noise.variance * slopes


def _few_jumps(graph: Graph) -> Filter:
    def filtered(noisy: Vector, penalty: float) -> tuple[Vector, float]:
        values, pieces = total_variation(noisy, graph, penalty)
        return values, float(pieces)

    return filtered
