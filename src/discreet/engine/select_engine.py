"""Which engine reads a source: files and frames go to DuckDB, a server's tables to their server.

Rules of this module:
- a new engine is one line of ENGINES; the first that reads a source counts it;
- no database is imported here, so that `import discreet` stays light;
- what a source is follows from its type alone; an address of another machine is no source.
"""

from ..errors import InputError
from ..fix import write
from .memory import MemoryEngine
from .protocol import Columns, Engine, ListedEngine
from .source import is_database, is_made, is_postgres, is_rows, is_spark


def _rows(columns: Columns) -> list[object]:
    """Return the columns as a list of dicts."""
    rows = zip(*columns.values(), strict=True)
    return [[dict(zip(columns, row, strict=True)) for row in rows]]


def _made() -> Engine:
    from .derived import MadeEngine

    return MadeEngine()


def _none(_columns: Columns) -> list[object]:
    """Return nothing: it takes a function, or a server; tests bring theirs (`tests/servers.py`)."""
    return []


def _duckdb() -> Engine:
    from .duckdb.engine import DuckEngine

    return DuckEngine()


def _tables(columns: Columns) -> list[object]:
    """Return a connection with one table of the columns."""
    from .duckdb.engine import table_of

    return [table_of(columns)]


def _postgres() -> Engine:
    from .postgres.engine import PostgresEngine

    return PostgresEngine()


def _spark() -> Engine:
    from .spark.engine import SparkEngine

    return SparkEngine()


_ALL: tuple[ListedEngine, ...] = (
    ListedEngine("memory", is_rows, MemoryEngine, _rows),
    ListedEngine("made", is_made, _made, _none),
    ListedEngine("postgres", is_postgres, _postgres, _none),
    ListedEngine("spark", is_spark, _spark, _none),
    ListedEngine("duckdb", is_database, _duckdb, _tables),
)
ENGINES: dict[str, ListedEngine] = {engine.name: engine for engine in _ALL}


def engine_for(source: object) -> Engine:
    """Return the engine that reads a source; nothing is opened.

    Raises:
        InputError: no engine reads this kind of source.
    """
    if type(source) is str:
        return _duckdb()  # a path, which no other engine reads
    for listed in ENGINES.values():
        if listed.reads(source):
            return listed.make()
    raise InputError(
        f"a source of type {type(source).__name__} cannot be read.",
        kind="source-type",
        why="a source is a path of CSV, Parquet, Arrow, SPSS, Stata or SAS files, a folder, a "
        "glob, or a list; a DuckDB connection or relation; a pandas, Polars or PyArrow table, or "
        "anything with the Arrow stream interface; a psycopg connection; a Spark data "
        "frame; or a list of dicts",
        fix=(write(of="table", source="visits.parquet"), "pass a data frame"),
    )
