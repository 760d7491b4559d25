"""Tables for a terminal and a notebook; knows nothing of what they show."""

from collections.abc import Sequence
from dataclasses import dataclass
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
