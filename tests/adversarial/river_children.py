"""A process that runs real rivers in its children: it kills them, or lets them race.

Started as `python -m adversarial.river_children ACT FOLDER KIND COUNT [FAULT]`; it prints one JSON
object. It is warmed once, has one thread, and forks, so that a river costs a few milliseconds and
not the second that imports take. `served` is the side of the tests.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from statistics import median

import discreet as dp
from adversarial.rivers import planned, source_of, started
from discreet.ledgers.file import Ledger
from discreet.plans.plan import Plan
from discreet.releases.run import prepared_for, released

EACH = 25  # kills on one ledger: its book stays short, and a river fast
ONE = "1/1000"


def served(act: str, folder: Path, kind: str, count: int, fault: str = "") -> dict:
    """Run this module in a process of its own and return what it found."""
    done = subprocess.run(
        [sys.executable, "-m", "adversarial.river_children", act, folder, kind, str(count), fault],
        check=False,
        capture_output=True,
        timeout=300,
        env={
            "PYTHONPATH": ":".join(path for path in sys.path if path),
            "OPENBLAS_NUM_THREADS": "1",
            "DISCREET_THREADS": "1",
            "TMPDIR": str(folder),
            "XDG_STATE_HOME": str(folder),
        },
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def forked(work) -> int:
    """Fork; the child does the work and ends with its exit code, whatever happens."""
    child = os.fork()
    if child:
        return child
    code = 255
    try:
        code = work()
    except BaseException:  # noqa: BLE001 - the child ends here
        traceback.print_exc()
    finally:
        os._exit(code)


# Kills


def answer(plan: Plan, ledger: Path, request: str, told: int, *, fault: str = "") -> int:
    """Run a river; say its answer in a pipe, and stay until killed."""
    if fault == "pays late":  # the planted fault: the numbers leave, then they are paid for
        os.write(told, str(released(plan, prepared_for(plan), paid=plan.spend)).encode())
    done = dp.run(plan, ledger=ledger, request=request)
    if not fault:
        os.write(told, done.document.text().encode())
    signal.pause()
    return 0


def timed(plan: Plan, ledger: Ledger) -> float:
    """How long a child takes from its fork until its answer."""
    times = []
    for number in range(9):
        hear, told = os.pipe()
        start = time.monotonic()
        child = forked(lambda n=number, to=told: answer(plan, ledger.path, f"{n}", to))
        os.read(hear, 1)
        times.append(time.monotonic() - start)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(hear)
        os.close(told)
    return median(times)


def strike(plan: Plan, ledger: Ledger, number: int, delay: float, fault: str) -> str:
    """Fork a river, kill it, and return what left it.

    Most kills strike after the delay; one in five once the answer was told, and one in five when
    the ledger's file begins to change, so that every phase is struck on a machine of any speed.
    """
    request, before = f"{number}", ledger.path.stat().st_mtime_ns
    hear, told = os.pipe()
    child = forked(lambda: answer(plan, ledger.path, request, told, fault=fault))
    os.close(told)
    if number % 5 == 0:
        select.select([hear], [], [], 60)
    elif number % 5 == 1:
        end = time.monotonic() + 60
        while ledger.path.stat().st_mtime_ns == before and time.monotonic() < end:
            time.sleep(0.0001)
        time.sleep(delay / 50)
    else:
        time.sleep(delay)  # the moment of the kill is what this is about
    os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with os.fdopen(hear) as heard:
        text = heard.read()
    if code != -signal.SIGKILL:
        raise RuntimeError(f"a river ended by itself with {code}")
    return text


def after(ledger: Ledger, request: str, text: str) -> tuple[str, list[str]]:
    """Which phase the kill struck, and everything that must not be."""
    wrong = ledger.verify()
    book = ledger.book()
    charges = [e for e in book.entries if e.request == request and e.kind == "charge"]
    result = book.settled(request)
    if len(charges) > 1:
        wrong.append("charged twice")
    if result is not None and (not charges or result.refers != charges[0].seq):
        wrong.append("stored without its charge")
    if text and not charges:
        wrong.append("answered without a charge")
    if text and (result is None or result.result != text):
        wrong.append("answered with what is not stored")
    if book.spent() != dp.zcdp(ONE).times(sum(e.kind == "charge" for e in book.entries)):
        wrong.append("spent is not the sum of the charges")
    if text:
        return "answered", wrong
    return ("stored" if result else "charged" if charges else "before"), wrong


def kills(folder: Path, kind: str, count: int, fault: str) -> dict:
    plan = planned(source_of(kind, folder), ONE)
    whole = timed(plan, started(folder, name="warm.ledger"))
    phases: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(count):
        if number % EACH == 0:
            ledger = started(folder, name=f"{number}.ledger")
        delay = whole * 1.15 * (number * 0.6180339887 % 1)
        text = strike(plan, ledger, number, delay, fault)
        phase, found = after(ledger, f"{number}", text)
        phases[phase] += 1
        wrong += found
    return {"phases": phases, "wrong": wrong, "milliseconds": round(whole * 1000, 1)}


# Races


def ask(plan: Plan, ledger: Path, request: str) -> int:
    """1 for a release, 0 for a refusal of the budget; anything else is a failure."""
    try:
        dp.run(plan, ledger=ledger, request=request)
    except dp.errors.BudgetError:
        return 0
    return 1


def race(folder: Path, kind: str, count: int, fault: str) -> dict:
    """All start at once and want a seventh of what three sevenths are left of."""
    plan = planned(source_of(kind, folder), "1/7")
    ledger = started(folder)
    for number in range(4):
        dp.run(plan, ledger=ledger, request=f"before {number}")
    gate, start = os.pipe()
    names = ["same" if fault == "same" else f"{number}" for number in range(count)]
    paths = [ledger.path] * count
    if fault == "copies":  # the planted fault: every process has its own copy of the ledger
        paths = [folder / f"{name}.copy" for name in names]
        for path in paths:
            path.write_bytes(ledger.path.read_bytes())

    def work(path: Path, name: str) -> int:
        if fault == "copies":  # as on machines of their own, without a common anchor
            os.environ["XDG_STATE_HOME"] = str(folder / f"{name}.state")
        os.close(start)
        os.read(gate, 1)  # ends when the parent closes its end
        return ask(plan, path, name)

    children = [
        forked(lambda p=path, n=name: work(p, n)) for path, name in zip(paths, names, strict=True)
    ]
    os.close(gate)
    os.close(start)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    book = ledger.book()
    return {
        "codes": codes,
        "spent": book.spent().plain()["rho"],
        "kinds": Counter(entry.kind for entry in book.entries),
        "wrong": ledger.verify(),
    }


if __name__ == "__main__":
    ACTS = {"kills": kills, "race": race}
    act, place, kind, count, fault = sys.argv[1:]
    dp.run(planned(source_of(kind, Path(place))), ledger=started(Path(place), name="first.ledger"))
    sys.stdout.write(json.dumps(ACTS[act](Path(place), kind, int(count), fault)))
