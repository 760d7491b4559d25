"""The key of fingerprints: 32 secret bytes that lie beside the data, never in a ledger.

Rules of this module:
- whoever can read the key can read the data beside it, and whoever reads a ledger alone has no key;
- a key is whole or not there, also where two processes make it at once;
- a key that cannot be read is no error: then nobody can tell whether data is the same.

For files the key is `.discreet-key` in the folder of the first of them; where that folder takes
none, and for frames and connections, it is `discreet/key` in the user's state folder.
"""

import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from ..entropy import Coins

NAME = ".discreet-key"
_SIZE = 32
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def key_for(paths: Sequence[str], coins: Coins) -> bytes | None:
    """Return the key for data in these files, made where there is none; None where none can be."""
    for place in _places(paths):
        found = _read(place) or _made(place, coins)
        if found is not None:
            return found
    return None


def key_called(paths: Sequence[str], name: str) -> bytes | None:
    """Return the key of this name, if it still lies where a key for these files can lie."""
    found = (_read(place) for place in _places(paths))
    return next((key for key in found if key is not None and name_of(key) == name), None)


def name_of(key: bytes) -> str:
    """Return what a ledger calls a key: 64 bits of a hash of it."""
    return sha256(b"discreet key\0" + key).hexdigest()[:16]


def _places(paths: Sequence[str]) -> Iterator[Path]:
    if paths:
        yield Path(paths[0]).with_name(NAME)
    state = os.environ.get("XDG_STATE_HOME", "")
    with suppress(RuntimeError):  # a user without a home
        base = Path(state) if Path(state).is_absolute() else Path.home().joinpath(".local", "state")
        yield base.joinpath("discreet", "key")


def _read(place: Path) -> bytes | None:
    """Return the key in an ordinary file of exactly its length."""
    with suppress(OSError, ValueError):
        handle = os.open(place, _FLAGS)
        try:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                found = os.read(handle, _SIZE + 1)
                return found if len(found) == _SIZE else None
        finally:
            os.close(handle)
    return None


def _made(place: Path, coins: Coins) -> bytes | None:
    """Write a new key that only its owner can read, unless one is there; return what is there."""
    with suppress(OSError, ValueError):
        if place.name != NAME:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(prefix=f"{NAME}-", dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(coins.bytes(_SIZE))
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):  # another process was faster: its key is the key
                os.link(draft, place)
        finally:
            Path(draft).unlink()
        return _read(place)
    return None
