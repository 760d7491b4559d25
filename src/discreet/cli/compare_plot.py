"""The picture of a comparison: the error of each law against the budget.

Rules of this module:
- every point is one comparison at that budget; floats are only drawn;
- both axes are logarithmic, so that an error of 0 is not drawn.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..calculator.compare import Comparison, compare
from ..exact.number import text_of
from ..report.look import BLUE, GRAY, GREEN, ORANGE, RED, canvas, label, line, panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

_WIDTH, _HEIGHT = 7.0, 4.2
_STEPS = 8  # points for each factor of ten
_LOOKS = {
    "geometric": (BLUE, "-"),
    "laplace": (ORANGE, ":"),
    "discrete_gaussian": (GREEN, "-"),
    "gaussian": (RED, "--"),
    "classical_gaussian": (GRAY, "-."),
}
_APART = 0.045  # two labels stand at least this share of the height apart

Curve = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """For each law its points (budget, error), and the budget that was asked for."""

    name: str
    asked: float
    laws: dict[str, Curve]


def curves(comparison: Comparison) -> Curves:
    """Return the error of each law from a tenth of the budget to ten times it."""
    budget = comparison.budget
    name = "rho" if budget.rho is not None else "epsilon"
    asked = budget.rho if budget.rho is not None else budget.epsilon or Fraction(1)
    points: dict[str, list[tuple[float, float]]] = {}
    for step in range(-_STEPS, _STEPS + 1):
        at = asked * Fraction(10 ** (step / _STEPS)).limit_denominator(10**6)
        for choice in _at(comparison, name, at).choices:
            if choice.error > 0:
                points.setdefault(choice.law, []).append((float(at), float(choice.error)))
    return Curves(name, float(asked), {law: tuple(made) for law, made in points.items()})


def drawn(comparison: Comparison) -> "Picture":
    """Return error against budget as a picture with a label beside each curve."""
    made = curves(comparison)
    picture = canvas(_WIDTH, _HEIGHT)
    axes = panel(
        picture.add_axes((0.09, 0.13, 0.68, 0.76)),
        f"Error exceeded with a chance of at most {text_of(comparison.alpha)}",
        x=f"{made.name} (delta = {text_of(comparison.budget.delta)})"
        if comparison.budget.delta
        else made.name,
        y="error of one number",
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.axvline(made.asked, color=GRAY, linewidth=0.8, linestyle=(0, (2, 3)))
    for law, points in made.laws.items():
        color, style = _LOOKS[law]
        line(axes, points, color, style=style)
    for law, x, y in _places(made, axes.get_ylim()):
        label(axes, (x * 1.06, y), law.replace("_", " "), _LOOKS[law][0], va="center", ha="left")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    return picture


def _places(made: Curves, limits: tuple[float, float]) -> list[tuple[str, float, float]]:
    """Return where each label stands: at its curve's end, clear of the label below it."""
    apart = (limits[1] / limits[0]) ** _APART
    ends: list[tuple[str, float, float]] = []
    for law, points in sorted(made.laws.items(), key=lambda item: item[1][-1][1]):
        x, y = points[-1]
        below = [other for _, at, other in ends if at == x]
        ends.append((law, x, max([y, *(other * apart for other in below)])))
    return ends


def _at(comparison: Comparison, name: str, budget: Fraction) -> Comparison:
    moves = comparison.moves
    return compare(
        alpha=comparison.alpha,
        epsilon=budget if name == "epsilon" else None,
        delta=comparison.budget.delta if name == "epsilon" else None,
        rho=budget if name == "rho" else None,
        l1=moves.l1,
        l2=_root(moves.l2_squared),
        linf=moves.linf,
        coordinates=moves.coordinates,
    )


def _root(square: Fraction) -> Fraction:
    from ..exact.enclosure import sqrt_up

    return sqrt_up(square)
