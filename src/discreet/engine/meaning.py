"""What a cell that somebody types would mean in each declared column: no data is opened.

Rules of this module:
- the cell is read as one of a CSV file, in the way that the table declares, by the functions that
  the reference engine reads with.
"""

from dataclasses import dataclass

from ..schema import Table, Unknown
from . import spelled
from .csv.cells import cell_of
from .evaluate import read_as
from .key_matcher import matcher_of
from .read_row import in_steps


@dataclass(frozen=True, slots=True)
class Meaning:
    """How a column reads a cell.

    Attributes:
        column: its name.
        role: what it is declared as: "bounds", "keys" or "unit".
        value: what the cell is there; None where it is missing or matches no key.
        said: the same in words.
    """

    column: str
    role: str
    value: str | None
    said: str


def meanings(table: Table, raw: str) -> list[Meaning]:
    """Return what a cell means in each column that a table declares, but for derived ones.

    Args:
        table: the declaration; its source is not looked at.
        raw: the cell as it stands between two separators of a file.
    """
    text = cell_of(raw, table.csv)
    unit = table.unit.column
    found = [] if unit is None else [_unit(unit, text)]
    found += [
        _number(table, column, text) for column in table.columns if column not in table.derived
    ]
    return found + [
        _found(column, table.unknown[column], text)
        if column in table.unknown
        else _key(table, column, text)
        for column in table.keys
        if table.made(column) is None
    ]


def _unit(column: str, text: str | None) -> Meaning:
    said = "nobody: the row is left out" if text is None else f"the unit {text!r}"
    return Meaning(column, "unit", text, said)


def _number(table: Table, column: str, text: str | None) -> Meaning:
    bounds = table.columns[column]
    what = {"number": "the number ", "day": "the day ", "moment": "the moment "}[bounds.kind]
    number = None if text is None else spelled.number(text, table.csv)
    if bounds.kind != "number":
        counted = read_as(text, bounds.kind)
        number = float(counted) if isinstance(counted, int) else None  # exact: whole, below 2^53
    steps = None if number is None else in_steps(number, bounds)
    if number is None and bounds.missing is not None:
        value = bounds.said(bounds.missing)
        return Meaning(column, "bounds", value, f"missing, which counts as {what}{value}")
    if number is None or steps is None:
        return Meaning(column, "bounds", None, "missing: it is in no sum, mean or histogram")
    value = bounds.said(steps * bounds.step)
    moved = "" if bounds.lower <= number <= bounds.upper else ", moved to its bound"
    return Meaning(column, "bounds", value, f"{what}{value}{moved}")


def _key(table: Table, column: str, text: str | None) -> Meaning:
    keys = table.keys[column]
    cell: object = text
    if text is not None and not isinstance(keys[0], str):
        cell = spelled.number(text, table.csv)
    place = matcher_of(table, column)(cell)
    if place is None:
        return Meaning(column, "keys", None, "no key: the row is in no group")
    return Meaning(column, "keys", str(keys[place]), f"the key {keys[place]!r}")


def _found(column: str, declared: Unknown, text: str | None) -> Meaning:
    """Return what a cell means where nobody knows the keys: which it would count for."""
    key = declared.missing if text is None else text
    if key is None:
        return Meaning(column, "keys", None, "no key: the row is in no group")
    if key == declared.other or len(key) > declared.longest:
        return Meaning(
            column, "keys", declared.other, f"the group of all others, {declared.other!r}"
        )
    said = f"the key {key!r} where it is found, else the group of all others, {declared.other!r}"
    return Meaning(column, "keys", key, said)
