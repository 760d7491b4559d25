"""Cells of any length: what they are in every source, and that no outcome hangs on one."""

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from sqlglot import exp

import discreet as dp
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.memory import MemoryEngine
from discreet.engine.postgres.engine import PostgresEngine
from discreet.engine.spelled import LONGEST
from discreet.engine.sql.cells import LINES, Reader
from discreet.engine.sql.dialect import DUCKDB, SALT
from discreet.engine.sql.portable import PORTABLE
from discreet.schema import CsvOptions
from engine.sources import opened
from servers import filled

KEYS = ["a", "b", "c"]
LONG = {  # of one unit
    "a cell longer than all memory": ["x" * 25_000_000],
    "many cells that each may be": [chr(97 + i) * (LONGEST - 100) for i in range(15)],
}
ASKED = {
    "unit": lambda: [dp.count("k")],
    "k": lambda: [dp.count("k"), dp.mean("v", by="k")],
    "w": lambda: [dp.count("k", where="w <> 'no' or contains(w, 'q')")],
    "z": lambda: [dp.count("z")],
    "of": lambda: [dp.count("z")],
    "rest": lambda: [dp.count("k")],
    "row": lambda: [dp.count("k")],
    "unused": lambda: [dp.count("k")],
}
LONG_IN = dict.fromkeys(ASKED, "k") | {"unit": "u", "w": "w", "z": "z", "of": "z", "unused": "z"}


def rows_with(role, cells):
    """20,000 rows of 5,000 units, and those of one unit with these cells in a column."""
    count, place = 20_000, LONG_IN[role]
    found = {
        "u": [f"p{i // 4}" for i in range(count)],
        "k": [KEYS[i % 3] for i in range(count)],
        "w": ["yes" if i % 2 else "no" for i in range(count)],
        "z": [f"z{i % 5}" for i in range(count)],
        "v": [i % 10 for i in range(count)],
    }
    plain = {"u": "one", "k": "a", "w": "yes", "z": "z1", "v": 3}
    for cell in cells:
        for name, column in found.items():
            column.append(cell if name == place else plain[name])
    return pa.table(found)


def released(source, role, ledger):
    """A release of what is asked where a column has this role."""
    unknown = dp.unknown(max_groups=2, of=["w", "z"]) if role == "of" else dp.unknown(max_groups=2)
    keys = {"k": dp.keys(*KEYS, other="rest", missing="gone") if role == "rest" else KEYS}
    table = dp.table(
        source,
        name="t",
        unit="row" if role == "row" else dp.unit("u", max_rows=3),
        keys=keys | ({("both" if role == "of" else "z"): unknown} if role in ("z", "of") else {}),
        columns={"v": dp.bounds(0, 10)},
    )
    asked = [dp.count("both")] if role == "of" else ASKED[role]()
    plan = dp.plan(table, *asked, spend=dp.approx(2, "1/100000"))
    return dp.run(plan, ledger=dp.ledger(ledger, budget=dp.approx(9, "1/1000")))


@pytest.fixture
def little_memory(monkeypatch):
    """Less memory than one person's cells have."""
    monkeypatch.setenv("DISCREET_MEMORY", "24MB")
    monkeypatch.setenv("DISCREET_THREADS", "2")


@pytest.mark.exhaustive
@pytest.mark.claim("C220")
@pytest.mark.parametrize("cells", LONG.values(), ids=LONG)
@pytest.mark.parametrize("role", ASKED)
def test_no_outcome_hangs_on_a_long_cell(tmp_path, little_memory, role, cells):
    """A Parquet file with one person more, whose cells are longer than DISCREET_MEMORY: answered,
    as without that person; in each role that a column may have.
    """
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(rows_with(role, cells), path)

    assert released(str(path), role, tmp_path / "l.ledger")


@pytest.mark.exhaustive
@pytest.mark.claim("C220")
@pytest.mark.parametrize("role", ["unit", "w", "z"])
def test_nor_in_a_csv_file(tmp_path, little_memory, role):
    """DuckDB puts few rows of long cells together before it joins them; lines may have 2 MB."""
    path = tmp_path / "t.csv"
    pyarrow.csv.write_csv(rows_with(role, LONG["many cells that each may be"]), path)

    assert released(str(path), role, tmp_path / "l.ledger")


@pytest.mark.exhaustive
@pytest.mark.claim("C220")
@pytest.mark.parametrize("role", ["unit", "k", "w"])
@pytest.mark.parametrize("made", [lambda t: t, pa.Table.to_pandas], ids=["arrow", "pandas"])
def test_nor_in_a_frame(tmp_path, little_memory, role, made):
    """What is in memory already is not read into that of DuckDB."""
    source = made(rows_with(role, LONG["many cells that each may be"]))

    assert released(source, role, tmp_path / "l.ledger")


