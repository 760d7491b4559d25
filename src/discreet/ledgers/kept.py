"""The connection to a ledger's file, for one transaction or for those of one run.

Rules of this module:
- one connection of this process is used at a time, so that nothing is shared between threads; a
  fork waits until none is, and closes what is kept, so that nothing is shared with a child;
- what a run keeps between its transactions holds no lock; it is left where an error was, or where
  the path leads to another file;
- what a run has read and checked is good for its next transaction, if SQLite says that no other
  connection has written since, and for no later one.
"""

import os
import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from .rows import LedgerRows

ONE_AT_A_TIME = threading.RLock()
Place = tuple[int, int]  # of a file: its device, and its number there
_STEP = 200  # milliseconds for which SQLite waits for others, before Ctrl-C is heard again


class Kept:
    """One connection for the transactions of a run, as long as its path is the same file."""

    def __init__(self) -> None:
        self._open: tuple[sqlite3.Connection, Place] | None = None
        self._read: tuple[object, LedgerRows] | None = None
        with ONE_AT_A_TIME:  # a fork goes through them
            _KEPT.add(self)

    def taken(self, place: Place) -> sqlite3.Connection | None:
        """Return the connection to the file at this place for one transaction; None without one."""
        if self._open is None or self._open[1] != place:
            self.close()
            return None
        connection, self._open = self._open[0], None
        return connection

    def put(self, connection: sqlite3.Connection, place: Place) -> None:
        """Keep a connection whose transaction has ended well; the next one reads the file anew."""
        connection.execute("PRAGMA shrink_memory")
        self._open = connection, place

    def close(self) -> None:
        """Close the connection; a transaction that comes opens another one."""
        with ONE_AT_A_TIME:
            last, self._open, self._read = self._open, None, None
            if last is not None:
                last[0].close()

    def remember(self, rows: "LedgerRows") -> None:
        """Remember what a transaction that wrote nothing has read, and checked."""
        self._read = _version(rows.connection), rows

    def recalled(self, connection: sqlite3.Connection) -> "LedgerRows | None":
        """Return it, once, if it was read by this connection and nobody has written since."""
        read, self._read = self._read, None
        if read is None or read[1].connection is not connection:
            return None
        return read[1] if read[0] == _version(connection) else None


def opened(path: Path) -> sqlite3.Connection:
    """Return a new connection, which any thread may close; `ONE_AT_A_TIME` lets one use it."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(
        address, uri=True, timeout=0, isolation_level=None, check_same_thread=False
    )
    connection.execute(f"PRAGMA busy_timeout = {_STEP}")
    return connection


def _version(connection: sqlite3.Connection) -> object:
    """Return a number that changes when another connection writes to the file."""
    return connection.execute("PRAGMA data_version").fetchone()


_KEPT: WeakSet[Kept] = WeakSet()


def _share_nothing() -> None:
    ONE_AT_A_TIME.acquire()
    for kept in list(_KEPT):
        kept.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_share_nothing,
        after_in_parent=ONE_AT_A_TIME.release,
        after_in_child=ONE_AT_A_TIME.release,
    )
