"""A plan's price follows from the declaration and the questions, exactly."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.errors import InputError, UnknownNameError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.plans.plan import plan_of
from discreet.plans.price import loss_in
from discreet.privacy.gdp import delta_up
from discreet.privacy.loss import total
from discreet.statistic.catalog import LISTED, statistic_of

PEOPLE = dp.table(
    "people.csv",
    unit=dp.unit("id", max_rows=2),
    columns={"wage": dp.bounds(0, 100, step=1)},
    keys={"state": ["MA", "NY"], "year": range(2000, 2010)},
)
QUESTIONS = (
    dp.count(by="state"),
    dp.mean("wage", by=["state", "year"], weight=3),
    dp.histogram("wage", bins=10),
)


def each(line):
    """What each vector of a question may cost: equal parts of its share."""
    return line.share.times(Fraction(1, len(line.laws)))


@pytest.mark.slow
@pytest.mark.claim("C06")
@given(
    st.fractions(min_value=Fraction(1, 1000), max_value=20),
    st.lists(st.integers(1, 9), min_size=3, max_size=3),
)
def test_the_shares_add_up_to_the_whole_and_each_law_costs_its_share(amount, weights):
    """Exactly where shares and laws have few digits; else rounding loses one part in 50,000."""
    asked = [
        dp.count(by="state", weight=weights[0]),
        dp.sum("wage", weight=weights[1]),
        dp.count_units(by="year", weight=weights[2]),
    ]
    for spend in (dp.pure(amount), dp.zcdp(amount)):
        plan = dp.plan(PEOPLE, *asked, spend=spend)

        whole = total([line.share for line in plan.lines])
        shares = [each(line).plain() for line in plan.lines for _ in line.laws]
        exact = [spend.times(Fraction(w, sum(weights))).plain() for w in weights]
        assert whole.fits(spend)
        assert spend.times(Fraction(49_999, 50_000)).fits(whole)
        assert whole == spend or shares != exact
        for line in plan.lines:
            for found, law in zip(line.aggregates, line.laws, strict=True):
                s = found.sensitivity
                cost = law.loss(l1=s.l1, l2_squared=s.l2_squared)
                assert cost.fits(each(line))
                assert each(line).times(Fraction(99_999, 100_000)).fits(cost)


@pytest.mark.claim("C06")
def test_the_law_follows_from_the_loss():
    """Pure buys Laplace, zCDP Gaussian, approx whichever is narrower."""
    many = [dp.count(by="year", max_groups=groups) for groups in range(1, 3)] + [
        dp.sum("wage", by="year", max_groups=groups, weight=w)
        for groups in (1, 2)
        for w in range(1, 12)
    ]

    def kinds(*asked, spend):
        return {type(law) for law in dp.plan(PEOPLE, *asked, spend=spend).laws}

    assert kinds(*QUESTIONS, spend=dp.pure(1)) == {DiscreteLaplace}
    assert kinds(*QUESTIONS, spend=dp.zcdp(1)) == {DiscreteGaussian}
    assert kinds(dp.count(), spend=dp.approx(1, "1e-6")) == {DiscreteLaplace}
    assert kinds(*many, spend=dp.approx(1, "1e-6")) == {DiscreteGaussian}
    assert kinds(*many, spend=dp.approx(1, 0)) == {DiscreteLaplace}


@pytest.mark.claim("C06")
def test_a_gaussian_plan_keeps_its_epsilon_and_delta():
    """The mu^2 that its noise costs implies the (epsilon, delta) that was spent, and is all of it."""
    many = [dp.sum("wage", by="year", weight=w) for w in range(1, 25)]
    plan = dp.plan(PEOPLE, *many, spend=dp.approx(1, "1e-6"))

    spent = total([line.share for line in plan.lines])
    cost = total([loss_in(act, "gdp") for act in plan.acts])

    assert cost.fits(spent)
    assert Fraction(99, 10**8) < delta_up(cost.mu2, Fraction(1)) <= Fraction(1, 10**6)


def test_a_plan_has_a_price_in_every_kind_that_follows():
    """Pure and approx plans can be charged to more than one kind of budget; zCDP only to zCDP."""
    pure, zcdp = (dp.plan(PEOPLE, *QUESTIONS, spend=s) for s in (dp.pure(1), dp.zcdp("1/8")))
    shares = [Fraction(1, 5), Fraction(3, 5), Fraction(1, 5)]

    exact = sum(float(share) * math.tanh(share / 2) for share in shares)
    assert exact <= pure.price("zcdp").rho <= exact * 1.0001
    assert pure.price("approx") == dp.approx(Fraction(1), Fraction(0))
    assert zcdp.price("zcdp") == dp.zcdp(Fraction(1, 8))
    assert zcdp.price("pure") is None
    assert zcdp.price("approx") is None


def test_a_plan_survives_as_plain_data():
    """The plain data makes a plan with the same digest, and another spend another digest."""
    plan = dp.plan(PEOPLE, *QUESTIONS, spend=dp.zcdp("1/50"), alpha="0.1")

    again = plan_of(plan.plain())

    assert again.digest == plan.digest
    assert again.with_spend(dp.zcdp("1/51")).digest != plan.digest
    assert again.events() == plan.events()


def test_a_plan_reads_well():
    """It says that nothing was read, who is protected, the noise, the error bars and the prices."""
    text = str(dp.plan(PEOPLE, *QUESTIONS, spend=dp.zcdp("1/50")))

    for words in (
        "Nothing has been read",
        "all rows with the same id, at most 2 rows of each",
        "Noise: discrete Gaussian.",
        "± (95 %)",
        "rho = 0.012",
        "0 to 100 in steps of 1",
    ):
        assert words in " ".join(text.split())


@pytest.mark.claim("C18")
@pytest.mark.parametrize(
    "make",
    [
        lambda: dp.plan(PEOPLE, spend=dp.pure(1)),
        lambda: dp.plan(PEOPLE, dp.count(), dp.count(), spend=dp.pure(1)),
        lambda: dp.plan(PEOPLE, dp.count(), spend=1),
        lambda: dp.plan(PEOPLE, dp.count(), spend=dp.pure(0)),
        lambda: dp.plan(PEOPLE, dp.count(), spend=dp.approx(0, 0)),
        lambda: dp.plan("people.csv", dp.count(), spend=dp.pure(1)),
        lambda: dp.plan(PEOPLE, dp.count(), spend=dp.pure(1), alpha=0),
        lambda: dp.plan(PEOPLE, dp.count(), spend=dp.pure(1), alpha=1),
        lambda: dp.plan(PEOPLE, dp.count(), spend=dp.pure(1), alpha="nan"),
        lambda: dp.plan(PEOPLE, "count", spend=dp.pure(1)),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(make):
    """In three lines."""
    with pytest.raises(InputError, match=r"^[^\n]+\n  why: [^\n]+\n  fix: [^\n]+$"):
        make()


@settings(max_examples=20)
@given(st.fractions(min_value=Fraction(1, 100), max_value=5, max_denominator=1000))
def test_less_loss_never_means_less_noise(amount):
    """Half the loss has wider intervals."""
    full = dp.plan(PEOPLE, *QUESTIONS, spend=dp.zcdp(amount))
    half = full.with_spend(dp.zcdp(amount / 2))

    assert half.spend.fits(full.spend)
    for wide, narrow in zip(half.laws, full.laws, strict=True):
        assert wide.half_width(full.alpha) >= narrow.half_width(full.alpha)


@pytest.mark.parametrize("name", sorted(LISTED))
def test_nothing_is_asked_of_a_question_that_it_lacks(name, monkeypatch):
    """Each name that a question lacks is answered with a refusal of three lines, and what comes
    close to it: 0.4 ms of a plan of twenty questions, when each was asked for bins to choose."""
    refusals = []
    init = UnknownNameError.__init__

    def counting(self, *args, **options):
        refusals.append(args)
        init(self, *args, **options)

    monkeypatch.setattr(UnknownNameError, "__init__", counting)
    table = dp.table(
        "people.csv",
        unit="row",
        columns={"wage": dp.bounds(0, 100, step=1), "age": dp.bounds(0, 100, step=1)},
        keys={"ward": ["A", "B"]},
    )
    by = [["ward"]] if name == "tables" else ["ward"]
    options = dict(next(iter(LISTED[name].examples(table))))
    asked = statistic_of({"statistic": name, **options, "by": by})

    dp.plan(table, asked, spend=dp.pure(1))

    assert not refusals
    assert not hasattr(dp.count(), "cuts")
    assert len(refusals) == 1  # the check has power
