"""A loss of one question: it costs at most that, and the others share what it leaves."""

from fractions import Fraction

import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.plan import plan_of

LOSSES = [dp.zcdp, dp.pure, lambda number: dp.gdp(mu2=number)]


def declared(**how):
    return dp.table(
        [],
        name="t",
        unit=how.pop("unit", "row"),
        columns={"x": dp.bounds(0, 100, step=1)},
        keys={"a": range(5), "b": ["f", "m"]},
        **how,
    )


@pytest.mark.claim("C434")
@pytest.mark.parametrize("loss", LOSSES, ids=["zcdp", "pure", "gdp"])
def test_it_costs_at_most_its_loss_and_the_others_share_the_rest_by_weight(loss):
    """The noise is that of a plan of this question alone; the sum keeps the spend."""
    own, whole = loss("1/100"), loss("1/20")
    asked = dp.count(by="a", spend=own)
    plan = dp.plan(declared(), asked, dp.mean("x"), dp.sum("x", weight=3), spend=whole)
    alone = dp.plan(declared(), dp.count(by="a"), spend=own)
    costs = [line.cost.numbers[0] for line in plan.lines]

    assert plan.lines[0].laws == alone.lines[0].laws
    assert costs[0] <= own.numbers[0]
    assert costs[0] > own.numbers[0] * Fraction(999, 1000)
    assert costs[2] / costs[1] == pytest.approx(3, rel=1e-3)
    assert plan.cost.fits(whole)
    assert plan.cost.numbers[0] > whole.numbers[0] * Fraction(999, 1000)


@pytest.mark.claim("C434")
@pytest.mark.parametrize(
    "question",
    [
        dp.cube(["a", "b"], spend=dp.zcdp("1/50")),
        dp.tables([["a"], ["b"]], spend=dp.zcdp("1/50")),
        dp.median("x", spend=dp.zcdp("1/50")),
        dp.median("x", method="choice", spend=dp.zcdp("1/50")),
        dp.iqr("x", spend=dp.zcdp("1/50")),
        dp.choose("a", spend=dp.zcdp("1/50")),
        dp.mean(["x"], by="b", spend=dp.zcdp("1/50")),
    ],
    ids=lambda one: one.label,
)
def test_each_kind_of_question_takes_one_beside_a_wanted_error(question):
    """Cubes, lists, curves, choices; the other keeps its error at its least price."""
    beside = dp.count(by="b", within=20)
    plan = dp.plan(declared(), question, beside)
    (alone,) = dp.plan(declared(), beside).lines
    first, second = plan.lines
    assert first.cost.numbers[0] <= Fraction(1, 50)
    assert first.cost.numbers[0] > Fraction(1, 50) * Fraction(99, 100)
    assert second.laws == alone.laws
    assert plan.cost.fits(plan.spend)


@pytest.mark.claim("C434")
@pytest.mark.slow
def test_it_is_written_read_paid_and_verified(tmp_path):
    """In a plan file, in the ledger, in a release; a plan made again is the same."""
    (tmp_path / "t.csv").write_text("x,a,b\n" + "5,1,f\n7,2,m\n" * 50)
    (tmp_path / "p.toml").write_text(
        '[data]\nsource = "t.csv"\nunit = "row"\n[columns]\nx = { lower = 0, upper = 100, step = 1 }\n'
        '[keys]\na = [0, 1, 2, 3, 4]\nb = ["f", "m"]\n[spend]\nrho = 1\n'
        '[[ask]]\nstatistic = "count"\nby = "a"\nspend = { rho = "1/4" }\n'
        '[[ask]]\nstatistic = "mean"\ncolumn = "x"\n'
    )
    plan = read_plan_file(tmp_path / "p.toml").plan
    assert plan.lines[0].asked.ask.spend == dp.zcdp("1/4")
    assert plan_of(plan.plain()).digest == plan.digest
    ledger = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp(1))
    release = dp.run(plan, ledger=ledger)
    release.save(tmp_path / "r")
    assert dp.verify(tmp_path / "r", ledger=ledger).checks
    assert release.document.statistics[0].question["spend"] == {"rho": "0.25"}
    assert "rho = 0.25" in str(plan)


@pytest.mark.parametrize(
    ("act", "what"),
    [
        (lambda: dp.count(spend=dp.approx(1, "1e-6")), "no loss that a question can spend"),
        (lambda: dp.count(spend="1/50"), "no loss that a question can spend"),
        (lambda: dp.count(spend={"sigma": 3}), "no loss that a question can spend"),
        (lambda: dp.count(spend=dp.zcdp(1), within=3), "spend and within are both given"),
        (lambda: dp.count(spend=dp.zcdp(1), weight=3), "spend and weight are both given"),
        (
            lambda: planned(dp.count(spend=dp.pure(1))),
            "epsilon = 1 of its own; the plan spends rho",
        ),
        (lambda: planned(dp.count(spend=dp.zcdp(3))), "the losses of single questions are rho = 3"),
        (
            lambda: dp.plan(declared(), dp.count(spend=dp.zcdp(1)), spend=dp.approx(1, "1e-6")),
            "rho = 1 of its own; the plan spends (epsilon, delta)",
        ),
        (lambda: dp.plan(declared(), dp.count(), dp.count("a", spend=dp.zcdp(1))), "needs spend="),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_loss_of_one_question_is_refused(act, what):
    """Another kind, none that adds up, more than there is, or another way to say it beside."""
    with pytest.raises(InputError) as raised:
        act()
    assert what in raised.value.what


def planned(*asked):
    return dp.plan(declared(), *asked, spend=dp.zcdp(1))


def test_a_ledger_that_has_less_or_another_kind_takes_it_as_it_is(tmp_path):
    """Laplace noise of a stated epsilon stays that, in a ledger of rho; what does not fit is refused."""
    plan = dp.plan(declared(), dp.count(by="a", spend=dp.pure("1/2")))
    book = dp.ledger(tmp_path / "a.ledger", budget=dp.gdp(mu2=4))
    assert plan.suited(book.left()) is plan
    small = dp.ledger(tmp_path / "b.ledger", budget=dp.pure("1/4"))
    with pytest.raises(dp.errors.BudgetError, match=r"only 0\.25"):
        dp.run(plan, ledger=small)


def test_on_a_page_where_errors_are_moved_it_has_no_place(tmp_path):
    """It is refused with what to write."""
    plan = dp.plan(declared(), dp.count(by="a", spend=dp.pure("1/2")))
    with pytest.raises(InputError, match="has a loss of its own"):
        plan.explore(tmp_path / "p.html")
