"""Faults at every step of a run: it ends in a release, or in words that are true of its charge.

Each fault has a name; `test_there_are_enough_faults` counts them.
"""

import signal
from itertools import count
from pathlib import Path

import pytest

import discreet as dp
from adversarial.fault_words import NOTHING, OPEN, UNSEEN
from adversarial.faults import (
    Act,
    Said,
    Strike,
    check_truth,
    check_words,
    kept_in_place,
    killed,
    pressed,
    ran,
    said_by,
    struck,
    typed,
)
from adversarial.rivers import ROWS, planned, started
from adversarial.test_faults_meanwhile import LOCKS, MEANWHILE
from adversarial.test_faults_of_room import DISK, LIMITS, MEMORY
from discreet.ledgers.rules import ChargeRequest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]

claim = pytest.mark.claim("C36")
STORED = r"charge (\d+) and its answer are stored"


@pytest.fixture
def ledger(tmp_path):
    """A ledger from which one release was paid before."""
    found = started(tmp_path)
    dp.run(planned(list(ROWS)), ledger=found, request="before")
    return found


STEPS = {  # the function, its event, the how-manieth, of a write; and what Ctrl-C there must say
    "before the source is opened": ("prepare", "call", 1, False, ""),
    "before room is taken": ("spare", "call", 1, False, NOTHING),
    "once room is taken": ("posix_fallocate", "c_return", 1, False, NOTHING),
    "before the charge": ("reserve", "call", 1, False, NOTHING),
    "before the charge is written": ("write_entry", "call", 1, False, NOTHING),
    "once the charge is written": ("write_entry", "return", 1, False, NOTHING),
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
    "before the answer is written": ("write_entry", "call", 2, False, STORED),
    "once its room is open": ("blobopen", "c_return", 1, False, STORED),
    "once the answer is written": ("write_entry", "return", 2, False, STORED),
    "before the answer is committed": ("_commit", "call", 2, True, STORED),
    "once the answer is committed": ("_commit", "return", 2, True, STORED),
    "before the answer leaves": ("settle", "return", 1, False, STORED),
}


def strike(step: str, act: Act) -> Strike:
    name, event, nth, of_write, _ = STEPS[step]
    return Strike(name, event, act, nth, of_write)


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
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
def test_a_signal_at_each_statement_of_the_ledger(act, event, tmp_path, turns):
    """Every statement that SQLite is given, one run for each, until a run reaches no more of them.

    In `make test` every fifth of them, and all in five commits.
    A charge is not lost, not denied, and not used twice, wherever it strikes.
    """
    start, step = turns(5)
    for nth in count(1 + start, step):
        ledger, plan = started(tmp_path, name=f"{nth}.ledger"), planned(list(ROWS))
        fault = Strike("execute", event, act, nth)

        said = said_by(lambda: struck(fault, lambda: ran(plan, ledger), must=False))  # noqa: B023

        if said.release:
            break
        if said.exit == 0 and not ledger.book().entries and "charge" not in said.text:
            continue  # before the run had begun to pay there is nothing to say
        check_truth(said, ledger, plan)
    assert nth > 50


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
    ledger.file.reserve(
        ChargeRequest(request=plan.digest, plan=plan.digest, loss=plan.spend, events=plan.events())
    )

    with pytest.raises((AssertionError, KeyError)):
        check_truth(lying(LIES[lie]), ledger, plan)
    true = lying("charge 3 stays spent and its answer was not stored")
    assert check_truth(true, ledger, plan) == OPEN


def test_there_are_enough_faults():
    """At least twenty-five are asked for."""
    named = [*STEPS, *STEPS, *SAVING, *DISK, *LOCKS, *LOCKS, *MEANWHILE, *COMMITS]
    sizes = [*range(192, 2_944, 64), *LIMITS, *MEMORY]

    assert len(named) > 80
    assert len(sizes) > 50
