"""What the curator swears to before any data is read: table, unit, bounds and keys; no data."""

from .bounds import MAX_STEP, Bounds, bounds
from .keys import MAX_KEYS, Key, check_name, keys
from .table import ROW, Neighbors, Table, Unit, table, table_of, unit

__all__ = [
    "MAX_KEYS",
    "MAX_STEP",
    "ROW",
    "Bounds",
    "Key",
    "Neighbors",
    "Table",
    "Unit",
    "bounds",
    "check_name",
    "keys",
    "table",
    "table_of",
    "unit",
]
