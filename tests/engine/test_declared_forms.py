"""Text of sources that are no CSV file, in declared forms: days, times, numbers, codes, words."""

import json
import sqlite3
from decimal import Decimal

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import orc, parquet

import discreet as dp
from discreet.engine.remote import Address
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.schema import table_of

COLUMNS = {
    "age": {"missing": [-9, 99]},
    "price": {"decimal": ",", "thousands": "."},
    "day": {"days": "%d.%m.%Y"},
    "at": {"times": "%I:%M%p"},
    "married": {"missing": ["-9"]},
}
CELLS = [
    *("-9", "99", "-9.0", "099", "1,5", "1.234,5", "2", "1.234", "2.5", "x", "", " 2 ", "\t", "true", "NA"),
    *("31.12.2024", "1.1.2020", "2024-12-31", "32.1.2020", "9:27AM", "09:27:00", "10:00pm", "2020-01-01 10:30:00"),
    *("Yes", "YES", "1", "no"),
]  # fmt: skip
ROWS = [{"row": str(n), **dict.fromkeys(("u", "cost", *COLUMNS), cell)} for n, cell in enumerate(CELLS)]  # fmt: skip


def texts():
    """The rows as a frame of text."""
    return pd.DataFrame(ROWS, dtype=object)


def written(folder, kind):
    """The rows as a file of text, by the writers of other programs."""
    path, frame = folder / f"t.{kind}", texts()
    if kind == "csv":
        lines = [",".join(f'"{cell}"' for cell in row.values()) for row in ROWS]
        path.write_text("\n".join([",".join(ROWS[0]), *lines]) + "\n")
    elif kind == "sqlite":
        with sqlite3.connect(path) as connection:
            frame.to_sql("t", connection, index=False)
        connection.close()
    elif kind == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.sql("CREATE TABLE t AS SELECT * FROM frame")
    elif kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, ROWS)))
    elif kind == "xlsx":
        frame.to_excel(path, index=False)
    elif kind == "dta":
        frame.to_stata(path, write_index=False)
    elif kind == "parquet":
        parquet.write_table(pa.Table.from_pandas(frame), path)
    else:
        orc.write_table(pa.Table.from_pandas(frame), path)
    return path


def in_duckdb():
    """The rows as a table of a connection."""
    connection, frame = duckdb.connect(), texts()
    connection.register("frame", frame)
    return connection.execute("CREATE TABLE t AS SELECT * FROM frame")


FRAMES = {
    "a list": lambda: ROWS,
    "pandas, objects": texts,
    "pandas, declared text": lambda: texts().astype("string"),
    "pandas, categories": lambda: texts().astype("category"),
    "Polars": lambda: pl.DataFrame(ROWS),
    "Arrow": lambda: pa.Table.from_pylist(ROWS),
    "DuckDB": in_duckdb,
}
FILES = ["csv", "xlsx", "dta", "sqlite", "duckdb", "jsonl", "parquet", "orc"]
WAYS = {
    "by column": {"columns": COLUMNS},
    "of all": {"decimal": ",", "missing": ["", "NA", "-9"], "trim": True, "days": "%d.%m.%Y", "times": "%I:%M%p"},
}  # fmt: skip


def declared(source, **csv):
    """The table, whatever it lies in."""
    table = dp.table(
        source,
        name="t",
        unit=dp.unit("u", max_rows=2),
        columns={
            "age": dp.bounds(-20, 200, step="0.5"), "price": dp.bounds(0, 2000, step="0.5"),
            "cost": dp.bounds(0, 10, step="0.5"), "day": dp.bounds("2019-01-01", "2025-01-01"),
        },
        keys={
            "row": [str(n) for n in range(len(CELLS))], "married": dp.keys({"yes": ["Yes", "1"], "no": ["NO"]}, other="other", missing="unknown"),
        },
        csv=csv,
    )  # fmt: skip
    return table.derive(hour=dp.derived("hour(at)", keys=[9, 22]), word=dp.derived("lower(married)", keys=["yes", "no"]))  # fmt: skip


