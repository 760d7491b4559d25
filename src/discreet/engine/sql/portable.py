"""Rows of a unit chosen alike by every engine: MD5 over the salt, the unit and what is counted.

Rules of this module:
- `engine.portable_sample` says the same in Python, for the reference: both change together;
- a unit is digested as the text that the reference reads it as; whole numbers come before it, and
  its digest has a fixed length, so that no two contents are written alike;
- a type whose values two engines write in two ways can be no unit here.

Decision 33.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from ...errors import InputError, shown
from ...schema import Table
from ..parts import table_with
from .cells import WHOLE, decimals, is_text
from .dialect import DUCKDB, Dialect, salt_digits
from .tree import called, to_type

As = Callable[[exp.Expression], exp.Expression]
Hash = Callable[[Sequence[exp.Expression]], exp.Expression]

_NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}  # of units, on servers


def hash_of(content: Sequence[exp.Expression]) -> exp.Expression:
    """Return MD5 of some whole numbers and the digest of a unit, in lower-case letters.

    Args:
        content: the digest, which the salt is in already; then whole numbers.
    """
    joined, *numbers = (part.copy() for part in content)
    for number in reversed(numbers):
        text = exp.func("COALESCE", to_type(number, "TEXT"), exp.Literal.string("n"))
        ended = exp.DPipe(this=text, expression=exp.Literal.string("|"))
        joined = exp.DPipe(this=ended, expression=joined)
    return called("MD5", joined)


def of_numbers(hash_of_: Hash, digest: As) -> Hash:
    """Return the same hash of units that are whole numbers, and not digested yet."""

    def hash_of_number(content: Sequence[exp.Expression]) -> exp.Expression:
        number, *others = content
        return hash_of_([digest(to_type(number, "TEXT")), *others])

    return hash_of_number


def digest_by(salt: Callable[[], exp.Expression]) -> As:
    """Return the function that makes 32 letters of a text: MD5 after a salt of 20 digits."""
    return lambda text: called("MD5", exp.DPipe(this=salt(), expression=text))


def unit_texts(text: As, days: As) -> Callable[[exp.Expression, str], exp.Expression]:
    """Return the function that writes a unit of some kind as text.

    Args:
        text: from a cell of text to one that is compared byte by byte.
        days: from a day to the number of days from 1970.
    """

    def unit_text(cell: exp.Expression, kind: str) -> exp.Expression:
        if is_text(kind):
            return text(cell if kind == "VARCHAR" else to_type(cell, "TEXT"))
        if kind == "DATE":
            counted = to_type(days(cell), "TEXT")
            named = exp.DPipe(this=exp.Literal.string("Day "), expression=counted)
            return exp.Case().when(_is_of_a_calendar(cell.copy()), named)
        return to_type(to_type(cell, "INT") if kind == "BOOLEAN" else cell, "TEXT")

    return unit_text


def _is_of_a_calendar(day: exp.Expression) -> exp.Expression:
    """Return the condition that a day is of the years 1 to 9999, which all engines can write."""
    ends = (to_type(exp.Literal.string(end), "DATE") for end in ("0001-01-01", "9999-12-31"))
    low, high = ends
    return exp.Between(this=day, low=low, high=high)


PORTABLE = replace(
    DUCKDB,
    hash_of=hash_of,
    digest_of=digest_by(salt_digits),
    unit_text=unit_texts(DUCKDB.as_text, DUCKDB.days),
    speed=replace(DUCKDB.speed, prunes=None, first=None),
)


@dataclass(frozen=True, slots=True)
class Ways:
    """How a server chooses the rows of units: portably, or by its own hash.

    Attributes:
        digests, numbers: portably, of units that are digested beforehand, and of whole numbers,
            which are sorted as such and digested where they are hashed.
        own_digests, own_numbers: the same by the server's own hash.
    """

    digests: Dialect
    numbers: Dialect
    own_digests: Dialect
    own_numbers: Dialect

    def of(
        self, table: Table, kinds: Sequence[Mapping[str, str]], *, is_portable: bool = False
    ) -> Dialect:
        """Return the way for a table.

        Args:
            table: the declaration.
            kinds: the type of each column, of each table of a join.
            is_portable: whether rows are chosen portably, whatever is declared.
        """
        unit = table.unit
        if unit.column is None:
            return self.digests
        is_number = kinds[table_with(table, unit.column)].get(unit.column) in _NUMBERS
        if is_portable or unit.sampling == "portable":
            return self.numbers if is_number else self.digests
        return self.own_numbers if is_number else self.own_digests


def check_unit(table: Table, kinds: Mapping[str, str]) -> None:
    """Refuse a unit of a type whose values engines write in different ways.

    Raises:
        InputError: it is no whole number, text, day or UUID.
    """
    unit = table.unit.column
    if unit is None or _is_alike(kinds[unit]):
        return
    raise InputError(
        f"{shown(unit)} is of type {shown(kinds[unit])}, which engines do not hash alike.",
        kind="column-type",
        why="a portable choice of rows hashes the unit's text, and engines write such values in "
        "different ways",
        fix="let the unit be a whole number, a text, a day or a UUID: cast it where the table is "
        "made",
    )


def _is_alike(kind: str) -> bool:
    digits, places = decimals(kind)
    alike = kind in WHOLE | {"BOOLEAN", "DATE", "UUID"} or is_text(kind)
    return alike or (digits > 0 and places == 0)
