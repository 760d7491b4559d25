"""The page of a plan adds up what Python prices, on the safe side, and asks for nothing."""

import json
import re
import tomllib
from fractions import Fraction
from itertools import pairwise

import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.plans.curve import PARTS
from discreet.plans.explore import page_of
from discreet.plans.price import added, at_delta, noise_of
from discreet.privacy.loss import Loss, total
from discreet.privacy.risk import true_yes_up
from discreet.statistic.catalog import statistic_of

pytestmark = pytest.mark.claim("C79")

PEOPLE = dp.table(
    "people.csv",
    unit="row",
    columns={"age": dp.bounds(0, 100, step=1), "smoker": dp.bounds(0, 1, step=1)},
    keys={"ward": ["A", "B"]},
)
HOSTILE = '</script><script>alert(1)</script><!--\u202e"'
PLANS = {
    "zcdp": dp.plan(
        PEOPLE,
        dp.count(by="ward", within=12),
        dp.mean("age", within="5%", rows=150),
        dp.count(),
        spend=dp.zcdp(1),
    ),
    "pure": dp.plan(PEOPLE, dp.count(within=3), dp.sum("age", within=500), kind="pure"),
    "approx": dp.plan(
        PEOPLE,
        dp.count(by="ward", within=20),
        dp.mean("smoker", within="0.1", rows=500),
        delta="1e-7",
    ),
}


def facts(page):
    (text,) = re.findall(r'id="facts">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


@pytest.fixture(params=PLANS.values(), ids=PLANS, scope="module")
def explored(request):
    return request.param, facts(page_of(request.param))


@pytest.fixture(params=["zcdp", "pure"], scope="module")
def summed(request):
    """Plans whose prices add up."""
    return PLANS[request.param], facts(page_of(PLANS[request.param]))


@pytest.mark.slow
def test_each_price_of_the_page_is_that_of_a_plan(summed):
    """Typed into a plan, each error of the page costs what the page says, rounded up."""
    plan, said = summed
    for line, question in zip(plan.lines, said["questions"], strict=True):
        assert question["prices"] == sorted(question["prices"], reverse=True)
        for typed, price in [*zip(question["typed"], question["prices"], strict=True)][::9]:
            asked = {**line.statistic.plain(), "within": typed}
            asked.pop("weight", None)
            if question["rows"]:
                asked["rows"] = question["rows"]
            one = dp.plan(PEOPLE, statistic_of(asked), kind=said["kind"])
            (exact,) = total(one.costs).numbers
            assert exact * PARTS <= price < exact * PARTS + 1


@pytest.mark.slow
def test_the_noise_of_each_error_is_never_less_than_in_a_plan():
    """In (epsilon, delta): what it costs in mu2, rho and pure, and its Laplace noise, rounded up."""
    plan, said = PLANS["approx"], facts(page_of(PLANS["approx"]))
    for line, question in zip(plan.lines, said["questions"], strict=True):
        for typed, both in [*zip(question["typed"], question["noise"], strict=True)][::9]:
            asked = statistic_of({**line.statistic.plain(), "within": typed})
            for kind, told in zip(("gdp", "pure"), both, strict=True):
                acts = dp.plan(PEOPLE, asked, kind=kind).acts
                costs = [added(acts, name) for name in ("gdp", "zcdp", "pure")]
                own, laplace = noise_of(acts)
                exact = [loss.numbers[0] if loss else 0 for loss in costs] + [own]
                exact += [number for scale, l1 in laplace for number in (1 / scale, l1)]
                assert len(told) == len(exact)
                for shown, true in zip(told, exact, strict=True):
                    assert true <= Fraction(shown) <= true * (1 + Fraction(1, 10**8))


@pytest.mark.slow
def test_one_question_alone_has_its_own_curve():
    """Where a vector has an exact curve of its own, the page has its epsilon from Python."""
    plan = dp.plan(PEOPLE, dp.count(by="ward", within=2), delta="1e-6")
    (question,) = facts(page_of(plan))["questions"]

    for delta, epsilons in question["alone"].items():
        for place in range(0, len(epsilons), 9):
            asked = dp.count(by="ward", within=question["typed"][place])
            exact = dp.plan(PEOPLE, asked, delta=delta).cost.epsilon
            assert (
                exact * Fraction(99_999, 10**5)
                <= Fraction(epsilons[place])
                <= exact * Fraction(1_001, 1_000)
            )


@pytest.mark.slow
def test_the_tables_never_say_less_than_is_lost(summed):
    """Epsilon and the true yes at each loss are not below their own; losses are close together."""
    _, said = summed
    kind, losses = said["kind"], [Fraction(loss, PARTS) for loss in said["losses"]]
    whole = [sum(q["prices"][end] for q in said["questions"]) for end in (0, -1)]

    assert losses[0] * PARTS <= whole[1]
    assert losses[-1] * PARTS >= whole[0]
    assert all(high <= low * Fraction(102, 100) for low, high in pairwise(losses))
    for place in range(0, len(losses), 40):
        loss = Loss(kind, (losses[place],))
        assert Fraction(said["yes"][place]) >= 100 * true_yes_up(loss, Fraction(1, 100)) * Fraction(
            999_999, 10**6
        )
        for delta, epsilons in said["epsilons"].items():
            exact = at_delta([loss], Fraction(delta)).epsilon
            assert (
                exact * Fraction(999_999, 10**6)
                <= Fraction(epsilons[place])
                <= exact * Fraction(1_001, 1_000)
            )


@pytest.mark.slow
def test_the_plans_own_errors_are_where_the_page_starts(explored):
    """As they were typed; what was asked by weight starts at the error that it has."""
    plan, said = explored
    for line, question in zip(plan.lines, said["questions"], strict=True):
        within = line.statistic.ask.within
        assert question["wanted"] is bool(within)
        assert within is None or question["typed"][question["at"]] == within.plain()
        assert len(question["typed"]) > 20 or line.statistic.label == "count"


@pytest.mark.slow
def test_what_is_hostile_stays_data():
    """Names cannot leave their place: no markup, no end of a script, no direction signs."""
    table = dp.table(
        [],
        unit="row",
        columns={HOSTILE: dp.bounds(0, 9, step=1)},
        keys={"<img src=x onerror=alert(1)>": ["A"]},
        name=HOSTILE,
    )
    by = "<img src=x onerror=alert(1)>"
    plan = dp.plan(table, dp.count(by=by, within=9), dp.sum(HOSTILE, within=30))
    page = page_of(plan)

    assert page.count("<script") == 2
    assert page.count("</script") == 2
    assert "<img" not in page
    assert "\u202e" not in page
    assert "<!--" not in page
    assert "http:" not in page.replace("http://www.w3.org/", "")
    for question, line in zip(facts(page)["questions"], plan.lines, strict=True):
        told = tomllib.loads("\n".join(question["toml"]))
        assert told == {n: v for n, v in line.statistic.plain().items() if n != "within"}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("there.html", "is there already"),
        ("no/folder/p.html", "cannot be written"),
        ("folder", "is there already"),
        ("nul\0l", "cannot be written"),
    ],
)
def test_a_place_that_cannot_take_the_page_is_refused(place, why, tmp_path):
    """Nothing is written over but a page of an exploration."""
    (tmp_path / "there.html").write_text("a thesis")
    (tmp_path / "folder").mkdir()

    with pytest.raises(InputError, match=why):
        PLANS["pure"].explore(f"{tmp_path}/{place}")
    assert (tmp_path / "there.html").read_text() == "a thesis"


