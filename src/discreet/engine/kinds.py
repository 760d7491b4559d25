"""Which types of an engine's columns can be a value, a key or a unit; decided from names alone."""

from collections.abc import Iterable, Mapping

from ..aggregate import Aggregate
from ..errors import InputError, shown
from ..schema import Table
from . import cells
from .engine import key_columns, value_columns

_PLAIN = {"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "UUID"}
_UNITS = {"TIMESTAMP WITH TIME ZONE", "TIME WITH TIME ZONE", "BLOB", "INTERVAL"}


def check_kinds(table: Table, aggregates: Iterable[Aggregate], kinds: Mapping[str, str]) -> None:
    """Refuse a column whose type cannot be what it is declared to be."""
    wanted = tuple(aggregates)
    for column in value_columns(wanted):
        if not _is_value(kinds[column]):
            _refuse(
                column,
                kinds[column],
                "a column with bounds",
                "cells with bounds must be numbers, truth values, or text that holds numbers",
                "bound a column of numbers, or cast this one before",
            )
    for column in key_columns(wanted):
        first = table.keys[column][0]
        if isinstance(first, bool):
            fits = kinds[column] == "BOOLEAN" or cells.is_text(kinds[column])
        elif isinstance(first, int):
            fits = _is_value(kinds[column])
        else:
            fits = _is_value(kinds[column]) or kinds[column] in _PLAIN
        if not fits:
            _refuse(
                column,
                kinds[column],
                f"matched with keys of type {type(first).__name__}",
                "no cell of that type could equal a key of this type",
                "write the keys in the type of the column, or cast the column to text before",
            )
    unit = table.unit.column
    if unit is not None and not (_is_value(kinds[unit]) or kinds[unit] in _PLAIN | _UNITS):
        _refuse(
            unit,
            kinds[unit],
            "the unit",
            "a unit is told apart by one plain value: a number, a text, a date",
            "name a column that holds one value for each unit",
        )


def _is_value(kind: str) -> bool:
    return cells.is_number(kind) or cells.is_text(kind)


def _refuse(column: str, kind: str, role: str, why: str, fix: str) -> None:
    name = "ENUM" if kind.startswith("ENUM") else shown(kind)
    raise InputError(
        f"{shown(column)} is of type {name}, which cannot be {role}.", why=why, fix=fix
    )
