"""A price follows from the noise: never below what it costs, never above what was to be spent."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.exact.number import brief, few_down, few_up, is_short, text_of
from discreet.fix import in_python
from discreet.maps.heatmap import Points, planned
from discreet.maps.net import junctions
from discreet.plans.price import price_of
from discreet.privacy.gdp import epsilon_up
from discreet.releases.open_ledger import nearest, nearest_fix
from unit.privacy.test_conversion import best_delta, number

PEOPLE = dp.table(
    "people.csv",
    unit=dp.unit("id", max_rows=2),
    columns={"wage": dp.bounds(0, 100, step=1), "age": dp.bounds(0, 120, step=1)},
    keys={"state": ["MA", "NY"], "year": range(2000, 2010)},
)
AMOUNTS = st.fractions(min_value=Fraction(1, 10**4), max_value=20, max_denominator=10**9)
DELTAS = st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(1, 10))
WEIGHTS = st.lists(st.integers(1, 10**4), min_size=1, max_size=5)
SPENDS = st.one_of(
    st.builds(dp.pure, AMOUNTS),
    st.builds(dp.zcdp, AMOUNTS),
    st.builds(lambda mu2: dp.gdp(mu2=mu2), AMOUNTS),
    st.builds(dp.approx, AMOUNTS, DELTAS),
)
PRINTED = re.compile(r"(?:=|=\s*\(|, )\s*(-?[\d./]+(?:e-?\d+)?)")


def questions(parts):
    asked = [
        dp.count(by="state"),
        dp.mean("wage", by="state"),
        dp.mean(["wage", "age"]),
        dp.histogram("age", bins=7),
        dp.count_units(by="year"),
    ]
    return [replace(q, ask=replace(q.ask, weight=w)) for q, w in zip(asked, parts, strict=False)]


def noise_of(plan):
    """What the noise costs, from the plain data of the events alone: epsilon, rho and mu^2."""
    epsilon, rho, mu2 = Fraction(0), Fraction(0), mpmath.mpf(0)
    for event in plan.events():
        noise, moved = event["noise"], event["sensitivity"]
        if noise["law"] == "discrete_laplace":
            epsilon += Fraction(moved["l1"]) / Fraction(noise["scale"])
        else:
            rho += Fraction(moved["l2_squared"]) / (2 * Fraction(noise["sigma2"]))
            mu2 += int(moved["l2_squared"]) * mu2_of_one(Fraction(noise["sigma2"]))
    return epsilon, rho, mu2


@cache
def mu2_of_one(sigma2):
    """The square of 2 Phi^-1((1 + Pr[0]) / 2), by a theta function that is not ours."""
    with mpmath.workdps(60):
        s, pi = number(sigma2), mpmath.pi
        if sigma2 > 1:  # by Poisson's formula
            whole = mpmath.sqrt(2 * pi * s) * mpmath.jtheta(3, 0, mpmath.exp(-2 * pi**2 * s))
        else:
            whole = mpmath.jtheta(3, 0, mpmath.exp(-1 / (2 * s)))
        return 8 * mpmath.erfinv(1 / whole) ** 2


def gaussian_delta(mu2, epsilon):
    """Balle and Wang's curve, in mpmath."""
    mu, e = mpmath.sqrt(mu2), number(epsilon)
    return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


def keeps(plan, price):
    """Whether a price in (epsilon, delta) is at least what the noise costs, by other arithmetic."""
    epsilon, rho, mu2 = noise_of(plan)
    if not rho:
        return price.epsilon >= epsilon
    with mpmath.workdps(40):
        room = price.epsilon - epsilon
        least = min(best_delta(rho, room), gaussian_delta(mu2, room)) if room >= 0 else 1
        return least <= number(price.delta) * (1 + mpmath.mpf("1e-15"))


def digits(text):
    """The digits of a printed number that are not zeros around a decimal."""
    plain = text.split("e")[0]
    return len(re.sub(r"\D", "", plain) if "/" in plain else plain.replace(".", "").strip("0"))


