"""What a pair costs at least: never more than the truth, and all of it where the truth is known."""

from fractions import Fraction
from math import exp, isclose, log

import pytest

from discreet.audit.measured import Move, chances_of, delta_down, picks
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.selection import ExponentialMechanism, PermuteAndFlip
from discreet.privacy.gdp import delta_up

LAPLACE, GAUSSIAN = DiscreteLaplace(Fraction(3)), DiscreteGaussian(Fraction(20))


@pytest.mark.claim("C530")
@pytest.mark.parametrize("moved", [1, 2, 7, 10**15])
def test_laplace_noise_loses_its_move_over_its_scale(moved):
    """To 40 digits, and not above."""
    loss = Move(LAPLACE, moved).pure()

    assert Fraction(moved, 3) * (1 - Fraction(1, 10**40)) < loss <= Fraction(moved, 3)


@pytest.mark.claim("C530")
@pytest.mark.parametrize("moved", [1, 2, 7, 1000])
def test_gaussian_noise_loses_its_squared_move_over_twice_its_variance(moved):
    """Its divergence is that exactly, and it has no pure loss."""
    move = Move(GAUSSIAN, moved)

    assert isclose(move.divergence(), moved**2 / 40, rel_tol=1e-12)
    assert move.divergence() <= Fraction(moved**2, 40)
    assert move.pure() is None


@pytest.mark.claim("C530")
@pytest.mark.parametrize("moved", [1, 3, 9])
def test_the_divergence_of_laplace_noise_is_bounded_from_below(moved):
    """By the sum over all that can come out."""
    masses = {k: float(LAPLACE.mass(k)) for k in range(-400, 401)}
    true = sum(p * log(p / masses[k - moved]) for k, p in masses.items() if k - moved in masses)

    assert 0 < float(Move(LAPLACE, moved).divergence()) <= true


@pytest.mark.claim("C530")
def test_a_delta_is_below_the_gaussian_curve_and_near_it():
    """Of one number and of four: no more than mu^2 says, and seven tenths of it."""
    for many in (1, 4):
        delta = delta_down([Move(GAUSSIAN, 5)] * many, Fraction(1))
        mu2 = GAUSSIAN.mu2_up(l1=5 * many, l2_squared=25 * many)
        most = float(delta_up(mu2, Fraction(1)))

        assert 0.7 * most < delta <= most


@pytest.mark.claim("C530")
@pytest.mark.parametrize("law", [ExponentialMechanism(Fraction(2)), PermuteAndFlip(Fraction(2))])
def test_a_choice_has_its_stated_chances(law):
    """Two numbers, by hand: e^(-d) of each, or the order in which they are tried."""
    keep = exp(-3 / 2)
    first = 1 / (1 + keep) if law.again else 1 - keep / 2

    assert [round(p, 12) for p in chances_of(law, [5, 2])] == [
        round(first, 12),
        round(1 - first, 12),
    ]


@pytest.mark.claim("C530")
def test_picks_of_a_choice_lose_no_more_than_their_spread():
    """Permute-and-flip of five numbers, each moved by 1 at most: two picks lose at most 2 / scale."""
    law = PermuteAndFlip(Fraction(4))
    parts = picks(law, [3, 5, 5, 1, 0], [3, 4, 5, 1, 0], 2)

    assert 0 < sum(part.pure() for part in parts) <= Fraction(2, 4)
    assert parts[1].divergence() == 0
