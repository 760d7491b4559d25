"""Ctrl-C and a full disk, at each moment of a release: what was charged is told, and kept."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest
from bad_input.world import (
    BUDGET,
    LEDGER,
    PEOPLE,
    Refused,
    Said,
    build,
    charges,
    check_said,
    declared,
    image,
    planned,
    run,
)

import discreet as dp
from discreet.cli.output import Interrupted
from discreet.errors import EngineError, InputError, LedgerError

pytestmark = [pytest.mark.claim("C11"), pytest.mark.slow]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dp.ledger(LEDGER, budget=dp.pure(BUDGET))
    build(tmp_path, Path(LEDGER).read_bytes())
    return tmp_path


def many_rows() -> None:
    """Enough for some seconds of counting."""
    header, rows = PEOPLE.split("\n", 1)
    Path("people.csv").write_text(header + "\n" + rows * 3000, encoding="utf-8")


def once_charged(act, *, going) -> Thread:
    """Do something as soon as the ledger holds a charge, unless nothing is going on any more."""

    def watch() -> None:
        ledger = dp.ledger(LEDGER)
        while going():
            if ledger.head()[0]:
                return act()
        return None

    thread = Thread(target=watch)
    thread.start()
    return thread


def begun(*words: str, **how: object) -> subprocess.Popen:
    command = [sys.executable, *how.pop("options", ()), "-m", "discreet_command", *words]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how
    )


def ended(process: subprocess.Popen) -> Said:
    out, err = process.communicate(timeout=120)
    return Said(process.returncode, out, err)


def test_ctrl_c_in_python_stops_the_query_and_says_that_the_charge_stays(folder):
    """A KeyboardInterrupt as any other, with a note; the ledger lists an open charge."""
    many_rows()
    over = Event()
    pressing = once_charged(
        lambda: os.kill(os.getpid(), signal.SIGINT), going=lambda: not over.is_set()
    )

    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            run(planned(table=declared(unit=dp.unit("person", max_rows=3))))
    finally:
        over.set()
        pressing.join()

    assert "charge 1 stays spent" in caught.value.__notes__[0]
    assert charges() == ["open"]


def test_ctrl_c_in_a_terminal_stops_the_query_and_says_that_the_charge_stays(folder):
    """Three lines and exit code 130; nothing is written, and the next try finds the open charge."""
    many_rows()
    names = image(folder).keys()
    process = begun("release", "people.toml")
    pressing = once_charged(
        lambda: process.send_signal(signal.SIGINT), going=lambda: process.poll() is None
    )

    said = ended(process)

    pressing.join()
    check_said(said, Refused(Interrupted, "^the release was stopped by Ctrl-C"), folder)
    assert "charge 1 stays spent" in said.err
    assert charges() == ["open"]
    assert image(folder).keys() == names


def test_ctrl_c_before_the_command_has_begun_shows_no_traceback(folder):
    """While rooms are imported there is nothing to charge; three lines and exit code 130."""
    before = image(folder)
    process = begun("release", "people.toml", options=("-X", "importtime"))
    for line in process.stderr:
        if line.rstrip().endswith("discreet.errors"):  # one room is imported, many are not
            process.send_signal(signal.SIGINT)
            break

    said = ended(process)

    told = "".join(f"{x}\n" for x in said.err.splitlines() if not x.startswith("import time:"))
    check_said(Said(said.code, said.out, told), Refused(Interrupted, "stopped by Ctrl-C"), folder)
    assert image(folder) == before


def limited(size: int):
    """No file may grow beyond a size: a disk that is full."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("size", "error", "what"),
    [
        (0, EngineError, "^no folder for temporary files can be made"),
        (
            1,
            LedgerError,
            "^the disk has no room for this release beside people.ledger: it needs 0.3 MB",
        ),
        (8_192, LedgerError, "^the disk has no room for this release beside people.ledger"),
        (200_000, LedgerError, "^the disk has no room for this release beside people.ledger"),
    ],
)
def test_a_full_disk_before_the_charge_charges_nothing(folder, size, error, what):
    """The charge cannot be made durable, so no data is read."""
    before = image(folder)

    said = ended(begun("release", "people.toml", preexec_fn=limited(size)))

    check_said(said, Refused(error, what), folder)
    assert image(folder) == before
    assert charges() == []


@pytest.fixture
def full(folder):
    """A disk of two pages."""
    place = folder / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "none", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root can make a small disk")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_after_the_charge_loses_no_answer(folder, full):
    """The release does not fit, but its answer is in the ledger: again, it costs nothing."""
    said = ended(begun("release", "people.toml", "--out", "disk/people.release"))

    check_said(said, Refused(InputError, "^the release cannot be written"), folder)
    assert charges() == ["answered"]
    assert list(full.iterdir()) == []
    again = ended(begun("release", "people.toml"))
    assert (again.code, "Nothing was charged" in again.out) == (0, True)
    assert charges() == ["answered"]


def test_a_full_disk_takes_no_half_of_a_ledger(folder, full):
    """What is left is empty, is told to be so, and is no ledger that could be charged."""
    said = ended(begun("ledger", "init", "disk/new.ledger", "--rho", "1"))
    shown = ended(begun("ledger", "show", "disk/new.ledger"))

    check_said(
        said, Refused(LedgerError, "^new.ledger cannot be written: the disk is full"), folder
    )
    check_said(shown, Refused(LedgerError, "^new.ledger is empty"), folder)
    assert [path.stat().st_size for path in full.iterdir()] == [0]
