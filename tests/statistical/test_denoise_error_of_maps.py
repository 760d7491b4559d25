"""What is said of a cleaned map's error: at most `most`, and where luck may have made it, vague.

Coins are seeded, so that there is no false alarm: of 40 draws on 8 maps of 15 x 15 streets each error
was within what is said; two may not be, for libraries that round otherwise. `python -m
bench.map_errors 200` asks twenty maps of 30 x 30 streets.
"""

import numpy as np
import pytest
from bench.map_errors import compared

from discreet.post.denoise.noise import gaussian
from discreet.post.denoise.select import denoise

DRAWS, MAPS = 5, 8


@pytest.mark.claim("C493")
@pytest.mark.slow
def test_an_error_is_at_most_what_is_said_and_near_it_in_the_mean():
    """On maps of few and many trips, in little and in much noise."""
    told = [compared(number, DRAWS, side=15) for number in range(MAPS)]
    stated, true, within = (np.array(column) for column in zip(*told, strict=True))

    assert within.sum() * DRAWS >= DRAWS * MAPS - 2
    assert (stated.sum() / true.sum()) ** 0.5 == pytest.approx(1, abs=0.1)


@pytest.mark.claim("C493")
def test_what_no_more_is_known_of_is_said_so():
    """Two hundred alike numbers in noise: a small error, or luck. Ten thousand apart: it is known."""
    coins = np.random.default_rng(1)
    noise = gaussian(9)
    alike = denoise(5 + coins.normal(0, 4, 200) + coins.normal(0, 9, 200), noise)
    apart = denoise(coins.normal(0, 9, 10_000) + coins.normal(0, 9, 10_000), noise)

    assert alike.is_vague
    assert 9 / 200**0.5 < alike.error < alike.most  # above the least that is said
    assert f"no more is known than that it is between 0 and {alike.most:.3g})" in alike.words()
    assert not apart.is_vague
    assert apart.name != "raw"
    assert "no more is known" not in apart.words()
    assert "no more is known" not in denoise(5 + coins.normal(0, 9, 200), noise, "raw").words()


@pytest.mark.claim("C493")
def test_the_error_of_raw_numbers_is_known():
    """It is that of their noise, and nothing is added."""
    found = denoise([1.0, 4.0, -3.0], gaussian(9), "raw")

    assert (found.error, found.most, found.is_vague) == (9.0, 9.0, False)
