"""Ctrl-C reaches a running query, and nothing runs on behind the back of the caller."""

import os
import signal
import threading
from threading import Event

import pytest

from discreet.engine.stopping import stoppable


def test_what_is_read_is_returned_and_what_is_raised_is_raised():
    """The thread beside does not show; it has ended when the answer is here."""
    assert stoppable(lambda: 7, lambda: None) == 7
    with pytest.raises(ZeroDivisionError):
        stoppable(lambda: 1 // 0, lambda: None)
    assert "discreet-query" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.slow
def test_a_signal_stops_the_query_and_passes_on_when_it_has_ended():
    """Also where the first word to stop is lost, because the query had not begun.

    A shell starts what it runs in the background without Ctrl-C; here the handler is Python's.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    told: list[str] = []
    stop, ended = Event(), Event()

    def read() -> None:
        os.kill(os.getpid(), signal.SIGINT)  # heard by the main thread
        stop.wait()
        ended.set()

    def lost_at_first() -> None:
        told.append("stop")
        if len(told) == 2:
            stop.set()

    try:
        with pytest.raises(KeyboardInterrupt):
            stoppable(read, lost_at_first)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (told, ended.is_set()) == (["stop", "stop"], True)


def test_beside_the_main_thread_the_work_runs_where_it_was_asked_for():
    """No signal comes to another thread, so none is waited for."""
    found: list[threading.Thread] = []
    caller = threading.Thread(
        target=lambda: found.append(stoppable(threading.current_thread, lambda: None))
    )
    caller.start()
    caller.join()

    assert found == [caller]
