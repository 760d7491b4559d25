"""CSV and Parquet files: which ones, and how they are read so that each row stands for itself.

Rules of this module:
- only files on this machine; a glob is expanded here, sorted, and nothing else is reached;
- nothing is guessed from cells: a CSV file is text throughout, its separator is told by its first
  line, which is all that is looked at before the charge;
- a damaged CSV row costs itself: missing cells are missing, cells too many are dropped, a row that
  is not UTF-8 or longer than 2 MB is dropped; none of it raises.

What a damaged CSV row can do to others: a quote that is opened and never closed takes all rows up
to the next quote into one cell, in every reader of CSV. So a file in which one person can place an
unescaped quote does not keep persons apart; Parquet does. Rows are read by one thread, because
parallel readers guess where rows begin, and guess differently when quotes are damaged.
"""

import csv
import gzip
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from glob import escape, glob
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from sqlglot import exp

from ..aggregate import Aggregate
from ..errors import EngineError, InputError, shown
from ..schema import Table
from .engine import key_columns, value_columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
_PARQUET = (".parquet", ".pq")
_SEPARATORS = (",", ";", "\t", "|")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_HEADER = 1_000_000  # bytes
_PART = "discreet_file"

Header = tuple[str, tuple[str, ...]]  # separator, names


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one kind; for CSV with the header of each."""

    paths: list[str]
    headers: list[Header] | None

    def reached(self) -> list[str]:
        """Return the paths that DuckDB must be allowed: as they are, and as it is handed them."""
        return sorted({*self.paths, *map(escape, self.paths)})

    def read(self, connection: "DuckDBPyConnection") -> "DuckDBPyRelation":
        """Return the rows of all files, their columns matched by name."""
        if self.headers is None:
            return connection.read_parquet(
                [escape(path) for path in self.paths], union_by_name=True, hive_partitioning=False
            )
        alike: dict[Header, list[str]] = {}
        for path, header in zip(self.paths, self.headers, strict=True):
            alike.setdefault(header, []).append(path)
        selects = []
        for number, (header, paths) in enumerate(alike.items()):
            _csv(connection, header, paths).create_view(f"{_PART}_{number}")
            selects.append(exp.select("*").from_(f"{_PART}_{number}"))
        whole = reduce(_by_name, selects[1:], cast("exp.Query", selects[0]))
        return connection.sql(whole.sql(dialect="duckdb"))


def _by_name(one: exp.Query, other: exp.Query) -> exp.Query:
    return exp.Union(this=one, expression=other, distinct=False, by_name=True)


def _csv(
    connection: "DuckDBPyConnection", header: Header, paths: Sequence[str]
) -> "DuckDBPyRelation":
    separator, names = header
    return connection.read_csv(
        cast("str", [escape(path) for path in paths]),
        columns=dict.fromkeys(names, "VARCHAR"),
        auto_detect=False,
        header=True,
        delimiter=separator,
        quotechar='"',
        escapechar='"',
        compression="gzip" if paths[0].endswith(".gz") else "none",
        strict_mode=False,
        null_padding=True,
        ignore_errors=True,
        parallel=False,
    )


def files(table: Table, aggregates: Iterable[Aggregate]) -> Files:
    """Return the files that a source names, after looking at names and headers only.

    Raises:
        InputError: no such file, an address of another machine, an unknown kind, no header.
        EngineError: a file cannot be opened.
    """
    source = table.source
    given = source if isinstance(source, (list, tuple)) else [source]
    paths = [path for one in given for path in _expanded(os.fspath(cast("str", one)))]
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise InputError(
            "the source mixes CSV and Parquet files, or compressed and plain ones.",
            why="all files of one table are read in the same way",
            fix="name files of one kind",
        )
    for path in paths:
        _check_readable(path)
    if kinds == {"parquet"}:
        return Files(paths, None)
    needed = {*value_columns(aggregates), *key_columns(aggregates)} | {table.unit.column} - {None}
    return Files(paths, [_header(path, {name for name in needed if name}) for path in paths])


def _expanded(path: str) -> list[str]:
    if _ADDRESS.match(path) or "\x00" in path:
        raise InputError(
            f"{shown(path)} is an address, not a file of this machine.",
            why="data is read from files that are here; no address is ever opened",
            fix='copy the data here and write its path, for example "visits.parquet"',
        )
    # os.path says no, where Path raises, to a name that the system refuses: one too long, say.
    found = [path] if os.path.exists(path) else sorted(glob(path, recursive=True))  # noqa: PTH110, PTH207
    whole = [os.path.abspath(name) for name in found if os.path.isfile(name)]  # noqa: PTH100, PTH113
    if not whole:
        folder = os.path.isdir(path)  # noqa: PTH112
        raise InputError(
            f"there is no file {shown(path)}." if not folder else f"{shown(path)} is a folder.",
            why="a source names files that are there",
            fix=f'write "{shown(path)}/*.parquet"' if folder else "check the path, or the glob",
        )
    return whole


def _kind(path: str) -> str:
    name = path.lower()
    if name.endswith(_PARQUET):
        return "parquet"
    if name.endswith(_CSV):
        return "csv.gz" if name.endswith(".gz") else "csv"
    raise InputError(
        f"{shown(Path(path).name)} is not a CSV or Parquet file by its name.",
        why=f"the kind of a file is told by its ending: {', '.join(_CSV + _PARQUET)}",
        fix="rename or convert the file",
    )


def _check_readable(path: str) -> None:
    try:
        with Path(path).open("rb"):
            pass
    except OSError:
        raise _unreadable(path) from None


def _unreadable(path: str) -> EngineError:
    return EngineError(
        f"{shown(Path(path).name)} cannot be opened.",
        why="the system refused it, or it is damaged",
        fix="check the file and its permissions; nothing was charged",
    )


def _header(path: str, needed: set[str]) -> Header:
    """Return the separator and the names of a CSV file: the first separator that shows them all."""
    line = _first_line(path)
    if line is None:
        raise _unreadable(path)
    records = [(separator, _split(line, separator)) for separator in _SEPARATORS]
    found = [record for record in records if needed <= set(record[1])]
    separator, names = max(found or records, key=lambda record: len(record[1]))
    if line.count('"') % 2:
        raise InputError(
            f"{shown(Path(path).name)} opens a quotation mark in its first line that stays open.",
            why="before the charge no more than the first line is looked at, so a name in a CSV "
            "file cannot hold a line feed",
            fix="rename the column, or convert the file to Parquet",
        )
    if not any(names):
        raise InputError(
            f"{shown(Path(path).name)} has no header.",
            why="the first row of a CSV file names its columns",
            fix="write the names of the columns into the first row",
        )
    if needed and not {name.casefold() for name in needed} & {name.casefold() for name in names}:
        raise InputError(
            f"{shown(Path(path).name)} has none of the columns that are asked for: "
            f"{shown(', '.join(sorted(needed)))}.",
            why="the first row of each CSV file names its columns; if it holds data instead, the "
            "rows would belong to no column",
            fix="check that the first row of the file names its columns, and how it does",
        )
    return separator, _named(path, names)


def _first_line(path: str) -> str | None:
    """Return the first line of a file and no more of it; None if it cannot be read."""
    with suppress(OSError, EOFError), _bytes_of(path) as file:
        return file.readline(_HEADER).decode("utf-8-sig", "replace").rstrip("\r\n")
    return None


def _bytes_of(path: str) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.endswith(".gz") else Path(path).open("rb")


def _split(line: str, separator: str) -> list[str]:
    """Return the names in a header; a quote that its line does not close belongs to no name."""
    with suppress(csv.Error):
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    return []


def _named(path: str, names: Sequence[str]) -> tuple[str, ...]:
    filled = tuple(name or f"column{number}" for number, name in enumerate(names, 1))
    if len({name.lower() for name in filled}) < len(filled):
        raise InputError(
            f"{shown(Path(path).name)} names a column twice.",
            why="then a name does not say which column is meant; case does not tell names apart",
            fix="give each column a name of its own in the first row",
        )
    return filled
