"""One unit more with very long cells, where memory is little: in each role of a column, in each source.

Rules of this module:
- less memory is given to the count than the cells of that unit take;
- two rows of a unit may be counted in most roles, so what it may move is what it may move elsewhere.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from .cases import Share
from .dtypes import ROLES, USUAL, outcome, wrong
from .harness import Found

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

MEMORY = "32MB"
_FILL = 20_000  # rows, so that the count is more than one part
_JOINS = {"a link of the first", "a link of the second", "a unit of both"}
_MOST = 2_000_000  # bytes of a cell: a longer one is missing
LONG: dict[str, list[str]] = {
    "65 bytes": ["x" * 65],
    "at the end of what is read": ["1" * _MOST, "é" * (_MOST // 2)],
    "a byte more": ["1" * (_MOST + 1)],
    "many that may each be": [chr(97 + n) * (_MOST - 100_000) for n in range(40)],
    "more than all memory": ["x" * 60_000_000],
    "a long number": ["0" * 1_000_000 + "1"],
}


def _parquet(table: pa.Table, folder: Path) -> Any:
    pyarrow.parquet.write_table(table, folder / "t.parquet")
    return str(folder / "t.parquet")


def _csv(table: pa.Table, folder: Path) -> Any:
    pyarrow.csv.write_csv(table, folder / "t.csv")
    return str(folder / "t.csv")


def _duckdb(table: pa.Table, _folder: Path) -> Any:
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return connection


@cache
def _server() -> Any:
    """A connection to PostgreSQL; None where there is none."""
    from servers import _postgres, connected

    return None if _postgres() is None else connected()


def _postgres(table: pa.Table, _folder: Path) -> Any:
    source = _server()
    source.execute("DROP TABLE IF EXISTS t")
    source.execute("CREATE TABLE t (u text, k text, v bigint, x text)")
    with source.cursor().copy("COPY t (u, k, v, x) FROM STDIN") as copy:
        for row in table.to_pylist():
            copy.write_row([*row.values()])
    return source


SOURCES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "parquet": _parquet,
    "csv": _csv,
    "duckdb": _duckdb,
    "postgres": _postgres,
    "arrow": lambda table, _: table,
    "polars": lambda table, _: pl.from_arrow(table),
    "pandas": lambda table, _: table.to_pandas(),
    "pandas string": lambda table, _: table.to_pandas(
        types_mapper={pa.string(): pd.StringDtype()}.get
    ),
    "list": lambda table, _: table.to_pylist(),
}
_OF_NUMBERS = {  # a column of text has no such role, but where each cell is of its own kind
    "a key of numbers", "a key of truth", "a value", "a far value", "a histogram", "a variance",
    "a number of a filter", "a truth of a filter", "a gap of a filter", "derived", "a derived value",
}  # fmt: skip
_OF_DAYS = {"a day", "a moment", "a day of a filter", "a moment of a filter"}
_OF_ITS_OWN = {"csv", "pandas", "list"}


def _table(cells: list[str]) -> pa.Table:
    """Ordinary rows, and those of one unit that hold these cells; u is a column, and x is long."""
    rows, more = range(_FILL), len(cells)
    return pa.table({
        "u": [f"p{n // 2}" for n in rows] + ["q"] * more,
        "k": ["12a"[n % 3] for n in rows] + ["a"] * more,
        "v": [n % 5 for n in rows] + [3] * more,
        "x": [USUAL["text"][n % 4] for n in rows] + cells,
    })  # fmt: skip


@contextmanager
def _little_memory() -> Iterator[None]:
    before = os.environ.get("DISCREET_MEMORY")
    os.environ["DISCREET_MEMORY"] = MEMORY
    try:
        yield
    finally:
        os.environ.pop("DISCREET_MEMORY")
        if before is not None:
            os.environ["DISCREET_MEMORY"] = before


def long_cells(share: Share) -> Iterator[Found]:
    """Each kind of long cells, in each role, in each source: answered as without them."""
    with _little_memory():
        for source, make in SOURCES.items():
            if source == "postgres" and _server() is None:
                print("no PostgreSQL: its long cells are left out (`make postgres` brings it)")
                continue
            for role in ROLES:
                if source in ("duckdb", "postgres") and role in _JOINS:
                    continue  # tables of a join lie on one connection
                if source not in _OF_ITS_OWN and role in _OF_NUMBERS:
                    continue
                if source == "postgres" and role in _OF_DAYS:  # which a server reads of no text
                    continue
                yield from _in_a_role(source, make, role, share)


def _in_a_role(
    source: str, make: Callable[[pa.Table, Path], Any], role: str, share: Share
) -> Iterator[Found]:
    kinds = [kind for kind in LONG if share.has(f"{source}, {role}, {kind}")]
    before = _outcome(make, [], role) if kinds else ("", None)
    for kind in kinds:
        case = f"{source}, {role}, {kind}"
        if not before[0].startswith("answered"):
            yield Found("P3", case, f"{before[0]}, without a long cell")
        what = wrong(before, _outcome(make, LONG[kind], role), _units(role, LONG[kind]))
        if what:
            yield Found("P3", case, what)


def _units(role: str, cells: list[str]) -> int:
    """How many units have the cells: where the column is the unit itself, each is one."""
    return len(set(cells)) if "unit" in role else 1


def _outcome(make: Callable[[pa.Table, Path], Any], cells: list[str], role: str) -> tuple[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        return outcome(make(_table(cells), Path(folder)), role)
