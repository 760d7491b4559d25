"""The package for R: its own walk, its check, and its vignette, where R is."""

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
        pytest.skip("no R: apt-get install r-base-core r-cran-jsonlite r-cran-knitr")
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
    """R CMD check, with the walk as its test; no manual, which needs LaTeX."""
    ran(r, "R", "CMD", "build", "--no-build-vignettes", "discreet")
    (built,) = r.glob("discreet_*.tar.gz")
    said = ran(r, "R", "CMD", "check", "--no-manual", "--ignore-vignettes", built.name)
    assert "Status: OK" in said


@pytest.mark.slow
@pytest.mark.exhaustive("R")
def test_the_vignette_runs(r):
    """Each chunk, with the numbers of a release and what is said of one that does not fit."""
    (r / "library").mkdir(exist_ok=True)
    ran(r, "R", "CMD", "INSTALL", "--no-docs", f"--library={r / 'library'}", "discreet")
    vignette = r / "discreet" / "vignettes" / "discreet.Rmd"
    ran(r, "Rscript", "-e", f'knitr::knit("{vignette}", output = "vignette.md", quiet = TRUE)')
    said = (r / "vignette.md").read_text()
    assert "## Error" not in said
    assert "## 1    a" in said
    assert "is left in small.ledger" in said
