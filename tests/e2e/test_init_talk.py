"""`discreet init` as a conversation: typed in a real pseudo-terminal, with slips, ^C and ^D."""

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path
from select import select

import pytest

import discreet
from discreet.plan_file.plan_file import read_plan_file

pytestmark = [pytest.mark.slow, pytest.mark.claim("C454")]
DATA = "person,sex,wage,region\nCANARY-1,F,2,Atlantis\nCANARY-2,M,3,Atlantis\n"
WHOLE = ["person", "3", "sex", "F, M", "wage", "0 to 100", "1/50"]
ENDS = (b"> ", b"(yes/no) ")
PATIENCE = 60  # seconds in which a command must say or do something


def begin():
    """Let ^C of this terminal reach the command, whatever was ignored before."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def converse(words, answers, folder):
    """Type each answer when it is asked for; return the exit code and what the terminal saw.

    A ^C between a prompt and the read behind it waits in Python's `input` for the next key (issue
    112585 of its tracker): who sees nothing happen presses it again.
    """
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "discreet", *words]
    ends = {"stdin": follower, "stdout": follower, "stderr": follower}
    seen, waiting, start, typed, quiet = b"", list(answers), 0, b"", 0
    with subprocess.Popen(
        command,
        cwd=folder,
        start_new_session=True,
        preexec_fn=begin,  # noqa: PLW1509 - no other thread runs here
        **ends,
    ) as process:
        os.close(follower)
        while quiet < PATIENCE:
            if not select([leader], [], [], 5)[0]:
                quiet += 5
                os.write(leader, typed if typed == b"\x03" else b"")
                continue
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen, quiet = seen + part, 0
            if waiting and seen[start:].endswith(ENDS):
                answer, start = waiting.pop(0), len(seen)
                typed = answer if isinstance(answer, bytes) else f"{answer}\n".encode()
                os.write(leader, typed)
        else:
            process.kill()
        code = process.wait()
    os.close(leader)
    assert not waiting, f"not asked for {waiting}\n{seen.decode()}"
    return code, seen.decode().replace("\r\n", "\n")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text(DATA)
    return tmp_path


def test_seven_answers_are_a_priced_plan_and_the_same_python(folder, monkeypatch):
    """One command and seven lines: docs/command-line.md compares them with DP Wizard's parts."""
    monkeypatch.chdir(folder)
    code, said = converse(["init", "people.csv"], WHOLE, folder)
    plan = read_plan_file(Path("people.toml")).plan
    python = said.partition("import discreet\n")[2].partition("\n)\n")[0] + "\n)\n"
    names = {"discreet": discreet}
    exec(python, names)

    assert code == 0
    assert plan.digest == names["plan"].digest
    assert [line.statistic.label for line in plan.lines] == ["count by sex", "mean wage by sex"]
    assert str(plan.table.unit) == "all rows with the same person, at most 3 rows of each"
    assert "Plan for people.csv: rho = 0.02 in all. Nothing has been read." in said
    assert Path("people.toml").read_text() in said
    assert "CANARY" not in said
    assert "Atlantis" not in said


def test_a_wrong_answer_is_said_and_asked_again(folder):
    """By the room that owns it, with what to type; nothing is lost of the answers before."""
    (folder / "sexes.csv").write_text("sex\nF\nM\n")
    slips = [
        *("persn", "person", "many", "0", "3", "sex, wag", "sex"),
        *("file people.csv", "file no.csv", "F, F", "file sexes.csv"),
        *("wage", "5", "9 to 0", "0 to 9", "rho = x", "mu = 2", "epsilon = 1, delta = 1e-6"),
    ]
    code, said = converse(["init", "people.csv"], slips, folder)
    text = (folder / "people.toml").read_text()

    assert code == 0
    for words in (
        *("type person", "a whole number of at least 1", "no column wag", "which is the data"),
        *("no.csv cannot be read", "listed twice", "is no range", "is not below"),
        *("is not a finite number", "mu is no loss"),
    ):
        assert words in said, words
    assert 'sex = { file = "sexes.csv" }' in text
    assert "CANARY" not in said + text


def test_a_question_mark_stays_one_and_an_empty_line_says_no(folder):
    """The plan file names the line of each that is left."""
    code, said = converse(
        ["init", "people.csv", "--out", "p.toml"], ["row", "sex", "?", "", "?"], folder
    )

    assert code == 0
    assert "Answer the question marks" in said
    with pytest.raises(discreet.errors.InputError, match="line 10, keys, sex: this is still"):
        read_plan_file(folder / "p.toml")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("key", "code"), [(b"\x03", 130), (b"\x04", 2)], ids=["^C", "^D"])
@pytest.mark.parametrize("after", [0, 1, 4, 6])
def test_a_conversation_that_is_left_writes_nothing(folder, key, code, after):
    """After no answer, after some, before the last: three lines, and no file."""
    said = converse(["init", "people.csv"], [*WHOLE[:after], key], folder)

    assert said[0] == code
    assert "  why: " in said[1]
    assert "Traceback" not in said[1]
    assert {path.name for path in folder.iterdir()} == {"people.csv"}


def test_any_header_is_taken_where_a_person_says_that_it_is_one(folder):
    """It is shown only then; a no is the refusal that it was."""
    text = "Ann Lee 12345;What is 1 + 1?;sex;sex\n1;2,5;F;F\n"
    (folder / "odd.csv").write_text(text)
    code, refused = converse(["init", "odd.csv"], ["no"], folder)
    answers = ["yes", "utf-8", ",", "row", "", "What is 1 + 1?", "0 to 9", "1/50"]
    taken, said = converse(["init", "odd.csv"], answers, folder)
    plan = read_plan_file(folder / "odd.toml").plan

    assert (code, taken) == (2, 0)
    assert "Ann Lee" not in refused
    assert (
        plan.table.csv.plain() == {"decimal": ",", "separator": ";"}
        or plan.table.csv.decimal == ","
    )
    assert "Columns: Ann Lee 12345, What is 1 + 1?." in said


def test_without_a_terminal_it_drafts_as_before(folder):
    """And with --json: no question is asked of a program."""
    for more in ([], ["--json"]):
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "discreet",
                "init",
                "people.csv",
                "--out",
                f"d{len(more)}.toml",
                *more,
            ],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0
        assert 'unit = "?"' in (folder / f"d{len(more)}.toml").read_text()
    assert json.loads(done.stdout)["command"] == "init"


def test_names_that_stand_twice_are_left_out_of_a_draft(folder):
    """No column of the plan could be told by them; a unit behind a name is a name."""
    (folder / "t.csv").write_text("person,Time spent (minutes),sex,sex\n1,2,F,F\n")
    done = subprocess.run(
        [sys.executable, "-m", "discreet", "init", "t.csv"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    text = (folder / "t.toml").read_text()

    assert done.returncode == 0
    assert "# Left out, since the first line names them twice: sex." in text
    assert '# "Time spent (minutes)" = { lower' in text
    assert "# sex = " not in text
