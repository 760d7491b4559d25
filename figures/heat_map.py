"""A heat map on a street graph, made up: figure 2 of Balle and Wang 2018, on a stand-in.

Rules of this module:
- the taxi data of the paper cannot be had; graph and signal are public inventions of the same size:
  a grid of 44 by 86 junctions with 368 roads taken out so that it stays connected;
- which roads, and where noise falls, is a fixed pattern without order (see `signs`): noise is the
  law's quantiles, each once, in five such orders. The truth is drawn because it is made up.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet.calculator.formulas.gaussian import sigma_up
from discreet.calculator.formulas.gaussian_closed_forms import note_sigma_up
from discreet.post.denoise.graph import Graph, total_variation
from discreet.post.denoise.james_stein import james_stein, soft_threshold
from discreet.post.denoise.known_facts import at_least
from discreet.post.denoise.noise import Noise, gaussian, needed
from discreet.post.denoise.stein import raw, scrambled, stand_in
from discreet.post.denoise.trend_filter import trend_filter
from discreet.post.denoise.wavelets import tree_basis, tree_wavelets
from discreet.report.heatmap import Ground, Layer, drawn

from .figure import Curves, Figure, Points

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

ROWS, COLUMNS, ROADS = 44, 86, 7_070
EPSILON, DELTA, TRIPS = Fraction(1), Fraction(1, 10**6), 5
DRAWS = 5
PENALTIES = (10, 20, 30, 45, 70, 100)
_FIRST = 100  # the first order of noise; lower ones are used by denoisers
_SHOWN = ("analytic Gaussian", "tree wavelets", "trend filter")
_MOST = 125.0

Numbers = NDArray[np.float64]
Rule = Callable[[Numbers, Noise], Numbers]


def graph() -> Graph:
    """Return the grid less the roads that are left out; it stays connected."""
    sparse = needed("scipy.sparse.csgraph")
    at = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:])]
    ends = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    whole = Graph(at.size, ends.astype(np.int64))
    order = 1 + scrambled(len(ends), _FIRST).astype(float) / 2.0**64
    tree = sparse.minimum_spanning_tree(whole.matrix(order)).tocoo()
    kept = set(zip(*np.sort([tree.row, tree.col], axis=0).tolist(), strict=True))
    free = [i for i, pair in enumerate(ends.tolist()) if tuple(pair) not in kept]
    out = sorted(free, key=lambda i: float(order[i]))[: len(ends) - ROADS]
    return Graph(at.size, np.delete(whole.ends, out, axis=0))


def truth() -> Numbers:
    """Return the made-up pick-ups at each junction."""
    r, c = np.indices((ROWS, COLUMNS)).astype(float)
    found = 5 + 120 * np.exp(-((r - 12) ** 2 + (c - 20) ** 2) / 50)
    found += 80 * np.exp(-((r - 30) ** 2 + (c - 55) ** 2) / 98)
    found += 60 * ((r >= 18) & (r < 24) & (c >= 40) & (c < 50))
    return np.asarray(np.round(found), dtype=float).ravel()


def noise() -> Noise:
    """Return the analytic Gaussian noise for five trips to one place."""
    return gaussian(float(sigma_up(epsilon=EPSILON, delta=DELTA, sensitivity=Fraction(TRIPS))))


def rules(streets: Graph) -> Mapping[str, Rule]:
    """Return what is compared, by name."""
    basis = tree_basis(streets)
    return {
        "analytic Gaussian": lambda y, z: raw(y, z).values,
        "not below 0": lambda y, _: at_least(y),
        "James-Stein, positive part": lambda y, z: james_stein(y, z, toward="zero").values,
        "soft threshold": lambda y, z: soft_threshold(y, z).values,
        "tree wavelets, universal": lambda y, z: (
            tree_wavelets(y, z, basis=basis, universal=True).values
        ),
        "tree wavelets": lambda y, z: tree_wavelets(y, z, basis=basis).values,
        "trend filter": lambda y, z: trend_filter(y, z, graph=streets, order=0).values,
    }


def root_mean_square(error: Numbers) -> float:
    """Return the root mean square of errors."""
    return float(np.sqrt(np.mean(error**2)))


def curves() -> Curves:
    """Return the maps of the first draw, and the errors of all draws and of some penalties."""
    streets, true, law = graph(), truth(), noise()
    classical = note_sigma_up(epsilon=EPSILON, delta=DELTA, sensitivity=Fraction(TRIPS))
    noisy = [true + stand_in(law, true.size, _FIRST + draw) for draw in range(1, DRAWS + 1)]
    found: dict[tuple[str, str], Points] = {("truth", "junctions"): _points(true)}
    errors: dict[str, list[float]] = {"classical Gaussian": [float(classical)] * DRAWS}
    for name, rule in rules(streets).items():
        values = [rule(numbers, law) for numbers in noisy]
        errors[name] = [root_mean_square(one - true) for one in values]
        if name in _SHOWN:
            found[name, "junctions"] = _points(values[0].round(1))
    for name, each in errors.items():
        found["error", name] = tuple((float(i), error) for i, error in enumerate(each, 1))
    by_penalty = {p: total_variation(noisy[0], streets, float(p))[0] for p in PENALTIES}
    found["error by penalty", "trend filter"] = tuple(
        (float(p), root_mean_square(values - true)) for p, values in by_penalty.items()
    )
    return found


def _points(values: Numbers) -> Points:
    return tuple((float(i), float(value)) for i, value in enumerate(values.tolist()))


def draw(found: Curves) -> "Picture":
    """Draw the truth and three releases of it on one scale, with their errors."""
    titles = {"analytic Gaussian": "Analytic Gaussian noise"}
    layers = [Layer("Truth (made up)\n65,145 pick-ups at 3,784 junctions", _values(found, "truth"))]
    for name in _SHOWN:
        errors = [y for _, y in found["error", name]]
        title = titles.get(name, name.capitalize())
        mean = sum(errors) / len(errors)
        layers.append(Layer(f"{title}\nerror {mean:.3g} a junction", _values(found, name)))
    y, x = np.indices((ROWS, COLUMNS)).astype(float)
    xy = np.stack([x.ravel(), y.ravel()], axis=1)
    ground = Ground(xy, np.empty((0, 2), dtype=np.int64), (ROWS, COLUMNS))
    return drawn(ground, layers, most=_MOST, words="pick-ups at each junction", tall=1.7)


def _values(found: Curves, name: str) -> Numbers:
    return np.array([value for _, value in found[name, "junctions"]])


FIGURE = Figure(
    name="heat-map",
    redraws="Balle and Wang 2018, figure 2, with made-up data of the same size",
    caption=(
        "A heat map of pick-ups on a street graph, released at ε = 1 and δ = 10⁻⁶ for "
        "cabs with at most five trips, and denoised. All maps share one scale, and errors "
        "are root mean squares over five orders of the noise. The data of the paper is "
        "not available. The graph and the pick-ups are made up, so this figure may show "
        "the truth. Warnings. The universal soft threshold, applied to the counts "
        "themselves, is worse than no denoising (26 against 21). The same threshold helps "
        "on the wavelets of a spanning tree, because few of these coefficients are large. "
        "James-Stein, the other denoiser of the paper, is no better than moving negative "
        "counts to 0. The values of ε, δ and the trips in the paper are lost; the values "
        "here are our own."
    ),
    curves=curves,
    draw=draw,
    wide="junctions",
)
