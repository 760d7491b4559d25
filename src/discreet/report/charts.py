"""Charts of a whole statistic: lines with bands, small multiples, shaded and crossed tables.

Rules of this module:
- places are shares of the width, so that a chart fits any column without being scaled;
- the numbers stand in a table beside each chart, or in its cells: color is never the only sign;
- a text of a release that enters a picture is escaped here, and made visible;
- all lines of one statistic have one scale.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, Any

from ..document.accessors import Told
from ..document.document import Released
from ..document.headings import named_cells
from ..document.numbers import Cell, group_text, plainly, spoken
from ..errors import visible
from ..schema import About
from .crossed import Crossed

if TYPE_CHECKING:
    from ..schema.reliability import Flag
    from .panels import How, Panel, Scale

_HIGH, _FOOT = 150, 20  # pixels: of the plane, and of the names below
_LEFT, _RIGHT = 11.0, 3.0  # in percent, for the numbers of the scale
_MOST_LEFT = 40.0
_NARROW_LETTER, _WIDE_LETTER = 4.2, 1.7  # a letter of these, in percent
_WIDE, _NARROW = 44, 24  # letters that there is room for below a line
_SHORT = 4  # letters of a name that stands below its place at either end, too
_SHADES = 6


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A number of two keys, how far off it may be, and how dark it is."""

    value: str
    within: str
    shade: str
    flag: "Flag | None" = None


@dataclass(frozen=True, slots=True)
class Heat:
    """A table of two keys whose cells are shaded."""

    side: str
    top: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, tuple[HeatCell, ...]], ...]


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """Head of a column or a row, and whether it is a total."""

    name: str
    total: bool


@dataclass(frozen=True, slots=True)
class PrintedCell:
    """A number of a crossed table with its interval."""

    value: str
    within: str
    total: bool
    flag: "Flag | None" = None


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A row of a crossed table."""

    name: str
    total: bool
    cells: tuple[PrintedCell, ...]


@dataclass(frozen=True, slots=True)
class Printed:
    """A crossed table in a publisher's words."""

    names: tuple[str, ...]
    side: str
    top: str
    columns: tuple[ColumnHead, ...]
    lines: tuple[PrintedLine, ...]


def printed(
    table: Crossed, about: About, flag_of: Callable[..., "Flag | None"] = lambda *_: None
) -> Printed:
    """Return a crossed table in a publisher's words: attributes and keys named, numbers flagged."""

    def head(names: Sequence[str], key: Sequence[Cell]) -> ColumnHead:
        pairs = zip(names, key, strict=True)
        cells = [about.value(n, cell, plainly(cell)) for n, cell in pairs if cell is not None]
        return ColumnHead(", ".join(cells) or "all", not cells)

    columns = tuple(head(table.columns, key) for key in table.column_keys)
    lines = tuple(
        PrintedLine(
            (of := head(table.rows, key)).name,
            of.total,
            tuple(
                PrintedCell(
                    table.figure(value),
                    f"{low:,} to {high:,}",
                    column.total,
                    flag_of(value, low, high),
                )
                for column, (value, low, high) in zip(columns, line, strict=True)
            ),
        )
        for key, line in zip(table.row_keys, table.cells, strict=True)
    )
    side, top = ([about.column(name) for name in names] for names in (table.rows, table.columns))
    return Printed((*side, *top), ", ".join(side), ", ".join(top), columns, lines)


def charted(panel: "Panel", shown: tuple[Released, Sequence[Told], "Scale"], how: "How") -> "Panel":
    """Return a panel with what its layout draws: a line, lines on one scale, or a shaded table."""
    released, rows, _ = shown
    if how.layout == "heat":
        return replace(panel, heat=_heat(released, rows, how))
    if how.layout == "line":
        return replace(panel, charts=(("", _line(rows, shown, how)),))
    other, charts = 1 - how.along, list[tuple[str, Any]]()
    for key in dict.fromkeys(row.index[other] for row in rows):
        points = [row for row in rows if row.index[other] == key]
        name = _names(released, points[0], how)[other]
        charts.append((name, _line(points, shown, how, name)))
    return replace(panel, charts=tuple(charts))


def _names(released: Released, row: Told, how: "How") -> list[str]:
    """Return the keys of a row in a publisher's words."""
    return [group_text([cell], bins=False) for cell in named_cells(released, row.index, how.about)]


