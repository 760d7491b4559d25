"""What can be refused is refused before anything is charged, by the person who must act."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset

from discreet.engine.select_engine import engine_for
from discreet.errors import EngineError, InputError
from discreet.schema import bounds, table, unit
from discreet.statistic.count import count
from discreet.statistic.mean import mean

TEXT = "who,ward,cost\nann,A,1\nbob,B,2\n"


def prepared(source, **how):
    found = table(
        source,
        **{
            "name": "t",
            "unit": unit("who", max_rows=1),
            "columns": {"cost": bounds(0, 9, step=1)},
            "keys": {"ward": ["A", "B"]},
        }
        | how,
    )
    asked = (*count("ward").aggregates(found), *mean("cost").aggregates(found))
    return engine_for(source).prepare(found, asked)


def test_a_source_that_fits_is_accepted(tmp_path):
    """Or nothing below would mean anything."""
    (tmp_path / "a.csv").write_text(TEXT)

    assert prepared(tmp_path / "a.csv").schema() == dict.fromkeys(("who", "ward", "cost"), "CSV")


FILES = [
    ("a.csv", "", "has no header"),
    ("a.csv", "\n", "has no header"),
    ("a.csv", "who,ward\n1,2\n", "no column 'cost'"),
    ("a.csv", "who,ward,Cost\n1,2,3\n", "no column 'cost'"),
    ("a.csv", "who,ward,cost,who\n1,2,3,4\n", "names the column who twice"),
    ("a.csv", "who,ward,cost\rann,A,1\r", "carriage return"),
    ("a.xlsb", TEXT, "is not read as a file"),
    ("a", TEXT, "not a CSV, Parquet or Arrow file"),
]


@pytest.mark.parametrize(("name", "text", "what"), FILES)
def test_a_file_that_does_not_fit_is_the_callers_to_mend(name, text, what, tmp_path):
    """InputError, three lines, before any row is read."""
    (tmp_path / name).write_text(text)

    with pytest.raises(InputError, match=what):
        prepared(tmp_path / name)


ADDRESSES = [
    "https://example.org/a.csv", "http://127.0.0.1:9/a.parquet", "s3://bucket/a.parquet",
    "gs://b/a.csv", "hf://datasets/x/a.parquet", "file:///etc/passwd", "data:text/csv,who",
    "ftp://a/b.csv", "azure:a.csv", "\x00.csv", "HTTPS://example.org/a.csv",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_of_another_machine_is_refused(address):
    """By its form: nothing is resolved or opened."""
    with pytest.raises(InputError, match="is an address"):
        prepared(address)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "https", "s3"])
def test_no_message_repeats_the_password_in_an_address(scheme):
    """Of a server, which wants a connection, and of any other."""
    with pytest.raises(InputError) as caught:
        prepared(f"{scheme}://ana:Secret7@warehouse/sales?password=Secret7")

    assert "Secret7" not in str(caught.value)
    assert ("psycopg.connect" in str(caught.value)) == scheme.startswith("postgres")


MISSING = ["nowhere.csv", "nowhere*.parquet", "", ".", "../nowhere.csv", "/dev/null.csv"]


@pytest.mark.parametrize("path", MISSING)
def test_a_file_that_is_not_there_is_refused(path, tmp_path, monkeypatch):
    """Files, empty globs, folders."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(InputError):
        prepared(path)


@pytest.mark.parametrize("source", [3, None, b"a.csv", {"who": [1]}, {1, 2}, range(2), object()])
def test_a_source_of_no_known_kind_is_refused(source):
    """Only what is listed is read."""
    with pytest.raises(InputError, match="cannot be read"):
        prepared(source)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 no parquet at all PAR1", b"who,ward\n"])
def test_a_damaged_parquet_file_is_the_operators_to_mend(content, tmp_path):
    """EngineError, in fixed words."""
    (tmp_path / "a.parquet").write_bytes(content)

    with pytest.raises(EngineError, match="cannot be opened"):
        prepared(tmp_path / "a.parquet")


def test_files_of_two_kinds_are_refused(tmp_path):
    """All files of a table are read in the same way."""
    (tmp_path / "a.csv").write_text(TEXT)
    (tmp_path / "b.parquet").write_bytes(b"")

    with pytest.raises(InputError, match="mixes"):
        prepared([tmp_path / "a.csv", tmp_path / "b.parquet"])


KINDS = [
    ("who BIGINT, ward VARCHAR, cost DATE", "cost"),
    ("who BIGINT, ward VARCHAR, cost TIMESTAMP", "cost"),
    ("who BIGINT, ward VARCHAR, cost INTEGER[]", "cost"),
    ("who BIGINT, ward VARCHAR, cost STRUCT(a INTEGER)", "cost"),
    ("who BIGINT, ward VARCHAR, cost BLOB", "cost"),
    ("who BIGINT, ward VARCHAR[], cost DOUBLE", "ward"),
    ("who BIGINT, ward BLOB, cost DOUBLE", "ward"),
    ("who BIGINT, ward INTERVAL, cost DOUBLE", "ward"),
    ("who BIGINT, ward VARCHAR, cost VARCHAR", "cost"),
    ("who BIGINT[], ward VARCHAR, cost DOUBLE", "who"),
    ("who MAP(INTEGER, INTEGER), ward VARCHAR, cost DOUBLE", "who"),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("columns", "wrong"), KINDS)
