"""A release: public numbers with their intervals, and the ways to show and keep them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..text import Sheet

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from matplotlib.figure import Figure

    from ..report.document import Document
    from ..report.tidy import Tidy


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """Noisy numbers, their intervals and the account of how they came about.

    Attributes:
        document: everything that is public about the release, as `release.json` holds it.
        repeated: true when the same request had been answered before and cost nothing now.
        account: whose answer this is and what it cost now, where another run has stored it.
    """

    document: Document
    repeated: bool = False
    account: str = ""

    def table(self) -> Tidy:
        """Return all answers as one long table: statistic, keys, value, low, high."""
        from ..report.tidy import tidy

        return tidy(self.document)

    def plot(self) -> Figure:
        """Return a Matplotlib figure of every answer with its error bars."""
        from ..report.pictures import figure

        return figure(self.document)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the release as a folder, or as a zip where the path ends in .zip, and return it.

        It holds table.csv, table.parquet, release.json and report.html.

        Raises:
            InputError: the path exists already, or cannot be written.
        """
        from ..report.bundle import save

        return save(self.document, path)

    def sheet(self) -> Sheet:
        """Return the numbers as a table for people."""
        from ..report.tidy import sheet

        return sheet(self.document, repeated=self.repeated)

    def __str__(self) -> str:
        return self.sheet().text()

    def _repr_html_(self) -> str:
        return self.sheet().html()


def load(path: str | PathLike[str]) -> Release:
    """Return the release that was saved as a folder, a zip or a release.json.

    Raises:
        InputError: there is no such release, or its text is not one.
    """
    from ..report.bundle import load_document

    return Release(load_document(path))
