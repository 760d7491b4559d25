"""The documents' figures are drawn by a command of the repository, which is no part of the package."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from figures.catalog import FIGURES

ROOT = Path(__file__).parents[2]


def drawn(*words):
    """Run `python -m figures`; return its exit code and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "figures", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_without_a_name_all_are_listed():
    code, said = drawn()

    assert code == 0
    assert [line.split()[0] for line in said.splitlines()] == [*FIGURES, "street-map"]


def test_a_figure_and_a_map_of_ones_own_data_are_written(tmp_path):
    """PNG, SVG and CSV each."""
    roads = {"places": [[0, 0], [0.01, 0], [0.02, 0]], "edges": [[0, 1], [1, 2]]}
    (tmp_path / "nyc-roads.json").write_text(json.dumps(roads))
    (tmp_path / "nyc-pickups.json").write_text("[[0, 0, 30], [0.01, 0, 40], [0.5, 0, 9]]")
    out, data = str(tmp_path / "drawn"), str(tmp_path)
    code, said = drawn("clamped-count", "street-map", "--out", out, "--data", data)

    assert (code, said.count("Wrote")) == (0, 2)
    assert {path.suffix for path in Path(out).iterdir()} == {".png", ".svg", ".csv"}


@pytest.mark.parametrize(
    ("words", "why"),
    [(["street-map"], "add --data FOLDER"), (["2.1"], "there is no figure '2.1'")],
)
def test_what_cannot_be_drawn_is_refused(words, why):
    code, said = drawn(*words)

    assert code == 2
    assert why in said
