"""The package for R: its own walk, and its check with its vignette, where R is (`make r`)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 600  # seconds


@pytest.fixture(scope="module")
def r(tmp_path_factory):
    """A folder with the package, and a command `discreet` of this checkout."""
    if shutil.which("Rscript") is None:
        pytest.skip("no R: make r")
    folder = tmp_path_factory.mktemp("r")
    shutil.copytree(ROOT / "r" / "discreet", folder / "discreet")
    command = folder / "bin" / "discreet"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m discreet "$@"\n')
    command.chmod(0o755)
    return folder


def ran(folder, *words):
    """What a program of R says; PYTHONPATH leads to this checkout."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    ours = {"PATH": path, "PYTHONPATH": str(ROOT / "src"), "R_LIBS_USER": str(folder / "library")}
    ours |= {"R_REPOSITORIES": "NULL", "LC_ALL": "C.UTF-8"}  # nothing is asked of a network
    done = subprocess.run(
        [*map(str, words)], cwd=folder, env={**os.environ, **ours}, timeout=MOST,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.exhaustive("R")
def test_r_plans_rehearses_releases_and_verifies(r):
    """By the functions of the package, without installing it."""
    code = (r / "discreet" / "tests" / "walk.R").read_text()
    source = f'source("{r / "discreet" / "R" / "discreet.R"}")'
    (r / "walk.R").write_text(code.replace("library(discreet)", source))
    ran(r, "Rscript", "walk.R")


@pytest.mark.slow
@pytest.mark.exhaustive("R")
def test_the_check_of_r_finds_nothing(r):
    """R CMD check: the walk as its test, and the vignette made anew; no manual, which needs LaTeX.

    The vignette has the numbers of a release, and what is said of one that does not fit.
    """
    ran(r, "R", "CMD", "build", "discreet")
    (built,) = r.glob("discreet_*.tar.gz")
    said = ran(r, "R", "CMD", "check", "--no-manual", built.name)
    assert "Status: OK" in said
    assert (r / "discreet.Rcheck" / "tests" / "walk.Rout").exists()
    assert "re-building of vignette outputs ... OK" in said
    vignette = (r / "discreet.Rcheck" / "discreet" / "doc" / "discreet.html").read_text()
    assert "## Error" not in vignette
    assert "## 1    a" in vignette
    assert "is left in small.ledger" in vignette
