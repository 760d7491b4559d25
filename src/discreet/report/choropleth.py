"""A map of regions, shaded by their numbers: each with its interval, and what noise may change.

Rules of this module:
- the outlines are the publisher's; what is drawn is each number of the question that has one, and
  the caption names the keys that do not lie on the map;
- colors are at most five, each for about as many regions, and their limits stand beside: how many
  intervals reach into another color is said in words, so that a pattern of noise is called one;
- a region without a number is hatched, and its title says why; color is never the only sign, for
  all numbers stand in the table below.

Decision 135.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor, log10
from typing import TYPE_CHECKING, Any, Literal

from ..document.accessors import Told, has_choice, has_linear, told
from ..document.document import Document, Released
from ..document.numbers import spoken
from ..schema import About, table_of
from .charts import _markup, _names, _safe
from .words import times

if TYPE_CHECKING:
    from ..schema.outline import Outline
    from .panels import How, Panel

_COLORS, _MOST = 5, 6  # maps of one question
_NAMED = 6  # keys that do not lie on a map, by name


@dataclass(frozen=True, slots=True)
class Legend:
    """The colors of a map: their limits, and how sure they are.

    Attributes:
        lines: the class of each color, and its words.
        words: sentences.
    """

    lines: tuple[tuple[str, str], ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Scene:
    """A map to draw: a question, the column of its regions, and where colors change."""

    released: Released
    rows: Sequence[Told]
    column: str
    outline: "Outline"
    limits: tuple[float, ...]
    how: "How"

    def key(self, row: Told) -> str:
        return str(row.index[self.how.along])

    def name(self, row: Told) -> str:
        return _names(self.released, row, self.how)[self.how.along]

    def figure(self, row: Told) -> tuple[str, str, str]:
        return spoken(row.value, row.low, row.high, self.how.kinds[0])

    def missing(self, key: str) -> str:
        """Return why a region has no number; of keys that were found nobody may know which."""
        if self.released.shown is None:
            return "not asked for"
        if self.how.listed is None:
            return "not shown, or not asked for"
        return "not shown" if key in self.how.listed else "not asked for"


def on_a_map(released: Released, about: About, room: int) -> tuple[Literal["map"], int, int] | None:
    """Return that a question is drawn on maps, by which key, and for how many regions is room left.

    None where it has no key with a map, no number, or more regions than the page has room for.
    """
    axes, columns = released.answer.axes, released.answer.rows.columns
    is_plain = all(axis.kind == "key" for axis in axes) and not has_choice(released)
    if not is_plain or len(axes) not in (1, 2) or has_linear(released):
        return None
    if all(value is None for value in columns[-3]):
        return None
    for along, axis in enumerate(axes):
        outline = about.labels[axis.name].map if axis.name in about.labels else None
        many = len({*columns[1 - along]}) if len(axes) == 2 else 1
        if outline is not None and many <= _MOST and many * len(outline.regions) <= room:
            return "map", along, room - many * len(outline.regions)
    return None


def keys_of(document: Document, released: Released, along: int) -> frozenset[str] | None:
    """Return the keys of a question's regions as they are declared; None where they were found."""
    table, column = table_of(document.plan["table"]), released.answer.axes[along].name
    return None if column in table.unknown else frozenset(map(str, table.listed(column)))


def mapped(panel: "Panel", released: Released, how: "How") -> "Panel":
    """Return a panel with a map, or with one for each name beside the regions, on one scale."""
    rows, other = list(told(released)), 1 - how.along
    column = released.answer.axes[how.along].name
    outline = how.about.labels[column].map
    if outline is None:
        return panel
    limits = tuple(_limits([float(row.value) for row in rows if row.value is not None]))
    scene = _Scene(released, rows, column, outline, limits, how)
    if len(released.answer.axes) == 1:
        charts = [("", _drawn(scene, rows, ""))]
    else:
        charts = []
        for key in dict.fromkeys(row.index[other] for row in rows):
            here = [row for row in rows if row.index[other] == key]
            name = _names(released, here[0], how)[other]
            charts.append((name, _drawn(scene, here, name)))
    return replace(panel, charts=tuple(charts), legend=_legend(scene), map_of=column)


def outlines(about: About, columns: Sequence[str]) -> Any:
    """Return the outlines of columns, once for all maps of a page; "" where there are none."""
    shapes = [
        f'<path id="{_prefix(about, column)}-{at}" d="{d}"/>'
        for column in dict.fromkeys(columns)
        if (of := about.labels[column].map) is not None
        for at, d in enumerate(of.regions.values())
    ]
    if not shapes:
        return ""
    hatch = (
        '<pattern id="hatch" width="9" height="9" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><line class="hatch" x1="0" x2="0" y1="0" y2="9"/></pattern>'
    )
    style = "<style>.maps .doubt, .maps .void, .legend .doubt, .legend .void "
    style += "{ fill: url(#hatch); }</style>"
    text = f"{style}<defs>{hatch}{''.join(shapes)}</defs>"
    return _markup(f'<svg width="0" height="0" class="shapes" aria-hidden="true">{text}</svg>')


def _prefix(about: About, column: str) -> str:
    return f"k{[*about.labels].index(column)}"


