"""Differences from intervals at many levels: what the levels hold together, and how wide it is."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from discreet.post.two_shares import CORNERS, difference, levels_apart

ALPHAS = [Fraction(1, 20), Fraction(1, 1000), Fraction(2, 5)]
POINTS = 2_000


def inside(levels):
    """The share of pairs of normal draws that lie in a box, on a grid of their chances."""
    chances = (np.arange(POINTS) + 0.5) / POINTS  # of each draw to be passed
    least = np.array([float(level) for level in levels])
    # the first of the levels that is not above a chance: its interval holds the first draw
    first = (chances[:, None] >= least[None]).argmax(axis=1)
    holds = (chances[:, None] >= least[None]).any(axis=1)
    other = np.array([least[CORNERS - 1 - at] for at in first])
    return np.where(holds, 1 - np.minimum(other, 1), 0).mean()


@pytest.mark.claim("C166")
@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_all_boxes_together_miss_two_normal_draws_as_often_as_they_say(alpha):
    """At levels a tenth larger they miss more often."""
    levels = levels_apart(alpha)
    larger = [level * 11 / 10 for level in levels]

    assert len(levels) == CORNERS
    assert list(levels) == sorted(levels, reverse=True)
    assert 1 - inside(levels) <= float(alpha) + 1 / POINTS
    assert 1 - inside(larger) > float(alpha) + 1 / POINTS or alpha < Fraction(1, 100)


@pytest.mark.claim("C166")
@pytest.mark.parametrize("other", [1, 0.5, 0.1, 0.01])
def test_widths_add_in_squares(other):
    """Within three tenths of what who knows both widths needs; and never wider than both by more."""
    alpha = Fraction(1, 20)
    sizes = [float(norm.isf(float(level) / 2)) for level in levels_apart(alpha)]
    one = [(5 - z, 5 + z) for z in sizes]
    two = [(3 - other * z, 3 + other * z) for z in sizes]

    low, high = difference(one, two)

    best, both = norm.isf(0.025) * np.hypot(1, other), norm.isf(0.0125) * (1 + other)
    assert high - 2 == pytest.approx(2 - low)
    assert 1.2 * best < high - 2 < 1.325 * best
    assert high - 2 < (0.83 if other == 1 else 1.08) * both


@pytest.mark.claim("C166")
def test_an_interval_that_is_inside_one_at_a_larger_level_is_stretched():
    """Whatever is between levels: a narrower interval at a smaller level helps nobody."""
    plain = [(0.0, 1.0)] * CORNERS
    odd = [(-9.0, 9.0), *plain[1:]]

    assert difference(plain, plain) == (-1, 1)
    assert difference(odd, plain) == (-10, 9)