def test_a_column_of_a_type_that_cannot_fit_is_refused(columns, wrong):
    """From the types alone, with no row in the table."""
    source = duckdb.connect()
    source.execute(f"CREATE TABLE t ({columns})")

    with pytest.raises(InputError, match=f"{wrong} is of type"):
        prepared(source)


@pytest.mark.parametrize(
    ("kind", "key"), [("VARCHAR", True), ("VARCHAR", 1), ("DATE", 1), ("INTEGER[]", "A")]
)
def test_keys_of_another_kind_than_the_column_are_refused(kind, key):
    """No cell could match, so the answer would be zeros without a word."""
    source = duckdb.connect()
    source.execute(f"CREATE TABLE t (who BIGINT, ward {kind}, cost DOUBLE)")

    with pytest.raises(InputError, match="ward is of type"):
        prepared(source, keys={"ward": [key]})


UNSPELLED = [
    ("BIGINT", "yes"), ("BIGINT", "1.5"), ("DOUBLE", "nan"), ("BOOLEAN", "2.5"), ("DATE", "Monday"),
    ("DATE", "2026-02-30"), ("TIMESTAMP", "10:00"), ("TIME", "2026-01-01"), ("UUID", "1"),
    ("DECIMAL(4,1)", "0.25"), ("DECIMAL(4,1)", "1000"), ("DECIMAL(2,2)", "-1"),
    ("BIGINT", "1e-99999999"), ("DECIMAL(4,1)", "0e99999999"), ("TIMESTAMPTZ", "A"),
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize(("kind", "key"), UNSPELLED)
def test_a_key_that_its_column_cannot_hold_is_refused(kind, key):
    """By its text and the column's type alone: else it would be paid for and answered with noise."""
    source = duckdb.connect()
    source.execute(f"CREATE TABLE t (who BIGINT, ward {kind}, cost DOUBLE)")

    with pytest.raises(InputError, match="can be no cell of type"):
        prepared(source, keys={"ward": [key]})


@pytest.mark.parametrize(
    ("kind", "keys"),
    [("BIGINT", ["1", "01"]), ("DOUBLE", ["1.0", "1"]), ("BOOLEAN", ["True", "1"]),
     ("TIME", ["10:00", "10:00:00"])],
)  # fmt: skip
def test_two_keys_of_one_value_are_refused(kind, keys):
    """Each row counts for one key."""
    source = duckdb.connect()
    source.execute(f"CREATE TABLE t (who BIGINT, ward {kind}, cost DOUBLE)")

    with pytest.raises(InputError, match="are one value"):
        prepared(source, keys={"ward": keys})


def test_days_and_moments_are_no_keys_of_one_column():
    """A moment of that day would fit both."""
    source = duckdb.connect()
    source.execute("CREATE TABLE t (who BIGINT, ward TIMESTAMP, cost DOUBLE)")

    with pytest.raises(InputError, match="days and moments, mixed"):
        prepared(source, keys={"ward": ["2026-11-03", "2026-11-03 10:00:00"]})


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["T2", "sys", "t; DROP TABLE t", '"T"', "main", "find_spec"])
def test_a_table_that_is_not_in_the_database_is_refused(name):
    """A name is looked up; it is never run, and never found among the program's variables."""
    source = duckdb.connect()
    source.execute("CREATE TABLE t (who BIGINT, ward VARCHAR, cost DOUBLE)")

    with pytest.raises(InputError, match="has no table"):
        prepared(source, name=name)


@pytest.mark.parametrize("name", ["visits", "main.visits", "memory.main.visits"])
def test_a_table_is_found_by_its_short_or_full_name(name):
    """And a view that makes each row of one row is as good as a table."""
    source = duckdb.connect()
    source.execute("CREATE TABLE t AS SELECT 1 AS who, 'a' AS ward, 1.0 AS cost")
    source.execute("CREATE VIEW visits AS SELECT who, upper(ward) AS ward, 2 * cost AS cost FROM t")

    one, _ = prepared(source, name=name).count(1)

    assert one.opened_by_the_door() == (1, 0)


def test_a_closed_connection_is_the_operators_to_mend():
    """EngineError, not DuckDB's own words."""
    source = duckdb.connect()
    source.close()

    with pytest.raises(EngineError, match="cannot be opened"):
        prepared(source)


def _gone(folder):
    """A data set of pyarrow whose file was taken away behind its back."""
    duckdb.sql("SELECT 'a' AS who, 'A' AS ward, 1 AS cost").write_parquet(f"{folder}/a.parquet")
    found = dataset.dataset(folder / "a.parquet")
    (folder / "a.parquet").unlink()
    return found


