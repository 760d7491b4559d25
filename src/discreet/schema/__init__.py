"""What the curator swears to before any data is read: table, unit, bounds and keys; no data."""

from .about import About, Heading, Label, about, checked_about, heading, label
from .bounds import (
    MAX_STEP,
    STEPS,
    Bounds,
    End,
    ValueKind,
    bounds,
    end_of,
    end_text,
    ends_of,
    even_edges,
    value_tree,
)
from .csv_options import ENCODINGS, CsvOptions, csv_options
from .derived import Derived, derived, formulas, impossible, names_of, test_of, unlisted
from .inferred import cells_said, is_inferred, sizes_said
from .joins import Join, join, owner, protected_together, two_owners
from .keys import (
    MAX_KEYS,
    Key,
    Rest,
    WithOther,
    check_name,
    keys,
    rest_of,
    with_names,
    with_spellings,
)
from .levels import Levels, levels
from .server_log import logs_said
from .table import NO_FACTS, Table, protection, table, table_of
from .unit import ROW, Neighbors, Unit, unit
from .unknown import Unknown, unknown

__all__ = [
    "ENCODINGS",
    "MAX_KEYS",
    "MAX_STEP",
    "NO_FACTS",
    "ROW",
    "STEPS",
    "About",
    "Bounds",
    "CsvOptions",
    "Derived",
    "End",
    "Heading",
    "Join",
    "Key",
    "Label",
    "Levels",
    "Neighbors",
    "Rest",
    "Table",
    "Unit",
    "Unknown",
    "ValueKind",
    "WithOther",
    "about",
    "bounds",
    "cells_said",
    "check_name",
    "checked_about",
    "csv_options",
    "derived",
    "end_of",
    "end_text",
    "ends_of",
    "even_edges",
    "formulas",
    "heading",
    "impossible",
    "is_inferred",
    "join",
    "keys",
    "label",
    "levels",
    "logs_said",
    "names_of",
    "owner",
    "protected_together",
    "protection",
    "rest_of",
    "sizes_said",
    "table",
    "table_of",
    "test_of",
    "two_owners",
    "unit",
    "unknown",
    "unlisted",
    "value_tree",
    "with_names",
    "with_spellings",
]
