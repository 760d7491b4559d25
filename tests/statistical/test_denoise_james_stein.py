"""How far James and Stein's rules, with the 1 % that must be gained, may do harm."""

import numpy as np
import pytest

from discreet.post.denoise import james_stein as rule
from discreet.post.denoise.noise import gaussian

DRAWS = 100_000
AWAY = np.linspace(0, 14, 29)  # of the root of the count: how long the truth is, in sigmas
LOST = {"zero": 2, "mean": 3}


def harm(count, toward, *, jump=False):
    """Return the most that the mean squared error is above raw, over all lengths of the truth.

    By symmetry the truth lies on one axis; the rest of the noise only matters by its square.
    """
    coins = np.random.default_rng(71)
    axes = count if toward == "zero" else count - 1
    along, rest = coins.normal(size=DRAWS), coins.chisquare(axes - 1, size=DRAWS)
    free, most = count - LOST[toward], -1.0
    for length in AWAY * np.sqrt(count):
        square = (length + along) ** 2 + rest
        full = free / square
        pull = np.maximum(0, full - rule.MATERIAL * count / free)
        if jump:
            pull = np.where(pull > 0, full, 0)
        factor = np.maximum(0, 1 - pull)
        more = (factor**2 - 1) * square - 2 * (factor - 1) * (length + along) * length
        most = max(most, more.mean() / count)
    return most


@pytest.mark.claim("C33")
@pytest.mark.slow
@pytest.mark.parametrize("toward", LOST)
@pytest.mark.parametrize(("count", "most"), [(6, 0.008), (8, 0.005), (10, 0.004), (50, 0.002)])
def test_a_pull_without_a_jump_does_next_to_no_harm(count, most, toward):
    """At most 0.8 % of the raw error, whatever the truth; the draws tell it to 0.1 %."""
    assert harm(count, toward) < most


@pytest.mark.claim("C33")
@pytest.mark.slow
def test_a_pull_that_begins_with_a_jump_is_caught():
    """The planted fault: the full pull wherever it would gain 1 %."""
    assert harm(8, "mean", jump=True) > 0.015


@pytest.mark.claim("C33")
@pytest.mark.parametrize("toward", LOST)
def test_the_simulated_rule_is_the_shipped_one(toward):
    """On a vector along an axis the factor is the same."""
    noisy = np.array([9.0, -1.0, 0.5, 2.0, -3.0, 0.1, 1.0, -0.4])
    away = noisy - (0.0 if toward == "zero" else noisy.mean())
    free = 8 - LOST[toward]
    pull = max(0.0, free * 4 / (away @ away) - rule.MATERIAL * 8 / free)

    values = rule.james_stein(noisy, gaussian(2), toward=toward).values
    assert values == pytest.approx(noisy - pull * away)
