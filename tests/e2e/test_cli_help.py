"""Each command has help with an example, and the examples run."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from people import settle
from session import run

COMMANDS = [
    "plan",
    "release",
    "rehearse",
    "check",
    "show",
    "verify",
    "denoise",
    "init",
    "demo",
    "audit",
    "annotate",
    "registry",
    "forecast",
    "table",
    "microdata",
    "explore",
    "expression",
    "sql",
    "derive",
    "heatmap",
    "explain",
    "calc",
    "compare",
]
BOOK = [
    f"ledger {name}" for name in ("init", "show", "verify", "void", "restored", "trust", "anchor")
]


def _example(command: str) -> str:
    code, said = run(f"discreet {command} --help")
    found = re.search(r"Example: (discreet .*(?:\n +\S.*)*)", said)
    assert code == 0
    assert found, f"{command} has no example"
    return re.sub(r"\s+", " ", found.group(1))


@pytest.mark.parametrize("command", COMMANDS + BOOK)
def test_each_command_has_an_example_of_itself(command):
    """Who reads the help can copy a line of it."""
    assert _example(command).startswith(f"discreet {command}")


@pytest.mark.slow
def test_the_examples_run(tmp_path, monkeypatch):
    """In the order of a working day; nothing is open to be voided, and that is said."""
    monkeypatch.chdir(tmp_path)
    settle(tmp_path)
    (tmp_path / "people.ledger").unlink()
    day = [
        "ledger init",
        "init",
        "plan",
        "explore",
        "rehearse",
        "release",
        "show",
        "verify",
        "denoise",
        "derive",
    ]

    codes = {c: run(_example(c))[0] for c in [*day, "ledger show", "ledger verify"]}

    assert set(codes.values()) == {0}, codes
    assert run(_example("ledger void"))[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize("command", ["calc", "compare"])
def test_every_line_of_the_help_of_a_calculation_runs(command, tmp_path, monkeypatch):
    """Who copies a line of it gets an answer."""
    monkeypatch.chdir(tmp_path)
    _, said = run(f"discreet {command} --help")
    lines = re.findall(r"^  (discreet .*)", said, flags=re.MULTILINE)

    codes = {line: run(line)[0] for line in lines}

    assert len(codes) >= 3
    assert set(codes.values()) == {0}, codes


def test_every_command_is_listed():
    """The first page names them all."""
    _, said = run("discreet --help")
    _, book = run("discreet ledger --help")

    assert re.findall(r"^  ([a-z]+)  +\S", said, flags=re.MULTILINE) == [*COMMANDS, "ledger"]
    assert [f"ledger {c}" for c in re.findall(r"^  ([a-z]+)  +\S", book, re.MULTILINE)] == BOOK


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", ["", *COMMANDS, "ledger", *BOOK])
def test_h_is_help(words):
    """On each command, as people type it."""
    assert run(f"discreet {words} -h") == run(f"discreet {words} --help")
    assert run(f"discreet {words} -h")[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (["discreet", "le"], "ledger"),
        (["discreet", "ledger", "v"], "verify void"),
        (["discreet", "release", "--led"], "--ledger"),
    ],
)
def test_a_shell_completes_what_is_begun(typed, shown):
    """With the lines that --show-completion prints, in a real bash."""
    script = Path(sys.executable).with_name("discreet")
    if not script.exists() or shutil.which("bash") is None:
        pytest.skip("needs bash and the script of this environment")
    words = " ".join(typed)
    text = f"""
        eval "$(_DISCREET_COMPLETE=source_bash discreet)"
        COMP_WORDS=({words}); COMP_CWORD={len(typed) - 1}; COMP_LINE="{words}"
        _discreet_completion discreet {typed[-1]} {typed[-2]}
        echo "${{COMPREPLY[@]}}"
    """
    path = f"{script.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", text], env={**os.environ, "PATH": path}, capture_output=True, check=True
    )

    assert done.stdout.decode().split() == shown.split()


def test_the_version_is_told():
    """One line, for a report."""
    assert re.fullmatch(r"discreet \d+\.\d+\.\d+\S*\n", run("discreet --version")[1])


def test_the_module_is_the_command_line(capsys, monkeypatch):
    """`python -m discreet` says what `discreet` says, with its exit code."""
    monkeypatch.setattr(sys, "argv", ["discreet", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("discreet", run_name="__main__")

    assert ended.value.code == 0
    assert "From a table and a privacy budget to a published release." in capsys.readouterr().out
