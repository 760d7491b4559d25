"""card.png: a picture of the first question for those who link to a release.

Rules of this module:
- it shows numbers of the release with their intervals, and says that noise is in them;
- a text is never read as mathematics; no state of pyplot.

Decision 129.
"""

from textwrap import wrap
from typing import Any

from ..document.accessors import alpha_of, kinds_of, labels, loss_text
from ..document.document import Document
from ..document.headings import as_shown
from ..document.numbers import TOO_FEW, percent
from ..errors import visible
from ..schema import About
from .look import canvas, png_of
from .pictures import INK, POINT, QUIET, SOFT, rows_of
from .words import question_words

_WIDE, _HIGH = 12.0, 6.3  # inches of 100 pixels
_ROWS = 9
_LETTERS, _LINES, _NAME = 46, 2, 26


def card_of(document: Document, about: About) -> bytes:
    """Return a picture of 1,200 by 630 pixels: title, one chart, its intervals."""
    made, shown = canvas(_WIDE, _HIGH), as_shown(document, about)
    released, label = shown.statistics[0], labels(shown)[0]
    title = visible(about.title or document.title)
    lines = wrap(title, _LETTERS)
    cut = [*lines[: _LINES - 1], f"{lines[_LINES - 1]}…"] if len(lines) > _LINES else lines
    letters: Any = {"parse_math": False, "color": INK}
    made.text(0.05, 0.93, "\n".join(cut), va="top", fontsize=27, weight="bold", **letters)
    asked, titled = question_words(released.question, about), about.heading(label).title
    made.text(0.05, 0.735, _short(titled or asked, 80), va="top", fontsize=15, **letters)
    made.text(0.05, 0.685, _short(asked * bool(titled), 95), va="top", fontsize=12,
              parse_math=False, color=QUIET)  # fmt: skip
    covers = percent(alpha_of(document))
    foot = f"Noise protects people: {loss_text(document)}. Bands are {covers} intervals."
    made.text(0.05, 0.045, _short(f"{about.publisher}  {foot}".strip(), 110), fontsize=13,
              parse_math=False, color=QUIET)  # fmt: skip
    rows = rows_of(released, about, kinds_of(document, released)[1])[:_ROWS]
    axes = made.add_axes((0.27, 0.17, 0.68, 0.47))
    axes.set_yticks(range(len(rows)), [_short(row[0], _NAME) for row in rows], parse_math=False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    for place, (_, value, low, high) in enumerate(rows):
        if value is None:
            axes.text(0.01, place, TOO_FEW, transform=axes.get_yaxis_transform(), va="center",
                      fontsize=12, style="italic", color=QUIET)  # fmt: skip
        else:
            axes.plot([low, high], [place, place], color=SOFT, linewidth=9, solid_capstyle="butt")
            axes.plot([value], [place], "o", color=POINT, markersize=7)
    if released.answer.adds_up and axes.get_xlim()[0] > 0:
        axes.set_xlim(left=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0, labelsize=13, labelcolor=INK)
    axes.tick_params(axis="x", labelsize=12, labelcolor=INK, color=QUIET)
    axes.xaxis.set_major_formatter("{x:,.12g}")
    if document.kind == "rehearsal":
        made.text(0.5, 0.4, "REHEARSAL: made-up data", ha="center", fontsize=48, color="#b3261e",
                  alpha=0.4, rotation=12)  # fmt: skip
    return png_of(made)


def _short(text: str, most: int) -> str:
    plain = visible(text)
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
