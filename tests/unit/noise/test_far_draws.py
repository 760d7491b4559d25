"""How far one sum of draws reaches while all are held in: beside draws, for hundreds of weights."""

import numpy as np
import pytest

from discreet.noise.far_draws import critical
from discreet.post.held_regions import steps

DRAWS, WEIGHTS = 200_000, 40


@pytest.mark.slow
@pytest.mark.exhaustive("far draws")
@pytest.mark.claim("C612")
@pytest.mark.parametrize("level", [0.3, 0.1, 0.049, 0.01, 0.001])
@pytest.mark.parametrize("rest", steps()[2][[0, 5, 12, 30]].tolist())
@pytest.mark.parametrize("draws", [5, 9, 14])
def test_no_weights_reach_farther(draws, rest, level):
    """200,000 draws, 40 rows of weights: even ones over few draws and over all, and some at random.

    Each misses by chance as often as 6 deviations allow: 2e-9 a check. The bar is passed by a fifth
    of the level at most by weights of one draw, whose law is exact: it is no looser than need be.
    """
    coins = np.random.default_rng([draws, round(1 / level)])
    noise = coins.laplace(size=(DRAWS, draws)) / 2**0.5
    squares = rest * (noise * noise).sum(1)
    random = coins.normal(size=(WEIGHTS, draws)) * coins.exponential(size=(WEIGHTS, draws)) ** 2
    rows = [*(np.arange(draws) < many for many in range(1, draws + 1)), *random]
    c, off = critical(level, draws, rest), 6 * (level / DRAWS) ** 0.5

    missed = [
        float((np.abs(noise @ (row / np.linalg.norm(row))) + squares > c).mean()) for row in rows
    ]

    assert max(missed) <= level + off
    assert missed[0] >= level * (0.8 if level < 0.1 else 0.5) - off


def test_small_levels_have_a_bound():
    """It grows as levels fall, to the least double; of no level is it short of a draw's quantile."""
    levels = [0.05, 1e-3, 1e-6, 1e-8, 1e-12, 1e-100, 5e-324]
    known = [critical(level, 9, 0.02) for level in levels]

    assert known == sorted(known)
    assert all(c > -np.log(level) / 2**0.5 for c, level in zip(known, levels, strict=True))
