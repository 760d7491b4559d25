"""Real ledgers take for made-up releases what the plan costs, and leave nothing behind."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

import discreet as dp
from adversarial.planted import charged_less, usual
from discreet.audit.charged import undercharged
from discreet.audit.worlds import layout_of
from discreet.ledgers import rules
from discreet.paths import remembered, remembered_in

PLANS = {
    "pure": (usual, {"pure", "zcdp", "gdp", "purses", "approx", "approx_zcdp", "approx_gdp"}),
    "Gaussian": (
        lambda: usual(spend=dp.zcdp("1/8")),
        {"zcdp", "gdp", "purses", "approx_zcdp", "approx_gdp"},
    ),
}


@pytest.mark.slow
@pytest.mark.claim("C576")
@pytest.mark.parametrize("name", PLANS)
def test_each_kind_of_ledger_takes_what_two_releases_cost(name, tmp_path, monkeypatch):
    """And the user's own folder holds no anchor of these ledgers afterwards."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    make, kinds = PLANS[name]
    plan = make()

    seen, wrong = undercharged(plan, layout_of(plan))

    assert ({*seen}, wrong) == (kinds, "")
    assert os.environ["XDG_STATE_HOME"] == str(tmp_path)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.claim("C576")
def test_what_another_thread_remembers_meanwhile_stays_with_the_user(tmp_path, monkeypatch):
    """A charge beside an audit leaves its anchor where the next one looks for it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    with remembered_in(str(tmp_path / "apart")), ThreadPoolExecutor(1) as beside:
        here, there = remembered("anchors"), beside.submit(remembered, "anchors").result()

    assert here == tmp_path / "apart" / "discreet" / "anchors"
    assert there == remembered("anchors") == tmp_path / "state" / "discreet" / "anchors"


@pytest.mark.claim("C576")
@pytest.mark.parametrize("run", [1, 2])
def test_a_ledger_that_takes_too_little_is_seen(run, monkeypatch):
    """Of one release, or of the second."""
    charged_less(monkeypatch, often=[run])
    plan = usual()

    seen, wrong = undercharged(plan, layout_of(plan))

    assert seen == ["pure"]
    assert wrong == f"a ledger was charged epsilon = {run - 0.5} for {run} times epsilon = 1"


@pytest.mark.claim("C576")
def test_a_release_that_its_ledger_does_not_take_is_a_fault(monkeypatch):
    """As where the book's own lock holds."""
    monkeypatch.setattr(rules, "spent_after", lambda spent, _kind, _cost: spent)
    plan = usual()

    seen, wrong = undercharged(plan, layout_of(plan))

    assert seen == []
    assert wrong.startswith("a release into a ledger of pure failed: ")
