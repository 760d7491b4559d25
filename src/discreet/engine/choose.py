"""Which engine reads a source: files, connections and frames go to DuckDB, lists to memory.

Rules of this module:
- no database is imported here, so that `import discreet` stays light;
- what a source is follows from its type alone; an address of another machine is no source.
"""

from collections.abc import Sequence
from os import PathLike

from ..errors import InputError
from .engine import Engine
from .memory import MemoryEngine

FRAMES = {"duckdb", "pandas", "polars", "pyarrow"}


def engine_for(source: object) -> Engine:
    """Return the engine that reads a source; nothing is opened.

    Raises:
        InputError: no engine reads this kind of source.
    """
    if is_rows(source):
        return MemoryEngine()
    if _is_made(source):
        from .made import MadeEngine

        return MadeEngine()
    if _is_paths(source) or is_connection(source) or is_frame(source):
        from .duck import DuckEngine

        return DuckEngine()
    raise InputError(
        f"a source of type {type(source).__name__} cannot be read.",
        why="a source is a path of CSV, Parquet or Arrow files, a folder, a glob, or a list; "
        "a DuckDB connection or relation; a pandas, Polars or PyArrow table, or anything with the "
        "Arrow stream interface; or a list of dicts",
        fix='write table("visits.parquet", ...), or pass a data frame',
    )


def is_rows(source: object) -> bool:
    """Say whether a source is a list of dicts; an empty list is one without rows."""
    if isinstance(source, (str, bytes)) or not isinstance(source, Sequence):
        return False
    return not source or isinstance(source[0], dict)


def is_connection(source: object) -> bool:
    """Say whether a source is a DuckDB connection, without importing DuckDB."""
    kind = type(source)
    return kind.__name__ == "DuckDBPyConnection" and "duckdb" in kind.__module__


def library_of(source: object) -> str:
    """Return the name of the library that a source's type is of, without importing it."""
    return type(source).__module__.partition(".")[0].removeprefix("_")


def is_frame(source: object) -> bool:
    """Say whether a source is a frame: of a library that is known, or with the Arrow stream."""
    return library_of(source) in FRAMES or hasattr(source, "__arrow_c_stream__")


def can_be_read_again(source: object) -> bool:
    """Say whether a source is known to hold the same rows when it is read a second time."""
    if type(source).__name__ == "RecordBatchReader":
        return False
    return is_connection(source) or library_of(source) in FRAMES


def _is_made(source: object) -> bool:
    return type(source).__module__ == f"{__package__}.made"


def _is_paths(source: object) -> bool:
    if isinstance(source, (str, PathLike)):
        return True
    return isinstance(source, (list, tuple)) and all(
        isinstance(path, (str, PathLike)) for path in source
    )
