"""Is a repeat asked of the same data? A keyed fingerprint, kept with each answer, tells.

Rules of this module:
- what the ledger keeps of the data is keyed, sizes and times too; the key lies beside the data;
- a fingerprint is taken after the charge, beside the count, and only kept where the files did not
  change meanwhile; for a repeat it is taken before anything else, and nothing is charged;
- files whose size, times, place and device are as they were need not be read again, if they were
  older than two seconds when they were read (git's rule): this trusts that no program writes into
  them by way of mapped memory, and that the clock of their drive is this machine's;
- that the data changed is told, what changed is not; what cannot be told is said to be so.

Decision 7.
"""

import hmac
import json
import time
from hashlib import sha256
from itertools import chain, count
from typing import Literal

from ..engine.protocol import Prepared
from ..engine.standing import Stats, stats_of
from ..entropy import Coins
from ..errors import EngineError, InputError
from ..fix import write
from ..ledgers.book import Entry
from ..ledgers.file import Ledger
from ..ledgers.fingerprint import Fingerprint
from ..ledgers.notes import now
from .keyfile import key_called, key_for, name_of

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
    found = None if key is None else _taken(prepared, key)
    if key is None or found is None or before is None or stats_of(paths) != before:
        return None
    young = any(max(times) > began - _YOUNG for _, *times, _, _ in before)
    gate = _gate(key, before) if before and not young else ""
    return Fingerprint(coins.bytes(_NONCE).hex(), found, name_of(key), gate)


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
    found = _taken(prepared, key)
    if found is None:
        return "not readable"
    return "same" if hmac.compare_digest(found, kept.print) else "changed"


def refused(verdict: Verdict, known: Entry, book: Ledger, also: str) -> InputError:
    """Return the error of a repeat whose data is not the same, or not known to be.

    Args:
        verdict: why not.
        known: the answer that is stored.
        book: the ledger, to suggest a name that is free.
        also: what else is to be said, above all what was charged.
    """
    day = known.when[:10]
    what = f"this request was answered on {day}, from data that has changed since."
    if verdict != "changed":
        what = f"it cannot be told whether the data is that of {day}, when this was answered."
    return InputError(
        what,
        why=f"{_WHY[verdict]}; {also}",
        fix=(
            write("to pay for the data as it is now", of="run", request=_unused(book)),
            write("to have the stored numbers, for nothing", of="run", request=known.request),
        ),
    )


def _unused(book: Ledger) -> str:
    """Return a name for a new request: the day, with a number where that is taken."""
    day = now()[:10]
    names = chain([day], (f"{day} {number}" for number in count(2)))
    return next(name for name in names if book.snapshot(name).way.latest is None)


def _taken(prepared: Prepared, key: bytes) -> str | None:
    try:
        return prepared.fingerprint(key)
    except EngineError:
        return None


def _gate(key: bytes, stats: Stats) -> str:
    return hmac.new(key, b"discreet gate 1\0" + json.dumps(stats).encode(), sha256).hexdigest()