def _line(
    points: Sequence[Told],
    shown: tuple[Released, Sequence[Told], "Scale"],
    how: "How",
    name: str = "",
) -> Any:
    """Return a line through numbers with a band of their intervals; it ends where one lacks."""
    from .panels import tick_texts

    released, _, scale = shown
    keys = [point.index[how.along] for point in points]
    names = [_names(released, point, how)[how.along] for point in points]
    ticks = tick_texts(scale.ticks, how.kinds[0])
    left = _left(ticks, is_narrow=bool(name))
    x = _places(keys, left)
    y = [100 - scale.x(tick) for tick in scale.ticks]
    grid = [f'<line class="grid" x1="0" x2="100%" y1="{at:.2f}%" y2="{at:.2f}%"/>' for at in y]
    texts = [
        f'<text x="0" y="{at:.2f}%" dy="-3">{_safe(text)}</text>'
        for at, text in zip(y, ticks, strict=True)
    ]
    plane = f'<svg width="100%" height="{_HIGH}">{"".join(grid)}{_drawn(points, x, scale)}'
    room = int((_NARROW if name else _WIDE) * (100 - left) / (100 - _LEFT))
    feet = "".join(_feet(x, names, room))
    texts += _last(points, x, scale, how)
    image = f'<svg width="100%" height="{_HIGH + _FOOT}" role="img" aria-label="'
    image += (
        f'{_safe(_in_words(points, names, how, name))}">{plane}{"".join(texts)}</svg>{feet}</svg>'
    )
    return _markup(image)


def _drawn(points: Sequence[Told], x: Sequence[float], scale: "Scale") -> str:
    """Return bands, lines and dots; of a number that is missing the bare interval."""
    parts, dots = [], []
    for is_told, run in groupby(range(len(points)), key=lambda at: points[at].value is not None):
        places = list(run)
        if not is_told:
            dots += [_upright(x[at], points[at], scale, "bare") for at in places]
            continue
        if len(places) == 1:
            dots.append(_upright(x[places[0]], points[places[0]], scale, "band"))
        tops = [f"{x[at]:.2f},{100 - scale.x(points[at].high):.2f}" for at in places]
        feet = [f"{x[at]:.2f},{100 - scale.x(points[at].low):.2f}" for at in reversed(places)]
        heights = {at: 100 - scale.x(points[at].value or 0) for at in places}
        through = " ".join(f"{x[at]:.2f},{heights[at]:.2f}" for at in places)
        parts.append(f'<polygon class="spread" points="{" ".join((*tops, *feet))}"/>')
        parts.append(f'<polyline class="through" points="{through}"/>')
        dots += [
            f'<circle class="dot" cx="{x[at]:.2f}%" cy="{heights[at]:.2f}%" r="2.4"/>'
            for at in places
        ]
    stretched = 'viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%"'
    return f"<svg {stretched}>{''.join(parts)}</svg>{''.join(dots)}"


def _upright(x: float, point: Told, scale: "Scale", kind: str) -> str:
    low, high = 100 - scale.x(point.low), 100 - scale.x(point.high)
    return f'<line class="{kind}" x1="{x:.2f}%" x2="{x:.2f}%" y1="{low:.2f}%" y2="{high:.2f}%"/>'


def _left(texts: Sequence[str], *, is_narrow: bool) -> float:
    """Return where lines begin, right of the numbers of the scale on a phone."""
    letter = _NARROW_LETTER if is_narrow else _WIDE_LETTER
    return min(_MOST_LEFT, max(_LEFT, letter * (1 + max(map(len, texts), default=0))))


def _places(keys: Sequence[Cell], left: float) -> list[float]:
    """Return where keys stand: whole numbers by their size, others one after the other."""
    numbers = [float(key) if type(key) is int else float(at) for at, key in enumerate(keys)]
    if len({type(key) for key in keys}) > 1 or sorted(numbers) != numbers:
        numbers = [float(at) for at in range(len(keys))]
    low, wide = numbers[0], (numbers[-1] - numbers[0]) or 1.0
    return [left + (100 - left - _RIGHT) * (number - low) / wide for number in numbers]


