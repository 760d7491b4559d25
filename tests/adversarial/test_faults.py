"""Faults at every step of a run: it ends in a release, or in words that are true of its charge.

Each fault has a name; `test_there_are_enough_faults` counts them.
"""

import os
import resource
import signal
from importlib import import_module
from itertools import count
from pathlib import Path
from shutil import copyfile

import pytest

import discreet as dp
from adversarial.faults import (
    Act,
    Said,
    Strike,
    check_truth,
    check_words,
    filled,
    kept_in_place,
    killed,
    locked,
    pressed,
    ran,
    said_by,
    small_disk,
    soon,
    struck,
    typed,
    while_counting,
)
from adversarial.rivers import ROWS, planned, started
from discreet.ledgers import spare, store
from discreet.ledgers.file import Ledger
from discreet.releases import run as river

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]
claim = pytest.mark.claim("C36")

OPEN = r"charge (\d+) stays spent and its answer was not stored"
STORED = r"charge (\d+) and its answer are stored"
UNSEEN = r"charge (\d+) was written and stays spent, and whether"
NOTHING = "nothing was charged"
VOID = r"charge (\d+) (?:in \S+ )?was voided"


@pytest.fixture
def ledger(tmp_path):
    """A ledger from which one release was paid before."""
    found = started(tmp_path)
    dp.run(planned(list(ROWS)), ledger=found, request="before")
    return found


# Signals at each step

STEPS = {  # the function, its event, the how-manieth, of a write; and what Ctrl-C there must say
    "before the source is opened": ("prepare", "call", 1, False, ""),
    "before room is taken": ("spare", "call", 1, False, NOTHING),
    "once room is taken": ("posix_fallocate", "c_return", 1, False, NOTHING),
    "before the charge": ("reserve", "call", 1, False, NOTHING),
    "before the charge is written": ("write_charge", "call", 1, False, NOTHING),
    "once the charge is written": ("write_charge", "return", 1, False, NOTHING),
    "before the charge is committed": ("_commit", "call", 1, True, NOTHING),
    "once the charge is committed": ("_commit", "return", 1, True, OPEN),
    "before the charge is known": ("reserve", "return", 1, False, OPEN),
    "before noise is drawn": ("_noise", "call", 1, False, OPEN),
    "once noise is drawn": ("_noise", "return", 1, False, OPEN),
    "before data is counted": ("_count", "call", 1, False, OPEN),
    "once data is counted": ("_count", "return", 1, False, OPEN),
    "before the fingerprint": ("fingerprint_of", "call", 1, False, OPEN),
    "once the fingerprint is taken": ("fingerprint_of", "return", 1, False, OPEN),
    "before the answer is composed": ("compose", "call", 1, False, OPEN),
    "once the answer is composed": ("text", "return", 1, False, OPEN),
    "before the store": ("settle", "call", 1, False, STORED),
    "before the answer is written": ("write_result", "call", 1, False, STORED),
    "once its room is open": ("blobopen", "c_return", 1, False, STORED),
    "once the answer is written": ("write_result", "return", 1, False, STORED),
    "before the answer is committed": ("_commit", "call", 2, True, STORED),
    "once the answer is committed": ("_commit", "return", 2, True, STORED),
    "before the answer leaves": ("settle", "return", 1, False, STORED),
}


def strike(step: str, act: Act) -> Strike:
    name, event, nth, of_write, _ = STEPS[step]
    return Strike(name, event, act, nth, of_write)


@claim
@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_each_step_leaves_a_charge_that_the_ledger_lists(step, ledger):
    """Nothing before the commit, an open charge after it, an answer once that is stored."""
    plan = planned(list(ROWS))

    said = said_by(lambda: struck(strike(step, killed), lambda: ran(plan, ledger)))

    states = [row.state for row in ledger.book().rows()][1:]
    assert said.exit == -signal.SIGKILL
    assert check_truth(said, ledger, plan) == "died"
    if STEPS[step][4] in ("", NOTHING):
        assert states == []
    elif list(STEPS).index(step) < list(STEPS).index("once the answer is committed"):
        assert states == ["open"]
    else:
        assert states == ["answered"]


@claim
@pytest.mark.parametrize("step", STEPS)
def test_ctrl_c_at_each_step_says_what_was_charged(step, ledger):
    """In a note on the interruption; an answer that was on its way is stored before it goes on."""
    plan, expected = planned(list(ROWS)), STEPS[step][4]

    said = said_by(lambda: struck(strike(step, pressed), lambda: ran(plan, ledger)))

    assert said.error == "KeyboardInterrupt"
    if expected:
        assert check_truth(said, ledger, plan) == expected
    assert (expected in ("", NOTHING)) == (len(ledger.book().rows()) == 1)


SAVING = {  # in the command: steps of a run, and those that come after it
    **{step: STEPS[step] for step in list(STEPS)[2:13:2]},
    "before the store": STEPS["before the store"],
    "before the answer is committed": STEPS["before the answer is committed"],
    "before the numbers are shown": ("title_of", "call", 1, False, STORED),
    "before the folder is written": ("save", "call", 1, False, STORED),
    "once the folder is complete": ("saved", "return", 1, False, STORED),
    "before the last line": ("_say_where", "call", 1, False, STORED),
}
PLAN_FILE = """\
[data]
source = "visits.csv"
name = "visits"
unit = "row"
[keys]
ward = ["A", "B"]
[spend]
rho = "1/10"
ledger = "visits.ledger"
[[ask]]
statistic = "count"
by = "ward"
"""