@pytest.mark.slow
def test_a_page_is_written_again(tmp_path):
    """Over itself; what is left in a ledger is said where it is given."""
    place = tmp_path / "p.html"
    PLANS["pure"].explore(place)
    assert facts(place.read_text("utf-8"))["left"] is None

    PLANS["pure"].explore(place, left=dp.pure("1/3"))
    assert facts(place.read_text("utf-8"))["left"] == {"kind": "pure", "epsilon": "1/3"}
    assert "epsilon = 1/3" in place.read_text("utf-8")


@pytest.mark.slow
def test_a_table_for_a_board_says_the_plan_in_two_columns():
    """Without any script: the loss, what it allows, each error and its part of the loss."""
    page = page_of(PLANS["approx"], dp.approx(1, "1e-6"))
    rows = re.findall(r"<tr><th scope=row>(.*?)</th><td>(.*?)</td></tr>", page)
    told = dict(rows)

    assert told["Privacy loss, in all"] == str(PLANS["approx"].cost)
    assert "±0.1 at 500 rows" in told["mean smoker"]
    assert told["Left in its ledger, before"] == "(epsilon, delta) = (1, 0.000001)"
    assert told["Digest of the plan"] == PLANS["approx"].digest
    shares = [float(re.search(r"([\d.]+) % of", v)[1]) for v in told.values() if "% of" in v]
    assert 98 < sum(shares) < 102
