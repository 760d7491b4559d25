"""What the curator swears to before any data is read: table, unit, bounds and keys; no data."""

from .bounds import MAX_STEP, Bounds, bounds, even_edges
from .csv_options import ENCODINGS, CsvOptions, csv_options
from .keys import MAX_KEYS, Key, check_name, keys
from .table import ROW, Neighbors, Table, Unit, table, table_of, unit
from .unknown import Unknown, unknown

__all__ = [
    "ENCODINGS",
    "MAX_KEYS",
    "MAX_STEP",
    "ROW",
    "Bounds",
    "CsvOptions",
    "Key",
    "Neighbors",
    "Table",
    "Unit",
    "Unknown",
    "bounds",
    "check_name",
    "csv_options",
    "even_edges",
    "keys",
    "table",
    "table_of",
    "unit",
    "unknown",
]
