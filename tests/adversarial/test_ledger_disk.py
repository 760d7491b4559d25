"""The disk is full, the file may only be read, the user presses Ctrl-C."""

import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import rmtree

import pytest

from discreet.errors import LedgerError
from discreet.ledgers.file import Ledger, create, open_ledger
from discreet.ledgers.rules import ChargeRequest
from discreet.privacy.loss import zcdp

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that any user may enter: the tests of rights give up those of root."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o777)
    yield path
    path.chmod(0o777)
    rmtree(path)


def in_a_child(work: Callable[[], None]) -> None:
    """Run the work in a child, so that limits and rights end with it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:  # noqa: BLE001 - the child ends here, whatever happened
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def as_nobody() -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def pay(ledger: Ledger, request: str):
    return ledger.file.reserve(
        ChargeRequest(request=request, plan="p", loss=zcdp("1/1000"), events=[])
    )


def check_refusal(act: Callable[[], object], match: str) -> None:
    with pytest.raises(LedgerError, match=match) as refusal:
        act()
    assert str(refusal.value).count("\n") == 2


def test_a_full_disk_loses_nothing_and_charges_nothing(tmp_path):
    """Neither a charge nor a result fits any more: the book is as before, and can go on later."""
    ledger = create(tmp_path / "a.ledger", budget=zcdp(1), id="x")
    charge = pay(ledger, "r1")
    before = ledger.path.read_bytes()

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, 9_000))  # less than the ledger has
        check_refusal(lambda: pay(ledger, "r2"), "the disk is full or failing")
        check_refusal(
            lambda: ledger.file.settle(charge, "x" * 10**6), "the disk is full or failing"
        )
        assert (ledger.verify(), ledger.spent()) == ([], zcdp("1/1000"))

    in_a_child(work)

    assert ledger.path.read_bytes() == before
    assert ledger.file.settle(charge, "x" * 10**6).seq == 2
    assert ledger.verify() == []


def test_a_disk_that_fills_up_at_any_size_leaves_a_sound_book(tmp_path):
    """Whatever fits is whole; whatever does not is gone: for limits in small steps."""
    ledger = create(tmp_path / "a.ledger", budget=zcdp(1), id="x")
    charge = pay(ledger, "r1")

    def work(limit: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        check_refusal(
            lambda: ledger.file.settle(charge, "x" * 300_000),
            "disk is full|cannot be opened|disk failed",
        )

    limits = (1, 511, 4096, 8_192, 16_384, 32_768, 65_536, 131_584, 196_608, 200_000, 262_144)
    for limit in (*limits, 300_000, 360_000):
        in_a_child(lambda limit=limit: work(limit))
        assert (ledger.book().settled("r1"), ledger.verify()) == (None, [])


def test_a_ledger_that_cannot_be_made_leaves_room_for_another_try(tmp_path):
    """The disk was full at the first try; the second makes a whole ledger."""
    path = tmp_path / "a.ledger"

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        check_refusal(lambda: create(path, budget=zcdp(1), id="x"), "disk is full|disk failed")

    in_a_child(work)

    assert create(path, budget=zcdp(1), id="x").verify() == []


@pytest.mark.parametrize(
    ("file_mode", "folder_mode", "match"),
    [
        (0o444, 0o777, "the file is read-only"),
        (0o666, 0o555, "cannot be opened|read-only"),
        (0o000, 0o777, "cannot be opened"),
    ],
    ids=["read-only file", "read-only folder", "unreadable file"],
)
def test_a_ledger_that_may_not_be_written_refuses_every_charge(
    folder, file_mode, folder_mode, match
):
    """Reading goes on where it is allowed; nothing is charged, nothing is changed."""
    ledger = create(folder / "a.ledger", budget=zcdp(1), id="x")
    before = ledger.path.read_bytes()
    ledger.path.chmod(file_mode)
    folder.chmod(folder_mode)

    def work() -> None:
        as_nobody()
        check_refusal(lambda: pay(ledger, "r1"), match)
        if file_mode:
            assert (ledger.left(), ledger.verify()) == (zcdp(1), [])
        else:
            check_refusal(lambda: open_ledger(ledger.path), match)
            check_refusal(ledger.verify, match)

    in_a_child(work)

    folder.chmod(0o777)
    ledger.path.chmod(0o600)
    assert ledger.path.read_bytes() == before


@pytest.mark.slow
def test_ctrl_c_at_any_moment_leaves_a_sound_book_without_a_lock(tmp_path):
    """Two hundred interrupts: each call took place as a whole or not at all."""
    ledger = create(tmp_path / "a.ledger", budget=zcdp(1), id="x")
    struck, done = 0, []

    def strike(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, strike)
    for number in range(200):
        try:
            signal.setitimer(signal.ITIMER_REAL, (20 + number * 37 % 9000) / 1e6)
            ledger.file.settle(pay(ledger, f"{number}"), "x")
            done.append(number)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            struck += 1
    signal.signal(signal.SIGALRM, previous)

    book = ledger.book()
    assert struck > 0
    assert all(book.settled(f"{number}") for number in done)
    assert ledger.verify() == []
    assert pay(ledger, "next").settled is None
