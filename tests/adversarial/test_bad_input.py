"""Bad input as a user meets it: each case is three lines of the right class, or the right answer.

Nothing is charged where nothing ran; a charge stays open where the data pass failed, and the ledger
says so; what was there before is still there; no message quotes or counts rows. The cases are in
`bad_input`, a table for each place where input comes in; a fault planted in each check is seen.
"""

import json
from pathlib import Path

import pytest
from bad_input import answers, commands, declarations, ledgers, planfiles, sources
from bad_input.world import (
    BUDGET,
    LEDGER,
    PLAN,
    SUM,
    Refused,
    answered,
    build,
    charges,
    check_command,
    check_refused,
    check_said,
    check_unpaid,
    command,
    declared,
    image,
    planned,
    run,
)

import discreet as dp
from discreet.errors import EngineError, InputError
from discreet.ledgers.rules import ChargeRequest

pytestmark = pytest.mark.claim("C18")


def named(cases, slow):
    """Return the names of the cases, for pytest."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in slow else name for name in cases]


@pytest.fixture(scope="session")
def ledger(tmp_path_factory):
    path = tmp_path_factory.mktemp("ledger") / LEDGER
    dp.ledger(path, budget=dp.pure(BUDGET))
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path, monkeypatch, ledger):
    monkeypatch.chdir(tmp_path)
    build(tmp_path, ledger)
    return tmp_path


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", declarations.CASES)
def test_a_slip_in_python_is_refused_before_anything_runs(name, folder):
    """What is declared, asked and spent is checked when it is said."""
    act, expected = declarations.CASES[name]

    check_refused(act, expected, folder)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", planfiles.CASES)
def test_a_slip_in_a_plan_file_is_refused_before_anything_runs(name, folder):
    """The error names the file and the place in it, and exits with 2."""
    text, expected = planfiles.CASES[name]
    (folder / "people.toml").write_bytes(text)

    check_command(["release", "people.toml"], expected, folder)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", named(sources.CASES, sources.SLOW))
@pytest.mark.parametrize("face", ["python", "command"])
def test_data_that_does_not_fit_is_told_without_quoting_it(name, face, folder):
    """By its names and types before the charge; else the charge stays open, and is listed."""
    path, make, expected = sources.CASES[name]
    make()

    if face == "python":
        check_refused(lambda: run(planned(table=declared(path))), expected, folder)
    else:
        plan = PLAN.replace("people.csv", path)
        (folder / "people.toml").write_text(plan + SUM, encoding="utf-8")
        check_command(["release", "people.toml"], expected, folder)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ledgers.CASES)
@pytest.mark.parametrize("face", ["python", "command"])
def test_a_ledger_that_cannot_pay_is_refused_and_left_as_it_is(name, face, folder):
    """Nothing is charged, mended, moved or made."""
    make, expected = ledgers.CASES[name]
    make()

    check_unpaid(face, expected, folder)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", named(answers.CASES, answers.SLOW))
def test_strange_data_has_the_right_answer(name, folder):
    """A cell, row, name or file that is strange counts for what the docs say, and stops nothing."""
    question, make, declared_as, expected = answers.CASES[name]

    assert answered(question, make(), **declared_as) == expected
    assert charges() == ["answered"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", named(commands.CASES, commands.SLOW))
def test_a_command_that_cannot_be_kept_changes_nothing(name, folder):
    """Neither the ledger nor a release nor any other file; with --json it says the same."""
    make, words, expected = commands.CASES[name]
    make()
    before = image(folder)

    said = command(*words)
    told = json.loads(command(*words, "--json").out)

    check_said(said, expected, folder)
    assert (told["exit_code"], told["error"]) == (said.code, expected.error.__name__)
    assert (
        said.err == f"{told['error']}: {told['what']}\n  why: {told['why']}\n  fix: {told['fix']}\n"
    )
    assert image(folder) == before
    charges()


NOWHERE = Refused(InputError, "^there is no file nowhere.csv")


def refused():
    run(planned(table=declared("nowhere.csv")))


def charges_first():
    dp.ledger(LEDGER).file.reserve(ChargeRequest(request="r", plan="p", loss=dp.pure(1), events=[]))
    refused()


def quotes_a_row():
    raise InputError("there is no file nowhere.csv.", why="zebrafish 7 is in it", fix="remove it")


def counts_the_rows():
    raise InputError(
        "there is no file nowhere.csv.", why="1,373 rows are none", fix="add some rows"
    )


def hangs_on_to_a_row():
    try:
        int("zebrafish 7")
    except ValueError as error:
        raise InputError(
            "there is no file nowhere.csv.", why="it is gone", fix="find it"
        ) from error


def leaves_a_file():
    Path("nowhere.lock").touch()
    refused()


def is_of_another_class():
    raise EngineError("there is no file nowhere.csv.", why="it is gone, alas", fix="find it again")


def runs_nevertheless():
    run(planned())


FAULTS = [
    charges_first, quotes_a_row, counts_the_rows, hangs_on_to_a_row, leaves_a_file,
    is_of_another_class, runs_nevertheless,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_the_check_sees_a_fault_in_what_refuses(fault, folder):
    """A charge where nothing ran, a cell in a message or behind it, a file left, a wrong class."""
    check_refused(refused, NOWHERE, folder)

    with pytest.raises((AssertionError, EngineError, pytest.fail.Exception)):
        check_refused(fault, NOWHERE, folder)
