"""Who is protected: a row, or all rows that share a value of one column."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from ..errors import InputError, as_given, shown
from ..exact.number import whole
from ..fix import BLANK, call, leave_out, write
from ..text import pasted, piece, prompt
from .keys import check_name

Sampling = Literal["native", "portable"]
Neighbors = Literal["add_remove", "replace"]


@dataclass(frozen=True, slots=True)
class Unit:
    """The protected unit: a row, or all rows that share a value; `discreet.unit` makes it."""

    column: str | None
    max_rows: int | None = None
    sampling: Sampling = "native"

    def plain(self) -> dict[str, str | int | None]:
        """Return the unit as plain data."""
        plain: dict[str, str | int | None] = {"column": self.column, "max_rows": self.max_rows}
        return plain if self.sampling == "native" else {**plain, "sampling": self.sampling}

    def __str__(self) -> str:
        if self.column is None:
            return "one row"
        limit = f", at most {self.max_rows} rows of each" if self.max_rows else ""
        chosen = ", chosen by a portable hash" if self.sampling == "portable" else ""
        return f"all rows with the same {shown(self.column)}{limit}{chosen}"

    def __repr__(self) -> str:
        if self.column is None:
            return "discreet.schema.ROW"
        more: dict[str, object] = {} if self.max_rows is None else {"max_rows": self.max_rows}
        more |= {} if self.sampling == "native" else {"sampling": self.sampling}
        return pasted(prompt("Unit", str(self)), "discreet.unit", self.column, **more)

    def _repr_html_(self) -> str:
        return piece(str(self))


ROW = Unit(None, 1)


def unit(column: str, *, max_rows: int | None = None, sampling: str = "native") -> Unit:
    """Declare that all rows with the same value in `column` belong to one protected unit.

    Args:
        column: the column that names the unit, for example a person's id.
        max_rows: the largest number of rows of one unit that count, in the whole release. A secret
            keyed hash of the content chooses these rows. Without `max_rows` each statistic must
            state `max_rows_per_group` (and should say `max_groups`).
        sampling: the hash that chooses the rows of a unit if a limit binds. "native" is the hash of
            the counting engine. "portable" is a hash that every engine computes alike, so the same
            plan keeps the same rows in memory, DuckDB, Postgres and Spark.

    Returns: the unit, for `unit` of `discreet.table`.

    Raises:
        InputError: `column` is not text, `max_rows` is not a whole number of at least 1, or
            `sampling` is not one of the two words.

    Example:
        >>> dp.unit("person", max_rows=8)
        discreet.unit('person', max_rows=8)
    """
    check_name(column, "unit", alone=True)
    if not isinstance(sampling, str) or sampling not in ("native", "portable"):
        raise InputError(
            f"sampling = {as_given(sampling, bare=True)} is no choice of rows that discreet knows.",
            kind="unknown-choice",
            why="it says by which hash the rows of a unit are chosen where a limit binds",
            fix=(write(sampling="portable"), leave_out("sampling")),
        )
    most = None if max_rows is None else whole(max_rows, "max_rows", least=1)
    return Unit(column, most, cast("Sampling", sampling))


def unit_of(who: Mapping[str, Any]) -> Unit:
    """Return the unit that `Unit.plain()` wrote."""
    return unit(who["column"], max_rows=who["max_rows"], sampling=who.get("sampling", "native"))


def checked_unit(argument: Unit | str) -> Unit:
    """Return who is protected, or raise InputError."""
    if isinstance(argument, Unit):
        return argument
    if isinstance(argument, str) and argument == "row":
        return ROW
    column = argument if isinstance(argument, str) and argument else BLANK
    raise InputError(
        f"unit = {as_given(argument)} does not say who is protected.",
        kind="unit-unclear",
        why='the unit is "row", or a column with a limit on the rows of each unit',
        fix=(write(unit="row"), write(unit=call("discreet.unit", column, max_rows=BLANK))),
    )


def checked_neighbors(argument: object) -> Neighbors:
    """Return which two tables must look alike, or raise InputError."""
    if isinstance(argument, str) and argument in ("add_remove", "replace"):
        return cast("Neighbors", argument)
    raise InputError(
        f"neighbors = {as_given(argument, bare=True)} is not a relation that discreet knows.",
        kind="unit-unclear",
        why="neighbors says which two tables must look alike: one unit more or less, or one unit "
        "exchanged",
        fix=(write(neighbors="add_remove"), write(neighbors="replace")),
    )
