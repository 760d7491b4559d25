"""When a mean is shown, and that its interval then holds: by exact enumeration of narrow noise."""

from fractions import Fraction
from functools import cache, partial
from math import exp

import numpy as np
import pytest

from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post import ratio
from discreet.post.interval import down, up
from discreet.post.ratio import placed, ratios, shares
from discreet.post.thresholds import least_count, levels, within

ALPHA = Fraction(1, 20)
NARROW = [Fraction(n, 100) for n in (2, 10, 25, 50, 100, 400, 900)]
LAWS = [DiscreteGaussian(size) for size in NARROW] + [DiscreteLaplace(size) for size in NARROW[:-1]]
WIDE = [DiscreteGaussian(Fraction(2500)), DiscreteLaplace(Fraction(40))]


@cache
def masses(law):
    """Every value of a law with its probability, down to what no double sees."""
    if isinstance(law, DiscreteGaussian):
        reach = int(14 * float(law.sigma2) ** 0.5) + 14
        sizes = [exp(-k * k / (2 * float(law.sigma2))) for k in range(-reach, reach + 1)]
    else:
        reach = int(60 * float(law.scale)) + 14
        sizes = [exp(-abs(k) / float(law.scale)) for k in range(-reach, reach + 1)]
    return np.arange(-reach, reach + 1), np.array(sizes) / sum(sizes)


def tails(law, draws):
    """Pr[>= k] of the sum of one to three draws, for every k."""
    values, chances = masses(law)
    found = chances
    for _ in range(draws - 1):
        found = np.convolve(found, chances)
    values = np.arange(draws * values[0], draws * values[-1] + 1)
    return zip(values.tolist(), np.cumsum(found[::-1])[::-1].tolist(), strict=True)


@pytest.mark.claim("C16")
@pytest.mark.parametrize("draws", [1, 2, 3])
@pytest.mark.parametrize("law", [*LAWS, *WIDE], ids=str)
def test_the_continuous_law_bounds_each_tail_from_both_sides(law, draws):
    """Never one whole number away."""
    above = partial(law.continuous().above, draws=draws)
    sound = 1 + 1e-9

    for k, tail in tails(law, draws):
        if tail > 1e-12:
            assert above(k + 1) <= tail * sound
            assert k <= 0 or tail <= above(k - 1) * sound


@pytest.mark.slow
@pytest.mark.claim("C16")
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_weighted_sums_of_two_draws_are_bounded(law):
    """For weights from 0 to 1, what is called farther than its level allows is that rare."""
    values, chances = masses(law)
    both = np.outer(chances, chances)

    for t in (0, 0.01, 0.1, 1 / 3, 0.45, 0.5, 0.9, 1):
        sizes = np.abs((1 - t) * values[:, None] - t * values[None, :])
        for level in (0.5, 0.05, 1e-3, 1e-6):
            farther = law.continuous().farther(np.full(sizes.size, level))
            rejected = farther(np.full(sizes.size, t), sizes.ravel()).reshape(sizes.shape)
            assert both[rejected].sum() <= level * (1 + 1e-9)


@pytest.mark.claim("C16")
@pytest.mark.parametrize("draws", [1, 2, 3])
@pytest.mark.parametrize("law", [*LAWS, *WIDE], ids=str)
def test_the_count_of_an_empty_group_hardly_ever_reaches_the_line(law, draws):
    """At most one time in 2,000; and where noise is wide the line is no higher than it must be."""
    line = least_count(partial(law.continuous().above, draws=draws))
    tail = dict(tails(law, draws))

    assert tail.get(line, 0.0) <= 1 / 2000
    if law in WIDE:
        assert tail[line - 2] > 1 / 2000
        assert tail[line] > 1 / 3000


@pytest.mark.claim("C16")
@pytest.mark.parametrize("draws", [1, 2, 3])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_level_is_at_most_what_its_proof_allows(law, draws):
    """By the exact tails: of all counts that are not ruled out the least decides."""
    above = partial(law.continuous().above, draws=draws)
    tail, line = dict(tails(law, draws)), least_count(above)
    far = max(tail)
    shown_at = {m: tail.get(line - m, float(line - m <= far)) for m in range(3 * line)}
    counts = np.arange(-line, 3 * line)

    for count, level in zip(counts.tolist(), levels(counts, above, ALPHA).tolist(), strict=True):
        left = [
            shown_at[m]
            for m in range(3 * line)
            if tail.get(count - m, float(count - m <= far)) > 0.001 * shown_at[m]
        ]
        assert level <= (0.049 * min(left) * (1 + 1e-9) if count >= line else 0)


