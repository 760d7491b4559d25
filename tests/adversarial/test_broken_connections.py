"""A server that goes away at each step: the message says what was charged, and of the data nothing."""

import threading
import time
from functools import partial
from itertools import count

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
    return all_of(caught.value, logged)


def all_of(error, logged) -> str:
    """What an error says, with all that hangs on it; neither it nor the log says a cell."""
    shown = ""
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


def chosen(table):
    """Numbers, a choice and another count: one statement after the charge."""
    return dp.plan(table, dp.count("x"), dp.choose("x"), spend=dp.zcdp("1/10"))


def searched(table):
    """Keys are looked for in rounds, the table is opened again, and what was found is counted."""
    limits = {"max_groups": 1, "max_rows_per_group": 1}
    asked = (dp.count("x", **limits), dp.group_sizes("x"))
    return dp.plan(table, *asked, spend=dp.approx("1/10", "1e-6"))


WHOLE = {  # of a plan: the unit, the keys, the budget; and of so many statements one is tried
    chosen: ("row", ["a", "b", "c"], dp.zcdp(1), 2),
    searched: (dp.unit("who"), dp.unknown(max_groups=1), dp.approx(1, "1e-5"), 5),
}


@pytest.mark.exhaustive
@pytest.mark.claim("C85")
@pytest.mark.parametrize("asked", WHOLE, ids=lambda asked: asked.__name__)
def test_a_connection_that_is_gone_before_a_statement(asked, tmp_path, monkeypatch):
    """From the look at the table to the digest of its rows, without which the answer is stored, too."""
    unit, keys, budget, of = WHOLE[asked]
    rows = [(f"p{n}", "abc"[n % 3] if n < 90 else CANARY) for n in range(99)]
    outcomes = []
    for broken in range(1, 999, of):
        source = filled({"who": "text", "x": "text"}, rows)
        path = tmp_path / f"{broken}.ledger"
        ledger = dp.ledger(path, budget=budget, subject="t")
        plan = asked(dp.table(source, unit=unit, name="t", keys={"x": keys}))
        with monkeypatch.context() as patch:
            reached = ending(patch, source, broken)
            outcomes.append(outcome(partial(dp.run, plan, ledger=ledger), ledger, budget))
        if not reached:
            break
    assert outcomes[-1] == "answered"
    order = [one for at, one in enumerate(outcomes) if at == 0 or outcomes[at - 1] != one]
    assert order == ["nothing was charged", "charge 1 stays spent", "answered"]


def ending(patch, source, broken):
    """End the connection before the so-manieth statement that reads something; settings are none."""
    seen, reached, execute = count(1), [], psycopg.RawCursor.execute

    def ends(self, text, *given, **how):
        if "set_config" not in text and next(seen) == broken:
            reached.append(text)
            end(source)
        return execute(self, text, *given, **how)

    patch.setattr(psycopg.RawCursor, "execute", ends)
    return reached


def outcome(run, ledger, budget):
    """What is told, which is what stands in the ledger; of the data nothing is."""
    logged = len(postgres_log())
    try:
        run()
    except DiscreetError as error:
        shown = all_of(error, logged)
        states = [row.state for row in ledger.book().rows()]
        said = "nothing was charged" if "nothing was charged" in shown else "charge 1 stays spent"
        assert said in shown
        assert states == ([] if said == "nothing was charged" else ["open"])
        assert (ledger.left() == budget) == (not states)
        return said
    assert [row.state for row in ledger.book().rows()] == ["answered"]
    return "answered"


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
