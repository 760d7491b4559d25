"""One transaction on the ledger's SQLite file, and what can go wrong with the file.

The connection to a ledger's file, for one transaction or for those of one run.

Room on the disk, held back from the charge until its answer is stored.

Whether locks exclude in a ledger's folder, tried before this process first writes there.

Rules of this module:
- each transaction has its own connection, closed at its end, or that of its run (`kept`): its
  settings are brought into force and read back when it is opened, and nobody else has it;
- a write holds the lock from its first read on (BEGIN IMMEDIATE); a commit is on the disk, and so
  is the removal of its journal, before it returns (synchronous = EXTRA, read back and refused
  otherwise); an interrupted write leaves nothing behind;
- the file is opened by SQLite alone: closing another handle would drop this process's locks;
- one connection of this process is used at a time, so that nothing is shared between threads; a
  fork waits until none is, and closes what is kept, so that nothing is shared with a child;
- what a run keeps between its transactions holds no lock; it is left where an error was, or where
  the path leads to another file;
- what a run has read and checked is good for its next transaction, if SQLite says that no other
  connection has written since, and for no later one;
- the room is taken before anything is charged, and refused there: a disk that fills up later does
  not part an answer from its charge;
- it is a file without a name, so that a process that dies leaves none behind;
- how much is needed follows from the plan alone;
- whether locks exclude is tried on a file of our own, never the ledger: to close another handle of
  it would drop its locks. What one machine can see is tried: locks that every handle is given.
  Whether another machine sees them, as on network drives without a lock service, no process can
  find out: on file systems that other machines reach, an owner's word is asked for (`trusting`).

Where a file system does not promise that allocated blocks can be had back (some that copy on write,
network drives, Windows), the room is only likely; then a store that fails is tried again.

Decision 160.
"""

import errno
import os
import sqlite3
import stat
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from ..errors import DiscreetError, LedgerError, shown
from ..paths import taken
from .check import PAGE_SIZE
from .entry import FORMAT
from .layout import APPLICATION, STATEMENTS, TABLES, WRITE_WRITER, WRITER_ROW
from .sqlite_errors import CommitError, code_of, damaged, explained, logged, missing, never_released

if TYPE_CHECKING:
    from .rows import LedgerRows


ONE_AT_A_TIME = threading.RLock()
Place = tuple[int, int]  # of a file: its device, and its number there
_STEP = 200  # milliseconds for which SQLite waits for others, before Ctrl-C is heard again
_JOURNAL = "PRAGMA journal_mode"  # which another program may have switched in the file
_VERSION = "PRAGMA data_version"  # a number that changes when another connection writes


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
        self._read = rows.connection.execute(_VERSION).fetchone(), rows

    def recalled(self, connection: sqlite3.Connection) -> "LedgerRows | None":
        """Return it, once, if it was read by this connection and nobody has written since."""
        read, self._read = self._read, None
        if read is None or read[1].connection is not connection:
            return None
        return read[1] if read[0] == connection.execute(_VERSION).fetchone() else None


