"""Two columns whose names differ in their case alone are two columns, in every kind of source.

DuckDB and Spark do not tell such names apart by themselves. Spark is tried by `make spark`.
"""

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import EngineError, InputError
from engine.sources import opened
from servers import filled, spark

ROWS = [{"id": n, "ID": f"p{n}", "Id": "ab"[n % 2]} for n in range(20)]
ROWS += [{"id": 100 + n, "ID": "ann", "Id": "b"} for n in range(50)]
ORDERS = [("id", "ID", "Id"), ("ID", "Id", "id"), ("Id", "id", "ID")]


def frame(names):
    return pd.DataFrame(ROWS)[list(names)]


def csv_file(names, folder):
    frame(names).to_csv(folder / "t.csv", index=False)
    return str(folder / "t.csv")


def arrow_file(names, folder):
    table = pa.Table.from_pandas(frame(names), preserve_index=False)
    with (
        pa.OSFile(str(folder / "t.arrow"), "wb") as file,
        pa.ipc.new_file(file, table.schema) as to,
    ):
        to.write_table(table)
    return str(folder / "t.arrow")


def dataset(names, folder):
    pq.write_table(pa.Table.from_pandas(frame(names), preserve_index=False), folder / "t.parquet")
    return ds.dataset(str(folder / "t.parquet"))


def of_postgres(names, folder):
    kinds = {"id": "integer", "ID": "text", "Id": "text"}
    rows = [tuple(row[name] for name in names) for row in ROWS]
    return filled({name: kinds[name] for name in names}, rows, name="t")


def of_spark(names, folder):
    kinds = {"id": "int", "ID": "string", "Id": "string"}
    rows = [tuple(row[name] for name in names) for row in ROWS]
    return spark().createDataFrame(rows, ", ".join(f"`{name}` {kinds[name]}" for name in names))


SOURCES = {
    "rows": lambda names, folder: [{name: row[name] for name in names} for row in ROWS],
    "pandas": lambda names, folder: frame(names),
    "polars": lambda names, folder: pl.DataFrame(ROWS).select(names),
    "arrow": lambda names, folder: pa.Table.from_pandas(frame(names), preserve_index=False),
    "arrow file": arrow_file,
    "dataset": dataset,
    "csv": csv_file,
    "postgres": of_postgres,
}


def asked(source):
    table = dp.table(
        source,
        name="t",
        unit=dp.unit("ID", max_rows=2, sampling="portable"),
        columns={"id": dp.bounds(0, 10, step=1)},
        keys={"Id": ["a", "b"]},
    )
    questions = dp.count_units(), dp.sum("id"), dp.count(by="Id", where="id >= 0 and ID <> 'ann'")
    return table, tuple(one for question in questions for one in question.aggregates(table))


@pytest.mark.exhaustive
@pytest.mark.claim("C340")
@pytest.mark.slow
@pytest.mark.parametrize("names", ORDERS, ids=" ".join)
@pytest.mark.parametrize("kind", SOURCES)
def test_each_column_is_read_under_its_own_name(kind, names, tmp_path):
    """Unit, value, key and condition."""
    table, aggregates = asked(SOURCES[kind](names, tmp_path))
    wanted = opened(MemoryEngine().prepare(*asked(ROWS)).count(5))

    assert opened(engine_for(table.source).prepare(table, aggregates).count(5)) == wanted
    assert wanted[0] == (21,)


@pytest.mark.claim("C340")
@pytest.mark.slow
def test_spark_is_refused_before_the_charge(tmp_path):
    """Where its session does not tell case apart, a name of two columns is none."""
    table, aggregates = asked(of_spark(ORDERS[0], tmp_path))

    with pytest.raises(EngineError, match="cannot be opened"):
        engine_for(table.source).prepare(table, aggregates)


@pytest.mark.claim("C340")
@pytest.mark.slow
@pytest.mark.parametrize("used", ["id", "ID", "ID_1"])
@pytest.mark.parametrize("apart", [False, True], ids=["one file", "two files"])
def test_parquet_files_with_such_names_are_refused(apart, used, tmp_path):
    """In one file, or in two that are read together; parts of a column are no columns."""
    rows = pa.Table.from_pandas(frame(("id", "ID")), preserve_index=False)
    parts = [rows.select(["id"]), rows.select(["ID"])] if apart else [rows]
    for number, part in enumerate(parts):
        pq.write_table(part, tmp_path / f"{number}.parquet")
    table = dp.table(str(tmp_path / "*.parquet"), unit=dp.unit(used, max_rows=2))

    with pytest.raises(InputError, match=r"differ in their case|no column 'ID_1'"):
        engine_for(table.source).prepare(table, dp.count_units().aggregates(table))


@pytest.mark.claim("C340")
def test_the_parts_of_a_column_are_no_columns(tmp_path):
    nested = [{"ID": 1, "Id": {"iD": [1]}}] * len(ROWS)
    pq.write_table(
        pa.table({"id": [row["id"] for row in ROWS], "n": nested}), tmp_path / "t.parquet"
    )
    table = dp.table(
        str(tmp_path / "t.parquet"), unit="row", columns={"id": dp.bounds(0, 10, step=1)}
    )

    prepared = engine_for(table.source).prepare(table, dp.sum("id").aggregates(table))

    assert opened(prepared.count(5)) == [(sum(min(row["id"], 10) for row in ROWS),)]
