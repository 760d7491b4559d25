"""Releases of wanted errors are read again and verified, where they cost less than their spend, too."""

import json

import pytest

import discreet as dp
from discreet.errors import InputError

pytestmark = pytest.mark.claim("C78")


@pytest.mark.slow
def test_a_release_of_the_least_epsilon_verifies():
    """Also where zCDP alone would have needed more for the same errors."""
    columns = {"age": dp.bounds(18, 70, step=1), "stress": dp.bounds(10, 50, step=1)}
    table = dp.table("t.csv", unit="row", columns=columns, keys={"sex": [1, 2]})
    asked = [
        dp.median("age", bins=24, within="1%", rows=6000),
        dp.mean("age", by="sex", within="0.5", rows=3000),
        dp.std("stress", within="0.5", rows=6000),
        dp.mean("stress", by="sex", within="0.5", rows=3000),
    ]
    plan = dp.plan(table, *asked, delta="1e-6")

    assert plan.laws[0].name == "discrete_gaussian"
    assert dp.verify(dp.rehearse(plan)).checks


@pytest.mark.parametrize(
    "spend", [dp.zcdp(1), dp.pure(9), dp.gdp(mu2=1), dp.approx(9, "1e-6"), dp.zcdp(1, delta="1e-6")]
)
def test_a_release_that_leaves_some_of_its_spend_is_read_again(spend, tmp_path):
    """All errors are wanted ones, and cost less than was to be spent: that is charged, and said."""
    rows = [{"state": "MA"}]
    found = dp.table(rows, name="few", unit="row", keys={"state": ["MA", "NY"]})
    plan = dp.plan(found, dp.count(by="state", within=20), spend=spend)
    ledger = dp.ledger(tmp_path / "ledger", budget=spend)
    release = dp.run(plan, ledger=ledger)
    release.save(tmp_path / "release")

    assert plan.cost != spend
    assert dp.load(tmp_path / "release").document == release.document
    assert dp.verify(tmp_path / "release", ledger=ledger).checks


def test_a_release_that_states_more_than_its_spend_is_none(tmp_path):
    """Nor is one that states a loss of another kind."""
    found = dp.table([{"a": 1}], name="few", unit="row")
    dp.rehearse(dp.plan(found, dp.count(), spend=dp.zcdp(1))).save(tmp_path / "release")
    file = tmp_path / "release" / "release.json"
    said = json.loads(file.read_text("utf-8"))

    for loss in (dp.zcdp(2), dp.pure(1)):
        said["protection"]["loss"] = loss.plain()
        file.write_text(json.dumps(said), "utf-8")
        with pytest.raises(InputError, match="not a whole release"):
            dp.load(tmp_path / "release")
