"""A table that is made anew while it is counted is counted as it was, or as it is: never as empty.

A snapshot from before a table was truncated shows none of its rows, neither the old ones nor those
that came in the same transaction. The reload is stepped in between two statements of ours, by a
second connection, at each place where it could come.
"""

import threading

import pytest

import discreet as dp
from discreet.engine.postgres import connection as module
from discreet.engine.select_engine import engine_for
from discreet.errors import EngineError, InputError
from engine.sources import opened
from servers import connected

pytestmark = pytest.mark.claim("C230")

ROWS = 50
FILL = f"SELECT 'p' || n AS u, n FROM generate_series(1, {ROWS}) n"
RELOADS = {
    "truncate and insert": ["TRUNCATE t", f"INSERT INTO t {FILL}"],
    "drop and create": ["DROP TABLE t", f"CREATE TABLE t AS {FILL}"],
    "alter a type": ["ALTER TABLE t ALTER COLUMN n TYPE bigint USING n + 0"],
    "cluster": ["CREATE INDEX IF NOT EXISTS i ON t (n)", "CLUSTER t USING i"],
}


@pytest.fixture
def source():
    made = connected()
    made.execute("DROP MATERIALIZED VIEW IF EXISTS m")
    made.execute("DROP TABLE IF EXISTS t CASCADE")
    made.execute(f"CREATE TABLE t AS {FILL}")
    made.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
    made.commit()
    return made


def beside(source):
    """Another connection to the tables of one."""
    other = connected()
    schema = source.execute("SHOW search_path").fetchone()[0]
    other.execute(f"SET search_path = {schema}")
    return other


def asked(source, name="t", **how):
    table = dp.table(source, name=name, unit=dp.unit("u", max_rows=1), **how)
    return engine_for(source).prepare(table, dp.count().aggregates(table))


def stepped(monkeypatch, reload, place, other):
    """Let a reload commit right before the statement at a place, the first time."""
    seen = {"calls": 0, "done": False}
    real = module.PostgresConnection._is_whole if place == "look" else None
    begun = module.PostgresConnection._is_locked

    def act():
        if not seen["done"]:
            seen["done"] = True
            with other.transaction():
                for text in reload:
                    other.execute(text)

    if place == "look":

        def late(self, cursor):
            act()
            return real(self, cursor)

        monkeypatch.setattr(module.PostgresConnection, "_is_whole", late)
    else:

        def early(self, cursor):
            act()
            return begun(self, cursor)

        monkeypatch.setattr(module.PostgresConnection, "_is_locked", early)
    return seen


@pytest.mark.parametrize("reload", RELOADS)
def test_a_reload_before_the_lock_is_seen_whole(source, reload, monkeypatch):
    """The table is locked before the snapshot is taken, and counted as it then is."""
    wanted, other = asked(source), beside(source)
    seen = stepped(monkeypatch, RELOADS[reload], "lock", other)
    if reload in ("drop and create", "alter a type"):
        with pytest.raises(EngineError):  # another table than the one that was looked at
            wanted.count(1)
    else:
        assert opened(wanted.count(1)) == [(ROWS,)]

    assert seen["done"]


@pytest.mark.parametrize("reload", ["truncate and insert", "cluster"])
def test_without_a_lock_the_snapshot_is_compared_with_where_the_rows_lie(
    source, reload, monkeypatch
):
    """As for a user who may read some columns only: a count begins again."""
    monkeypatch.setattr(module.PostgresConnection, "_is_locked", lambda self, cursor: False)
    wanted, other = asked(source), beside(source)
    seen = stepped(monkeypatch, RELOADS[reload], "look", other)

    assert opened(wanted.count(1)) == [(ROWS,)]
    assert seen["done"]


def test_what_lies_under_a_view_is_compared_too(source, monkeypatch):
    """A view, for which somebody vouches, over a table that is reloaded."""
    monkeypatch.setattr(module.PostgresConnection, "_is_locked", lambda self, cursor: False)
    source.execute("CREATE OR REPLACE VIEW seen AS SELECT * FROM t")
    wanted, other = asked(source, "seen", vouched="its rows are the table's"), beside(source)
    stepped(monkeypatch, RELOADS["truncate and insert"], "look", other)

    assert opened(wanted.count(1)) == [(ROWS,)]


def test_a_count_that_does_not_compare_says_that_a_full_table_is_empty(source, monkeypatch):
    """The check has power: this is what a snapshot from before the reload shows."""
    monkeypatch.setattr(module.PostgresConnection, "_is_locked", lambda self, cursor: False)
    monkeypatch.setattr(module, "below", lambda cursor, numbers: ())
    wanted, other = asked(source), beside(source)
    stepped(monkeypatch, RELOADS["truncate and insert"], "look", other)

    assert opened(wanted.count(1)) == [(0,)]


