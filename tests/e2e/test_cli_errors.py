"""Whatever goes wrong, the terminal sees three lines, and nothing that could steer or scare it."""

import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from people import PLAN, damage, settle
from session import run
from terminal import on_terminal

from discreet import errors
from discreet.cli import output
from discreet.cli.output import Interrupted, Screen
from discreet.ledgers.file import open_ledger
from discreet.ledgers.rules import ChargeRequest

CODES = {
    "InputError": 2,
    "BudgetError": 3,
    "LedgerError": 4,
    "EngineError": 5,
    "VerifyError": 6,
    "InternalError": 70,
}
HOSTILE = "\x1b[31mred\x07\u202eevil\r\nB"


def _command(*words: str, **more: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "discreet.cli.cli", *words]
    return subprocess.run(command, capture_output=True, timeout=60, check=False, **more)


@pytest.mark.parametrize("name", CODES)
def test_each_class_of_error_has_its_own_exit_code_and_three_lines(name):
    """Scripts can tell who must act."""
    error = getattr(errors, name)("it happened.", why="a reason", fix="type this")
    said = StringIO()

    with redirect_stderr(said):
        code = Screen().fail(error)

    assert code == CODES[name]
    assert said.getvalue() == f"{name}: it happened.\n  why: a reason\n  fix: type this\n"


def test_what_is_unforeseen_is_told_without_what_it_holds():
    """An exception of any library may quote a row, so only its type is said."""
    told = output.told(ValueError("47 Elm St"))

    assert isinstance(told, errors.InternalError)
    assert "ValueError" in str(told)
    assert "Elm" not in str(told)


@pytest.mark.slow
def test_a_key_or_a_name_cannot_steer_the_terminal(tmp_path, monkeypatch):
    """No control or direction character of a key, a column, a title or a reason is printed raw."""
    monkeypatch.chdir(tmp_path)
    quoted = "".join(f"\\U{ord(c):08x}" for c in HOSTILE)
    plan = PLAN.replace('"A"', f'"{quoted}"').replace("People and wages", quoted)
    settle(
        tmp_path,
        plan=plan.replace("\nwage = {", f'\n"{quoted}" = {{ lower = 0, upper = 1 }}\nwage = {{'),
    )
    plan_file = tmp_path / "people.toml"
    plan_file.write_text(
        plan_file.read_text() + f'\n[[ask]]\nstatistic = "sum"\ncolumn = "{quoted}"\n'
    )
    data = tmp_path / "people.csv"
    text = data.read_text().replace("age", '"' + HOSTILE.replace("\r\n", "") + '"', 1)
    data.write_text(text, encoding="utf-8", newline="")

    said = "".join(
        run(f"discreet {words}")[1]
        for words in (
            "plan people.toml",
            "rehearse people.toml",
            "release people.toml",
            "init people.csv",
            "ledger show people.ledger",
        )
    )

    assert "evil" in said
    assert [c for c in said if not (c.isprintable() or c == "\n")] == []


@pytest.mark.slow
def test_a_charge_whose_data_cannot_be_read_is_open_until_it_is_voided(tmp_path, monkeypatch):
    """The engine fails after the charge: it stays spent, is listed, and the owner gives it back."""
    monkeypatch.chdir(tmp_path)
    settle(tmp_path, plan=PLAN.replace("people.csv", "people.parquet"))
    damage(tmp_path / "people.parquet")
    (tmp_path / "people.ledger").unlink()
    run("discreet ledger init people.ledger --rho 1/8")

    code, said = run("discreet release people.toml")
    listed = run("discreet ledger show people.ledger")[1]
    voided = run("discreet ledger void people.ledger 1 --why 'the file was damaged'")

    assert (code, said.count("EngineError: ")) == (5, 1)
    assert "Charge 1 is open" in listed
    assert voided == (
        0,
        "Voided charge 1: the file was damaged\nLeft in people.ledger: rho = 0.125.\n",
    )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that takes no files")
def test_a_release_that_cannot_be_written_is_not_lost(tmp_path, monkeypatch):
    """The charge is answered in the ledger; the same command gives it again, elsewhere."""
    monkeypatch.chdir(tmp_path)
    settle(tmp_path)
    (tmp_path / "file").write_text("not a folder")

    refused = [run(f"discreet release people.toml --out {out}") for out in ("file/r", "x" * 300)]
    assert [(code, "nothing was charged" in said) for code, said in refused] == [(2, True)] * 2

    code, said = run("discreet release people.toml --out /proc/people.release")
    again = run("discreet release people.toml --out people.release")

    assert (code, "is paid and stored in the ledger" in said) == (2, True)
    assert (again[0], "Nothing was charged." in again[1]) == (0, True)


