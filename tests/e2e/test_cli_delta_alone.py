"""A delta without an epsilon on the command line: plan files, ledgers, releases and calculators."""

import re

import pytest
from session import run

import discreet as dp

pytestmark = pytest.mark.claim("C239")

PLAN = """\
[data]
source = "people.csv"
unit = "row"

[spend]
epsilon = {epsilon}
delta = "0.01"

[[ask]]
statistic = "count"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("a\n" + "1\n" * 400, encoding="utf-8")
    return tmp_path


def done(command, code=0):
    """What a command says; it ends as it should."""
    found, said = run(command)
    assert found == code, said
    return said


@pytest.mark.exhaustive
@pytest.mark.parametrize("epsilon", ["0", '"0"', "0.0"])
@pytest.mark.parametrize("purse", ["", " --pure 0", " --chance 0"])
def test_the_whole_way_with_a_delta_alone(folder, epsilon, purse):
    """Planned, rehearsed, paid from a ledger of the same budget, verified; a second one does not fit."""
    (folder / "people.toml").write_text(PLAN.format(epsilon=epsilon), encoding="utf-8")
    done(f"discreet ledger init people.ledger --epsilon 0 --delta 0.01{purse}")
    said = done("discreet plan people.toml --ledger people.ledger")

    assert "±78" in said
    assert "This plan fits." in said
    done("discreet rehearse people.toml")
    done("discreet release people.toml --ledger people.ledger")
    done("discreet verify people.release --ledger people.ledger")
    done("discreet ledger verify people.ledger people.release")
    assert "does not fit" in done("discreet plan people.toml --ledger people.ledger")
    assert run("discreet release people.toml --ledger people.ledger --request again")[0] != 0


def test_the_plan_has_the_noise_that_the_calculator_says(folder):
    """`calc sigma gaussian --epsilon 0 --delta 0.01` and the plan agree to what a plan rounds."""
    (folder / "people.toml").write_text(PLAN.format(epsilon=0), encoding="utf-8")
    sigma = re.search(
        r"sigma = ([\d.]+)", done("discreet calc sigma gaussian --epsilon 0 --delta 0.01")
    )
    (law,) = dp.plan(
        dp.table([], unit="row", name="t"), dp.count(), spend=dp.approx(0, "0.01")
    ).laws

    assert float(law.sigma2) ** 0.5 == pytest.approx(float(sigma[1]), rel=1e-4)
    assert f" {float(sigma[1]):.1f} " in done("discreet plan people.toml")


@pytest.mark.parametrize("delta", ["0.01", "0.2"])
def test_loss_without_an_epsilon_keep_their_promise(delta):
    """Their mu2 is the largest of six digits that keeps the delta; of no delta nothing is left."""
    from discreet.privacy.loss import kept, purses_of

    promise = dp.approx(0, delta)
    made = purses_of(promise, pure=0, chance=0)

    assert made.mu2 > 0
    assert kept(made, promise)
    assert purses_of(dp.approx(1, delta), pure=1, chance=0).mu2 == 0
