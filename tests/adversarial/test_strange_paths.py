"""Paths that lead nowhere, in a circle or into what is closed: three lines, and nothing is made.

Whatever verb is given such a path, as a ledger or as a release, it is refused by an error of the
right class, before anything is charged or read; the command line exits with that class's code.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.errors import DiscreetError, InputError, LedgerError

SHAPES = {
    "a name of 300 characters": "x" * 300,
    "a path of 5,000 characters": "x/" * 2500 + "x",
    "a loop of links": "loop",
    "a dangling link": "dangling",
    "NUL": "a\0b",
    "half of a character": "\ud800",
    "a folder": "folder",
    "a file for a folder": "file/inner",
    "no folder": "nowhere/inner",
    "no name": "",
}
TYPED = {"NUL", "half of a character"}  # nothing can have such a name: whoever typed it must act


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.symlink("loop", "loop")
    os.symlink("gone", "dangling")
    os.mkdir("folder")
    Path("file").write_text("mine")
    return tmp_path


def planned():
    table = dp.table([{"k": "a"}], unit="row", keys={"k": ["a", "b"]}, name="t")
    return dp.plan(table, dp.count(by="k"), spend=dp.zcdp("1/50"))


def refused(act, error):
    with pytest.raises(DiscreetError) as caught:
        act()
    assert type(caught.value) is error
    assert len(str(caught.value).split("\n")) == 3


def verbs(path, release):
    """What can be done with a path: as a ledger, and as a release."""
    ledger = {
        "open": lambda: dp.ledger(path),
        "start": lambda: dp.ledger(path, budget=dp.zcdp(1)),
        "run": lambda: dp.run(planned(), ledger=path),
        "verify": lambda: dp.verify(release, ledger=path),
    }
    saved = {
        "load": lambda: dp.load(path),
        "check": lambda: dp.verify(path),
        "clean": lambda: dp.denoise(path),
        "save": lambda: release.save(path),
        "save cleaned": lambda: dp.denoise(release, "raw").save(path),
    }
    return ledger, saved


@pytest.mark.claim("C18")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_path_that_leads_nowhere_is_refused_in_three_lines(shape, folder):
    """As a ledger by whoever keeps it, as a release by whoever typed it; the folder stays as it is."""
    before = sorted(os.listdir())
    release = dp.rehearse(planned())
    ledger, saved = verbs(SHAPES[shape], release)

    for act in ledger.values():
        refused(act, InputError if shape in TYPED else LedgerError)
    for act in saved.values():
        refused(act, InputError)
    assert sorted(os.listdir()) == before
    assert os.listdir("folder") == []
    assert Path("file").read_text() == "mine"


@pytest.mark.slow
@pytest.mark.claim("C18")
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape not in TYPED])
def test_the_command_line_exits_with_the_code_of_the_class(shape, folder, capfd):
    """Never with 70, which would say that we are at fault."""
    path = SHAPES[shape]
    commands = [
        ["ledger", "show", path],
        ["ledger", "init", path, "--rho", "1"],
        ["ledger", "verify", path],
        ["show", path],
        ["verify", path],
        ["denoise", path],
    ]

    for words in commands:
        assert main(words) in (InputError.exit_code, LedgerError.exit_code), words
        assert len(capfd.readouterr().err.strip().split("\n")) == 3, words


HERE = str(Path(__file__).parent)
CLOSED = """
import os, sys
import discreet as dp, discreet.report.bundle, discreet.releases.document
from discreet.errors import DiscreetError
import test_strange_paths as here
release = dp.rehearse(here.planned())
release.table(), str(release), dp.denoise(release, "raw")
os.setuid(65534)
for part in here.verbs("closed/inner", release):
    for act in part.values():
        try:
            act()
            print("went through")
        except DiscreetError as error:
            print(type(error).__name__, len(str(error).split("\\n")))
"""


@pytest.mark.slow
@pytest.mark.claim("C18")
@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="becomes another user")
def test_a_folder_that_may_not_be_entered_is_refused_in_three_lines(tmp_path):
    """As another user than its owner, in a process of its own."""
    (tmp_path / "closed").mkdir(mode=0o700)
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {HERE!r}){CLOSED}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    said = done.stdout.split("\n")[:-1]

    assert said == ["LedgerError 3"] * 4 + ["InputError 3"] * 5
    assert os.listdir(tmp_path / "closed") == []
