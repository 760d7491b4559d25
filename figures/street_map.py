"""Real pick-ups on the real street graph of Manhattan, where somebody has the data.

Rules of this module:
- the data is read from a folder that the caller names; nothing of it is in the project;
- the truth is used to measure errors and is not drawn; noise is as in `heat_map`.
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.calculator.formulas.gaussian import sigma_up
from discreet.document.regular import regular
from discreet.errors import InputError, shown
from discreet.maps.earth import meters
from discreet.maps.net import Net
from discreet.maps.roads import MOST_BYTES, read_net
from discreet.post.denoise.noise import gaussian
from discreet.post.denoise.select import denoise
from discreet.post.denoise.stein import stand_in
from discreet.post.denoise.trend_filter import trend_filter
from discreet.report.heatmap import Ground, Layer, drawn

from .figure import Curves, Figure, Points
from .heat_map import Numbers, root_mean_square

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

NAME = "street-map"
REDRAWS = "Balle and Wang 2018, figure 2, on real data in a folder of yours"
ROADS, POINTS = "nyc-roads.json", "nyc-pickups.json"
EPSILONS = ("0.01", "0.05", "0.1", "0.5", "1")
DELTA = Fraction(1, 10**6)
WITHIN = 150
_SHOWN = ("0.01", "0.1")
_FIRST, _DRAWS = 200, 3


def figure(folder: Path) -> Figure:
    """Return the figure of the data in a folder.

    Raises:
        InputError: the folder does not hold nyc-roads.json and nyc-pickups.json.
    """
    net, true = read(folder)
    return Figure(
        name=NAME,
        redraws=REDRAWS,
        caption=(
            f"Pick-ups within {WITHIN} m of a junction in Manhattan, one trip protected, δ = 10⁻⁶:"
            " raw, and cleaned as the brake chooses."
            " Errors are root mean squares a junction, over three orders of the noise."
        ),
        curves=lambda: _curves(net, true),
        draw=lambda found: _draw(net, found),
    )


def read(folder: Path) -> tuple[Net, Numbers]:
    """Return the street graph, and how many pick-ups are near each junction."""
    net = read_net(folder / ROADS, within=WITHIN, largest=True)
    try:
        found = np.array(json.loads(regular(folder / POINTS, MOST_BYTES)), dtype=float)
        lon, lat, times = found.T
    except (OSError, ValueError):
        raise InputError(
            f"{shown(folder / POINTS)} is no list of [longitude, latitude, number].",
            why="the figure is drawn from data that discreet does not have",
            fix=f"give a folder with {ROADS} and {POINTS}, or draw: python -m figures heat-map",
        ) from None
    place = net.snap(lon, lat)
    there = place >= 0
    counts = np.bincount(place[there], weights=times[there], minlength=len(net.places))
    return net, np.asarray(counts, dtype=float)


def errors(net: Net, true: Numbers, epsilon: str, *, draws: int) -> dict[str, float]:
    """Return the root mean squared error a junction, by rule, over some orders of the noise."""
    found = [_released(net, true, epsilon, draw) for draw in range(draws)]
    return {
        name: sum(root_mean_square(one[name] - true) for one in found) / draws for name in found[0]
    }


def _released(net: Net, true: Numbers, epsilon: str, draw: int) -> dict[str, Numbers]:
    sigma = sigma_up(epsilon=Fraction(epsilon), delta=DELTA, sensitivity=Fraction(1))
    law, graph = gaussian(float(sigma)), net.graph()
    noisy = true + stand_in(law, true.size, _FIRST + draw)
    found = {"raw": noisy, "auto": denoise(noisy, law, graph=graph, least=0).values}
    if graph is not None:
        found["trend filter"] = trend_filter(noisy, law, graph=graph, order=0).values
    return found


def _curves(net: Net, true: Numbers) -> Curves:
    found: dict[tuple[str, str], Points] = {}
    measured = {text: errors(net, true, text, draws=_DRAWS) for text in EPSILONS}
    for name in measured[EPSILONS[0]]:
        found["error", name] = tuple((float(text), measured[text][name]) for text in EPSILONS)
    for text in _SHOWN:
        for name, values in _released(net, true, text, 0).items():
            pairs = enumerate(values.round(1).tolist())
            found[f"epsilon = {text}", name] = tuple((float(i), value) for i, value in pairs)
    return found


def _draw(net: Net, found: Curves) -> "Picture":
    ground = Ground(meters(net.places), net.edges, net.shape)
    layers, most = [], 1.0
    for text in _SHOWN:
        for name in ("raw", "auto"):
            error = dict(found["error", name])[float(text)]
            values = np.array([value for _, value in found[f"epsilon = {text}", name]])
            layers.append(Layer(f"ε = {text}, {name}\nerror {error:.3g} a junction", values))
            most = max(most, float(values.max()) if name != "raw" else most)
    return drawn(ground, layers, most=most, words="pick-ups at each junction")