ASKED = [
    *(dp.sum(name, by="row", max_groups=2) for name in ("age", "price", "cost")),
    *(dp.count(where=f"{name} IS NULL", by="row", max_groups=2) for name in ("age", "cost", "price")),
    *(dp.histogram("day", bins=6), dp.count("married"), dp.count("hour"), dp.count("word"), dp.count_units()),
]  # fmt: skip


def opened(table, asked=ASKED):
    """All private integers: tests may look at them."""
    whole = [vector for question in asked for vector in question.aggregates(table)]
    prepared = engine_for(table.source).prepare(table, tuple(whole))
    return [vector.opened_by_the_door() for vector in prepared.count(7)]


@pytest.mark.exhaustive
@pytest.mark.claim("C413")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("source", [*FRAMES, *FILES[1:]])
def test_each_source_of_text_is_read_as_the_same_csv_file(source, way, tmp_path):
    """Each cell in each role: a unit, numbers, keys, days, times, text, with its codes."""
    made = FRAMES[source]() if source in FRAMES else written(tmp_path, source)

    assert opened(declared(made, **WAYS[way])) == opened(
        declared(written(tmp_path, "csv"), **WAYS[way])
    )


NUMBERS = [-9, -9.0, Decimal("-9.00"), 99, 7, 7.5, None, True, "-9", "7"]


@pytest.mark.claim("C413")
@pytest.mark.parametrize("make", [list, pd.DataFrame], ids=["a list", "pandas"])
def test_a_number_that_a_missing_word_spells_is_missing(make):
    """Codes are numbers in such sources; text is compared as it is written."""
    rows = make([{"age": cell} for cell in NUMBERS])
    table = dp.table(rows, unit="row", columns={"age": dp.bounds(-100, 100, step="0.5")}, csv={"missing": ["", -9, 99]}, name="t")  # fmt: skip

    assert opened(table, [dp.sum("age"), dp.count(where="age IS NULL")]) == [(45,), (6,)]


@pytest.mark.claim("C413")
@pytest.mark.parametrize("more", [[None], [0.5], ["x"], [True], [1 << 60]])
def test_one_cell_more_changes_no_other_of_a_frame(more):
    """It changes the dtype, and neither which numbers are codes nor who is counted."""
    cells = [-9, 1, 1, 99, 2]
    counted = []
    for listed in (cells, cells + more):
        frame = pd.DataFrame({"u": listed, "age": listed, "row": [*range(len(listed))]})
        table = dp.table(frame, unit=dp.unit("u", max_rows=3), columns={"age": dp.bounds(-100, 100, step=1)}, keys={"row": range(5)}, csv={"missing": [-9, 99]}, name="t")  # fmt: skip
        counted.append(opened(table, [dp.sum("age", by="row"), dp.count("row")]))

    assert counted[0] == counted[1] == [(0, 1, 1, 0, 2), (0, 1, 1, 0, 1)]


@pytest.mark.claim("C413")
def test_a_plan_says_how_text_is_read_and_a_release_reads_it_back(tmp_path):
    """In words and in the digest, of a file, of a frame and of what a plan file declares."""
    written(tmp_path, "xlsx")
    (tmp_path / "p.toml").write_text(
        '[data]\nsource = "t.xlsx"\nunit = "row"\n[data.csv]\ndays = "%d.%m.%Y"\n[data.csv.columns]\nage = { missing = [-9, 99] }\n'
        '[columns]\nage = { lower = 0, upper = 100, step = 1 }\nday = { lower = "2019-01-01", upper = "2025-01-01" }\n'
        '[spend]\nrho = "1"\n[[ask]]\nstatistic = "sum"\ncolumn = "age"\n'
    )
    table = read_plan_file(tmp_path / "p.toml").plan.table
    said = str(dp.plan(table, dp.mean("day"), spend=dp.zcdp(1))).replace("\n", " ")

    assert (
        "Text of t.xlsx is read as that of a CSV file: days %d.%m.%Y, age (missing -9, 99)." in said
    )
    assert "Days are read as %d.%m.%Y and times as 10:30:00 in day" in said
    back = table_of(table.plain())
    assert back.plain() == table.plain()
    assert str(dp.plan(back, dp.mean("day"), spend=dp.zcdp(1))).replace("\n", " ") == said


