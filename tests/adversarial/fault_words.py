"""What a run may say of its charge, and what is done to its ledger meanwhile."""

from shutil import copyfile

from adversarial.faults import (
    soon,
)
from discreet.ledgers.file import Ledger

OPEN = r"charge (\d+) stays spent and its answer was not stored"
UNSEEN = r"charge (\d+) was written and stays spent, and whether"
NOTHING = "nothing was charged"
VOID = r"charge (\d+) (?:in \S+ )?was voided"


def moved(ledger: Ledger) -> None:
    ledger.path.rename(ledger.path.with_name("moved"))


def moved_for_a_while(ledger: Ledger) -> None:
    moved(ledger)
    soon(lambda: ledger.path.with_name("moved").rename(ledger.path))


def put_back(ledger: Ledger) -> None:
    """An older copy, which does not have the charge."""
    copyfile(ledger.path.with_name("older"), ledger.path)


def damaged(ledger: Ledger) -> None:
    """One byte of the last entry, which is the charge; an answer would not be read."""
    raw = bytearray(ledger.path.read_bytes())
    raw[raw.index(ledger.head()[1].encode()) - 3] ^= 1
    ledger.path.write_bytes(raw)


def voided(ledger: Ledger) -> None:
    ledger.void(3, reason="it seemed to hang")


def read_only(ledger: Ledger) -> None:
    ledger.path.chmod(0o444)


def unreadable(ledger: Ledger) -> None:
    ledger.path.chmod(0)


def raising(ledger: Ledger) -> None:
    raise ValueError("a cell of the data")


def out_of_memory(ledger: Ledger) -> None:
    raise MemoryError


def leaving(ledger: Ledger) -> None:
    raise SystemExit(3)
