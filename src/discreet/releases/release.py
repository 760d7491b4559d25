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
    """A release: noisy numbers with intervals, and an account of the plan, the noise and the price.

    `release["count by ward"]` gives one statistic by its name; a loop over the release gives the
    names.

    Attributes:
        document: the content of `release.json`: everything that is public about the release.
        repeated: whether the same request had an answer before, so that this call cost nothing.
        account: which charge paid for an answer that another run made, and what this run cost.

    Example: noise differs from run to run.

        >>> import discreet as dp
        >>> rows = [{"ward": ward, "sex": sex} for ward in "AAABB" for sex in "fm"] * 100
        >>> keys = {"ward": ["A", "B"], "sex": ["f", "m"]}
        >>> people = dp.table(rows, name="people", unit="row", keys=keys)
        >>> questions = dp.count(by="ward"), dp.cube(["ward", "sex"])
        >>> plan = dp.plan(people, *questions, spend=dp.zcdp("1/50"))
        >>> ledger = dp.ledger("people.ledger", budget=dp.zcdp("1/8"))
        >>> release = dp.run(plan, ledger=ledger)
        >>> release["count by ward"].values
        [591, 409]
    """

    document: Document
    repeated: bool = False
    account: str = ""

    def table(self, *, about: About | None = None, form: str = "long") -> Tidy:
        """Return all answers as one table. A long table has the columns statistic, keys, value, low
        and high.

        Args:
            about: a publisher's words, with names for columns and keys.
            form: "long", a row for each number; "wide", a row for each group, with the questions
                side by side, and a mark in place of an absent number; "sdmx-csv", a row for each
                observation, with the names and codes of `about`.

        Returns: a row for each number. Values of counts are in rows. A cell is None if the
            statistic has no such column.

        Raises:
            InputError: there is no such form, or `about` does not fit.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release.table().columns
            ('statistic', 'ward', 'sex', 'linear', 'deviation', 'value', 'low', 'high')
        """
        from ..document.headings import check_about
        from ..document.tidy import tidy

        if about is None and form == "long":
            return tidy(self.document)
        from ..report.exports import table_in

        return table_in(self.document, form, check_about(about, self.document))

    def export(
        self,
        path: str | PathLike[str],
        also: Iterable[DerivedNumbers] | DerivedNumbers = (),
        *,
        form: str | None = None,
        about: About | None = None,
    ) -> Path:
        """Write all answers to one new file, and return the path of this file.

        A workbook (.xlsx) has a cover, contents, notes, an explanation of its shorthand, and a
        sheet for each table.

        Args:
            path: the new file: "tables.xlsx", or a name that ends in .csv.
            also: derived numbers of this release, such as totals or differences, for further sheets
                of a workbook.
            form: "excel" for .xlsx; "long", "wide" or "sdmx-csv" for .csv. By default, the ending
                of the path decides.
            about: a publisher's words, flags and names.

        Returns: the path of the file.

        Raises:
            InputError: a file is at this path, the path has another ending, or `also` or `about` do
                not fit the release.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release.export("people.csv", form="wide").name
            'people.csv'
        """
        from ..document.headings import check_about
        from ..report.exports import export

        place = path_of(path, "a table", call("release.export", "tables.xlsx"))
        words, derived = check_about(about, self.document), []
        if not isinstance(also, tuple) or also:
            from ..derive.recipes import checked_parts

            derived = [part.document for part in checked_parts(self.document, also)]
        return export(self.document, place, form, words, derived)

    def plot(self, name: str | None = None, *, about: About | None = None) -> Picture:
        """Return a Matplotlib figure of every answer with error bars; a notebook shows this figure.

        Args:
            name: the name of one statistic to draw alone: "count by ward".
            about: a publisher's words, with names for columns and keys.

        Returns: a figure of Matplotlib: `.savefig("people.svg")` writes it.

        Raises:
            InputError: no statistic has this name.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release.plot("count by ward")
            <Picture size 900x159.6 with 1 Axes>
        """
        from ..document.headings import check_about
        from ..report.pictures import figure

        words = check_about(about, self.document)
        return figure(self.document, about=words) if name is None else self[name].plot(about=words)

    def microdata(self, name: str | None = None) -> Microdata:
        """Return synthetic rows that have the tables of a cube, or of a list of tables; free.

        No row is a person, and the rows tell no more than the tables. The method `analyses()` of
        the rows lists the analyses that suit them, and their distance to each measured table.

        Args:
            name: the cube or the list, if the release has several statistics.

        Returns: a table of rows with the columns of the cube or of the list. A cell is text, a
            number or a truth value, like the key.

        Raises:
            InputError: the release has no such tables, or the rows are too many to write out.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release.microdata("cube").columns
            ('ward', 'sex')
        """
        from ..report.microdata import microdata

        return microdata(self[name or self.keys()[0]].document)

    def keys(self) -> list[str]:
        """Return the names of the statistics, in the order of the plan.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release.keys()
            ['count by ward', 'cube']
        """
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
        """Write the release as a folder, or as a zip if the path ends in .zip, and return the path.

        The folder holds table.csv, table.parquet, release.json, report.html and README.txt. With
        `about` or `also`, the folder also holds about.json or derived.json, with their tables.

        Args:
            path: the new folder or zip; `save` overwrites nothing.
            also: derived numbers of this release, such as totals or differences: one, or a list.
                Derived numbers go to derived.json and derived.csv, and `verify` computes these
                numbers again.
            about: the publisher's words, for about.json and the report.

        Returns: the path of the folder or of the zip.

        Raises:
            InputError: a file is at this path, the path cannot be written, or it ends like a file
                of another kind; or `also` or `about` do not fit the release.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release.save("people.release").name
            'people.release'
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
        """Correct the publisher's words in a saved release; no number changes.

        about.json keeps the day, and the hash of the previous words.

        Args:
            path: the folder, or its release.json.
            about: the new words, made by `discreet.about`; they replace the previous words.

        Raises:
            InputError: the path is not a folder of this release, or the words do not fit the
            release.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> folder = release.save("titled.release")
            >>> release.annotate(folder, dp.about(title="People of the wards"))
            >>> (folder / "about.json").exists()
            True
        """
        from ..report.bundle import annotate

        place = path_of(path, "a release", call("release.annotate", "visits.release"))
        if load(place).document.text() != self.document.text():
            raise InputError(
                f"{shown(place)} holds another release.",
                kind="other-release",
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

    Returns: the release, with all that release.json holds. `discreet.verify` checks it.

    Raises:
        InputError: there is no release at this path, or the file is not a release.

    Example:
        >>> import discreet as dp
        >>> people = dp.table([], name="people", unit="row", keys={"ward": ["A", "B"]})
        >>> plan = dp.plan(people, dp.count(by="ward"), spend=dp.zcdp("1/50"))
        >>> dp.rehearse(plan).save("trial.release").name
        'trial.release'
        >>> dp.load("trial.release").keys()
        ['count by ward']
    """
    from ..report.bundle import load_document

    place = path_of(path, "a release", call("discreet.load", "visits.release"))
    return Release(load_document(place))
