"""Real deployments, carried out from plan file to verified release on made-up data."""

import re
import runpy
import shutil
from pathlib import Path

import pytest
from session import run

import discreet as dp
from discreet.plan_file.plan_file import read_plan_file

FOLDER = Path(__file__).parents[2] / "examples" / "deployments"
PLANS = sorted(path.stem for path in FOLDER.glob("*.toml"))
BUDGETS = {
    "census-households": "--rho 3",
    "wikimedia-pageviews": "--epsilon 3 --delta 1e-6",
    "google-mobility": "--epsilon 1 --delta 1e-6",
    "recurve-energy": "--epsilon 6 --delta 1e-6",
    "ctdc-victims": "--epsilon 13 --delta 1e-5",
    "google-vaccines": "--epsilon 3 --delta 1e-4",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The plan files beside the data that the script makes."""
    place = tmp_path_factory.mktemp("deployments")
    made = runpy.run_path(str(FOLDER / "made_up.py"))
    for name, rows in made["FILES"].items():
        made["written"](place / name, rows())
    for plan in FOLDER.glob("*.toml"):
        shutil.copy(plan, place)
    return place


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_a_deployment_is_carried_out(name, folder, monkeypatch):
    """Plan, ledger, release and verify, as its publisher would type them."""
    monkeypatch.chdir(folder)
    text = (folder / f"{name}.toml").read_text("utf-8")
    ledger = text.split('ledger = "')[1].split('"')[0]
    for command in (
        f"discreet plan {name}.toml",
        f"discreet ledger init {ledger} {BUDGETS.get(name, '--epsilon 10')}",
        f"discreet release {name}.toml --out {name}.release",
        f"discreet verify {name}.release --ledger {ledger}",
    ):
        code, printed = run(command)
        assert code == 0, f"{command}\n{printed}"
    release = dp.load(folder / f"{name}.release")
    assert all(len(release[label]) for label in release)
    if release.keys() == ["tables"]:
        code, printed = run(f"discreet microdata {name}.release --out {name}.rows.csv")
        assert (code, "Fit for" in printed) == (0, True)


def test_the_page_says_how_many_there_are_and_names_each():
    """Eleven are whole; each that is carried out stands in its row."""
    text = (FOLDER.parents[1] / "docs" / "deployments.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    carried = [line for line in rows if "carried out" in line]

    assert len(carried) == len(PLANS)
    assert sum("| whole" in line for line in carried) == 11
    assert all(f"`{name}.toml`" in text for name in PLANS)


def test_each_number_that_makes_a_deployment_whole_is_released_by_its_plan():
    """The page names them: of each of the eleven, by the labels of its plan."""
    text = (FOLDER.parents[1] / "docs" / "deployments.md").read_text("utf-8")
    section = text.split("## The numbers that make the eleven whole")[1].split("\n## ")[0]
    rows = [line.split("|")[1:4] for line in section.splitlines() if line[:3] in ("| `", "| |")]
    plan, released = "", {}
    for first, _, last in rows:
        plan = first.strip(" `") or plan
        released.setdefault(plan, set()).update(re.findall(r"`([^`]+)`", last))

    whole = {re.search(r"`([a-z-]+)\.toml`", line)[1] for line in text.splitlines() if "| whole" in line}  # fmt: skip
    assert released.keys() == whole
    for name, labels in released.items():
        asked = read_plan_file(FOLDER / f"{name}.toml").plan.lines
        assert labels - {"discreet microdata"} <= {line.statistic.label for line in asked}
        assert labels
