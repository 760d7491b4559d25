"""The picture in a row: a number and its interval on the scale that all rows share, as SVG.

Rules of this module:
- the same numbers give the same text; colors come from the page, by class;
- no text of a release enters a picture: keys stand beside it, in the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from .figures import Figure

WIDTH = 240  # in units of the picture; the page stretches it
HEIGHT = 18
_PAD = 6
_TICKS = 4
_LEAST = 2.0  # an interval is drawn at least this wide, so that it is seen


@dataclass(frozen=True, slots=True)
class Scale:
    """What the width of a picture stands for."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def x(self, number: Figure) -> float:
        """Return where a number stands, kept inside the picture."""
        share = (float(number) - self.low) / (self.high - self.low)
        return _PAD + min(1.0, max(0.0, share)) * (WIDTH - 2 * _PAD)


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
    if high <= low:
        low, high = low - 1, high + 1
    step = _step((high - low) / _TICKS)
    first, last = floor(low / step), ceil(high / step)
    if not from_zero:
        first, last = ceil(low / step), floor(high / step)
    ticks = tuple(step * at for at in range(first, last + 1))
    return Scale(min(low, *ticks, low), max(high, *ticks, high), ticks)


def dot(scale: Scale, value: Figure | None, low: Figure, high: Figure) -> str:
    """Return a point with its interval; without a value the bare interval, in gray."""
    middle = HEIGHT // 2
    parts = [_grid(scale), _line(scale, low, high, middle, "bare" if value is None else "bar")]
    if value is not None:
        parts.append(f'<circle class="dot" cx="{scale.x(value):.1f}" cy="{middle}" r="3.2"/>')
    return _svg(parts)


def bar(scale: Scale, value: Figure | None, low: Figure, high: Figure) -> str:
    """Return a bar from zero to the value, with its interval as a whisker."""
    zero, end = scale.x(0), scale.x(0 if value is None else value)
    left, width = min(zero, end), max(abs(end - zero), 0.6)
    middle = HEIGHT // 2
    return _svg(
        [
            _grid(scale),
            f'<rect class="fill" x="{left:.1f}" y="2" width="{width:.1f}" height="{HEIGHT - 4}"/>',
            _line(scale, low, high, middle, "whisker"),
        ]
    )


def axis(scale: Scale, texts: Sequence[str]) -> str:
    """Return the numbers under a column of pictures."""
    last = len(texts) - 1
    parts = []
    for at, (tick, text) in enumerate(zip(scale.ticks, texts, strict=True)):
        anchor = "start" if at == 0 and scale.x(tick) < 2 * _PAD else "middle"
        anchor = "end" if at == last and scale.x(tick) > WIDTH - 2 * _PAD else anchor
        parts.append(f'<text x="{scale.x(tick):.1f}" y="12" text-anchor="{anchor}">{text}</text>')
    return _svg(parts)


def _grid(scale: Scale) -> str:
    path = "".join(f"M{scale.x(tick):.1f} 0V{HEIGHT}" for tick in scale.ticks)
    return f'<path class="grid" d="{path}"/>'


def _line(scale: Scale, low: Figure, high: Figure, y: int, kind: str) -> str:
    left, right = scale.x(low), scale.x(high)
    if right - left < _LEAST:
        left, right = (left + right - _LEAST) / 2, (left + right + _LEAST) / 2
    return f'<path class="{kind}" d="M{left:.1f} {y}H{right:.1f}"/>'


def _svg(parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" focusable="false">'
        f"{''.join(parts)}</svg>"
    )


def _step(size: float) -> float:
    power = 10.0 ** floor(log10(size))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= size * 0.999)
