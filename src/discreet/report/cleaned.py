"""The cleaned numbers of a release, as a table, a sheet and a file.

Rules of this module:
- the raw number and its interval stay beside each cleaned one, as released;
- the file is written beside the release and never over anything; the release is not touched.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path

from ..document.accessors import alpha_of, fair_shares, has_bins, kinds_of, told
from ..document.document import Document
from ..document.numbers import TOO_FEW, Cell, group_text, percent, spoken
from ..document.regular import csv_blocks
from ..document.tidy import Kind, Tidy, tidy
from ..errors import InputError, shown
from ..fix import call
from ..paths import path_of, taken
from ..post.denoise.select import SHORT, Denoised
from ..schema import ValueKind
from ..text import Bar, Sheet, bars_drawn, bundle, prompt
from .bundle import write_new
from .people import title_of

_ADDED = ("cleaned", "denoiser", "raw_error", "error")
_AVERAGE = ("average_low", "average_high")
_ROWS_SHOWN = 40
_SAID = 20  # choices that the sheet tells


@dataclass(frozen=True, slots=True, eq=False)
class CleanedStatistic:
    """One statistic's cleaned numbers; of a mean of several columns, those of one group.

    Attributes:
        label: which statistic.
        denoiser: what was taken, "raw" where nothing was.
        raw_error, error: expected root mean square error a number: of the raw numbers, known from
            the law, and of the choice, estimated from the numbers; its rounding to whole numbers
            is in it. Known facts come after it. Of a mean it is the error of its sums, in steps.
        words: the choice, as a sentence.
        values: the cleaned numbers, in the order of the released ones.
        average: the ends of the intervals that hold on average, where they were asked for.
        scales: of means, what an error is multiplied by for each number: a step over the noisy
            count; None where there are too few rows to say.
        group: of means, the group, where there are several.
    """

    label: str
    denoiser: str
    raw_error: float
    error: float
    words: str
    values: tuple[int | float | None, ...]
    average: tuple[tuple[float, float], ...] = ()
    scales: tuple[float | None, ...] = ()
    group: str = ""

    def __repr__(self) -> str:
        return prompt("CleanedStatistic", f"{self.name} by {self.denoiser}")

    @property
    def name(self) -> str:
        """The label, and the group where there are several."""
        return f"{self.label}, {self.group}" if self.group else self.label

    def cells(self) -> Iterator[tuple[Cell, ...]]:
        """Return what stands behind each row of the released table."""
        errors = (self.raw_error, self.error)
        for at, value in enumerate(self.values):
            scale = self.scales[at] if self.scales else 1
            scaled = [None if scale is None else error * scale for error in errors]
            ends = self.average[at] if self.average else (None, None)
            yield (value, self.denoiser, *scaled, *ends)

    def shown(self, at: int, kind: ValueKind = "number") -> tuple[str, str]:
        """Return a cleaned number for people, to two digits of its error, and its interval."""
        value, scale = self.values[at], self.scales[at] if self.scales else 1
        if value is None or scale is None:
            return (TOO_FEW, "")
        about = max(self.error, self.raw_error / 100) * scale
        figure, _, _ = spoken(value, value - about, value + about, kind)
        if not self.average:
            return (figure, "")
        low, high = self.average[at]
        if low == high:  # the whole interval is below zero, where no count is
            return (figure, "0 to 0")
        _, start, end = spoken(value, low, high, kind)
        return (figure, f"{start} to {end}")


@dataclass(frozen=True, slots=True, eq=False)
class Cleaned:
    """The cleaned numbers of a release, with the method that cleaned them.

    Attributes:
        document: the release, reduced to the statistics that were cleaned, with their released
            numbers.
        statistics: the cleaned numbers of each statistic, in the order of the release.
        kept: the labels of the statistics that discreet cannot clean, and leaves raw.
        notes: what the choice and the intervals mean, as sentences.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> dp.denoise(release).kept
        ('cube',)
    """

    document: Document
    statistics: tuple[CleanedStatistic, ...]
    kept: tuple[str, ...]
    notes: tuple[str, ...]

    def table(self) -> Tidy:
        """Return a long table: the rows of the release, with the cleaned numbers in further
        columns.

        The columns value, low and high are as released. The columns behind them are cleaned,
        denoiser, raw_error, error, and average_low and average_high where such intervals were asked
        for.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> dp.denoise(release).table().columns[-4:]
            ('cleaned', 'denoiser', 'raw_error', 'error')
        """
        added = (*_ADDED, *self._average())
        raw = tidy(self.document, also=added)
        many = len(added)
        new = [cells[:many] for statistic in self.statistics for cells in statistic.cells()]
        integers = raw.kinds[-1] == "whole" and all(isinstance(cells[0], int) for cells in new)
        kinds: list[Kind] = ["whole" if integers else "real", "text"]
        kinds += ["real"] * (len(added) - len(kinds))
        return Tidy(
            title=f"{raw.title}, cleaned",
            columns=(*raw.columns, *added),
            kinds=(*raw.kinds, *kinds),
            rows=[(*old, *cells) for old, cells in zip(raw.rows, new, strict=True)],
        )

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the table as CSV to a new file, and return the path; the release stays as it is.

        Args:
            path: the new file, which must not exist yet: "cleaned.csv".

        Returns: the path of the file.

        Raises:
            InputError: a file is at this path already, or the path cannot be written.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> dp.denoise(release).save("cleaned.csv").name
            'cleaned.csv'
        """
        place = path_of(path, "a table", call("cleaned.save", "cleaned.csv"))
        if os.path.lexists(place):
            raise taken(
                place,
                why="cleaned numbers are never written over anything",
                fix="name another file, for example cleaned.csv",
            )
        try:
            write_new(place, (block.encode("utf-8") for block in csv_blocks(self.table())))
        except (OSError, ValueError) as error:
            raise InputError(
                f"{shown(place)} cannot be written.",
                kind="cannot-write",
                why=f"the system says: {getattr(error, 'strerror', None) or 'no such name'}",
                fix="name a file in a folder that you can write to",
            ) from None
        return place

    def sheet(self) -> Sheet:
        """Return raw and cleaned numbers side by side, as a table for people."""
        covers = percent(alpha_of(self.document))
        columns = ["statistic", "group", "raw", f"{covers} interval", "cleaned"]
        columns += [f"{covers} on average"] * bool(self._average())
        sizes = [len(released.answer.rows) for released in self.document.statistics]
        rows = tuple(self._rows(fair_shares(sizes, _ROWS_SHOWN)))
        more = sum(sizes) - len(rows)
        return Sheet(
            title=f"Cleaned: {title_of(self.document, repeated=False)}",
            columns=tuple(columns),
            rows=rows,
            above=(self.document.protection.sentence,),
            below=(
                *([f"... and {more:,} more rows: table() has them all."] * (more > 0)),
                *self._said(),
                *self.notes,
            ),
            right=tuple(columns[2:]),
        )

    def __str__(self) -> str:
        return self.sheet().text()

    def __repr__(self) -> str:
        done = ", ".join(
            f"{statistic.name} by {statistic.denoiser}" for statistic in self.statistics[:_SAID]
        )
        return prompt("Cleaned", f"{self.document.title}: {done}")

    def _repr_html_(self) -> str:
        return self.sheet().html()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        most = max((statistic.raw_error for statistic in self.statistics), default=0.0) or 1.0
        bars = [
            Bar(f"{statistic.name}, {what}", f"±{error:.4g}", Fraction(min(1.0, error / most)))
            for statistic in self.statistics
            for what, error in (
                ("raw", statistic.raw_error),
                (
                    "left raw" if statistic.denoiser == "raw" else statistic.denoiser,
                    statistic.error,
                ),
            )
        ]
        drawn = bars_drawn("Expected error of a number, raw and cleaned", bars) if bars else ""
        return bundle(self, self.sheet().html(), drawn)

    def _average(self) -> tuple[str, ...]:
        return _AVERAGE if any(statistic.average for statistic in self.statistics) else ()

    def _said(self) -> Iterator[str]:
        """Return the choices as sentences; of many groups the first."""
        yield from (f"{statistic.name}: {statistic.words}" for statistic in self.statistics[:_SAID])
        more = len(self.statistics) - _SAID
        if more > 0:
            yield f"... and {more:,} more groups: table() names the denoiser of each."

    def _rows(self, shares: list[int]) -> Iterator[tuple[str, ...]]:
        cleaned = (
            (statistic, at) for statistic in self.statistics for at in range(len(statistic.values))
        )
        last = 1 + bool(self._average())
        for released, most in zip(self.document.statistics, shares, strict=True):
            kind, of_cells = kinds_of(self.document, released)
            for place, number in enumerate(told(released)):
                statistic, at = next(cleaned)
                if place < most:
                    raw, start, end = spoken(number.value, number.low, number.high, kind)
                    group = group_text(number.index, bins=has_bins(released), kind=of_cells)
                    shown = statistic.shown(at, kind)[:last]
                    yield (statistic.label, group, raw, f"{start} to {end}", *shown)


def lucky(done: Denoised, how: str) -> str:
    """Return what must be known of the estimated error of a choice among few numbers."""
    if how != "auto" or done.values.size >= SHORT:
        return ""
    return " Of so few numbers the least of several estimates is often too low."


def kept_by(how: str) -> str:
    """Return why a named denoiser left the raw numbers.

    Example:
        >>> kept_by("raw"), kept_by("empirical_bayes")
        ('as asked', 'which empirical_bayes does not change here')
    """
    return "as asked" if how == "raw" else f"which {how} does not change here"