def missed(law, rows, share, *, told=None):
    """The exact chance that a shown interval misses: rows of width 6, a share of it at the top."""
    values, chances = masses(law)
    values, chances = values[chances > 1e-11], chances[chances > 1e-11]
    top, bottom = round(6 * rows * share), 6 * rows - round(6 * rows * share)
    a, b = (np.repeat(values, len(values)) + top, np.tile(values, len(values)) + bottom)
    both = np.outer(chances, chances).ravel()
    found = shares(a.tolist(), b.tolist(), told or law, ALPHA)
    seen = a + b >= least_count(partial(law.continuous().above, draws=2))
    goal = top / (top + bottom)
    misses = seen & ((found.low - 1e-12 > goal) | (found.high + 1e-12 < goal))
    return both[misses].sum() / both[seen].sum()


@pytest.mark.slow
@pytest.mark.claim("C16")
@pytest.mark.parametrize(
    "law", [*map(DiscreteGaussian, (1, 4, 9)), *map(DiscreteLaplace, (1, 2))], ids=str
)
def test_a_share_misses_at_most_as_often_as_it_says_given_that_it_is_shown(law):
    """Exactly: of one row, of a few, of many; at a bound and between."""
    found = {
        (rows, share): missed(law, rows, share)
        for rows in (1, 2, 4, 30)
        for share in (0, 1 / 6, 1 / 2, 1)
    }

    assert max(found.values()) <= 0.05


@pytest.mark.slow
@pytest.mark.claim("C16")
def test_a_level_that_forgets_the_line_is_caught(monkeypatch):
    """The check has power: one level for all that are shown misses too often of few rows."""
    monkeypatch.setattr(
        ratio, "levels", lambda counts, above, alpha: np.where(counts > 0, float(alpha), 0.0)
    )

    assert missed(DiscreteGaussian(Fraction(9)), 1, 0) > 0.2


def test_a_count_far_above_the_line_costs_hardly_any_width():
    """The level rises with the count, from next to nothing to 49 fiftieths of alpha."""
    above = partial(DiscreteGaussian(Fraction(10**6)).continuous().above, draws=2)
    line = least_count(above)
    found = levels(np.array([-line, 0, line - 1, line, 2 * line, 4 * line, 10**9]), above, ALPHA)

    assert found[:3].tolist() == [0, 0, 0]
    assert 0 < found[3] < 0.05 / 1500
    assert (np.diff(found[3:]) >= 0).all()
    assert found[-1] == found[-2] == pytest.approx(0.049, rel=1e-3)


def test_what_a_count_is_off_by_is_said_in_both_directions():
    """1.96 deviations of the sum of two, and the rounding."""
    above = partial(DiscreteGaussian(Fraction(10**6)).continuous().above, draws=2)

    assert within(above, ALPHA) == pytest.approx(1.96 * 1000 * 2**0.5, rel=1e-3)


def test_an_empty_set_of_groups_and_a_tiny_alpha_are_answered():
    """No group, and an alpha that no double can halve."""
    law = DiscreteGaussian(Fraction(4))

    assert shares([], [], law, ALPHA).values == ()
    for tiny in (Fraction(1, 10**310), Fraction(1, 10**400)):
        assert shares([9], [9], law, tiny).values == (None,)
        assert ratios([9], [9], law, tiny, limits=[1]).values == (None,)


@pytest.mark.claim("C16")
@pytest.mark.parametrize("top", [2**53, 2**53 + 1, 2**53 + 3, -(2**53) - 1, 3**40, 0, 7])
@pytest.mark.parametrize("bottom", [1, 3, 1000])
def test_ends_are_rounded_outward(top, bottom):
    """The nearest doubles on either side; a double stays what it is."""
    low, high, exact = down(top, bottom), up(top, bottom), Fraction(top, bottom)

    assert Fraction(low) <= exact <= Fraction(high)
    assert (low == high) == (Fraction(float(exact)) == exact)
    assert high <= np.nextafter(low, np.inf)
    assert str(up(0)) == "0.0"


@pytest.mark.claim("C16")
def test_a_mean_of_bounds_that_no_double_holds_is_placed_outward():
    """The whole range holds both bounds, and every end lies outside of the exact place."""
    thirds = (Fraction(1, 3), Fraction(2, 3))
    found = shares([0, 5000, 3], [4, 4000, 9000], DiscreteGaussian(Fraction(25)), ALPHA)
    means = placed(found, [thirds] * 3)

    assert means.values[0] is None
    assert Fraction(means.low[0]) <= thirds[0]
    assert Fraction(means.high[0]) >= thirds[1]
    exact = [(1 + Fraction(end)) / 3 for end in (found.low[1], found.high[1], found.high[2])]
    assert Fraction(means.low[1]) < exact[0]
    assert Fraction(means.high[1]) > exact[1]
    assert Fraction(means.high[2]) > exact[2]