def opened(path: Path) -> sqlite3.Connection:
    """Return a new connection, which any thread may close; `ONE_AT_A_TIME` lets one use it."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(
        address, uri=True, timeout=0, isolation_level=None, check_same_thread=False
    )
    connection.execute(f"PRAGMA busy_timeout = {_STEP}")
    return connection


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


PATIENCE = 60  # seconds for which a transaction waits for others

_SETTINGS = (  # each is set and read back; a file in write-ahead mode is refused before
    ("journal_mode", "delete"),
    ("synchronous", 3),
    ("secure_delete", 1),
    ("locking_mode", "normal"),
    ("temp_store", 2),  # in memory: no page of the ledger is left in a folder for all
    ("trusted_schema", 0),
    ("cell_size_check", 1),
    ("fullfsync", 1),
)


@contextmanager
def transaction(
    path: Path, *, write: bool, kept: Kept | None = None
) -> Iterator[sqlite3.Connection]:
    """Open the file for one transaction, and commit it if the block ends without an error.

    Args:
        path: the file.
        write: whether it holds the lock of writers from its first read on.
        kept: the connection of a run; without one it is opened, and closed at the end.

    Raises:
        LedgerError: the file is missing, of another kind, newer, damaged, locked or not writable.
    """
    place = require_file(path)
    untold = check_locks(path, place) if write else ""
    with _connected(path, place, kept) as connection:
        patiently(connection, "BEGIN IMMEDIATE" if write else "BEGIN")
        try:
            if not write:  # else it has its lock
                patiently(connection, "SELECT 1 FROM sqlite_master")
            if connection.execute(_JOURNAL).fetchone() == ("wal",):
                raise logged(path)
            _refuse_other_layouts(connection, path)
            if untold and place not in TRUSTED:
                from .trusting import require_word

                require_word(connection, path, untold)
            yield connection
            _commit(connection)
        finally:
            if connection.in_transaction:
                _roll_back(connection)


@contextmanager
def creation(path: Path, *, trusted: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a new file for the transaction that makes the tables, and whatever the block adds.

    Args:
        path: the file.
        trusted: whether its owner answers for locks that cannot be told.

    Raises:
        LedgerError: there is such a file already, or it cannot be made.
    """
    untold = check_locks(path)
    if untold and not trusted:
        from .trusting import untold_locks

        raise untold_locks(path, untold, is_new=True)
    _touch(path)
    with ONE_AT_A_TIME, _explaining(path), closing(opened(path)) as connection:
        for setting in (f"page_size = {PAGE_SIZE}", "auto_vacuum = NONE", "encoding = 'UTF-8'"):
            connection.execute(f"PRAGMA {setting}")
        _settle_in(connection, path)
        patiently(connection, "BEGIN EXCLUSIVE")
        try:
            if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise _exists(path)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            for statement in STATEMENTS[: len(TABLES)]:
                connection.execute(statement)
            connection.execute(WRITE_WRITER, WRITER_ROW)
            yield connection
            for trigger in STATEMENTS[len(TABLES) :]:
                connection.execute(trigger)
            _commit(connection)
        finally:
            if connection.in_transaction:
                _roll_back(connection)


def require_file(path: Path) -> tuple[int, int]:
    """Return which file is at the path, or raise LedgerError unless it is an ordinary one."""
    try:
        status = path.stat()
    except OSError as error:
        raise missing(
            path,
            why="the path does not exist or may not be entered",
            fix=f"make one with discreet ledger init {shown(path.name)}, or correct the path",
        ) from error
    if not stat.S_ISREG(status.st_mode):
        raise LedgerError(
            f"{shown(path)} is not an ordinary file.",
            kind="ledger-file",
            why="a ledger is one file; this is a folder, a device or a pipe",
            fix="give the path of the ledger itself, such as people.ledger",
        )
    if status.st_nlink > 1:
        raise LedgerError(
            f"{shown(path)} has another name as well.",
            kind="ledger-file",
            why="under two names its journal would be lost, and with it the promise to be durable",
            fix="keep the ledger as one file, and remove its other hard links",
        )
    if status.st_size == 0:
        raise LedgerError(
            f"{shown(path.name)} is empty.",
            kind="ledger-file",
            why="it was emptied, or interrupted before it was made; then nothing was ever charged",
            fix="put back a copy; if there never was one, remove the file and start anew with: "
            f"discreet ledger init {shown(path.name)}",
        )
    return status.st_dev, status.st_ino


def patiently(connection: sqlite3.Connection, statement: str) -> None:
    """Run a statement, waiting for other processes in short steps that Ctrl-C can interrupt."""
    end = time.monotonic_ns() + PATIENCE * 10**9
    while True:
        try:
            connection.execute(statement).fetchone()
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_BUSY or time.monotonic_ns() > end:
                raise
        else:
            return


