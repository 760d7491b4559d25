"""A release: public numbers with their intervals, and the ways to show and keep them."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from ..calls import checked_methods
from ..derive.catalog import derives
from ..errors import InputError, shown
from ..fix import Do, call
from ..paths import no_folder, path_of
from ..privacy.loss import loss_of
from ..text import Sheet, bundle, prompt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from ..derive import (
        baselines,
        derived,
        differences,
        medians,
        ranks,
        rates,
        ratios,
        standardized,
    )
    from ..derive.derived import DerivedNumbers
    from ..document.document import Document
    from ..document.tidy import Tidy
    from ..report.microdata import Microdata
    from ..report.picture import Picture
    from ..report.result import Result
    from ..schema import About


_SAVE = call("release.save", "visits.release")


@derives
@checked_methods("release")
@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """Noisy numbers, their intervals and the account of how they came about.

    Its statistics are reached by their names: `release["count by ward"]`; a loop gives the names.

    Attributes:
        document: everything that is public about the release, as `release.json` holds it.
        repeated: true when the same request had been answered before and cost nothing now.
        account: whose answer this is and what it cost now, where another run has stored it.
    """

    document: Document
    repeated: bool = False
    account: str = ""

    def table(self, *, about: About | None = None) -> Tidy:
        """Return all answers as one long table: statistic, keys, value, low, high.

        Args:
            about: a publisher's words, which columns and keys are then called by.
        """
        from ..document.headings import check_about, labelled
        from ..document.tidy import tidy

        if about is None:
            return tidy(self.document)
        return labelled(self.document, check_about(about, self.document))

    def plot(self, name: str | None = None, *, about: About | None = None) -> Picture:
        """Return a Matplotlib figure of every answer with its error bars; a notebook shows it.

        Args:
            name: draw one statistic alone: "count by ward".
            about: a publisher's words, which columns and keys are then called by.

        Raises:
            InputError: no statistic has this name.
        """
        from ..document.headings import check_about
        from ..report.pictures import figure

        words = check_about(about, self.document)
        return figure(self.document, about=words) if name is None else self[name].plot(about=words)

    def microdata(self, name: str | None = None) -> Microdata:
        """Return made-up rows that have the tables of a cube, or of a list of tables; free.

        The rows are synthetic, not persons, and tell no more than the tables. `analyses()` of them
        says what they are fit for, and how near they are to each table that was measured.

        Args:
            name: the cube or the list, where the release has several statistics.

        Raises:
            InputError: the release has no such tables, or rows without end.
        """
        from ..report.microdata import microdata

        return microdata(self[name or self.keys()[0]].document)

    def keys(self) -> list[str]:
        """Return the names of the statistics, in the order of the plan."""
        from ..document.accessors import labels

        return labels(self.document)

    def __getitem__(self, name: str) -> Result:
        """Return one statistic by its name, as in `release["count by ward"]`.

        Raises:
            InputError: no statistic has this name.
        """
        from ..document.accessors import called
        from ..report.result import result_of

        return result_of(self.document, called(name, self.keys()))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.document.statistics)

    def _ipython_key_completions_(self) -> list[str]:
        return self.keys()

    if TYPE_CHECKING:  # `derives` makes them of the register; a type checker reads what they take
        total = differences.total
        difference = differences.difference
        ratio = ratios.ratio
        share = ratios.share
        relative = baselines.relative
        change = baselines.change
        rate = rates.rate
        standardized = standardized.standardized
        median = medians.median
        ranks = ranks.ranks
        intervals = derived.intervals

    def save(
        self,
        path: str | PathLike[str],
        also: Iterable[DerivedNumbers] | DerivedNumbers = (),
        *,
        about: About | None = None,
    ) -> Path:
        """Write the release as a folder, or as a zip where the path ends in .zip, and return it.

        It holds table.csv, table.parquet, release.json, report.html and README.txt; with `about`
        or `also`, too, the files that those name.

        Args:
            path: where to; nothing is written over.
            also: totals, differences and the like of this release, one or a list, which go to
                derived.json and derived.csv; `verify` makes them again.
            about: what the publisher says of it, for about.json and the report.

        Raises:
            InputError: the path is taken, cannot be written or ends as a file of another kind, or
                `also` or `about` do not fit.
        """
        from ..document.headings import check_about
        from ..report.bundle import save

        place = path_of(path, "a release", _SAVE)
        names = (f"{place.stem}{ending}" for ending in (".release", ".zip"))
        folder, packed = (str(place.parent.joinpath(name)) for name in names)
        ways = Do(call("release.save", folder)), Do(call("release.save", packed), "for one file")
        if (refused := no_folder(place, ways)) is not None:
            raise refused
        check_about(about, self.document)
        parts: dict[str, tuple[str, ...]] = {}
        if not isinstance(also, tuple) or also:
            from ..derive.recipes import derived_parts

            parts = derived_parts(self.document, also)
        return save(self.document, place, also=parts, about=about)

    def annotate(self, path: str | PathLike[str], about: About) -> None:
        """Put a publisher's words right where this release was saved; no number changes.

        about.json keeps the day, and the hash of the words before.

        Raises:
            InputError: the path is no folder of this release, or words do not fit it.
        """
        from ..report.bundle import annotate

        place = path_of(path, "a release", call("release.annotate", "visits.release"))
        if load(place).document.text() != self.document.text():
            raise InputError(
                f"{shown(place)} holds another release.",
                why="words are said of one release, and stand beside its numbers",
                fix=Do(call("discreet.load", str(place)), ", and annotate that"),
            )
        annotate(self.document, Path(place), about)

    def sheet(self) -> Sheet:
        """Return the numbers as a table for people."""
        from ..report.people import sheet

        return sheet(self.document, repeated=self.repeated)

    def __str__(self) -> str:
        return self.sheet().text()

    def __repr__(self) -> str:
        kind = "Rehearsal" if self.document.kind == "rehearsal" else "Release"
        loss = loss_of(self.document.protection.loss)
        return prompt(kind, f"of {self.document.title} at {loss}: {', '.join(self)}")

    def _repr_html_(self) -> str:
        return self.sheet().html()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        text = StringIO()
        self.plot().savefig(text, format="svg", metadata={"Date": None})
        return bundle(self, self.sheet().html(), text.getvalue())


def load(path: str | PathLike[str]) -> Release:
    """Return the release that was saved as a folder, a zip or a release.json.

    Args:
        path: the folder, the zip, or the release.json in it.

    Raises:
        InputError: there is no such release, or its text is not one.
    """
    from ..report.bundle import load_document

    place = path_of(path, "a release", call("discreet.load", "visits.release"))
    return Release(load_document(place))
