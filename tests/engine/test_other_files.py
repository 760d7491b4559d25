"""Workbooks, SQLite, JSON lines, Avro, ORC and DuckDB files, as other programs write them."""

import datetime as dt
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from io import StringIO

import pandas as pd
import pytest
from poison import files as poison
from poison import other_files

import discreet as dp
from discreet.engine.formats import avro, sqlite, workbook
from discreet.engine.one_source import place_of
from discreet.engine.select_engine import engine_for
from discreet.errors import EngineError, InputError

pytest.importorskip("python_calamine", reason="pip install python-calamine")
pytest.importorskip("fastavro", reason="pip install fastavro")

DAYS = [dt.date(2020, 1, 1), dt.date(2020, 1, 2), None, dt.date(1999, 12, 31)]
MOMENTS = [
    dt.datetime(2020, 1, 1, 10),
    dt.datetime(2020, 1, 2, 10, 30),
    None,
    dt.datetime(1999, 12, 31, 23),
]
ROWS = pd.DataFrame(
    {
        "u": [f"p{n % 9}" for n in range(40)],
        "k": pd.Series([1, 2, 3, None] * 10, dtype=object),
        "v": [n * 0.5 - 4 for n in range(40)],
        "s": pd.Series(["a", "é", None, "a b"] * 10, dtype=object),
        "d": pd.Series(DAYS * 10, dtype=object),
        "at": pd.Series(MOMENTS * 10, dtype=object),
    }
)
WRITERS = ["xlsx by openpyxl", "xlsx by xlsxwriter", "xls", "ods", "sqlite", "sqlite INTEGER", "json lines", "avro", "orc", "duckdb"]  # fmt: skip


def vectors(source, **how):
    """What is counted of the table in every role."""
    table = dp.table(
        source,
        name="t",
        unit=dp.unit("u", max_rows=4),
        columns={"v": dp.bounds(-3, 9, step="0.5"), "d": dp.bounds("1990-01-01", "2020-12-31")},
        keys={"k": [1, 2], "s": dp.keys("a", "é", other="other", missing="none"), "d": ["2020-01-01", "1999-12-31"]},
        **how,
    )  # fmt: skip
    asked = [
        dp.count("k"), dp.count("s"), dp.count("d"), dp.sum("v", by="k"), dp.variance("v"), dp.quantile("d", "1/2"),
        dp.count_units("k"), dp.histogram("v", bins=4), dp.count(where="hour(at) = 10"), dp.count(where="v > 1.25 AND s = 'é'"),
        dp.count(where="d IS NULL"), dp.count(where="year(d) = 2020"),
    ]  # fmt: skip
    aggregates = tuple(one for question in asked for one in question.aggregates(table))
    return [v.opened_by_the_door() for v in engine_for(source).prepare(table, aggregates).count(7)]


@pytest.mark.exhaustive("files of other programs")
@pytest.mark.claim("C445")
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_counts_as_the_same_table_does_as_parquet(name, tmp_path):
    """Equal integers in every role: units, keys, values, days, moments, texts, gaps."""
    ROWS.astype({"k": "Int64", "s": "string"}).to_parquet(tmp_path / "t.parquet")

    assert vectors(poison.written(name, ROWS, tmp_path)) == vectors(tmp_path / "t.parquet")


def opened(table, question):
    aggregates = question.aggregates(table)
    prepared = engine_for(table.source).prepare(table, aggregates)
    return [vector.opened_by_the_door() for vector in prepared.count(7)]


NEW = [*other_files.FILES, *other_files.TYPED]
PAIRS = [
    (name, kind, cell)
    for name in NEW
    for kind, cell in (("whole", 0.5), ("whole", 2.0**60), ("text", "x" * 3_000), ("days", None))
]


@pytest.mark.slow
@pytest.mark.exhaustive("files of other programs")
@pytest.mark.claim("C446")
@pytest.mark.parametrize("role", poison.ROLES)
def test_a_cell_moves_no_more_than_its_unit(role):
    """Answered with it and without, and within the declared sensitivity, in each role."""
    assert [poison.difference(*pair, role) for pair in PAIRS] == [None] * len(PAIRS)


@pytest.mark.exhaustive("files of other programs")
@pytest.mark.slow
@pytest.mark.claim("C446")
@pytest.mark.parametrize("name", NEW)
def test_an_empty_cell_or_a_strange_one_stops_nothing(name):
    """Nothing, and a number that no day is; in the two roles that read the most."""
    for role in ("a unit", "a day"):
        assert poison.difference(name, "whole", None, role) is None
        assert poison.difference(name, "whole", 1e300, role) is None


