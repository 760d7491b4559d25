"""Tables for a terminal and a notebook; knows nothing of what they show."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from io import StringIO

from .errors import visible

_WIDTH = 100
_RED = "color: #c00000; font-weight: bold"
_PLAIN = 'class="tex2jax_ignore mathjax_ignore"'  # notebooks read no $...$ in it as mathematics


@dataclass(frozen=True, slots=True)
class Sheet:
    """A titled table with sentences above and below it, shown alike in a terminal and a notebook.

    `right` names the columns that hold numbers; all cells are text and are shown as they are.
    `warnings` come last, and are red where there is color.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def text(self, width: int = _WIDTH) -> str:
        """Return the sheet as plain text, no line wider than `width` characters."""
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        console = Console(
            file=StringIO(), width=width, record=True, force_terminal=False, legacy_windows=False
        )
        for line in (self.title, *self.above):
            console.print(Text(visible(line)))
        if self.rows:
            grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
            for column in self.columns:
                grid.add_column(
                    Text(visible(column)), justify="right" if column in self.right else "left"
                )
            for row in self.rows:
                grid.add_row(*(Text(visible(cell)) for cell in row))
            console.print(grid)
        for line in (*self.below, *self.warnings):
            console.print(Text(visible(line)))
        return "\n".join(line.rstrip() for line in console.export_text().splitlines())

    def html(self) -> str:
        """Return the sheet as a piece of HTML, with a real table and inline styles."""
        aligned = ["right" if column in self.right else "left" for column in self.columns]
        rows = [_html_row("td", row, aligned) for row in self.rows]
        table = f"<table>{_html_row('th', self.columns, aligned)}{''.join(rows)}</table>"
        return "\n".join(
            [
                f"<div {_PLAIN}><strong>{_escaped(self.title)}</strong>",
                *(f"<div>{_escaped(line)}</div>" for line in self.above),
                table if rows else "",
                *(f"<div>{_escaped(line)}</div>" for line in self.below),
                *(f'<div style="{_RED}">{_escaped(line)}</div>' for line in self.warnings),
                "</div>",
            ]
        )


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a picture: what it is, what it says, and its share of the longest (0 to 1)."""

    label: str
    value: str
    share: Fraction


_ROW, _LEFT, _LONG, _PICTURED = 22, 230, 260, 40  # pixels; and bars, at most


def bars_drawn(title: str, bars: Sequence[Bar]) -> str:
    """Return a picture of bars as SVG, on white: a notebook may be dark."""
    shown = bars[:_PICTURED]
    height, width = _ROW * (len(shown) + 2), _LEFT + _LONG + 270
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="12">',
        f"<title>{_escaped(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="{_ROW - 6}" font-weight="bold">{_escaped(_cut(title, 100))}</text>',
    ]
    for number, bar in enumerate(shown, start=1):
        y, long = number * _ROW, max(1, _LONG * bar.share.numerator // bar.share.denominator)
        lines += [
            f'<text x="{_LEFT - 8}" y="{y + 15}" text-anchor="end">{_escaped(_cut(bar.label, 34))}'
            "</text>",
            f'<rect x="{_LEFT}" y="{y + 4}" width="{long}" height="{_ROW - 8}" fill="#4477aa"/>',
            f'<text x="{_LEFT + long + 6}" y="{y + 15}">{_escaped(_cut(bar.value, 40))}</text>',
        ]
    if len(bars) > len(shown):
        more = f"... and {len(bars) - len(shown):,} more"
        lines.append(f'<text x="{_LEFT}" y="{height - 8}">{more}</text>')
    return "".join([*lines, "</svg>"])


def _cut(text: str, most: int) -> str:
    text = visible(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def bundle(thing: object, html: str, svg: str = "") -> dict[str, str]:
    """Return what a notebook may show: a line, a table with its picture, and the picture alone."""
    shown = {"text/plain": repr(thing), "text/html": html}
    if svg:
        image = b64encode(svg.encode()).decode()
        shown["text/html"] += f'\n<img alt="" src="data:image/svg+xml;base64,{image}">'
        shown["image/svg+xml"] = svg
    return shown


def _html_row(kind: str, cells: Sequence[str], aligned: Sequence[str]) -> str:
    style = "padding: 0 1em 0 0; font-variant-numeric: tabular-nums; text-align: "
    parts = [
        f'<{kind} style="{style}{side}">{_escaped(cell)}</{kind}>'
        for cell, side in zip(cells, aligned, strict=True)
    ]
    return f"<tr>{''.join(parts)}</tr>"


def _escaped(text: str) -> str:
    return escape(visible(text))


def prompt(kind: str, words: str) -> str:
    """Return what an object says of itself at a prompt: one line of at most 100 characters.

    Example:
        >>> prompt("Unit", "one row")
        '<Unit one row>'
    """
    line = f"<{kind} {visible(words)}"
    return f"{line}>" if len(line) < _WIDTH else f"{line[: _WIDTH - 2]}…>"


_PASTED = 10_000  # characters of a declaration that somebody pastes


def pasted(short: str, call: str, /, *values: object, **options: object) -> str:
    """Return the call that makes an object again, to be pasted; one that is too long is `short`.

    Example:
        >>> pasted("<Unit id>", "discreet.unit", "id", max_rows=3)
        "discreet.unit('id', max_rows=3)"
    """
    parts = [*map(repr, values), *(f"{option}={value!r}" for option, value in options.items())]
    line = f"{call}({', '.join(parts)})"
    is_whole = not any(map(_is_short, (*values, *options.values())))
    return line if is_whole and len(line) <= _PASTED and visible(line) == line else short


def _is_short(value: object) -> bool:
    """Tell whether a part of a call shows itself in short, so that it cannot be pasted."""
    if isinstance(value, (list, tuple)):
        return any(map(_is_short, value))
    if isinstance(value, dict):
        return any(map(_is_short, value.values()))
    return not isinstance(value, str) and repr(value).startswith("<")


def listed(values: Sequence[object], most: int) -> str:
    """Return values in words: the first ones, and how many more there are.

    Example:
        >>> listed(["A", "B"], 3), listed(range(1_000), 3)
        ('A, B', '0, 1, 2 and 997 more')
    """
    more = len(values) - most
    words = ", ".join(str(value) for value in values[:most])
    return f"{words} and {more:,} more" if more > 0 else words


def piece(text: str) -> str:
    """Return a text as a piece of HTML, for a notebook."""
    return f"<div {_PLAIN}>{_escaped(text)}</div>"
