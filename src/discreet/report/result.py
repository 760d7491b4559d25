"""One statistic of a release, reached by its name.

Rules of this module:
- it says what the release says, of one statistic alone; nothing is made anew.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..calls import checked_methods
from ..document.accessors import labels
from ..document.document import Document
from ..document.numbers import Cell
from ..document.tidy import Tidy, tidy
from ..errors import InputError, as_given, names_shown
from ..fix import nearest_name, quoted
from ..text import Sheet, prompt
from .people import sheet

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from ..exact.number import Number
    from ..schema import About
    from .crossed import Crossed
    from .cubes import Measured, Total
    from .picture import Picture


@checked_methods("result")
@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """The released numbers of one statistic, with their intervals.

    A loop over the result gives a dict for each number. The dict holds the keys, bin or column, and
    `value`, `low` and `high`; for a mean also `rows`.

    Attributes:
        name: the name of the statistic in the release.
        document: the release, reduced to this statistic.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> print(release["count by ward"])
        people, released at rho = 0.02.
        ...
        count by ward   A         591      577 to 605
        ...
    """

    name: str
    document: Document

    def table(self, *by: str) -> Tidy:
        """Return the numbers as a table: the columns that this question has, and no others.

        Args:
            by: for a cube, the attributes of one table; the answer also has the margins of this
                table.

        Returns: a row for each number, with value, low and high in the units of the statistic.

        Raises:
            InputError: a table of the statistic was named, and the statistic is not a cube; or the
                cube has no such table.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release["count by ward"].table().columns
            ('ward', 'value', 'low', 'high')
        """
        if by:
            from .crossed import table_of_cube

            return table_of_cube(self.document, by)
        long = tidy(self.document)
        return Tidy(
            title=f"{self.document.title}: {self.name}",
            columns=long.columns[1:],
            kinds=long.kinds[1:],
            rows=[row[1:] for row in long.rows],
        )

    def total(self, *, alpha: "Number | None" = None, **chosen: object) -> "Total":
        """Return a sum of cells of a cube, with an interval for this sum; free.

        Args:
            alpha: the chance that the interval misses; by default, that of the release.
            chosen: one key or a list of keys, by attribute; of all other attributes, every key
                counts.

        Returns: the sum: its value, low and high in rows. `print` shows the number with its
            interval.

        Raises:
            InputError: the result is not a cube, or there is no such attribute or key.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> print(release["cube"].total(sex="f"))
            508 (491 to 526)
        """
        from .cubes import total

        return total(self.document, chosen, alpha)

    def measured(self) -> "list[Measured]":
        """Return the tables of a cube as they were counted, each with noise of its own.

        Raises:
            InputError: this is no cube.
        """
        from .cubes import measured

        return measured(self.document)

    def crossed(
        self, rows: str | Sequence[str] = (), columns: str | Sequence[str] = (), **where: object
    ) -> "Crossed":
        """Return a table for print, of a cube with totals, of another statistic without.

        Args:
            rows, columns: the attributes at the side and at the top.
            where: one key of each other attribute; the table is about these keys.

        Returns: the table. `print` writes a line for each group; `.html()` writes HTML.

        Raises:
            InputError: the result has no such attribute or key; or the result is not a cube, and an
                attribute is not named.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> print(release["count by ward"].crossed("ward"))
            people: count by ward
            ward                all
            ───────────────────────
            A      591 (577 to 605)
            B      409 (395 to 423)
        """
        from ..document.accessors import has_linear
        from ..schema import About
        from .crossed import crossed, crossed_groups

        side, top = ([n] if isinstance(n, str) else [*n] for n in (rows, columns))
        if has_linear(self.document.statistics[0]) or not self.document.statistics[0].answer.axes:
            return crossed(self.document, side, top, where)
        return crossed_groups(self.document, side, top, where, About())

    @property
    def rows(self) -> list[dict[str, Cell]]:
        """A dict for each number."""
        return list(self.table())

    @property
    def values(self) -> list[Cell]:
        """The released numbers; None where there are too few rows to say."""
        return self.table().column("value")

    @property
    def low(self) -> list[Cell]:
        """The low ends of the intervals."""
        return self.table().column("low")

    @property
    def high(self) -> list[Cell]:
        """The high ends of the intervals."""
        return self.table().column("high")

    def plot(self, *, about: "About | None" = None) -> "Picture":
        """Return a Matplotlib figure of the numbers with their error bars.

        Args:
            about: the publisher's names of columns and keys.

        Returns: a figure of Matplotlib: `.savefig("wards.svg")` writes it.

        Raises:
            InputError: `about` is not made by `discreet.about`.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release["count by ward"].plot()
            <Picture size 900x159.6 with 1 Axes>
        """
        from ..schema import checked_about
        from .pictures import figure

        words, label = checked_about(about), self.document.statistics[0].label
        own = replace(words, questions={label: words.heading(self.name)})
        return figure(self.document, about=own)

    def to_pandas(self) -> "pd.DataFrame":
        """Return the numbers as a pandas data frame.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> [*release["count by ward"].to_pandas().columns]
            ['ward', 'value', 'low', 'high']
        """
        return self.table().to_pandas()

    def to_polars(self) -> "pl.DataFrame":
        """Return the numbers as a Polars data frame.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release["count by ward"].to_polars().columns
            ['ward', 'value', 'low', 'high']
        """
        return self.table().to_polars()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the numbers to anything that speaks Arrow; needs PyArrow."""
        return self.table().__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        return iter(self.table())

    def __len__(self) -> int:
        return len(self.document.statistics[0].answer.rows)

    def sheet(self) -> Sheet:
        """Return the numbers as a table for people."""
        return sheet(self.document, repeated=False)

    def __str__(self) -> str:
        return self.sheet().text()

    def __repr__(self) -> str:
        return prompt("Result", f"{self.name}: {len(self):,} numbers of {self.document.title}")

    def _repr_html_(self) -> str:
        return self.sheet().html()


