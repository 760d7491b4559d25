"""Rows that have the tables of a cube, or of a list of tables, and what they are fit for.

Rules of this module:
- it is arithmetic on released numbers: nothing is charged, nothing is read and no coin is drawn;
- a cube, and a list of tables that was fitted together, are repeated: each cell as often as it
  counts. Of other lists rows are fitted (`post.tables.synthetic`);
- the sheet has a line for each table that was measured: how far the rows are from its noisy
  numbers, over its noise. Tables further than `FIT` are named, and the rows are not fit for them.

Decision 104.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import prod, sqrt
from typing import TYPE_CHECKING, Any

from ..aggregate import Noisy
from ..document.accessors import noisy_of, width_of
from ..document.document import Document, Released
from ..document.numbers import Cell
from ..document.tidy import Kind, Tidy
from ..errors import InputError, shown
from ..noise.law import Law
from ..plans.plan import plan_of
from ..post.tables.answer import joint_cells
from ..post.tables.attribute import Levels, Places, Whole
from ..post.tables.family import CountedTable, steps
from ..post.tables.parts import centered
from ..post.tables.synthetic import TableTarget, counted, synthesized
from ..schema import Table
from ..text import Sheet, listed, prompt
from .cubes import cube_of

if TYPE_CHECKING:
    from ..statistic.cube_layout import CubeLayout

FIT = 1.1  # of its noise: how far rows are from a table that they are fit for
_MOST_ROWS = 10_000_000
_MOST_FITTED = 1_000_000
_KNOWN = 0.25  # what stands for the noise of a table that is known
_NAMED = 6
_LEAST = 1e-300
SYNTHETIC = "Synthetic rows, not persons: they repeat the released tables, and tell no more."
FITTED = "Synthetic rows, not persons: they are fitted to the released tables, and tell no more."


@dataclass(frozen=True, slots=True)
class TableFit:
    """How near the rows are to a table that was measured.

    Attributes:
        attributes: its columns.
        cells: how many numbers it has.
        noise: the deviation of its noise.
        distance: the root of the mean square of the rows' numbers less the noisy ones.
        contrasts: whether its contrasts were measured, and are compared, in its own scale.
    """

    attributes: tuple[str, ...]
    cells: int
    noise: float
    distance: float
    contrasts: bool = False

    @property
    def fit(self) -> bool:
        """Whether the rows are as near as the noise lets anybody tell."""
        return self.distance <= FIT * self.noise


@dataclass(frozen=True, slots=True, repr=False)
class Analyses:
    """Which analyses synthetic rows are fit for; printed, it is a table."""

    page: Sheet

    def sheet(self) -> Sheet:
        """Return it as a table for people."""
        return self.page

    def __str__(self) -> str:
        return self.page.text()

    def __repr__(self) -> str:
        return prompt("Analyses", self.page.title)

    def _repr_html_(self) -> str:
        return self.page.html()


@dataclass(frozen=True, slots=True, repr=False)
class Microdata(Tidy):
    """Synthetic rows, with their distance to each measured table.

    Attributes:
        fits: of each table.
        whole: whether the rows have exactly the released tables.
        tables: the columns of each released table; margins of other tables are left out.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> len(release.microdata("cube"))
        1000
    """

    fits: tuple[TableFit, ...] = ()
    whole: bool = True
    tables: tuple[tuple[str, ...], ...] = ()

    def analyses(self) -> Analyses:
        """Return a list of the analyses that suit the rows, and of analyses that do not.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> print(release.microdata("cube").analyses())
            people. Synthetic rows, not persons: ... 1,000 rows
            Fit for: ward and sex, and each with fewer of its columns. ...
            ...
        """
        far = [fit for fit in self.fits if not fit.fit]
        near = "Every released table is exactly that of these rows."
        if not self.whole:
            near = (
                "Tables of these columns, and their sums, are near the released ones; take numbers "
                "and intervals from the release."
            )
        named = listed([_named(fit.attributes) for fit in far], _NAMED)
        page = Sheet(
            title=f"{self.title} {len(self.rows):,} rows",
            columns=("table", "numbers", "noise", "distance", "of its noise", "fit"),
            rows=tuple(_line(fit) for fit in self.fits),
            above=(
                f"Fit for: {listed([_named(table) for table in self.tables], _NAMED)}, and each "
                f"with fewer of its columns. {near}",
            ),
            below=(
                f"Further from their noisy numbers than {FIT} times their noise: {named}. Take "
                "these from the release."
                if far
                else f"No table is further from its noisy numbers than {FIT} times its noise.",
                "Of a table of few numbers the noise itself is often further than that from the "
                "truth, and other tables tell it better.",
                "Not fit for: columns that no table has together, other columns, finer keys; tests "
                "and intervals made as if these rows had been drawn; single rows, rows that occur "
                "once, links to other data.",
            ),
            right=("numbers", "noise", "distance", "of its noise"),
        )
        return Analyses(page)


def _named(columns: Sequence[str]) -> str:
    return " and ".join(columns) or "the total"


def _line(fit: TableFit) -> tuple[str, ...]:
    name = _named(fit.attributes) + (" (contrasts)" if fit.contrasts else "")
    of = fit.distance / max(fit.noise, _LEAST)  # noise so rare has a deviation of 0
    numbers = f"{fit.cells:,}", f"{fit.noise:.4g}", f"{fit.distance:.4g}", f"{of:.2f}"
    return (name, *numbers, "yes" if fit.fit else "no")


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows, alike ones once.

    Attributes:
        lies: how the tables lie.
        keys: of each attribute, the key of each row.
        times: how often each row stands there.
        whole: whether every released table is exactly theirs.
    """

    lies: "CubeLayout"
    keys: Sequence[Places]
    times: Whole
    whole: bool


