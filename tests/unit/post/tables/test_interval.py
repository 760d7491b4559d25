"""Characteristic functions of noise, from which joint intervals of tables are made."""

import numpy as np
import pytest

from discreet.post.tables.interval import _log

ANGLES = np.linspace(0, np.pi, 9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e-4, 1 / 600, 0.01, 1.0, 50.0])
def test_discrete_laplace_is_that_of_its_chances_however_small_the_noise(size):
    """The sum over integers itself; of hardly any noise it is 1, without an overflow."""
    places = np.arange(-4_000, 4_001)
    chances = np.exp(-abs(places) / size)
    direct = (chances / chances.sum()) @ np.cos(np.outer(places, ANGLES))

    assert np.exp(_log("discrete_laplace", size, ANGLES)) == pytest.approx(direct, abs=1e-12)
