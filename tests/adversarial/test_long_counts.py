"""Counts that take long, through the public door: what is told meanwhile, and Ctrl-C in the middle.

On DuckDB a view calls a function of ours that waits, on Postgres one that sleeps: both are vouched for.
"""

import os
import signal
import threading
import time
from itertools import pairwise

import duckdb
import psycopg
import pytest

import discreet as dp
from servers import dsn, filled

pytestmark = [pytest.mark.slow, pytest.mark.claim("C36")]
ROWS = [("ann", "a"), ("bob", "b"), ("eve", "a")]
VOUCHED = "each row is one of t"


def waiting(begun, seconds):
    """What waits, and returns a cell as it is."""

    def wait(cell):
        begun.set()
        time.sleep(seconds)
        return cell

    return wait


class OnDuckDB:
    """A database whose view waits in each row."""

    def __init__(self, seconds):
        self.source = duckdb.connect()
        self.begun = threading.Event()
        self.source.create_function("wait", waiting(self.begun, seconds), ["VARCHAR"], "VARCHAR")
        self.source.execute("CREATE TABLE t (who VARCHAR, x VARCHAR)")
        self.source.executemany("INSERT INTO t VALUES (?, ?)", ROWS)
        self.source.execute("CREATE VIEW slow AS SELECT who, wait(x) AS x FROM t")

    def is_counting(self):
        return self.begun.wait(60)

    def is_at_rest(self):
        return self.source.execute("SELECT count(*) FROM t").fetchall() == [(3,)]


class OnPostgres:
    """A server whose view sleeps in each row."""

    def __init__(self, seconds):
        self.source = filled({"who": "text", "x": "text"}, ROWS)
        slept = f"pg_sleep({seconds}) IS NOT NULL"
        self.source.execute(f"CREATE VIEW slow AS SELECT who, x FROM t WHERE {slept}")

    def is_counting(self):
        asked = "SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = %s"
        with psycopg.connect(dsn(), autocommit=True) as other:
            for _ in range(600):
                if other.execute(asked, [self.source.info.backend_pid]).fetchone() == (True,):
                    return True
                time.sleep(0.05)
        return False

    def is_at_rest(self):
        return self.source.info.transaction_status == 0


PLACES = pytest.mark.parametrize("place", [OnDuckDB, OnPostgres])


def counted(table):
    return dp.plan(table, dp.count("x"), spend=dp.zcdp("1/10"))


def chosen(table):
    return dp.plan(table, dp.choose("x"), spend=dp.zcdp("1/10"))


def declared(place):
    return dp.table(place.source, unit="row", name="slow", keys={"x": ["a", "b"]}, vouched=VOUCHED)


@PLACES
def test_who_listens_hears_of_a_long_count_and_of_nothing_else(place, tmp_path):
    """From the second second on of the count, and of the reading for the fingerprint after it."""
    plan, told = counted(declared(place(0.8))), []
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(1), subject="slow")

    release = dp.run(plan, ledger=ledger, progress=lambda *now: told.append(now))

    assert len(release["count by x"].rows) == 2
    assert told
    assert all(percent in (None, *range(101)) for percent, _ in told)
    falls = sum(later < sooner for (_, sooner), (_, later) in pairwise(told))
    assert falls <= 1
    assert min(seconds for _, seconds in told) >= 2


@PLACES
@pytest.mark.parametrize("asked", [counted, chosen], ids=lambda asked: asked.__name__)
def test_ctrl_c_in_the_middle_says_what_was_charged_and_the_ledger_goes_on(place, asked, tmp_path):
    """The count ends, the connection is at rest; the charge stands until its owner voids it."""
    there = place(30 if place is OnPostgres else 0.5)
    plan = asked(declared(there))
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(1), subject="slow")

    def press():
        if there.is_counting():
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    pressing = threading.Thread(target=press)
    pressing.start()
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            dp.run(plan, ledger=ledger)
    finally:
        signal.signal(signal.SIGINT, before)
        pressing.join()

    assert "charge 1 stays spent and its answer was not stored" in "".join(caught.value.__notes__)
    assert there.is_at_rest()
    assert [row.state for row in ledger.book().rows()] == ["open"]
    quick = dp.table([{"x": x} for _, x in ROWS], unit="row", name="slow", keys={"x": ["a", "b"]})
    assert not dp.run(asked(quick), ledger=ledger).repeated
    assert ledger.left() == dp.zcdp("8/10")
    ledger.void(1, reason="interrupted")
    assert ledger.left() == dp.zcdp("9/10")
