"""A keyed fingerprint of a source: equal for equal data, and nothing without the key.

Rules of this module:
- what is hashed are all declared columns, not those of one plan: else two plans would tell which
  column changed; of files it is every byte;
- a fingerprint is HMAC-SHA256; the key never goes into a query.
"""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ..schema import Table

if TYPE_CHECKING:
    from .open import Opened

_PIECE = 1 << 20


def declared_columns(table: Table, there: Iterable[str]) -> list[str]:
    """Return the columns of a source that its declaration names, sorted."""
    named = {*table.columns, *table.keys, table.unit.column}
    return sorted(name for name in set(there) if name in named)


def of_files(key: bytes, paths: Sequence[str]) -> str:
    """Return the fingerprint of files, byte for byte, in the order in which they are read."""
    whole = hmac.new(key, b"discreet files 1\0", sha256)
    for path in paths:
        one = hmac.new(key, b"discreet file 1\0", sha256)
        with Path(path).open("rb") as file:
            while piece := file.read(_PIECE):
                one.update(piece)
        whole.update(one.digest())
    return whole.hexdigest()


def of_rows(key: bytes, table: Table, rows: Sequence[Mapping[str, object]]) -> str:
    """Return the fingerprint of a list of dicts, in its order."""
    names = declared_columns(table, rows[0] if rows else ())
    found = hmac.new(key, f"discreet rows 1\0{names!r}\0".encode(), sha256)
    for row in rows:
        cells = [row.get(name) for name in names]
        text = repr([(type(cell).__name__, str(cell)) for cell in cells])
        found.update(text.encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def of_database(key: bytes, table: Table, source: "Opened") -> str:
    """Return the fingerprint of a frame, or of a table in DuckDB, in any order of its rows.

    DuckDB's own hash collides on purpose, and changes with its version, which is part of it.
    """
    from sqlglot import exp

    from .names import column

    names = declared_columns(table, source.kinds)
    cells: list[exp.Expression] = [column(name, "s") for name in names]
    hashed = exp.Anonymous(this="hash", expressions=cells or [exp.Literal.number(1)])
    query = exp.select("version()", exp.Count(this=exp.Star()), exp.Sum(this=hashed))
    text = query.from_(exp.alias_(source.table.copy(), "s")).sql(dialect="duckdb")
    found = source.connection.execute(text).fetchall()
    plain = f"discreet database 1\0{[(name, source.kinds[name]) for name in names]!r}\0{found!r}"
    return hmac.new(key, plain.encode("utf-8", "surrogatepass"), sha256).hexdigest()
