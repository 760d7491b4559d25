"""Frequencies and proportions with Laplace noise: document 002, figures 1 to 4.

Rules of this module:
- the document draws 10,000 numbers; here the densities and quantiles themselves are shown;
- its data-dependent scale is drawn to be seen, marked as not private.
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.calculator.formulas.laplace import accuracy_up, coverage_up, note_halfwidth_up
from discreet.calculator.formulas.proportions import (
    note_local_sensitivity_not_private,
    release_scale,
)
from discreet.report.look import BLUE, GRAY, RED, canvas, label, line, panel
from discreet.report.pictures import INK

from .figure import Curves, Figure, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

EPSILON, SIZE = Fraction(1), 1000
RAREST = {100: "figures 1 and 2", 500: "figures 3 and 4"}
_REACH, _STEPS = 0.008, 80
_PERCENTS = (1, 2, 5, *range(10, 50, 10))
_RIGHT, _PRINTED = "frequencies / n", "proportions as printed"


def scales(rarest: int) -> dict[str, Fraction]:
    """Return the scale of the noise on k / n: the right one, and the printed one."""
    right = release_scale(way="public_size", epsilon=EPSILON) / SIZE
    printed = note_local_sensitivity_not_private(size=SIZE, rarest=rarest) / EPSILON
    return {_RIGHT: right, _PRINTED: printed}


def curves() -> Curves:
    """Return densities, quantiles and half-widths of both releases for both data sets."""
    found: dict[tuple[str, str], Points] = {}
    for rarest in RAREST:
        by_name = scales(rarest)
        for name, scale in by_name.items():
            found[f"density k = {rarest}", name] = _density(scale)
            found[f"half-width k = {rarest}", name] = _halfwidths(scale)
        pairs = [_quantiles(scale) for scale in by_name.values()]
        found[f"quantiles k = {rarest}", _PRINTED] = tuple(zip(*pairs, strict=True))
        found[f"quantiles k = {rarest}", _RIGHT] = tuple((x, x) for x in pairs[0])
    return found


def _density(scale: Fraction) -> Points:
    b = float(scale)
    places = [_REACH * i / _STEPS for i in range(-_STEPS, _STEPS + 1)]
    return tuple((t, math.exp(-abs(t) / b) / (2 * b)) for t in places)


def _quantiles(scale: Fraction) -> list[float]:
    """Return the quantiles at 1 % to 99 %."""
    lower = [
        -float(accuracy_up(rate=1 / scale, alpha=Fraction(p, 100), sides="one-sided"))
        for p in _PERCENTS
    ]
    return [*lower, 0.0, *(-q for q in reversed(lower))]


def _halfwidths(scale: Fraction) -> Points:
    """Return the coverage and half-width of the printed interval, and of the one for 99 %."""
    printed = note_halfwidth_up(rate=1 / scale)
    true = accuracy_up(rate=1 / scale, alpha=Fraction(1, 100))
    return ((float(coverage_up(widths=printed / scale)), float(printed)), (0.99, float(true)))


def draw(found: Curves) -> "Picture":
    """Draw densities on the left, quantiles on the right, one row for each data set."""
    picture = canvas(9.2, 7.4)
    rows = picture.subplots(2, 2, width_ratios=(1.5, 1))
    for (rarest, which), (density, quantiles) in zip(RAREST.items(), rows, strict=True):
        _draw_density(density, found, rarest, which)
        _draw_quantiles(quantiles, found, rarest)
    picture.subplots_adjust(
        left=0.075, right=0.98, top=0.95, bottom=0.075, hspace=0.36, wspace=0.26
    )
    return picture


def _draw_density(axes: "Axes", found: Curves, rarest: int, which: str) -> None:
    share = f"A true share of {rarest / SIZE:g}, n = {SIZE:,}, ε = {float(EPSILON):g} ({which})"
    panel(axes, share, x="error of the released share", y="density")
    right, printed = (found[f"density k = {rarest}", name] for name in (_RIGHT, _PRINTED))
    line(axes, printed, RED)
    line(axes, right, BLUE)
    peak = printed[_STEPS][1]
    label(axes, (0.0004, peak * 0.96), "proportions as printed: not private", RED, va="center")
    words = "frequencies / n, and proportions\nwith the right scale"
    label(axes, (0.0014, right[_STEPS + 14][1] * 1.1), words, BLUE, va="bottom")
    widths = found[f"half-width k = {rarest}", _RIGHT]
    for (covers, half), below in zip(widths, (0.07, 0.19), strict=True):
        axes.plot([-half, half], [-below * peak] * 2, "|-", color=BLUE, linewidth=1.3, markersize=6)
        words = f"{covers:.1%} inside" if covers < 0.9 else f"{covers:.0%} inside"
        label(axes, (half + 0.0003, -below * peak), words, BLUE, va="center")
    label(axes, (-0.001, -0.07 * peak), "printed as 99%", INK, ha="right", va="center")
    axes.set_xlim(-_REACH, _REACH)
    axes.set_ylim(-0.25 * peak, 1.06 * peak)
    axes.set_yticks([0, 250, 500, *([750, 1000] if rarest == 500 else [])])


def _draw_quantiles(axes: "Axes", found: Curves, rarest: int) -> None:
    panel(axes, "Quantiles, 1% to 99%", x="frequencies / n", y="proportions")
    printed = found[f"quantiles k = {rarest}", _PRINTED]
    right = found[f"quantiles k = {rarest}", _RIGHT]
    axes.plot([-0.005, 0.005], [-0.005, 0.005], color=GRAY, linewidth=1, linestyle=(0, (4, 3)))
    axes.plot(*zip(*right, strict=True), "o", color=BLUE, markersize=4, markerfacecolor="white")
    axes.plot(*zip(*printed, strict=True), "o", color=RED, markersize=4)
    slope = printed[-1][1] / printed[-1][0]
    label(axes, (0.0002, -0.0026), f"as printed: slope {slope:.3f},\nnot private", RED, va="top")
    label(axes, (-0.0047, 0.0025), "right scale: on y = x", BLUE)
    axes.set_xlim(-0.005, 0.005)
    axes.set_ylim(-0.005, 0.005)
    axes.set_xticks([-0.004, 0, 0.004])
    axes.set_yticks([-0.004, 0, 0.004])


FIGURE = Figure(
    name="proportions",
    redraws="document 002, figures 1 to 4",
    caption=(
        "The share of one label among 1,000 records, released at ε = 1 as a noisy count "
        "divided by n, and as a noisy proportion. Corrected: the document scales the "
        "noise of the proportion by the sensitivity of the actual data, (n - k) / (n (n - "
        "1)). This scale reveals k, and one record can make the scale 0, so the narrower "
        "red curves are not private. With the right sensitivity, 1 / n, both releases "
        "have the same law, and there is no gain (blue; on y = x). The interval that the "
        "document gives for 99 % covers 49.5 %; 99 % needs 6.74 times its width. The "
        "curves are exact laws; the document shows random draws."
    ),
    curves=curves,
    draw=draw,
)