@claim
@pytest.mark.parametrize("step", SAVING)
def test_ctrl_c_at_each_step_of_the_command_says_what_was_charged(
    step, ledger, tmp_path, monkeypatch
):
    """Exit code 130 and three lines; just after saving it says that the folder is complete."""
    monkeypatch.chdir(tmp_path)
    Path("visits.toml").write_text(PLAN_FILE)
    Path("visits.csv").write_text("ward\n" + "A\nB\n" * 50)
    name, event, nth, of_write, expected = SAVING[step]
    fault = Strike(name, event, pressed, nth, of_write)

    said = said_by(lambda: struck(fault, lambda: typed("release", "visits.toml")))

    rows = ledger.book().rows()[1:]
    assert said.error == "130"
    assert said.text.count("\n") == 3
    assert check_words(said, rows) == expected
    assert (["released"] if expected == STORED else []) == ["released"] * len(stored(ledger))
    complete = "the release in visits.release is complete" in said.text
    assert complete == (step in list(SAVING)[-2:])
    assert complete <= Path("visits.release").exists()


def stored(ledger):
    return [row for row in ledger.book().rows()[1:] if row.state == "answered"]


@claim
@pytest.mark.parametrize(
    ("act", "event"), [(killed, "c_call"), (pressed, "c_return")], ids=["killed", "Ctrl-C"]
)
def test_a_signal_at_each_statement_of_the_ledger(act, event, tmp_path):
    """Every statement that SQLite is given, one run for each, until a run reaches no more of them.

    A charge is not lost, not denied, and not used twice, wherever it strikes.
    """
    for nth in count(1):
        ledger, plan = started(tmp_path, name=f"{nth}.ledger"), planned(list(ROWS))
        fault = Strike("execute", event, act, nth)

        said = said_by(lambda: struck(fault, lambda: ran(plan, ledger), must=False))  # noqa: B023

        if said.release:
            break
        if said.exit == 0 and not ledger.book().entries and "charge" not in said.text:
            continue  # before the run had begun to pay there is nothing to say
        check_truth(said, ledger, plan)
    assert nth > 50


# The disk

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


# Locks

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


# The ledger's file, and its keeper


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


# Memory

MEMORY = [0, 1, 2, 3, 4, 5, 6, 8, 16, 256]  # megabytes beyond those in use


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


# Commits whose outcome is not known

UNKNOWN = r"it is not known whether charge (\d+) was written"
COMMITS = {  # whose journal cannot be deleted, what the run says, and what the file holds then
    "of the charge": (1, UNKNOWN, []),
    "of the answer": (2, UNSEEN, ["open"]),
}


@claim
@pytest.mark.parametrize("which", COMMITS)
def test_a_commit_that_fails_at_its_last_step(which, ledger):
    """Where not even the file can be read again, that is what is said."""
    nth, expected, after = COMMITS[which]
    plan = planned(list(ROWS))
    with kept_in_place(ledger.path.with_name("visits.ledger-journal")) as keep:
        fault = Strike("_commit", "call", keep, nth, of_write=True)
        said = said_by(lambda: struck(fault, lambda: ran(plan, ledger)))

    assert check_truth(said, ledger, plan) == expected
    assert [row.state for row in ledger.book().rows()][1:] == after


# The check itself


def lying(text: str) -> Said:
    return Said(error="LedgerError", text=text)


LIES = {
    "a charge is denied": "nothing was charged",
    "a charge is said to be answered": "charge 3 and its answer are stored",
    "another charge is named": "charge 1 stays spent and its answer was not stored",
    "nothing is said": "the disk is full",
    "two things are said": "nothing was charged; charge 3 stays spent and its answer was not stored",
}


@pytest.mark.parametrize("lie", LIES)
def test_what_is_not_so_is_caught(lie, ledger):
    """The check has power: an open charge, and five things that could be said of it."""
    plan = planned(list(ROWS))
    ledger.reserve(request=plan.digest, plan=plan.digest, loss=plan.spend, events=plan.events())

    with pytest.raises((AssertionError, KeyError)):
        check_truth(lying(LIES[lie]), ledger, plan)
    true = lying("charge 3 stays spent and its answer was not stored")
    assert check_truth(true, ledger, plan) == OPEN


def test_a_run_without_room_for_its_answer_is_caught(tmp_path, monkeypatch):
    """The full disk has power: where no room is held, the same disk parts charge and answer."""
    monkeypatch.setattr(spare, "_PAGES", 0)
    monkeypatch.setattr(river, "room_of", lambda *_: 0)
    with small_disk(tmp_path / "disk", 8_000) as place:
        ledger = started(place)
        plan = many(while_counting(list(ROWS), lambda: filled(place)))

        said = said_by(lambda: ran(plan, ledger, "filled"))

        (place / "hog").unlink()
        assert check_truth(said, ledger, many(list(ROWS)), request="filled") == OPEN


def test_there_are_enough_faults():
    """At least twenty-five are asked for."""
    named = [*STEPS, *STEPS, *SAVING, *DISK, *LOCKS, *LOCKS, *MEANWHILE, *COMMITS]
    sizes = [*range(192, 2_944, 64), *LIMITS, *MEMORY]

    assert len(named) > 80
    assert len(sizes) > 50
