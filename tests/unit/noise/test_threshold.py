"""Noise in two steps, over a threshold or below, is the law itself: on every edge of its coins.

No false alarm: labelled tapes and scripts, which pass or fail for ever.
"""

from fractions import Fraction

import pytest

from coins import Script, Tape, word
from discreet.exact.enclosure import ball, floor_of
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.threshold import Lifted, below, expected_up

LAWS = [
    (DiscreteGaussian(Fraction(324)), 90),
    (DiscreteGaussian(Fraction(1, 2)), 1),
    (DiscreteGaussian(Fraction(10**6)), 4_000),
    (DiscreteLaplace(Fraction(10, 3)), 60),
    (DiscreteLaplace(Fraction(1000)), 12_000),
    (DiscreteLaplace(Fraction(2)), 1),
]
CELLS = 10**9
GAPS = [(law, t, gap) for law, t in LAWS for gap in (1, 2, 10, 5_000) if gap < 50 or t > 1]
FURTHER = [(law, t, z) for law, t in LAWS for z in (1, 2, 7, 40) if z < 5 or t > 1]


class Streams:
    """Named streams of one label."""

    def __init__(self, label):
        self.label = label

    def stream(self, name):
        return Tape(f"{self.label} {name.hex()}")

    def blocks(self, prefix, names):
        return b"".join(self.stream(prefix + name).bytes(64) for name in names)


def edge(real, words):
    """The whole number below `words` words of the real, which U must be below to be below it."""
    return floor_of(lambda: real() * (1 << 64 * words))


def around(real):
    """Coins just below and just above a real: decided by one word, and only by the second."""
    one, two = edge(real, 1), edge(real, 2)
    yield [one - 1], True
    yield [one + 1], False
    yield [one, (two & (2**64 - 1)) - 1], True
    yield [one, (two & (2**64 - 1)) + 1], False


@pytest.mark.claim("C466")
@pytest.mark.parametrize(("law", "threshold", "gap"), GAPS, ids=str)
def test_that_so_many_cells_stay_below_has_its_chance_to_the_last_bit(law, threshold, gap):
    """At least g stay below for exactly the U below (1 - p)^g; what one word leaves open is asked."""

    def chance():
        return (1 - law.tail(threshold)) ** gap

    for words, is_longer in around(chance):
        coins = Script(*map(word, words))
        got = Lifted(law, threshold).gap(CELLS, coins)

        assert (CELLS if got is None else got) >= gap if is_longer else got < gap
        assert coins.left == 0


@pytest.mark.claim("C466")
@pytest.mark.parametrize(("law", "threshold", "further"), FURTHER, ids=str)
def test_how_far_noise_is_over_a_threshold_has_its_chance_to_the_last_bit(law, threshold, further):
    """Noise is at least z for exactly the U below Pr[Z >= z] / Pr[Z >= t]."""

    def share():
        return law.tail(threshold + further) / law.tail(threshold)

    for words, is_further in around(share):
        coins = Script(*map(word, words))
        got = Lifted(law, threshold).value(coins)

        assert got >= threshold + further if is_further else threshold <= got < threshold + further
        assert coins.left == 0


@pytest.mark.claim("C466")
@pytest.mark.parametrize(("law", "threshold"), LAWS, ids=str)
def test_the_cells_that_noise_lifts_are_one_walk_over_all_of_them(law, threshold):
    """Each gap begins behind the cell before; none is left out, none beyond the last."""
    cells = int(300 / expected_up(law, threshold, 1))
    lifted = Lifted(law, threshold).drawn(cells, Tape("walk"))
    coins, expected, cell = Tape("walk"), {}, 0
    again = Lifted(law, threshold)
    while (gap := again.gap(10**30, coins)) is not None and cell + gap < cells:
        expected[cell + gap] = again.value(coins)
        cell += gap + 1

    assert lifted == expected
    assert 150 < len(lifted) < 450
    assert all(0 <= place < cells and noise >= threshold for place, noise in lifted.items())


@pytest.mark.parametrize(("law", "threshold"), LAWS, ids=str)
def test_no_cell_is_lifted_where_there_is_none(law, threshold):
    """Nor are coins asked for."""
    assert Lifted(law, threshold).drawn(0, Script()) == {}


@pytest.mark.claim("C466")
@pytest.mark.parametrize(("law", "threshold"), LAWS, ids=str)
def test_noise_below_is_the_first_draw_of_a_cell_that_is_below(law, threshold):
    """By the cell's own number, whoever else is asked for, in any order, and many at once."""
    streams, cells = Streams("below"), [*range(200), 10**15, 7 * 10**9]

    def one(cell):
        for attempt in range(1_000):
            name = attempt.to_bytes(8, "big") + cell.to_bytes(8, "big")
            (noise,) = law.named(streams, b"", [name])
            if noise < threshold:
                return noise
        raise AssertionError

    expected = [one(cell) for cell in cells]

    assert below(law, threshold, streams, cells) == expected
    assert below(law, threshold, streams, cells[::-1]) == expected[::-1]
    assert below(law, threshold, streams, cells[:3]) == expected[:3]
    assert max(expected) < threshold


@pytest.mark.parametrize(("law", "threshold"), LAWS, ids=str)
def test_how_many_are_lifted_on_average_is_rounded_up(law, threshold):
    """Within one part in 2^60 of all cells times the tail."""
    most = expected_up(law, threshold, CELLS)
    least = floor_of(lambda: law.tail(threshold) * ball(Fraction(CELLS * 2**200)))

    assert least <= most * 2**200 <= least * (1 + Fraction(1, 2**60)) + 1


def test_a_first_word_of_zeros_is_no_end():
    """U may be as small as it likes: more words are asked for until its logarithm is known."""
    law = DiscreteGaussian(Fraction(324))
    coins = Script(word(0), word(0), word(1), *map(word, range(2**63, 2**63 + 4)))
    chance = float(expected_up(law, 90, 1))

    assert abs(Lifted(law, 90).gap(10**30, coins) * chance - 132.67) < 0.01  # 191.4 ln 2
    assert coins.left < 32
