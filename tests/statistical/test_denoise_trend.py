"""The penalty of a trend filter: as large as luck allows."""

import numpy as np
import pytest

from discreet.post.denoise import trend_filter as room
from discreet.post.denoise.noise import Noise
from discreet.post.denoise.stein import apart
from discreet.post.denoise.trend_filter import trend_filter
from noisy import drawn, grid

LOUD = Noise("discrete_laplace", 20.0)
GRID = grid(16, 16)


def error(order, runs=40):
    """Return the mean summed squared error where there is nothing but noise, in variances."""
    coins, found = np.random.default_rng(59), []
    for _ in range(runs):
        noisy = drawn(LOUD, 256, coins)
        values = trend_filter(noisy, LOUD, graph=GRID, order=order).values
        found.append(np.sum(values**2) / LOUD.variance)
    return np.mean(found)


def check_less_of_it_is_luck(monkeypatch, order, share):
    """Refuse a penalty that does not lose less than the one of least estimated risk does."""
    ours = error(order)
    monkeypatch.setattr(room._Search, "plainest", room._Search.best)

    assert ours < share * error(order)


@pytest.mark.slow
@pytest.mark.parametrize(("order", "share"), [(0, 0.95), (1, 0.85)])
def test_where_there_is_nothing_fewer_pieces_are_luck(order, share, monkeypatch):
    """Of 256 zeros the plainest penalty within one spread keeps less than the luckiest does."""
    check_less_of_it_is_luck(monkeypatch, order, share)


@pytest.mark.slow
def test_a_penalty_of_least_estimated_risk_is_caught(monkeypatch):
    """The planted fault: it is that penalty."""
    monkeypatch.setattr(room._Search, "plainest", room._Search.best)

    with pytest.raises(AssertionError):
        check_less_of_it_is_luck(monkeypatch, 1, 0.85)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_the_penalty_is_never_below_the_best(order, seed):
    """And its estimated risk is within one spread of the least."""
    noisy = np.random.default_rng([61, seed]).normal(size=256) * LOUD.sigma + np.arange(256) / 4
    filters = room._filter(GRID, LOUD, order), room._filter(GRID, LOUD, order)
    search = room._Search(noisy, LOUD, *filters)
    best, taken = search.best(), search.plainest()
    values, least = search.plain(best)[0], search._least(best) + 2 * search.missing(best)
    more = search._least(taken) + 2 * search.missing(taken) - least

    assert taken >= best
    assert more <= apart(search.plain(taken)[0], values, noisy - values, LOUD)
