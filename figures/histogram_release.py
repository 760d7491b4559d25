"""A histogram over power laws, released and denoised: after appendix B of Balle and Wang 2018.

Rules of this module:
- the original settings are lost; ours are 1,000 bins, 100,000 records, delta = 1e-6;
- all errors are closed forms or one smooth integral (see `risks`); nothing is simulated.
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.calculator.formulas.gaussian import sigma_up
from discreet.calculator.formulas.gaussian_closed_forms import note_sigma_up
from discreet.report.look import BLUE, GRAY, GREEN, ORANGE, RED, canvas, label, line, panel

from .figure import Curves, Figure, Points
from .risks import Numbers, james_stein_risk, soft_risk

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

BINS, RECORDS = 1_000, 100_000
DELTA = Fraction(1, 10**6)
EPSILONS = ("0.001", "0.01", "0.1", "1")
POWERS = tuple(i / 4 for i in range(13))
_LOOKS = {
    "Laplace": (ORANGE, ":"),
    "geometric": (ORANGE, "-"),
    "classical Gaussian": (GRAY, "-"),
    "analytic Gaussian": (BLUE, "-"),
    "James-Stein": (GREEN, "-"),
    "soft threshold": (RED, "-"),
}


def counts(power: float) -> Numbers:
    """Return the histogram: the records shared out in proportion to i^-power, rounded."""
    share = np.arange(1, BINS + 1, dtype=float) ** -power
    return np.asarray(np.round(RECORDS * share / share.sum()), dtype=float)


def errors(epsilon: Fraction, truth: Numbers) -> dict[str, float]:
    """Return the root mean squared error of a bin, by rule."""
    one = Fraction(1)
    sigma = float(sigma_up(epsilon=epsilon, delta=DELTA, sensitivity=one))
    cut = sigma * math.sqrt(2 * math.log(BINS))
    stein = james_stein_risk(BINS, sigma, float(truth @ truth))
    return {
        "Laplace": math.sqrt(2) / float(epsilon),
        "geometric": math.sqrt(2 * math.exp(-float(epsilon))) / -math.expm1(-float(epsilon)),
        "classical Gaussian": float(note_sigma_up(epsilon=epsilon, delta=DELTA, sensitivity=one)),
        "analytic Gaussian": sigma,
        "James-Stein": math.sqrt(stein / BINS),
        "soft threshold": math.sqrt(float(soft_risk(truth, sigma, cut).mean())),
    }


def curves() -> Curves:
    """Return the error of each rule against the power, a panel for each epsilon."""
    truths = {power: counts(power) for power in POWERS}
    found: dict[tuple[str, str], Points] = {}
    for text in EPSILONS:
        rows = {power: errors(Fraction(text), truth) for power, truth in truths.items()}
        for name in _LOOKS:
            points = tuple((power, row[name]) for power, row in rows.items())
            found[f"epsilon = {text}", name] = points
    return found


def draw(found: Curves) -> "Picture":
    """Draw a panel for each epsilon, and the names of the curves beside the last."""
    from matplotlib.ticker import LogLocator, NullFormatter

    picture = canvas(12.4, 3.9)
    panels = picture.subplots(1, len(EPSILONS))
    for axes, text in zip(panels, EPSILONS, strict=True):
        panel(axes, f"ε = {text}", x="power p", y="error of a bin" if text == "0.001" else "")
        axes.set_yscale("log")
        for name, (color, style) in _LOOKS.items():
            line(axes, found[f"epsilon = {text}", name], color, style=style)
        axes.set_xlim(0, 3)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    ends = {name: found["epsilon = 1", name][-1][1] for name in _LOOKS}
    ends |= {"Laplace": 1.52, "geometric": 1.24, "James-Stein": 3.75, "analytic Gaussian": 4.5}
    for name, at in ends.items():
        label(panels[-1], (3.08, at), name, _LOOKS[name][0], va="center")
    picture.subplots_adjust(left=0.05, right=0.88, top=0.91, bottom=0.14, wspace=0.28)
    return picture


FIGURE = Figure(
    name="histogram-release",
    redraws="Balle and Wang 2018, appendix B, with settings of our own",
    caption=(
        "A histogram of 1,000 bins and 100,000 records that follow a power law, from flat "
        "(p = 0) to steep (p = 3), released at δ = 10⁻⁶ and denoised. Warnings. The soft "
        "threshold has a smaller error than the Gaussian noise alone only for steep laws "
        "or much noise. For many large counts, the threshold is up to four times worse "
        "than no denoising. In one histogram, each record is in one bin. Then plain "
        "geometric noise has a smaller error than every Gaussian curve here from ε = 0.1 "
        "on, except the threshold at the steepest law (13.6 against 14.1 at ε = 0.1). The "
        "settings of the paper are lost."
    ),
    curves=curves,
    draw=draw,
)
