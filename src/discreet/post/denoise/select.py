"""The brake: every denoiser that fits the numbers is tried, and one is taken, or none.

Rules of this module:
- a choice reads the noisy numbers and the noise law alone, both of which are public: whatever is
  computed from them has been paid for already (post-processing), so that choosing costs nothing;
- which one is taken, and when none, stands in `choice`;
- a denoiser that fails, for whatever reason, is left out and named: the numbers have been paid for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from ...errors import InputError, shown
from ...fix import write
from ...noise.law import Law
from .by_name import ASSUMED, ON_LINE, assumed
from .empirical_bayes import empirical_bayes
from .estimate import Estimate, raw, rounded
from .graph import Graph, graph_of, line
from .interval import raw_interval
from .james_stein import PLAIN, james_stein
from .known_facts import at_least
from .noise import Noise, Vector, noise_of
from .selection_rule import chosen
from .soft_threshold import soft_sure, soft_threshold
from .tree_wavelets import tree_basis, tree_wavelets
from .trend_filter import HUGE, trend_filter
from .wavelets import wavelets

_ANYWHERE = (
    *("raw", "james_stein_zero", "james_stein_mean"),
    *("soft_universal", "soft_sure", "empirical_bayes"),
)
_IN_ORDER = ("wavelets_universal", "wavelets_sure")
_ON_GRAPH = ("tree_wavelets_universal", "tree_wavelets_sure")
_TRENDS = ("trend_filter_0", "trend_filter_1")
NAMES = ("auto", *_ANYWHERE, *_IN_ORDER, *_ON_GRAPH, *_TRENDS, *ASSUMED, *ON_LINE)

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
            f"square), that of the raw numbers is {before}{more}. Choosing read only public "
            f"numbers and cost no privacy; the intervals are the raw numbers' own.{self.left_out()}"
        )

    def why_raw(self) -> str:
        """Return why the numbers are raw, as a clause."""
        tried = len(self.candidates) - 1
        if tried > 1:
            return f"none of {tried} denoisers promises a clear gain of 1 % or more"
        return "nothing is to be gained"

    def left_out(self) -> str:
        """Return which denoisers were not tried to the end, as a sentence after a space."""
        failed = f" {', '.join(self.failed)} could not be computed here." if self.failed else ""
        return f"{failed}{self._untried()}"

    def _untried(self) -> str:
        tried = {one.name for one in self.candidates}
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
        rules = {"raw": raw, how: _named(rules | PLAIN | assumed(ordered=ordered), how)}
    found, failed = _tried(rules, numbers, noise, progress)
    taken = rounded(found[-1]) if whole and found[1:] else found[-1]
    if how == "auto":
        taken = _chosen(numbers, noise, found, failed, whole=whole)
    if not (taken.values != numbers).any():
        taken = found[0]
    values = taken.values if least is None else at_least(taken.values, least)
    low, high = raw_interval(numbers, law, alpha)
    if least is not None:
        low, high = at_least(low, least), at_least(high, least)
    expected = tuple(CandidateError(one.name, one.values, _each(one, noise)) for one in found)
    return Denoised(
        values=values,
        low=low,
        high=high,
        alpha=alpha,
        name=taken.name,
        raw_error=noise.sigma,
        error=_each(taken, noise),
        candidates=expected,
        failed=tuple(failed),
    )


def fits(how: str, count: int, *, ordered: bool, on_graph: bool, line: bool = False) -> bool:
    """Tell whether a denoiser of NAMES can be tried on so many numbers.
    `ordered`: each is next to the one behind it, perhaps in groups; `line`: all are one list.

    Example:
        >>> [fits("wavelets_sure", 20, ordered=line, on_graph=not line) for line in (True, False)]
        [True, False]
    """
    listed = ordered and count > 1
    found = ("auto", *_ANYWHERE, *_IN_ORDER * listed, *_ON_GRAPH * on_graph)
    trends = _TRENDS[: 1 if count > HUGE else 2] * (listed or on_graph)
    return how in (*found, *trends, *ASSUMED, *ON_LINE * (listed and line))


def _tried(
    rules: dict[str, Rule], numbers: Vector, noise: Noise, progress: Progress | None
) -> tuple[list[Estimate], list[str]]:
    """Return what each rule found, raw first, and the names of those that failed."""
    found: list[Estimate] = []
    failed: list[str] = []
    for place, (name, rule) in enumerate(rules.items(), start=1):
        if progress is not None:
            progress(name, place, len(rules))
        try:
            one = rule(numbers, noise)
        except InputError:
            raise
        except Exception:  # noqa: BLE001 - no denoiser may lose a release that has been paid for
            failed.append(name)
            continue
        if np.isfinite(one.risk + one.spread) and np.isfinite(one.values).all():
            found.append(one)
        else:
            failed.append(name)
    return found, failed


def _chosen(
    numbers: Vector, noise: Noise, found: list[Estimate], failed: list[str], *, whole: bool
) -> Estimate:
    """Return the estimate to take; raw where the choice itself fails."""
    try:
        return chosen(numbers, noise, found, whole=whole)
    except InputError:
        raise
    except Exception:  # noqa: BLE001 - as above
        failed.append("auto")
        return found[0]


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
    if graph is not None:
        on = graph if isinstance(graph, Graph) else graph_of(graph, count)
        rules |= _trees(on) | _trends(on)
    return rules


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
            why="a denoiser takes a list of finite numbers, at least one",
            fix="give one vector of a release, for example its noisy counts",
        )
    return numbers


def _each(one: Estimate, noise: Noise) -> float:
    """Return the root mean square error, of which one number's noise is the least that is said."""
    return float(np.sqrt(max(noise.variance, one.risk) / one.values.size))
