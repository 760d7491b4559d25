"""False alarms of anchors: `python -m bench.kills [OPENS] [planted]`; runs are killed at each step.

A child process charges a ledger and stores an answer; at one line of the rooms of the ledger it
kills itself (SIGKILL). The next child dies one line later, round after round, so that each line of
a charge, a store and their anchors is the last one of some run. After each death the ledger is
opened, by the same user and by another one, and must not be called an older copy. What a kill does
not show is a power cut: what was written stays in the memory of the system.

`planted` writes each anchor before the commit, which must alarm where a run dies between the two.
"""

import os
import resource
import signal
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from discreet.errors import LedgerError
from discreet.ledgers import anchors
from discreet.ledgers.file import Ledger, create
from discreet.ledgers.rules import ChargeRequest, Head
from discreet.privacy.loss import zcdp

_ROOM = str(Path("discreet", "ledgers"))
_LONGEST = 200  # entries of a ledger, so that an open stays fast


def _dies_at(step: int) -> Any:
    """Return what traces a process, and kills it at a line of the ledger's room."""
    left = [step]

    def traced(frame: FrameType, event: str, _: object) -> Any:
        if _ROOM not in frame.f_code.co_filename:
            return None
        if event == "line":
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
        return traced

    return traced


def _killed(ledger: Ledger, request: str, step: int) -> bool:
    """Charge and store in a child that dies at a step; tell whether it came so far."""
    child = os.fork()
    if not child:
        try:
            sys.settrace(_dies_at(step))
            ask = ChargeRequest(request=request, plan="p", loss=zcdp("1/100000"), events=[])
            ledger.file.settle(ledger.file.reserve(ask), "answer")
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def _plant() -> None:
    """Let each line be written where it is made, inside of the transaction."""
    made = anchors.line_of

    def written(head: Head, turn: int = 0) -> anchors.AnchorLine:
        line = made(head, turn)
        anchors.note(line, "planted")
        return line

    anchors.line_of = written


def main(opens: int) -> int:
    """Kill and open so often, and print what was found; 1 where there was an alarm."""
    done, alarms, rounds, step, lengths = 0, list[str](), 0, 0, Counter[int]()
    memory = Path("/dev/shm")  # a kill does not reach what was written
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        users = [str(Path(folder, f"user {number}")) for number in range(2)]
        books, alarmed = 0, False
        ledger = create(Path(folder, "0.ledger"), budget=zcdp(1), id="0")
        while done < opens:
            if alarmed or ledger.head()[0] > _LONGEST:
                books, alarmed = books + 1, False
                ledger = create(Path(folder, f"{books}.ledger"), budget=zcdp(1), id=f"{books}")
            step += 1
            os.environ["XDG_STATE_HOME"] = users[done % 2]
            if not _killed(ledger, f"{done}", step):
                lengths[step - 1] += 1
                rounds, step = rounds + 1, 0
            for user in users:
                os.environ["XDG_STATE_HOME"] = user
                done += 1
                try:
                    ledger.left()
                except LedgerError as error:
                    alarms.append(f"killed at line {step}: {error.what}")
                    alarmed = True
        faults = [] if alarmed else ledger.verify()
    usage = [
        resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    print(f"{done:,} opens after {done // 2:,} runs, {rounds} times through all lines of a charge")
    print(
        f"lines of one: {min(lengths, default=0)} to {max(lengths, default=0)}; {books + 1} ledgers"
    )
    print(
        f"alarms: {len(alarms)}; faults of the last ledger: {len(faults)}; {sum(usage):.0f} CPU s"
    )
    print(*alarms[:9], sep="\n")
    return 1 if alarms or faults else 0


if __name__ == "__main__":
    if sys.argv[2:] == ["planted"]:
        _plant()
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