@pytest.mark.parametrize("name", ["m", "over"])
def test_a_materialized_view_is_compared_too(source, name, monkeypatch):
    """Also one that lies under a view; no lock can be had of it."""
    source.execute("CREATE OR REPLACE VIEW over AS SELECT * FROM m")
    source.commit()
    wanted, other = asked(source, name, vouched="a copy of a table"), beside(source)
    seen = stepped(monkeypatch, ["REFRESH MATERIALIZED VIEW m"], "look", other)

    assert opened(wanted.count(1)) == [(ROWS,)]
    assert seen["done"]


@pytest.mark.slow
def test_a_loop_of_reloads_is_never_counted_as_empty(source):
    """Forty counts beside a loop of reloads: the table holds its rows at every moment."""
    stop, other = threading.Event(), beside(source)

    def reloading():
        while not stop.is_set():
            with other.transaction():
                for text in RELOADS["truncate and insert"]:
                    other.execute(text)

    worker = threading.Thread(target=reloading)
    worker.start()
    try:
        found = {opened(asked(source).count(n))[0] for n in range(40)}
    finally:
        stop.set()
        worker.join()

    assert found == {(ROWS,)}


def test_a_materialized_view_is_as_a_view(source):
    """It may group rows; one without data is refused before the charge."""
    with pytest.raises(InputError, match="m is a materialized view"):
        asked(source, "m")
    source.execute("CREATE MATERIALIZED VIEW empty AS SELECT * FROM t WITH NO DATA")
    source.commit()
    with pytest.raises(InputError, match="a materialized view without data"):
        asked(source, "empty", vouched="a copy of a table")
    source.execute("DROP MATERIALIZED VIEW empty")
    source.commit()


def test_a_cast_that_an_enums_owner_made_is_not_called(source):
    """It may look at other rows, count other keys, or fail on a cell: the column is refused."""
    for text in (
        "DROP TABLE IF EXISTS moods",
        "DROP TYPE IF EXISTS mood CASCADE",
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE TABLE moods (u int, k mood)",
        "INSERT INTO moods VALUES (1, 'sad'), (2, 'ok')",
    ):
        source.execute(text)
    source.commit()

    def prepared():
        table = dp.table(source, name="moods", unit=dp.unit("u", max_rows=1), keys={"k": ["sad"]})
        return engine_for(source).prepare(table, dp.count(by="k").aggregates(table))

    assert opened(prepared().count(1)) == [(1,)]
    source.execute(
        "CREATE FUNCTION told(mood) RETURNS text LANGUAGE sql AS $$ SELECT 'sad'::text $$"
    )
    source.execute("CREATE CAST (mood AS text) WITH FUNCTION told(mood)")
    source.commit()
    with pytest.raises(InputError, match="with a cast of its owner"):
        prepared()
    source.execute("DROP TYPE mood CASCADE")
    source.commit()


@pytest.mark.parametrize(
    "setting", ["bytea_output = 'escape'", "IntervalStyle = 'iso_8601'", "DateStyle = 'German'"]
)
def test_a_setting_of_the_session_is_no_change_of_the_data(source, setting):
    """The same rows have the same fingerprint, however the session writes them."""
    source.execute("DROP TABLE IF EXISTS odd")
    source.execute("CREATE TABLE odd (u int, b bytea, i interval, d date)")
    source.execute("INSERT INTO odd VALUES (1, '\\x00ff', '1 day 2 hours', '2026-11-03')")
    source.commit()
    columns = {"keys": {"b": ["x"], "i": ["x"], "d": ["2026-11-03"]}}
    table = dp.table(source, name="odd", unit=dp.unit("u", max_rows=1), **columns)
    before = engine_for(source).prepare(table, ()).fingerprint(b"k" * 32)
    source.execute(f"SET {setting}")
    source.commit()

    assert engine_for(source).prepare(table, ()).fingerprint(b"k" * 32) == before


def test_a_callers_dumper_changes_no_key(source):
    """psycopg writes keys as it does by itself, whatever a caller has set."""
    from psycopg.types.string import StrDumper

    class Lying(StrDumper):
        def dump(self, obj):
            return b"nothing"

    source.adapters.register_dumper(str, Lying)
    table = dp.table(source, name="t", unit=dp.unit("u", max_rows=1), keys={"u": ["p1", "p2"]})
    wanted = engine_for(source).prepare(table, dp.count(by="u").aggregates(table))

    assert opened(wanted.count(1)) == [(1, 1)]


def test_a_table_made_anew_is_looked_at_anew(source):
    """On one open connection, more often than the driver would prepare a statement."""
    for n in range(8):
        kind = ("int", "text")[n % 2]
        source.execute("DROP TABLE IF EXISTS moved")
        source.execute(f"CREATE TABLE moved AS SELECT n::{kind} AS u FROM generate_series(1, 9) n")
        source.commit()

        assert opened(asked(source, "moved").count(1)) == [(9,)]


