"""Is a repeat asked of the same data? A keyed fingerprint, kept with each answer, tells.

The key of fingerprints: 32 secret bytes that lie beside the data, never in a ledger.

Rules of this module:
- what the ledger keeps of the data is keyed, sizes and times too; the key lies beside the data;
- a fingerprint is taken after the charge, beside the count, and only kept where the files did not
  change meanwhile; for a repeat it is taken before anything else, and nothing is charged;
- files whose size, times, place and device are as they were need not be read again, if they were
  older than two seconds when they were read (git's rule): this trusts that no program writes into
  them by way of mapped memory, and that the clock of their drive is this machine's;
- that the data changed is told, what changed is not; what cannot be told is said to be so;
- whoever can read the key can read the data beside it, and whoever reads a ledger alone has no key;
- a key is whole or not there, also where two processes make it at once;
- a key that cannot be read is no error: then nobody can tell whether data is the same.

Decision 7.

For files the key is `.discreet-key` in the folder of the first of them; where that folder takes
none, and for frames and connections, it is `discreet/key` in the user's state folder.
"""

import hmac
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import chain, count
from pathlib import Path
from typing import Literal

from ..engine.files import Stats, stats_of
from ..engine.protocol import Prepared
from ..entropy import Coins
from ..errors import EngineError, InputError
from ..fix import write
from ..ledgers.book import Entry
from ..ledgers.entry import Fingerprint, now
from ..ledgers.sqlite import File
from ..paths import remembered

Verdict = Literal["same", "changed", "no fingerprint", "no key", "not readable"]

_YOUNG = 2 * 10**9  # nanoseconds
_NONCE = 32
_WHY = {
    "changed": "a repeat returns the stored numbers, which are of the old data",
    "no fingerprint": "no fingerprint of its data could be kept when it was answered",
    "no key": "the key that its data was fingerprinted with is not beside the data",
    "not readable": "the data cannot be opened or read",
}


def fingerprint_of(prepared: Prepared, before: Stats, coins: Coins) -> Fingerprint | None:
    """Return the fingerprint of data that was just counted, or None where it cannot be had.

    Args:
        prepared: the data.
        before: what the system said of its files before they were counted.
        coins: secret bytes.
    """
    paths, began = prepared.paths(), time.time_ns()
    key = key_for(paths, coins)
    digest = None if key is None else _digest(prepared, key)
    if key is None or digest is None or before is None or stats_of(paths) != before:
        return None
    young = any(max(times) > began - _YOUNG for _, *times, _, _ in before)
    gate = _gate(key, before) if before and not young else ""
    return Fingerprint(coins.bytes(_NONCE).hex(), digest, name_of(key), gate)


def compared(prepared: Prepared, kept: Fingerprint | None) -> Verdict:
    """Tell whether the data is what an answer was made of; it may read all of it."""
    if kept is None:
        return "no fingerprint"
    key = key_called(prepared.paths(), kept.key)
    if key is None:
        return "no key"
    here = stats_of(prepared.paths())
    if here and kept.gate and hmac.compare_digest(_gate(key, here), kept.gate):
        return "same"
    digest = _digest(prepared, key)
    if digest is None:
        return "not readable"
    return "same" if hmac.compare_digest(digest, kept.print) else "changed"


def _digest(prepared: Prepared, key: bytes) -> str | None:
    """Return the keyed digest of data; None where it cannot be read."""
    with suppress(EngineError):
        return prepared.fingerprint(key)
    return None


def refused(verdict: Verdict, known: Entry, file: File, also: str) -> InputError:
    """Return the error of a repeat whose data is not the same, or not known to be.

    Args:
        verdict: why not.
        known: the answer that is stored.
        file: of the ledger, to suggest a name that is free.
        also: what else is to be said, above all what was charged.
    """
    day = known.when[:10]
    what = f"this request was answered on {day}, from data that has changed since."
    if verdict != "changed":
        what = f"it cannot be told whether the data is that of {day}, when this was answered."
    return InputError(
        what,
        kind="repeat-refused",
        why=f"{_WHY[verdict]}; {also}",
        fix=(
            write("to pay for the data as it is now", of="run", request=_unused(file)),
            write("to have the stored numbers, for nothing", of="run", request=known.request),
        ),
    )


def _unused(file: File) -> str:
    """Return a name for a new request: the day, with a number where that is taken."""
    day = now()[:10]
    names = chain([day], (f"{day} {number}" for number in count(2)))
    return next(name for name in names if file.snapshot(name).way.latest is None)


def _gate(key: bytes, stats: Stats) -> str:
    return hmac.new(key, b"discreet gate 1\0" + json.dumps(stats).encode(), sha256).hexdigest()


NAME = ".discreet-key"
_SIZE = 32
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def key_for(paths: Sequence[str], coins: Coins) -> bytes | None:
    """Return the key for data in these files, made where there is none; None where none can be."""
    for place in _places(paths):
        key = _read(place) or _made(place, coins)
        if key is not None:
            return key
    return None


def key_called(paths: Sequence[str], name: str) -> bytes | None:
    """Return the key of this name, if it still lies where a key for these files can lie."""
    keys = (_read(place) for place in _places(paths))
    return next((key for key in keys if key is not None and name_of(key) == name), None)


def name_of(key: bytes) -> str:
    """Return what a ledger calls a key: 64 bits of a hash of it."""
    return sha256(b"discreet key\0" + key).hexdigest()[:16]


def _places(paths: Sequence[str]) -> Iterator[Path]:
    if paths:
        yield Path(paths[0]).with_name(NAME)
    if (place := remembered("key")) is not None:
        yield place


def _read(place: Path) -> bytes | None:
    """Return the key in an ordinary file of exactly its length."""
    with suppress(OSError, ValueError):
        handle = os.open(place, _FLAGS)
        try:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                content = os.read(handle, _SIZE + 1)
                return content if len(content) == _SIZE else None
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
