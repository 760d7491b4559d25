"""What a cell that somebody types would mean in each declared column: no data is opened.

Rules of this module:
- the cell is read as one of a CSV file, in the way that the table declares, by the functions that
  the reference engine reads with.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..exact.number import text_of
from ..expressions import Kind, Typed
from ..schema import Table, Unknown
from ..schema.bounds import end_text
from ..schema.derived import formulas
from . import spelled
from .csv.header import cell_of
from .evaluate import read_as
from .key_matcher import matcher_of
from .memory import in_steps
from .written_times import are_written, day_text


@dataclass(frozen=True, slots=True)
class Meaning:
    """How a column reads a cell.

    Attributes:
        column: its name.
        role: what it is declared as: "bounds", "keys" or "unit"; or "read by an expression".
        value: what the cell is there; None where it is missing or matches no key.
        said: the same in words.
    """

    column: str
    role: str
    value: str | None
    said: str


def meanings(table: Table, raw: str, asked: Iterable[Typed] = ()) -> list[Meaning]:
    """Return what a cell means in each column that a table declares or an expression reads.

    Args:
        table: the declaration; its source is not looked at.
        raw: the cell as it stands between two separators of a file.
        asked: the conditions of questions.
    """
    text = cell_of(raw, table.csv)
    unit = table.unit.column
    found = [] if unit is None else [_unit(unit, text)]
    found += [
        _number(table, column, text) for column in table.columns if column not in table.derived
    ]
    found += [
        _found(column, table.unknown[column], text)
        if column in table.unknown
        else _key(table, column, text)
        for column in table.keys
        if table.made(column) is None
    ]
    listed = {one.column for one in found}
    return found + [
        _read(one, text, table)
        for one in reads(table, asked)
        if one.value not in listed
        or (one.kind in ("day", "moment") and one.value not in table.columns)
    ]


def reads(table: Table, asked: Iterable[Typed] = ()) -> list[Typed]:
    """Return the columns of the data that expressions look at, each as what it is read as."""
    trees = [*asked, *(one.tree for one in formulas(table))]
    trees += [tree for tree in table.trees.values() if tree not in trees]
    read = dict.fromkeys(one for tree in trees for one in tree.columns())
    return sorted(
        (one for one in read if one.value not in table.trees), key=lambda one: (one.value, one.kind)
    )


def _read(one: Typed, text: str | None, table: Table) -> Meaning:
    """Return what a cell is for an expression that looks at its column."""
    held = spelled.number(text, table.csv) if text is not None and one.kind in _NUMBERS else text
    found = read_as(held, one.kind, table.csv)
    if found is None:
        return Meaning(one.value, _ROLE, None, f"missing: no {_WORDS[one.kind]}")
    value = str(found)
    if one.kind in ("day", "moment"):
        value = end_text(Fraction(int(found)), "day" if one.kind == "day" else "moment")
    elif one.kind == "number":
        value = text_of(Fraction(found))
    elif one.kind == "truth":
        value = str(found).lower()
    said = repr(value) if one.kind in ("text", "label") else value
    return Meaning(one.value, _ROLE, value, f"the {_WORDS[one.kind]} {said}")


_ROLE = "read by an expression"
_NUMBERS = ("number", "truth")
_WORDS: dict[Kind, str] = {
    "number": "number",
    "truth": "truth value",
    "text": "text",
    "label": "text",
    "day": "day",
    "moment": "moment",
}


def _unit(column: str, text: str | None) -> Meaning:
    said = "nobody: the row is left out" if text is None else f"the unit {text!r}"
    return Meaning(column, "unit", text, said)


def _number(table: Table, column: str, text: str | None) -> Meaning:
    bounds = table.columns[column]
    what = {"number": "the number ", "day": "the day ", "moment": "the moment "}[bounds.kind]
    number = None if text is None else spelled.number(text, table.csv)
    if bounds.kind != "number":
        counted = read_as(text, bounds.kind, table.csv)
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
    elif text is not None and are_written(table.listed(column), table.csv):
        cell = day_text(text, table.csv)
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
