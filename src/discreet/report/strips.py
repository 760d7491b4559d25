"""The picture in a row: a number and its interval on the scale that all rows share, as SVG.

Rules of this module:
- places are shares of the width, so that a picture fits any column without being scaled;
- the same numbers give the same text; colors come from the page, by class;
- no text of a release enters a picture: keys stand beside it, in the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from ..document.numbers import Figure

_PAD = 2.0  # in percent of the width, on either side
_TICKS = 4
_LEAST = 0.9  # an interval is drawn at least this wide, so that it is seen
_HEIGHT = 22
_APART = 2.0**-40  # of their size: numbers that are nearer stand in one place
_NOTHING = 1e-300  # below this a part of it may be no double


@dataclass(frozen=True, slots=True)
class Scale:
    """What the width of a picture stands for."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def x(self, number: Figure) -> float:
        """Return where a number stands, in percent, kept inside the picture."""
        share = (float(number) - self.low) / (self.high - self.low)
        return _PAD + min(1.0, max(0.0, share)) * (100 - 2 * _PAD)


def scale_of(rows: Sequence[tuple[Figure | None, Figure, Figure]], *, from_zero: bool) -> Scale:
    """Return a scale on which all numbers and their intervals can be seen.

    Rows with too few to say do not stretch it: their intervals run out of the picture.
    """
    told = [(v, low, high) for v, low, high in rows if v is not None]
    told = told or [(low, low, high) for _, low, high in rows]
    low = float(min(min(value, low) for value, low, _ in told))
    high = float(max(max(value, high) for value, _, high in told))
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    least = max(abs(low), abs(high)) * _APART
    if high - low <= max(least, _NOTHING):  # nearer than a picture can tell, or than doubles can
        low, high = low - max(1.0, least), high + max(1.0, least)
    step = _step((high - low) / _TICKS)
    ticks = tuple(step * at for at in range(ceil(low / step), floor(high / step) + 1))
    return Scale(low, high, ticks)


def dot(scale: Scale, value: Figure | None, low: Figure, high: Figure) -> str:
    """Return a point on its interval; without a value the bare interval, in gray."""
    if value is None:
        return _svg([*_grid(scale), _span(scale, low, high, "bare")])
    point = f'<circle class="dot" cx="{scale.x(value):.2f}%" cy="50%" r="2.7"/>'
    return _svg([*_grid(scale), _span(scale, low, high, "band"), point])


def bar(scale: Scale, value: Figure | None, low: Figure, high: Figure) -> str:
    """Return a bar from zero to the value, with its interval as a whisker."""
    zero, end = scale.x(0), scale.x(0 if value is None else value)
    left, width = min(zero, end), max(abs(end - zero), _LEAST / 3)
    box = f'<rect class="fill" x="{left:.2f}%" y="9%" width="{width:.2f}%" height="82%"/>'
    return _svg([*_grid(scale), box, _span(scale, low, high, "whisker")])


def axis(scale: Scale, texts: Sequence[str]) -> str:
    """Return the numbers under a column of pictures."""
    parts = []
    for tick, text in zip(scale.ticks, texts, strict=True):
        place = scale.x(tick)
        anchor = "start" if place < 3 * _PAD else "end" if place > 100 - 3 * _PAD else "middle"
        parts.append(f'<text x="{place:.2f}%" y="14" text-anchor="{anchor}">{text}</text>')
    return _svg(parts)


def _grid(scale: Scale) -> list[str]:
    places = [f"{scale.x(tick):.2f}%" for tick in scale.ticks]
    return [f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="100%"/>' for x in places]


def _span(scale: Scale, low: Figure, high: Figure, kind: str) -> str:
    left, right = scale.x(low), scale.x(high)
    if right - left < _LEAST:
        left, right = (left + right - _LEAST) / 2, (left + right + _LEAST) / 2
    return f'<line class="{kind}" x1="{left:.2f}%" x2="{right:.2f}%" y1="50%" y2="50%"/>'


def _svg(parts: Sequence[str]) -> str:
    return f'<svg width="100%" height="{_HEIGHT}" aria-hidden="true">{"".join(parts)}</svg>'


def _step(size: float) -> float:
    power = 10.0 ** floor(log10(size))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= size * 0.999)
