"""What can go wrong with the ledger's file, as SQLite and the system say it, in three lines.

Rules of this module:
- the words of SQLite itself are not passed on: it quotes what it cannot parse;
- an error whose outcome is not known says so; who caused it looks at the file (`states`).
"""

import sqlite3
from pathlib import Path

from ..errors import InternalError, LedgerError, shown
from ..fix import Fix

_KEEP = "put back a copy of the ledger, then verify it with the releases that were made"
_TROUBLE = {
    sqlite3.SQLITE_BUSY: (
        "is locked by another process.",
        "it waited for a minute; nothing was written",
        "wait for the other process, or end it, and try again",
    ),
    sqlite3.SQLITE_READONLY: (
        "cannot be written: the file is read-only.",
        "a release is charged before the data is read; nothing was written",
        "chmod u+w the file, and allow writing in its folder",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened, or its journal cannot be written.",
        "this user may not read the file or may not write in its folder; nothing was written",
        "check the rights of the file and of its folder",
    ),
    sqlite3.SQLITE_FULL: (
        "cannot be written: the disk is full.",
        "nothing of the write counts; what was in the ledger before is still there",
        "make room on the disk and try again",
    ),
    sqlite3.SQLITE_IOERR: (
        "cannot be written or read: the disk is full or failing.",
        "nothing of the write counts; what was in the ledger before is still there",
        "make room on the disk, or move the ledger to a sound one, and try again",
    ),
    sqlite3.SQLITE_TOOBIG: (
        "cannot hold so long an answer.",
        "SQLite keeps at most 1 GB in one place; nothing was written",
        "ask for fewer cells",
    ),
    sqlite3.SQLITE_NOTADB: ("is not a ledger.", "the file is of another kind", "check the path"),
}
_ALIASES = {
    sqlite3.SQLITE_LOCKED: sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_PERM: sqlite3.SQLITE_CANTOPEN,
}


def missing(path: object, *, why: str, fix: Fix) -> LedgerError:
    """Refuse to work with a ledger that is not there."""
    return LedgerError(
        f"there is no ledger {shown(path)}.", kind="no-such-ledger", why=why, fix=fix
    )


class CommitError(sqlite3.Error):
    """A commit failed, and with it the knowledge whether it was made."""


def is_damage(error: LedgerError) -> bool:
    """Tell whether an error means that the content is wrong, rather than out of reach."""
    cause = error.__cause__
    return not isinstance(cause, OSError | CommitError) and (
        not isinstance(cause, sqlite3.Error)
        or code_of(cause) not in _TROUBLE.keys() - {sqlite3.SQLITE_NOTADB}
    )


def is_unsure(error: LedgerError) -> bool:
    """Tell whether an error leaves open if the write was made: its commit failed."""
    return isinstance(error.__cause__, CommitError)


def damaged(path: Path, finding: str) -> LedgerError:
    """Return the error for a file whose content breaks the rules."""
    return LedgerError(
        f"{shown(path.name)} is damaged or was changed.",
        kind="ledger-damaged",
        why=finding,
        fix=_KEEP,
    )


def never_released(path: Path, what: str) -> LedgerError:
    """Return the error for a ledger as versions before the first release made them."""
    return LedgerError(
        f"{shown(path.name)} has {what}, which no released version has made.",
        kind="ledger-damaged",
        why="this version reads layout 2 alone, whose entries were all charged by its own rules",
        fix="let the version that made it show what is left of its budget, and start a new ledger "
        "with that: discreet ledger init NEW.ledger",
    )


def code_of(error: BaseException) -> int:
    """Return SQLite's code of an error, without its finer parts."""
    code = int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)) & 0xFF
    return _ALIASES.get(code, code)


def explained(error: Exception, path: Path) -> LedgerError | InternalError:
    """Return what an error of SQLite means for whoever keeps the ledger."""
    if isinstance(error, CommitError):
        return LedgerError(
            f"the disk failed while a write to {shown(path.name)} was committed.",
            kind="ledger-not-written",
            why="then only the file can tell whether the write was made",
            fix=f"make room, then look what it holds: discreet ledger show {shown(path.name)}",
        )
    code = code_of(error)
    if code == sqlite3.SQLITE_CONSTRAINT:
        return InternalError(
            f"{shown(path.name)} refused an entry that breaks the rules of the book.",
            kind="internal-fault",
            why=f"the file's own lock held ({shown(error)}); nothing was written",
            fix=f"discreet ledger verify {shown(path.name)}; where it finds no change, report this "
            "as a defect of discreet",
        )
    if code in _TROUBLE:
        happened, why, fix = _TROUBLE[code]
        return LedgerError(
            f"{shown(path.name)} {happened}", kind="ledger-not-written", why=why, fix=fix
        )
    return damaged(path, f"SQLite cannot read it ({getattr(error, 'sqlite_errorname', 'text')})")


def logged(path: Path) -> LedgerError:
    """Return the error for a file that another program has brought into write-ahead mode."""
    return LedgerError(
        f"{shown(path.name)} was switched to write-ahead logging.",
        kind="ledger-file",
        why="a charge must be in the file itself, and on the disk, before data is read",
        fix=f"sqlite3 {shown(path.name)} 'PRAGMA journal_mode = DELETE', then verify it",
    )
