"""Fitted cells are the nearest of at least 0 in a metric that counts every table."""

from itertools import combinations, product

import numpy as np
import pytest

from discreet.post.tables.attribute import Attribute, sums
from discreet.post.tables.estimates import estimated
from discreet.post.tables.family import CountedTable, closed, family
from discreet.post.tables.fit import COARSER, _nearest, cells_near, margins, solved, tables
from discreet.post.tables.interval import JointEstimates
from discreet.post.tables.whole import fitted as whole_fitted

FLAT = [Attribute(((0,) * n, tuple(range(n)))) for n in (2, 5, 4)]
PLACE = Attribute(((0, 0, 0, 0), (0, 0, 0, 1), (0, 1, 2, 3)))


def cube(attributes, true, coins, size=4.0):
    """Estimates of a cube with normal noise, each table with the same."""
    noisy = {
        one: sums(true, attributes, one) + coins.normal(0, size, sums(true, attributes, one).shape)
        for one in tables(attributes)
    }
    weights = [(1.0,) * len(a.levels) for a in attributes]
    return solved(attributes, weights, size**2, noisy)


def told(attributes, true, coins, size=4.0):
    """Estimates of the pairs of three attributes, as of a list of tables."""
    shown = closed([(1, 1, 0), (0, 1, 1), (1, 0, 1)])
    counted = {CountedTable(one): size**-2 for one in shown}
    vectors = {}
    for one in counted:
        exact = sums(true, attributes, one.shows)
        vectors[one] = (exact + coins.normal(0, size, exact.shape)).ravel()
    return JointEstimates(estimated(family(attributes, shown, counted, ()), vectors, {}))


@pytest.mark.claim("C366")
@pytest.mark.parametrize("attributes", [FLAT, [FLAT[0], PLACE]], ids=["flat", "levels"])
def test_the_metric_of_a_fit_counts_each_table_by_its_variance_and_coarser_ones_more(attributes):
    """Squared errors of all tables, over variances in those of the noise, times 3 a column less."""
    found = cube(attributes, np.zeros([a.sizes[-1] for a in attributes]), np.random.default_rng(1))
    gap = np.random.default_rng(2).normal(size=found.cells.shape)
    last = sum(len(a.levels) - 1 for a in attributes)
    expected = sum(
        COARSER ** (last - sum(one))
        * float((sums(gap, attributes, one) ** 2).sum() / found.variances(one).mean())
        for one in tables(attributes)
    )
    metric = found.metric()

    assert float((gap * metric.times(gap)).sum()) == pytest.approx(expected * found.scale)


@pytest.mark.claim("C366")
def test_the_metric_of_a_list_counts_the_tables_that_it_shows():
    """It is that of a cube, of the listed tables and their margins alone."""
    found = told(FLAT, np.zeros((2, 5, 4)), np.random.default_rng(1))
    family_ = found.estimates.family
    gap = np.random.default_rng(2).normal(size=found.cells.shape)
    expected = sum(
        COARSER ** (3 - sum(one)) * float((sums(gap, FLAT, one) ** 2).sum() / family_.variance(one))
        for one in family_.shown
    )

    assert float((gap * found.metric().times(gap)).sum()) == pytest.approx(expected)


def nearest(found):
    metric = found.metric()
    return _nearest(found, metric), metric


@pytest.mark.claim("C366")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("estimates", [cube, told], ids=["cube", "list"])
def test_fitted_cells_are_the_nearest_and_so_no_further_from_the_truth(estimates, seed):
    """No cell can bring the tables nearer, and in the metric the truth is no further than before.

    The truth is of at least 0, and a projection on a convex set moves no point of it further off:
    that holds for all data and all noise, so that this test cannot fail by chance.
    """
    coins = np.random.default_rng(seed)
    true = np.where(coins.random((2, 5, 4)) < 0.7, 0, coins.integers(1, 40, (2, 5, 4))) * 1.0
    found = estimates(FLAT, true, coins)
    cells, metric = nearest(found)
    slope = metric.times(cells - found.cells)
    size = float(np.abs(metric.times(found.cells.clip(0) - found.cells)).max())

    assert cells.min() >= 0
    assert slope.min() >= -0.02 * size
    assert np.abs(slope[cells > 0.1]).max() <= 0.02 * size

    def apart(one):
        return float(((one - true) * metric.times(one - true)).sum())

    assert apart(cells) <= apart(found.cells) * 1.001


@pytest.mark.claim("C366")
def test_a_fit_that_only_cuts_is_caught():
    """Estimates cut at 0 are no projection: their sums are too large."""
    coins = np.random.default_rng(0)
    found = cube(FLAT, np.zeros((2, 5, 4)), coins)
    cut, metric = found.cells.clip(0), found.metric()

    assert (cut * metric.times(cut)).sum() > (found.cells * metric.times(found.cells)).sum()


@pytest.mark.slow
@pytest.mark.claim("C90")
def test_ones_are_moved_where_the_fit_has_most():
    """Of many cells those are moved that hold something, and margins of one column stay."""
    coins = np.random.default_rng(3)
    attributes = [Attribute(((0,) * 40, tuple(range(40)))) for _ in range(3)]
    true = np.zeros((40, 40, 40))
    places = coins.integers(0, 40, (2, 4_000))
    np.add.at(true, (places[0], places[0], places[1]), 1)
    found = cube(attributes, true, coins)
    whole = whole_fitted(found)
    wanted = margins(found)
    real = cells_near(found, wanted, found.metric, clean=False)

    assert whole.min() >= 0
    assert whole.dtype == np.int64
    for axis, other in product(range(3), range(3)):
        if axis < other:
            (rest,) = {0, 1, 2} - {axis, other}
            off = whole.sum(axis=rest) - real.sum(axis=rest)
            assert np.sqrt((off**2).mean()) < 1


@pytest.mark.claim("C522")
@pytest.mark.slow
def test_pairs_of_many_columns_are_fitted_to_the_end():
    """The pairs of five columns of a sparse table: nearer to the truth than the estimates are.

    No projection is further off, in its metric; after 300 rounds it is 1.2 times as far.
    """
    coins = np.random.default_rng(37)
    group = coins.choice(30, 20_000, p=coins.dirichlet(np.full(30, 0.5)))
    laws = [coins.dirichlet(np.full(6, 0.1), 30).cumsum(1) for _ in range(5)]
    rows = [np.minimum((coins.random(20_000)[:, None] > law[group]).sum(1), 5) for law in laws]
    true = np.zeros((7,) * 5)  # of which one key has no row
    np.add.at(true, tuple(rows), 1)
    attributes = [Attribute(((0,) * 7, tuple(range(7))))] * 5
    shown = closed(
        [tuple(int(at in pair) for at in range(5)) for pair in combinations(range(5), 2)]
    )
    counted = {CountedTable(one): 1 / 50 for one in shown if sum(one) == 2}
    exact = {one: sums(true, attributes, one.shows) for one in counted}
    vectors = {one: (x + coins.normal(0, 50**0.5, x.shape)).ravel() for one, x in exact.items()}
    estimates = JointEstimates(estimated(family(attributes, shown, counted, ()), vectors, {}))
    metric = estimates.metric()

    def off(cells):
        return float(((cells - true) * metric.times(cells - true)).sum())

    assert off(_nearest(estimates, metric)) < off(estimates.cells)
