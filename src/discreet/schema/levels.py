"""A public hierarchy of keys: places in regions in countries.

Rules of this module:
- it comes from public knowledge, as keys do: a list or a file that anybody may read, no data;
- every key belongs to one group of each coarser level; groups are told apart by all that is above.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, as_given, shown
from ..expressions.expression import name_of
from ..expressions.parser import MAX_PARTS, RESERVED
from ..expressions.tokens import MAX_LETTERS
from ..fix import write
from ..text import pasted, prompt
from .derived import Derived, derived
from .keys import Key, check_name, is_storable

if TYPE_CHECKING:
    from .public_list import PublicList

_MOST = 20_000_000  # letters of a file


@dataclass(frozen=True, slots=True, repr=False)
class Levels:
    """A hierarchy, with a row for each key; `discreet.levels` makes it. The columns
    are ordered from the coarsest level to the keys. `listed` is the file with the rows, or None.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Key, ...], ...]
    listed: "PublicList | None" = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """The column of the table whose keys it groups."""
        return self.columns[-1]

    def lookup(self, column: str) -> Derived:
        """Return what makes one of its coarser columns of each row of a table, to group by.

        Each key stands once, so that a row finds one group or none: that of its key.

        Args:
            column: a level above the keys: "region" of ["region", "zip"].

        Raises:
            InputError: no such level, or more keys than an expression can hold.

        Example:
            >>> towns = dp.levels(["region", "town"], rows=[("North", "A"), ("South", "B")])
            >>> print(towns.lookup("region").expression)
            CASE WHEN town IN ('A') THEN 'North' WHEN town IN ('B') THEN 'South' END
        """
        if column not in self.columns[:-1]:
            raise InputError(
                f"{as_given(column)} is no level above {shown(self.name)}.",
                kind="hierarchy-wrong",
                why="a lookup makes a group of each key: it is one of "
                f"{', '.join(map(shown, self.columns[:-1]))}",
                fix=f"write {shown(self.columns[0])}",
            )
        groups: dict[Key, list[Key]] = {}
        for row in self.rows:
            groups.setdefault(row[self.columns.index(column)], []).append(row[-1])
        key = name_of(self.name, RESERVED)
        parts = [
            f"WHEN {key} IN ({', '.join(map(_said, keys))}) THEN {_said(group)}"
            for group, keys in groups.items()
        ]
        text = f"CASE {' '.join(parts)} END"
        if len(text) > MAX_LETTERS or len(self.rows) > MAX_PARTS // 2:
            raise InputError(
                f"{len(self.rows):,} keys of {shown(self.name)} are more than a lookup can hold.",
                kind="keys-too-many",
                why=f"it is an expression of at most {MAX_LETTERS:,} letters, and stands in the "
                "plan and in every release",
                fix=f"group by {shown(self.name)} itself, or name the groups with fewer keys",
            )
        listed = self.listed and replace(self.listed, column=column)
        return replace(derived(text, keys=[*groups]), listed=listed)

    def plain(self) -> dict[str, object]:
        """Return the hierarchy as plain data."""
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}

    def __repr__(self) -> str:
        short = prompt("Levels", f"{' > '.join(self.columns)}, {len(self.rows):,} keys")
        if self.listed is not None and self.listed.path:
            return pasted(short, "discreet.levels", [*self.columns], file=self.listed.path)
        return pasted(short, "discreet.levels", [*self.columns], rows=[*map(list, self.rows)])


