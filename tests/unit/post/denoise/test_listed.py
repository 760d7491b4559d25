"""A law without a closed form is cleaned from a list of its chances: against the laws that have one."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post.denoise import listed as lists
from discreet.post.denoise.interval import tail
from discreet.post.denoise.listed import listed
from discreet.post.denoise.noise import noise_of
from discreet.post.denoise.prior import stein_sum
from discreet.post.denoise.stein import covariance_of_soft
from unit.post.denoise.test_stein import as_if_gaussian, gaps

NARROW = [DiscreteLaplace(Fraction(3, 10)), DiscreteLaplace(Fraction(2))]
NARROW += [DiscreteGaussian(Fraction(1, 20)), DiscreteGaussian(Fraction(1))]
MIDDLE = [DiscreteGaussian(Fraction(15)), DiscreteLaplace(Fraction(20))]
WIDE = [DiscreteGaussian(Fraction(10**10)), DiscreteLaplace(Fraction(10**5))]


@pytest.mark.parametrize("law", NARROW + MIDDLE + WIDE, ids=str)
def test_a_list_says_what_the_closed_form_says(law):
    """Spread, weight of the tails, chance of none, quantiles, tails; small ones err upward."""
    ours, known = listed(law), noise_of(law)
    cell, sigma = ours._width, known.sigma
    chances = np.array([1e-6, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-6])
    sizes = np.linspace(0, 6 * sigma, 50)

    assert ours.variance == pytest.approx(known.variance, rel=1e-9)
    assert ours.fourth == pytest.approx(known.fourth, rel=1e-3, abs=1e-3 * known.variance**2)
    assert ours._none() == pytest.approx(known._none(), rel=1e-9)
    assert ours.whole
    assert ours.rare(1) == known.rare(1)
    allowed = 0 if cell == 1 else sigma / 100
    assert np.abs(ours.quantiles(chances) - known.quantiles(chances)).max() <= allowed
    for x in (sizes, -sizes):
        assert tail(x, ours) == pytest.approx(tail(x, known), rel=0.05, abs=1e-4)
    far = sizes[sizes > 1.5 * sigma]
    assert (tail(far, ours) >= tail(far, known) * (1 - 1e-4) - 1e-15).all()


@pytest.mark.parametrize(
    ("law", "allowed"),
    [*((law, 1e-6) for law in NARROW), *((law, 1e-3) for law in MIDDLE)],
    ids=str,
)
def test_the_covariance_of_a_soft_threshold_is_that_of_the_law(law, allowed):
    """Narrow laws exactly; wider ones within a thousandth of the variance."""
    ours = listed(law)

    def covariance(x, size, noise, *, weight):
        return covariance_of_soft(x, size, ours, weight=weight)

    assert gaps(noise_of(law), covariance) < allowed
    assert gaps(noise_of(law), as_if_gaussian) > 10 * allowed


@pytest.mark.parametrize("law", WIDE, ids=str)
def test_wide_noise_on_a_lattice_is_what_it_stands_for(law):
    """Measured in quarters of its deviation: chances, variance, and Stein's sum."""
    step = float(int(noise_of(law).sigma / 4))
    ours, known = listed(law).on_lattice(step), noise_of(law).on_lattice(step)
    reach = ours.reach()
    z, mass = np.arange(-reach, reach + 1.0), ours.mass(reach)
    width = 2 * known.sigma + 1
    cells = np.arange(-3 * reach, 3 * reach + 1.0)
    means = np.tanh(cells / width) * 5
    true = mass @ (z * means[2 * reach : 4 * reach + 1])
    found = stein_sum(means, np.zeros_like(means), ours)[2 * reach : 4 * reach + 1]

    assert mass.sum() == pytest.approx(1)
    assert np.abs(mass - known.mass(reach)).max() < 0.02
    assert ours.variance == pytest.approx(known.variance, rel=0.02)
    assert ours.variance == pytest.approx(mass @ z**2, rel=1e-9)
    assert mass @ found == pytest.approx(true, rel=1e-3)
    assert ours.mass(3)[3] > ours.mass(reach + 5)[reach + 5] > 0
    assert ours.mass(reach + 5).size == 2 * reach + 11


def test_cells_of_an_even_width_share_what_lies_between_them(monkeypatch):
    """The planted fault: with the middle cell one step short, Stein's sum is a fifth off."""
    law = WIDE[0]
    test_wide_noise_on_a_lattice_is_what_it_stands_for(law)
    honest, asked = lists.enclosed_tails, []

    def same_twice(of, places):
        asked.append(places)
        return honest(of, [place + len(asked) % 2 - 1 for place in places])

    monkeypatch.setattr(lists, "enclosed_tails", same_twice)
    for cached in (lists._cells_of, lists._weights_of):
        cached.cache_clear()
    with pytest.raises(AssertionError):
        test_wide_noise_on_a_lattice_is_what_it_stands_for(law)
    for cached in (lists._cells_of, lists._weights_of):
        cached.cache_clear()
