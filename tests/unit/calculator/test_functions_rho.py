"""One rho is read alike by the calculator, reports and ledgers; more releases are a bound."""

from decimal import Decimal
from fractions import Fraction

import pytest

import discreet as dp
from discreet.calculator import delta_of, epsilon_of, explain
from discreet.calculator.formulas import discrete_gaussian_vector
from discreet.errors import InputError
from discreet.privacy.conversion import epsilon_up

pytestmark = pytest.mark.claim("C238")


@pytest.mark.parametrize("rho", ["1/2", "5/9", "1/50", "3"])
def test_a_rho_alone_is_converted_as_reports_do(rho):
    """5.543 at 5/9 and delta = 1e-6, whatever the noise is; and back."""
    found = explain("epsilon", "", {"rho": rho, "delta": "1e-6"})

    assert Fraction(found.answer) >= epsilon_up(Fraction(rho), Fraction(1, 10**6))
    assert float(found.answer) == pytest.approx(
        float(epsilon_up(Fraction(rho), Fraction(1, 10**6))), rel=1e-12
    )
    assert "whatever noise has it" in str(found)
    back = explain("delta", "", {"rho": rho, "epsilon": str(found.answer)})
    assert float(back.answer) == pytest.approx(1e-6, rel=1e-6)


def test_the_laws_own_answer_says_of_what_it_is():
    """4.4995 is of one number, released once: four counts of that rho lose 4.9006."""
    found = explain("epsilon", "discrete_gaussian", {"rho": "1/2", "delta": "1e-6"})

    assert str(found.answer).startswith("4.4995")
    assert "of one number, released once" in found.meaning
    assert found.answer < explain("epsilon", "", {"rho": "1/2", "delta": "1e-6"}).answer


@pytest.mark.parametrize("many", [2, 4, 10])
def test_several_releases_are_an_upper_bound(many):
    """Of discrete Gaussian noise the exact loss of as many counts is below it."""
    how = {"sigma2": 4, "releases": many}
    bound = epsilon_of("discrete_gaussian", at_delta="1e-6", **how)
    exact = discrete_gaussian_vector.delta_up(
        epsilon=Fraction(bound), sigma2=Fraction(4), moved=many
    )

    assert exact <= Fraction(1, 10**6)
    assert bound > epsilon_of("discrete_gaussian", at_delta="1e-6", sigma2=4)
    assert delta_of("discrete_gaussian", at_epsilon=bound, **how) <= Decimal("1.000001e-6")
    said = explain("epsilon", "discrete_gaussian", {**how, "delta": "1e-6"})
    assert said.meaning.startswith("an upper bound on")


def test_laplace_noise_of_several_releases_is_bounded_by_that_of_any_pure_noise():
    """As geometric noise at sensitivity 1, which attains it."""
    how = {"at_delta": "1e-6", "scale": 10, "releases": 100}

    assert epsilon_of("laplace", **how) == epsilon_of("geometric", **how)


def test_nothing_else_is_calculated_without_a_law():
    """In three lines."""
    with pytest.raises(InputError, match="without a law"):
        explain("sigma", "", {"rho": 1})
    assert dp.zcdp("1/2").rho == Fraction(1, 2)