AT_THE_END = ["é" * (LONGEST // 2), "é" * (LONGEST // 2) + "x"]


def counted_with(cell, source_of, engine, role):
    """What is counted of three short rows, and of one with this cell."""
    row = {"u": "p", "k": "a", "w": "yes"}
    rows = [{**row, "u": f"p{i}"} for i in range(3)] + [{**row, "u": "q", role: cell}]
    table = dp.table(
        source_of(rows),
        name="t",
        unit=dp.unit("u", max_rows=2),
        keys={"k": dp.keys("a", other="rest", missing="gone"), "w": ["yes", "no"]},
    )
    asked = [dp.count("k"), dp.count("k", where="w <> 'no'"), dp.count_units()]
    wanted = tuple(a for one in asked for a in one.aggregates(table))
    return opened(engine.prepare(table, wanted).count(3))


@pytest.mark.exhaustive
@pytest.mark.claim("C221")
@pytest.mark.parametrize("role", ["u", "k", "w"])
def test_a_cell_of_more_than_2_mb_is_missing_everywhere(tmp_path, role):
    """One byte more than 2 MB: nobody as a unit, missing as a key, unknown in a condition."""

    def parquet(rows):
        pyarrow.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
        return str(tmp_path / "t.parquet")

    def objects(rows):
        return pd.DataFrame(rows, dtype=object)

    def database(rows):
        connection, given = duckdb.connect(), pa.Table.from_pylist(rows)  # noqa: F841
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
        return connection

    found = [
        [counted_with(cell, list, MemoryEngine(), role) for cell in AT_THE_END],
        *(
            [counted_with(cell, of, DuckEngine(), role) for cell in AT_THE_END]
            for of in (parquet, pa.Table.from_pylist, objects, database)
        ),
    ]
    kept = {"u": [4, 3], "k": [4, 4], "w": [4, 3]}[role]

    assert found == [found[0]] * 5
    assert [sum(one[1]) for one in found[0]] == kept
    if role == "k":  # too long is missing, and else no key
        assert [one[0] for one in found[0]] == [(3, 0, 1), (3, 1, 0)]


@pytest.mark.exhaustive
@pytest.mark.claim("C221")
@pytest.mark.parametrize("role", ["u", "k", "w"])
@pytest.mark.parametrize("cell", AT_THE_END, ids=["at the end", "beyond"])
def test_also_on_postgres(role, cell):
    """The server asks how long a text is, and reads none that is too long."""

    def server(rows):
        return filled(dict.fromkeys(rows[0], "text"), [[*row.values()] for row in rows])

    found = counted_with(cell, server, PostgresEngine(), role)

    assert found == counted_with(cell, list, MemoryEngine(), role)


TEXTS = ["a", "x" * 64, "y" * 65, "z" * 100_000, "", " " * 99_000 + "7", "7" * 70, None]


def said(expression, *, salt=5):
    """What DuckDB makes of TEXTS by an expression of the cell c."""
    rows = pa.table({"n": range(len(TEXTS)), "c": pa.array(TEXTS, pa.string())})  # noqa: F841
    query = f"SELECT {expression.sql(dialect='duckdb')} FROM rows ORDER BY n"
    with duckdb.connect() as connection:
        needed = {SALT: salt} if expression.find(exp.Placeholder) else {}
        return [one for (one,) in connection.execute(query, needed).fetchall()]


@pytest.mark.claim("C222")
@pytest.mark.parametrize("kind", ["VARCHAR", LINES])
@pytest.mark.parametrize("longest", [1, 70])
def test_no_text_is_grouped_that_is_longer_than_a_key_may_be(kind, longest):
    """What is no longer stays as it is; the others are one text, which is longer than any key."""
    found = said(Reader(DUCKDB, CsvOptions()).raw_text(exp.column("c"), kind, longest))
    most = max(64, longest)

    assert found == [t if t is None or len(t) <= most else "x" * (most + 1) for t in TEXTS]


@pytest.mark.claim("C222")
def test_a_long_text_of_a_file_is_grouped_as_the_number_that_it_spells():
    """Where keys are numbers: " 7" with 99,000 blanks is 7; what can be no key spells nothing."""
    found = said(Reader(DUCKDB, CsvOptions()).spelled_key(exp.column("c")))

    assert found == ["a", "x" * 64, "x", "x", "", "7", "x", None]


@pytest.mark.claim("C222")
@pytest.mark.parametrize("dialect", [DUCKDB, PORTABLE], ids=["own", "portable"])
def test_rows_find_each_other_by_the_digest_of_a_long_link(dialect):
    """Short links stay; of long ones two are equal where the texts are, and none equals a short."""
    found = said(Reader(dialect, CsvOptions()).link(exp.column("c"), "VARCHAR"))
    short = [text for text in TEXTS if text is None or len(text) <= 64]
    long = [link for link, text in zip(found, TEXTS, strict=True) if text not in short]

    assert [link for link in found if link not in long] == short
    assert len(set(long)) == 4
    assert {64 < len(link) < 120 for link in long} == {True}
