"""Room on the disk, held back from the charge until its answer is stored.

Rules of this module:
- the room is taken before anything is charged, and refused there: a disk that fills up later does
  not part an answer from its charge;
- it is a file without a name, so that a process that dies leaves none behind;
- how much is needed follows from the plan alone.

Where a file system does not promise that allocated blocks can be had back (some that copy on write,
network drives, Windows), the room is only likely; then a store that fails is tried again.
"""

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..errors import LedgerError, shown
from .check import PAGE_SIZE

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
        why="a charge and the room for its answer are taken together; nothing was charged",
        fix="make room on the disk, then ask again",
    )
