"""What no noise and no rule can beat: Theorem 4's sigma, and the least worst error over a ball."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import calculator as calc
from discreet.calculator.formulas import gaussian
from discreet.errors import InputError


@pytest.mark.slow
@pytest.mark.claim("C396")
@given(
    st.fractions(Fraction(1, 100), 20, max_denominator=1000),
    st.fractions(Fraction(1, 10**9), Fraction(99, 100), max_denominator=10**9),
)
def test_less_noise_than_the_necessary_one_is_never_enough(epsilon, share):
    """At that sigma the exact delta is above the wanted one; from the branch on nothing is said."""
    branch = gaussian.branch_delta_up(epsilon)
    below = branch * share
    sigma = calc.necessary_sigma(epsilon=epsilon, delta=below)
    assert sigma is not None
    exact = gaussian.delta_up(epsilon=epsilon, sigma=Fraction(sigma), sensitivity=Fraction(1))
    assert exact >= below
    assert float(sigma) == pytest.approx(1 / math.sqrt(2 * epsilon))
    assert calc.noise("gaussian", epsilon=epsilon, delta=below).sigma() > sigma
    assert calc.necessary_sigma(epsilon=epsilon, delta=(Fraction(1, 2) + branch) / 2) is None


def test_the_constant_that_is_often_quoted_claims_too_much():
    """Below 1/2 - e^(-3 epsilon) / sqrt(4 pi epsilon) noise below the sigma can be enough."""
    quoted = 0.5 - math.exp(-3) / math.sqrt(4 * math.pi)
    assert quoted > 0.4
    enough = calc.noise("gaussian", epsilon=1, delta="0.4").sigma()
    assert float(enough) < 1 / math.sqrt(2)
    assert calc.necessary_sigma(epsilon=1, delta="0.4") is None


@pytest.mark.claim("C396")
@pytest.mark.parametrize(
    ("p", "tau"), [(2, 3.0), (4, 30 / 100**0.25), ("7/2", 30 / 100 ** (2 / 7))]
)
def test_the_linear_rule_has_this_error_at_the_worst_truth(p, tau):
    """f^2 d s^2 + (1 - f)^2 d tau^2, tau the truth that is the same everywhere; no other f is less."""
    found = calc.minimax_over(p, radius=30, coordinates=100, sigma=4)

    def worst(factor):
        return factor**2 * 1600 + (1 - factor) ** 2 * 100 * tau**2

    factor = float(found.factor)
    assert factor == pytest.approx(tau**2 / (tau**2 + 16))
    assert float(found.risk) == pytest.approx(worst(factor))
    assert min(worst(factor - 0.01), worst(factor + 0.01)) > worst(factor)
    assert found.raw == 1600
    assert "Each number times" in str(found)


def test_the_rates_are_those_of_the_formulas():
    """For p = 1 and 0, in floats; they are told as orders, without a rule."""
    found = calc.minimax_over(1, radius=50, coordinates=1000, sigma=2)
    assert float(found.risk) == pytest.approx(50 * 2 * math.sqrt(1 + math.log(1000 * 2 / 50)))
    few = calc.minimax_over(0, radius=10, coordinates=1000, sigma=2)
    assert float(few.risk) == pytest.approx(10 * 4 * (1 + math.log(100)))
    assert (found.kind, found.factor) == ("rate", None)
    assert "up to constants" in str(few)


@pytest.mark.parametrize(
    "ask",
    [
        {"p": -1, "radius": 3},
        {"p": 1, "radius": 1000},
        {"p": 0, "radius": 11},
        {"p": 0, "radius": "1/2"},
        {"p": 2, "radius": 0},
        {"p": 2, "radius": "?"},
        {"p": 2, "radius": 3, "coordinates": 0},
        {"p": 2, "radius": 3, "sigma": 0},
    ],
)
def test_what_makes_no_sense_is_refused(ask):
    """In three lines."""
    power = ask.pop("p")
    with pytest.raises(InputError) as caught:
        calc.minimax_over(power, **{"coordinates": 10, "sigma": 2, **ask})
    assert len(str(caught.value).splitlines()) == 3
