"""Every answer of a release with its error bars, as a Matplotlib figure.

Rules of this module:
- no state of pyplot: a figure is made, returned and forgotten;
- text is never read as mathematics, and cannot steer what shows it;
- dark blue and gray alone carry meaning, so that the picture survives any eye and any printer.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..text import visible
from .document import Document, Released
from .figures import Figure, group_text, percent
from .reading import alpha_of, has_bins, labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

INK, POINT, QUIET = "#1f2933", "#1d4e89", "#8a94a0"
ROWS_SHOWN = 120
_ROW_INCHES, _PANEL_INCHES, _WIDTH_INCHES = 0.19, 1.15, 7.5
_LONGEST = 40
_SALT = "discreet"
_LOOK: Any = {"svg.hashsalt": _SALT, "svg.fonttype": "path", "text.usetex": False, "font.size": 9.0}

Row = tuple[str, Figure | None, Figure, Figure]


def figure(document: Document) -> "Picture":
    """Return a figure with one panel a statistic; a rehearsal says so across each of them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    heights = [_PANEL_INCHES + _ROW_INCHES * _shown(found) for found in document.statistics]
    made = Canvas(figsize=(_WIDTH_INCHES, sum(heights)), layout="constrained")
    FigureCanvasAgg(made)
    panels = made.subplots(len(heights), 1, squeeze=False, height_ratios=heights)
    covers = percent(alpha_of(document))
    for panel, label, released in zip(
        panels[:, 0], labels(document), document.statistics, strict=True
    ):
        _draw(panel, label, released, covers)
        if document.kind == "rehearsal":
            _watermark(panel)
    return made


def svg_of(document: Document, at: int) -> str:
    """Return the panel of one statistic as SVG: the same document gives the same text.

    Args:
        document: the release.
        at: the statistic's place in the document, from 0.
    """
    from matplotlib import rc_context

    one = document.model_copy(update={"statistics": [document.statistics[at]]})
    text = BytesIO()
    with rc_context(_LOOK):
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure(one).savefig(text, format="svg", metadata=nothing, transparent=True)
    return text.getvalue().decode("utf-8")


def _draw(panel: "Axes", label: str, released: Released, covers: str) -> None:
    rows = rows_of(released)
    shown = rows[:ROWS_SHOWN]
    more = len(rows) - len(shown)
    title = f"{_short(label)}, with {covers} intervals"
    if more:
        title += f" (first {len(shown)} of {len(rows):,})"
    panel.set_title(title, loc="left", fontsize=10, color=INK, parse_math=False)
    places = list(range(len(shown)))
    panel.set_yticks(places, [_short(row[0]) for row in shown], parse_math=False)
    panel.set_ylim(len(shown) - 0.4, -0.6)
    (_bars if has_bins(released) else _points)(panel, places, shown)
    _set_limits(panel, shown, from_zero=counts(released))
    _calm(panel)


def _points(panel: "Axes", places: Sequence[int], rows: Sequence[Row]) -> None:
    for place, (_, value, low, high) in zip(places, rows, strict=True):
        color = QUIET if value is None else POINT
        panel.plot([low, high], [place, place], color=color, linewidth=1.6, solid_capstyle="butt")
        if value is not None:
            panel.plot([value], [place], "o", color=POINT, markersize=4)


def _bars(panel: "Axes", places: Sequence[int], rows: Sequence[Row]) -> None:
    panel.barh(places, [row[1] or 0 for row in rows], height=0.86, color=POINT, alpha=0.45)
    for place, (_, _, low, high) in zip(places, rows, strict=True):
        panel.plot([low, high], [place, place], color=INK, linewidth=1.2, solid_capstyle="butt")


def rows_of(released: Released) -> list[Row]:
    """Return the rows of an answer as their words, value, low and high."""
    bins = has_bins(released)
    found: list[Any] = [
        (group_text(index, bins=bins), value, low, high)
        for *index, value, low, high in released.answer.rows
    ]
    return found


def counts(released: Released) -> bool:
    """Tell whether a statistic adds up, so that its picture begins at zero."""
    return str(released.question.get("statistic")) != "mean"


def _set_limits(panel: "Axes", rows: Sequence[Row], *, from_zero: bool) -> None:
    told = [row for row in rows if row[1] is not None] or rows
    low = min(min(row[2], row[2] if row[1] is None else row[1]) for row in told)
    high = max(max(row[3], row[3] if row[1] is None else row[1]) for row in told)
    low, high = (min(low, 0), max(high, 0)) if from_zero else (low, high)
    pad = 0.03 * (float(high) - float(low)) or 1.0
    panel.set_xlim(float(low) - (0 if low == 0 else pad), float(high) + pad)


def _calm(panel: "Axes") -> None:
    for side in ("top", "right", "left"):
        panel.spines[side].set_visible(False)
    panel.spines["bottom"].set_color(QUIET)
    panel.tick_params(axis="y", length=0, labelcolor=INK, labelsize=8)
    panel.tick_params(axis="x", color=QUIET, labelcolor=INK, labelsize=8)
    panel.grid(axis="x", color=QUIET, alpha=0.25, linewidth=0.6)
    panel.set_axisbelow(True)
    panel.ticklabel_format(axis="x", style="plain", useOffset=False)
    panel.xaxis.set_major_formatter("{x:,.12g}")


def _watermark(panel: "Axes") -> None:
    panel.text(
        0.5,
        0.5,
        "REHEARSAL: made-up data",
        transform=panel.transAxes,
        ha="center",
        va="center",
        fontsize=22,
        color="#b3261e",
        alpha=0.35,
        rotation=12,
        parse_math=False,
    )


def _shown(released: Released) -> int:
    return min(len(released.answer.rows), ROWS_SHOWN)


def _short(text: str) -> str:
    plain = visible(text)
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"
