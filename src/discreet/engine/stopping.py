"""A query that Ctrl-C stops at once, and that tells how far it is.

Rules of this module:
- Python hears a signal only in its main thread, and only between its own steps, so the query runs
  in a thread beside it;
- when the wait is broken off the query is told to stop, and nothing goes on before it has.
"""

from collections.abc import Callable
from threading import Event, Thread, current_thread, main_thread
from time import monotonic
from typing import TypeVar

from .progress import Percent, is_heard, say, unknown

_SECOND = 1  # a system may hand a signal to another thread; a stop before the query began is lost

Found = TypeVar("Found")


def stoppable(
    read: Callable[[], Found], stop: Callable[[], None], percent: Percent = unknown
) -> Found:
    """Return what `read` returns; a signal that breaks the wait calls `stop` and passes on.

    Args:
        read: the work, which releases the interpreter while it runs.
        stop: makes `read` end soon, from another thread; called again while it does not end.
        percent: says how much of it is done, from 0 to 100, or None, from another thread.
    """
    if current_thread() is not main_thread() and not is_heard():  # no signal comes here
        return read()
    answers: list[Found] = []
    failed: list[BaseException] = []
    broken, ended = Event(), Event()

    def work() -> None:
        try:
            if not broken.is_set():
                answers.append(read())
        except BaseException as error:  # noqa: BLE001 - it is raised again by who waits
            failed.append(error)
        finally:
            ended.set()

    thread = Thread(target=work, name="discreet-query")
    start = monotonic()
    try:
        thread.start()
        while not ended.wait(timeout=_SECOND):
            say(percent, monotonic() - start)
    except BaseException:
        broken.set()
        stop()
        while thread.ident is not None and not ended.wait(timeout=_SECOND):
            stop()
        raise
    thread.join()
    if failed:
        raise failed.pop()
    return answers[0]
