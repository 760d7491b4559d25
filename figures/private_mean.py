"""The mean of vectors, released and denoised: figure 1 of Balle and Wang 2018, panels (c) and (d).

Rules of this module:
- 500 points around a center drawn from N(0, I), each coordinate within 1/2 of it: their mean's
  coordinates have the variance 1 + 1 / (12 n), and all errors have closed forms (see `risks`);
- root mean squares over centers and noise, where the paper draws the average of 100 lengths; the
  two agree within 1 % from d = 50 on.
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.calculator.formulas.gaussian import sigma_up
from discreet.calculator.formulas.gaussian_closed_forms import note_sigma_up
from discreet.report.look import BLUE, GRAY, GREEN, ORANGE, RED, canvas, label, line, panel

from .figure import Curves, Figure, Points
from .risks import james_stein_risk_of_gaussian, soft_risk_of_gaussian

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

POINTS = 500
DELTA = Fraction(1, 10_000)
EPSILONS = {"0.01": "c", "0.1": "d"}
DIMENSIONS = (5, 10, 20, 50, 100, 200, 300, 500, 700, 1000, 1500, 2000)
VARIANCE = 1 + 1 / (12 * POINTS)
_LOOKS = {
    "Laplace": (ORANGE, "-"),
    "classical Gaussian": (GRAY, "-"),
    "analytic Gaussian": (BLUE, "-"),
    "James-Stein": (GREEN, ":"),
    "James-Stein, positive part": (GREEN, "-"),
    "soft threshold": (RED, "-"),
    "answer 0": (GRAY, "--"),
}
_NAMES = {
    "Laplace": "Laplace",
    "classical Gaussian": "classical",
    "analytic Gaussian": "analytic",
    "James-Stein": "James-Stein",
    "James-Stein, positive part": "positive part",
    "soft threshold": "soft threshold",
    "answer 0": "answer 0",
}
_LABELS = {  # where each label stands, at d = 2,000, in the order of the curves
    "0.01": (25_000, 1_740, 690, 115, 62, 35, 20),
    "0.1": (2_530, 185, 108, 20, 30, 68, 45),
}


def errors(epsilon: Fraction, dimension: int) -> dict[str, float]:
    """Return the root mean squared length of the error, by rule."""
    one = Fraction(1)
    noise = sigma_up(epsilon=epsilon, delta=DELTA, sensitivity=one)
    classical = note_sigma_up(epsilon=epsilon, delta=DELTA, sensitivity=one)
    d, root = dimension, math.sqrt(dimension)
    each = float(noise) * root / POINTS
    cut = each * math.sqrt(2 * math.log(d))
    plain, positive = (
        math.sqrt(james_stein_risk_of_gaussian(d, VARIANCE, each, positive=side))
        for side in (False, True)
    )
    return {
        "Laplace": d / (POINTS * float(epsilon)) * math.sqrt(2 * d),
        "classical Gaussian": float(classical) * d / POINTS,
        "analytic Gaussian": float(noise) * d / POINTS,
        "James-Stein": plain,
        "James-Stein, positive part": positive,
        "soft threshold": math.sqrt(d * soft_risk_of_gaussian(VARIANCE, each, cut)),
        "answer 0": math.sqrt(d * VARIANCE),
    }


def curves() -> Curves:
    """Return the error of each rule against the dimension, a panel for each epsilon."""
    found: dict[tuple[str, str], Points] = {}
    for text in EPSILONS:
        rows = [errors(Fraction(text), d) for d in DIMENSIONS]
        for name in _LOOKS:
            points = zip(DIMENSIONS, rows, strict=True)
            found[f"epsilon = {text}", name] = tuple((float(d), row[name]) for d, row in points)
    return found


def draw(found: Curves) -> "Picture":
    """Draw both panels, with logarithmic axes."""
    picture = canvas(10.4, 4.5)
    for axes, (text, letter) in zip(picture.subplots(1, 2), EPSILONS.items(), strict=True):
        panel(axes, f"({letter}) ε = {text}, δ = 10⁻⁴, 500 points", x="dimension d", y="error")
        _draw_panel(axes, found, text)
    picture.subplots_adjust(left=0.065, right=0.9, top=0.91, bottom=0.12, wspace=0.42)
    return picture


def _draw_panel(axes: "Axes", found: Curves, text: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for (name, (color, style)), at in zip(_LOOKS.items(), _LABELS[text], strict=True):
        line(axes, found[f"epsilon = {text}", name], color, style=style)
        label(axes, (2_150, at), _NAMES[name], color, va="center")
    axes.set_xlim(5, 2_000)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")


FIGURE = Figure(
    name="private-mean",
    redraws="Balle and Wang 2018, figure 1, panels (c) and (d)",
    caption=(
        "The mean of 500 vectors, released with noise and denoised: the length of the "
        "error, by dimension. Warnings. The noise fits a cube with sides of 1 around a "
        "center. The release is private only if the cube is public, and in the paper the "
        "center of the cube comes from the data. At ε = 0.01, the denoised curves show "
        "the error of the answer 0, which needs no data. From d = 50 on, the soft "
        "threshold is within 0.4 % of this error. At ε = 0.1, the threshold is worse than "
        "no denoising up to d = 200; at ε = 1, it is worse for every d up to 2,000. If "
        "the noise is large, the plain James-Stein estimate flips signs. The positive "
        "part of the estimate does not flip signs, and discreet offers this positive "
        "part. The second ε of the paper is lost; 0.1 is our own."
    ),
    curves=curves,
    draw=draw,
)
