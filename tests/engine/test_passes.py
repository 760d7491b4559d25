"""A count in several passes: the same integers, of one state, and where memory is not enough."""

import duckdb
import pyarrow as pa
import pyarrow.csv
import pytest
from sqlglot import exp

import discreet as dp
from discreet.engine.duckdb import engine
from discreet.engine.duckdb.engine import DuckEngine, DuckPrepared
from discreet.engine.duckdb.faster import passes
from discreet.engine.duckdb.faster.first_rows import rows_expected
from engine.sources import opened

pytestmark = pytest.mark.of_speed

UNITS = {
    "whole": "(n % 97)::BIGINT",
    "real": "CASE WHEN n % 2 = 0 THEN -1 ELSE 1 END * (n % 97)::DOUBLE",  # also -0.0
    "decimal": "(n % 97)::DECIMAL(9, 2)",
    "text": "'p' || n % 97",
    "name": "('p' || n % 97) COLLATE NOCASE",
    "day": "DATE '2024-01-01' + (n % 97)::INT",
    "moment": "TIMESTAMP '2024-01-01' + to_days((n % 97)::INT)",
    "zoned": "TIMESTAMPTZ '2024-01-01' + to_days((n % 97)::INT)",
    "clock": "TIME '00:00' + to_seconds((n % 97)::INT)",
    "span": "CASE WHEN n % 2 = 0 THEN to_months((n % 97)::INT) ELSE to_days((n % 97)::INT * 30) END",
    "truth": "n % 2 = 0",
    "bytes": "encode('p' || n % 97)",
    "id": "md5((n % 97)::VARCHAR)::UUID",
    "level": "('p' || n % 3)::ENUM('p0', 'p1', 'p2')",
}


@pytest.fixture(scope="module")
def database():
    """4,000 rows of some hundred units, whose names are of every type."""
    with duckdb.connect() as connection:
        units = ", ".join(f"{cell} AS {name}" for name, cell in UNITS.items())
        connection.execute(
            f"CREATE TABLE t AS SELECT {units}, (hash(n) % 9)::INT AS k, n % 50 AS v "
            "FROM range(4000) r(n)"
        )
        yield connection


def prepared(source, unit="whole", sampling="native", **more):
    """Some vectors of units that are limited in every way."""
    table = dp.table(
        source,
        name="t",
        unit=dp.unit(unit, max_rows=30, sampling=sampling),
        keys={"k": range(9)},
        columns={"v": dp.bounds(0, 40, step=1)},
        **more,
    )
    limits = {"max_groups": 2, "max_rows_per_group": 3}
    asked = (
        dp.count("k", **limits),
        dp.sum("v", "k", **limits),
        dp.count_units("k", **limits),
    )
    return DuckEngine().prepare(table, tuple(a for one in asked for a in one.aggregates(table)))


def counted(monkeypatch, number, *asked, **more):
    """The integers when a count begins with so many passes."""
    monkeypatch.setattr(engine, "enough", lambda *_: number)
    return opened(prepared(*asked, **more).count(5))


def rows(database, unit):
    """The rows of the first keys, two of each unit in a group at the most."""
    table = dp.table(database, name="t", unit=dp.unit(unit), keys={"k": range(3)})
    asked = dp.count("k", max_groups=1, max_rows_per_group=2)
    return DuckEngine().prepare(table, asked.aggregates(table))


@pytest.mark.exhaustive
@pytest.mark.claim("C175")
@pytest.mark.parametrize("unit", UNITS)
def test_no_integer_depends_on_the_number_of_passes(monkeypatch, database, unit):
    """Units of every type: a unit that were in two passes would count twice."""
    asked, found = rows(database, unit), []
    for number in (1, 3):
        monkeypatch.setattr(engine, "enough", lambda *_, number=number: number)
        found += opened(asked.count(5))

    assert found[0] == found[1]
    assert sum(found[0])


@pytest.mark.claim("C175")
def test_nor_on_the_passes_of_a_count_before(monkeypatch, database):
    """Where no row is chosen, only passes need the salt."""
    table = dp.table(database, name="t", unit=dp.unit("whole"))
    asked, found = DuckEngine().prepare(table, dp.count_units().aggregates(table)), []
    for number in (1, 3, 1):
        monkeypatch.setattr(engine, "enough", lambda *_, number=number: number)
        found += opened(asked.count(5))

    assert found == [(97,)] * 3


@pytest.mark.claim("C175")
def test_nor_where_engines_choose_alike(monkeypatch, database):
    """With the portable choice of rows."""
    alone, many = (counted(monkeypatch, number, database, sampling="portable") for number in (1, 3))

    assert many == alone


def made(source, database, folder):
    """The rows of the database, as another source."""
    if source in ("csv", "parquet"):
        database.execute(f"COPY t TO '{folder / 't'}.{source}'")
        return folder / f"t.{source}"
    frame = database.sql("SELECT whole, k, v FROM t")
    return {"relation": lambda: frame, "polars": frame.pl, "pandas": frame.df}.get(
        source, frame.to_arrow_table
    )()


