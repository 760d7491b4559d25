"""Published tables of a sparse cube are about as near as its linear estimates cut at 0, or nearer.

Ten releases of a cube of which two columns are equal, at noise of about 14: 25 x 20 x 20 keys,
9,600 of 10,000 cells empty. Squares of errors are added up over the tables of as many columns.
"""

from itertools import combinations

import numpy as np
import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.entropy import Coins
from discreet.post.tables import fit

SHAPE = (25, 20, 20)
RELEASES = 10


def cells():
    coins = np.random.default_rng(36)
    first, last = coins.integers(0, 20, 30_000), coins.integers(0, 20, 30_000)
    found = np.zeros(SHAPE, dtype=np.int64)
    np.add.at(found, (first, first, last), 1)
    return found


def errors(true, releases):
    """Return by number of columns the published squares of errors over those cut at 0."""
    names = ["a", "b", "c"]
    table = dp.table(
        [], unit="row", name="cells", keys=dict(zip(names, map(range, SHAPE), strict=True))
    )
    plan = dp.plan(table, dp.cube(names), spend=dp.zcdp("1/50"))
    (line,) = plan.lines
    vector = tuple(true.ravel().tolist())
    exact = [a.transform.applied(vector) if a.transform else vector for a in line.aggregates]
    shown = [kept for n in range(4) for kept in combinations(range(3), n)]
    sums = [true.sum(axis=tuple({0, 1, 2} - {*kept})).ravel() for kept in shown]
    depths = np.concatenate([[len(k)] * s.size for k, s in zip(shown, sums, strict=True)])
    truth, coins = np.concatenate(sums), Coins()
    published, cut = np.zeros(4), np.zeros(4)
    for _ in range(releases):
        noisy = [
            Noisy(tuple((np.array(v) + law.draws(len(v), coins)).tolist()))
            for law, v in zip(line.laws, exact, strict=True)
        ]
        told = line.statistic.answer(table, noisy, line.laws, plan.alpha)
        off = (np.array(told.values) - truth) ** 2, (np.array(told.linear).clip(0) - truth) ** 2
        published += np.bincount(depths, off[0])
        cut += np.bincount(depths, off[1])
    return np.sqrt(published / cut)


@pytest.mark.slow
@pytest.mark.claim("C365")
def test_tables_of_a_sparse_cube_are_as_near_as_estimates_cut_at_0():
    """At most 1.05 times as far, tables of one column, of two and of three.

    Of eight times ten releases the ratios were 0.998, 0.674 and 0.192, with deviations of 0.0013,
    0.0053 and 0.0013: a right build is beyond a bound with a chance below 1e-9, by a normal law.
    """
    off = errors(cells(), RELEASES)

    assert off[1:].max() <= 1.05
    assert off[2] <= 0.8
    assert off[3] <= 0.3


@pytest.mark.claim("C365")
def test_tables_of_cut_cells_would_be_far_off(monkeypatch):
    """Planted: cells are cut at 0 and only margins of one column put back, as it once was."""
    monkeypatch.setattr(fit, "_nearest", lambda found, metric: found.cells.clip(0))

    assert errors(cells(), 1)[2] > 2
