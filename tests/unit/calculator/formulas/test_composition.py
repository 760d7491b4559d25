"""The privacy curve of discrete Laplace noise, alone and composed, against enumeration."""

import math
from fractions import Fraction

import pytest

from discreet import calculator as calc
from discreet.calculator.formulas import composition, laplace
from discreet.errors import InputError

MILLIONTH = Fraction(1, 10**6)


def law(rate, reach=300):
    q = math.exp(-rate)
    return {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-reach, reach + 1)}


@pytest.mark.claim("C26")
@pytest.mark.parametrize(
    ("epsilon", "rate", "shift"),
    [(0, 1, 1), (0.5, 1, 1), (0.2, 0.3, 3), (0.89, 0.3, 3), (0, 0.3, 4), (0.31, 0.3, 5)],
)
def test_the_curve_of_one_release_is_enumerated(epsilon, rate, shift):
    """delta(epsilon) is the sum of the law's positive gaps, at every sensitivity."""
    p = law(rate)
    wanted = sum(max(0, v - math.exp(epsilon) * p.get(k + shift, 0)) for k, v in p.items())

    found = composition.single_delta_up(
        epsilon=Fraction(str(epsilon)), rate=Fraction(str(rate)), sensitivity=shift
    )

    assert float(found) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.claim("C26")
def test_a_release_of_sensitivity_1_has_randomized_responses_curve():
    """One release and a composition of one agree exactly ("beyond" F2)."""
    for epsilon in (Fraction(0), Fraction(1, 5), Fraction(2, 5)):
        single = composition.single_delta_up(epsilon=epsilon, rate=Fraction(1, 2), sensitivity=1)
        one = composition.delta_up(epsilon=epsilon, epsilon_each=Fraction(1, 2), releases=1)

        assert abs(single / one - 1) < Fraction(1, 10**17)


@pytest.mark.claim("C26")
@pytest.mark.parametrize(
    "delta", ["1e-12", "0.01", "0.0951", "0.0953", "0.2", "0.39", "0.4", "0.9"]
)
@pytest.mark.parametrize(("rate", "shift"), [("0.1", 10), ("0.3", 5), ("2", 1), ("0.01", 7)])
def test_the_epsilon_of_one_release_is_the_least_at_its_delta(delta, rate, shift):
    """At every sensitivity: at it delta is kept, and 1e-12 below it is not; randomized response is
    what one of sensitivity 1 is, and more than one of a larger sensitivity."""
    known = {"rate": Fraction(rate), "sensitivity": shift}
    target = Fraction(delta)

    found = composition.single_epsilon_up(delta=target, **known)

    def at(epsilon):
        return composition.single_delta_up(epsilon=epsilon, **known)

    bound = composition.epsilon_up(delta=target, epsilon_each=Fraction(rate) * shift, releases=1)
    assert at(found) <= target * (1 + MILLIONTH**2)
    assert found == 0 or at(found - MILLIONTH**2 * 10) > target
    assert found <= bound * (1 + MILLIONTH**2)
    assert shift > 1 or found >= bound * (1 - MILLIONTH**2)


@pytest.mark.claim("C26")
def test_no_delta_is_the_pure_loss_of_one_release():
    """And its grid is hit exactly: 1 - q at rate (s - 2), the finding's 0.8 for 0.8605."""
    known = {"rate": Fraction(1, 10), "sensitivity": 10}

    assert composition.single_epsilon_up(delta=Fraction(0), **known) == 1
    grid = composition.single_epsilon_up(delta=Fraction(1 - math.exp(-0.1)), **known)
    assert float(grid) == pytest.approx(0.8, rel=1e-12)
    page = calc.epsilon_of("geometric", at_delta="0.0951625819640404", scale=10, sensitivity=10)
    assert 0.8 <= float(page) < 0.8 + 1e-12
    planted = composition.epsilon_up(delta=Fraction("0.0952"), epsilon_each=Fraction(1), releases=1)
    less = composition.single_delta_up(epsilon=planted - Fraction(1, 20), **known)
    assert less <= Fraction("0.0952")  # what was told before is not the least


@pytest.mark.claim("C26")
def test_two_releases_are_enumerated_as_a_product_law():
    """k = 2, by adding up the positive gaps of the product of two laws."""
    p, epsilon = law(0.7, reach=60), 0.3
    e = math.exp(epsilon)
    gaps = (p[a] * p[b] - e * p.get(a + 1, 0) * p.get(b + 1, 0) for a in p for b in p)

    found = composition.delta_up(epsilon=Fraction(3, 10), epsilon_each=Fraction(7, 10), releases=2)

    assert float(found) == pytest.approx(sum(gap for gap in gaps if gap > 0), rel=1e-11)


@pytest.mark.parametrize(
    ("k", "epsilon"), [(10, 0.9994), (50, 3.1729), (100, 4.7746), (500, 12.5179)]
)
def test_composition_is_exact_and_far_below_the_sum(k, epsilon):
    """The table of "beyond" F3; at the answer delta is kept, and a hair below it is not."""
    known = {"epsilon_each": Fraction(1, 10), "releases": k}

    found = composition.epsilon_up(delta=MILLIONTH, **known)

    assert float(found) == pytest.approx(epsilon, abs=5e-5)
    assert composition.delta_up(epsilon=found, **known) <= MILLIONTH
    assert composition.delta_up(epsilon=found * (1 - MILLIONTH**2), **known) > MILLIONTH


def test_no_delta_means_the_sum_and_a_large_delta_means_nothing():
    """The two ends of the curve."""
    known = {"epsilon_each": Fraction(1, 10), "releases": 7}

    assert composition.epsilon_up(delta=Fraction(0), **known) == Fraction(7, 10)
    assert composition.epsilon_up(delta=Fraction(1, 2), **known) == 0
    assert composition.delta_up(epsilon=Fraction(7, 10), **known) == 0
    with pytest.raises(InputError):
        composition.delta_up(epsilon=MILLIONTH, epsilon_each=MILLIONTH, releases=20_001)


def test_what_document_002_calls_99_percent_covers_half():
    """0.6832 / epsilon covers 49.5 %; 99 % needs 6.74 times as much (errata C1)."""
    note = laplace.note_halfwidth_up(rate=Fraction(1))
    right = laplace.accuracy_up(rate=Fraction(1), alpha=Fraction(1, 100))
    one_sided = laplace.accuracy_up(rate=Fraction(1), alpha=Fraction(1, 100), sides="one-sided")

    assert float(laplace.coverage_up(widths=note)) == pytest.approx(0.495)
    assert float(right / note) == pytest.approx(6.7406, abs=1e-4)
    assert float(one_sided) == pytest.approx(math.log(50))


def test_the_laplace_curve_is_its_integral():
    """delta(epsilon) of the continuous law by a Riemann sum of its positive gaps."""
    loss, epsilon, step = 1.5, 0.4, 1e-3
    grid = (k * step - 30 for k in range(60_000))
    gaps = (
        0.5 * math.exp(-abs(x)) - math.exp(epsilon) * 0.5 * math.exp(-abs(x + loss)) for x in grid
    )

    found = laplace.delta_up(epsilon=Fraction(2, 5), rate_times_shift=Fraction(3, 2))

    assert float(found) == pytest.approx(sum(gap for gap in gaps if gap > 0) * step, rel=1e-3)
