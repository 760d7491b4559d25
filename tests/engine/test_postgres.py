"""PostgreSQL: which tables are counted, what their cells mean, and what stays as it was."""

from datetime import date, datetime

import psycopg
import pytest

import discreet as dp
from discreet.engine.memory import MemoryEngine
from discreet.engine.postgres import connection
from discreet.engine.select_engine import engine_for
from discreet.errors import EngineError, InputError
from engine.sources import opened
from servers import connected, dsn, filled, postgres_log

CANARY = "CANARY-7f3a"
INT64 = 2**63 - 1


def counted(source, *asked, salt=5, **how):
    how = {"unit": "row", "name": "t", **how}
    found = dp.table(source, **how)
    aggregates = tuple(a for one in asked for a in one.aggregates(found))
    return opened(engine_for(source).prepare(found, aggregates).count(salt))


def by_reference(rows, *asked, salt=5, **how):
    how = {"unit": "row", "name": "t", **how}
    found = dp.table(rows, **how)
    aggregates = tuple(a for one in asked for a in one.aggregates(found))
    return opened(MemoryEngine().prepare(found, aggregates).count(salt))


DAYS = ["2026-11-03", "1969-12-31", "0001-01-01", "9999-12-31"]
MOMENTS = ["2026-11-03 10:30:00", "2026-11-03 23:59:59.999999", "1969-12-31 23:59:59.5"]
COLUMNS = {  # of a type: cells as PostgreSQL reads them, and keys
    "smallint": (["1", "-32768", "32767", None], [1, 2, 32767]),
    "integer": (["1", "-2147483648", None], ["1", "-2147483648"]),
    "bigint": (["1", str(INT64), str(-INT64 - 1), None], ["1", str(INT64)]),
    "real": (["0.1", "NaN", "-Infinity", "3e38", "1e-45", "-0", None], [0, 1]),
    "double precision": (
        ["0.1", "1e307", "-1e308", "5e-324", "NaN", "Infinity", "-0", "2.25", "1e-310", None],
        ["0.1", "1e307", "0"],
    ),
    "numeric": (
        ["1", "1.50", "NaN", "Infinity", f"1{'0' * 400}", f"0.{'0' * 400}1", "9" * 309, None],
        [1, 2],
    ),
    "numeric(10,2)": (["1", "1.50", "NaN", "-7.25", None], ["1", "1.50"]),
    "numeric(38,0)": (["1", "9" * 38, "-" + "9" * 38, None], ["1", "9" * 38]),
    "boolean": (["true", "false", None], [True, False]),
    "date": ([*DAYS, None], DAYS),
    "time": (["10:30", "23:59:59.999999", "24:00:00", None], ["10:30:00", "00:00:00"]),
    "timestamp": ([*MOMENTS, None], DAYS),
    "timestamptz": ([f"{m}+02" for m in MOMENTS], ["2026-11-03", "2026-11-04", "1969-12-31"]),
    "uuid": (
        ["00000000-0000-0000-0000-00000000000A", None],
        ["0" * 8 + "-0000" * 3 + "-" + "0" * 11 + "a"],
    ),
    "text": (["A", "a", "A ", "é", "e\u0301", "", "it's", "%", None], ["A", "a", "é", "it's"]),
    "varchar(3)": (["A", "A ", None], ["A", "A "]),
    "char(3)": (["A", "A ", " A", "a", "DE", "FRA", "é", "", None], ["A", " A", "DE", "FRA", ""]),
}
PADDED = {"time", "char(3)"}  # types of which psycopg does not hand out the value
NUMBERS = ("smallint", "integer", "bigint", "real", "double precision", "numeric", "boolean")
UNITS = (
    "smallint",
    "bigint",
    "numeric(38,0)",
    "boolean",
    "date",
    "uuid",
    "text",
    "varchar(3)",
    "char(3)",
)


