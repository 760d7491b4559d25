"""What a figure is: the numbers that it plots, and how they are drawn.

Rules of this module:
- numbers come first: a picture is drawn from the curves that its CSV holds, and from nothing else;
- a curve belongs to a panel, and its points are pairs of floats, for display only;
- curves are computed from the laws; where a map needs noise, it is the law's quantiles in a fixed
  order without pattern: there is no seed, and no chance.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

Points = tuple[tuple[float, float], ...]
Curves = Mapping[tuple[str, str], Points]  # (panel, curve) to its points


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    Args:
        name: what to call it on the command line, and its files.
        redraws: which figure of which document it is.
        caption: what it shows and what it corrects.
        curves: computes the plotted numbers.
        draw: draws them.
    """

    name: str
    redraws: str
    caption: str
    curves: Callable[[], Curves]
    draw: "Callable[[Curves], Picture]"


def csv_of(curves: Curves) -> str:
    """Return the plotted numbers as CSV, twelve digits each.

    Example:
        >>> print(csv_of({("a", "line"): ((0.0, 1.0), (1.0, 0.1))}), end="")
        panel,curve,x,y
        a,line,0,1
        a,line,1,0.1
    """
    lines = ["panel,curve,x,y"]
    for (panel, curve), points in curves.items():
        lines += [f"{panel},{curve},{x:.12g},{y:.12g}" for x, y in points]
    return "\n".join(lines) + "\n"
