"""Both laws in one account: never below enumeration, and next to it."""

from fractions import Fraction

import mpmath
import pytest
from bench.accounts import exact_delta, mixtures, number

from discreet.noise import mixture
from discreet.privacy import gdp

MILLIONTH = Fraction(1, 10**6)


def check(mu2, laplace, delta):
    found = mixture.epsilon_up(mu2, laplace, delta)
    with mpmath.workdps(50):
        assert exact_delta(mu2, laplace, number(found)) <= number(delta), (mu2, laplace, delta)
        less = number(found) * mpmath.mpf("0.999") - mpmath.mpf("1e-6")
        assert less <= 0 or exact_delta(mu2, laplace, less) > number(delta), (mu2, laplace, delta)


@pytest.mark.claim("C77")
@pytest.mark.slow
def test_a_mixture_is_never_below_its_enumeration_and_next_to_it():
    """With 50 digits, over all combinations of losses; within a thousandth."""
    for mu2, laplace, delta in mixtures(14, 15):
        check(mu2, laplace, delta)


@pytest.mark.claim("C77")
def test_an_account_that_drops_what_it_cuts_off_is_caught(monkeypatch):
    """The check has power: a table whose upper tail is forgotten, or that rounds down."""
    honest = mixture._gaussian
    few = (Fraction(1, 4), [(Fraction(2), 1)], Fraction(1, 1000))
    check(*few)

    def forgets(mu2, step, delta):
        table = honest(mu2, step, delta)
        keep = len(table.parts) * 5 // 8
        return mixture._Table(table.first, table.parts[:keep], 0)

    mixture.tabled.cache_clear()
    monkeypatch.setattr(mixture, "_gaussian", forgets)
    with pytest.raises(AssertionError):
        check(*few)
    mixture.tabled.cache_clear()


@pytest.mark.claim("C77")
@pytest.mark.slow
def test_a_hundred_counts_have_the_curve_of_randomized_response():
    """4.774568 (Kairouz, Oh and Viswanath 2015), where they add up to 10."""
    found = mixture.epsilon_up(Fraction(0), [(Fraction(10), 1)] * 100, MILLIONTH)

    assert float(found) == pytest.approx(4.774568, abs=1e-6)


@pytest.mark.claim("C77")
@pytest.mark.parametrize(("answers", "epsilon"), [(100, 0.83412), (10_000, 10.99715)])
def test_gaussian_noise_alone_needs_no_table(answers, epsilon):
    """Sigma 50; continuous, by one sum."""
    mu2 = Fraction(answers, 2500)

    assert mixture.epsilon_up(mu2, [], MILLIONTH) == gdp.epsilon_up(mu2, MILLIONTH)
    assert float(mixture.epsilon_up(mu2, [], MILLIONTH)) == pytest.approx(epsilon, abs=6e-6)


@pytest.mark.claim("C77")
def test_what_is_beyond_all_use_is_added_up():
    """A table of losses of thousands would take minutes, and gigabytes."""
    for laplace, mu2 in (
        ((Fraction(1, 1000), 1), Fraction(1)),
        ((Fraction(9), 1), Fraction(10**6)),
    ):
        added = laplace[1] / laplace[0] + gdp.epsilon_up(mu2, MILLIONTH)
        assert mixture.epsilon_up(mu2, [laplace], MILLIONTH) == added


@pytest.mark.claim("C77")
def test_a_mixture_is_never_above_what_adds_up():
    """However coarse its table: pure loss alone, and one wide sum."""
    assert mixture.epsilon_up(Fraction(0), [(Fraction(1), 1)], MILLIONTH) <= 1
    assert mixture.epsilon_up(Fraction(0), [(Fraction(1000), 1000)], MILLIONTH) <= 1
    assert mixture.epsilon_up(Fraction(0), [(Fraction(1), 40)], MILLIONTH) <= 40