@contextmanager
def _connected(path: Path, place: Place, kept: Kept | None) -> Iterator[sqlite3.Connection]:
    """Use the connection of a run, or open one; without a run, and after an error, it is closed."""
    with ONE_AT_A_TIME, _explaining(path), ExitStack() as ended:
        last = None if kept is None else kept.taken(place)
        connection = last or opened(path)
        ended.callback(connection.close)
        if last is None:
            _settle_in(connection, path)
        yield connection
        if kept is not None:
            ended.pop_all()
            kept.put(connection, place)


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes what it cannot parse
        raise explained(error, path) from error


def _settle_in(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the connection's settings into force, and refuse to go on without them."""
    patiently(connection, "SELECT 1 FROM sqlite_master")
    if connection.execute(_JOURNAL).fetchone() == ("wal",):
        raise logged(path)
    for name, wanted in _SETTINGS:
        connection.execute(f"PRAGMA {name} = {wanted}")
        if connection.execute(f"PRAGMA {name}").fetchone() != (wanted,):
            raise LedgerError(
                f"this SQLite library does not accept {name} = {wanted}.",
                kind="ledger-file",
                why=f"without it the ledger would not be durable ({sqlite3.sqlite_version})",
                fix="use a Python with SQLite 3.35 or later",
            )


def _refuse_other_layouts(connection: sqlite3.Connection, path: Path) -> None:
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if mark != APPLICATION:
        raise LedgerError(
            f"{shown(path.name)} is not a ledger.",
            kind="not-a-ledger",
            why="it is another program's SQLite file",
            fix="check the path",
        )
    if 0 < version < FORMAT:
        raise never_released(path, f"layout {version}")
    if version > FORMAT:
        raise LedgerError(
            f"{shown(path.name)} has format {version}, this version knows {FORMAT}.",
            kind="not-a-ledger",
            why="a newer discreet wrote it; an older one could overlook a charge",
            fix="upgrade discreet",
        )
    made = connection.execute("SELECT sql FROM sqlite_master ORDER BY rowid").fetchall()
    if version != FORMAT or made != [(statement,) for statement in STATEMENTS]:
        raise damaged(path, "its tables or triggers are not the ones that discreet makes")


def _touch(path: Path) -> None:
    """Make an empty private file; one that is empty already will do.

    Its journal is named after it, and a name with no room for that would leave an empty file.
    """
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            path.with_name(f"{path.name}-journal").lstat()
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError as error:
        if path.stat().st_size or not path.is_file():
            raise _exists(path) from error
        path.chmod(0o600)
    except OSError as error:
        raise LedgerError(
            f"{shown(path)} cannot be made.",
            kind="ledger-not-written",
            why=(error.strerror or "the folder does not allow it").lower(),
            fix="choose a folder that exists and that this user may write in",
        ) from error


def _exists(path: Path) -> DiscreetError:
    return taken(
        path.name,
        error=LedgerError,
        why="a new ledger in its place would forget what was spent",
        fix="choose another path, or open the ledger that is there",
    )


def _commit(connection: sqlite3.Connection) -> None:
    """Commit; where the disk fails, only the file itself can tell what it holds.

    A lock or a full disk stop a commit before it is made: the journal still stands, and undoes it.
    """
    try:
        patiently(connection, "COMMIT")
    except sqlite3.Error as error:
        if code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL):
            raise
        raise CommitError(str(error)) from error


def _roll_back(connection: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):
        connection.execute("ROLLBACK")


_PAGES = 32  # of the tables that storing an answer touches or adds, and of their copies
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def spare(ledger: Path, room: int) -> Iterator[Callable[[], None]]:
    """Hold so much room beside a ledger that an answer of `room` bytes can be stored.

    Storing writes in place; what it needs is a copy of the old pages, and a few new ones.

    Returns: what gives the room back to the disk, for the store that comes next.

    Raises:
        LedgerError: there is not so much room; nothing was charged.
    """
    size = 2 * room + _PAGES * PAGE_SIZE
    with ExitStack() as held:
        try:
            file = held.enter_context(tempfile.TemporaryFile(dir=ledger.resolve().parent))
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            if error.errno in _FULL:
                raise _no_room(ledger, size + room) from error
        yield held.close


