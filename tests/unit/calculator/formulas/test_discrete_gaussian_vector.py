"""The exact curve of discrete Gaussian noise on a vector against enumeration of the whole vector."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest

from discreet.calculator.formulas import discrete_gaussian_calibration as single
from discreet.calculator.formulas import discrete_gaussian_vector as vector
from discreet.errors import InputError

REACH = 14


def enumerated(epsilon, sigma2, shift):
    """Sum of (P(x) - e^epsilon P(x - shift))+ over all whole vectors x within reach."""
    weights = {
        k: mpmath.exp(-mpmath.mpf(k * k) / (2 * sigma2)) for k in range(-REACH - 1, REACH + 2)
    }
    whole = mpmath.fsum(weights.values())

    def chance(x):
        return mpmath.fprod(weights[k] / whole for k in x)

    def gap(x):
        moved = [k - s for k, s in zip(x, shift, strict=True)]
        return max(mpmath.mpf(0), chance(x) - mpmath.exp(epsilon) * chance(moved))

    return mpmath.fsum(gap(x) for x in product(range(-REACH, REACH + 1), repeat=len(shift)))


@pytest.mark.claim("C26")
@pytest.mark.parametrize(("epsilon", "sigma2"), [("0.5", "1"), ("2", "0.8"), ("0", "2")])
def test_the_curve_of_a_vector_is_enumerated(epsilon, sigma2):
    """Two numbers that move by 1, whatever the signs; one that moves loses less."""
    found = float(vector.delta_up(epsilon=Fraction(epsilon), sigma2=Fraction(sigma2), moved=2))
    at = mpmath.mpf(epsilon), mpmath.mpf(sigma2)

    assert found == pytest.approx(float(enumerated(*at, (1, 1))), rel=1e-12)
    assert found == pytest.approx(float(enumerated(*at, (1, -1))), rel=1e-12)
    assert found > float(enumerated(*at, (1, 0)))


def test_a_vector_priced_as_one_number_is_caught():
    """The check has power: the curve of a single number is far below that of two."""
    one = single.delta_up(epsilon=Fraction(2), sigma2=Fraction(4, 5), sensitivity=1)

    assert float(one) < 0.5 * float(enumerated(mpmath.mpf(2), mpmath.mpf("0.8"), (1, 1)))


@pytest.mark.parametrize(("epsilon", "sigma2"), [("0.1", "30"), ("3", "0.7"), ("1", "400")])
def test_one_number_has_the_curve_of_one_number(epsilon, sigma2):
    """With k = 1 it is the curve that was there before."""
    at = {"epsilon": Fraction(epsilon), "sigma2": Fraction(sigma2)}

    assert vector.delta_up(moved=1, **at) == pytest.approx(single.delta_up(sensitivity=1, **at))


@pytest.mark.parametrize(("epsilon", "moved"), [("0.1", 3), ("1", 40), ("20", 15)])
def test_the_variance_of_a_vector_is_certified_and_little_less_breaks_the_promise(epsilon, moved):
    """Its own delta is at most the target; at 0.1 % less it is not, or the search stopped early."""
    at = {"epsilon": Fraction(epsilon), "moved": moved}
    delta = Fraction(1, 10**6)

    sigma2 = vector.sigma2_up(delta=delta, enough=Fraction(10**6), **at)

    assert vector.delta_up(sigma2=sigma2, **at) <= delta
    assert vector.delta_up(sigma2=sigma2 * Fraction(999, 1000), **at) > delta


def test_more_numbers_than_are_added_up_are_refused():
    """200 below sigma2 = 20."""
    with pytest.raises(InputError, match="201"):
        vector.delta_up(epsilon=Fraction(1), sigma2=Fraction(2), moved=201)