def _limits(values: Sequence[float]) -> list[float]:
    """Return where colors change: as many numbers between two of them, in few digits.

    Example:
        >>> _limits([41, 62, 88, 120, 163, 257, 402, 580, 911, 2232])
        [90.0, 160.0, 400.0, 900.0]
    """
    there = sorted(values)
    many = min(_COLORS, len({*there}))
    raw = sorted({there[at * len(there) // many] for at in range(1, many)} - {*there[:1]})
    ends = [*there[:1], *raw, *there[-1:]]
    made = set()
    for before, limit, after in zip(ends, raw, ends[2:], strict=False):
        near = min(limit - before, (after - limit) or limit - before)
        unit = 10.0 ** floor(log10(near / 2))
        made.add(float(f"{round(limit / unit) * unit:.12g}"))
    return sorted(made)


def _drawn(scene: _Scene, rows: Sequence[Told], name: str) -> Any:
    """Return one map as SVG."""
    there = {scene.key(row): row for row in rows}
    prefix, parts = _prefix(scene.how.about, scene.column), []
    for at, key in enumerate(scene.outline.regions):
        row, use = there.get(key), f'<use href="#{prefix}-{at}"'
        if row is None:
            title = f"{scene.how.about.value(scene.column, key, key)}: {scene.missing(key)}"
            parts.append(f'{use} class="void">{_title(title)}</use>')
            continue
        figure, low, high = scene.figure(row)
        title = _title(f"{scene.name(row)}: {figure} ({low} to {high})")
        color = _color(row, scene.limits)
        if _is_unsure(row):
            parts.append(f'{use} class="{color}"/>{use} class="doubt">{title}</use>')
        else:
            parts.append(f'{use} class="{color}">{title}</use>')
    size = f'viewBox="-2 -2 {scene.outline.width + 4} {scene.outline.height + 4}"'
    words = _safe(_in_words(scene, rows, name))
    return _markup(f'<svg {size} role="img" aria-label="{words}">{"".join(parts)}</svg>')


def _title(text: str) -> str:
    return f"<title>{_safe(text)}</title>"


def _color(row: Told, limits: Sequence[float]) -> str:
    return "few" if row.value is None else f"m{bisect_right(limits, float(row.value))}"


def _is_unsure(row: Told) -> bool:
    """Tell whether the noise may be more than half of a number, or there is none."""
    if row.value is None or row.low is None or row.high is None:
        return True
    return float(row.high) - float(row.low) > abs(float(row.value))


def _reaches(row: Told, limits: Sequence[float]) -> bool:
    """Tell whether an interval reaches into another color."""
    if row.low is None or row.high is None:
        return True
    return bisect_right(limits, float(row.low)) != bisect_right(limits, float(row.high))


def _legend(scene: _Scene) -> Legend:
    """Return the colors with their limits, and in words what noise does to them."""
    from .panels import tick_texts

    texts = tick_texts(scene.limits, scene.how.kinds[0])
    words = [f"{low} to under {high}" for low, high in pairwise(texts)]
    words = [f"under {texts[0]}", *words, f"{texts[-1]} and more"] if texts else ["all numbers"]
    lines = [(f"m{at}", text) for at, text in enumerate(words)]
    drawn = [row for row in scene.rows if scene.key(row) in scene.outline.regions]
    valued = [row for row in drawn if row.value is not None]
    if any(map(_is_unsure, valued)):
        lines.append(("doubt", "hatched: noise may be more than half of the number"))
    if len(valued) < len(drawn):
        lines.append(("few", "gray and hatched: too few rows to say"))
    void = {*scene.outline.regions} - {scene.key(row) for row in drawn}
    if void:
        reasons = " or ".join(sorted({scene.missing(key) for key in void}, reverse=True))
        lines.append(("void", f"hatched alone: {reasons}"))
    return Legend(tuple(lines), tuple(_sureness(scene, valued)))


def _sureness(scene: _Scene, valued: Sequence[Told]) -> Iterator[str]:
    """Yield how many numbers might have another color, and which keys do not lie on the map."""
    crossing = sum(_reaches(row, scene.limits) for row in valued)
    if scene.limits:
        yield (
            f"Each color has about as many regions. Of {times(len(valued), 'number')} on the map, "
            f"{crossing:,} have an interval that reaches into another color."
        )
        if 2 * crossing > len(valued):
            yield "So a difference between two colors may be noise alone."
    away = dict.fromkeys(
        scene.name(row) for row in scene.rows if scene.key(row) not in scene.outline.regions
    )
    if away:
        more = f" and {len(away) - _NAMED:,} more" if len(away) > _NAMED else ""
        yield f"Not on the map: {', '.join([*away][:_NAMED])}{more}."


def _in_words(scene: _Scene, rows: Sequence[Told], name: str) -> str:
    """Return a map as a sentence made of its numbers."""
    of = f"{name}: " if name else ""
    values = [(float(row.value), at) for at, row in enumerate(rows) if row.value is not None]
    if not values:
        return f"{of}a map without numbers: too few rows to say anything."
    low, high = (rows[at] for _, at in (min(values), max(values)))
    ends = [f"{scene.figure(row)[0]} in {scene.name(row)}" for row in (low, high)]
    return (
        f"{of}a map of {len(values)} numbers, from {ends[0]} to {ends[1]}. The table below has all "
        "of them with their intervals."
    )
