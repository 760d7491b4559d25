"""What a source is, by its type alone: no library is imported, and no cell looked at.

A list of dicts: the names of its columns and its cells; no code of a row runs.

Rules of this module:
- rows are dicts, by C's own list of bases; what is none among them is a row without cells;
- a name is plain text, and only such are compared.
"""

from array import array
from collections.abc import Sequence
from os import PathLike
from typing import Any, TypeGuard, cast

FRAMES = {"duckdb", "pandas", "polars", "pyarrow"}


_NO_ROWS = (bytearray, memoryview, range, array)  # sequences that can hold no dict


def is_rows(source: object) -> bool:
    """Say whether a source is a list of dicts: any list but one of paths, whatever else it holds.

    One row decides nothing: a list of which no cell is a dict is a list of rows without cells.
    """
    if not is_listed(source) or isinstance(source, _NO_ROWS):
        return False
    return not source or not is_paths(source)


def is_connection(source: object) -> bool:
    """Say whether a source is a DuckDB connection, without importing DuckDB."""
    kind = type(source)
    return kind.__name__ == "DuckDBPyConnection" and "duckdb" in kind.__module__


def is_postgres(source: object) -> bool:
    """Say whether a source is a psycopg connection, without importing psycopg."""
    kind = type(source)
    return any(
        base.__name__ == "Connection" and base.__module__ == "psycopg" for base in kind.__mro__
    )


def is_spark(source: object) -> bool:
    """Say whether a source is a data frame of Spark, without importing it."""
    names = [f"{base.__module__}.{base.__name__}" for base in type(source).__mro__]
    return "pyspark.sql.dataframe.DataFrame" in names


def library_of(source: object) -> str:
    """Return the name of the library that a source's type is of, without importing it."""
    return type(source).__module__.partition(".")[0].removeprefix("_")


def is_frame(source: object) -> bool:
    """Say whether a source is a frame: of a library that is known, or with the Arrow stream.

    A frame of Spark has that stream, too, by which all its rows would come here: it is none.
    """
    return library_of(source) in FRAMES or (
        hasattr(source, "__arrow_c_stream__") and not is_spark(source)
    )


def can_be_read_again(source: object) -> bool:
    """Say whether a source is known to hold the same rows when it is read a second time."""
    if "RecordBatchReader" in (base.__name__ for base in type(source).__mro__):
        return False  # of a CSV file, of a stream, of a cursor: once read it is empty
    return is_connection(source) or library_of(source) in FRAMES


def is_data_set(source: object) -> bool:
    """Say whether a source is a data set of pyarrow, whose rows lie elsewhere, in files say."""
    names = [f"{base.__module__}.{base.__name__}" for base in type(source).__mro__]
    return "pyarrow._dataset.Dataset" in names


def files_of(source: object) -> tuple[str, ...]:
    """Return the files of this machine that a data set reads; none of other sources."""
    there = type(getattr(source, "filesystem", None)).__name__ == "LocalFileSystem"
    return tuple(getattr(source, "files", ())) if there and is_data_set(source) else ()


def data_sets_of(source: object) -> tuple[object, ...]:
    """Return the data sets that one is a union of; itself of another one."""
    is_union = any(base.__name__ == "UnionDataset" for base in type(source).__mro__)
    children = cast("Any", source).children if is_union else ()
    return tuple(data_set for child in children for data_set in data_sets_of(child)) or (source,)


def is_database(source: object) -> bool:
    """Say whether a source is one of those that DuckDB reads: files, its own objects, frames."""
    return is_paths(source) or is_connection(source) or is_frame(source)


def is_made(source: object) -> bool:
    """Say whether a source's rows are made of another's."""
    return type(source).__module__ == f"{__package__}.derived"


def is_paths(source: object) -> bool:
    """Say whether a source is a path or a list of paths; rows are not looked through for that."""
    if _is_path(source):
        return True
    if not isinstance(source, (list, tuple)) or (source and not _is_path(source[0])):
        return False
    return all(map(_is_path, source))


def _is_path(source: object) -> bool:
    return issubclass(type(source), (str, PathLike))


_BASES = cast("Any", type.__dict__["__mro__"]).__get__


def is_row(row: object) -> bool:
    """Say whether an object is a dict, whatever it says of itself."""
    return type(row) is dict or any(base is dict for base in _BASES(type(row)))


def is_listed(rows: object) -> TypeGuard[Sequence[Any]]:
    """Say whether an object can be a list of rows; none of them is looked at."""
    return isinstance(rows, Sequence) and not isinstance(rows, (str, bytes))


def names_of(rows: object) -> list[str] | None:
    """Return the names of the columns; None if this is no list of dicts.

    It is asked where no rows stand in a variable: an error raised there shows none to whoever logs
    the frames.
    """
    if not is_listed(rows):
        return None
    named = (row for row in rows if is_row(row))
    return list(dict.fromkeys(n for row in named for n in dict.keys(row) if type(n) is str))


def cell_of(row: object, name: str) -> object:
    """Return a cell of a row; one that is not there is missing, and no code of a row runs."""
    if not is_row(row):
        return None
    for key, cell in dict.items(cast("dict[Any, object]", row)):
        if type(key) is str and key == name:
            return cell
    return None
