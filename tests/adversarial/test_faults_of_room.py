"""Disks, files and memory that end while a run is at work: what it says is true of its charge."""

import os
import resource
from importlib import import_module
from pathlib import Path

import pytest

import discreet as dp
from adversarial.fault_words import NOTHING, OPEN
from adversarial.faults import (
    check_truth,
    filled,
    ran,
    said_by,
    small_disk,
    soon,
    while_counting,
)
from adversarial.rivers import ROWS, planned, started
from discreet.ledgers import store
from discreet.releases import run as river

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


ROOM = 3_000  # keys: the room of their answer is about four pages of the ledger


def many(rows: list[dict]) -> object:
    table = dp.table(rows, name="visits", unit="row", keys={"ward": [f"w{i}" for i in range(ROOM)]})
    return dp.plan(table, dp.count(by="ward"), spend=dp.zcdp("1/10"))


def limit(size: int) -> None:
    """No file may grow beyond a size: what a quota does, or a full disk."""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))


def full_then_room(place: Path) -> None:
    hog = filled(place)
    soon(hog.unlink)


def full_for_good(place: Path) -> None:
    """Whatever becomes free is taken at once, the room of the answer too."""
    filled(place)
    for wait in range(1, 120):
        soon(lambda: filled(place), wait / 40)


def no_more(place: Path) -> None:
    limit(1)


def no_more_for_a_while(place: Path) -> None:
    limit(1)
    soon(lambda: limit(resource.RLIM_INFINITY))


DISK = {  # what happens while the data is counted, on a disk with room at the charge; the end
    "the disk is filled to its last byte": (filled, ["released"]),
    "the disk is filled, and has room later": (full_then_room, ["released"]),
    "the disk is filled for good": (full_for_good, [OPEN, "released"]),
    "no file may grow any more": (no_more, [OPEN]),
    "no file may grow for a while": (no_more_for_a_while, ["released"]),
}


@claim
@pytest.mark.parametrize("fault", DISK)
def test_a_disk_that_fills_up_after_the_charge(fault, tmp_path):
    """The room was taken with the charge, so that the answer is stored; else the charge is named."""
    act, ends = DISK[fault]
    with small_disk(tmp_path / "disk", 8_000) as place:
        ledger = started(place)
        plan = many(while_counting(list(ROWS), lambda: act(place)))

        said = said_by(lambda: ran(plan, ledger, "filled"))

        (place / "hog").unlink(missing_ok=True)
        assert check_truth(said, ledger, many(list(ROWS)), request="filled") in ends


@pytest.mark.exhaustive
@claim
@pytest.mark.parametrize("kilobytes", range(192, 2_944, 64))
def test_a_disk_of_each_size(kilobytes, tmp_path):
    """From hardly more than the ledger to more than enough: full at each of its writes in turn."""
    with small_disk(tmp_path / "disk", kilobytes) as place:
        ledger, plan = started(place), many(list(ROWS))

        said = said_by(lambda: ran(plan, ledger, "small"))

        ended = check_truth(said, ledger, plan, request="small")
        assert ended in ([NOTHING] if kilobytes < 1_000 else [NOTHING, "released"])
        assert kilobytes < 2_000 or ended == "released"


LIMITS = [0, 1, 511, 4_096, 65_536, 393_216, 500_000, 1_500_000, 2_000_000]


@claim
@pytest.mark.parametrize("size", LIMITS)
def test_a_limit_on_files_from_the_start(size, ledger):
    """No room, no charge; and no key and no file is left behind."""
    plan = many(list(ROWS))
    before = sorted(os.listdir(ledger.path.parent))

    def work():
        limit(size)
        return ran(plan, ledger, "limited")

    said = said_by(work)

    assert sorted(os.listdir(ledger.path.parent)) == before
    assert check_truth(said, ledger, plan, request="limited") in (NOTHING, "released")


MEMORY = [0, 1, 2, 3, 4, 5, 6, 8, 16, 256]  # megabytes beyond those in use


@pytest.mark.exhaustive
@claim
@pytest.mark.parametrize("megabytes", MEMORY)
def test_a_limit_on_memory(megabytes, ledger):
    """Wherever it ends: in a release, in a charge that is named, or before one."""
    import_module("discreet.releases.document")
    import_module("discreet.noise.inversion_batch")
    table = dp.table(list(ROWS), name="visits", unit="row", keys={"ward": range(20_000)})
    plan = dp.plan(table, dp.count(by="ward"), spend=dp.zcdp("1/10"))

    def work():
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        size = pages * resource.getpagesize() + megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))
        try:
            return ran(plan, ledger, "tight")
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)

    said = said_by(work, hangs=15)  # a library may hang where memory ends

    if said.error and not ledger.book().open_charges() and "charge" not in said.text:
        assert len(ledger.book().rows()) == 1  # it did not come to the charge
        return
    assert megabytes < 256 or said.release
    check_truth(said, ledger, plan, request="tight")


def test_a_run_without_room_for_its_answer_is_caught(tmp_path, monkeypatch):
    """The full disk has power: where no room is held, the same disk parts charge and answer."""
    monkeypatch.setattr(store, "_PAGES", 0)
    monkeypatch.setattr(river, "room_of", lambda *_: 0)
    with small_disk(tmp_path / "disk", 8_000) as place:
        ledger = started(place)
        plan = many(while_counting(list(ROWS), lambda: filled(place)))

        said = said_by(lambda: ran(plan, ledger, "filled"))

        (place / "hog").unlink()
        assert check_truth(said, ledger, many(list(ROWS)), request="filled") == OPEN
