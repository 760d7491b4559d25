"""Who is told while an engine reads for long: a person at a terminal, or a program of the user's.

Rules of this module:
- it tells how much of the work is done, as far as the engine can say, and nothing of the data;
- whoever listens cannot stop the work: an error of theirs is theirs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from ..errors import InputError
from ..fix import leave_out

Tell = Callable[[int | None, float], object]  # percent that are done, if known; and seconds
Percent = Callable[[], int | None]

PATIENCE = 2  # seconds: nobody is told of what ends sooner

_LISTENER: ContextVar[Tell | None] = ContextVar("listener", default=None)


def unknown() -> None:
    """Return that nobody knows how much is done."""


def check_listener(tell: object) -> None:
    """Refuse, before the charge, what cannot be called."""
    if tell is not None and not callable(tell):
        raise InputError(
            "progress cannot be called.",
            kind="wrong-type",
            why="it is called with the percent of a count that are done, or None, and the seconds",
            fix=leave_out("progress", of="run", note=", or give it a function of two numbers"),
        )


@contextmanager
def listening(tell: Tell | None) -> Iterator[None]:
    """Have somebody told of what takes long in this context."""
    before = _LISTENER.set(tell)
    try:
        yield
    finally:
        _LISTENER.reset(before)


def is_heard() -> bool:
    """Say whether somebody listens."""
    return _LISTENER.get() is not None


def say(percent: Percent, seconds: float) -> None:
    """Tell who listens how much is done; whatever goes wrong there, the count goes on."""
    tell = _LISTENER.get()
    if tell is not None and seconds >= PATIENCE:
        with suppress(Exception):
            tell(percent(), seconds)
