"""What a plan says of a better way to ask: each number is that of the plan which asks so."""

import pytest

import discreet as dp
from discreet.plans.advice import advice
from discreet.plans.show import plus_minus

SPENDS = [dp.zcdp("1/50"), dp.pure(1)]
FIFTHS = ["x < 20", "x >= 20 AND x < 50", "x >= 50"]


def declared(unit="row", **how):
    whole = {"x": dp.bounds(0, 100, step=1), "y": dp.bounds(0, 100, step=1)}
    return dp.table(
        [],
        name="t",
        unit=unit,
        columns=whole,
        keys={"a": range(5), "b": range(4), "c": ["f", "m"]},
        **how,
    )


def halves(plan):
    """The half-widths of a plan as it shows them."""
    lines = plan.lines
    expected = [n.statistic.expected(plan.table, n.laws, plan.level(n)) for n in lines]
    return [plus_minus(one, n.statistic.ask.rows) for one, n in zip(expected, lines, strict=True)]


CASES = {  # the questions, the other way, and words of the sentence
    "shares below": (
        [dp.share_below("x", 20, by="c"), dp.share_below("x", 50, by="c")],
        dp.share_below("x", [20, 50], by="c"),
        "As one share_below with at = 20, 50",
    ),
    "counts of parts": (
        [dp.count(where=test) for test in FIFTHS],
        dp.histogram("x", bins=[0, 20, 50, 100]),
        "As groups of one derived column",
    ),
    "sums of parts": (
        [dp.sum("x", where="c = 'f'"), dp.sum("x", where="c = 'm'")],
        dp.sum("x", by="c"),
        "As groups of one derived column",
    ),
    "margins": (
        [dp.count(by="a"), dp.count(by="b"), dp.count(by=["a", "b"]), dp.count(by="c")],
        dp.tables([["a"], ["b"], ["a", "b"], ["c"]]),
        "As one question, tables,",
    ),
}


@pytest.mark.claim("C432")
@pytest.mark.parametrize("spend", SPENDS, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_the_number_is_that_of_the_plan_which_asks_so(name, spend):
    """At the same spend; the plan prints the sentence, once."""
    questions, other, words = CASES[name]
    plan = dp.plan(declared(), *questions, spend=spend)
    (sentence,) = advice(plan)
    (better,) = halves(dp.plan(declared(), other, spend=spend))

    assert words in sentence
    assert any(f"{half}. " in sentence for half in halves(plan))
    assert f"{better} at the same price" in sentence
    assert str(plan).replace("\n", " ").count(words) == 1
    assert [*advice(dp.plan(declared(), other, spend=spend))] == []


@pytest.mark.claim("C432")
def test_means_of_several_columns_are_one_question_where_that_is_narrower():
    """Under Gaussian noise it is; under Laplace noise they are nearer one by one."""
    means, vector = [dp.mean("x", by="c"), dp.mean("y", by="c")], dp.mean(["x", "y"], by="c")
    (sentence,) = advice(dp.plan(declared(), *means, spend=dp.zcdp(1)))
    (better,) = halves(dp.plan(declared(), vector, spend=dp.zcdp(1)))
    assert f"it is {better} at the same price" in sentence
    assert [*advice(dp.plan(declared(), *means, spend=dp.pure(1)))] == []


@pytest.mark.claim("C432")
@pytest.mark.parametrize("spend", SPENDS, ids=str)
@pytest.mark.parametrize("ask", [dp.mean("x", by="c"), dp.count(by="c"), dp.sum("x", by="c")])
def test_a_limit_that_is_left_out_is_said_with_both_half_widths(ask, spend):
    """A unit of 100 rows, all of which may be in one group; with the limit nothing is said."""
    table = declared(dp.unit("u", max_rows=100))
    plan = dp.plan(table, ask, spend=spend)
    limited = getattr(dp, ask.plain()["statistic"])
    given = {"column": "x"} if "column" in ask.plain() else {}
    narrow = dp.plan(table, limited(**given, by="c", max_rows_per_group=1), spend=spend)
    (sentence,) = advice(plan)
    assert f"one group: {halves(plan)[0]}. With max_rows_per_group = 1" in sentence
    assert f"it is {halves(narrow)[0]} at the same price" in sentence
    assert [*advice(narrow)] == []
    assert [*advice(dp.plan(declared(dp.unit("u", max_rows=1)), ask, spend=spend))] == []


@pytest.mark.claim("C432")
def test_a_count_of_what_is_public_is_said_to_buy_nothing():
    """Under replace, of all rows; in groups, or of some rows, it tells something."""
    table = declared(neighbors="replace", rows=500)
    (sentence,) = advice(dp.plan(table, dp.count(), dp.mean("x"), spend=dp.zcdp("1/8")))
    assert "count is 500, which is public as typed: without it rho = 0.0625 is saved" in sentence
    for question in (dp.count(by="c"), dp.count(where="x > 3")):
        assert [*advice(dp.plan(table, question, spend=dp.zcdp("1/8")))] == []
    assert [*advice(dp.plan(declared(rows=500), dp.count(), spend=dp.zcdp(1)))] == []


@pytest.mark.claim("C432")
@pytest.mark.parametrize(
    "questions",
    [
        [dp.count(where="x < 30"), dp.count(where="x >= 20")],
        [dp.count(where="x < 20"), dp.count()],
        [dp.count(where="x < 20", by="a"), dp.count(where="x >= 20", by="b")],
        [dp.median("x"), dp.median("y")],
        [dp.median("x"), dp.quantile("x", "0.9", by="c")],
        [dp.median("x"), dp.quantile("x", "0.9", bins=20)],
        [dp.median("x", method="choice"), dp.quantile("x", "0.9", method="choice")],
        [dp.mean("x"), dp.mean("y", by="c")],
        [dp.count(by="a", between=[0, 9]), dp.count(by="b", between=[0, 9])],
        [dp.sum("x", by="a"), dp.sum("x", by="b")],
        [dp.count(), dp.count(by="a", weight=6)],
        [dp.count(by="a", within=10), dp.count(by="b", within=100)],
    ],
    ids=lambda asked: " and ".join(one.label for one in asked),
)
def test_of_questions_that_are_no_parts_of_one_nothing_is_said(questions):
    """Rows in both, other groups, other columns or bins, choices, and what does not add up."""
    assert [*advice(dp.plan(declared(), *questions, spend=dp.zcdp("1/50")))] == []


def test_wanted_errors_are_advised_at_the_price_that_they_have():
    """One curve for the price of two keeps more than both."""
    asked = [dp.share_below("x", at, within="5%", rows=1_000) for at in (20, 50)]
    plan = dp.plan(declared(), *asked, kind="zcdp")
    (sentence,) = advice(plan)
    (better,) = halves(dp.plan(declared(), dp.share_below("x", [20, 50]), spend=plan.cost))
    assert f"it is {better} at the same price" in sentence