def microdata(document: Document) -> Microdata:
    """Return rows that have the tables of a cube, or are near those of a list of tables.

    Raises:
        InputError: the release has no tables that add up, or too many rows to write out.
    """
    released, plan = cube_of(document), plan_of(document.plan)
    line: Any = next(
        planned for planned in plan.lines if planned.statistic.plain() == released.question
    )
    noisy = noisy_of(released)
    made = _rows_of(released, line, plan.table, noisy)
    vectors = line.statistic.counted(plan.table, line.laws).items()
    fits = [
        _fit(made, vector, law, drawn.values)
        for (vector, law), drawn in zip(vectors, noisy, strict=True)
    ]
    lies = made.lies
    labels = [each[-1] for each in lies.labels]
    columns = [[labels[at][key] for key in each.tolist()] for at, each in enumerate(made.keys)]
    alike = zip(*columns, strict=True) if columns else [()] * len(made.times)
    rows: list[tuple[Cell, ...]] = []
    for cells, many in zip(alike, made.times.tolist(), strict=True):
        rows += [tuple(chain.from_iterable(cells))] * many
    names = tuple(chain.from_iterable(lies.columns))
    first = rows[0] if rows else ("",) * len(names)
    title = f"{document.title}. {SYNTHETIC if made.whole else FITTED}"
    kinds = tuple(map(_kind, first))
    return Microdata(title, names, kinds, rows, tuple(fits), made.whole, _tables(released, names))


def _rows_of(released: Released, line: Any, table: Table, noisy: Sequence[Noisy]) -> _Rows:
    """Return the rows: repeated cells where there are some, else fitted ones."""
    if released.question["statistic"] == "cube" and "known" not in released.question:
        lies = line.statistic.laid_out(table)
        values: Any = released.answer.rows.columns[-3]
        size = lies.size(lies.cells)
        return _repeated(released, lies, values[len(values) - size :])
    listing = line.statistic.lies(table)
    estimates = line.statistic.estimates(table, noisy, line.laws)
    if listing.together:
        cells = joint_cells(estimates, clean=line.statistic.clean)
        return _repeated(released, listing.lies, cells.reshape(-1))
    rows = max(0, round(_total(released)))
    _refuse(released, rows, _MOST_FITTED)
    targets = [
        TableTarget(
            shown,
            estimates.table(shown).reshape(-1),
            max(_KNOWN, sqrt(estimates.family.variance(shown))),
        )
        for shown in listing.tables
    ]
    keys = synthesized(listing.lies.attributes, rows, targets)
    return _Rows(listing.lies, keys, _ones(rows), whole=False)


def _total(released: Released) -> float:
    """Return the published number of all, which need not be that of the linear estimates."""
    cells = released.answer.rows
    names = [cells.columns[at] for at in range(width_of(released))]
    place = next(at for at, key in enumerate(zip(*names, strict=True)) if key == (None,) * len(key))
    return float(cells.columns[-3][place])


def _repeated(released: Released, lies: "CubeLayout", cells: Any) -> _Rows:
    """Return each cell that counts something, as often as it counts."""
    import numpy as np

    numbers = np.asarray(cells, dtype=np.int64)
    _refuse(released, int(numbers.sum()), _MOST_ROWS)
    places = np.flatnonzero(numbers)
    shape = [attribute.sizes[-1] for attribute in lies.attributes]
    keys = np.unravel_index(places, shape) if shape else ()
    return _Rows(lies, keys, numbers[places], whole=True)


def _ones(many: int) -> Whole:
    import numpy as np

    return np.ones(many, dtype=np.int64)


def _refuse(released: Released, rows: int, most: int) -> None:
    if rows > most:
        raise InputError(
            f"the cells of {shown(released.label)} add up to {rows:,} rows.",
            kind="too-large-to-calculate",
            why=f"more than {most:,} are not written out",
            fix="use the table of the cells, with value as a weight",
        )


def _fit(made: _Rows, vector: CountedTable | Levels, law: Law, noisy: Sequence[int]) -> TableFit:
    """Return how near the rows are to a vector that was counted."""
    import numpy as np

    shows, contrasts = vector if isinstance(vector, CountedTable) else (vector, False)
    lies, scale = made.lies, 1
    own = counted(lies.attributes, made.keys, shows, made.times)
    if contrasts:
        sizes = [a.sizes[level] for a, level in zip(lies.attributes, shows, strict=True) if level]
        each = [attribute.sizes for attribute in lies.attributes]
        own = centered(lies.attributes, own.reshape(sizes), shows).reshape(-1)
        scale = prod(steps(each, shows))
        own = own * scale
    off = own - np.array(noisy, dtype=float)
    names = tuple(
        names[level - 1] for names, level in zip(lies.columns, shows, strict=True) if level
    )
    distance, noise = sqrt(float((off**2).mean())), float(law.variance()) ** 0.5
    return TableFit(names, len(noisy), noise / scale, distance / scale, contrasts)


def _tables(released: Released, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the columns of each table that is asked."""
    if released.question["statistic"] != "tables":
        return (names,)
    return tuple(tuple(table) for table in released.question["by"])


def _kind(cell: Cell) -> Kind:
    return "flag" if isinstance(cell, bool) else "whole" if isinstance(cell, int) else "text"
