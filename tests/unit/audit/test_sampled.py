"""Bounds from runs: wrong at most as often as they say, by Chernoff's bound."""

from fractions import Fraction
from math import comb

import pytest

import discreet as dp
from discreet.audit.sampled import Bound, chance_down


@pytest.mark.claim("C533")
@pytest.mark.parametrize("runs", [5, 40, 200])
def test_a_lower_bound_is_above_the_true_chance_no_more_often_than_it_says(runs):
    """Added up exactly over all numbers of hits, for chances near and far; no draw."""
    bounds = [chance_down(hits, runs, wrong=0.01) for hits in range(runs + 1)]
    for part in range(1, 20):
        p = Fraction(part, 20)
        wrong = sum(
            comb(runs, hits) * p**hits * (1 - p) ** (runs - hits)
            for hits, bound in enumerate(bounds)
            if bound > p
        )

        assert wrong <= Fraction(1, 100)


@pytest.mark.claim("C533")
def test_a_bound_is_compared_with_each_kind_of_price():
    """An event of .7 with the unit and .2 without it tells epsilon = 1.25."""
    bound = Bound(100, 0.7, 0.2)

    assert bound.above(dp.pure(1))
    assert not bound.above(dp.pure("1.3"))
    assert bound.above(dp.approx(1, "0.1"))
    assert not bound.above(dp.approx(1, "0.2"))
    assert bound.above(dp.zcdp("0.5"))
    assert not bound.above(dp.zcdp("0.6"))
    assert not Bound(100, 0.2, 0.7).above(dp.pure("0.01"))
