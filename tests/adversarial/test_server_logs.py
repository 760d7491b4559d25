"""What a Postgres server logs that is told to log everything: no cell, whatever is asked or ends it.

Statements with their parameters, plans with their constants and counts of rows, waits for locks: our
keys, bounds and salts stand there, and how many rows each step had (docs/limits.md says so).
"""

import threading
import time
from datetime import date, datetime

import psycopg
import pytest

import discreet as dp
from discreet.errors import EngineError
from servers import connected, dsn, postgres_log

pytestmark = [pytest.mark.slow, pytest.mark.claim("C09")]

SECRET = "CANARY-7f3a"
CANARIES = [SECRET, SECRET.lower(), SECRET.encode().hex(), "917265403881", "9.172654"]
CANARIES += [
    "1987-06-05",
    "02.917265",
    "549864182",
    "396820617",
]  # also in seconds of two calendars
EVERYTHING = {
    "log_statement": "all",
    "log_min_duration_statement": "0",
    "log_min_error_statement": "debug5",
    "log_min_messages": "debug1",
    "log_error_verbosity": "verbose",
    "log_parameter_max_length": "-1",
    "log_parameter_max_length_on_error": "-1",
    "log_lock_waits": "on",
    "deadlock_timeout": "100ms",
    "log_temp_files": "0",
    "log_executor_stats": "on",
    "debug_print_parse": "on",
    "debug_print_rewritten": "on",
    "debug_print_plan": "on",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_buffers": "on",
    "auto_explain.log_verbose": "on",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_settings": "on",
}
KINDS = {
    "who": "text",
    "k": "text",
    "v": "float8",
    "born": "date",
    "seen": "timestamp",
    "w": "numeric",
}
CELLS = (SECRET, SECRET, 917265403881.25, date(1987, 6, 5), datetime(1987, 6, 5, 4, 3, 2, 917265))


def loud():
    """A connection whose server logs everything, to tables with canaries in each column."""
    source = connected()
    listed = ", ".join(f"{name} {kind}" for name, kind in KINDS.items())
    source.execute(f"CREATE TABLE t ({listed}); CREATE TABLE o (who text, city text)")
    with source.cursor() as cursor, cursor.copy("COPY t FROM STDIN") as copy:
        for number in range(400):
            row = (f"p{number % 70}", "ab"[number % 2], float(number), date(2000, 1, 1), None)
            copy.write_row((*(CELLS if number % 9 == 0 else row), f"917265403881{number}"))
    source.execute("INSERT INTO o SELECT DISTINCT who, k FROM t")
    source.execute("ANALYZE t; ANALYZE o")
    source.execute("LOAD 'auto_explain'")
    for name, value in EVERYTHING.items():
        source.execute(f"SET {name} = '{value}'")
    return source


def declared(source, **how):
    return dp.table(
        source,
        **{
            "name": "t",
            "unit": dp.unit("who", max_rows=3),
            "columns": {
                "v": dp.bounds(0, 9, step=1),
                "w": dp.bounds(0, 5, step="0.5"),
                "born": dp.bounds("1980-01-01", "2020-12-31"),
                "seen": dp.bounds("1980-01-01 00:00:00", "2020-12-31 00:00:00"),
            },
            "keys": {"k": ["a", "b", "PUBLIC-KEY"]},
        }
        | how,
    )


def every(source):
    """Questions of every kind, with a filter and a column that is made."""
    table = declared(source).derive(far=dp.derived("v * 2 + 1", bounds=dp.bounds(0, 9, step=1)))
    where = "born < DATE '2010-01-01' AND (k <> 'b' OR starts_with(who, 'p'))"
    return dp.plan(
        table.where("v >= 0"),
        dp.count("k", where=where),
        dp.count_units("k"),
        dp.mean(["v", "far"], "k", ball=3),
        dp.variance("w"),
        dp.mean("born"),
        dp.mean("seen", "k"),
        dp.histogram("v", bins=3),
        dp.quantile("v", "0.5", method="choice", bins=8),
        dp.median("w"),
        dp.choose("k"),
        dp.cube("k"),
        spend=dp.zcdp(2),
    )


def joined(source):
    owner = dp.join(source, name="o", gives=["city"])
    return dp.plan(
        declared(source).joined(owner), dp.count("k", where="city = k"), spend=dp.zcdp(2)
    )


def found(source):
    """Keys that are looked for: one is far above the threshold, and the canary too rare for it."""
    table = declared(source, keys={"k": dp.unknown(max_groups=1)}, unit=dp.unit("who"))
    limits = {"max_groups": 1, "max_rows_per_group": 2}
    return dp.plan(table, dp.count("k", **limits), dp.group_sizes("k"), spend=dp.approx(2, "1e-6"))


def shown(error):
    """What an error says, and all that hangs on it."""
    told = ""
    while error is not None:
        told, error = f"{told}\n{error!r}\n{error}", error.__cause__ or error.__context__
    return told


