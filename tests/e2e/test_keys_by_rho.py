"""Plans and ledgers of rho with delta, and of mu2 with delta: from a declaration to a checked release."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.document.document import document_of
from discreet.errors import BudgetError, InputError, VerifyError
from discreet.ledgers.file import Ledger
from discreet.releases.price import covered
from discreet.releases.release import Release

pytestmark = pytest.mark.claim("C169")

CHANCE = Fraction(1, 10**6)
RHO, MU2 = dp.zcdp("1/5", delta=CHANCE), dp.gdp(mu2="2/5", delta=CHANCE)
SPENDS = {"rho": RHO, "mu2": MU2, "epsilon": dp.approx(2, CHANCE)}
BUDGETS = {"rho": dp.zcdp("1/2", delta="1e-5"), "mu2": dp.gdp(mu2=1, delta="1e-5")}
ROWS = pd.DataFrame(
    [{"who": f"p{n}", "film": f"film {title}"} for n in range(400) for title in {n % 2, 2 + n % 90}]
)
FILMS = dp.table(
    ROWS,
    unit=dp.unit("who", max_rows=3),
    keys={"film": dp.unknown(max_groups=2, share="1/4")},
    name="films",
)


def asked(spend):
    """In how many hands each film is."""
    return dp.plan(FILMS, dp.count_units(by="film"), spend=spend)


@pytest.mark.parametrize("spend", [RHO, MU2], ids=str)
def test_finding_takes_its_share_of_the_noise_and_all_of_the_chance(spend):
    """Because nothing else needs a delta; the price is the spend."""
    plan = asked(spend)
    (finding,) = plan.findings
    noise = sum(cost.rho for cost in finding.costs)
    whole = spend.numbers[0] / (1 if spend is RHO else 2)

    assert plan.cost == spend
    assert finding.delta == CHANCE
    assert float(noise) == pytest.approx(float(whole) / 4, rel=1e-4)
    assert 4 * noise <= whole
    assert plan.price("zcdp") is None
    assert plan.price("gdp") is None
    assert plan.price("purses").numbers[2] == CHANCE


@pytest.mark.parametrize(("spend", "budget"), [("rho", "rho"), ("mu2", "rho"), ("epsilon", "mu2")])
def test_what_is_charged_is_noise_and_chance_in_the_kind_of_the_ledger(spend, budget, tmp_path):
    """Whatever the plan was given; the release checks, and a repeat is free."""
    book = dp.ledger(tmp_path / "k.ledger", budget=BUDGETS[budget])
    plan = asked(SPENDS[spend])
    release = dp.run(plan, ledger=book)
    price = plan.price(BUDGETS[budget].kind)

    assert BUDGETS[budget].minus(book.left()) == price
    assert price.delta == plan.findings[0].delta
    assert {"film 0", "film 1", "other"} <= {
        row["film"] for row in release["count_units by film"].rows
    }
    place = release.save(tmp_path / "k.release")
    assert "thresholds and price of finding film" in str(dp.verify(place, ledger=book))
    assert dp.run(plan, ledger=book).repeated
    assert book.verify() == []


@pytest.mark.parametrize("spend", [RHO, MU2], ids=str)
def test_neither_less_noise_nor_less_chance_is_enough(spend):
    """The door compares both numbers with what stands in the ledger."""
    acts, paid = asked(spend).acts, spend.numbers

    assert covered(acts, spend)
    assert not covered(acts, replace(spend, numbers=(paid[0], paid[1] * Fraction(999, 1000))))
    assert not covered(acts, replace(spend, numbers=(paid[0] * Fraction(999, 1000), paid[1])))


def test_a_release_that_states_less_of_either_does_not_check(tmp_path):
    """Its price follows from the plan again."""
    text = dp.run(
        asked(RHO), ledger=dp.ledger(tmp_path / "k.ledger", budget=BUDGETS["rho"])
    ).document.text()

    for name, less in (("rho", "19/100"), ("delta", "1/10000000")):
        plain = json.loads(text)
        plain["protection"]["loss"][name] = less
        with pytest.raises((VerifyError, InputError)):
            dp.verify(Release(document_of(json.dumps(plain))))
        plain["plan"]["spend"][name] = less
        with pytest.raises((VerifyError, InputError)):
            dp.verify(Release(document_of(json.dumps(plain))))


def test_no_chance_is_charged_where_nothing_needs_one(tmp_path):
    """Questions by listed keys cost noise alone, from a ledger with or without a chance."""
    listed = replace(FILMS, unknown={}, keys={"film": ("film 0", "film 1")})
    plan = dp.plan(listed, dp.count(by="film"), spend=RHO)
    book = dp.ledger(tmp_path / "k.ledger", budget=BUDGETS["rho"])
    plain = dp.ledger(tmp_path / "plain.ledger", budget=dp.zcdp("1/2"))

    place = dp.run(plan, ledger=book).save(tmp_path / "k.release")
    dp.run(plan, ledger=plain)
    assert book.left().delta == BUDGETS["rho"].delta
    assert plan.cost.delta == 0
    assert dp.verify(place, ledger=book).checks
    assert plain.left().rho >= Fraction(3, 10)


def test_a_chance_that_is_spent_is_refused_with_what_can_be_typed(tmp_path):
    """Rho is left, and no chance: no plan that finds keys fits; another question does."""
    book = dp.ledger(tmp_path / "k.ledger", budget=dp.zcdp(1, delta=CHANCE))
    dp.run(asked(RHO), ledger=book)

    with pytest.raises(BudgetError, match="buys no answer to this") as refused:
        dp.run(asked(RHO), ledger=book, request="again")
    assert str(refused.value).count("\n") == 2
    half = dp.ledger(tmp_path / "h.ledger", budget=dp.zcdp("3/10", delta="1e-5"))
    dp.run(asked(RHO), ledger=half)
    with pytest.raises(BudgetError, match=r'zcdp\("0\.1", delta="0\.000009"\)'):
        dp.run(asked(RHO), ledger=half, request="again")


def test_a_plan_file_and_the_command_line(tmp_path, capsys, monkeypatch):
    """rho with delta under [spend], and --rho with --delta; the refusal names the line to write."""
    monkeypatch.chdir(tmp_path)
    ROWS.to_csv("films.csv", index=False)
    text = """
