"""Which engine reads a source: files, connections and frames go to DuckDB, lists to memory.

Rules of this module:
- no database is imported here, so that `import discreet` stays light;
- what a source is follows from its type alone; an address of another machine is no source.
"""

from ..errors import InputError
from ..fix import write
from .memory import MemoryEngine
from .protocol import Engine
from .source import is_connection, is_frame, is_made, is_paths, is_rows


def engine_for(source: object) -> Engine:
    """Return the engine that reads a source; nothing is opened.

    Raises:
        InputError: no engine reads this kind of source.
    """
    if is_rows(source):
        return MemoryEngine()
    if is_made(source):
        from .derived import MadeEngine

        return MadeEngine()
    if is_paths(source) or is_connection(source) or is_frame(source):
        from .duckdb.engine import DuckEngine

        return DuckEngine()
    raise InputError(
        f"a source of type {type(source).__name__} cannot be read.",
        why="a source is a path of CSV, Parquet or Arrow files, a folder, a glob, or a list; "
        "a DuckDB connection or relation; a pandas, Polars or PyArrow table, or anything with the "
        "Arrow stream interface; or a list of dicts",
        fix=(write(of="table", source="visits.parquet"), "pass a data frame"),
    )
