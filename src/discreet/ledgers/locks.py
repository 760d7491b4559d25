"""Whether locks exclude in a ledger's folder, tried before this process first writes there.

Rules of this module:
- a file of our own is tried, never the ledger: to close another handle of it would drop its locks;
- what one machine can see is tried: locks that every handle is given. Whether another machine sees
  them, as on network drives without a lock service, no process can find out.
"""

import os
import struct
import tempfile
from contextlib import suppress
from pathlib import Path

from ..errors import LedgerError, shown

_AT = 2**30  # where SQLite has its locks in a file
_TRIED: set[tuple[int, int]] = set()  # folders, by device and number


def check_locks(ledger: Path) -> None:
    """Try the locks of a ledger's folder, once in this process.

    A lock of the kind that SQLite takes, which belongs to the process, keeps off one that belongs
    to a handle, also in the same process: so no second process is needed.

    Raises:
        LedgerError: two handles had one lock at once.
    """
    folder = ledger.resolve().parent
    with suppress(OSError):  # a folder that cannot be written in is told where the ledger is opened
        found = folder.stat()
        place = found.st_dev, found.st_ino
        if place in _TRIED:
            return
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".discreet-lock-") as file:
            excludes = _excludes(file.fileno(), file.name)
        if not excludes:
            raise _refused(ledger)
        _TRIED.add(place)


def _excludes(first: int, name: str) -> bool:
    """Say whether a second handle of a file is refused what a first one has locked."""
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
    except OSError:  # refused; or there are no such locks, which SQLite tells where it needs them
        return True
    finally:
        os.close(second)
    return False


def _refused(ledger: Path) -> LedgerError:
    return LedgerError(
        f"locks do not exclude in the folder of {shown(ledger.name)}.",
        why="two handles had one lock at once, as on some network drives and synced folders; there "
        "two processes write over each other, and the book is lost",
        fix="keep the ledger on a disk of this machine, and give its path there",
    )
