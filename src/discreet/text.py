"""Tables for a terminal and a notebook; knows nothing of what they show."""

from dataclasses import dataclass
from io import StringIO
from typing import Literal

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Sheet:
    """A titled table with sentences above and below it, shown alike in a terminal and a notebook.

    `right` names the columns that hold numbers; all cells are text and are shown as they are.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    right: tuple[str, ...] = ()

    def text(self, width: int = _WIDTH) -> str:
        """Return the sheet as plain text."""
        return self._drawn(width, "text")

    def html(self, width: int = _WIDTH) -> str:
        """Return the sheet as HTML with inline styles."""
        return self._drawn(width, "html")

    def _drawn(self, width: int, form: Literal["text", "html"]) -> str:
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        console = Console(
            file=StringIO(), width=width, record=True, force_terminal=False, legacy_windows=False
        )
        for line in (self.title, *self.above):
            console.print(Text(visible(line), style="bold" if line is self.title else ""))
        if self.rows:
            grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
            for column in self.columns:
                grid.add_column(
                    Text(visible(column)), justify="right" if column in self.right else "left"
                )
            for row in self.rows:
                grid.add_row(*(Text(visible(cell)) for cell in row))
            console.print(grid)
        for line in self.below:
            console.print(Text(visible(line)))
        if form == "html":
            return console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")
        return "\n".join(line.rstrip() for line in console.export_text().splitlines())


def visible(text: str) -> str:
    """Return text that cannot steer a terminal: control and direction characters are escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