[data]
source = "films.csv"
unit = { column = "who", max_rows = 3 }
[keys.film]
unknown = true
max_groups = 2
[spend]
rho = "1/5"
delta = "1e-6"
[[ask]]
statistic = "count_units"
by = "film"
"""
    (tmp_path / "plan.toml").write_text(text)
    (tmp_path / "without.toml").write_text(text.replace('delta = "1e-6"\n', ""))

    def said(*words):
        assert main([*words]) == 0
        return capsys.readouterr().out

    said("ledger", "init", "k.ledger", "--rho", "1/2", "--delta", "1e-5")
    assert Ledger(tmp_path / "k.ledger").left() == BUDGETS["rho"]
    assert "(rho, delta) = (0.2, 0.000001) in all" in said(
        "plan", "plan.toml", "--ledger", "k.ledger"
    )
    assert json.loads(said("plan", "plan.toml", "--json"))["loss"] == RHO.plain()
    out = said("release", "plan.toml", "--ledger", "k.ledger", "--out", "k.release")
    assert "Left in k.ledger: (rho, delta) = (0.3, 0.000009)" in " ".join(out.split())
    assert "charged (rho, delta) = (0.2, 0.000001)" in said(
        "verify", "k.release", "--ledger", "k.ledger"
    )
    page = (tmp_path / "k.release" / "report.html").read_text("utf-8")
    assert "delta-approximate rho-zCDP" in page
    assert main(["plan", "without.toml"]) != 0
    assert 'write rho = "0.2" and delta = "1e-6" under [spend]' in capsys.readouterr().err


@pytest.mark.claim("C71")
@pytest.mark.parametrize("spend", SPENDS.values(), ids=str)
def test_wanted_errors_that_are_too_dear_name_a_spend_that_pays_for_finding_too(spend):
    """Typed as it stands it is enough, and a hundredth less is not."""

    def plan(given):
        return dp.plan(FILMS, dp.count_units(by="film", within=1), spend=given)

    with pytest.raises(InputError, match="with finding the keys; spend is") as refused:
        plan(spend)
    said = re.search(r"spend=discreet\.(.*\)) in discreet.plan$", refused.value.fix)[1]
    enough = eval(f"dp.{said}")

    assert enough.kind == spend.kind
    assert plan(enough).lines[0].laws[0].half_width(Fraction(1, 20)) <= 1
    first, delta = enough.numbers
    with pytest.raises(InputError, match="the wanted errors cost"):
        plan(replace(enough, numbers=(first * Fraction(99, 100), delta)))


@pytest.mark.claim("C71")
def test_a_report_says_what_was_found_and_what_is_not_shown(tmp_path):
    """Who needed how much, and all others with their interval; of listed keys it says nothing."""
    asks = dp.count_units(by="film"), dp.top_k("film", 1)
    book = dp.ledger(tmp_path / "k.ledger", budget=dp.zcdp(9, delta="1e-5"))
    release = dp.run(dp.plan(FILMS, *asks, spend=RHO), ledger=book)
    page = (release.save(tmp_path / "k.release") / "report.html").read_text("utf-8")
    other = release["count_units by film"].rows[-1]

    assert "The keys of film were not listed." in page
    assert re.search(r"A key shows from about [\d.]+ or [\d.]+ units", page)
    said = f"together as other: {other['value']:,} in count_units by film (95 % interval {other['low']:,} to"
    assert said in page
    assert "together as other" not in page.replace(said, "", 1)
    listed = replace(FILMS, unknown={}, keys={"film": ("film 0", "film 1")})
    known = dp.rehearse(dp.plan(listed, dp.count(by="film"), spend=dp.zcdp(1))).save(tmp_path / "l")
    assert "were not listed" not in (known / "report.html").read_text("utf-8")
