"""The brake: every denoiser that fits the numbers is tried, and one is taken, or none.

The choice: the plainest denoiser that no other clearly beats, and raw unless the gain is clear.

Denoisers that stand on what only a caller knows: taken by name alone, and never by "auto".

Rules of this module:
- a choice reads the noisy numbers and the noise law alone, both of which are public: whatever is
  computed from them has been paid for already (post-processing), so that choosing costs nothing;
- which one is taken, and when none, stands in `choice`;
- a denoiser that fails, for whatever reason, is left out and named: the numbers have been paid for;
- each candidate's risk is estimated without bias for the law of the noise, and so is the spread of
  a difference of two such estimates (see `stein`): the least of many is the luckiest, and a
  difference below 1.5 spreads may be luck alone;
- empirical Bayes fits a prior as plain as the numbers allow and stands for all that look at each
  number alone; the trend filters stand for the wavelets; what they stand for is taken only where
  it is clearly better. Of these three the one with the fewest degrees of freedom is taken that none
  with more clearly beats, or their mixture (see `stacked`) where that is clearly better still;
- raw is kept unless the estimated gain is at least 1 % of the raw risk and clear, that is beyond a
  share of its own spread, a larger one for few numbers; James and Stein's rules need not be clear:
  they do no harm on average, but would if they were taken only where luck makes their gain look
  large (they know of the 1 % themselves);
- where the numbers are counts, what is taken is rounded, and taken only if it still gains enough;
- an order, or a prior, is a public assumption: where it is wrong, the estimate is;
- the posterior mean has a flat prior on the whole numbers from 0 on: E[theta | y] is the sum of
  F(y - j) over j >= 1, over F(y), with F the chance that the noise is at most that;
- it is tabled on a lattice of at most a fortieth of the noise's deviation. Where that is coarser
  than 1 it is an approximation, below the sum: by 1 % at y = 0 and a deviation of 3,000, by more
  below; far above 0 it is the number itself, and far below 0 it is 0.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import floor
from typing import Any, Literal

import numpy as np

from ...errors import InputError, shown
from ...fix import write
from ...noise.law import Law
from .graph import Graph, graph_of, line
from .interval import raw_interval
from .james_stein import PLAIN, PRINTED, james_stein, soft_sure, soft_threshold, stacked
from .known_facts import at_least, monotone
from .noise import Noise, Vector, noise_of
from .own import NOTHING, OWN, Own
from .prior import empirical_bayes
from .stein import MATERIAL, Estimate, apart, error_of, estimated, most_error, raw, rounded, vague
from .trend_filter import HUGE, trend_filter
from .wavelets import tree_basis, tree_wavelets, wavelets

_APART = 1.5  # spreads of a difference that luck may make, about once in 15 comparisons
_CLEAR = 0.3  # of the spread: what the gain over raw must exceed
_NOTHING = 1e-9  # of the raw risk: what errors of floats may make a gain
SHORT = 1000  # numbers below which it must exceed more, by the root of what is missing
_HARMLESS = {"james_stein_zero", "james_stein_mean"}
_COVERED = {
    *(*_HARMLESS, "soft_universal", "soft_sure"),  # empirical Bayes stands for these
    *("wavelets_universal", "wavelets_sure"),  # trend filters stand for these
    *("tree_wavelets_universal", "tree_wavelets_sure"),
}


def chosen(
    noisy: Vector, noise: Noise, estimates: Sequence[Estimate], *, whole: bool = False
) -> Estimate:
    """Return the estimate to take, in whole numbers if they are counts; the first one is raw."""
    taken, kept = _best(noisy, noise, estimates), estimates[0]
    if not whole or taken is kept:
        return taken
    taken = rounded(taken)
    least = _NOTHING if taken.name in _HARMLESS else MATERIAL
    worth = kept.risk - taken.risk > least * kept.risk and (taken.values != noisy).any()
    return taken if worth else kept


def _best(noisy: Vector, noise: Noise, estimates: Sequence[Estimate]) -> Estimate:
    kept = estimates[0]
    if not noise.variance:
        return kept

    def clear(candidate: Estimate) -> bool:
        share, spread = _CLEAR, _apart(candidate, kept, noisy, noise)
        if candidate.name in _HARMLESS:
            return kept.risk - candidate.risk > _NOTHING * kept.risk
        if noisy.size < SHORT:
            share, spread = share * math.sqrt(SHORT / noisy.size), max(spread, candidate.spread)
        return kept.risk - candidate.risk > max(share * spread, MATERIAL * kept.risk)

    def beats(other: Estimate, candidate: Estimate) -> bool:
        return candidate.risk - other.risk > _APART * _apart(candidate, other, noisy, noise)

    def richness(candidate: Estimate) -> tuple[bool, float]:
        moved = candidate.values - noisy
        return candidate.name in _COVERED, candidate.risk - float(
            moved @ moved
        )  # by degrees of freedom

    left = sorted((estimate for estimate in estimates[1:] if clear(estimate)), key=richness)
    for place, estimate in enumerate(left):
        if not any(beats(other, estimate) for other in left[place + 1 :]):
            parts = [other for other in left if other.name not in _COVERED]
            mixed = stacked(noisy, noise, parts) if len(parts) > 1 else estimate
            return mixed if beats(mixed, estimate) else estimate
    return kept


def _apart(estimate: Estimate, other: Estimate, noisy: Vector, noise: Noise) -> float:
    """Return the spread of the difference, by the one that leaves more of each number."""
    rest = np.maximum(np.abs(noisy - estimate.values), np.abs(noisy - other.values))
    return apart(estimate.values, other.values, rest, noise)


ASSUMED, ON_LINE = ("posterior_mean",), ("isotonic_rising", "isotonic_falling")
_FINE = 40  # lattice steps in a deviation


def isotonic(noisy: Vector, noise: Noise, *, way: Literal["rising", "falling"]) -> Estimate:
    """Return the nearest numbers that never fall, or never rise.

    The covariance with Gaussian noise is one variance for each run of equal numbers.

    Source: Barlow and others 1972; of the risk, Meyer and Woodroofe 2000.

    Example:
        >>> from .noise import gaussian
        >>> isotonic(np.array([1.0, 3.0, 2.0]), gaussian(1), way="rising").values.tolist()
        [1.0, 2.5, 2.5]
    """
    values = monotone(noisy, way)
    runs = 1 + int(np.count_nonzero(np.diff(values)))
    return estimated(
        f"isotonic_{way}", noisy, values, noise=noise, covariance=runs * noise.variance
    )


def posterior_mean(noisy: Vector, noise: Noise) -> Estimate:
    """Return each number's posterior mean under a flat prior on the whole numbers from 0 on.

    Source: Bayes; of the risk, Stein's identity (`stein`).

    Example: what is below 0 is pulled up, and what is far above stays.

        >>> from .noise import gaussian
        >>> posterior_mean(np.array([-10.0, 0, 100]), gaussian(5)).values.round(1).tolist()
        [1.5, 3.7, 100.0]
    """
    step = max(1.0, floor(noise.sigma / _FINE))
    means, slopes = _tables(noise.on_lattice(step))
    reach = (means.size - 1) // 2
    lattice = np.arange(-reach, reach + 1, dtype=float)
    places = noisy / step
    inside = np.interp(places, lattice, means)
    values = np.where(places > reach, noisy, step * inside)
    covariance = noise.variance * float(np.interp(places, lattice, slopes).sum())
    return estimated("posterior_mean", noisy, values, noise=noise, covariance=covariance)


def assumed(*, ordered: bool) -> dict[str, Callable[[Vector, Noise], Estimate]]:
    """Return the rules that stand on what a caller assumes, which are never tried unasked."""
    rules: dict[str, Callable[[Vector, Noise], Estimate]] = {"posterior_mean": posterior_mean}
    if ordered:
        rules["isotonic_rising"] = lambda y, noise: isotonic(y, noise, way="rising")
        rules["isotonic_falling"] = lambda y, noise: isotonic(y, noise, way="falling")
    return rules


@lru_cache(maxsize=8)
def _tables(noise: Noise) -> tuple[Vector, Vector]:
    """Return the posterior mean at whole numbers around 0, and E[Z g] over the variance there."""
    reach = noise.reach()
    below = np.cumsum(noise.mass(reach))
    sums = np.concatenate([[0.0], np.cumsum(below)])[:-1]
    mean = sums / below
    beyond = mean[-1] + np.arange(1, 2 * reach + 1)
    means = np.concatenate([np.full(2 * reach, mean[0]), mean, beyond])
    weights = _weights(noise, reach)
    kernel = np.concatenate([-weights[::-1], [0.0], weights])
    made = np.convolve(means, kernel[::-1], mode="valid")
    away = (means.size - made.size) // 2
    middle = slice(away, means.size - away)
    at = np.arange(means.size, dtype=float)[middle] - (means.size - 1) / 2
    ends = np.arange(-2 * reach, 2 * reach + 1, dtype=float)
    slopes = np.interp(ends, at, made) / (2 * float(weights @ np.arange(1, weights.size + 1)))
    return means[reach : means.size - reach], slopes


def _weights(noise: Noise, reach: int) -> Vector:
    """Return Stein's weights s_1, s_2, ..., up to a factor.

    A Gaussian's are those of a derivative, here of the fourth order; where it is hardly wider than
    a step, only the first is left.
    """
    if noise.kind == "discrete_laplace":
        return np.asarray(np.exp(-np.arange(1, reach + 1) / noise.parameter), dtype=float)
    return np.ones(1) if noise.variance <= 1 else np.array([8.0, -1.0])


_ANYWHERE = (
    *("raw", "james_stein_zero", "james_stein_mean"),
    *("soft_universal", "soft_sure", "empirical_bayes"),
)
_IN_ORDER = ("wavelets_universal", "wavelets_sure")
_ON_GRAPH = ("tree_wavelets_universal", "tree_wavelets_sure")
_TRENDS = ("trend_filter_0", "trend_filter_1")
NAMES = ("auto", *_ANYWHERE, *_IN_ORDER, *_ON_GRAPH, *_TRENDS, *ASSUMED, *ON_LINE, *OWN, PRINTED)

Rule = Callable[[Vector, Noise], Estimate]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class CandidateError:
    """A candidate: its numbers, and its expected root mean square error per number."""

    name: str
    values: Vector
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class Denoised:
    """Denoised numbers, each with an interval that is still true.

    Attributes:
        values: one number for each noisy number.
        low, high: the raw interval of each number: it misses its truth with at most alpha.
        alpha: that chance.
        name: the denoiser that was taken, "raw" for none.
        raw_error: root mean square error of the raw numbers, known from the law.
        error: expected root mean square error of `values`, estimated from the noisy numbers; never
            below what one number's noise is, spread over all of them.
        most: what that error is at most, but for luck (`most_error`); of raw numbers their own.
        is_vague: whether it may be anything from nothing to `most`: the numbers do not tell more.
        candidates: what was expected of each candidate.
        failed: the names of the denoisers that could not be tried to the end.
    """

    values: Vector
    low: Vector
    high: Vector
    alpha: Fraction
    name: str
    raw_error: float
    error: float
    candidates: tuple[CandidateError, ...]
    failed: tuple[str, ...] = ()
    most: float = math.inf
    is_vague: bool = False

    def words(self) -> str:
        """Return the choice and what it is expected to bring, as a sentence."""
        before = f"{self.raw_error:.4g}"
        if self.name == "raw":
            return (
                f"The raw numbers are kept: their error is {before} a number (root mean square), "
                f"and {self.why_raw()}.{self.left_out()}"
            )
        more = "" if self.error < self.raw_error else "; that is no gain: keep raw"
        return (
            f"{self.name} is taken: its error is estimated at {self.error:.4g} a number (root mean "
            f"square{self.known()}), that of the raw numbers is {before}{more}. Choosing read only "
            "public numbers and cost no privacy; the intervals are the raw numbers' own."
            f"{self.left_out()}"
        )

    def known(self, unit: float = 1) -> str:
        """Return, where the numbers tell no more, between what their error is, as a clause.

        Args:
            unit: what the error is told in.
        """
        if not self.is_vague:
            return ""
        return f"; no more is known than that it is between 0 and {self.most / unit:.3g}"

    def why_raw(self) -> str:
        """Return why the numbers are raw, as a clause."""
        tried = len(self.candidates) - 1
        if tried > 1:
            return f"none of {tried} denoisers takes away clearly 1 % or more of the error"
        return "nothing is to be gained"

    def left_out(self) -> str:
        """Return which denoisers were not tried to the end, as a sentence after a space."""
        failed = f" {', '.join(self.failed)} could not be computed here." if self.failed else ""
        return f"{failed}{self._untried()}"

    def _untried(self) -> str:
        tried = {candidate.name for candidate in self.candidates}
        if self.values.size <= HUGE or set(_TRENDS) & tried != {"trend_filter_0"}:
            return ""
        return f" trend_filter_1 was left out: it takes minutes beyond {HUGE:,} numbers."


def denoise(  # noqa: PLR0913 - one call with all that is public of the numbers
    noisy: Sequence[float] | Vector,
    law: Law | Noise,
    how: str = "auto",
    *,
    graph: Any = None,
    ordered: bool = False,
    least: float | None = None,
    whole: bool = False,
    alpha: Fraction = Fraction(1, 20),
    own: Own = NOTHING,
    progress: Progress | None = None,
) -> Denoised:
    """Return the numbers after the denoiser that is expected to err least, or raw.

    Args:
        noisy: the noisy numbers.
        law: the noise of each, independent and alike.
        how: "auto", or the name of one denoiser.
        graph: pairs (i, j) of neighboring numbers, counted from 0, where the numbers lie on a map.
        ordered: whether neighbors in the list are alike (bins, hours); then wavelets are tried.
        least: a public fact: no truth is below this.
        whole: whether the answer is rounded to whole numbers, as counts in a table are.
        alpha: the chance that a number's interval misses its truth.
        own: a prior, the radius of an l1 ball, or the penalty of a trend filter (see `own_of`).
        progress: is called before each candidate with its name, its place from 1 on, and how many
            there are.

    Raises:
        InputError: a number is not finite, the graph does not fit, `how` names no denoiser, or a
            library of the extra `denoise` is missing.

    Example:
        >>> from discreet.post.denoise.noise import gaussian
        >>> found = denoise([5.0, 4, 6, 5, 5, 7, 3, 5, 4, 6], gaussian(3))
        >>> found.name, found.values.round(2).tolist()[:2]
        ('james_stein_mean', [5.0, 5.0])
    """
    numbers = _numbers(noisy)
    noise = law if isinstance(law, Noise) else noise_of(law)
    rules = _rules(numbers.size, graph, ordered=ordered)
    if how != "auto":
        on = line(numbers.size) if ordered and graph is None and numbers.size > 1 else graph
        more = PLAIN | assumed(ordered=ordered) | own.rules(_graph(on, numbers.size))
        rules = {"raw": raw, how: _named(rules | more, how)}
    estimates, failed = _tried(rules, numbers, noise, progress)
    taken = rounded(estimates[-1]) if whole and estimates[1:] else estimates[-1]
    if how == "auto":
        taken = _chosen(numbers, noise, estimates, failed, whole=whole)
    if not (taken.values != numbers).any():
        taken = estimates[0]
    values = taken.values if least is None else at_least(taken.values, least)
    low, high = raw_interval(numbers, law, alpha)
    if least is not None:
        low, high = at_least(low, least), at_least(high, least)
    expected = tuple(
        CandidateError(estimate.name, estimate.values, error_of(estimate, noise))
        for estimate in estimates
    )
    return Denoised(
        values=values,
        low=low,
        high=high,
        alpha=alpha,
        name=taken.name,
        raw_error=noise.sigma,
        error=error_of(taken, noise),
        candidates=expected,
        failed=tuple(failed),
        most=most_error(taken, noise),
        is_vague=vague(taken),
    )


def fits(how: str, count: int, *, ordered: bool, on_graph: bool, line: bool = False) -> bool:
    """Tell whether a denoiser of NAMES can be tried on so many numbers.
    `ordered`: each is next to the one behind it, perhaps in groups; `line`: all are one list.

    Example:
        >>> [fits("wavelets_sure", 20, ordered=line, on_graph=not line) for line in (True, False)]
        [True, False]
    """
    listed = ordered and count > 1
    names = ("auto", *_ANYWHERE, *_IN_ORDER * listed, *_ON_GRAPH * on_graph)
    trends = _TRENDS[: 1 if count > HUGE else 2] * (listed or on_graph)
    return how in (*names, *trends, *ASSUMED, *OWN, PRINTED, *ON_LINE * (listed and line))


def _tried(
    rules: dict[str, Rule], numbers: Vector, noise: Noise, progress: Progress | None
) -> tuple[list[Estimate], list[str]]:
    """Return what each rule found, raw first, and the names of those that failed."""
    estimates: list[Estimate] = []
    failed: list[str] = []
    for place, (name, rule) in enumerate(rules.items(), start=1):
        if progress is not None:
            progress(name, place, len(rules))
        try:
            estimate = rule(numbers, noise)
        except InputError:
            raise
        except Exception:  # noqa: BLE001 - no denoiser may lose a release that has been paid for
            failed.append(name)
            continue
        if np.isfinite(estimate.risk + estimate.spread) and np.isfinite(estimate.values).all():
            estimates.append(estimate)
        else:
            failed.append(name)
    return estimates, failed


def _chosen(
    numbers: Vector, noise: Noise, estimates: list[Estimate], failed: list[str], *, whole: bool
) -> Estimate:
    """Return the estimate to take; raw where the choice itself fails."""
    try:
        return chosen(numbers, noise, estimates, whole=whole)
    except InputError:
        raise
    except Exception:  # noqa: BLE001 - as above
        failed.append("auto")
        return estimates[0]


def _rules(count: int, graph: Any, *, ordered: bool) -> dict[str, Rule]:
    """Return the candidates by name, raw first; each costs little beside reading the numbers."""
    rules: dict[str, Rule] = {
        "raw": raw,
        "james_stein_zero": lambda y, noise: james_stein(y, noise, toward="zero"),
        "james_stein_mean": lambda y, noise: james_stein(y, noise, toward="mean"),
        "soft_universal": soft_threshold,
        "soft_sure": soft_sure,
        "empirical_bayes": empirical_bayes,
    }
    if ordered and count > 1:
        rules["wavelets_universal"] = lambda y, noise: wavelets(y, noise, universal=True)
        rules["wavelets_sure"] = wavelets
        rules |= _trends(line(count))
    on = _graph(graph, count)
    if on is not None:
        rules |= _trees(on) | _trends(on)
    return rules


def _graph(graph: Any, count: int) -> Graph | None:
    return graph if graph is None or isinstance(graph, Graph) else graph_of(graph, count)


def _trees(graph: Graph) -> dict[str, Rule]:
    basis = cache(lambda: tree_basis(graph))
    return {
        "tree_wavelets_universal": lambda y, noise: tree_wavelets(
            y, noise, basis=basis(), universal=True
        ),
        "tree_wavelets_sure": lambda y, noise: tree_wavelets(y, noise, basis=basis()),
    }


def _trends(graph: Graph) -> dict[str, Rule]:
    """Return both orders; order 1 takes minutes on a huge graph."""
    rules: dict[str, Rule] = {
        "trend_filter_0": lambda y, noise: trend_filter(y, noise, graph=graph, order=0)
    }
    if graph.nodes <= HUGE:
        rules["trend_filter_1"] = lambda y, noise: trend_filter(y, noise, graph=graph, order=1)
    return rules


def _named(rules: dict[str, Rule], how: str) -> Rule:
    if how not in rules:
        raise InputError(
            f"there is no denoiser {shown(how)!r} for these numbers.",
            kind="unknown-choice",
            why=f"there are {', '.join(rules)}; more with graph= or ordered=True",
            fix=write(how="auto"),
        )
    return rules[how]


def _numbers(noisy: Sequence[float] | Vector) -> Vector:
    """Return the numbers as floats, or raise InputError where one is none."""
    try:
        numbers = np.asarray(noisy, dtype=float)
        fit = numbers.ndim == 1 and numbers.size > 0 and bool(np.abs(numbers).max() < 1e150)
    except (TypeError, ValueError, OverflowError):
        fit = False
    if not fit:
        raise InputError(
            "these are not noisy numbers.",
            kind="wrong-numbers",
            why="a denoiser takes a list of finite numbers, at least one",
            fix="give one vector of a release, for example its noisy counts",
        )
    return numbers
