"""The exact law of a sum of discrete Gaussians against convolution, and of Laplace errors."""

from fractions import Fraction

import mpmath
import pytest
from flint import ctx

from discreet import calculator as calc
from discreet.calculator.formulas import laplace
from discreet.errors import InputError
from discreet.noise import discrete_gaussian_sums as convolution
from discreet.noise.discrete_gaussian_accuracy import accuracy, sigma2_down, tail
from discreet.noise.reals import real_up

ALPHA = Fraction(1, 20)
HAIR = 1 + Fraction(1, 10**12)


def convolved(sigma2, releases, reach):
    """The law of the sum at 40 digits, by convolving the single law again and again."""
    weights = {k: mpmath.exp(-mpmath.mpf(k * k) / (2 * sigma2)) for k in range(-reach, reach + 1)}
    whole = mpmath.fsum(weights.values())
    single = {k: weight / whole for k, weight in weights.items()}
    law = {0: mpmath.mpf(1)}
    for _ in range(releases):
        longer = {}
        for s, chance in law.items():
            for k, share in single.items():
                longer[s + k] = longer.get(s + k, 0) + chance * share
        law = longer
    return law


def differs(found, law, least):
    """How far a computed chance of `least` or more is from the convolved one, relatively."""
    true = mpmath.fsum(chance for s, chance in law.items() if s >= least)
    return abs(mpmath.mpf(str(found.mid().str(40, radius=False))) / true - 1)


CASES = [("0.01", 3, 4), ("0.2", 7, 8), ("1", 2, 16), ("3", 5, 25), ("26", 3, 70), ("30", 2, 76)]


@pytest.mark.claim("C26")
@pytest.mark.slow
@pytest.mark.parametrize(("sigma2", "releases", "reach"), CASES)
def test_the_law_of_a_sum_of_discrete_gaussians_is_its_convolution(sigma2, releases, reach):
    """To 25 digits, on both sides of where the factor c is computed modulo m."""
    with mpmath.workdps(40), ctx.workprec(128):
        law = convolved(mpmath.mpf(sigma2), releases, reach)
        for least in (1, 2, 3, 7, 12):
            found = convolution.upper_share(Fraction(sigma2), releases, least)

            assert differs(found, law, least) < mpmath.mpf("1e-25")
            assert found.rel_accuracy_bits() > 80


@pytest.mark.claim("C26")
def test_a_sum_taken_for_one_wide_discrete_gaussian_is_caught():
    """The check has power: without the periodic factor three releases at 1/5 are 20 % off."""
    with mpmath.workdps(40), ctx.workprec(128):
        law = convolved(mpmath.mpf("0.2"), 3, 8)
        wide = tail(sigma2=Fraction(3, 5), a=2, convention="ge")() / 2

        assert differs(wide, law, 2) > 0.2
        assert differs(convolution.upper_share(Fraction(1, 5), 3, 2), law, 2) < 1e-25


def test_where_the_factor_is_left_out_it_does_not_matter():
    """At sigma2 = 20 the short way at 64 bits holds the long way's answer at 256."""
    for least in (1, 10, 60):
        with ctx.workprec(64):
            short = convolution.upper_share(Fraction(20), 6, least)
        with ctx.workprec(256):
            long = convolution.upper_share(Fraction(20), 6, least)

        assert short.overlaps(long)
        assert long.rel_accuracy_bits() > 200


@pytest.mark.claim("C21")
@pytest.mark.parametrize(("a", "releases"), [(0, 2), (3, 4), (40, 12), (10**6, 10**6)])
def test_the_most_noise_for_a_sum_keeps_its_accuracy(a, releases):
    """At the variance found the promise holds, and 1e-12 above it is broken."""
    promise = {"alpha": ALPHA, "convention": "gt", "coordinates": 3, "releases": releases}

    sigma2 = sigma2_down(accuracy=a, **promise)

    assert accuracy(sigma2=sigma2, **promise) == a
    assert accuracy(sigma2=sigma2 * HAIR, **promise) == a + 1


def test_both_conventions_of_a_sum_are_one_apart():
    """An error of a + 1 or more is an error above a."""
    known = {"sigma2": Fraction(2), "alpha": ALPHA, "releases": 5}

    assert accuracy(convention="ge", **known) == accuracy(convention="gt", **known) + 1


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("releases", [1, 2, 12])
@pytest.mark.parametrize("x", ["1e-3", "7.5", "60"])
def test_the_tail_of_a_laplace_sum_is_its_density_integrated(releases, x):
    """The density of the sum is a Bessel function (it is the variance-gamma law)."""
    with mpmath.workdps(30):
        order, point = releases - mpmath.mpf("0.5"), mpmath.mpf(x)

        def density(t):
            return (t / 2) ** order * mpmath.besselk(order, t) * mpmath.exp(point)

        scale = 2 * mpmath.exp(-point) / (mpmath.sqrt(mpmath.pi) * mpmath.gamma(releases))
        true = scale * mpmath.quad(density, [point + 3 * k for k in range(28)])
        found = real_up(laplace.tail(widths=Fraction(x), releases=releases))

        assert abs(mpmath.mpf(found.numerator) / found.denominator / true - 1) < 1e-14


def test_laplace_errors_that_are_only_widened_by_the_root_of_m_are_caught():
    """The check has power: a sum of four is not one Laplace error of twice the scale."""
    four = real_up(laplace.tail(widths=Fraction(8), releases=4))

    assert abs(float(four / real_up(laplace.tail(widths=Fraction(4)))) - 1) > 0.2


@pytest.mark.claim("C21")
@pytest.mark.parametrize("alpha", ["0.05", "0.9", "1e-300"])
def test_the_accuracy_of_a_laplace_sum_keeps_alpha_and_less_does_not(alpha):
    """The tail at the accuracy is at most alpha, 1e-12 below it is above; and back."""
    a = calc.accuracy("laplace", scale=3, alpha=alpha, releases=7)

    assert Fraction(calc.tail_of("laplace", error=a, scale=3, releases=7)) <= Fraction(alpha)
    less = Fraction(a) / HAIR
    assert Fraction(calc.tail_of("laplace", error=less, scale=3, releases=7)) > Fraction(alpha)
    back = calc.noise_for("laplace", accuracy=a, alpha=alpha, releases=7)
    assert 1 / HAIR <= Fraction(back) / 3 <= HAIR


def test_sums_beyond_the_stated_size_are_refused():
    """200 discrete Gaussians below sigma2 = 20, any number above; 2,000 Laplace errors."""
    with pytest.raises(InputError, match="releases = 201"):
        accuracy(sigma2=Fraction(19), alpha=ALPHA, convention="gt", releases=201)
    with pytest.raises(InputError, match="releases = 2001"):
        laplace.accuracy_up(rate=Fraction(1), alpha=ALPHA, releases=2001)
    assert accuracy(sigma2=Fraction(20), alpha=ALPHA, convention="gt", releases=10**6) == 8765
