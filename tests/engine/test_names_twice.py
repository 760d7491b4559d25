"""A source that names a column twice is refused before the charge, or counted without it."""

from datetime import UTC, datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from engine.sources import opened

NAMES = ["u", "v", "v", "z", "v_1", "at"]
CELLS = [["a", "b"], [1, 2], [3, 4], [5, 6], [7, 8]]
MOMENTS = pa.array([datetime(2024, 1, 1, tzinfo=UTC)] * 2, pa.timestamp("ms", "UTC"))


def arrow(names=NAMES):
    return pa.Table.from_arrays([*map(pa.array, CELLS), MOMENTS], names=names)


def csv(folder):
    rows = [",".join(map(str, row)) for row in zip(*CELLS, [0, 0], strict=True)]
    (folder / "t.csv").write_text("\n".join([",".join(NAMES), *rows, ""]))
    return str(folder / "t.csv")


def parquet(folder, names=NAMES):
    pq.write_table(arrow(names), folder / "t.parquet")
    return str(folder / "t.parquet")


def several(folder):
    """One file that names each once, and one that does not."""
    pq.write_table(arrow().select([0, 1, 3, 4]), folder / "a.parquet")
    parquet(folder)
    return str(folder)


def ipc(folder):
    with (
        pa.OSFile(str(folder / "t.arrow"), "wb") as file,
        pa.ipc.new_file(file, arrow().schema) as to,
    ):
        to.write_table(arrow())
    return str(folder / "t.arrow")


def pandas(_folder):
    return pd.DataFrame(np.array([*CELLS, [0, 0]], dtype=object).T, columns=NAMES)


SOURCES = {  # how it is made, and whether it is counted where the name is not used
    "CSV": (csv, True),
    "Parquet": (parquet, True),
    "several Parquet files": (several, True),
    "an Arrow file": (ipc, False),  # pyarrow makes no data set of it
    "pandas": (pandas, True),
    "Arrow": (lambda _folder: arrow(), True),
    "a batch": (lambda _folder: arrow().to_batches()[0], True),
    "a stream": (lambda _folder: arrow().to_reader(), True),
    "a relation": (
        lambda _folder: duckdb.connect().sql("SELECT 'a' u, 1 v, 3 v, 5 z, 7 v_1"),
        False,  # its rows are not seen to be of one row
    ),
}


def counted(source, column, unit="row"):
    bounds = {column: dp.bounds(0, 10, step=1)}
    table = dp.table(source, name="t", unit=unit, columns=bounds)
    wanted = tuple(dp.sum(column).aggregates(table))
    return opened(engine_for(table.source).prepare(table, wanted).count(3))


@pytest.mark.claim("C353")
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("as_unit", [False, True])
def test_a_name_that_stands_twice_is_refused_in_three_lines(kind, as_unit, tmp_path):
    """As a column, and as the unit."""
    column, unit = ("z", dp.unit("v", max_rows=2)) if as_unit else ("v", "row")
    with pytest.raises(InputError) as refused:
        counted(SOURCES[kind][0](tmp_path), column, unit)
    what, why, fix = str(refused.value).splitlines()
    assert "names the column v twice" in what
    assert "which column is meant" in why
    assert "a name of its own" in fix


@pytest.mark.claim("C353")
@pytest.mark.parametrize("kind", [kind for kind, (_, is_counted) in SOURCES.items() if is_counted])
def test_where_nobody_uses_it_all_else_is_counted(kind, tmp_path):
    total = 22 if kind == "several Parquet files" else 11
    assert counted(SOURCES[kind][0](tmp_path), "z") == [(total,)]


@pytest.mark.claim("C353")
def test_no_other_name_is_taken_for_the_second_of_two(tmp_path):
    """DuckDB calls the second v of a Parquet file v_1, and the column v_1 otherwise."""
    with pytest.raises(InputError, match="names the column v twice"):
        counted(parquet(tmp_path), "v_1")
    by_case = [name.replace("v", "V", 1) if at == 2 else name for at, name in enumerate(NAMES)]
    with pytest.raises(InputError, match="V, which differ in their case alone"):
        counted(parquet(tmp_path, by_case), "v_1")
    assert counted(csv(tmp_path), "v_1") == counted(arrow(), "v_1") == [(15,)]


@pytest.mark.claim("C353")
def test_a_file_that_pyarrow_must_read_is_refused_as_well(tmp_path):
    """Moments in milliseconds and a zone are read by it; it makes no data set of such a file."""
    table = dp.table(parquet(tmp_path), unit="row", name="t").where("hour(at) < 9")
    with pytest.raises(InputError, match="names the column v twice"):
        engine_for(table.source).prepare(table, tuple(dp.count().aggregates(table)))


def test_polars_has_no_such_frame():
    with pytest.raises(pl.exceptions.DuplicateError):
        pl.DataFrame(arrow().select([1, 2]))
