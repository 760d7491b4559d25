"""Keys that nobody knows: what cannot be asked of them is refused, with its reason."""

import json
import re

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.document.document import document_of
from discreet.errors import BudgetError, EngineError, InputError, InternalError, VerifyError
from discreet.releases import steps
from discreet.releases.release import Release
from discreet.releases.run import prepared_for, released
from e2e.films import PLAN, SPEND, asked, declared, films

pytestmark = pytest.mark.claim("C71")


@pytest.fixture
def ledger(tmp_path):
    """A ledger that pays for three such plans."""
    return dp.ledger(tmp_path / "films.ledger", budget=dp.approx(6, "1e-5"))


@pytest.mark.parametrize("spend", [dp.zcdp(1), dp.pure(1), dp.approx(1, 0), dp.approx(0, "1e-6")])
def test_a_loss_without_delta_is_refused_with_its_reason(spend):
    """A key that only one person has must stay hidden, but for a chance."""
    with pytest.raises(InputError) as error:
        asked(spend=spend)

    if spend.kind != "approx" or spend.epsilon:
        assert "finding keys needs a delta" in str(error.value)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("budget", "purses"),
    [
        (dp.zcdp(3), {}),
        (dp.gdp(mu2=3), {}),
        (dp.pure(3), {}),
        (dp.approx(3, 0), {}),
        (dp.approx(3, "1e-5"), {"pure": 0}),
    ],
)
def test_a_budget_without_delta_is_refused_with_its_reason(tmp_path, budget, purses):
    """Before anything is charged; of three purses that for chances is asked."""
    ledger = dp.ledger(tmp_path / "films.ledger", budget=budget, **purses)

    with pytest.raises(BudgetError, match="finding keys needs a delta") as error:
        dp.run(asked(), ledger=ledger)
    assert ("chance" in str(error.value.fix)) == bool(purses)
    assert ledger.book().entries == ()


def test_a_question_without_a_limit_on_groups_is_refused():
    """A cube has none: it is for public keys."""
    with pytest.raises(InputError, match="over keys that nobody knows"):
        dp.plan(declared(), dp.cube(["film", "stars"]), spend=SPEND)


def test_intervals_of_unknown_many_numbers_cannot_be_asked_together():
    """How many there are is not known before."""
    with pytest.raises(InputError, match="cannot be asked together"):
        dp.plan(declared(), dp.count_units(by="film", together=True), spend=SPEND)


def test_errors_wanted_do_not_say_what_finding_may_cost():
    """Then a spend is asked for."""
    with pytest.raises(InputError, match="do not say what finding the keys of film may cost"):
        dp.plan(declared(), dp.count_units(by="film"), within=20)


def test_noise_is_not_drawn_below_its_price():
    """The charge pays for finding too: a cent less, and nothing is read."""
    plan = asked()

    with pytest.raises(InternalError, match="finding keys and the questions cost"):
        released(plan, prepared_for(plan), paid=dp.approx("1.9", "1e-6"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "forge",
    [
        lambda plan: plan["table"]["unknown"]["film"].update(max_groups=50),
        lambda plan: plan["table"]["unknown"]["film"].update(share="1/3"),
        lambda plan: plan["table"]["keys"]["film"].insert(0, "film -1"),
        lambda plan: plan["table"]["keys"].update(film=[]),
    ],
)
def test_a_release_that_was_changed_does_not_check(ledger, forge):
    """Other limits, another share, a key more, or none."""
    plain = json.loads(dp.run(asked(), ledger=ledger).document.text())
    forge(plain["plan"])

    with pytest.raises((VerifyError, InputError)):
        dp.verify(Release(document_of(json.dumps(plain))), ledger=ledger)


def test_a_plan_file_without_a_limit_is_told_where(tmp_path, capsys):
    """max_groups decides how well a person is protected: it has no default."""
    (tmp_path / "plan.toml").write_text(PLAN.replace("max_groups = 5\n", ""))

    assert main(["plan", str(tmp_path / "plan.toml")]) != 0
    assert "max_groups" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"max_groups": 0}, "max_groups = 0 must be a whole number"),
        ({"max_groups": 20_000}, "more than 10,000"),
        ({"max_groups": 5, "share": 1}, "share = 1 must be above 0 and below 1"),
        ({"max_groups": 5, "longest": 0}, "longest = 0"),
        ({"max_groups": 5, "other": ""}, "cannot name a group"),
        ({"max_groups": 5, "missing": "other"}, "both called other"),
    ],
)
def test_what_cannot_be_declared_is_refused(how, why):
    """Before any data is named."""
    with pytest.raises(InputError, match=re.escape(why)):
        dp.unknown(**how)


def test_data_that_is_gone_once_keys_were_looked_for_says_what_is_charged(
    ledger, tmp_path, monkeypatch
):
    """The engine's own word, that nothing was charged, would be wrong by then."""
    path = tmp_path / "films.csv"
    films(people=200).to_csv(path, index=False)
    plan = asked(declared(str(path)))
    looked = steps.keys_found

    def look_and_lose(*given, **named):
        found = looked(*given, **named)
        path.unlink()
        return found

    monkeypatch.setattr(steps, "keys_found", look_and_lose)
    with pytest.raises(EngineError) as told:
        dp.run(plan, ledger=ledger)

    assert "could not be opened again" in str(told.value)
    assert "charge 1 stays spent" in str(told.value)
    assert "nothing was charged" not in str(told.value)
