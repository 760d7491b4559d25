"""Draw rows of dots beside a scale, as a picture that is read on a phone, too.

Rules of this module:
- a row has its name and its figure on one line, and its dots below: no name is cut at 390 pixels;
- the picture brings its own paper, white or dark as the reader's system asks, and is read on both;
- the same rows give the same bytes: no date, no random ids, text kept as text.

Decisions 146, 154.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDE, ROW, LEFT, RIGHT = 400, 38, 12, 388
INK, QUIET, LINE, ALARM = "#30475e", "#5b6672", "#dde3ea", "#b5442e"
SHADES = ("#9db4c8", "#5f819f", "#30475e")  # of up to three dots of a row, the last the darkest
PAPER = "#ffffff"
AT_NIGHT = {  # what a color becomes on dark paper: the strongest stays the strongest
    PAPER: "#1e2129",
    INK: "#dbe6f1",
    QUIET: "#a9b4c0",
    LINE: "#414b57",
    ALARM: "#f2907c",
    SHADES[0]: "#4d6d88",
    SHADES[1]: "#86aac9",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A name, what stands right of it, and the shares of the way at which its dots stand.

    A dot that is None is left out: there is no figure.
    """

    name: str
    figure: str
    dots: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """Where a value stands, and which values are named below; `wanted` has a dashed line."""

    place: Callable[[float], float]
    marks: Sequence[tuple[float, str]]
    wanted: tuple[float, str] | None = None


def drawn(rows: Sequence[Row], scale: Scale, key: Sequence[str] = (), *, alt: str) -> str:
    """Return the picture as SVG.

    Args:
        rows: from the top; a row has a dot for each name of the key, the darkest last.
        scale: shared by all rows.
        key: what the shades of dots stand for; none if there is one.
        alt: what is seen, for a reader who sees no picture.
    """
    top = 44 if key or scale.wanted else 20
    high = top + ROW * len(rows) + 22
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high}" width="{WIDE}"'
        ' font-family="sans-serif" font-size="13" role="img">',
        f"<title>{escape(alt)}</title>",
        _night(),
        f'<rect width="{WIDE}" height="{high}" fill="{PAPER}"/>',
        *_key(key),
    ]
    for value, text in scale.marks:
        x = at(scale, value)
        parts.append(f'<line x1="{x}" y1="{top}" x2="{x}" y2="{high - 20}" stroke="{LINE}"/>')
        parts.append(_text(x, high - 6, text, QUIET, "middle"))
    if scale.wanted:
        value, text = scale.wanted
        x = at(scale, value)
        parts.append(
            f'<line x1="{x}" y1="{top - 16}" x2="{x}" y2="{high - 20}" stroke="{ALARM}"'
            ' stroke-dasharray="4 3"/>'
        )
        parts.append(_text(x, top - 22, text, ALARM, "middle"))
    for number, row in enumerate(rows):
        y = top + ROW * number
        parts += [
            f'<line x1="{LEFT}" y1="{y + 18}" x2="{RIGHT}" y2="{y + 18}" stroke="{LINE}"/>',
            _text(LEFT, y + 8, row.name, INK, "start"),
            _text(RIGHT, y + 8, row.figure, INK, "end"),
        ]
        shades = SHADES[-len(row.dots) :]
        parts += [
            f'<circle cx="{at(scale, dot)}" cy="{y + 18}" r="5" fill="{shade}"/>'
            for dot, shade in zip(row.dots, shades, strict=True)
            if dot is not None
        ]
    return "\n".join([*parts, "</svg>", ""])


def at(scale: Scale, value: float) -> float:
    """Return where a value stands, in pixels from the left; beyond an end it stands at the end."""
    share = min(1.0, max(0.0, scale.place(value)))
    return round(LEFT + 8 + (RIGHT - LEFT - 16) * share, 1)


def _key(names: Sequence[str]) -> list[str]:
    parts, x = [], float(LEFT + 5)
    for name, shade in zip(names, SHADES[-len(names) :] if names else (), strict=True):
        parts.append(f'<circle cx="{x}" cy="16" r="5" fill="{shade}"/>')
        parts.append(_text(x + 10, 20, name, QUIET, "start"))
        x += 34 + 7 * len(name)
    return parts


def _night() -> str:
    rules = (
        f'[{painted}="{light}"]{{{painted}:{dark}}}'
        for light, dark in AT_NIGHT.items()
        for painted in ("fill", "stroke")
    )
    return f"<style>@media (prefers-color-scheme: dark){{{''.join(rules)}}}</style>"


def _text(x: float, y: float, text: str, color: str, anchor: str) -> str:
    halo = f' stroke="{PAPER}" stroke-width="3" paint-order="stroke"'
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}"{halo}>{escape(text)}</text>'
    )