@pytest.mark.slow
@pytest.mark.claim("C41")
@settings(max_examples=60)
@given(SPENDS, WEIGHTS)
def test_a_price_is_what_the_noise_costs_and_never_more_than_was_to_be_spent(spend, weights):
    """For any spend and any weights: at most one part in 10,000 above, and within the spend."""
    plan = dp.plan(PEOPLE, *questions(weights), spend=spend)
    epsilon, rho, mu2 = noise_of(plan)
    cost = plan.cost

    assert cost.fits(spend)
    assert cost == plan.price(spend.kind)
    if cost.kind == "approx" and epsilon and rho:  # both laws: enumerated in test_two_laws.py
        assert cost.delta == few_down(spend.delta)
        with mpmath.workdps(40):
            assert gaussian_delta(mu2, cost.epsilon) < number(cost.delta)
    elif cost.kind == "approx":
        assert keeps(plan, cost)
        assert cost.delta == (0 if rho == 0 else few_down(spend.delta))
        less = dp.approx(cost.epsilon * Fraction(999, 1000), cost.delta)
        assert cost.epsilon == 0 or not keeps(plan, less)
    else:
        with mpmath.workdps(40):
            exact = {"pure": number(epsilon), "zcdp": number(rho), "gdp": mu2}[cost.kind]
            said = number(cost.numbers[0]) * (1 + mpmath.mpf("1e-30"))
            assert exact <= said <= exact * mpmath.mpf("1.0001")


@pytest.mark.claim("C41")
def test_a_price_that_is_too_good_is_seen():
    """The checks above have power: a tenth of one percent less epsilon, or half the delta."""
    many = [dp.sum("wage", by="year", weight=w) for w in range(1, 25)]
    plan = dp.plan(PEOPLE, *many, spend=dp.approx(1, "1e-6"))

    assert plan.cost == dp.approx(Fraction(1), Fraction(1, 10**6))
    assert keeps(plan, plan.cost)
    assert not keeps(plan, dp.approx(Fraction(999, 1000), Fraction(1, 10**6)))
    assert not keeps(plan, dp.approx(Fraction(1), Fraction(1, 2 * 10**6)))
    assert not keeps(plan, dp.approx(Fraction(1), Fraction(0)))


@pytest.mark.claim("C41")
def test_what_was_to_be_spent_does_not_make_the_price():
    """P0f: a plan of rho = 100 that says that it spends 1/1000 costs 100, in every kind."""
    asked = dp.plan(PEOPLE, dp.count(), spend=dp.zcdp(100))
    told = replace(asked, spend=dp.zcdp("1/1000"))
    other = replace(asked, spend=dp.approx("1/1000", "1e-6"))
    pure = replace(dp.plan(PEOPLE, dp.count(), spend=dp.pure(3)), spend=dp.pure("1/10"))
    dear = replace(asked, spend=dp.zcdp(200))

    assert dear.cost == dp.zcdp(Fraction(100))
    assert told.cost == told.price("zcdp") == dp.zcdp(Fraction(100))
    assert other.price("approx").epsilon > 100
    assert other.price("approx").delta == Fraction(1, 10**6)
    assert pure.price("pure") == dp.pure(Fraction(3))
    assert pure.price("approx") == dp.approx(Fraction(3), Fraction(0))
    assert replace(asked, spend=dp.pure(1)).cost == dp.zcdp(Fraction(100))  # no epsilon follows


@pytest.mark.claim("C41")
@settings(max_examples=40)
@given(AMOUNTS, DELTAS, WEIGHTS)
@pytest.mark.slow
def test_a_price_in_another_kind_is_never_below_what_the_noise_costs_there(amount, delta, weights):
    """epsilon squared over two a vector in zCDP; the rho of Gaussian noise; epsilon in pure."""
    for spend in (dp.pure(amount), dp.approx(amount, delta), dp.zcdp(amount)):
        plan = dp.plan(PEOPLE, *questions(weights), spend=spend)
        parts = [noise_of(replace(plan, lines=(line,))) for line in plan.lines]
        epsilons = [
            law.loss(l1=a.sensitivity.l1, l2_squared=1)
            for a, law in zip(plan.aggregates, plan.laws, strict=True)
            if law.name == "discrete_laplace"
        ]
        with mpmath.workdps(40):
            pure = [number(e.epsilon) * mpmath.tanh(number(e.epsilon) / 2) for e in epsilons]
            rho = number(sum(found for _, found, _ in parts)) + sum(pure)
            said = number(plan.price("zcdp").rho)
            assert rho <= said * (1 + mpmath.mpf("1e-30")) <= rho * mpmath.mpf("1.0001")
        assert is_short(plan.price("zcdp").rho)
        if len(epsilons) == len(plan.laws):
            exact = sum(found for found, *_ in parts)
            for price in (plan.price("pure"), plan.price("approx")):
                assert exact <= price.epsilon <= exact * Fraction(10_001, 10_000)


