"""A clamped count: document 003, figure 2.1.

Rules of this module:
- the law is computed, where the document seems to have drawn from it.
"""

from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.calculator.formulas.clamped_geometric import ClampedGeometric
from discreet.report.look import BLUE, GREEN, ORANGE, canvas, dots, label, panel
from discreet.report.pictures import INK

from .figure import Curves, Figure, Points

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

EPSILON, UPPER = Fraction(1, 10), 30
TRUTHS = {19: BLUE, 20: ORANGE, 21: GREEN}


def law() -> ClampedGeometric:
    """Return the law of the figure: counts from 0 to 30 at epsilon = 0.1."""
    return ClampedGeometric(EPSILON, sensitivity=1, lower=0, upper=UPPER)


def masses(truth: int) -> Points:
    """Return the chance of each released count."""
    return tuple((float(y), float(mass)) for y, mass in enumerate(law().masses(truth=truth)))


def curves() -> Curves:
    """Return the laws at three neighboring true counts."""
    return {("clamped", f"true count {truth}"): masses(truth) for truth in TRUTHS}


def draw(found: Curves) -> "Picture":
    """Draw the three laws over one another."""
    picture = canvas(7.2, 3.7)
    axes = picture.add_subplot()
    panel(axes, "A count between 0 and 30, clamped, at ε = 0.1", x="released count", y="chance")
    for truth, color in TRUTHS.items():
        points = found["clamped", f"true count {truth}"]
        dots(axes, points, color, size=4.4 if truth == 20 else 3.4, ends=1)
        end = points[UPPER]
        label(axes, (end[0] + 0.5, end[1]), f"true count {truth}", color, va="center")
    middle = found["clamped", "true count 20"]
    label(axes, (0.7, middle[0][1]), f"{middle[0][1]:.1%} of all releases say 0", INK, va="center")
    label(
        axes,
        (28.9, middle[UPPER][1]),
        f"{middle[UPPER][1]:.1%} say 30",
        INK,
        ha="right",
        va="center",
    )
    label(
        axes,
        (20, 0.058),
        "from one true count to the next, each\nchance changes by a factor of e^0.1 = 1.105",
        ha="center",
    )
    axes.set_xlim(-0.7, 34)
    axes.set_yticks([0, 0.05, 0.1, 0.15, 0.2])
    axes.set_ylim(0, 0.22)
    axes.set_xticks(range(0, UPPER + 1, 5))
    picture.subplots_adjust(left=0.09, right=0.98, top=0.9, bottom=0.14)
    return picture


FIGURE = Figure(
    name="clamped-count",
    redraws="document 003, figure 2.1",
    caption=(
        "Geometric noise at ε = 0.1 on a count between the public bounds 0 and 30, "
        "clamped to them. Noise beyond a bound piles up at the bound. From one true count "
        "to the next, every chance changes by a factor of exactly e^0.1 or e^-0.1. This "
        "is the whole privacy guarantee. Corrected: at a true count of 20 the ends get "
        "7.1 % and 19.3 %, together 26.4 %. The document says about 7.5 % and 25 %, and "
        "no true count gives these two numbers."
    ),
    curves=curves,
    draw=draw,
)
