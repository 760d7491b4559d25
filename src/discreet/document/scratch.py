"""A folder for what is being written, beside where it will go.

Rules of this module:
- what is still there at the end is removed, and so is what a killed process of this user left: it
  may hold numbers that are not published yet;
- a folder that a living process works in is locked, and stays; the lock ends with the process;
- where the system has no such locks, nothing is removed that another process made.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PREFIX = ".discreet-"
_LETTERS = 8  # that make the name of each folder its own


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Give an empty folder in another one, on the same disk, that goes away at the end.

    Raises:
        OSError: it cannot be made.
    """
    _sweep(parent)
    made, lock = _made(parent)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _sweep(parent: Path) -> None:
    """Remove what killed processes of this user have left."""
    with suppress(OSError):
        for entry in os.scandir(parent):
            lock = _locked(Path(entry.path), wait=False) if _is_ours(entry) else None
            if lock is not None:
                shutil.rmtree(entry.path, ignore_errors=True)
                os.close(lock)


def _is_ours(entry: "os.DirEntry[str]") -> bool:
    """Tell whether a folder has a name that `scratch` gives, and is this user's."""
    named = entry.name.startswith(_PREFIX) and len(entry.name) == len(_PREFIX) + _LETTERS
    with suppress(OSError):
        return (
            named
            and entry.is_dir(follow_symlinks=False)
            and entry.stat(follow_symlinks=False).st_uid == getattr(os, "getuid", int)()
        )
    return False


def _made(parent: Path) -> tuple[Path, int | None]:
    """Return a new folder, and what holds its lock, where there are locks."""
    while True:
        made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        lock = _locked(made, wait=True)
        if made.exists():  # else another process took it for one that was left
            return made, lock
        if lock is not None:
            os.close(lock)


def _locked(folder: Path, *, wait: bool) -> int | None:
    """Lock a folder, and return what holds the lock; None where another has it, or none can be."""
    if fcntl is None:
        return None
    with suppress(OSError):
        held = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            os.close(held)
        else:
            return held
    return None
