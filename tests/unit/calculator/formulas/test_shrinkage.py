"""Shrinkage in exact rationals, and its risks against simulation-free second methods."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.calculator.formulas import shrinkage
from discreet.errors import InputError

Y = [Fraction(3), Fraction(-1), Fraction(1, 2), Fraction(4)]


def test_the_positive_part_never_turns_a_vector_around():
    """A small vector is turned by the plain factor and set to 0 by the positive part (E7)."""
    small = [Fraction(1, 10), Fraction(-1, 5), Fraction(3, 10)]

    assert shrinkage.james_stein(small, Fraction(1), positive_part=False)[0] < 0
    assert shrinkage.james_stein(small, Fraction(1)) == [0, 0, 0]
    assert shrinkage.james_stein([Fraction(0)] * 3, Fraction(1)) == [0, 0, 0]
    with pytest.raises(InputError):
        shrinkage.james_stein(small[:2], Fraction(1))


def test_the_soft_threshold_moves_by_the_threshold():
    """Each value toward 0, none across it; a negative threshold is refused."""
    assert shrinkage.soft_threshold(Y, Fraction(1)) == [2, 0, 0, 3]
    assert shrinkage.soft_threshold(Y, Fraction(0)) == Y
    assert shrinkage.universal_threshold(1, Fraction(2)) == 0
    assert float(shrinkage.universal_threshold(10, Fraction(2))) == pytest.approx(
        2 * math.sqrt(2 * math.log(10))
    )
    with pytest.raises(InputError):
        shrinkage.soft_threshold(Y, Fraction(-1))


def test_sure_estimates_the_risk_without_bias():
    """The mean of SURE over the noise equals the risk, by integration on a grid."""
    theta, threshold, step = 1.25, 1.5, 1e-2
    grid = np.arange(theta - 9, theta + 9, step)
    density = np.exp(-((grid - theta) ** 2) / 2) / math.sqrt(2 * math.pi) * step
    estimates = [
        float(shrinkage.soft_threshold_sure([Fraction(y)], Fraction(1), Fraction(threshold)))
        for y in grid
    ]

    risk = shrinkage.soft_threshold_risk(
        theta=Fraction(theta), sigma=Fraction(1), threshold=Fraction(threshold)
    )

    assert float(risk) == pytest.approx(float(np.dot(estimates, density)), abs=2e-2)


def test_james_steins_risk_is_the_poisson_mean():
    """At theta = 0 it is 2 whatever the dimension; far away it is d."""
    for d in (3, 10, 500):
        at_zero = shrinkage.james_stein_risk(
            dimensions=d, theta_squared=Fraction(0), sigma=Fraction(1)
        )
        assert float(at_zero) == pytest.approx(2)
    far = shrinkage.james_stein_risk(
        dimensions=10, theta_squared=Fraction(10**9), sigma=Fraction(1)
    )
    assert float(far) == pytest.approx(10)


def test_a_gaussian_priors_risks_are_as_stated():
    """Bayes is d w s / (w + s); James and Stein's is 1 + 2 s / (d w) times that."""
    known = {"dimensions": 7, "prior_variance": Fraction(3), "noise_variance": Fraction(2)}

    bayes, stein = shrinkage.bayes_risk(**known), shrinkage.james_stein_bayes_risk(**known)

    assert bayes == Fraction(42, 5)
    assert stein == bayes * (1 + Fraction(4, 21))
