"""Faults that strike a run of its own process, and what must be true of whatever it says.

Rules of this module:
- the faults are real: signals, locks of other processes, limits and small disks of the system; no
  function is exchanged. Where a fault must strike at one step, Python's profiler tells that the
  step has come, and the signal is sent there;
- what a run says is compared with the ledger's file, which another process reads afterwards.
"""

import json
import os
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import FrameType

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.ledgers import store
from discreet.ledgers.file import Ledger
from discreet.plans.plan import Plan

PATIENCE = 1  # seconds, in the children: what is waited for is held much longer, or freed at once
Act = Callable[[], object]


# What a run said


@dataclass(frozen=True)
class Said:
    """What came out of a run: a release, an error's text with its notes, or nothing if killed."""

    release: str = ""
    error: str = ""
    text: str = ""
    exit: int = 0


def said_by(work: Callable[[], dict[str, str]], hangs: float = 120) -> Said:
    """Run the work in a forked child, and return what it said before it ended.

    A child that does not end after so many seconds is killed.
    """
    hear, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(hear)
            store.PATIENCE = PATIENCE
            found = work()
            with os.fdopen(told, "w") as out:
                out.write(json.dumps(found))
        except BaseException:  # noqa: BLE001 - the child ends here, whatever happened
            traceback.print_exc(file=sys.__stderr__)
            os._exit(99)
        os._exit(0)
    os.close(told)
    if not select.select([hear], [], [], hangs)[0]:
        os.kill(child, signal.SIGKILL)
    with os.fdopen(hear) as heard:
        text = heard.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return Said(**(json.loads(text) if text else {}), exit=code)


def ran(plan: Plan, ledger: Ledger, request: str | None = None) -> dict[str, str]:
    """Run a river; return its release, or how it failed."""
    try:
        done = dp.run(plan, ledger=ledger.path, request=request)
    except BaseException as error:  # noqa: BLE001 - all of them are looked at
        sys.setprofile(None)
        notes = getattr(error, "__notes__", [])
        return {"error": type(error).__name__, "text": "\n".join([str(error), *notes])}
    finally:
        sys.setprofile(None)
    return {"release": done.document.text(), "text": done.account}


def typed(*words: str) -> dict[str, str]:
    """Run a command; return what it said when it failed, or that it did not."""
    sys.stdout, sys.stderr = StringIO(), StringIO()
    try:
        code = main(list(words))
    finally:
        sys.setprofile(None)
        out, err = sys.stdout.getvalue(), sys.stderr.getvalue()
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    return {"error": "" if code == 0 else str(code), "text": err if code else out}


# What must be true


def check_truth(said: Said, ledger: Ledger, plan: Plan, *, request: str | None = None) -> str:
    """Check a run against the file, and return how it ended: released, or what it said.

    Either a release that a repeat returns bit for bit, or an error that names each charge as it
    stands, or a death whose charge the ledger lists. Never is a charge lost or denied.
    """
    assert ledger.verify() == []
    book = ledger.book()
    kept = [row for row in book.rows() if row.state != "void"]
    assert book.spent() == plan.spend.times(len(kept))  # all charges here are of one plan
    rows = [row for row in book.rows() if row.request == (request or plan.digest)]
    stored = book.settled(request or plan.digest)
    if said.release:
        assert stored is not None
        assert stored.result == said.release
        check_repeat(ledger, plan, said.release, request)
        return "released"
    if said.exit < 0 or (said.exit and not said.text):
        check_listed(ledger)
        return "died"
    return check_words(said, rows)


def check_words(said: Said, rows: list) -> str:
    """Check each thing that an error says of a charge; it says one, and it is so."""
    text = " ".join(said.text.split())
    states = {row.seq: row.state for row in rows}
    ways = {
        "nothing was charged": lambda: states == {},
        r"charge (\d+) stays spent and its answer was not stored": lambda n: states[n] == "open",
        r"charge (\d+) and its answer are stored": lambda n: states[n] == "answered",
        r"charge (\d+) (?:in \S+ )?was voided": lambda n: states[n] == "void",
        r"charge (\d+) was written and stays spent, and whether": lambda n: states.get(n) != "void",
        r"it is not known whether charge (\d+) was written": lambda n: (
            states.get(n, "open") == "open"
        ),
    }
    found = {way: match for way in ways if (match := re.search(way, text))}
    assert len(found) == 1, (text, states)
    ((way, match),) = found.items()
    assert ways[way](*map(int, match.groups())), (text, states)
    return way


