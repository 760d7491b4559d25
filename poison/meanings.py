"""What cells must mean, whoever their neighbors are and wherever they come from."""

import datetime as dt
import tempfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError

from .cases import Share
from .harness import Found

Rows = list[dict[str, object]]


def _vectors(source: object, statistics: list[Any], **how: Any) -> list[tuple[int, ...]]:
    found = dp.table(source, **{"unit": "row", "name": "t", **how})
    aggregates = tuple(a for one in statistics for a in one.aggregates(found))
    prepared = engine_for(source).prepare(found, aggregates)
    return [one.opened_by_the_door() for one in prepared.count(1)]


def _by(source: object, keys: list[Any], **how: Any) -> tuple[int, ...]:
    return _vectors(source, [dp.count("k")], keys={"k": keys}, **how)[0]


def _file(text: str, encoding: str = "utf-8") -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / "t.csv").write_bytes(text.encode(encoding))
        return folder / "t.csv"

    return make


def _total(source: object, **how: Any) -> int:
    one, other = _vectors(source, [dp.sum("v")], columns={"v": dp.bounds(-10_000, 10_000, step="0.01")},
                          **how)[0], None  # fmt: skip
    del other
    return one[0]


def _duck(columns: str, values: str) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t ({columns})")
    connection.execute(f"INSERT INTO t VALUES {values}")
    return connection


DAY = dt.date(2026, 11, 3)
NOON = dt.datetime(2026, 11, 3, 12)
Check = tuple[str, str, Callable[[Path], object], object]

CHECKS: list[Check] = [
    ("D1", "decimal commas", lambda f: _total(_file("v;w\n1,50;a\n")(f), csv={"decimal": ","}), 150),
    ("D1", "thousands", lambda f: _total(_file('v,w\n"1,500",a\n')(f), csv={"thousands": ","}), 150_000),
    ("D1", "blank thousands", lambda f: _total(_file("v,w\n1 500,a\n")(f), csv={"thousands": " "}), 150_000),
    ("D1", "currency", lambda f: _total(_file("v,w\n$1.50,a\n")(f), csv={"currency": "$"}), 150),
    ("D1", "a Latin-1 file", lambda f: _by(_file("k,w\nä,1\nA,ä\n", "latin-1")(f), ["ä", "A"],
                                           csv={"encoding": "latin-1"}), (1, 1)),
    ("D1", "True as pandas writes it", lambda f: _by(_file("k,w\nTrue,a\nFalse,a\n")(f), [True, False]),
     (1, 1)),
    ("D1", "padded cells", lambda f: _by(_file("k,w\n A ,a\n")(f), ["A"], csv={"trim": True}), (1,)),
    ("D1", "single quotes", lambda f: _by(_file("k,w\n'A',a\n")(f), ["A"], csv={"quote": "'"}), (1,)),
    ("D1", "the empty key", lambda f: _by(_file("k,w\n,a\n")(f), ["", "A"], csv={"missing": []}), (1, 0)),
    ("D2", "date keys on moments", lambda _: _by(pd.DataFrame({"k": pd.to_datetime([NOON])}), [DAY]), (1,)),
    ("D2", "text 1 on floats", lambda _: _by(pd.DataFrame({"k": [1.0, None]}), ["1"]), (1,)),
    ("D2", "text 1 on decimals", lambda _: _by(_duck("k DECIMAL(10, 2)", "(1.00)"), ["1"]), (1,)),
    ("D2", "text True on truth values", lambda _: _by(_duck("k BOOLEAN", "(true)"), ["True"]), (1,)),
    ("D2", "text on whole numbers", lambda _: _by(_duck("k INTEGER", "(1)"), ["yes"]), "refused"),
    ("U1", "whole numbers on text", lambda _: _by(_duck("k VARCHAR", "('a')"), [0, 1]), "refused"),
    ("U1", "the mean of text", lambda _: _total(_duck("v VARCHAR", "('a')")), "refused"),
    ("D3", "Period unused", lambda _: _by(pd.DataFrame({"k": ["A"], "z": pd.period_range("2026", periods=1)}),
                                          ["A"]), (1,)),
    ("D3", "Interval unused", lambda _: _by(pd.DataFrame({"k": ["A"], "z": pd.cut([1], [0, 2])}), ["A"]), (1,)),
    ("D3", "Sparse unused", lambda _: _by(pd.DataFrame({"k": ["A"], "z": pd.arrays.SparseArray([1.0])}),
                                          ["A"]), (1,)),
    ("D3", "complex unused", lambda _: _by(pd.DataFrame({"k": ["A"], "z": [1j]}), ["A"]), (1,)),
    ("D3", "half float unused", lambda _: _by(pa.table({"k": ["A"], "z": pa.array([np.float16(1)])}), ["A"]),
     (1,)),
    ("D3", "Polars Object unused", lambda _: _by(pl.DataFrame({"k": ["A"], "z": pl.Series([object()],
                                                 dtype=pl.Object)}), ["A"]), (1,)),
    ("D3", "Polars Int128 unused", lambda _: _by(pl.DataFrame({"k": ["A"], "z": pl.Series([1], dtype=pl.Int128)}),
                                                 ["A"]), (1,)),
    ("D3", "a frame backwards", lambda _: _by(pd.DataFrame({"k": [1, 2]})[::-1], [1, 2]), (1, 1)),
    ("D3", "big endian", lambda _: _by(pd.DataFrame({"k": np.array([1, 2], ">i8")}), [1, 2]), (1, 1)),
    ("D3", "x and X unused", lambda _: _by(pd.DataFrame({"k": ["A"], "x": [1], "X": [2]}), ["A"]), (1,)),
    ("P0d", "True with a None", lambda _: _total(pd.DataFrame({"v": pd.Series([True] * 4 + [None],
                                                 dtype=object)})), 400),
    ("P0d", "whole numbers with a gap", lambda _: _by(pd.DataFrame({"k": [1.0, 2.0, None]}), ["1", "2"]),
     (1, 1)),
    ("P0c", "a value inside its bounds", lambda _: sum(_vectors(
        pd.DataFrame({"v": [9_000_000.0]}), [dp.histogram("v", bins=4)],
        columns={"v": dp.bounds(-15_000_000, 15_000_000, step="0.01")})[0]), 1),
    ("P0c", "values at the ends of 2^52", lambda _: sum(_vectors(
        pd.DataFrame({"v": [-(2.0**52), 2.0**52, 0.0]}), [dp.histogram("v", bins=7)],
        columns={"v": dp.bounds(-(2**52), 2**52, step=1)})[0]), 3),
    ("D4", "UUIDs as units", lambda _: _units([UUID(int=1), UUID(int=2), UUID(int=1)]), 2),
    ("D4", "bytes as units", lambda _: _units([b"a", b"b"]), 2),
    ("D4", "times as units", lambda _: _units([dt.time(1), dt.time(2)]), 2),
    ("D4", "1 and 1.0 are one unit", lambda _: _units([1, 1.0, Decimal("1.00"), True]), 1),
    ("D5", "0.0 and -0.0 are one unit", lambda _: _ordered([0.0, -0.0]), "alike"),
    ("D5", "1 and 1.0 are one unit, in any order", lambda _: _ordered([1, 1.0]), "alike"),
    ("D6", "a DuckDB relation", lambda _: _by(_duck("k VARCHAR", "('A')").sql("SELECT k FROM t"), ["A"]), (1,)),
    ("D6", "moments in a zone as keys", lambda _: _by(_duck("k TIMESTAMPTZ", "('2026-11-03 12:00:00+00')"),
                                                      [DAY]), (1,)),
    ("D6", "Polars times as keys", lambda _: _by(pl.DataFrame({"k": [dt.time(10)]}), ["10:00:00"]), (1,)),
    ("D6", "an empty Arrow column", lambda _: _by(pa.table({"k": pa.nulls(2)}), ["A"]), (0,)),
    ("D6", "UTF-16", lambda f: _by(_file("k,w\nA,a\n", "utf-16")(f), ["A"], csv={"encoding": "utf-16"}), (1,)),
    ("D6", "Excel's sep=", lambda f: _by(_file("sep=;\nk;w\nA;a\n")(f), ["A"]), (1,)),
    ("P3", "a view that is not row by row", lambda _: _view("SELECT k, max(k) OVER () AS m FROM t"), "refused"),
    ("P3", "a view with a sub-query", lambda _: _view("SELECT k, (SELECT max(k) FROM t) AS m FROM t"), "refused"),
    ("P0i", "a file named twice", lambda folder: _twice(folder), "refused"),  # noqa: PLW0108
]  # fmt: skip