def _dropped(_folder):
    source = duckdb.connect()
    source.execute("CREATE TABLE t (who BIGINT, ward VARCHAR, cost DOUBLE)")
    found = source.sql("SELECT * FROM t")
    source.execute("DROP TABLE t")
    return found


UNREADABLE = {
    "a data set without its file": _gone,
    "a relation without its table": _dropped,
    "a lazy frame without its file": lambda folder: pl.scan_parquet(folder / "none.parquet"),
    "a lazy frame that is wrong": lambda _: pl.LazyFrame({"a": [1]}).select(pl.col("who secret")),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_a_library_cannot_open_is_told_in_our_words_before_the_charge(what, tmp_path):
    """A data set was charged for, and not counted; the others passed their library's own error."""
    source = UNREADABLE[what](tmp_path)
    how = {"vouched": "each row is one row"} if isinstance(source, pl.LazyFrame) else {}

    with pytest.raises(EngineError, match="t cannot be opened") as caught:
        prepared(source, **how)

    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_connection_that_stops_at_large_cells_is_refused():
    """One cell could stop the query there; the setting is looked at, and not changed."""
    source = duckdb.connect()
    source.execute("CREATE TABLE t (who BIGINT, ward VARCHAR, cost DOUBLE)")
    source.execute("SET GLOBAL ieee_floating_point_ops = false")

    with pytest.raises(EngineError, match="ieee_floating_point_ops"):
        prepared(source)


def test_a_frame_that_names_a_column_twice_is_refused():
    """Then a name does not say which column is meant."""
    frame = pd.DataFrame([[1, "A", 2, 3]], columns=["who", "ward", "cost", "cost"])

    with pytest.raises(InputError, match="twice"):
        prepared(frame)


def test_settings_that_duckdb_does_not_understand_are_the_operators_to_mend(monkeypatch):
    """The environment says how much memory; a slip there is told before the charge."""
    monkeypatch.setenv("DISCREET_MEMORY", "much")

    with pytest.raises(EngineError, match="did not start"):
        prepared(pa.table({"who": [1], "ward": ["A"], "cost": [1.0]}))


def test_a_declared_column_that_no_row_of_a_list_has_is_missing_in_each():
    """The names of rows decide nothing; a table without rows is answered, too."""
    for rows, counted in (([{"who": 1, "ward": "A"}], (1, 0)), ([], (0, 0))):
        one, two = prepared(rows).count(1)

        assert (one.opened_by_the_door(), two.opened_by_the_door()) == (counted, (0, 0))


def test_a_stream_that_was_read_is_refused_and_not_counted_as_empty():
    """Before the charge of the next plan; a table of the same rows is counted again."""
    cells = pa.table({"who": ["a", "b"], "ward": ["A", "B"], "cost": [1, 2]})
    stream = cells.to_reader()
    for source in (stream, cells, cells):
        assert prepared(source).count(1)[0].opened_by_the_door() == (1, 1)

    with pytest.raises(InputError, match="is a stream that was read before"):
        prepared(stream)
    assert prepared(cells.to_reader()).count(1)[0].opened_by_the_door() == (1, 1)


@pytest.fixture(params=["a.parquet", "a.csv", "frame"])
def small(request, tmp_path):
    """One row, in a file or a frame."""
    row = duckdb.sql("SELECT 'a' AS who, 'A' AS ward, 1 AS cost")
    if request.param == "frame":
        return row.to_arrow_table()
    (row.write_csv if request.param == "a.csv" else row.write_parquet)(
        f"{tmp_path}/{request.param}"
    )
    return tmp_path / request.param


@pytest.mark.claim("C18")
@pytest.mark.parametrize("memory", ["0B", "1KB", "100KB", "3MB", "16MB"])
def test_too_little_memory_to_open_is_told_before_the_charge(monkeypatch, small, memory):
    """In words of ours: DuckDB's own error passed through, or came after the charge."""
    monkeypatch.setenv("DISCREET_MEMORY", memory)

    with pytest.raises(EngineError, match="too little memory to open"):
        prepared(small)


def test_little_memory_that_a_count_passes_in_is_enough(monkeypatch, small):
    monkeypatch.setenv("DISCREET_MEMORY", "17MB")

    assert prepared(small).count(1)[0].opened_by_the_door() == (1, 0)


def test_too_little_memory_of_a_connection_is_told_before_the_charge():
    source = duckdb.connect(config={"memory_limit": "3MB"})
    source.execute("CREATE TABLE t AS SELECT 'a' AS who, 'A' AS ward, 1.0 AS cost")

    with pytest.raises(EngineError, match="too little memory to open"):
        prepared(source)


@pytest.mark.parametrize("threads", ["100000", "9" * 5_000])
def test_more_threads_than_a_machine_could_begin_are_refused(monkeypatch, threads):
    """Each takes some 30 milliseconds before the first row: 2,000 took longer than anybody waits."""
    monkeypatch.setenv("DISCREET_THREADS", threads)

    with pytest.raises(EngineError, match="DISCREET_THREADS is more than"):
        prepared(pa.table({"who": [1], "ward": ["A"], "cost": [1.0]}))
