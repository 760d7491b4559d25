"""Locks, and what others do to the ledger while a run counts: what it says is true of its charge."""

import os
from pathlib import Path

import pytest

import discreet as dp
from adversarial.fault_words import (
    NOTHING,
    OPEN,
    UNSEEN,
    VOID,
    damaged,
    leaving,
    moved,
    moved_for_a_while,
    out_of_memory,
    put_back,
    raising,
    read_only,
    unreadable,
    voided,
)
from adversarial.faults import (
    Act,
    Strike,
    check_truth,
    locked,
    ran,
    said_by,
    struck,
    while_counting,
)
from adversarial.rivers import ROWS, planned, started
from discreet.ledgers import store
from discreet.ledgers.file import Ledger

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]

claim = pytest.mark.claim("C36")


@pytest.fixture
def ledger(tmp_path):
    """A ledger from which one release was paid before."""
    found = started(tmp_path)
    dp.run(planned(list(ROWS)), ledger=found, request="before")
    return found


LOCKS = {  # how another process holds the ledger, from when on, and what the run then says
    "writing, from before the charge": ("EXCLUSIVE", "before", NOTHING),
    "about to write, from before the charge": ("IMMEDIATE", "before", NOTHING),
    "reading, from before the charge": ("reader", "before", NOTHING),
    "writing, while data is counted": ("EXCLUSIVE", "meanwhile", UNSEEN),
    "about to write, while data is counted": ("IMMEDIATE", "meanwhile", OPEN),
    "reading, while data is counted": ("reader", "meanwhile", OPEN),
}


def run_with_a_lock(ledger: Ledger, take: Act, when: str) -> dict[str, str]:
    if when == "meanwhile":
        return ran(planned(while_counting(list(ROWS), take)), ledger)
    return struck(Strike("spare", "call", take), lambda: ran(planned(list(ROWS)), ledger))


@claim
@pytest.mark.parametrize("fault", LOCKS)
def test_a_lock_that_is_not_given_back(fault, ledger):
    """Patience has an end, and then it is told what was charged: nothing, or this charge."""
    how, when, expected = LOCKS[fault]
    with locked(ledger.path, how) as take:
        said = said_by(lambda: run_with_a_lock(ledger, take, when))

    assert check_truth(said, ledger, planned(list(ROWS))) == expected


@claim
@pytest.mark.parametrize("fault", LOCKS)
def test_a_lock_that_is_given_back_is_waited_for(fault, ledger):
    """The release comes, a little later."""
    how, when, _ = LOCKS[fault]

    def work():
        store.PATIENCE = 60
        return run_with_a_lock(ledger, take, when)

    with locked(ledger.path, how, seconds=0.5) as take:
        said = said_by(work)

    assert check_truth(said, ledger, planned(list(ROWS))) == "released"


MEANWHILE = {  # what happens while the data is counted, and what the run then says
    "the ledger is moved away": (moved, UNSEEN),
    "the ledger is moved away for a while": (moved_for_a_while, "released"),
    "an older copy of the ledger is put back": (put_back, UNSEEN),
    "a byte of the ledger is changed": (damaged, OPEN),
    "the charge is voided": (voided, VOID),
    "the ledger becomes read-only": (read_only, OPEN),
    "the ledger becomes unreadable": (unreadable, UNSEEN),
    "the data raises": (raising, OPEN),
    "the data takes all memory": (out_of_memory, OPEN),
    "the program is asked to leave": (leaving, OPEN),
}

NOBODY = 65534


@claim
@pytest.mark.parametrize("fault", MEANWHILE)
def test_something_happens_while_the_data_is_counted(fault, ledger, monkeypatch):
    """Whoever keeps the file, the file itself, the data: what is said is so."""
    act, expected = MEANWHILE[fault]
    honest = ledger.path.read_bytes()
    ledger.path.with_name("older").write_bytes(honest)
    after = []

    def happens() -> None:
        after.append(ledger.path.read_bytes())
        (ledger.path.with_name("after")).write_bytes(after[0])
        act(ledger)
        if act in (read_only, unreadable):
            as_nobody(ledger.path.parent)

    said = said_by(lambda: ran(planned(while_counting(list(ROWS), happens)), ledger))

    if act in (moved, put_back, damaged):  # the charge was made in the file that was there
        ledger.path.write_bytes(ledger.path.with_name("after").read_bytes())
    ledger.path.chmod(0o600)
    assert "a cell of the data" not in said.text
    assert check_truth(said, ledger, planned(list(ROWS))) == expected


def as_nobody(folder: Path) -> None:
    """Give up the rights of root, for which no file is read-only."""
    if os.getuid() == 0:
        for place in (folder, *folder.parents):
            if place.stat().st_uid == 0 and place != Path("/"):
                place.chmod(place.stat().st_mode | 0o011)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
