"""Every answer of a release with its error bars, as a Matplotlib figure.

Rules of this module:
- no state of pyplot: a figure is made, returned and forgotten;
- text is never read as mathematics, and cannot steer what shows it;
- dark blue and gray alone carry meaning, so that the picture survives any eye and any printer.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from ..document.accessors import alpha_of, has_bins, has_rows, kinds_of, labels, rows_text, told
from ..document.document import Document, Released
from ..document.headings import as_shown, has_bars, named_cells
from ..document.numbers import Figure, group_text, percent, plainly
from ..errors import visible
from ..schema import About, ValueKind, checked_about
from .words import named_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .picture import Picture

INK, POINT, SOFT, QUIET = "#1f2933", "#1d4e89", "#aac4e0", "#8a94a0"
ROWS_SHOWN = 120
_WIDTH, _ROW, _HEAD, _FOOT, _RIGHT, _COUNTS = 7.5, 0.19, 0.5, 0.45, 0.3, 0.95  # inches
_LETTER, _LEAST_MARGIN = 0.068, 0.6
_LONGEST = 40
_SALT, _NOTHING = "discreet", About()
_LOOK: Any = {"svg.hashsalt": _SALT, "svg.fonttype": "path", "text.usetex": False, "font.size": 9.0}

Row = tuple[str, Figure | None, Figure, Figure]


def figure(document: Document, *, together: bool = False, about: About | None = None) -> "Picture":
    """Return a figure with one panel a statistic; a rehearsal says so across each of them.

    Args:
        document: what is drawn.
        together: whether its intervals hold all at once.
        about: what a publisher calls columns and keys.
    """
    from .picture import Picture

    words = checked_about(about)
    document = as_shown(document, words)
    sizes = [_HEAD + _ROW * _shown(statistic) + _FOOT for statistic in document.statistics]
    height = sum(sizes)
    made = Picture(figsize=(_WIDTH, height), dpi=120)
    covers, top = percent(alpha_of(document)), height
    covers = f"joint {covers}" if together else covers
    for label, released, size in zip(labels(document), document.statistics, sizes, strict=True):
        kinds = kinds_of(document, released)
        left = _margin(released, words, kinds[1])
        right = _COUNTS if has_rows(released) else _RIGHT
        inner = (left, top - size + _FOOT, _WIDTH - left - right, size - _HEAD - _FOOT)
        panel = made.add_axes(_shares(inner, height))
        _draw(panel, label, released, covers, (words, kinds))
        if document.kind == "rehearsal":
            _watermark(panel)
        top -= size
    return made


def panel_svg(document: Document, at: int) -> str:
    """Return the panel of one statistic as SVG: the same document gives the same text.

    Args:
        document: the release.
        at: the statistic's place in the document, from 0.
    """
    from matplotlib import rc_context

    single = document.model_copy(update={"statistics": [document.statistics[at]]})
    text = BytesIO()
    with rc_context(_LOOK):
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure(single).savefig(text, format="svg", metadata=nothing, transparent=True)
    return text.getvalue().decode("utf-8")


def _title(label: str, released: Released, about: About) -> str:
    """Return a statistic's name; in a publisher's words where it or its columns have some."""
    return about.heading(label).title or named_words(released.question, about) or label


def _draw(
    panel: "Axes",
    label: str,
    released: Released,
    covers: str,
    how: tuple[About, tuple[ValueKind, ValueKind]],  # names for people, and what numbers are
) -> None:
    about, kinds = how
    shown = rows_of(released, about, kinds[1])
    title = f"{_short(_title(label, released, about))}, with {covers} intervals"
    if any(row[1] is None for row in shown):
        title += "; dashed: too few rows to say"
    if not shown:
        title += ": its rule shows none"
    if len(shown) < len(released.answer.rows):
        title += f" (first {len(shown)} of {len(released.answer.rows):,})"
    panel.set_title(title, loc="left", fontsize=10, color=INK, parse_math=False)
    places = list(range(len(shown)))
    panel.set_yticks(places, [_short(row[0]) for row in shown], parse_math=False)
    panel.set_ylim(len(shown) - 0.4, -0.6)
    (_bars if has_bars(released, about.heading(label)) else _points)(panel, places, shown)
    if has_rows(released):
        _counts(panel, released, len(shown))
    _set_limits(panel, shown, from_zero=released.answer.adds_up)
    _calm(panel)
    if kinds[0] != "number":
        _tell_time(panel, kinds[0])


def _tell_time(panel: "Axes", kind: ValueKind) -> None:
    """Write days or moments under the scale, few of them, because they are long."""
    from matplotlib.ticker import MaxNLocator

    panel.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    panel.xaxis.set_major_formatter(lambda x, _: plainly(float(x), kind))


def _points(panel: "Axes", places: Sequence[int], rows: Sequence[Row]) -> None:
    for place, (_, value, low, high) in zip(places, rows, strict=True):
        if value is None:
            panel.plot([low, high], [place, place], color=QUIET, linewidth=1, linestyle=(0, (3, 3)))
        else:
            panel.plot([low, high], [place, place], color=SOFT, linewidth=5, solid_capstyle="butt")
            panel.plot([value], [place], "o", color=POINT, markersize=3.4)


def _counts(panel: "Axes", released: Released, most: int) -> None:
    """Write how many rows each mean is made of beside it."""
    texts = [rows_text(number, released.answer.rows_within) for number in told(released, most)]
    for place, text in enumerate(["rows", *texts], start=-1):
        panel.text(
            1.01,
            place,
            text,
            transform=panel.get_yaxis_transform(),
            va="center",
            fontsize=8,
            color=INK if place < 0 else QUIET,
            parse_math=False,
        )


def _bars(panel: "Axes", places: Sequence[int], rows: Sequence[Row]) -> None:
    panel.barh(places, [row[1] or 0 for row in rows], height=0.86, color=SOFT)
    for place, (_, _, low, high) in zip(places, rows, strict=True):
        panel.plot([low, high], [place, place], color=POINT, linewidth=1.4, solid_capstyle="butt")


def rows_of(released: Released, about: About = _NOTHING, kind: ValueKind = "number") -> list[Row]:
    """Return the rows of an answer that are drawn, as their words, value, low and high.

    Args:
        released: the statistic.
        about: what a publisher calls keys.
        kind: what its bins or levels are.
    """
    bins = has_bins(released)
    return [
        (
            group_text(named_cells(released, number.index, about), bins=bins, kind=kind),
            number.value,
            *_ends(number.low, number.high),
        )
        for number in told(released, ROWS_SHOWN)
    ]


def _ends(low: Figure | None, high: Figure | None) -> tuple[Figure, Figure]:
    """Return the ends of an interval; one without an end is not drawn."""
    return (0, 0) if low is None or high is None else (low, high)


def _set_limits(panel: "Axes", rows: Sequence[Row], *, from_zero: bool) -> None:
    drawn = [row for row in rows if row[1] is not None] or rows
    lows = (min(row[2], row[2] if row[1] is None else row[1]) for row in drawn)
    highs = (max(row[3], row[3] if row[1] is None else row[1]) for row in drawn)
    low, high = min(lows, default=0), max(highs, default=0)
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


def _margin(released: Released, about: About, kind: ValueKind) -> float:
    """Return the room for the longest name, in inches; wide letters count twice."""
    widths = (
        sum(2 if east_asian_width(letter) in "WF" else 1 for letter in _short(row[0]))
        for row in rows_of(released, about, kind)
    )
    longest = max(widths, default=0)
    return max(_LEAST_MARGIN, 0.2 + _LETTER * longest)


def _shares(inner: tuple[float, float, float, float], height: float) -> Any:
    left, bottom, width, tall = inner
    return (left / _WIDTH, bottom / height, width / _WIDTH, tall / height)


def _shown(released: Released) -> int:
    return max(1, min(len(released.answer.rows), ROWS_SHOWN))  # room, where a rule shows none


def _short(text: str) -> str:
    plain = visible(text)
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"