@pytest.mark.claim("C446")
@pytest.mark.parametrize("name", ["sqlite", "json lines", "avro"])
def test_bytes_that_are_no_text_stop_nothing(name):
    """They are missing in their cell; other cells are read as before."""
    for role in ("a unit", "a key of texts"):
        assert poison.difference(name, "text", "broken UTF-8", role) is None


@pytest.mark.claim("C446")
def test_a_number_that_no_calendar_has_costs_its_row_alone(tmp_path):
    """calamine stops there; the other rows are read."""
    frame = pd.DataFrame({"u": ["a", "b", "c"], "x": pd.Series([1, 1e18, 3], dtype=object)})
    frame.loc[1, "x"] = -1e18
    other_files.xlsx_of_days(frame, tmp_path / "t.xlsx")
    table = dp.table(tmp_path / "t.xlsx", unit="row")

    assert opened(table, dp.count()) == [(2,)]


@pytest.mark.claim("C446")
def test_what_calamine_prints_of_a_cell_is_not_heard(tmp_path, capfd):
    """One cell of one row would show on standard error, which others may see."""
    frame = pd.DataFrame({"u": ["a", "b", "c"], "x": pd.Series([1, -1e18, 3], dtype=object)})
    other_files.xlsx_of_days(frame, tmp_path / "t.xlsx")
    table = dp.table(tmp_path / "t.xlsx", unit="row")

    assert opened(table, dp.count()) == [(2,)]
    assert capfd.readouterr().err == ""


@pytest.mark.claim("C446")
def test_a_panic_is_an_error_and_standard_error_is_heard_again(capfd):
    """Of one thread, and of two that read at once; an error keeps what it is."""

    class PanicException(BaseException):
        """As Rust's."""

    with workbook._unheard(), workbook._unheard():
        os.write(2, b"not heard")
    with pytest.raises(ValueError, match="broke down"), workbook._unheard():
        raise PanicException
    with pytest.raises(KeyError), workbook._unheard():
        raise KeyError
    with pytest.MonkeyPatch.context() as patch, StringIO() as closed:
        patch.setattr("sys.stderr", closed)
        closed.close()
        with workbook._unheard():
            os.write(2, b"not heard")
    with pytest.raises(KeyboardInterrupt), workbook._unheard():
        raise KeyboardInterrupt
    os.write(2, b"heard")

    assert capfd.readouterr().err == "heard"


def with_error(folder, error):
    """A workbook with an error in a cell, and how a newer Excel may call it."""
    import xlsxwriter

    path = folder / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate([["u", "x"], ["a", 1], ["b", None], ["c", 3]]):
            sheet.write_row(number, 0, row)
        sheet.write_formula(2, 1, "=NA()", None, "#N/A")
    copy = folder / "copy.xlsx"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(copy, "w") as made:
        for member in archive.namelist():
            made.writestr(
                member, archive.read(member).replace(b"<v>#N/A</v>", f"<v>{error}</v>".encode())
            )
    return copy


@pytest.mark.claim("C446")
@pytest.mark.parametrize("error", ["#N/A", "#SPILL!", "#GETTING_DATA"])
def test_an_error_that_calamine_does_not_know_is_missing(error, tmp_path):
    """It opens no such sheet by itself; here the cell is missing, and its row counts."""
    table = dp.table(
        with_error(tmp_path, error), unit="row", columns={"x": dp.bounds(0, 9, step=1)}
    )

    assert opened(table, dp.count()) == [(3,)]
    assert opened(table, dp.sum("x")) == [(4,)]


@pytest.mark.claim("C446")
def test_sqlite_is_read_by_value_and_never_by_declared_type(tmp_path):
    """A text in a column of INTEGER, bytes that are no text, and whole numbers of 64 bits."""
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
        connection.execute("CREATE TABLE t (u INTEGER, x DATE, g AS (u))")
        rows = [(2**62, 1), (2**62 + 1, "x"), ("p", b"x"), (-(2**63), 2.5), ("7", None)]
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.execute("INSERT INTO t VALUES (CAST(x'c328' AS TEXT), 1)")
        connection.commit()
    table = dp.table(tmp_path / "t.sqlite", unit=dp.unit("u", max_rows=1), keys={"x": ["1", "x"]})

    assert opened(table, dp.count_units()) == [(5,)]
    assert opened(table, dp.count("x")) == [(1, 1)]
    with pytest.raises(InputError, match="has no column 'g'"):
        opened(table.where("g > 1"), dp.count())