@pytest.mark.exhaustive
@pytest.mark.claim("C175")
@pytest.mark.parametrize("source", ["csv", "parquet", "relation", "polars", "pandas", "arrow"])
def test_each_pass_is_handed_all_rows_of_any_source(monkeypatch, database, tmp_path, source):
    """Also those that memory did not suffice for in one pass: a stream is handed over anew."""
    given, before = made(source, database, tmp_path), DuckPrepared._rows
    alone = counted(monkeypatch, 1, given)

    def short(self, salt, number, of_all):
        found = before(self, salt, number, of_all)
        if of_all == 1:
            raise duckdb.OutOfMemoryException
        return found

    monkeypatch.setattr(DuckPrepared, "_rows", short)

    assert counted(monkeypatch, 1, given) == alone
    assert sum(alone[0])


@pytest.mark.claim("C175")
def test_passes_by_rows_would_be_seen(monkeypatch, database):
    """The check has power: rows of a unit in several passes count more than the limits allow."""
    alone = counted(monkeypatch, 1, database)
    by_unit = engine.of_one_pass

    def by_row(query):
        text = by_unit(query)
        assert "u)) % " in text
        return text.replace("u)) % ", "u, k0)) % ")

    monkeypatch.setattr(engine, "of_one_pass", by_row)

    assert sum(counted(monkeypatch, 5, database)[0]) > sum(alone[0])


def test_memory_decides_how_many_passes_there_are(database):
    """10^9 rows in a gigabyte are many passes, and the rows of a test are one."""
    database.execute("CREATE OR REPLACE VIEW many AS FROM range(1000000000)")
    cursor = database.cursor()

    few, many, unknown = (
        rows_expected(cursor, exp.to_table(name)) for name in ("t", "many", "nowhere")
    )

    assert passes.enough(cursor, few) == 1
    cursor.execute("SET memory_limit = '1GiB'")
    assert passes.enough(cursor, many) == 60
    assert passes.enough(cursor, unknown) == 1


def test_where_memory_is_not_enough_there_are_more_passes():
    """Nothing of the passes that were not enough is counted."""
    asked = []

    def read(number, of_all):
        asked.append(of_all)
        if of_all < 16 and number == of_all - 1:
            raise duckdb.OutOfMemoryException
        return [(0, 1, number, None), (0, 2, 1, 1)]

    found = passes.counted(read, 1, lambda: passes.one_state(None, dp.table([], unit="row")))

    assert found == [(0, 1, sum(range(16)), None), (0, 2, 16, 16)]
    assert asked == [1, *[4] * 4, *[16] * 16]


@pytest.mark.parametrize(
    ("error", "tried"),
    [(duckdb.OutOfMemoryException, [64, 256]), (duckdb.InterruptException, [64])],
)
def test_what_more_passes_do_not_mend_is_an_error(error, tried):
    """A count that is broken off is not begun again, and memory that never suffices is told."""
    asked = []

    def read(_, of_all):
        asked.append(of_all)
        raise error

    with pytest.raises(error):
        passes.counted(read, 64, lambda: passes.one_state(None, dp.table([], unit="row")))
    assert asked == tried


@pytest.mark.claim("C175")
def test_all_passes_see_one_state(monkeypatch, database):
    """What is written between two passes is not counted."""
    alone = counted(monkeypatch, 1, database)
    before = DuckPrepared._rows

    def written(self, *at):
        found = before(self, *at)
        database.execute("UPDATE t SET k = 0")
        return found

    monkeypatch.setattr(DuckPrepared, "_rows", written)
    try:
        many = counted(monkeypatch, 4, database)
    finally:
        database.execute("UPDATE t SET k = (hash(v) % 9)::INT")

    assert many == alone


@pytest.mark.parametrize(
    ("vouched", "source", "may"),
    [
        (None, "frame", True),
        (None, "file.parquet", True),
        (None, "reader", False),
        (None, "csv", False),
        (None, "ipc", False),
        ("each row is made of one row", "frame", False),
    ],
)
def test_only_what_holds_the_same_rows_is_read_again(vouched, source, may):
    """A view that somebody vouches for may name its units anew at each reading."""
    frame = pa.table({"u": [1]})
    held = pa.BufferOutputStream()
    with pa.ipc.new_stream(held, frame.schema) as written:
        written.write_table(frame)
    made = {
        "frame": frame,
        "reader": frame.to_reader(),
        "csv": pa.csv.open_csv(pa.BufferReader(b"u\n1\n")),
        "ipc": pa.ipc.open_stream(held.getvalue()),
    }.get(source, source)
    table = dp.table(made, name="t", unit=dp.unit("u"), vouched=vouched)

    assert passes.is_for_passes(table) is may
