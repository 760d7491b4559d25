"""A process that uses the ledger is killed at a random moment, again and again.

The delays are a fixed list, up to the length of a few laps; where they strike is the machine's
choice. The invariants hold at every moment, so nothing here fails by chance. The ledger lies in
memory where there is such a folder: a kill, unlike a power cut, does not reach what was written.
"""

import os
import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from discreet.errors import BudgetError
from discreet.ledgers.file import Ledger, create
from discreet.ledgers.rules import ChargeRequest
from discreet.privacy.loss import zcdp

KILLS = 40  # on each of eight ledgers, so that they stay short and a lap stays fast
LONGEST = 30_000_000  # nanoseconds, a few laps


def lap_until_killed(
    ledger: Ledger, told: int, run: int, *, charge_first: bool = True, stops: bool = False
) -> None:
    """Reserve and settle in a loop; say in a pipe what was returned, before anything else."""
    number = 0
    while True:
        number += 1
        request = f"{run}-{number}"
        if not charge_first:  # the planted fault: the answer leaves before it was paid for
            os.write(told, f"left {request}\n".encode())
        charge = ledger.file.reserve(
            ChargeRequest(request=request, plan="p", loss=zcdp("1/10000"), events=[])
        )
        os.write(told, f"paid {request}\n".encode())
        if stops:  # to be killed between charge and result
            signal.pause()
        ledger.file.settle(charge, "answer to " + request)
        os.write(told, f"left {request}\n".encode())


def run_and_kill(ledger: Ledger, run: int, delay: int, **how: bool) -> list[str]:
    """Fork, wait, kill; return the lines that the child wrote before it died."""
    hear, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            lap_until_killed(ledger, told, run, **how)
        except BudgetError:
            signal.pause()
        finally:
            os._exit(1)
    os.close(told)
    with os.fdopen(hear) as lines:
        first = [lines.readline().strip()] if how.get("stops") else []
        time.sleep(delay / 1e9)  # the moment of the kill is what this is about
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        return first + lines.read().splitlines()


def unpaid(ledger: Ledger, told: list[str]) -> list[str]:
    """Return the answers that left without being in the book, paid before."""
    book = ledger.book()
    charged = {entry.request for entry in book.entries if entry.kind == "charge"}
    wrong = [line for line in told if line.split()[1] not in charged]
    for line in told:
        verb, request = line.split()
        settled = book.settled(request)
        if verb == "left" and (settled is None or settled.result != "answer to " + request):
            wrong.append(line)
    return wrong


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield create(Path(folder) / "a.ledger", budget=zcdp(1), id="x")


@pytest.mark.exhaustive("kills")
@pytest.mark.claim("C11")
@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_a_kill_at_any_moment_loses_no_charge_and_breaks_no_file(ledger: Ledger, part: int):
    """After each of 8 x 40 kills nothing left unpaid, the chain is whole, the next run works."""
    told = []
    for run in range(KILLS):
        told += run_and_kill(ledger, run, 1_000_000 + (8 * run + part) * LONGEST // (8 * KILLS))
        assert ledger.verify() == []
    told += run_and_kill(ledger, KILLS, 0, stops=True)

    book = ledger.book()
    charges = [entry for entry in book.entries if entry.kind == "charge"]
    results = [entry for entry in book.entries if entry.kind == "result"]
    unanswered = len(book.open_charges())
    assert unpaid(ledger, told) == []
    assert book.spent() == zcdp("1/10000").times(len(charges))
    assert len(results) == len(charges) - unanswered
    assert unanswered > 0  # one kill at least struck between charge and result
    assert all(before.hash == after.previous for before, after in pairwise(book.entries))
    assert all(entry.refers < entry.seq for entry in results)


@pytest.mark.slow
def test_a_program_that_answers_before_it_pays_is_seen(ledger: Ledger):
    """The kills have power: they find the free release of a program with the wrong order."""
    told = []
    for run in range(60):
        told += run_and_kill(ledger, run, 3_000_000 + run * 300_000, charge_first=False)

    assert unpaid(ledger, told) != []
