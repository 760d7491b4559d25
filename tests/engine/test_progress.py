"""What is told of a count that takes long, to whom, and that nothing can go wrong by it."""

import threading
import time

import pytest

import discreet as dp
from discreet.engine.duckdb.connection import own_connection, percent_of
from discreet.engine.progress import listening
from discreet.engine.stopping import stoppable
from discreet.errors import InputError

SLOW = "SELECT count(*) FROM range(40000) a, range(40000) b WHERE a.range * b.range % 7 = 1"


def test_duckdb_says_how_far_it_is_and_prints_nothing(capfd):
    """Percent, told from another thread, until the count is broken off."""
    connection, close = own_connection([])
    told = []

    def enough(percent, seconds):
        told.append((percent, seconds))
        connection.interrupt()

    with listening(enough), pytest.raises(Exception, match="nterrupt"):
        stoppable(
            lambda: connection.execute(SLOW).fetchall(),
            connection.interrupt,
            lambda: percent_of(connection),
        )
    close()

    assert all(percent in (None, *range(1, 101)) and seconds >= 2 for percent, seconds in told)
    assert told
    assert capfd.readouterr() == ("", "")


def test_what_ends_soon_is_not_told():
    """Under two seconds nobody hears of it."""
    told = []
    with listening(lambda *now: told.append(now)):
        stoppable(lambda: time.sleep(1.2), lambda: None)

    assert told == []


@pytest.mark.slow
@pytest.mark.parametrize("apart", [False, True])
def test_an_error_of_who_listens_changes_nothing(apart):
    """Neither in the main thread nor in another one."""
    found, told = [], []

    def broken(percent, _):
        told.append(percent)
        raise RuntimeError

    def work():
        with listening(broken):
            found.append(stoppable(lambda: time.sleep(2.5) or 7, lambda: None))

    if apart:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:
        work()

    assert found == [7]
    assert told
    assert set(told) == {None}


def test_a_listener_that_cannot_be_called_is_refused_before_the_charge(tmp_path):
    """And a good one is handed on; the next run does not hear it."""
    table = dp.table([{"x": 1}], name="t", unit="row")
    plan = dp.plan(table, dp.count(), spend=dp.pure(1))
    book = dp.ledger(tmp_path / "ledger", budget=dp.pure(1), subject="t")

    with pytest.raises(InputError, match="progress cannot be called"):
        dp.run(plan, ledger=book, progress="bar")

    dp.run(plan, ledger=book, progress=print)
    assert dp.ledger(tmp_path / "ledger").left().epsilon == 0
