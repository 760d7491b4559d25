"""Tables of SQLite files, by the standard library: each cell is what it is stored as.

Rules of this module:
- the declared type of a column decides nothing: SQLite stores whole numbers, doubles, texts and
  bytes in any of them;
- a text is read as bytes, and is missing where it is no UTF-8;
- stored columns of ordinary tables alone: what is computed while it is read (a view, a virtual
  table, a generated column) can fail at a cell;
- the file is read as it lies there, and is never written; a journal or a log beside it holds what
  is not in it yet, and it is refused.

Decision 96.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from ...errors import EngineError, shown
from .listed import Cells

_LOGS = ("-wal", "-journal")
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name"
_STORED = "SELECT name FROM pragma_table_info(?)"
_AT_ONCE = 256  # rows: from 700 that live at once on, Python looks for cycles in all that there is


class SqliteReader:
    """Reads tables of SQLite files."""

    def tables(self, path: str) -> list[str]:
        """Return the names of the tables, without those of SQLite itself."""
        check_no_log(path, _LOGS)
        with closing(_connected(path)) as connection:
            names = [_text(name) for (name,) in connection.execute(_TABLES)]
        return [name for name in names if name and not name.startswith("sqlite_")]

    def names(self, path: str, table: str) -> list[str]:
        """Return the names of the columns that are stored."""
        with closing(_connected(path)) as connection:
            names = [_text(name) for (name,) in connection.execute(_STORED, (table,))]
        return [name for name in names if name]

    def read(self, path: str, table: str, names: Sequence[str]) -> tuple[int, dict[str, Cells]]:
        """Return how many rows a table has, and the cells of those of these columns it has."""
        there = set(self.names(path, table))
        cells: dict[str, Cells] = {name: [] for name in names if name in there}
        wanted = ", ".join(map(_quoted, cells)) or "1"
        number = 0
        with closing(_connected(path)) as connection:
            query = f"SELECT {wanted} FROM main.{_quoted(table)} NOT INDEXED"  # noqa: S608 - quoted
            for rows in _batches(connection.execute(query)):
                number += len(rows)
                for column, raw in zip(cells.values(), zip(*rows, strict=True), strict=False):
                    column += [_text(cell) if type(cell) is _Text else cell for cell in raw]
        return number, cells


class _Text(bytes):
    """The bytes of a text."""


def _connected(path: str) -> sqlite3.Connection:
    place = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(place, uri=True, isolation_level=None)
    connection.text_factory = _Text
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA mmap_size = 0")
    return connection


def check_no_log(path: str, endings: Sequence[str]) -> None:
    """Refuse a database beside which lies what is not in its file yet.

    Raises:
        EngineError: a program has it open, or was stopped while it wrote.
    """
    for ending in endings:
        log = Path(f"{path}{ending}")
        if log.exists() and log.stat().st_size:
            raise EngineError(
                f"{shown(Path(path).name)} is not whole: {shown(log.name)} lies beside it.",
                kind="cannot-open",
                why="a program that has it open, or that was stopped, keeps there what is not in "
                "the file yet",
                fix="close that program, open the database with it once more, and close it; or "
                "count a copy that it makes; nothing was charged",
            )


def _batches(cursor: sqlite3.Cursor) -> Iterator[list[tuple[object, ...]]]:
    while rows := cursor.fetchmany(_AT_ONCE):
        yield rows


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None