@pytest.mark.claim("C41")
def test_pure_noise_costs_no_delta():
    """A2: also in a heat map; and in a pure ledger it costs the same epsilon."""
    net = junctions([(0, 0), (1, 0)], [(0, 1)], within=1)
    points = Points([], name="rides")
    for plan in (
        dp.plan(PEOPLE, dp.count(by="state"), spend=dp.approx(1, "1e-6")),
        planned(points, net, spend=dp.approx(1, "1e-6")),
    ):
        assert {law.name for law in plan.laws} == {"discrete_laplace"}
        assert plan.cost == plan.price("approx") == dp.approx(Fraction(1), Fraction(0))
        assert plan.price("pure") == dp.pure(Fraction(1))
        assert plan.price("zcdp") == dp.zcdp("0.462118")  # tanh(1/2), rounded up


@pytest.mark.claim("C41")
@pytest.mark.slow
def test_a_ledger_pays_for_pure_noise_until_its_epsilon_is_spent(tmp_path):
    """A2: (3, 1e-6) pays for three plans of (1, 1e-6) whose noise is pure, and keeps its delta."""
    rows = [{"id": i, "state": "MA", "year": 2000, "wage": 1, "age": 2} for i in range(9)]
    plan = dp.plan(replace(PEOPLE, source=rows), dp.count(by="state"), spend=dp.approx(1, "1e-6"))
    ledger = dp.ledger(tmp_path / "people.ledger", budget=dp.approx(3, "1e-6"))

    for name in ("May", "June", "July"):
        release = dp.run(plan, ledger=ledger, request=name)
        saved = release.save(tmp_path / name)

        assert release.document.protection.loss == dp.approx(1, 0).plain()
        assert len(dp.verify(saved, ledger=ledger).checks) == 6
    changed = json.loads((saved / "release.json").read_text())
    changed["protection"]["loss"]["epsilon"] = "1/2"
    (saved / "release.json").write_text(json.dumps(changed))
    with pytest.raises(dp.errors.VerifyError, match="the loss"):
        dp.verify(saved)
    assert ledger.spent() == dp.approx(3, 0)
    assert ledger.left() == dp.approx(0, "1e-6")
    with pytest.raises(dp.errors.BudgetError, match="nothing is left"):
        dp.run(plan, ledger=ledger, request="August")


@settings(max_examples=60)
@given(SPENDS, WEIGHTS)
@pytest.mark.slow
def test_no_price_in_a_plan_has_more_than_eight_digits(spend, weights):
    """A6: whatever is spent and however it is shared; what is printed as exact is exact."""
    plan = dp.plan(PEOPLE, *questions(weights), spend=spend)
    text = re.sub(r"Bounds of.*|\s±\S+|(?<=\d),(?=\d)", "", str(plan))

    assert all(digits(found) <= 8 for found in PRINTED.findall(text)), text
    for line in plan.lines:
        (share,) = (
            text_of(Fraction(n)) for name, n in line.share.plain().items() if name != "kind"
        )
        assert digits(share) <= 8


def test_a_long_price_is_seen():
    """The check has power: the price of the finding has 39 digits."""
    old = "rho = 28754454520912638549/1180591620717411303424"

    assert [digits(found) for found in PRINTED.findall(old)] == [42]


@pytest.mark.slow
@given(st.fractions(min_value=Fraction(1, 10**30), max_value=10**30))
def test_a_number_of_few_digits_lies_on_its_side(exact):
    """Rounded up is at least, rounded down at most, both next to it; short numbers stay."""
    low, high = few_down(exact), few_up(exact)

    assert low <= exact <= high
    assert high - low <= exact / 10**5
    assert is_short(low)
    assert is_short(high)
    assert digits(brief(exact).replace("…", "")) <= 8
    assert ("…" in brief(exact)) == (not is_short(exact))
    if is_short(exact):
        assert low == exact == high