def result_of(document: Document, name: object) -> Result:
    """Return one statistic of a release.

    Args:
        document: the release.
        name: what the release calls it: `count by ward`. The second of two equal ones is called
            `count by ward (2)`.

    Raises:
        InputError: no statistic has this name.
    """
    names = labels(document)
    if not isinstance(name, str) or name not in names:
        near = _at(name, names) or meant_label(name, names)
        raise InputError(
            f"there is no statistic {as_given(name)} in this release.",
            kind="no-such-statistic",
            why=f"there {'are' if len(names) > 1 else 'is'} {names_shown(names)}",
            fix=f"write release[{quoted(near)}]"
            if near
            else "write one of these names in its place",
        )
    statistic: Any = document.statistics[names.index(name)]
    return Result(name, document.model_copy(update={"statistics": [statistic]}))


def _at(place: object, names: Sequence[str]) -> str:
    """Return the name at a place of the release, and the only name for whatever was asked."""
    if isinstance(place, int) and -len(names) <= place < len(names):
        return names[place]
    return names[0] if len(names) == 1 else ""


def meant_label(name: object, names: Sequence[str]) -> str:
    """Return the statistic that a name means: the only one that it begins, or one it is a slip of.

    It is "" where nothing says which one is meant: another statistic is never one.

    Example:
        >>> names = ["median cost", "mean cost by ward", "count by ward"]
        >>> meant_label("mean cost", names), meant_label("count by wards", names)
        ('mean cost by ward', 'count by ward')
        >>> meant_label("mean wage", names)
        ''
    """
    text = name.strip().casefold() if isinstance(name, str) else ""
    longer = [label for label in names if text and label.casefold().startswith(f"{text} ")]
    same = [label for label in names if label.casefold() == text]
    if same or len(longer) == 1:
        return (same or longer)[0]
    near = nearest_name(text, names)
    return near if near.split(" ")[0].casefold() == text.split(" ")[0] or " " not in near else ""
