"""Files of this machine, read up to a limit.

Rules of this module:
- only a regular file is read: a device has no end, and a pipe may never begin;
- no more than the limit is read, and a byte behind it is a refusal.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EINVAL
from pathlib import Path
from stat import S_ISREG
from typing import IO

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would make `open` wait


class RefusedFile(OSError):  # noqa: N818 - the word that callers read
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
    with opened(path) as file:
        too_long = os.fstat(file.fileno()).st_size > most
        content = b"" if too_long else file.read(most + 1)
        if too_long or len(content) > most:
            raise RefusedFile(f"it is longer than {most:,} bytes")
        return content


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a regular file; raises as `regular`, but does not look at its length."""
    with open(path, "rb", opener=_opened) as file:
        if not S_ISREG(os.fstat(file.fileno()).st_mode):
            raise RefusedFile("it is a device or a pipe, not a file")
        yield file


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | _AT_ONCE)


def why_not(error: OSError | ValueError) -> str:
    """Return why a file was not read, as a clause that quotes nothing of it."""
    if isinstance(error, RefusedFile):
        return str(error.strerror)
    said = getattr(error, "strerror", None) or "no such path"
    return f"the operating system says: {said}"