def _units(cells: list[object]) -> int:
    series = pd.Series(cells, dtype=object)
    found = dp.table(pd.DataFrame({"u": series}), unit=dp.unit("u", max_rows=1), name="t")
    aggregates = dp.count_units().aggregates(found)
    (vector,) = engine_for(found.source).prepare(found, aggregates).count(1)
    return int(vector.opened_by_the_door()[0])


def _ordered(cells: list[object]) -> str:
    """Whether the reference keeps the same groups in any order of the rows, whatever the salt."""
    rows = [{"u": cell, "k": key} for key in "abcd" for cell in cells]
    found = [dp.table(some, unit=dp.unit("u"), keys={"k": list("abcd")}, name="t")
             for some in (rows, rows[::-1])]  # fmt: skip
    asked = dp.count("k", max_groups=2, max_rows_per_group=1)
    for salt in range(60):
        one, other = (
            engine_for(t.source).prepare(t, asked.aggregates(t)).count(salt)[0].opened_by_the_door()
            for t in found
        )
        if one != other:
            return "different"
    return "alike"


def _view(query: str) -> object:
    connection = _duck("k INTEGER", "(1), (2)")
    connection.execute(f"CREATE VIEW w AS {query}")
    return _vectors(connection, [dp.mean("m")], columns={"m": dp.bounds(0, 9)}, name="w")


def _twice(folder: Path) -> object:
    path = _file("k,w\nA,a\n")(folder)
    (folder / "link.csv").symlink_to(path)
    return _by([path, folder / "link.csv"], ["A"])


def meanings(share: Share) -> Iterator[Found]:
    """Every check whose answer is not what it must be."""
    del share
    for finding, name, ask, wanted in CHECKS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                got = ask(Path(folder))
            except InputError:
                got = "refused"
            except Exception as error:
                got = f"raised {type(error).__name__}"
        if got != wanted:
            yield Found(finding, name, f"{got}, wanted {wanted}")
