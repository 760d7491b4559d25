"""A folder for what is being written, beside where it will go.

Rules of this module:
- what is still there at the end is removed, and so is what a killed process left over an hour ago:
  it may hold numbers that are not published yet;
- a folder that a living process works in is locked, and stays.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = ".discreet-"
_HOUR = 3_600  # seconds: far longer than from making a folder to locking it


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Give an empty folder in another one, on the same disk, that goes away at the end."""
    _sweep(parent)
    made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    lock = _locked(made)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _sweep(parent: Path) -> None:
    """Remove what killed processes of this user have left."""
    with suppress(OSError):
        for left in parent.glob(f"{_PREFIX}????????"):
            with suppress(OSError):
                _remove(left)


def _remove(left: Path) -> None:
    found = left.lstat()
    if not left.is_dir() or left.is_symlink() or found.st_uid != getattr(os, "getuid", int)():
        return
    lock = _locked(left) if time.time() - found.st_mtime > _HOUR else None
    if lock is not None:
        shutil.rmtree(left, ignore_errors=True)
        os.close(lock)


def _locked(folder: Path) -> int | None:
    """Lock a folder, and return what holds the lock; None where another has it, or none can be."""
    try:
        import fcntl

        held = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        return None
    return held
