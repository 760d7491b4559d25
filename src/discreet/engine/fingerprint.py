"""A keyed fingerprint of a source: equal for equal data, and nothing without the key.

Rules of this module:
- what is hashed are all columns that a question can look at, not those of one plan: else two plans
  would tell which column changed; of files it is every byte;
- a fingerprint is HMAC-SHA256; the key never goes into a query;
- no code of a cell runs: what is hashed of an object is what it is read as.

Decision 21.
"""

import hmac
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..aggregate import Aggregate, Measure
from ..expressions import Kind, Typed
from ..schema import Table
from ..schema.csv_options import DEFAULT
from ..sensitivity import Sensitivity
from .protocol import quietly, roles_of
from .reading import plain
from .source import can_be_read_again, cell_of, is_connection, is_rows, names_of
from .stopping import stoppable

if TYPE_CHECKING:
    from sqlglot import exp

    from .duckdb.connect import OpenSource

_PIECE = 1 << 20
_PURPOSES: tuple[Kind, ...] = ("number", "text", "day", "moment")


def fingerprint(key: bytes, table: Table, paths: Sequence[str]) -> str | None:
    """Return the fingerprint of a table's source; None where it cannot be read a second time.

    Args:
        key: secret bytes.
        table: the declaration, with its source.
        paths: the files of the source, if it is files.

    Raises:
        EngineError: the data cannot be read.
    """
    if paths:
        return quietly(lambda: _of_files(key, paths))
    if is_rows(table.source):
        return quietly(lambda: _of_rows(key, table))
    return quietly(lambda: _of_database(key, table)) if can_be_read_again(table.source) else None


def fingerprint_of_all(key: bytes, tables: Sequence[tuple[Table, Sequence[str]]]) -> str | None:
    """Return the fingerprint of all tables of a join; of one table its own.

    Args:
        key: secret bytes.
        tables: each declaration with its source, and the files of that.
    """
    each = [fingerprint(key, table, paths) for table, paths in tables]
    if len(each) == 1 or None in each:
        return None if None in each else each[0]
    return hmac.new(key, f"discreet joined 1\0{each!r}".encode(), sha256).hexdigest()


def _of_files(key: bytes, paths: Sequence[str]) -> str:
    """Return the fingerprint of files, byte for byte, in the order in which they are read."""
    whole = hmac.new(key, b"discreet files 1\0", sha256)
    for path in paths:
        digest = hmac.new(key, b"discreet file 1\0", sha256)
        with Path(path).open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
        whole.update(digest.digest())
    return whole.hexdigest()


def _of_rows(key: bytes, table: Table) -> str:
    """Return the fingerprint of a list of dicts, in its order."""
    names = sorted(names_of(table.source) or ())
    digest = hmac.new(key, f"discreet rows 1\0{names!r}\0".encode(), sha256)
    for row in cast("Sequence[object]", table.source):
        text = repr([plain(cell_of(row, name)) for name in names])
        digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _of_database(key: bytes, table: Table) -> str:
    """Return the fingerprint of a frame, or of a table in DuckDB, in any order of its rows.

    DuckDB's own hash collides on purpose, and changes with its version, which is part of it.
    """
    from .duckdb.connect import opened
    from .duckdb.frames import columns_of

    table = replace(table, csv=DEFAULT)  # of cells as they are, however they are read
    names = () if is_connection(table.source) else columns_of(table)
    everything = _everything(table, names)
    source = opened(table, [everything])
    try:
        query = _query(table, everything, source).sql(dialect="duckdb")

        def read() -> object:
            source.hand_over()
            return source.connection.execute(query).fetchall()

        rows = stoppable(read, source.connection.interrupt)
    finally:
        source.close()
    kinds = sorted(source.kinds.items())
    text = f"discreet database 1\0{kinds!r}\0{rows!r}"
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), sha256).hexdigest()


def _everything(table: Table, names: Sequence[str]) -> Aggregate:
    """Return a question that looks at every declared column, and at these in every way there is.

    Python objects are read for a purpose each: as a number a text is missing, so that one purpose
    alone would not see that a text has changed.
    """
    looks = [
        Typed("is_null", "truth", (Typed("column", kind, value=name),))
        for name in (*table.derived, *names)
        for kind in ([table.derived[name].tree.kind] if name in table.derived else _PURPOSES)
    ]
    return Aggregate(
        by=tuple(table.keys),
        measures=tuple(Measure("cells", (name,)) for name in table.columns),
        sensitivity=Sensitivity(1, 1, 1),
        where=Typed("and", "truth", tuple(looks)) if looks else None,
    )


def _query(table: Table, everything: Aggregate, source: "OpenSource") -> "exp.Select":
    """Return the query of the number of rows, and of the sum of the hashes of their cells."""
    from sqlglot import exp

    from .sql.cells import is_told_apart

    roles = roles_of(table, [everything])
    looked = {name for name, kind in source.kinds.items() if is_told_apart(kind)}
    asked = {(name, role) for role in roles for name in roles[role] if name in looked}
    asked |= {(name, "value") for name in looked - {name for name, _ in asked}}
    cells = list(dict.fromkeys(source.cell(role, name) for name, role in sorted(asked)))
    hashed = exp.Anonymous(this="HASH", expressions=cells or [exp.Literal.number(1)])
    query = exp.select("VERSION()", exp.Count(this=exp.Star()), exp.Sum(this=hashed))
    return query.from_(exp.alias_(source.table.copy(), "s"))