def _no_room(ledger: Path, size: int) -> LedgerError:
    tenths = -(-size // 100_000)
    return LedgerError(
        f"the disk has no room for this release beside {shown(ledger.name)}: it needs "
        f"{tenths // 10}.{tenths % 10} MB.",
        kind="ledger-not-written",
        why="a charge and the room for its answer are taken together; nothing was charged",
        fix="make room on the disk, then ask again",
    )


_AT = 2**30  # where SQLite has its locks in a file
_TRIED: dict[Place, str] = {}  # folders and ledgers in them, and what check_locks said of them
TRUSTED: set[Place] = set()  # ledgers whose owner's word this process has read
_MOUNTS = Path("/proc/self/mountinfo")
_SHARED = {  # file systems that other machines reach
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "afs", "ceph", "lustre", "fuse"),
    *("glusterfs", "beegfs", "gpfs", "vboxsf", "vmhgfs", "ncpfs", "prl_fs"),
}


def check_locks(ledger: Path, known: Place | None = None) -> str:
    """Try the locks of a ledger's folder, once in this process; return why they cannot be told.

    A lock of the kind that SQLite takes, which belongs to the process, keeps off one that belongs
    to a handle, also in the same process: so no second process is needed.

    Returns: "" on a disk of this machine whose locks exclude, and where there is none to try.

    Raises:
        LedgerError: two handles had one lock at once.
    """
    if known in _TRIED:  # a file stays on its file system, to whatever folder it is moved
        return _TRIED[known]
    folder, untold = ledger.resolve().parent, ""
    with suppress(OSError):  # a folder that cannot be written in is told where the ledger is opened
        status = folder.stat()
        place = status.st_dev, status.st_ino
        if place in _TRIED:
            return _TRIED.setdefault(known or place, _TRIED[place])
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".discreet-lock-") as file:
            excludes = _excludes(file.fileno(), file.name)
        if excludes is False:
            raise _not_excluding(ledger)
        untold = "" if excludes else "this system has no locks by which that is tried"
        with suppress(FileNotFoundError):  # not Linux
            mounts, own = [line.split() for line in _MOUNTS.read_text().splitlines()], f"{folder}/"
            under = [
                m for m in mounts if own.startswith(m[4].rstrip("/").replace(r"\040", " ") + "/")
            ]
            last = max(enumerate(under), key=lambda pair: (len(pair[1][4]), pair[0]))[1]
            system = last[last.index("-") + 1]
            if system in _SHARED or system.startswith("fuse."):
                untold = f"it is on {system}, which other machines may reach"
        _TRIED[place] = untold
    return untold


def _excludes(first: int, name: str) -> bool | None:
    """Say whether a second handle is refused what a first one has locked; None: not to be told."""
    try:
        import fcntl

        own, of_handle = fcntl.F_SETLK, fcntl.F_OFD_SETLK
    except (ImportError, AttributeError):  # not Linux
        return True
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, _AT, 1, 0)
    second = os.open(name, os.O_RDWR)
    try:
        fcntl.fcntl(first, own, wanted)
        fcntl.fcntl(second, of_handle, wanted)
    except OSError as error:  # refused; or no locks at all, which SQLite tells where it needs them
        return None if error.errno == errno.EINVAL else True
    finally:
        os.close(second)
    return False


def _not_excluding(ledger: Path) -> LedgerError:
    return LedgerError(
        f"locks do not exclude in the folder of {shown(ledger.name)}.",
        kind="ledger-locks",
        why="two handles had one lock at once, as on some network drives and synced folders; there "
        "two processes write over each other, and the book is lost",
        fix="keep the ledger on a disk of this machine, and give its path there",
    )