def _last(points: Sequence[Told], x: Sequence[float], scale: "Scale", how: "How") -> list[str]:
    """Return the last number that is told, at its dot."""
    last = [at for at, point in enumerate(points) if point.value is not None][-1:]
    return [
        f'<text class="last" x="{x[at]:.2f}%" y="{100 - scale.x(points[at].value or 0):.2f}%" '
        f'dy="-7" text-anchor="end">{_safe(_spoken(points[at], how))}</text>'
        for at in last
    ]


def _spoken(point: Told, how: "How") -> str:
    return spoken(point.value, point.low, point.high, how.kinds[0], how.decimals)[0]


def _feet(x: Sequence[float], names: Sequence[str], room: int) -> list[str]:
    """Return names at even steps that fit a room of so many letters, with the last if it is one."""
    longest, last = max(len(_cut(name)) for name in names), len(names) - 1
    least = ceil(len(names) * (longest + 3) / room)
    step = next((step for step in range(least, 2 * least) if last % step == 0), least)
    chosen = range(0, len(names), step)
    ends = {} if longest <= _SHORT else {0: "start", len(names) - 1: "end"}
    return [
        f'<text x="{x[at]:.2f}%" y="{_HIGH + _FOOT - 4}" text-anchor="{ends.get(at, "middle")}">'
        f"{_safe(_cut(names[at]))}</text>"
        for at in chosen
    ]


def _in_words(points: Sequence[Told], names: Sequence[str], how: "How", name: str) -> str:
    """Return a chart as a sentence made of its numbers."""
    values = [(point.value, at) for at, point in enumerate(points) if point.value is not None]
    of = f"{name}: " if name else ""
    if not values:
        return f"{of}too few rows to say anything; the table below has all intervals."
    low, high = min(values)[1], max(values)[1]
    ends = [_spoken(points[at], how) for at in (low, high)]
    return (
        f"{of}a line through {len(values)} numbers, from {ends[0]} at {names[low]} to {ends[1]} at "
        f"{names[high]}. The table below has all of them with their intervals."
    )


def _heat(released: Released, rows: Sequence[Told], how: "How") -> Heat:
    """Return a table of two keys, the longer list at the side."""
    first, second = ([*dict.fromkeys(row.index[at] for row in rows)] for at in (0, 1))
    side = 0 if len(first) >= len(second) else 1
    cells = {(row.index[side], row.index[1 - side]): row for row in rows}
    numbers = [float(row.value) for row in rows if row.value is not None]
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    names = [axis.name for axis in released.answer.axes]
    lines = []
    for key in (first, second)[side]:
        line = [cells[key, across] for across in (first, second)[1 - side]]
        shown = tuple(_heat_cell(row, low, (high - low) or 1.0, how) for row in line)
        lines.append((_names(released, line[0], how)[side], shown))
    tops = [cells[(first, second)[side][0], across] for across in (first, second)[1 - side]]
    return Heat(
        how.about.column(names[side]),
        how.about.column(names[1 - side]),
        tuple(_names(released, row, how)[1 - side] for row in tops),
        tuple(lines),
    )


def _heat_cell(row: Told, low: float, wide: float, how: "How") -> HeatCell:
    value, start, end = spoken(row.value, row.low, row.high, how.kinds[0], how.decimals)
    if row.value is None:
        return HeatCell(value, f"{start} to {end}", "unsure")
    number = float(row.value)
    shade = f"h{min(_SHADES - 1, int(_SHADES * max(0.0, (number - low) / wide)))}"
    flag = how.flag_of(row.value, row.low, row.high)
    shade = f"{shade} unsure" if is_unsure(row) else shade
    return HeatCell(value, f"{start} to {end}", shade, flag)


def is_unsure(row: Told) -> bool:
    """Tell whether the noise may be more than half of a number, or there is none.

    A count below zero is noise alone, however short its interval is where that was cut at zero.
    """
    if row.value is None or row.low is None or row.high is None:
        return True
    low, value, high = float(row.low), float(row.value), float(row.high)
    return high - low > abs(value) or not low <= value <= high


def _cut(name: str, most: int = 14) -> str:
    text = visible(name)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _safe(text: str) -> str:
    """Return a text that is no markup, in an element and in an attribute."""
    return escape(visible(text), quote=True)


def _markup(svg: str) -> Any:
    from markupsafe import Markup

    return Markup(svg)  # noqa: S704 (numbers, and texts that were escaped above)