@pytest.mark.claim("C445")
def test_whole_numbers_are_one_key_however_they_are_stored(tmp_path):
    """1 and 1.0 in a file are one unit, one link and one key that is found."""
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
        connection.execute("CREATE TABLE t (z, k)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, "a"), (1.0, "a"), (2.0, "b")])
        connection.execute("CREATE TABLE o (z, who)")
        connection.executemany("INSERT INTO o VALUES (?, ?)", [(1.0, "ann"), (2, "bob")])
        connection.commit()
    path = tmp_path / "t.sqlite"
    table = dp.table(path, table="t", unit=dp.unit("who", max_rows=2), keys={"k": ["a", "b"]})
    owner = dp.owner(path, table="o", on="z", gives=["who"])

    assert opened(table.joined(owner), dp.count("k")) == [(2, 1)]


@pytest.mark.claim("C446")
def test_what_no_object_is_counts_for_nothing_in_json_lines(tmp_path):
    """A line is read by itself, and a row that names no column has it missing."""
    lines = ['{"x": 1}', "[1]", "{", "", '{"x": [1], "y": {"x": 2}}', '{"y": 1}', "9" * 5_000, '{"x": %s}' % ("1" * 5_000), "[" * 100_000]  # fmt: skip
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    table = dp.table(tmp_path / "t.jsonl", unit="row", columns={"x": dp.bounds(0, 9, step=1)})

    assert opened(table, dp.count()) == [(4,)]
    assert opened(table, dp.sum("x")) == [(1,)]
    assert "no names are public there" in str(dp.plan(table, dp.count(), spend=dp.zcdp(1)))


@pytest.mark.claim("C446")
@pytest.mark.parametrize(
    ("raw", "rows"),
    [(b"", 0), (b"\n", 0), (b"[]\n", 0), (b"{}\n", 1), (b'{}\n{"k": 1}\n', 2), (b'{"k": 1}\n', 1)],
)
@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_no_row_of_json_lines_decides_whether_the_file_is_read(raw, rows, ending, tmp_path):
    """Not the first one, which has no name, and not the only one: a file without a row counts 0."""
    path = tmp_path / f"t{ending}"
    path.write_bytes(gzip.compress(raw) if ending.endswith(".gz") else raw)
    table = dp.table(path, unit="row", keys={"k": [1]})

    assert opened(table, dp.count()) == [(rows,)]
    assert opened(table, dp.count("k")) == [(raw.count(b"1"),)]


@pytest.mark.claim("C446")
@pytest.mark.parametrize("cells", [[], [[1.5, 2.5], ["a", 2]]])
def test_a_sheet_that_names_no_column_says_so(cells, tmp_path):
    """An empty one, or one whose first row holds numbers, is not damaged."""
    openpyxl = pytest.importorskip("openpyxl", reason="pip install openpyxl")
    book = openpyxl.Workbook()
    for row in cells:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")

    with pytest.raises(EngineError, match="names no column") as told:
        opened(dp.table(tmp_path / "t.xlsx", unit="row"), dp.count())
    assert "Sheet has no text in one" in str(told.value)


@pytest.mark.claim("C445")
@pytest.mark.parametrize("packed", [".gz", ".bz2", ".xz", ".zip"])
def test_packed_json_lines_count_as_the_file_itself(packed, tmp_path):
    """Told by the ending."""
    import bz2
    import lzma

    raw = b"".join(json.dumps({"k": n % 3}).encode() + b"\n" for n in range(10))
    path = tmp_path / f"t.jsonl{packed}"
    if packed == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("t.jsonl", raw)
    else:
        path.write_bytes({".gz": gzip, ".bz2": bz2, ".xz": lzma}[packed].compress(raw))

    assert opened(dp.table(path, unit="row", keys={"k": [0, 1]}), dp.count("k")) == [(4, 3)]


@pytest.mark.claim("C446")
def test_days_of_avro_that_no_calendar_has_are_missing():
    """fastavro would stop at them; decimals, times and moments are made here as well."""
    make = avro._MAKERS
    assert [make["date"](n) for n in (10**8, -(10**8), 0)] == [None, None, dt.date(1970, 1, 1)]
    assert [make["timestamp-millis"](n) for n in (2**62, 1)] == [
        None,
        dt.datetime(1970, 1, 1, 0, 0, 0, 1000),
    ]
    assert [make["time-micros"](n) for n in (-1, 86_400 * 10**6, 1)] == [
        None,
        None,
        dt.time(0, 0, 0, 1),
    ]
    assert [avro._decimals(2)(b"\xff\x85"), avro._decimals(0)(b"\x01" * 900)] == [
        avro.Decimal("-1.23"),
        None,
    ]


def two_tables(path):
    rows = pd.DataFrame({"z": [1, 2, 1], "k": ["1", "2", "2"]})
    owners = pd.DataFrame({"z": [1, 2], "who": ["ann", "bob"]})
    if path.suffix == ".xlsx":
        with pd.ExcelWriter(path) as book:
            rows.to_excel(book, sheet_name="Facts", index=False)
            owners.to_excel(book, sheet_name="People", index=False)
    elif path.suffix == ".sqlite":
        with closing(sqlite3.connect(path)) as connection:
            rows.to_sql("Facts", connection, index=False)
            owners.to_sql("People", connection, index=False)
    else:
        import duckdb

        with duckdb.connect(str(path)) as connection:
            connection.execute(
                'CREATE TABLE "Facts" AS FROM rows; CREATE TABLE "People" AS FROM owners'
            )
    return path


@pytest.mark.claim("C447")
@pytest.mark.parametrize("name", ["t.xlsx", "t.sqlite", "t.duckdb"])
def test_two_tables_of_one_file_are_told_apart(name, tmp_path):
    """In the plan, in its digest, in what is joined; a table is no source of itself."""
    path = two_tables(tmp_path / name)
    table = dp.table(path, table="Facts", unit=dp.unit("who", max_rows=2), keys={"k": ["1", "2"]})
    owner = dp.owner(path, table="People", on="z", gives=["who"])
    plan = dp.plan(table.joined(owner), dp.count("k"), spend=dp.zcdp(1))

    assert opened(table.joined(owner), dp.count("k")) == [(1, 2)]
    assert f"Plan for Facts of {name}" in str(plan)
    assert table.plain()["table"] == "Facts"
    assert owner.plain()["table"] == "People"
    same = dp.table(str(path), table="People", unit=dp.unit("who", max_rows=2))
    with pytest.raises(InputError, match="are one source"):
        same.joined(dp.owner(str(path), table="People", name="o", on="z", gives=["who"]))


@pytest.mark.claim("C447")
@pytest.mark.parametrize(
    ("name", "holds"), [("t.xlsx", "sheet"), ("t.sqlite", "table"), ("t.duckdb", "table")]
)
def test_a_file_of_several_tables_is_refused_with_what_to_write(name, holds, tmp_path):
    """Their names are told, and which of them may be meant."""
    path = two_tables(tmp_path / name)

    with pytest.raises(InputError) as several:
        opened(dp.table(path, unit="row"), dp.count())
    with pytest.raises(InputError) as other:
        opened(dp.table(path, table="people", unit="row"), dp.count())
    assert str(several.value) == (
        f"{name} has several {holds}s, and nothing says which of them is read.\n"
        f"  why: one {holds} is one table, by its name, with its case: it has Facts, People\n"
        '  fix: write table="Facts" in discreet.table'
    )
    assert str(other.value) == (
        f"{name} has no {holds} people.\n"
        f"  why: one {holds} is one table, by its name, with its case: it has Facts, People\n"
        '  fix: write table="People" in discreet.table'
    )


@pytest.mark.claim("C447")
def test_table_is_refused_where_it_means_nothing(tmp_path):
    """Of a file that is one table, and of what is no file."""
    (tmp_path / "t.csv").write_text("a\n1\n")

    with pytest.raises(InputError) as caught:
        opened(dp.table(tmp_path / "t.csv", table="a", unit="row"), dp.count())
    assert str(caught.value) == (
        "t.csv is one table, and table says which of several is read.\n"
        "  why: it says so of a workbook or of a database, whose tables or sheets have names\n"
        "  fix: leave table out in discreet.table"
    )
    with pytest.raises(InputError, match="the source is no file"):
        dp.table([{"a": 1}], table="a", unit="row")


@pytest.mark.claim("C447")
@pytest.mark.parametrize("name", ["a.xlsx", "a.sqlite", "a.avro", "a.orc", "a.duckdb"])
def test_a_file_of_another_kind_is_refused_before_the_charge(name, tmp_path):
    """A text that is called so cannot be opened, and nothing of it is told."""
    (tmp_path / name).write_text("u,k\nsecret,1\n")
    table = dp.table(tmp_path / name, unit="row")

    with pytest.raises(EngineError, match="cannot be opened") as caught:
        opened(table, dp.count())
    assert "secret" not in str(caught.value)


@pytest.mark.claim("C447")
@pytest.mark.parametrize(
    ("name", "log"), [("t.sqlite", "-wal"), ("t.sqlite", "-journal"), ("t.duckdb", ".wal")]
)
def test_a_database_whose_log_lies_beside_it_is_refused(name, log, tmp_path):
    """What is in the log is not in the file, and not in its fingerprint."""
    path = two_tables(tmp_path / name)
    (tmp_path / f"{name}{log}").write_bytes(b"x")

    with pytest.raises(EngineError, match="is not whole"):
        opened(dp.table(path, table="Facts", unit="row"), dp.count())


@pytest.mark.claim("C447")
def test_a_view_of_a_database_is_no_table(tmp_path):
    """What it computes may fail at a cell, or make a row of several."""
    import duckdb

    view = "CREATE VIEW w AS SELECT * FROM t"
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute(view)
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t (a INT); CREATE TABLE g (a INT, b INT GENERATED ALWAYS AS (1 // a))"
        )
        connection.execute(view)

    for path, name in [("t.sqlite", "w"), ("t.duckdb", "w"), ("t.duckdb", "g")]:
        with pytest.raises(InputError, match=f"has no table {name}"):
            opened(dp.table(tmp_path / path, table=name, unit="row"), dp.count())


@pytest.mark.claim("C447")
@pytest.mark.parametrize(
    "name", ["xlsx by openpyxl", "sqlite", "json lines", "avro", "orc", "duckdb"]
)
def test_a_file_is_known_by_its_bytes_and_by_its_place(name, tmp_path):
    """A copy has its fingerprint and is another source; a change is told, and stops the count."""
    path = poison.written(name, ROWS, tmp_path)
    copy = tmp_path / f"copy{path.suffix}"
    copy.write_bytes(path.read_bytes())
    tables = [dp.table(one, name="t", unit="row") for one in (path, copy)]
    first, second = (engine_for(t.source).prepare(t, dp.count().aggregates(t)) for t in tables)

    assert first.fingerprint(b"key") == second.fingerprint(b"key") is not None
    assert not place_of(str(path), first.paths()).is_one_with(place_of(str(copy), second.paths()))
    with path.open("ab") as file:
        file.write(b"x")
    with pytest.raises(EngineError, match="was changed or taken away while it was counted"):
        first.count(7)


@pytest.mark.exhaustive("files of other programs")
@pytest.mark.claim("C447")
@pytest.mark.parametrize(
    "name", ["xlsx by openpyxl", "sqlite", "json lines", "avro", "orc", "duckdb"]
)
def test_init_and_a_plan_file_take_the_file(name, tmp_path):
    """A draft has its names, and a plan file that says `table` releases of it."""
    path = poison.written(name, ROWS, tmp_path)
    subprocess.run([sys.executable, "-m", "discreet", "init", path.name], cwd=tmp_path, check=True, capture_output=True)  # fmt: skip

    draft = (tmp_path / "t.toml").read_text()
    assert all(f"# {column} = " in draft for column in ROWS)


@pytest.mark.claim("C447")
def test_a_plan_file_names_the_table(tmp_path):
    """Under [data], and of a table that is joined."""
    two_tables(tmp_path / "t.sqlite")
    two_tables(tmp_path / "t.xlsx")
    (tmp_path / "p.toml").write_text(
        '[data]\nsource = "t.sqlite"\ntable = "Facts"\nunit = { column = "who", max_rows = 2 }\n'
        '[owner.people]\nsource = "t.xlsx"\ntable = "People"\non = "z"\ngives = ["who"]\n'
        '[keys]\nk = ["1", "2"]\n[spend]\nrho = "1"\n[[ask]]\nstatistic = "count"\nby = "k"\n'
    )
    from discreet.plan_file.plan_file import read_plan_file

    table = read_plan_file(tmp_path / "p.toml").plan.table
    assert opened(table, dp.count("k")) == [(1, 2)]
    assert [table.name, table.part, table.joins[0].part] == ["Facts of t.sqlite", "Facts", "People"]


@pytest.mark.claim("C447")
def test_init_says_which_option_names_a_table(tmp_path):
    """And drafts of the one that is named."""
    two_tables(tmp_path / "t.sqlite")
    command = [sys.executable, "-m", "discreet", "init", "t.sqlite"]
    refused = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    subprocess.run([*command, "--table", "People"], cwd=tmp_path, check=True, capture_output=True)

    assert "fix: add --table Facts" in refused.stderr
    assert 'table = "People"' in (tmp_path / "t.toml").read_text()


def test_rooms_of_formats_say_which_decision_made_them():
    """Each head names it."""
    assert all("Decision 96." in room.__doc__ for room in (workbook, sqlite, avro))
