"""An owner's word for locks that cannot be told, which the ledger keeps.

Rules of this module:
- it helps where nobody can find out whether locks exclude: on file systems that other machines
  reach. Where two handles are given one lock, no word helps;
- the word is a charge of nothing with an answer at once: it says who and why, can never be voided,
  and goes with the file. So it is no new kind of entry, and no other layout;
- a plan has another digest, so that no request of a run can be taken for it.

Decision 121.
"""

import sqlite3
from fractions import Fraction
from pathlib import Path
from shlex import quote

from ..errors import InputError, LedgerError, shown
from .entry import canonical, text_hash, user
from .rules import ChargeRequest
from .sqlite import File
from .store import TRUSTED, require_file

KIND = "trust locks"
_PLAN = text_hash(canonical({"act": KIND}))
_REQUEST = f"{KIND} {_PLAN[:16]}"  # which no run is called by chance
_READ = "SELECT 1 FROM entry WHERE kind = 'result' AND request = ? AND plan = ? LIMIT 1"


def require_word(connection: sqlite3.Connection, path: Path, untold: str) -> None:
    """Refuse to write into a ledger whose owner has not answered for its locks.

    Args:
        connection: to its file, in a transaction.
        path: of the file.
        untold: why its locks cannot be told.

    Raises:
        LedgerError: the ledger keeps no such word.
    """
    if connection.execute(_READ, (_REQUEST, _PLAN)).fetchone() is None:
        raise untold_locks(path, untold, is_new=False)
    TRUSTED.add(require_file(path))


def trust(path: Path, *, why: str, who: str | None = None) -> None:
    """Write the word into a ledger: `Ledger.trust_locks` says what it means.

    Raises:
        InputError: there is no reason, or the ledger keeps the word already.
        LedgerError: the file is out of reach, damaged or changed.
    """
    name = shown(path.name)
    if not why.strip():
        raise InputError(
            f"the locks of {name} cannot be trusted without a reason.",
            kind="reason-missing",
            why="the book keeps who answers for them, and on what grounds",
            fix="say what you know, for example: only one machine writes here",
        )
    file, place = File(path), require_file(path)
    if file.snapshot(_REQUEST).settled is not None:
        raise InputError(
            f"{name} has an owner's statement on its locks already.",
            kind="ledger-locks",
            why="it is given once, and stays",
            fix="go on with the ledger as it is",
        )
    TRUSTED.add(place)
    try:
        _write(file, why, who or user())
    except BaseException:
        TRUSTED.discard(place)
        raise


def untold_locks(path: Path, untold: str, *, is_new: bool) -> LedgerError:
    """Return the refusal to write where locks cannot be told."""
    ledger = quote(shown(path.name, 4_096))
    word = f"discreet ledger trust {ledger} --why REASON"
    if is_new:
        word = "the same with --trust-locks REASON (trust_locks=REASON in Python)"
    return LedgerError(
        f"nobody can tell whether locks exclude in the folder of {shown(path.name)}.",
        kind="ledger-locks",
        why=f"{untold}; where locks do not exclude, two processes write over each other, and the "
        "book is lost",
        fix="keep the ledger on a disk of this machine; where that cannot be, and only one machine "
        f"writes it, the budget's owner answers for it: {word}",
    )


def _write(file: File, why: str, who: str) -> None:
    """Write the charge of nothing and its answer."""
    nothing = file.head().budget().times(Fraction(0))
    event: dict[str, object] = {"act": KIND}
    text = canonical(event)
    ask = ChargeRequest(
        _REQUEST, _PLAN, nothing, [event], who=who, why=why, room=len(text.encode())
    )
    file.settle(file.reserve(ask), text)
