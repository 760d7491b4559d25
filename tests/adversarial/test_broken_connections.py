"""A server that goes away at each step: the message says what was charged, and of the data nothing."""

import threading
import time

import psycopg
import pytest

import discreet as dp
from discreet.engine.postgres import connection as module
from discreet.engine.sql.server import OutOfTimeError
from discreet.errors import DiscreetError
from servers import connected, dsn, filled, postgres_log

pytestmark = pytest.mark.slow
CANARY = "CANARY-7f3a"


def end(source) -> None:
    """Let another session end this one, as a failing network or server would."""
    with psycopg.connect(dsn(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [source.info.backend_pid])


def run_on(source, ledger, name="t", **how):
    table = dp.table(source, unit="row", name=name, keys={"x": ["a", "b"]}, **how)
    plan = dp.plan(table, dp.count("x"), spend=dp.zcdp("1/10"))
    return plan, lambda: dp.run(plan, ledger=ledger)


def told(run) -> str:
    logged = len(postgres_log())
    with pytest.raises(DiscreetError) as caught:
        run()
    shown, error = "", caught.value
    while error is not None:
        shown, error = f"{shown}\n{error}", error.__cause__ or error.__context__
    assert CANARY not in shown
    assert CANARY not in postgres_log()[logged:]
    return shown


@pytest.mark.claim("C85")
@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_connection_that_is_gone_before_a_step(step, tmp_path, monkeypatch):
    """The look at the table, the plan of the server, the count: only the last comes after the charge."""
    source = filled({"x": "text"}, [("a",), ("b",), (CANARY,)])
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(1), subject="t")
    _, run = run_on(source, ledger)
    steps, begun = iter(range(1, 99)), module.PostgresConnection._transaction

    def transaction(self):
        if next(steps) == step:
            end(source)
        return begun(self)

    monkeypatch.setattr(module.PostgresConnection, "_transaction", transaction)
    shown = told(run)

    left = dp.ledger(tmp_path / "t.ledger").left()
    if step < 3:
        assert "nothing was charged" in shown
        assert left == dp.zcdp(1)
    else:
        assert "charge 1" in shown.lower() or "charged" in shown
        assert left == dp.zcdp("9/10")


@pytest.mark.claim("C85")
def test_a_connection_that_breaks_while_the_server_counts(tmp_path):
    """In the middle of the statement; the charge stays, and a new connection can pay anew."""
    source = filled({"x": "text"}, [("a",), ("b",), (CANARY,)])
    source.execute("CREATE VIEW slow AS SELECT x FROM t WHERE pg_sleep(20) IS NOT NULL")
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(1), subject="slow")
    _, run = run_on(source, ledger, name="slow", vouched="each row is one of t")

    def cut() -> None:
        with psycopg.connect(dsn(), autocommit=True) as other:
            asked = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND query LIKE '%%slow%%' AND state = 'active' AND wait_event = 'PgSleep'"
            for _ in range(600):
                if other.execute(asked, [source.info.backend_pid]).fetchone() == (1,):
                    break
                time.sleep(0.05)
        end(source)

    thread = threading.Thread(target=cut)
    thread.start()
    shown = told(run)
    thread.join()

    assert "charge" in shown
    assert dp.ledger(tmp_path / "t.ledger").left() == dp.zcdp("9/10")


@pytest.mark.claim("C85")
def test_a_count_that_is_interrupted_is_cancelled_on_the_server():
    """What `stop` asks for: the statement ends, and the connection is at rest and usable."""
    source = connected()
    source.execute("CREATE VIEW slow AS SELECT 1 AS x WHERE pg_sleep(20) IS NOT NULL")
    table = dp.table(source, unit="row", name="slow", vouched="one row")
    there = module.PostgresConnection(table)
    found: list[OutOfTimeError] = []

    def count() -> None:
        try:
            there.digest([["x"]])
        except OutOfTimeError as error:
            found.append(error)

    thread = threading.Thread(target=count)
    thread.start()
    while thread.is_alive():
        time.sleep(0.2)
        there.stop()
    assert found
    assert source.info.transaction_status == 0
    assert source.execute("SELECT 1").fetchone() == (1,)
