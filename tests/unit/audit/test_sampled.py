"""Bounds from runs: wrong at most as often as they say, by Chernoff's bound."""

from fractions import Fraction
from functools import partial
from math import comb

import pytest

import discreet as dp
from discreet.audit.sampled import Bound, _level, chance_down
from discreet.exact.enclosure import enclosed
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace


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


@pytest.mark.claim("C548")
def test_what_whole_runs_show_is_told_in_the_plans_own_number():
    """Of .7 and .2: epsilon = 1.2527, at a delta of .1 ln(.6 / .2), and the divergence .58268.

    It is rounded down.
    """
    bound = Bound(100, 0.7, 0.2)
    shown = {
        "epsilon is at least 1.25 of 2 ": dp.pure(2),
        "epsilon is at least 1.09 of 2 at delta = 0.1 ": dp.approx(2, "0.1"),
        "rho is at least 0.582 of 1 ": dp.zcdp(1),
        "mu2 is at least 1.16 of 3 ": dp.gdp(mu2=3),
    }

    assert [words for words, price in shown.items() if words not in bound.words(price)] == []
    assert "epsilon is at least 0 of 2 " in Bound(100, 0.2, 0.7).words(dp.pure(2))
    assert "an event has a chance" in bound.words(dp.pure(1).__class__("purses", (1, 1, 0)))


@pytest.mark.claim("C548")
@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1, 4), Fraction(1, 2)])
def test_an_event_of_laplace_and_gaussian_noise_tells_no_more_than_the_noise_loses(share):
    """Exactly: the chances of "at least k" for each k, with one more and without it."""
    laws = [
        (DiscreteLaplace.calibrated(dp.pure(share), l1=1, l2_squared=1), dp.pure(share)),
        (DiscreteGaussian.calibrated(dp.zcdp(share), l1=1, l2_squared=1), dp.zcdp(share)),
    ]
    for law, price in laws:
        sizes = []
        for k in range(-9, 10):
            p, q = (float(enclosed(partial(law.tail, at), 128)[0]) for at in (k - 1, k))
            sizes.append(Bound(1, p, q).shown_of(price)[1])

        assert max(sizes) <= share * (1 + 1e-9)
        assert max(sizes) > share * 0.6


def test_the_event_that_tells_most_is_chosen_among_all_levels():
    """Also where scores are few: the first tells nothing, and the last happens too rarely."""
    scores = [[1.0] * 700 + [-1.0] * 290 + [2.0] * 10, [-1.0] * 800 + [1.0] * 196 + [2.0] * 4]

    assert _level(scores) == 1.0