def levels(
    columns: Sequence[str],
    *,
    rows: Iterable[Sequence[object]] | None = None,
    file: str | PathLike[str] | None = None,
) -> Levels:
    """Declare a public hierarchy of keys, for a cube or a list of tables.

    Args:
        columns: the names of its levels, from the coarsest to the table's own column.
        rows: one row for each key, with the groups that contain the key.
        file: a public CSV file (UTF-8) with these columns, instead of rows.

    Returns: the hierarchy, for `levels` or `by` of `discreet.cube` and `discreet.tables`.

    Raises:
        InputError: there are fewer than two levels or no rows, a key is listed twice, or the file
            lacks a column.

    Example:
        >>> dp.levels(["region", "town"], rows=[("North", "A"), ("North", "B"), ("South", "C")])
        discreet.levels(['region', 'town'], rows=[['North', 'A'], ['North', 'B'], ['South', 'C']])
    """
    is_list = isinstance(columns, (list, tuple)) and all(isinstance(c, str) for c in columns)
    if not is_list or len(columns) < 2 or len(set(columns)) < len(columns):
        raise InputError(
            f"columns = {as_given(columns)} is not a list of levels.",
            kind="hierarchy-wrong",
            why="a hierarchy has at least two, from the coarsest to the keys, all different",
            fix=write(columns=["region", "place"]),
        )
    for column in columns:
        check_name(column, "columns")
    is_path = file is None or isinstance(file, (str, PathLike))
    is_rows = rows is None or isinstance(rows, (list, tuple))
    if (rows is None) == (file is None) or not is_path or not is_rows:
        raise InputError(
            "a hierarchy needs either rows= or file=, and not both.",
            kind="hierarchy-wrong",
            why="it says in which groups each key lies",
            fix=(write(rows=[["North", "A"]]), write(file="places.csv")),
        )
    listed, cells = (None, rows or ()) if file is None else _read(Path(file), columns)
    lines = [tuple(row) if isinstance(row, (list, tuple)) else () for row in cells]
    return Levels(tuple(columns), _checked(tuple(columns), lines), listed)


def _said(cell: Key) -> str:
    """Return a cell as a literal of an expression."""
    if isinstance(cell, str):
        return "'" + cell.replace("'", "''") + "'"
    return str(cell).upper()


def _checked(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> tuple[tuple[Key, ...], ...]:
    plain = all(
        len(row) == len(columns)
        and all(type(cell) in (str, int, bool) for cell in row)
        and all(is_storable(cell) for cell in row if isinstance(cell, str))
        for row in rows
    )
    if not rows or not plain:
        raise InputError(
            f"the rows of the hierarchy of {shown(columns[-1])} are not one cell for each level.",
            kind="hierarchy-wrong",
            why=f"each row names {', '.join(map(shown, columns))}: text or whole numbers",
            fix=f"list rows of {len(columns)} keys, one for each column",
        )
    if len({row[-1] for row in rows}) < len(rows):
        raise InputError(
            f"a key of {shown(columns[-1])} stands in the hierarchy twice.",
            kind="hierarchy-wrong",
            why="each key lies in one group of each level, so that tables add up",
            fix="keep one row for each key",
        )
    return tuple(rows)


def _read(path: Path, columns: Sequence[str]) -> "tuple[PublicList, list[tuple[str, ...]]]":
    from .public_list import text_of_list, unreadable

    text, listed = text_of_list(path, "hierarchy", write(rows=[["North", "A"]]))
    try:
        lines = list(csv.DictReader(StringIO(text[:_MOST], newline=""), strict=True))
    except csv.Error:
        raise unreadable(path, "hierarchy", write(rows=[["North", "A"]])) from None
    if len(text) > _MOST:
        raise InputError(
            f"the hierarchy {shown(path.name)} has more than {_MOST:,} letters.",
            kind="hierarchy-wrong",
            why="it is kept in the plan and in the release",
            fix="leave out what is no level",
        )
    missing = [column for column in columns if lines and column not in lines[0]]
    if missing:
        raise InputError(
            f"the hierarchy {shown(path.name)} has no column {shown(missing[0])}.",
            kind="hierarchy-wrong",
            why="the first row of the file names the levels",
            fix=f"name a column {shown(missing[0])}, or write columns as the file names them",
        )
    return listed, [tuple(line[column] or "" for column in columns) for line in lines]
