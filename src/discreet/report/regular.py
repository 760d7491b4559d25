"""Files of this machine, read up to a limit.

Rules of this module:
- only a regular file is read: a device has no end, and a pipe may never begin;
- no more than the limit is read, and a byte behind it is a refusal.
"""

import os
from errno import EINVAL
from pathlib import Path
from stat import S_ISREG

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would make `open` wait


class Refused(OSError):  # noqa: N818 - the word that callers read
    """A file that is there and is not read; `strerror` says why, as a clause."""

    def __init__(self, why: str) -> None:
        super().__init__(EINVAL, why)


def regular(path: Path, most: int) -> bytes:
    """Return the content of a regular file.

    Args:
        path: where it is; a link is followed.
        most: how many bytes it may have.

    Raises:
        Refused: it is no regular file, or longer than that.
        OSError: the operating system does not give it.
        ValueError: it cannot be a path.
    """
    with open(path, "rb", opener=_opened) as file:
        found = os.fstat(file.fileno())
        if not S_ISREG(found.st_mode):
            raise Refused("it is a device or a pipe, not a file")
        content = file.read(most + 1) if found.st_size <= most else b""
        if found.st_size > most or len(content) > most:
            raise Refused(f"it is longer than {most:,} bytes")
        return content


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | _AT_ONCE)


def why_not(error: OSError | ValueError) -> str:
    """Return why a file was not read, as a clause that quotes nothing of it."""
    if isinstance(error, Refused):
        return str(error.strerror)
    said = getattr(error, "strerror", None) or "no such path"
    return f"the operating system says: {said}"
