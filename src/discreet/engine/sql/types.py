"""Which types of an engine's columns can be a value or a unit; decided from names alone.

What a key can be is said by `matching`.
"""

from collections.abc import Iterable, Mapping

from ...aggregate import Aggregate
from ...errors import InputError, shown
from ...schema import Table, value_tree
from ..protocol import reads_of, value_columns
from .cells import LINES, OBJECTS, is_number, is_text
from .expression_cells import check_read

_UNITS = {
    *("DATE", "TIME", "TIME_NS", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
    *("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS", "TIME WITH TIME ZONE"),
    *("UUID", "BLOB", "INTERVAL"),
}


def check_kinds(table: Table, aggregates: Iterable[Aggregate], kinds: Mapping[str, str]) -> None:
    """Refuse a column whose type cannot be the value or the unit that it is declared to be."""
    wanted = tuple(aggregates)
    for leaf in reads_of(table, wanted):
        check_read(leaf.value, leaf.kind, kinds[leaf.value])
    for column in value_columns(wanted):
        if value_tree(table, column) is not None:
            continue
        kind = kinds[column]
        if kind not in (LINES, OBJECTS) and is_text(kind):
            _refuse(
                column,
                kind,
                "a column with bounds",
                "a column of type text is seldom meant as numbers, and its words would be missing",
                f"cast it before: TRY_CAST({shown(column)} AS DOUBLE) in DuckDB, try_cast in "
                "Spark, a generated column in Postgres, pandas.to_numeric(..., errors='coerce'), "
                "or .cast(pl.Float64, strict=False) in Polars",
            )
        if kind not in (LINES, OBJECTS) and not is_number(kind):
            _refuse(
                column,
                kind,
                "a column with bounds",
                "with such bounds cells must be numbers or truth values",
                'write bounds as days: "1990-01-01" and "2024-12-31"'
                if kind == "DATE" or kind.startswith("TIMESTAMP")
                else "bound a column of numbers, or cast this one before",
            )
    unit = table.unit.column
    if unit is not None and not is_told_apart(kinds[unit]):
        _refuse(
            unit,
            kinds[unit],
            "the unit",
            "a unit is told apart by one plain value: a number, a text, a date",
            "name a column that holds one value for each unit",
        )


def is_told_apart(kind: str) -> bool:
    """Say whether cells of this type are one plain value each: a number, a text, a day, bytes."""
    return is_number(kind) or is_text(kind) or kind in _UNITS


def _refuse(column: str, kind: str, role: str, why: str, fix: str) -> None:
    name = "ENUM" if kind.startswith("ENUM") else shown(kind)
    raise InputError(
        f"{shown(column)} is of type {name}, which cannot be {role}.", why=why, fix=fix
    )