def test_nothing_of_ours_stays_prepared_in_the_session(source):
    """However often the same table is looked at and counted."""
    for salt in range(8):
        asked(source).count(salt)

    assert source.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)
    assert source.prepare_threshold == 5


def test_a_server_without_md5_is_refused_before_the_charge(source, monkeypatch):
    """As one that keeps to FIPS: each release failed after its charge."""
    import psycopg

    real = psycopg.RawCursor.execute

    def refusing(self, query, *args, **options):
        if query == "SELECT md5('')":
            query = "SELECT md5(1 / 0)"
        return real(self, query, *args, **options)

    monkeypatch.setattr(psycopg.RawCursor, "execute", refusing)

    with pytest.raises(EngineError, match="t cannot be opened") as told:
        asked(source)
    assert "has no MD5" in told.value.why


def test_a_limit_of_the_session_is_told_as_one(source):
    """The reasons that a server gives of itself, which hang on no cell, are said."""
    wanted = asked(source)
    source.execute("TRUNCATE t")
    source.execute(f"INSERT INTO t {FILL.replace(str(ROWS), '200000')}")
    source.execute("SET temp_file_limit = 0")
    source.execute(
        "SET work_mem = '512kB'"
    )  # enough for a look at a large catalog, and not for the rows

    with pytest.raises(EngineError, match="the database ended the count") as told:
        wanted.count(1)
    assert told.value.fix.startswith("let its administrator raise temp_file_limit")


SPILLS = "SELECT count(*) FROM (SELECT n FROM generate_series(1, 200000) n ORDER BY n::text) t"
LOOKS = {  # what ends a look: a limit of the session, what the look does, what is told of it
    "time": ("SET LOCAL statement_timeout = 100", "SELECT pg_sleep(30)", "it took longer"),
    "room": ("SET temp_file_limit = 0", SPILLS, "it has no memory, disk or connections left"),
    "lock": (
        "SET temp_file_limit = -1",
        "DO $$BEGIN RAISE SQLSTATE '55P03'; END$$",
        "holds a lock",
    ),
}


def ended_look(monkeypatch, source, reason, step):
    """Let one step of the look before a count be ended by the server.

    The limit is set in that step alone: a look before it may need room for a large catalog.
    """
    limit, ends, told = LOOKS[reason]
    place = module if step == "look" else module.PostgresConnection
    real = getattr(place, step)

    def ending(*given):
        cursor = given[0] if step == "look" else given[1]
        cursor.execute("SET LOCAL work_mem = '64kB'")
        cursor.execute(limit if "LOCAL" in limit else limit.replace("SET ", "SET LOCAL "))
        cursor.execute(ends)
        return real(*given)

    monkeypatch.setattr(place, step, ending)
    return told


@pytest.mark.claim("C330")
@pytest.mark.parametrize("step", ["_is_locked", "_is_whole", "look"])
@pytest.mark.parametrize("reason", LOOKS)
def test_what_ends_the_look_before_a_count_is_told_as_what_it_is(source, reason, step, monkeypatch):
    """In three lines, without a word of the server's; and the session is at rest and usable."""
    wanted = asked(source)
    reason = ended_look(monkeypatch, source, reason, step)

    with pytest.raises(EngineError, match="the database ended the count") as caught:
        wanted.count(1)

    assert reason in caught.value.why
    assert len(str(caught.value).splitlines()) == 3
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert source.info.transaction_status == 0
    assert source.execute("SELECT count(*) FROM t").fetchone() == (ROWS,)


@pytest.mark.claim("C330")
@pytest.mark.parametrize("reason", ["time", "room"])
def test_a_look_that_is_ended_costs_what_the_ledger_says(source, reason, tmp_path, monkeypatch):
    """It comes after the charge, which is told and stays."""
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(1), subject="t")
    table = dp.table(source, name="t", unit=dp.unit("u", max_rows=1))
    plan = dp.plan(table, dp.count(), spend=dp.zcdp("1/10"))
    ended_look(monkeypatch, source, reason, "_is_whole")

    with pytest.raises(EngineError) as caught:
        dp.run(plan, ledger=ledger)

    assert "charge 1" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 3
    assert [row.state for row in ledger.book().rows()] == ["open"]
    assert ledger.left() == dp.zcdp("9/10")


@pytest.mark.claim("C330")
def test_what_a_look_meets_of_the_table_is_told_as_one_fixed_text(source, monkeypatch):
    """The checks above have power: what may hang on a cell, as a division by 0, has no kind."""
    wanted = asked(source)
    real = module.PostgresConnection._is_whole

    def ending(self, cursor):
        cursor.execute("SELECT 1 / (n - n) FROM t")
        return real(self, cursor)

    monkeypatch.setattr(module.PostgresConnection, "_is_whole", ending)
    with pytest.raises(EngineError) as caught:
        wanted.count(1)
    assert "the database ended the count" not in str(caught.value)
    assert "zero" not in str(caught.value)
