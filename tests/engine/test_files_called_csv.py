"""A file that is called .csv and is none is refused before the charge, and told what it is."""

import sqlite3
import zipfile
from io import BytesIO

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError

pytestmark = pytest.mark.claim("C246")

TABLE = pa.table({"a": ["x", "y"], "b": [1, 2]})


def as_sqlite(path):
    source = sqlite3.connect(path)
    source.execute("CREATE TABLE t (a TEXT)")
    source.commit()
    source.close()


def as_duckdb(path):
    duckdb.connect(str(path)).execute("CREATE TABLE t (a TEXT)")


def as_archive(path):
    held = BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    path.write_bytes(held.getvalue())


FILES = {
    "a Parquet file": lambda path: pq.write_table(TABLE, path),
    "an Arrow file": lambda path: feather.write_feather(TABLE, path, compression="uncompressed"),
    "a Stata file": lambda path: TABLE.to_pandas().to_stata(path),
    "a Stata file ": lambda path: TABLE.to_pandas().to_stata(path, version=118),
    "a SQLite database": as_sqlite,
    "a DuckDB database": as_duckdb,
    "an Excel file": as_archive,
    "a packed file: gzip": lambda path: pd.DataFrame({"a": [1]}).to_csv(path, compression="gzip"),
    "an SPSS file": lambda path: path.write_bytes(b"$FL2@(#) SPSS DATA FILE" + bytes(100)),
    "a SAS file": lambda path: path.write_bytes(bytes(12) + b"\xc2\xea\x81\x60" + bytes(99)),
    "no text": lambda path: path.write_bytes("a,b\n1,2\n".encode("utf-16-le")),
}


@pytest.mark.parametrize("name", FILES)
def test_it_is_refused_before_the_charge_and_told_what_it_is(name, tmp_path):
    """It was charged, and counted 0: renaming was what the fix advised."""
    path = tmp_path / "t.csv"
    FILES[name](path)
    table = dp.table(path, unit="row", keys={"a": ["x"]})

    with pytest.raises(InputError, match=f"t.csv is no CSV file: .* {name.strip()}"):
        engine_for(str(path)).prepare(table, dp.count(by="a").aggregates(table))


@pytest.mark.parametrize(
    "start", ["PAR1,b", "Obj,b", "ORCHID,b", "<a>,b", "\u00fe,b", "n\u0001x,b"]
)
def test_a_header_that_only_begins_like_one_is_a_header(start, tmp_path):
    """No sign is a word that a column may be called by, with what follows it."""
    path = tmp_path / "t.csv"
    path.write_text(f"{start}\nx,1\n", encoding="utf-8")
    table = dp.table(path, unit="row", keys={"b": [1]})

    assert engine_for(str(path)).prepare(table, dp.count(by="b").aggregates(table))


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"encoding": "latin1"}, {"encoding": "latin-1"}),
        ({"encoding": "cp1252"}, {"encoding": "windows-1252"}),
        ({"encoding": "UTF8"}, {}),
        ({"encoding": "utf-8-sig"}, {}),
        ({"separator": "tab"}, {"separator": "\t"}),
    ],
)
def test_an_option_of_one_meaning_is_taken(given, meant):
    """The names of one encoding, as Python knows them, and of a separator."""
    from discreet.schema import csv_options

    assert csv_options(given).plain() == meant


@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ({"header": True}, "leave header out of csv"),
        ({"names": ["a"]}, "leave names out of csv"),
        ({"skip": 1}, "leave skip out of csv"),
        ({"sep": ";"}, "write separator in place of sep"),
        ({"na_values": ["NA"]}, "write missing in place of na_values"),
        ({"encoding": "klingon"}, "leave encoding out of csv, or convert the file"),
    ],
)
def test_a_fix_of_an_option_changes_no_other_one(given, fix):
    """They were told to write a decimal comma: followed, every 1.5 was missing."""
    from discreet.schema import csv_options

    with pytest.raises(InputError) as refused:
        csv_options(given)

    assert refused.value.fix == fix


@pytest.mark.claim("C338")
@pytest.mark.parametrize("written", ["utf-16-le", "utf-16-be", "utf-8", "latin-1", "utf-32-be"])
def test_a_file_declared_utf_16_without_a_mark_is_refused(written, tmp_path):
    """F8: its header was read, and its rows ended each release after the charge."""
    path = tmp_path / "v.csv"
    path.write_bytes("a,b\n1,2\n3,4\n".encode(written))
    declared = dp.table(path, unit="row", csv={"encoding": "utf-16"})

    with pytest.raises(InputError, match=r"mark of the order|no CSV file"):
        engine_for(path).prepare(declared, dp.count().aggregates(declared))


@pytest.mark.claim("C338")
@pytest.mark.parametrize("written", ["utf-16-le", "utf-16-be"])
def test_a_file_with_a_mark_of_utf_16_is_read(written, tmp_path):
    """Both orders, each said by the first two bytes."""
    path = tmp_path / "v.csv"
    path.write_bytes("\ufeffa,b\n1,2\n3,4\n".encode(written))
    declared = dp.table(path, unit="row", csv={"encoding": "utf-16"})
    (exact,) = engine_for(path).prepare(declared, dp.count().aggregates(declared)).count(3)

    assert sum(exact.opened_by_the_door()) == 2