def unseen(told):
    return [one for one in CANARIES if one in told]


PLANS = {"every statistic": every, "a join": joined, "keys that are looked for": found}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PLANS)
def test_no_cell_stands_in_a_log_of_everything(name, tmp_path):
    """From the look at the table to the fingerprint; keys and numbers of rows do stand there."""
    source, before = loud(), len(postgres_log())
    plan = PLANS[name](source)
    ledger = dp.ledger(tmp_path / "t.ledger", budget=plan.spend, subject="t")

    dp.run(plan, ledger=ledger)
    assert dp.run(plan, ledger=ledger).repeated

    log = postgres_log()[before:]
    assert unseen(log) == []
    assert "Actual Rows" in log or "actual time" in log
    assert name == "keys that are looked for" or "PUBLIC-KEY" in log


def test_a_key_that_was_found_stands_there_as_a_parameter(tmp_path):
    """As docs/limits.md says: it is a cell, which the release shows."""
    source, before = loud(), len(postgres_log())
    source.execute("UPDATE t SET k = 'FOUND-KEY' WHERE k = 'a'")
    plan = found(source)

    release = dp.run(plan, ledger=dp.ledger(tmp_path / "t.ledger", budget=plan.spend, subject="t"))

    assert "FOUND-KEY" in str(release)
    told = postgres_log()[before:].partition("WHERE k = 'a'")[2]
    assert "FOUND-KEY" in told


@pytest.mark.claim("C284")
@pytest.mark.parametrize("autocommit", [True, False])
def test_a_plan_warns_of_a_log_that_counts_rows(autocommit):
    """On a session that logs plans with what they did, and on no other; it stays at rest."""
    source = loud()
    source.autocommit = autocommit
    assert any("auto_explain.log_analyze" in one for one in every(source).sheet().warnings)
    assert source.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    source.autocommit = True

    for quiet in ("auto_explain.log_analyze = off", "auto_explain.log_min_duration = -1"):
        source.execute(f"SET {quiet}")
        assert not any("auto_explain" in one for one in every(source).sheet().warnings)
        source.execute("SET auto_explain.log_analyze = on")
    untouched = connected()
    untouched.execute("SET auto_explain.log_analyze = on; CREATE TABLE t (k text, n int)")
    plan = dp.plan(dp.table(untouched, name="t", unit="row"), dp.count(), spend=dp.zcdp("1/10"))
    assert plan.sheet().warnings == ()

    untouched.close()
    assert plan.sheet().warnings == ()


def test_the_log_would_have_shown_a_cell():
    """The canary sings: a careless cast quotes it, and so does a parameter that is a cell."""
    source, before = loud(), len(postgres_log())

    with pytest.raises(psycopg.Error, match=SECRET):
        source.execute("SELECT max(who::int) FROM t")
    source.execute("SELECT count(*) FROM t WHERE v = %s", [917265403881.25])

    assert set(unseen(postgres_log()[before:])) >= {SECRET, "917265403881"}


def test_no_cell_stands_there_where_a_statement_is_ended(tmp_path, monkeypatch):
    """In the middle of a count that waits for a lock: by its own time, and by another session."""
    for turn, ends in enumerate(["timeout", "cancel", "terminate"]):
        source, before = loud(), len(postgres_log())
        (schema,) = source.execute("SELECT current_schema()").fetchone()
        plan = every(source)
        ledger = dp.ledger(tmp_path / f"{turn}.ledger", budget=dp.zcdp(2), subject="t")
        with monkeypatch.context() as patch, psycopg.connect(dsn()) as other:
            locking(patch, other, schema, source.info.backend_pid, ends)
            with pytest.raises(EngineError) as caught:
                dp.run(plan, ledger=ledger)

        told, log = shown(caught.value), postgres_log()[before:]
        assert "charge 1 stays spent" in told
        assert "still waiting for AccessShareLock" in log
        assert unseen(told) == []
        assert unseen(log) == []
        assert ledger.left() == dp.zcdp(0)


def locking(patch, other, schema, pid, ends):
    """Have the count, which comes after the charge, wait for a lock until it is ended."""
    from discreet.engine.postgres.connection import PostgresConnection

    honest = PostgresConnection.rows

    def end():
        with psycopg.connect(dsn(), autocommit=True) as third:
            asked = "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s"
            while third.execute(asked, [pid]).fetchone() != (True,):
                time.sleep(0.05)
            time.sleep(0.3)  # it is logged that it waits
            third.execute(f"SELECT pg_{ends}_backend(%s)", [pid])

    def rows(self, *of):
        other.execute(f"LOCK TABLE {schema}.t")
        if ends == "timeout":
            patch.setenv("DISCREET_TIMEOUT", "600ms")
        else:
            threading.Thread(target=end).start()
        return honest(self, *of)

    patch.setattr(PostgresConnection, "rows", rows)
