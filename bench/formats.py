"""How the readers of other programs' files grow: the rows of a file are doubled.

Rules of this module:
- a file has a unit, a key and a value in each row, and is written by a package that people use;
- what is timed is a count and a mean by key, from opening the file to the sums, in CPU seconds of
  this process; the two sizes of a doubling take turns, and the least of the rounds counts;
- packages that are not here leave their rows out.
"""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd

import discreet as dp
from discreet.engine.select_engine import engine_for

from .growth import WANTED, Act, Axis, doublings
from .table import Section

ROWS = 400_000
Write = Callable[[pd.DataFrame, Path], None]


def _sav(rows: pd.DataFrame, path: Path) -> None:
    import pyreadstat

    pyreadstat.write_sav(rows, path)


def _dta(rows: pd.DataFrame, path: Path) -> None:
    rows.to_stata(path, write_index=False)


def _xlsx(rows: pd.DataFrame, path: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(str(path), {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, list(rows.columns))
        for place, row in enumerate(rows.itertuples(index=False), 1):
            sheet.write_row(place, 0, row)


def _sqlite(rows: pd.DataFrame, path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (u INTEGER, g INTEGER, v REAL)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows.values.tolist())
    database.close()


def _avro(rows: pd.DataFrame, path: Path) -> None:
    import fastavro

    fields = [{"name": n, "type": k} for n, k in (("u", "long"), ("g", "long"), ("v", "double"))]
    schema = {"type": "record", "name": "row", "fields": fields}
    with path.open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(schema), rows.to_dict("records"))


def _jsonl(rows: pd.DataFrame, path: Path) -> None:
    rows.to_json(path, orient="records", lines=True)


def _orc(rows: pd.DataFrame, path: Path) -> None:
    rows.to_orc(path, index=False)


def _duckdb(rows: pd.DataFrame, path: Path) -> None:
    import duckdb

    with duckdb.connect(str(path)) as database:
        database.register("rows", rows)
        database.execute("CREATE TABLE t AS SELECT * FROM rows")


def _packed(rows: pd.DataFrame, path: Path) -> None:
    rows.to_csv(path, index=False)  # zip, bz2 or xz, by its name


def _fixed(rows: pd.DataFrame, path: Path) -> None:
    path.write_text("".join(f"{u:10.0f}{g:4.0f}{v:10.3f}\n" for u, g, v in rows.values.tolist()))


FIXED = {"fixed": {"g": [11, 14], "v": [15, 24]}}
FORMATS: dict[str, tuple[str, Write]] = {  # by ending: the package that writes it, and how
    "jsonl": ("pandas", _jsonl),
    "orc": ("pyarrow", _orc),
    "duckdb": ("duckdb", _duckdb),
    "csv.zip": ("pandas", _packed),
    "csv.bz2": ("pandas", _packed),
    "csv.xz": ("pandas", _packed),
    "dat": ("pandas", _fixed),
    "sav": ("pyreadstat", _sav),
    "dta": ("pyreadstat", _dta),
    "xlsx": ("xlsxwriter", _xlsx),
    "sqlite": ("sqlite3", _sqlite),
    "avro": ("fastavro", _avro),
}


def sections(rows: int = ROWS) -> list[Section]:
    """Return how the time of each reader grows with the rows of its file."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [line for axis in _axes(Path(folder), rows) for line in doublings(axis)]
    about = (
        "CPU seconds of a count and a mean by 50 keys, from opening a file to the sums, at a "
        f"number of rows and at twice as many; wanted is at most {WANTED} times as long."
    )
    columns = ("what", "from", "CPU s", "to", "CPU s", "ratio")
    return [Section("Files of other programs", about, columns, lines)]


def _axes(folder: Path, rows: int) -> Iterator[Axis]:
    places = (str(number) for number in count())
    for ending, (package, write) in FORMATS.items():
        if find_spec(package) is not None:
            name = f"rows of a .{ending} file"
            yield Axis(name, rows, rows // 4, _ready(write, folder, places, ending))


def _ready(write: Write, folder: Path, places: Iterator[str], ending: str) -> Callable[[int], Act]:
    def ready(size: int) -> Act:
        path = folder / f"{next(places)}.{ending}"
        write(_rows(size), path)
        table = dp.table(
            path,
            name="rows",
            unit="row",
            keys={"g": range(50)},
            columns={"v": dp.bounds(0, 100, step="0.01")},
            csv=FIXED if ending == "dat" else None,
        )
        asked = [dp.count("g"), dp.mean("v", "g")]
        aggregates = tuple(a for question in asked for a in question.aggregates(table))
        return lambda: engine_for(path).prepare(table, aggregates).count(7)

    return ready


def _rows(size: int) -> pd.DataFrame:
    random = np.random.default_rng(1)
    columns = {
        "u": random.integers(0, size, size),
        "g": random.integers(0, 50, size),
        "v": random.random(size) * 100,
    }
    return pd.DataFrame(columns)
