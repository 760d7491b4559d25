"""Older copies, parted copies and books chained anew are found by one anchor line that is newer.

Each forged book is sound by its own rules: without anchors none is found. No false alarm is drawn by
chance: whether an anchor's entry is in a book is decided by its hash.
"""

import os
import random
import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from adversarial.elsewhere import elsewhere
from discreet.errors import LedgerError
from discreet.ledgers import anchors
from discreet.ledgers.entry import Header
from discreet.ledgers.file import Ledger, create
from discreet.ledgers.layout import WRITE_BOOK, WRITE_CAP, cap_row, header_row
from discreet.ledgers.rules import ChargeRequest
from discreet.ledgers.store import creation
from discreet.privacy.loss import zcdp

pytestmark = [pytest.mark.slow, pytest.mark.claim("C512")]
PARTS, CASES, OPENS = 100, 10, 100  # of each part: 1,000 forged books, 10,000 opens in all


def pay(ledger: Ledger, request: str, *, answered: bool = True):
    ask = ChargeRequest(request=request, plan="p", loss=zcdp("1/1000"), events=[])
    charge = ledger.file.reserve(ask)
    if answered:
        ledger.file.settle(charge, f"answer to {request}")


def chained_anew(path: Path, header: Header, entries: int) -> None:
    """Make a book of so many entries under a header, sound by all of its own rules."""
    path.unlink()
    with creation(path) as connection:
        connection.execute(WRITE_BOOK, header_row(header))
        connection.execute(WRITE_CAP, cap_row(header))
    with elsewhere():
        for number in range(entries):
            pay(Ledger(path), f"forged {number}", answered=False)


def an_old_copy(ledger: Ledger, old: Path, _dice: random.Random) -> None:
    shutil.copy(old, ledger.path)


def an_old_copy_that_spent_on(ledger: Ledger, old: Path, dice: random.Random) -> None:
    shutil.copy(old, ledger.path)
    with elsewhere():
        for number in range(dice.randint(1, 9)):
            pay(ledger, f"meanwhile {number}")


def a_shorter_book(ledger: Ledger, _old: Path, dice: random.Random) -> None:
    book = ledger.book()
    chained_anew(ledger.path, book.header, dice.randint(0, len(book.entries) - 1))


def a_longer_book(ledger: Ledger, _old: Path, dice: random.Random) -> None:
    book = ledger.book()
    chained_anew(ledger.path, book.header, len(book.entries) + dice.randint(0, 9))


def another_budget(ledger: Ledger, _old: Path, dice: random.Random) -> None:
    book = ledger.book()
    more = replace(book.header, budget=zcdp(9).plain())
    chained_anew(ledger.path, more, len(book.entries) + dice.randint(-1, 9))


FORGERIES = (an_old_copy, an_old_copy_that_spent_on, a_shorter_book, a_longer_book, another_budget)


@pytest.fixture
def folder():
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with TemporaryDirectory(dir=memory) as place:
        yield Path(place)


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_a_book_that_does_not_go_on_from_its_anchor_is_refused(folder, part):
    """Of 1,000 all are found, by opening, charging and `verify`; without an anchor none is."""
    dice = random.Random(part)
    for number in range(CASES):
        ledger = create(folder / f"{number}.ledger", budget=zcdp(1), id=f"{part}-{number}")
        for charge in range(dice.randint(1, 4)):
            pay(ledger, f"{charge}", answered=dice.random() < 0.7)
        old = folder / "old"
        shutil.copy(ledger.path, old)
        for charge in range(dice.randint(1, 12)):
            pay(ledger, f"newer {charge}", answered=dice.random() < 0.7)
        dice.choice(FORGERIES)(ledger, old, dice)

        with elsewhere():
            assert ledger.verify() == []
        for act in (Ledger.left, lambda book: pay(book, "x")):
            with pytest.raises(LedgerError, match=r"older copy|parted|another header") as refused:
                act(ledger)
            assert str(refused.value).count("\n") == 2
        assert any("an anchor has seen entry" in fault for fault in ledger.verify())
        ledger.path.unlink()


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_an_honest_book_is_never_refused(folder, part, monkeypatch):
    """In 10,000 opens, with runs that end between a commit and its anchor, and other users."""
    dice, noted = random.Random(part), anchors.note
    ledger, opens = create(folder / "a.ledger", budget=zcdp(1), id=f"honest {part}"), 0
    states = [str(folder / f"user {number}") for number in range(3)]
    while opens < OPENS:
        monkeypatch.setenv("XDG_STATE_HOME", dice.choice(states))
        died = dice.random() < 0.3
        monkeypatch.setattr(anchors, "note", (lambda *_: None) if died else noted)
        if dice.random() < 0.3:
            pay(ledger, f"{opens}", answered=dice.random() < 0.5)
        if dice.random() < 0.05 and (charges := ledger.book().open_charges()):
            ledger.void(dice.choice(charges).seq, reason="it was killed")
        ledger.left()
        opens += 1
    assert ledger.verify() == []


def test_a_line_that_was_cut_short_is_no_line(folder):
    """A crash while an anchor is written leaves half a line: the one before it counts."""
    ledger = create(folder / "a.ledger", budget=zcdp(1), id="torn")
    pay(ledger, "1")
    place = anchors.place_of("torn")
    whole = place.read_bytes()
    for cut in range(1, len(whole)):
        place.write_bytes(whole[:-cut])
        ledger.left()
    place.write_bytes(whole[:-40])
    pay(ledger, "2")
    assert [line.seq for line in anchors.newest("torn")] == [4]
