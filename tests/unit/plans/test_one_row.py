"""What a plan of units says of one row alone: how far a row moves what is counted, and its loss."""

from itertools import product
from random import Random

import pytest

import discreet as dp
from adversarial.moves import counted
from discreet.engine.memory import MemoryEngine
from discreet.maps.heatmap import Points, planned
from discreet.maps.net import grid
from discreet.plans.one_row import acts_of_row, loss_of_row, row_words
from engine.sources import opened

KEYS = {"a": ["p", "q", "r"], "b": [0, 1]}
QUESTIONS = [
    dp.count(by="a"),
    dp.count(by=["a", "b"]),
    dp.count(),
    dp.count_units(by="a"),
    dp.count(by="b", distinct="a"),
    dp.sum("x", by="a"),
    dp.mean("x", by="a"),
    dp.mean(["x", "y"], by="b"),
    dp.histogram("x", by="b", bins=3),
    dp.cube(["a", "b"]),
    dp.variance("x", by="a"),
    dp.median("x"),
]


def declared(rows=(), most=2, **how):
    return dp.table(
        list(rows),
        name="t",
        unit=how.pop("unit", dp.unit("u", max_rows=most)),
        columns={"x": dp.bounds(0, 3, step=1), "y": dp.bounds(-2, 2, step=1)},
        keys=KEYS,
        **how,
    )


def told(plan):
    """The arguments of what says it."""
    asked = [(line.asked, line.laws) for line in plan.lines]
    return plan.table, asked, plan.spend, plan.cost


def row(coins, unit):
    cells = {"a": coins.choice([*KEYS["a"], "z"]), "b": coins.choice([0, 1, 9])}
    return {"u": unit, **cells, "x": coins.choice([0, 1, 3, None]), "y": coins.randint(-2, 2)}


@pytest.mark.exhaustive
@pytest.mark.claim("C435")
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.label)
def test_one_row_more_of_a_unit_moves_no_vector_further_than_is_counted(question):
    """Salt by salt, of units with fewer, as many and more rows than count, equal rows among them."""
    plan = dp.plan(declared(), question, spend=dp.zcdp(1))
    (line,) = plan.lines
    bounds = [act.moved for act in acts_of_row(plan.table, question, line.laws)]
    coins, most = Random(7), 0
    for salt, size in product(range(40), range(4)):
        beside = [row(coins, "v") for _ in range(2)]
        mine = [row(coins, "u") for _ in range(size)]
        more = coins.choice([*mine, row(coins, "u")])
        pair = []
        for rows in ([*beside, *mine], [*beside, *mine, {**more}]):
            table = declared(rows)
            aggregates = question.aggregates(table)
            exact = opened(MemoryEngine().prepare(table, aggregates).count(salt))
            pair.append(counted(aggregates, exact))
        for bound, before, after in zip(bounds, *pair, strict=True):
            off = [abs(m - n) for m, n in zip(before, after, strict=True)]
            assert sum(off) <= bound.l1
            assert sum(n * n for n in off) <= bound.l2_squared
            assert max(off) <= bound.linf
            most = max(most, sum(off))
    assert most > 0


@pytest.mark.claim("C435")
@pytest.mark.parametrize("spend", [dp.zcdp("1/8"), dp.pure(1), dp.approx(1, "1e-6")], ids=str)
def test_a_plan_says_both_losses(spend):
    """A count by group: one row moves two numbers by one, a unit one number by fifty."""
    plan = dp.plan(declared(most=50), dp.count(by="a"), spend=spend)
    loss = loss_of_row(*told(plan)[:3])
    (law,) = plan.laws
    assert loss.kind == plan.cost.kind
    if spend.kind != "approx":
        assert loss == law.loss(l1=2, l2_squared=2).few_up()
    assert loss.numbers[0] < plan.cost.numbers[0] / 20
    (sentence,) = row_words(*told(plan))
    assert f"its loss is {loss}, whether it is in the table" in sentence
    assert sentence in str(plan).replace("\n", " ")


@pytest.mark.claim("C435")
def test_a_release_a_map_and_a_report_say_both(tmp_path):
    """Trip and vehicle of one map; it is made again from the release alone."""
    plan = dp.plan(
        declared([{"u": 1, "a": "p", "b": 0}], most=9), dp.count(by="a"), spend=dp.zcdp(1)
    )
    release = dp.rehearse(plan)
    release.save(tmp_path / "r")
    (sentence,) = row_words(*told(plan))
    assert sentence in (tmp_path / "r" / "report.html").read_text()
    cars = Points([], unit=dp.unit("cab", max_rows=5))
    cabs = planned(cars, grid(0, 0, 1, 1, columns=3, rows=3), spend=dp.zcdp(1))
    (sentence,) = row_words(*told(cabs))
    assert "Of one row alone, of the at most 5 of a unit" in sentence
    assert "rho = 0.08" in sentence


@pytest.mark.parametrize(
    ("how", "ask"),
    [
        ({"unit": "row"}, {}),
        ({"most": 1}, {}),
        ({}, {"max_groups": 2}),
        ({}, {"max_rows_per_group": 1}),
    ],
    ids=str,
)
def test_where_it_is_not_proved_nothing_is_said(how, ask):
    """Row units, units of one row, and limits by which one row moves a group."""
    plan = dp.plan(declared(**how), dp.count(by="a", **ask), spend=dp.zcdp(1))
    assert [*row_words(*told(plan))] == []
