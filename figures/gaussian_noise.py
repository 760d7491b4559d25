"""Classical and analytic Gaussian noise: figure 1 of Balle and Wang 2018, panels (a) and (b).

Rules of this module:
- the classical formula is drawn beyond its proof only where the curve says so.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.calculator.formulas.gaussian import sigma_up
from discreet.calculator.formulas.gaussian_closed_forms import note_sigma_up
from discreet.report.look import BLUE, GRAY, GREEN, ORANGE, PALE, RED, canvas, label, line, panel
from discreet.report.pictures import INK

from .figure import Curves, Figure, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

DELTAS = {"1e-2": RED, "1e-4": ORANGE, "1e-6": GREEN, "1e-8": BLUE}
_DECADES, _STEPS = 6, 8
_HALVINGS = 40
_ONE = Fraction(1)
_LEVELS = {
    "1e-2": (1.2e-6, 17),
    "1e-4": (1.2e-6, 1700),
    "1e-6": (1.2e-6, 7e4),
    "1e-8": (1.2e-6, 3e7),
}
_PLACES = {"1e-2": (0.36, 5.2), "1e-4": (0.25, 2.65), "1e-6": (0.25, 2.02), "1e-8": (0.8, 1.28)}

Sigma = Callable[[Fraction, Fraction], Fraction]  # of epsilon and delta, at sensitivity 1


def gain(epsilon: Fraction, delta: Fraction) -> float:
    """Return the classical variance over the analytic one."""
    return float(_classical(epsilon, delta) / _analytic(epsilon, delta)) ** 2


def fails_from(delta: Fraction) -> float:
    """Return the epsilon from which on the classical sigma is too small, by halving."""
    low, high = _ONE, Fraction(16)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if gain(middle, delta) > 1 else (low, middle)
    return float(high)


def curves() -> Curves:
    """Return both sigmas as epsilon falls, their gain as it grows, and where the old one fails."""
    found: dict[tuple[str, str], Points] = {}
    powers = [10 ** (i / _STEPS) for i in range(_DECADES * _STEPS + 1)]
    grid = [Fraction(round(power * 10**6), 10 ** (_DECADES + 6)) for power in powers]
    shares = [Fraction(i, 100) for i in (*range(1, 20), *range(20, 101, 5))]
    further = [Fraction(i, 4) for i in range(4, 49)]
    for text in DELTAS:
        delta = Fraction(text)
        name = f"delta = {text}"
        found["sigma", f"analytic {name}"] = _points(grid, _analytic, delta)
        found["sigma", f"classical {name}"] = _points(grid, _classical, delta)
        limit = float(_analytic(Fraction(0), delta))
        found["sigma", f"limit {name}"] = ((0.0, limit),)
        found["gain", name] = tuple((float(e), gain(e, delta)) for e in shares)
        found["gain beyond 1", name] = tuple((float(e), gain(e, delta)) for e in further)
        found["fails from", name] = ((fails_from(delta), 1.0),)
    return found


def _analytic(epsilon: Fraction, delta: Fraction) -> Fraction:
    return sigma_up(epsilon=epsilon, delta=delta, sensitivity=_ONE)


def _classical(epsilon: Fraction, delta: Fraction) -> Fraction:
    return note_sigma_up(epsilon=epsilon, delta=delta, sensitivity=_ONE)


def _points(grid: list[Fraction], sigma: Sigma, delta: Fraction) -> Points:
    return tuple((float(epsilon), float(sigma(epsilon, delta))) for epsilon in grid)


def draw(found: Curves) -> "Picture":
    """Draw sigma on the left, and the gain on the right in two pieces that share their height."""
    picture = canvas(10.4, 4.3)
    sigma, proved, beyond = picture.subplots(1, 3, width_ratios=(1.35, 1, 0.55))
    _draw_sigma(sigma, found)
    _draw_gain(proved, beyond, found)
    picture.subplots_adjust(left=0.065, right=0.985, top=0.9, bottom=0.125, wspace=0.22)
    left, right = proved.get_position(), beyond.get_position()
    beyond.set_position((left.x1 + 0.012, right.y0, right.x1 - left.x1 - 0.012, right.height))
    return picture


def _draw_sigma(axes: "Axes", found: Curves) -> None:
    panel(axes, "(a) Noise for a sensitivity of 1", x="ε", y="σ")
    axes.set_xscale("log")
    axes.set_yscale("log")
    for text, color in DELTAS.items():
        name = f"delta = {text}"
        line(axes, found["sigma", f"classical {name}"], color, style="--", width=0.8)
        line(axes, found["sigma", f"analytic {name}"], color)
        label(axes, _LEVELS[text], f"δ = {_power(text)}", color, va="center")
    axes.plot([1.35e-6, 1.35e-6], [1.4e6, 1.6e7], color=BLUE, linewidth=0.7)
    order = ", ".join(_power(text) for text in reversed(DELTAS))
    label(axes, (1.5e-4, 4e5), f"classical (dashed): no limit;\nfrom the top δ = {order}", INK)
    label(axes, (1.2e-6, 250), "exact (solid): levels off at 0.4 / δ", INK)
    axes.set_xlim(1e-6, 1)
    axes.set_ylim(1, 1e8)


def _draw_gain(proved: "Axes", beyond: "Axes", found: Curves) -> None:
    panel(proved, "(b) Classical variance over analytic variance", x="ε", y="times")
    panel(beyond, "", x="ε above 1: no proof", y="")
    for text, color in DELTAS.items():
        name = f"delta = {text}"
        line(proved, found["gain", name], color)
        points, fails = found["gain beyond 1", name], found["fails from", name][0][0]
        line(beyond, tuple(p for p in points if p[0] <= fails), color, width=0.9)
        line(beyond, tuple(p for p in points if p[0] >= fails), color, style=":", width=1.4)
        beyond.plot([fails], [1], "o", color=color, markersize=4)
    for axes in (proved, beyond):
        axes.set_yscale("log")
        axes.set_ylim(0.6, 20)
        axes.axhline(1.5, color=GRAY, linewidth=1, linestyle=(0, (4, 3)))
        axes.set_yticks([1, 1.5, 2, 3, 5, 10, 20], ["1", "1.5", "2", "3", "5", "10", "20"])
    beyond.axhspan(0.6, 1, color=PALE, linewidth=0)
    beyond.spines["left"].set_visible(False)
    beyond.tick_params(axis="y", which="both", length=0, labelleft=False)
    label(proved, (0.03, 1.44), "1.5: a third removed", INK, va="top")
    for text, place in _PLACES.items():
        label(proved, place, f"δ = {_power(text)}", DELTAS[text])
    label(beyond, (1.3, 0.62), "too little noise:\nnot private", INK, va="bottom")
    proved.set_xlim(0, 1)
    beyond.set_xlim(1, 12)
    beyond.set_xticks([4, 8, 12])


def _power(text: str) -> str:
    return "10" + text[2:].translate(str.maketrans("-2468", "⁻²⁴⁶⁸"))


FIGURE = Figure(
    name="gaussian-noise",
    redraws="Balle and Wang 2018, figure 1, panels (a) and (b)",
    caption=(
        "Gaussian noise by the classical formula and by the exact (analytic) calibration. "
        "Panel (a): as ε falls to 0, the exact σ reaches a limit of about 0.4 / δ, and "
        "the classical σ grows without limit. Panel (b): the saving. Corrected: the paper "
        "says that the exact calibration removes at least a third of the variance. A "
        "third less variance is a ratio of 1.5, but at ε = 1 and δ = 10⁻⁸ the ratio is "
        "1.43. Added: the classical formula has no proof beyond ε = 1. From the dots on "
        "(ε = 6.8, 8.0, 8.8 and 9.4), the classical formula adds too little noise, and is "
        "not private. The values of δ in the paper are lost, so the values here are our "
        "own."
    ),
    curves=curves,
    draw=draw,
)
