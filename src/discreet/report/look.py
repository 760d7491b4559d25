"""One look for all figures: colors, type, axes and direct labels, and how a picture is written.

Rules of this module:
- the four colors stay apart for the color-blind (a test simulates the three kinds), and a label in
  the same color stands beside each curve, so that color is never the only sign;
- the same numbers give the same SVG: no date, no random names, letters as outlines;
- no state of pyplot: a picture is made, written and forgotten.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from .pictures import INK, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

    Points = Sequence[tuple[float, float]]

BLUE, ORANGE, GREEN, RED = "#005a9c", "#dd8a00", "#00a078", "#8b1a1a"
GRAY = QUIET
PALE = "#e4e8ec"
_LOOK: Any = {
    "svg.hashsalt": "discreet",
    "svg.fonttype": "path",
    "text.usetex": False,
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.unicode_minus": True,
}
_DPI = 100


def canvas(width: float, height: float) -> "Picture":
    """Return an empty picture, its size in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    made = Canvas(figsize=(width, height), dpi=_DPI, facecolor="white")
    FigureCanvasAgg(made)
    return made


def panel(axes: "Axes", title: str, *, x: str, y: str) -> "Axes":
    """Give axes their title, the words for both axes, and the quiet frame."""
    axes.set_title(title, loc="left", fontsize=9.5, color=INK, pad=8)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(GRAY)
    axes.tick_params(which="both", color=GRAY, labelcolor=INK, labelsize=8)
    axes.tick_params(which="minor", length=0)
    return axes


def line(
    axes: "Axes", points: "Points", color: str, *, style: str = "-", width: float = 1.6
) -> None:
    """Draw a curve."""
    axes.plot(*zip(*points, strict=True), style, color=color, linewidth=width)


def dots(axes: "Axes", points: "Points", color: str, *, size: float = 3.2, ends: int = 0) -> None:
    """Draw a law on whole numbers: a dot at each, with a thin line to lead the eye.

    The line leaves out so many points at each end.
    """
    inner = points[ends : len(points) - ends]
    axes.plot(*zip(*inner, strict=True), "-", color=color, linewidth=0.7, alpha=0.5)
    axes.plot(*zip(*points, strict=True), "o", color=color, markersize=size, markeredgewidth=0)


def label(axes: "Axes", at: Sequence[float], text: str, color: str = INK, **where: Any) -> None:
    """Write beside a curve; `ha` and `va` say which side of the place the words are."""
    axes.text(at[0], at[1], text, color=color, fontsize=8, linespacing=1.25, **where)


def svg_of(picture: "Picture") -> bytes:
    """Return a picture as SVG, the same bytes for the same picture."""
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    return _written(picture, "svg", nothing)


def png_of(picture: "Picture") -> bytes:
    """Return a picture as PNG."""
    return _written(picture, "png", {"Software": None})


def _written(picture: "Picture", form: str, metadata: dict[str, Any]) -> bytes:
    from matplotlib import rc_context

    out = BytesIO()
    with rc_context(_LOOK):
        picture.savefig(out, format=form, metadata=metadata)
    return out.getvalue()
