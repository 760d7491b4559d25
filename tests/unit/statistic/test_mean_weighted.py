"""A weighted mean: how far one row moves it, and what it tells."""

from fractions import Fraction
from itertools import product

import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.errors import InputError
from discreet.noise.discrete_laplace import DiscreteLaplace
from measures import by_hand


def declared(**how):
    columns = {"v": dp.bounds(-2, 3, step=1), "w": dp.bounds(1, 4, step=1)}
    return dp.table([], unit="row", columns=columns, keys={"k": ["a", "b"]}, name="t", **how)


def vector(aggregate, rows):
    looks = [lambda value, row=row: row[value] for row in rows]
    return [by_hand(measure, looks) for measure in aggregate.measures]


@pytest.mark.claim("C07")
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_one_row_moves_it_as_far_as_declared(neighbors):
    """All rows, and all that may come in their place: reached, and not exceeded."""
    (aggregate,) = dp.mean("v", weights="w").aggregates(declared(neighbors=neighbors))
    said = aggregate.sensitivity
    rows = [{"v": v, "w": w} for v, w in product(range(-2, 4), range(1, 5))]
    every = [[0, 0], *(vector(aggregate, [row]) for row in rows)]
    starts = every if neighbors == "replace" else every[:1]
    moves = [[abs(a - b) for a, b in zip(x, y, strict=True)] for x in starts for y in every]

    assert max(map(sum, moves)) == said.l1
    assert max(sum(x * x for x in moved) for moved in moves) == said.l2_squared
    assert max(map(max, moves)) == said.linf == 5 * 4


def test_rows_count_as_often_as_they_weigh():
    """Without noise: the weighted mean, and the sum of the weights beside it."""
    table = declared()
    question = dp.mean("v", weights="w")
    rows = [{"v": 3, "w": 4}, {"v": -2, "w": 1}] * 100
    noisy = Noisy(tuple(vector(question.aggregates(table)[0], rows)))

    answer = question.answer(table, [noisy], [DiscreteLaplace(Fraction(1, 9))], Fraction(1, 20))

    assert answer.values[0] == pytest.approx(2)
    assert answer.rows[0] == pytest.approx(500)
    assert question.label == "mean v weighted by w"
    assert dp.plan(table, question, spend=dp.zcdp(1)).lines[0].statistic == question


REFUSED = {
    "itself": lambda: dp.mean("v", weights="v").aggregates(declared()),
    "below zero": lambda: dp.mean("w", weights="v").aggregates(declared()),
    "several": lambda: dp.mean(["v", "w"], weights="w"),
    "no column": lambda: dp.mean("v", weights="zz").aggregates(declared()),
    "regression of no column": lambda: dp.regression(3, ["v"]),
}


@pytest.mark.claim("C18")
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_weight_is_refused(case):
    """In three lines."""
    with pytest.raises(InputError) as caught:
        REFUSED[case]()

    assert len(str(caught.value).split("\n")) == 3
