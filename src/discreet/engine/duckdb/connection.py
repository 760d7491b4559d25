"""A DuckDB connection of our own: in memory, to the declared files alone, its settings locked.

Rules of this module:
- the declared files are the only ones that it can reach, and it loads no extension;
- what does not fit into memory goes into a private folder, which is deleted with it.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlglot import exp

from ...errors import EngineError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SOURCE = "discreet_source"
MEMORY = "DISCREET_MEMORY"  # for example 1GB; DuckDB's own default otherwise
THREADS = "DISCREET_THREADS"
LIMIT, OPERATORS = "memory_limit", "operator_memory_limit"  # settings that may change once locked
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_WHOLE = 100
_LEAST = 16  # MiB: with less a count of ten rows may end for want of memory, after its charge
_MOST = 16  # threads for each of the machine's, each of which takes memory and time to begin

Found = TypeVar("Found")

Connect = Callable[[list[str]], tuple["DuckDBPyConnection", Callable[[], None]]]


_PROGRESS = (  # DuckDB only says how far it is; in a notebook without ipywidgets it refuses to
    "SET enable_progress_bar_print = false",
    "SET enable_progress_bar = true",
)
_SETTINGS = (  # of a connection of our own, once it has its paths
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


def own_connection(paths: list[str]) -> tuple["DuckDBPyConnection", Callable[[], None]]:
    """Return a new database in memory that can reach these paths only, and how to end it."""
    import duckdb

    spill = _spill()
    connection = None

    def close() -> None:
        if connection is not None:
            connection.close()
        try:
            Path(spill).rmdir()  # mostly nothing was put there
        except OSError:
            shutil.rmtree(spill, ignore_errors=True)

    try:
        connection = _connected(spill)
        if os.environ.get(MEMORY):
            check_memory(connection)
        if paths:
            listed = exp.Array(expressions=[exp.Literal.string(path) for path in paths])
            connection.execute(f"SET allowed_paths = {listed.sql(dialect='duckdb')}")
        for statement in _PROGRESS:
            with suppress(duckdb.Error):
                connection.execute(statement)
        for statement in _SETTINGS:
            connection.execute(statement)
    except BaseException:
        close()
        raise
    return connection, close


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a source is opened.

    Attributes:
        connect: from the paths that are reached to a connection of our own, and how to end it.
        name: what the source is called there.
        cursor: of a user's connection, the cursor that several tables of it share.
    """

    connect: Connect = own_connection
    name: str = SOURCE
    cursor: Callable[[], "DuckDBPyConnection"] | None = None


def _spill() -> str:
    with suppress(OSError):
        return tempfile.mkdtemp(prefix="discreet-")
    raise EngineError(
        "no folder for temporary files can be made.",
        kind="engine-settings",
        why="DuckDB puts there what does not fit into memory, and the disk is full or refuses",
        fix="make room, or let TMPDIR name a folder with room; nothing was charged",
    )


def _connected(spill: str) -> "DuckDBPyConnection":
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": spill,
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "pandas_analyze_sample": "0",
        "allowed_configs": [LIMIT, OPERATORS],
    }
    for setting, variable in ((LIMIT, MEMORY), ("threads", THREADS)):
        if os.environ.get(variable):
            config[setting] = os.environ[variable]
    if threads := os.environ.get(THREADS):
        _check_threads(threads)
    with suppress(duckdb.Error):
        return duckdb.connect(":memory:", config=config)
    raise EngineError(
        "DuckDB did not start with these settings.",
        kind="engine-settings",
        why=f"{MEMORY} or {THREADS} may not be what DuckDB understands",
        fix=f"write {MEMORY}=1GB and {THREADS}=2, for example, or unset them",
    )


def _check_threads(asked: str) -> None:
    most = _MOST * (os.cpu_count() or 1)
    if asked.isdecimal() and int(asked[:9]) > most:
        raise EngineError(
            f"{THREADS} is more than {most}, {_MOST} for each processor of this machine.",
            kind="engine-settings",
            why="each thread takes memory and time before the first row is read",
            fix=f"write {THREADS}={os.cpu_count() or 1}, or unset it",
        )


def in_memory(opened: Callable[[], Found]) -> Found:
    """Return what is opened, before anything is charged, where DuckDB has memory enough for that.

    Raises:
        EngineError: it has not.
    """
    import duckdb

    with suppress(duckdb.OutOfMemoryException):
        return opened()
    raise _too_little()


def check_memory(connection: "DuckDBPyConnection") -> None:
    """Refuse, before the charge, less memory than a count of few rows needs.

    Raises:
        EngineError: it is less.
    """
    if memory_of(connection) < _LEAST * _UNITS["MiB"]:
        raise _too_little()


def memory_of(connection: "DuckDBPyConnection") -> int:
    """Return the bytes that DuckDB may take."""
    ((limit,),) = connection.execute(f"SELECT current_setting('{LIMIT}')").fetchall()
    size, unit = limit.split()  # of a whole number of bytes, or with a decimal, as 15.2 MiB
    return max(1, int(Fraction(size) * _UNITS[unit]))


def _too_little() -> EngineError:
    return EngineError(
        "DuckDB has too little memory to open the data.",
        kind="out-of-memory",
        why=f"{MEMORY}, or the memory_limit of a connection, is below what it needs to begin",
        fix=f"write {MEMORY}=1GB, for example, or unset it",
    )


def percent_of(connection: "DuckDBPyConnection") -> int | None:
    """Return how much of what runs is done, from 1 to 100; None where DuckDB cannot say."""
    percent = int(connection.query_progress())
    return percent if 0 < percent <= _WHOLE else None  # of a stream it says 0 to the end