@pytest.mark.claim("C413")
@pytest.mark.parametrize("source", ["a list", "pandas, objects", "Arrow", "parquet", "xlsx"])
def test_without_a_declaration_cells_are_as_they_are(source, tmp_path):
    """The empty text is a text, and what separates lines says nothing of cells."""
    made = FRAMES[source]() if source in FRAMES else written(tmp_path, source)
    asked = [dp.count("row"), dp.count(where="married IS NULL")]
    keys = {"row": [str(CELLS.index("")), "1"], "married": ["yes"]}

    def usual_or(**csv):
        return opened(dp.table(made, unit="row", keys=keys, name="t", **csv), asked)

    usual = usual_or()

    assert usual == usual_or(csv={"encoding": "latin-1"})
    assert usual == [(1, 1), (1 if source == "xlsx" else 0,)]  # which keeps no empty text


@pytest.mark.claim("C413")
@pytest.mark.parametrize("source", ["pandas, objects", "Polars", "Arrow", "DuckDB", "parquet", "xlsx"])  # fmt: skip
def test_a_column_that_is_not_there_is_refused(source, tmp_path):
    """Another one would be meant; nothing is charged yet."""
    made = FRAMES[source]() if source in FRAMES else written(tmp_path, source)
    with pytest.raises(InputError, match="csv says how aeg is written, and t has no such column"):
        opened(declared(made, columns={"aeg": {"missing": [-9]}}), [dp.count()])


@pytest.mark.claim("C413")
def test_of_a_server_it_is_refused():
    """There a text that is none raises, and a log would quote it."""
    connection = type("Connection", (), {"__module__": "psycopg", "cursor": None})
    own = type("Mine", (connection,), {"__module__": "mine"})()
    for make in (
        lambda: dp.table(connection(), unit="row", name="t", csv={"missing": ["NA"]}),
        lambda: dp.owner(own, on="z", gives=["who"], name="o", csv={"days": "%d.%m.%Y"}),
        lambda: dp.table(Address("postgresql://h/d"), unit="row", name="t", csv={"trim": True}),
    ):
        with pytest.raises(InputError, match="the source is a table of a server"):
            make()


@pytest.mark.claim("C413")
@pytest.mark.parametrize("make", [list, pd.DataFrame, pa.Table.from_pylist], ids=["list", "pandas", "Arrow"])  # fmt: skip
def test_joined_sources_are_read_each_in_its_own_way(make):
    """As the table says, or as the join does; the columns that they are joined by, too."""
    rows = make([{"z": " 1", "price": "1,5"}, {"z": "2", "price": "NA"}, {"z": "NA", "price": "4"}])
    people = make([{"z": "1", "who": "ann", "age": "-9"}, {"z": "2", "who": "bob ", "age": "7,5"}, {"z": "NA", "who": "eve", "age": "1"}])  # fmt: skip
    table = dp.table(rows, name="rows", unit=dp.unit("who", max_rows=2), columns={"price": dp.bounds(0, 10, step="0.5"), "age": dp.bounds(-10, 10, step="0.5")}, csv={"decimal": ",", "missing": ["NA"], "trim": True})  # fmt: skip
    asked = [dp.sum("price"), dp.sum("age"), dp.count_units()]

    same = dp.owner(people, name="people", on="z", gives=["who", "age"])
    own = dp.owner(people, name="people", on="z", gives=["who", "age"], csv={"missing": [-9]})
    assert opened(table.joined(same), asked) == [(3,), (-3,), (2,)]
    assert opened(table.joined(own), asked) == [(3,), (0,), (2,)]
