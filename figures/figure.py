"""What a figure is: the numbers that it plots, and how they are drawn.

Rules of this module:
- numbers come first: a picture is drawn from the curves that its CSV holds, and from nothing else;
- a curve belongs to a panel, and its points are pairs of floats, for display only;
- curves are computed from the laws; where a map needs noise, it is the law's quantiles in a fixed
  order without pattern: there is no seed, and no chance.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
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
        wide: a curve that its panels have at the same points, as maps do: its numbers go into a
            table of their own, a column for each panel.
    """

    name: str
    redraws: str
    caption: str
    curves: Callable[[], Curves]
    draw: "Callable[[Curves], Picture]"
    wide: str | None = None

    def tables(self, curves: Curves) -> dict[str, str]:
        """Return the plotted numbers as CSV, by what follows the figure's name."""
        found = {".csv": csv_of({at: curves[at] for at in curves if at[1] != self.wide})}
        if self.wide is not None:
            maps = {
                panel: points for (panel, curve), points in curves.items() if curve == self.wide
            }
            found[f"-{self.wide}.csv"] = wide_csv_of(self.wide, maps)
        return found


def csv_of(curves: Curves) -> str:
    """Return the plotted numbers as CSV, twelve digits each.

    Example:
        >>> print(csv_of({("a", "line"): ((0.0, 1.0), (1.0, 0.1))}), end="")
        panel,curve,x,y
        a,line,0,1
        a,line,1,0.1
    """
    rows = [
        (panel, curve, *map(_digits, point))
        for (panel, curve), points in curves.items()
        for point in points
    ]
    return _csv([("panel", "curve", "x", "y"), *rows])


def wide_csv_of(name: str, panels: Mapping[str, Points]) -> str:
    """Return what several panels have at the same points as CSV, a column for each panel.

    Example:
        >>> print(wide_csv_of("place", {"a": ((0.0, 5.0),), "b": ((0.0, 4.5),)}), end="")
        place,a,b
        0,5,4.5
    """
    rows = [
        (_digits(points[0][0]), *(_digits(y) for _, y in points))
        for points in zip(*panels.values(), strict=True)
    ]
    return _csv([(name, *panels), *rows])


def _digits(number: float) -> str:
    return f"{number:.12g}"


def _csv(rows: Iterable[Sequence[str]]) -> str:
    text = StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
