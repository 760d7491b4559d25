"""The whole way with a file, an engine, a ledger and a saved release."""

import json

import pytest

import discreet as dp

LEAVES = ["noisy", "loss", "neighbors", "alpha", "sigma2", "digest"]


@pytest.fixture
def river(tmp_path):
    data = tmp_path / "visits.csv"
    rows = [f"{i // 2},{'AB'[i % 2]},{i % 50}" for i in range(400)]
    data.write_text("id,ward,cost\n" + "\n".join(rows) + "\n")
    table = dp.table(
        data,
        unit=dp.unit("id", max_rows=2),
        columns={"cost": dp.bounds(0, 50, step=1)},
        keys={"ward": ["A", "B", "C"]},
    )
    plan = dp.plan(table, dp.count(by="ward"), dp.mean("cost", by="ward"), spend=dp.zcdp("1/2"))
    ledger = dp.ledger(tmp_path / "visits.ledger", budget=dp.zcdp(1), subject="visits.csv")
    return plan, ledger, tmp_path


@pytest.mark.slow
@pytest.mark.claim("C14")
def test_a_repeat_returns_the_stored_bits_for_nothing(river):
    """The same request again costs nothing and says that it is a repeat."""
    plan, ledger, _ = river

    first, second = dp.run(plan, ledger=ledger), dp.run(plan, ledger=ledger)

    assert (first.repeated, second.repeated) == (False, True)
    assert first.document.text() == second.document.text()
    assert ledger.spent() == dp.zcdp("1/2")
    assert dp.run(plan, ledger=ledger, request="again").document.text() != first.document.text()
    with pytest.raises(dp.errors.BudgetError, match="nothing is left"):
        dp.run(plan, ledger=ledger, request="third")


@pytest.mark.slow
@pytest.mark.claim("C15")
def test_a_saved_release_derives_its_own_account(river):
    """And no part of it can be changed unseen."""
    plan, ledger, folder = river
    saved = dp.run(plan, ledger=ledger).save(folder / "visits.release")

    assert len(dp.verify(saved, ledger=ledger).checks) == 6

    text = (saved / "release.json").read_text()
    for leaf in LEAVES:
        changed = json.loads(text)
        _change(changed, leaf)
        (saved / "release.json").write_text(json.dumps(changed))
        with pytest.raises(dp.errors.DiscreetError):
            dp.verify(saved)


def _change(document, leaf):
    vector = document["statistics"][0]["vectors"][0]
    if leaf == "noisy":
        vector["noisy"][0] += 1
    elif leaf == "loss":
        document["protection"]["loss"]["rho"] = "1/4"
    elif leaf == "neighbors":
        document["protection"]["neighbors"] = "replace"
    elif leaf == "alpha":
        document["alpha"] = "1/10"
    elif leaf == "sigma2":
        vector["noise"]["sigma2"] = "1"
    else:
        document["digest"] = "0" * 64


def test_a_rehearsal_is_marked_and_proves_nothing(river):
    """It costs nothing, reads nothing and does not verify against a ledger."""
    plan, ledger, _ = river

    rehearsal = dp.rehearse(plan)

    assert "REHEARSAL" in str(rehearsal)
    assert ledger.spent().is_zero()
    with pytest.raises(dp.errors.VerifyError, match="rehearsal"):
        dp.verify(rehearsal, ledger=ledger)
