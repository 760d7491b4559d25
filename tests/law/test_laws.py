"""What is true of the two laws alone; `suite` has what every law keeps."""

from fractions import Fraction

import pytest
from flint import ctx

from coins import Tape
from discreet.errors import InputError
from discreet.exact.enclosure import ball
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.registry import LAWS, law_of
from discreet.privacy.loss import pure, zcdp

BITS = 400


def test_calibration_and_loss_are_inverse_and_exact():
    """The noise calibrated to a loss costs that loss, not one part in 10^100 more."""
    epsilon, rho = Fraction(1, 3) + Fraction(1, 10**100), Fraction(1, 50) + Fraction(1, 10**100)
    laplace = DiscreteLaplace.calibrated(pure(epsilon), l1=7, l2_squared=1)
    gaussian = DiscreteGaussian.calibrated(zcdp(rho), l1=1, l2_squared=7)

    assert laplace.loss(l1=7, l2_squared=49) == pure(epsilon)
    assert gaussian.loss(l1=7, l2_squared=7) == zcdp(rho)
    assert laplace.scale == 7 / epsilon
    assert gaussian.sigma2 == 7 / (2 * rho)


def test_one_step_of_the_vector_costs_what_the_loss_says():
    """Pure: mass ratio of neighbors is e^(1 / scale) exactly beyond the center, never more."""
    law = DiscreteLaplace(Fraction(5, 2))
    with ctx.workprec(BITS):
        for k in range(-20, 20):
            ratio = (law.mass(k) / law.mass(k + 1)).log() * ball(law.scale)
            assert ratio.overlaps(ball(Fraction(1 if k >= 0 else -1)))


def test_what_a_ledger_holds_of_a_law_stays_as_it_is():
    """Names and parameters are read again in ten years."""
    assert list(LAWS) == ["discrete_laplace", "discrete_gaussian"]
    assert DiscreteGaussian(Fraction(25)).plain() == {"law": "discrete_gaussian", "sigma2": "25"}
    assert DiscreteLaplace(Fraction(10, 3)).plain() == {"law": "discrete_laplace", "scale": "10/3"}


@pytest.mark.parametrize(
    "make",
    [
        lambda: DiscreteLaplace(Fraction(0)),
        lambda: DiscreteLaplace(Fraction(-1)),
        lambda: DiscreteLaplace(Fraction(1, 10**9)),
        lambda: DiscreteLaplace(Fraction(2**161)),
        lambda: DiscreteLaplace("nan"),
        lambda: DiscreteGaussian(Fraction(0)),
        lambda: DiscreteGaussian(Fraction(-1)),
        lambda: DiscreteGaussian(Fraction(1, 10**9)),
        lambda: DiscreteGaussian(Fraction(2**321)),
        lambda: DiscreteLaplace.calibrated(pure(Fraction(0)), l1=1, l2_squared=1),
        lambda: DiscreteLaplace.calibrated(pure(Fraction(1)), l1=0, l2_squared=1),
        lambda: DiscreteGaussian.calibrated(zcdp(Fraction(0)), l1=1, l2_squared=1),
        lambda: DiscreteGaussian.calibrated(zcdp(Fraction(1)), l1=1, l2_squared=0),
        lambda: DiscreteLaplace(Fraction(1)).loss(l1=0, l2_squared=0),
        lambda: DiscreteLaplace(Fraction(1)).half_width(Fraction(0)),
        lambda: DiscreteGaussian(Fraction(1)).half_width(Fraction(1)),
        lambda: DiscreteLaplace(Fraction(1)).draws(-1, Tape("none")),
        lambda: DiscreteGaussian(Fraction(1)).draws(-1, Tape("none")),
        lambda: law_of({"law": "uniform"}),
        lambda: law_of({"law": "discrete_laplace", "sigma2": "1"}),
        lambda: law_of({}),
    ],
)
def test_what_cannot_be_noise_is_refused(make):
    """Zero, negative, absurd and foreign parameters raise InputError, never draw."""
    with pytest.raises(InputError):
        make()