def check_repeat(ledger: Ledger, plan: Plan, text: str, request: str | None) -> None:
    spent = ledger.spent()
    again = dp.run(plan, ledger=ledger, request=request or plan.digest)
    assert (again.repeated, again.document.text()) == (True, text)
    assert ledger.spent() == spent


def check_listed(ledger: Ledger) -> None:
    """What a killed run leaves is in the ledger's own list: each open charge by its number."""
    seqs = [str(entry.seq) for entry in ledger.book().open_charges()]
    shown = " ".join(str(ledger).split())
    assert (" is open: it has no answer" in shown) == (len(seqs) == 1)
    assert all(re.search(rf"Charge {seq} is open", shown) for seq in seqs)


# Where a fault strikes


@dataclass
class Strike:
    """Acts once, when a function is called or returns for the n-th time.

    `of_write` counts only what belongs to a transaction that writes.
    """

    name: str
    event: str
    act: Act
    nth: int = 1
    of_write: bool = False
    seen: int = field(default=0)

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        name = getattr(arg, "__name__", "") if event.startswith("c_") else frame.f_code.co_name
        if (name, event) != (self.name, self.event) or not self._inside(frame):
            return
        self.seen += 1
        if self.seen == self.nth:
            sys.setprofile(None)
            self.act()

    def _inside(self, frame: FrameType) -> bool:
        back = frame.f_back
        return not self.of_write or (back is not None and back.f_locals.get("write") is True)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def pressed() -> None:
    signal.raise_signal(signal.SIGINT)


def struck(
    strike: Strike, work: Callable[[], dict[str, str]], *, must: bool = True
) -> dict[str, str]:
    """Do the work with a fault at one of its steps, which must come unless it need not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.setprofile(strike)
    found = work()
    assert strike.seen >= strike.nth or not must, f"{strike.name} was never reached"
    return found


class Meanwhile(list):
    """Rows that let something happen when they are gone through, which is after the charge."""

    act: Act | None = None

    def __iter__(self) -> Iterator[dict]:
        act = self.act
        if act is not None:
            self.act = None
            act()
        return super().__iter__()


def while_counting(rows: list[dict], act: Act) -> list[dict]:
    """The rows, which act when they are counted."""
    found = Meanwhile(rows)
    found.act = act
    return found


# What other processes do


@contextmanager
def locked(path: Path, how: str, seconds: float = 600) -> Iterator[Act]:
    """Let another process take a lock on the ledger when told to, for so long or until the end.

    Returns: what lets it take the lock, and returns once it has it.
    """
    ready, got = os.pipe()
    wait, go = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go)
        os.read(wait, 1)
        connection = sqlite3.connect(path, isolation_level=None, timeout=60)
        connection.execute("BEGIN" if how == "reader" else f"BEGIN {how}")
        connection.execute("SELECT count(*) FROM entry").fetchone()
        os.write(got, b"x")
        time.sleep(seconds)
        os._exit(0)

    def take() -> None:
        os.write(go, b"x")
        os.read(ready, 1)

    try:
        yield take
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for end in (ready, got, wait, go):
            os.close(end)


@contextmanager
def kept_in_place(path: Path) -> Iterator[Act]:
    """Let a file become one that nobody can delete, when told to: the root of a disk of its own."""

    def keep() -> None:
        subprocess.run(["mount", "--bind", str(path), str(path)], check=True)

    tried = path.with_name("tried")
    tried.touch()
    command = ["mount", "--bind", str(tried), str(tried)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can keep a file in its place")
    subprocess.run(["umount", str(tried)], check=True)
    tried.unlink()
    try:
        yield keep
    finally:
        subprocess.run(["umount", str(path)], check=False, capture_output=True)


@contextmanager
def small_disk(place: Path, kilobytes: int) -> Iterator[Path]:
    """A disk of its own, of so many kilobytes; skipped where this user may not make one."""
    place.mkdir(exist_ok=True)
    size = f"size={kilobytes}k"
    command = ["mount", "-t", "tmpfs", "-o", size, "none", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can make a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def filled(folder: Path) -> Path:
    """Write a file until the small disk is full, to its last byte; never that of the machine."""
    hog = folder / "hog"
    assert folder.is_mount()
    with hog.open("ab", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue
    return hog


def soon(act: Act, seconds: float = 0.4) -> None:
    """Let something happen a little later, while a run is waiting."""

    def later() -> None:
        time.sleep(seconds)
        act()

    from threading import Thread

    Thread(target=later, daemon=True).start()