def test_an_interruption_tells_what_was_charged(tmp_path):
    """From the ledger itself: nothing, an open charge, or an answer that is stored."""
    from discreet.cli.charge import interruptible

    settle(tmp_path)
    book = open_ledger(tmp_path / "people.ledger")

    def work(request: str, *, charge: bool, answer: bool) -> None:
        with interruptible(book, request, book.head()[0]):
            if charge:
                half = book.left().times(Fraction(1, 2))
                paid = book.file.reserve(
                    ChargeRequest(request=request, plan="p", loss=half, events=[])
                )
                if answer:
                    book.file.settle(paid, "{}")
            signal.raise_signal(signal.SIGINT)

    def interrupted(*, charge: bool, answer: bool) -> str:
        with pytest.raises(Interrupted) as caught:
            work(f"r{charge}{answer}", charge=charge, answer=answer)
        assert caught.value.exit_code == 130
        return caught.value.why

    assert "nothing was charged" in interrupted(charge=False, answer=False)
    assert "stays spent" in interrupted(charge=True, answer=False)
    assert "its answer are stored" in interrupted(charge=True, answer=True)


def test_an_engine_that_hides_an_interruption_does_not_hide_it_from_us(tmp_path):
    """The signal is noted beside the exception, which a library may have replaced."""
    from discreet.cli.charge import interruptible

    settle(tmp_path)
    book = open_ledger(tmp_path / "people.ledger")

    def engine(*, pressed: bool) -> None:
        with interruptible(book, "r", book.head()[0]):
            try:
                if not pressed:
                    raise ValueError  # noqa: TRY301
                signal.raise_signal(signal.SIGINT)
            except (KeyboardInterrupt, ValueError):
                raise errors.EngineError("stopped.", why="it was", fix="ask again") from None

    with pytest.raises(Interrupted):
        engine(pressed=True)
    with pytest.raises(errors.EngineError):
        engine(pressed=False)


@pytest.mark.slow
def test_ctrl_c_ends_a_running_command_with_exit_code_130(tmp_path):
    """A real process, a real signal, no traceback; the charge is told or excluded."""
    settle(tmp_path)
    rows = "".join(f"{i},{i % 90},{'ABC'[i % 3]},{i % 100}\n" for i in range(400_000))
    (tmp_path / "people.csv").write_text("person,age,city,wage\n" + rows)
    process = subprocess.Popen(
        [sys.executable, "-m", "discreet.cli.cli", "release", "people.toml"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stdout:
        if line.startswith("Left in"):  # the plan is shown; the charge comes next
            process.send_signal(signal.SIGINT)
            break
    _, said = process.communicate(timeout=60)

    assert process.returncode == 130
    assert (said.count("\n"), said.startswith("Interrupted: ")) == (3, True), said
    assert "charge" in said


@pytest.mark.slow
def test_progress_is_shown_to_a_terminal_and_to_nothing_else(tmp_path):
    """A pipe gets no spinner and no colour; a terminal gets both, on standard error alone."""
    settle(tmp_path)
    piped = _command("rehearse", "people.toml", cwd=tmp_path)
    _, out, seen = on_terminal(["rehearse", "people.toml"], tmp_path)

    assert (piped.stderr, b"\x1b" in piped.stdout) == (b"", False)
    assert b"Rehearsing on made-up rows" in seen
    assert b"\x1b" not in out


@pytest.mark.slow
def test_a_terminal_without_unicode_gets_escapes_and_no_traceback(tmp_path):
    """The sign ± is escaped where it cannot be shown."""
    settle(tmp_path)

    done = _command(
        "plan", "people.toml", cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\xb1" in done.stdout


@pytest.mark.slow
def test_a_reader_who_leaves_is_no_failure(tmp_path):
    """`discreet plan people.toml | head -1` ends quietly."""
    settle(tmp_path)
    command = (
        f"{sys.executable} -m discreet.cli.cli plan people.toml | true; echo ${{PIPESTATUS[0]}}"
    )

    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, check=True)

    assert (done.stdout.strip(), done.stderr) == (b"0", b"")


def test_a_file_that_looks_like_an_option_can_be_named(tmp_path, monkeypatch):
    """After -- a name is a name."""
    monkeypatch.chdir(tmp_path)

    code, said = run("discreet plan -- -rf")

    assert (code, said.startswith("InputError: -rf: the plan file cannot be read.")) == (2, True)


@pytest.mark.slow
def test_help_is_quick():
    """Reading the words imports no engine and no picture library."""
    code = "import sys, discreet.cli.cli as c; c.main(['--help']); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    for name in ("duckdb", "matplotlib", "pandas", "pyarrow", "sqlglot"):
        assert f"'{name}'".encode() not in done.stdout
