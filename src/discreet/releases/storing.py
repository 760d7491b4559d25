"""Store an answer that was paid for, and do not give up at once.

Rules of this module:
- until it is stored an answer is in memory alone, and its charge is spent: so a full disk or a lock
  is waited for, for as long as a transaction waits;
- damage is not waited for.
"""

import time
from collections.abc import Callable
from contextlib import suppress

from ..errors import LedgerError
from ..ledgers import store
from ..ledgers.book import Entry
from ..ledgers.file import Charge, Ledger
from ..ledgers.fingerprint import Fingerprint
from ..ledgers.trouble import is_damage

_PAUSE = 0.5  # exact: seconds between two tries


def stored_patiently(
    file: Ledger, charge: Charge, text: str, fingerprint: Fingerprint | None
) -> Entry:
    """Store an answer, and return the entry whose text may leave, as `Ledger.settle` does.

    Ctrl-C ends the patience, but not before one more try; so does a lack of memory.

    Raises: as `Ledger.settle`, once patience has an end.
    """

    def settle() -> Entry:
        return file.settle(charge, text, fingerprint)

    try:
        return _tried(settle)
    except (KeyboardInterrupt, MemoryError):
        with suppress(LedgerError):
            settle()
        raise


def _tried(settle: Callable[[], Entry]) -> Entry:
    end = time.monotonic_ns() + store.PATIENCE * 10**9
    while True:
        try:
            return settle()
        except LedgerError as error:
            if is_damage(error) or time.monotonic_ns() > end:
                raise
        time.sleep(_PAUSE)
