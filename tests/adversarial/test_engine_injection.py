"""Names and keys are data: whatever they say, they name a column or a group, and run nothing."""

import duckdb
import pyarrow as pa
import pytest

from discreet.engine.duckdb.engine import DuckEngine
from discreet.schema import bounds, table, unit
from discreet.statistic.count import count
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean

HOSTILE = [
    '"', '""', "'", "''", "`", ";", "\n", "\r\n", "\t", " ", " a ", "a b", "select", "SELECT 1",
    "from", "group", "order", "u", "g", "q0", "k0", "v0", "i0", "r", "b", "m0", "s", "c", "part",
    "cell", "one", "key", "position", "discreet_cells", "discreet_keys_0", "$salt", "?", ":a", "%s",
    "{0}", "\\", "\\'", "--", "/*", "*/", "*", "1", "0x0", "null", "NULL", "true", "a.b", '"a"."b"',
    "a); DROP TABLE canary; --", "x'; DROP TABLE canary; --", '"; DROP TABLE canary; --',
    "read_csv('/etc/passwd')", "pragma_version()", "é", "e\u0301", "\u202e", "\U0001f600", "a" * 300,
    "COPY canary TO 'x'", "ATTACH 'x'", "[1]", "a,b", "a|b", "=1+1", "@x", "#", "~", "^", "rowid",
]  # fmt: skip


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_hostile_name_is_a_column_and_a_hostile_key_is_a_group(name):
    """As unit, key column, value column and key at once; the canary table stands after it."""
    database = duckdb.connect()
    database.execute("CREATE TABLE canary AS SELECT 42 AS a")
    columns = [f"{name}{part}" for part in ("", " k", " v")]
    kinds = ("VARCHAR", "VARCHAR", "DOUBLE")
    made = ", ".join(f"{quoted(c)} {kind}" for c, kind in zip(columns, kinds, strict=True))
    database.execute(f"CREATE TABLE {quoted(name + 't')} ({made})")
    rows = [("ann", name, 1), ("bob", name, 2), ("bob", "other", 3), (None, name, 3)]
    for row in rows:
        database.execute(f"INSERT INTO {quoted(name + 't')} VALUES (?, ?, ?)", row)
    who, key, value = columns
    found = table(
        database,
        name=name + "t",
        unit=unit(who, max_rows=2),
        columns={value: bounds(0, 4, step=1)},
        keys={key: [name, name + "'"]},
    )
    asked = [count(key), mean(value), histogram(value, key, bins=2)]
    aggregates = tuple(a for one in asked for a in one.aggregates(found))

    counts, means, bins = (
        one.opened_by_the_door() for one in DuckEngine().prepare(found, aggregates).count(4)
    )

    assert counts == (2, 0)
    assert sum(means) % 4 == 0
    assert bins == (1, 1, 0, 0)
    assert database.execute("SELECT a FROM canary").fetchall() == [(42,)]
    assert len(database.execute("SHOW TABLES").fetchall()) == 2


def test_nothing_stays_in_the_users_database():
    """No table, no setting, no open transaction; and others may write meanwhile."""
    database = duckdb.connect()
    database.execute("CREATE TABLE t AS SELECT 'ann' AS who, 'A' AS ward")
    before = database.execute("SELECT name, value FROM duckdb_settings() ORDER BY 1").fetchall()
    found = table(database, name="t", unit=unit("who", max_rows=1), keys={"ward": ["A"]})

    prepared = DuckEngine().prepare(found, count("ward").aggregates(found))
    database.execute("INSERT INTO t VALUES ('bob', 'A')")
    (one,) = prepared.count(1)
    del prepared

    assert one.opened_by_the_door() == (2,)
    after = database.execute("SELECT name, value FROM duckdb_settings() ORDER BY 1").fetchall()
    assert [s for s in after if s not in before] == []
    assert database.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("t",)]
    assert database.execute(
        "SELECT count(*) FROM duckdb_views() WHERE NOT internal"
    ).fetchall() == [(0,)]


OUTSIDE = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "COPY (SELECT 1) TO 'out.csv'",
    "ATTACH 'out.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "SET threads = 9",
    "SET temp_directory = '/tmp'",
    "SET allowed_configs = ['threads']",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM 'http://127.0.0.1:9/a.parquet'",
]


@pytest.mark.claim("C605")
@pytest.mark.exhaustive
@pytest.mark.parametrize("query", [*OUTSIDE, "SET lock_configuration = false"])
@pytest.mark.parametrize("of", ["a file", "a frame"])
def test_our_own_connection_reaches_nothing_but_the_declared_file(of, query, tmp_path, monkeypatch):
    """Even if a query could be smuggled in, it would find the doors shut."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("who,ward\nann,A\n")
    source = tmp_path / "a.csv" if of == "a file" else pa.table({"who": ["ann"], "ward": ["A"]})
    found = table(source, name="t", unit=unit("who", max_rows=1), keys={"ward": ["A"]})
    prepared = DuckEngine().prepare(found, count("ward").aggregates(found))

    with pytest.raises(duckdb.Error):
        prepared._source.connection.execute(query).fetchall()

    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.claim("C605")
def test_a_frame_lets_no_file_in():
    """Where no file is declared, none is allowed, and no setting can be changed."""
    source = pa.table({"ward": ["A"]})
    found = table(source, name="t", unit="row", keys={"ward": ["A"]})
    prepared = DuckEngine().prepare(found, count("ward").aggregates(found))
    connection = prepared._source.connection
    settings = ("enable_external_access", "lock_configuration", "allowed_paths")

    shut = [connection.execute(f"SELECT current_setting('{s}')").fetchall() for s in settings]

    assert shut == [[(False,)], [(True,)], [([],)]]