def _of_type(kind):
    """A connection with two rows a cell, and the rows as psycopg hands them out."""
    cells, keys = COLUMNS[kind]
    source = filled({"x": kind, "n": "integer"}, [(c, n) for n, c in enumerate(cells * 2)])
    wanted = "x::text" if kind in PADDED else "x"
    rows = source.execute(f"SELECT {wanted}, n FROM t").fetchall()
    return source, [{"x": x, "n": n} for x, n in rows], keys


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_cell_is_the_key_that_the_reference_says(kind):
    """Two rows a cell, of every type."""
    source, rows, keys = _of_type(kind)
    if kind == "time":  # psycopg cannot say 24:00
        rows = [
            {
                **row,
                "x": row["x"] and datetime.strptime(f"{row['x']}.0"[:15], "%H:%M:%S.%f").time()
                if row["x"] != "24:00:00"
                else None,
            }
            for row in rows
        ]

    expected = by_reference(rows, dp.count("x"), keys={"x": keys})

    assert counted(source, dp.count("x"), keys={"x": keys}) == expected


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [k for k in COLUMNS if k.startswith(NUMBERS)])
@pytest.mark.parametrize("step", ["1", "1/7", "0.001"])
def test_a_cell_is_the_number_that_the_reference_says(kind, step):
    """On grids of several steps, bounds at 0 among them."""
    source, rows, _ = _of_type(kind)
    for low, high in ((-3, 9), (0, 1), (-1, 0)):
        how = {"columns": {"x": dp.bounds(low, high, step=step)}}
        asked = dp.histogram("x", bins=[low, (low + high) // 2, high] if high - low > 1 else 1)
        expected = by_reference(rows, dp.variance("x"), asked, **how)

        assert counted(source, dp.variance("x"), asked, **how) == expected


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", UNITS)
def test_the_rows_of_a_unit_are_those_of_the_reference(kind):
    """A unit of every type that engines write alike; a limit that binds, several salts."""
    source, rows, _ = _of_type(kind)
    how = {"columns": {"n": dp.bounds(0, 99, step=1)}}
    whose = dp.unit("x", max_rows=1, sampling="portable")
    for salt in (0, 5, 2**64 - 1):
        expected = by_reference(rows, dp.sum("n"), salt=salt, unit=whose, **how)

        assert counted(source, dp.sum("n"), salt=salt, unit=whose, **how) == expected


FORGED = {  # what stands before the server's own things on the way of this user's session
    "function": "CREATE FUNCTION md5(text) RETURNS text LANGUAGE sql AS $$SELECT repeat('0', 32)$$",
    "aggregate": "CREATE AGGREGATE sum(bigint) (SFUNC = int8mul, STYPE = bigint, INITCOND = '0')",
    "operator": "CREATE OPERATOR = (LEFTARG = text, RIGHTARG = text, FUNCTION = textne)",
    "type": "CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (VALUE IS NULL)",
}


@pytest.mark.claim("C83")
@pytest.mark.parametrize("forged", FORGED)
def test_what_a_user_has_named_like_a_thing_of_the_server_is_not_taken(forged):
    """A function, an aggregate and an operator before the server's; a type of the session."""
    rows = [(who, where, n) for n in range(9) for who in "ab" for where in ("x", "y", "z")]
    source = filled({"u": "text", "k": "text", "n": "integer"}, rows)
    found = [{"u": who, "k": where, "n": n} for who, where, n in rows]
    columns = {"n": dp.bounds(0, 99, step=1)}
    whose = dp.unit("u", max_rows=4, sampling="portable")
    how = {"unit": whose, "columns": columns, "keys": {"k": ["x", "z"]}}
    asked = dp.sum("n", by="k", max_groups=2)
    expected = by_reference(found, asked, **how)

    source.execute(FORGED[forged])
    (schema,) = source.execute("SELECT current_schema()").fetchone()
    source.execute(f"SET search_path = {schema}, pg_catalog")

    assert counted(source, asked, **how) == expected


def test_a_refusal_that_is_not_of_rights_says_its_letters():
    """Another session holds the table: 55P03 is the standard's word for it, not a missing right."""
    source = filled({"n": "integer"}, [(1,)])
    (schema,) = source.execute("SELECT current_schema()").fetchone()
    source.execute("SET lock_timeout = '50ms'")
    other = connected()
    other.execute("BEGIN")
    other.execute(f"LOCK TABLE {schema}.t")

    with pytest.raises(EngineError, match="with SQLSTATE 55P03"):
        counted(source, dp.count())
    other.execute("ROLLBACK")


def test_a_limit_that_ends_the_opening_is_named(monkeypatch):
    """At the opening, or at the latest where the table is locked: somebody else holds it."""
    source = filled({"n": "integer"}, [(1,)])
    (schema,) = source.execute("SELECT current_schema()").fetchone()
    other = connected()
    other.execute("BEGIN")
    other.execute(f"LOCK TABLE {schema}.t")
    monkeypatch.setenv("DISCREET_TIMEOUT", "1ms")

    with pytest.raises(EngineError, match=r"longer than DISCREET_TIMEOUT|took longer"):
        counted(source, dp.count())
    other.execute("ROLLBACK")


def test_days_and_moments_that_no_calendar_holds_are_missing():
    """Infinity and years beyond 9999: not raised, no unit, no key."""
    days = ["infinity", "-infinity", "294276-01-01", "4713-01-01 BC", "2026-11-03"]
    source = filled({"d": "date", "m": "timestamp", "z": "timestamptz"}, [(d, d, d) for d in days])

    for column in "dmz":
        found = counted(source, dp.count(column), keys={column: ["2026-11-03"]})
        assert found == [(1,)]
    assert counted(source, dp.count_units(), unit=dp.unit("d", max_rows=1)) == [(1,)]


def test_enums_and_domains_are_what_they_hold():
    """A type of the user's own."""
    source = connected()
    source.execute("CREATE TYPE mood AS ENUM ('glad', 'sad')")
    source.execute("CREATE DOMAIN years AS integer CHECK (VALUE >= 0)")
    source.execute("CREATE TABLE t (a mood, b years)")
    source.execute("INSERT INTO t VALUES ('glad', 3), ('sad', NULL), (NULL, 200)")

    found = counted(
        source,
        dp.count("a"),
        dp.sum("b"),
        keys={"a": ["sad", "glad"]},
        columns={"b": dp.bounds(0, 100, step=1)},
    )

    assert found == [(1, 1), (103,)]


REFUSED = {  # what is made, and what the message says of it
    "CREATE VIEW t AS SELECT 1 AS x": "is a view",
    "CREATE TABLE t (x name)": "type name",
    "CREATE TABLE t (x money)": "money",
    "CREATE TABLE t (x bytea)": "do not hash alike",
    "CREATE TABLE t (x double precision)": "do not hash alike",
    "CREATE TABLE t (x timestamptz)": "do not hash alike",
    "CREATE TABLE u (x integer)": "has no table 't'",
    "CREATE TABLE t (y integer)": "has no column 'x'",
}


@pytest.mark.parametrize("made", REFUSED)
def test_what_cannot_be_counted_is_refused_before_the_charge(made):
    """By names and types alone."""
    source = connected()
    source.execute(made)

    with pytest.raises(InputError, match=REFUSED[made]):
        counted(source, dp.count(), unit=dp.unit("x", max_rows=1))


def test_a_policy_on_rows_is_refused():
    """It may look at other rows."""
    source = connected()
    schema = source.execute("SELECT current_schema()").fetchone()[0]
    clerk = f"clerk_of_{schema}"  # roles are the whole server's, which other tests use meanwhile
    source.execute("CREATE TABLE t (x integer)")
    source.execute("ALTER TABLE t ENABLE ROW LEVEL SECURITY")
    source.execute("ALTER TABLE t FORCE ROW LEVEL SECURITY")
    source.execute(f"CREATE ROLE {clerk}")
    source.execute(f"GRANT SELECT ON t TO {clerk}")
    source.execute(f"GRANT USAGE ON SCHEMA {schema} TO {clerk}")
    source.execute(f"SET ROLE {clerk}")

    with pytest.raises(InputError, match="policy on its rows"):
        counted(source, dp.count())

    source.execute("RESET ROLE")
    source.execute("ALTER TABLE t DISABLE ROW LEVEL SECURITY")
    source.execute(f"REVOKE SELECT ON t FROM {clerk}")
    source.execute(f"SET ROLE {clerk}")
    with pytest.raises(EngineError, match="may not read"):
        counted(source, dp.count())


def test_a_view_that_is_vouched_for_is_counted():
    """The curator's words."""
    source = filled({"x": "integer"}, [(1,), (2,)])
    source.execute("CREATE VIEW v AS SELECT x + 1 AS x FROM t")

    found = counted(source, dp.count("x"), name="v", keys={"x": [2, 3]}, vouched="a row of t each")

    assert found == [(1, 1)]


def test_a_connection_in_a_transaction_or_closed_is_refused():
    """The fix is what the user types."""
    source = filled({"x": "integer"}, [(1,)])
    source.autocommit = False
    source.execute("SELECT 1")
    with pytest.raises(InputError, match="middle of a transaction"):
        counted(source, dp.count())
    source.rollback()
    assert counted(source, dp.count()) == [(1,)]
    assert source.autocommit is False
    source.close()
    with pytest.raises(EngineError, match="closed"):
        counted(source, dp.count())


def test_nothing_is_left_on_the_server_or_changed_on_the_connection():
    """No table, no setting, no transaction; a user's own row factory and path stay."""
    from psycopg.rows import dict_row

    source = filled({"x": "text"}, [("a",)])
    source.row_factory = dict_row
    source.execute("SET DateStyle = 'German'")
    asked = "SELECT current_setting('search_path') AS a, current_setting('DateStyle') AS b, (SELECT count(*) FROM pg_class) AS c"
    before = source.execute(asked).fetchone()

    assert counted(source, dp.count("x"), keys={"x": ["a", "b\0"]}) == [(1, 0)]

    assert source.execute(asked).fetchone() == before
    assert source.info.transaction_status == 0


def test_operators_of_the_user_count_nothing():
    """One that says that all is equal, first in the user's path."""
    source = filled({"x": "text"}, [("a",), ("b",)])
    source.execute("CREATE FUNCTION same(text, text) RETURNS bool LANGUAGE sql AS 'SELECT true'")
    source.execute("CREATE OPERATOR = (LEFTARG = text, RIGHTARG = text, FUNCTION = same)")
    path = source.execute("SELECT current_schema()").fetchone()[0]
    source.execute(f"SET search_path = {path}, pg_catalog")

    assert counted(source, dp.count("x"), keys={"x": ["a"]}) == [(1,)]


def test_a_table_that_changes_its_type_is_not_counted():
    """Between the look and the count."""
    source = filled({"x": "integer"}, [(1,)])
    found = dp.table(source, unit="row", name="t", columns={"x": dp.bounds(0, 5)})
    prepared = engine_for(source).prepare(found, dp.sum("x").aggregates(found))
    source.execute("ALTER TABLE t ALTER x TYPE double precision")

    with pytest.raises(EngineError, match="could not be read"):
        prepared.count(1)


def test_no_cell_reaches_a_message_or_the_log():
    """Cells that any careless cast would quote, in every role."""
    cells = [CANARY, "1e400", "1\n", f"{CANARY}\u2028", "NaN", f"'{CANARY}", "%s", "$1"]
    source = filled(
        {"x": "text", "y": "numeric", "z": "date"},
        [(c, f"1{'0' * 500}", "infinity") for c in cells],
    )
    how = {"keys": {"x": ["a"], "z": ["2026-11-03"]}, "columns": {"y": dp.bounds(0, 9)}}

    before = postgres_log()

    found = counted(source, dp.mean("y", "x"), dp.count("z"), unit=dp.unit("x", max_rows=2), **how)

    assert {n for vector in found for n in vector} == {0}
    assert postgres_log() == before  # no error, no warning


def test_a_statement_that_takes_too_long_is_ended(monkeypatch):
    """By the server, after the time that the user has set; the message says nothing of the data."""
    source = filled({"x": "integer"}, [(n,) for n in range(20_000)])
    found = dp.table(source, unit=dp.unit("x", max_rows=1), name="t", keys={"x": range(100)})
    prepared = engine_for(source).prepare(found, dp.count("x").aggregates(found))
    (schema,) = source.execute("SELECT current_schema()").fetchone()
    monkeypatch.setenv("DISCREET_TIMEOUT", "300ms")

    with psycopg.connect(dsn()) as other:
        other.execute(f"LOCK TABLE {schema}.t")  # for which the count waits
        with pytest.raises(EngineError, match="the database ended the count") as caught:
            prepared.count(1)
    assert "DISCREET_TIMEOUT" in str(caught.value)
    assert caught.value.__context__ is None
    assert source.execute("SELECT 1").fetchone() == (1,)


def test_a_time_that_is_none_is_refused_before_the_charge(monkeypatch):
    """By its name, instead of as a server that does not answer."""
    source = filled({"x": "integer"}, [(1,)])
    monkeypatch.setenv("DISCREET_TIMEOUT", "10 parsecs")
    found = dp.table(source, unit="row", name="t")

    with pytest.raises(InputError, match="10 parsecs, which is no length of time"):
        engine_for(source).prepare(found, dp.count().aggregates(found))


@pytest.mark.slow
def test_a_release_and_its_repeat(tmp_path):
    """Paid once; the same data is known again, in any order; other data is refused."""
    source = filled({"x": "text", "y": "double precision"}, [("a", 1), ("b", 2), (None, 3)])
    found = dp.table(
        source, unit="row", name="t", keys={"x": ["a", "b"]}, columns={"y": dp.bounds(0, 5)}
    )
    plan = dp.plan(found, dp.count("x"), dp.mean("y"), spend=dp.zcdp(1))
    ledger = dp.ledger(tmp_path / "l.ledger", budget=dp.zcdp(5), subject="t")

    first = dp.run(plan, ledger=ledger)
    source.execute("UPDATE t SET y = y WHERE x = 'a'")  # moves the row to the end
    again = dp.run(plan, ledger=ledger)

    assert again.repeated
    assert again.document == first.document
    source.execute("UPDATE t SET y = 4 WHERE x = 'a'")
    with pytest.raises(InputError, match="changed"):
        dp.run(plan, ledger=ledger)


def test_the_day_of_a_key_is_that_of_its_moments():
    """Of a moment in a time zone, in UTC, whatever the session says."""
    source = filled({"x": "timestamptz"}, [("2026-11-03 23:30:00-05",)])
    source.execute("SET TimeZone = 'America/New_York'")

    found = counted(source, dp.count("x"), keys={"x": [date(2026, 11, 3), date(2026, 11, 4)]})

    assert found == [(0, 1)]


@pytest.mark.claim("C83")
@pytest.mark.parametrize("whose", ["row", dp.unit("u", max_rows=2)], ids=["row", "unit"])
@pytest.mark.parametrize("more", [{}, {"missing": "none", "other": "else"}], ids=["plain", "all"])
def test_rows_are_joined_to_many_keys_by_hashing(whose, more, monkeypatch):
    """Of text, too: each row would be compared with each key otherwise. No cell is a key by NULL."""
    rows = [{"u": n % 900, "g": None if n % 7 == 0 else f"k{n % 1100}"} for n in range(3_000)]
    source = filled({"u": "bigint", "g": "text"}, [(*row.values(),) for row in rows])
    source.execute("ANALYZE t")
    told, said = [], connection.statement
    monkeypatch.setattr(connection, "statement", lambda *of: told.append(said(*of)) or told[-1])
    how = {"unit": whose, "keys": {"g": dp.keys(*(f"k{n}" for n in range(1_000)), **more)}}

    found = counted(source, dp.count("g"), **how)

    text, given = told[-1].text, told[-1].parameters
    with psycopg.RawCursor(source) as cursor:
        cursor.execute("SET enable_mergejoin = off")  # as where it is counted
        plan = [line for (line,) in cursor.execute(f"EXPLAIN {text}", given).fetchall()]
    assert any("Hash" in line and "Join" in line for line in plan)
    assert not any("Nested Loop" in line for line in plan)
    if whose == "row":
        assert found == by_reference(rows, dp.count("g"), **how)
    assert sum(found[0]) > 1_000