def test_the_nearest_plan_names_the_question_whose_interval_changes_most():
    """A6: wider, narrower or the same is said as it is, and a mean in its own measure."""
    few = dp.plan(PEOPLE, dp.count(by="state"), dp.mean("wage"), spend=dp.zcdp("1/8"))
    one = dp.plan(PEOPLE, dp.count(), spend=dp.pure(1))

    for plan, left, words in (
        (few, dp.zcdp("1/80"), r'zcdp\("0.0125"\); the interval of .* grows from ±.* to ±'),
        (few, dp.zcdp("1/2"), r"the interval of .* shrinks from ±.* to ±"),
        (one, dp.approx(2, 0), r'approx\("2", "0"\); the interval of count shrinks from ±6 to ±3'),
        (one, dp.pure("0.99999"), r"the interval of count stays at ±6$"),
        (one, dp.zcdp("1/3000000001"), r'zcdp\("3\.33333e-10"\); the interval of count grows'),
    ):
        said = in_python(nearest_fix(plan, left))
        assert re.search(words, said), said
        assert nearest(plan, left).cost.fits(left)


def test_what_buys_nothing_is_not_suggested():
    """Nothing, a delta without an epsilon, and a loss for which no law of ours is small enough."""
    plan = dp.plan(PEOPLE, dp.count(), spend=dp.pure(1))

    for left in (dp.pure(0), dp.approx(0, "1e-6"), dp.zcdp("1e-200"), dp.pure(10**6)):
        assert nearest(plan, left) is None
        assert "ask the budget's owner" in in_python(nearest_fix(plan, left))
    assert in_python(nearest_fix(plan, dp.pure(0))).startswith("nothing is left")


def test_a_mean_is_shown_in_the_measure_of_its_column():
    """A6: ± in a group of 1,000 rows, and what to expect in other groups; no "/rows"."""
    wages = dp.table("w.csv", unit="row", columns={"w": dp.bounds(0, 5000, step="0.01")})
    shown = " ".join(str(dp.plan(wages, dp.mean("w"), spend=dp.pure(1))).split())

    assert "±15.1 at 1,000 rows" in shown
    assert "The ± of a mean is twice as wide in a group of half as many rows" in shown
    assert "/rows" not in shown


@pytest.mark.claim("C41")
@pytest.mark.parametrize("more", ["1e-9", "1e-6", "1e-4"])
def test_a_price_is_never_rounded_down_to_what_was_to_be_spent(more):
    """Noise that costs a little more than the spend is priced above it, in each kind of loss."""
    cost = Fraction(1, 10) * (1 + Fraction(more))

    assert price_of([dp.zcdp(cost)], "zcdp", dp.zcdp("1/10")).rho >= cost
    assert price_of([dp.pure(cost)], "pure", dp.pure("1/10")).epsilon >= cost
    assert price_of([dp.pure(cost)], "approx", dp.approx("1/10", "1e-6")).epsilon >= cost


def ranked(*, found):
    """A table whose keys nobody knows, or of which sixty are listed."""
    return dp.table(
        "ranked.csv",
        unit=dp.unit("id", max_rows=2),
        columns={"wage": dp.bounds(0, 100, step=1)},
        keys={"film": dp.unknown(max_groups=2) if found else range(60)},
    )


CHOICES = {
    "a few": [dp.top_k("film", 2)],
    "many": [dp.top_k("film", 50)],
    "many beside a count": [dp.count(by="film"), dp.top_k("film", 50)],
    "a quantile beside one": [dp.top_k("film", 2), dp.quantile("wage", "0.5", method="choice")],
}


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C41")
@pytest.mark.parametrize("found", [False, True])
@pytest.mark.parametrize("asked", CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("spend", [dp.approx(3, "1e-6"), dp.approx(1, "1e-2")], ids=str)
def test_choices_at_a_delta_cost_no_more_than_was_to_be_spent(spend, asked, found):
    """They share the spend as Gaussian or zCDP loss; added up as pure losses they exceed it."""
    plan = dp.plan(ranked(found=found), *asked, spend=spend)

    assert plan.cost.fits(spend)
    assert plan.price("approx").fits(spend)
    if "which keeps" in str(plan) and found:
        mu2 = plan.price("approx_gdp")
        pure, of_noise, chance = plan.price("purses").numbers
        least = min(
            epsilon_up(mu2.numbers[0], spend.delta - mu2.numbers[1]),
            pure + epsilon_up(of_noise, spend.delta - chance),
        )
        assert least <= plan.cost.epsilon
