"""The continuous Gaussian: its curve against mpmath, its calibration and its closed forms."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest

from discreet.calculator.formulas import gaussian, gaussian_closed_forms
from discreet.errors import InputError

ONE = Fraction(1)
EPSILONS = ["0", "1e-6", "1e-3", "0.1", "1", "10", "709.9", "745.2", "1e4"]
DELTAS = ["1e-300", "1e-30", "1e-17", "1e-6", "0.01", "0.5", "0.999"]


def is_kept(epsilon, sigma, delta, digits=None):
    """Theorem 8 as printed, with digits enough for every cancellation here."""
    with mpmath.workdps(digits or 60 + max(0, len(str(delta.denominator)) - 1)):
        e, s, d = (mpmath.mpf(x.numerator) / x.denominator for x in (epsilon, sigma, delta))
        low, shift = 1 / (2 * s), e * s
        first = mpmath.erfc((shift - low) / mpmath.sqrt(2)) / 2
        second = mpmath.exp(e) * mpmath.erfc((shift + low) / mpmath.sqrt(2)) / 2
        return first - second <= d


@pytest.mark.exhaustive
@pytest.mark.claim("C22")
@pytest.mark.parametrize(("epsilon", "delta"), list(product(EPSILONS, DELTAS)))
def test_sigma_keeps_its_delta_and_a_hair_less_does_not(epsilon, delta):
    """At every corner the true delta of sigma is at most the target; of 1e-12 less it is above."""
    e, d = Fraction(epsilon), Fraction(delta)

    sigma = gaussian.sigma_up(epsilon=e, delta=d, sensitivity=ONE)

    assert is_kept(e, sigma, d)
    assert not is_kept(e, sigma * (1 - Fraction(1, 10**12)), d)


@pytest.mark.claim("C22")
def test_half_the_noise_is_caught():
    """The check above has power: it refuses sigma / 2."""
    sigma = gaussian.sigma_up(epsilon=ONE, delta=Fraction(1, 10**6), sensitivity=ONE) / 2

    assert not is_kept(ONE, sigma, Fraction(1, 10**6))


@pytest.mark.parametrize("delta", ["1e-15", "1e-17", "1e-30"])
def test_the_authors_code_misses_targets_that_ours_keeps(delta):
    """Its absolute tolerance stops at sigma = 6.9996 and 9.8487; ours goes on (errata E4)."""
    sigma = gaussian.sigma_up(epsilon=ONE, delta=Fraction(delta), sensitivity=ONE)
    theirs = Fraction("9.848727") if delta == "1e-30" else Fraction("6.999636")

    assert sigma > theirs
    assert gaussian.delta_up(epsilon=ONE, sigma=theirs, sensitivity=ONE) > 40 * Fraction(delta)


def test_sigma_scales_with_the_sensitivity():
    """sigma / sensitivity depends on epsilon and delta alone."""
    known = {"epsilon": Fraction(2), "delta": Fraction(1, 1000)}

    seven = gaussian.sigma_up(sensitivity=Fraction(7, 3), **known)
    one = gaussian.sigma_up(sensitivity=ONE, **known)

    assert abs(seven / one * Fraction(3, 7) - 1) < Fraction(1, 10**15)


@pytest.mark.claim("C22")
@pytest.mark.parametrize("epsilon", ["1e-9000", "1e-300", "123456"])
def test_sigma_far_outside_the_usual_range_is_still_certified(epsilon):
    """No overflow and no hang at losses that no one uses."""
    e, d = Fraction(epsilon), Fraction(1, 10**9)

    sigma = gaussian.sigma_up(epsilon=e, delta=d, sensitivity=ONE)

    assert gaussian.delta_up(epsilon=e, sigma=sigma, sensitivity=ONE) <= d


def test_pinsker_is_up_to_a_quarter_too_large():
    """sigma = 1 / (2 delta) holds at epsilon = 0 but tends to sqrt(pi / 2) of the exact (E2)."""
    delta = Fraction(1, 10**9)

    exact = gaussian.sigma_up(epsilon=Fraction(0), delta=delta, sensitivity=ONE)
    pinsker = gaussian_closed_forms.pinsker_sigma(delta=delta, sensitivity=ONE)

    assert float(pinsker / exact) == pytest.approx(1.2533141373155)


def test_the_first_branch_begins_at_delta_zero_not_at_the_remembered_bound():
    """At epsilon = 1 the threshold is .28621; a sigma below 1/sqrt(2) exists at .4 (errata E1)."""
    assert float(gaussian.branch_delta_up(ONE)) == pytest.approx(0.28620821192209)
    assert gaussian.branch(epsilon=ONE, delta=Fraction(2, 5)) == "B+"
    assert gaussian.branch(epsilon=ONE, delta=Fraction(1, 10)) == "B-"
    sigma = gaussian.sigma_up(epsilon=ONE, delta=Fraction(2, 5), sensitivity=ONE)
    assert float(sigma) == pytest.approx(0.58723, abs=1e-5)


@pytest.mark.claim("C22")
@pytest.mark.parametrize(("sigma", "delta"), list(product(["0.02", "0.7", "1", "40"], DELTAS)))
def test_epsilon_is_the_least_that_keeps_delta(sigma, delta):
    """At epsilon the true delta is at most the target, and 1e-12 below it is not."""
    s, d = Fraction(sigma), Fraction(delta)

    epsilon = gaussian.epsilon_up(delta=d, sigma=s, sensitivity=ONE)

    assert is_kept(epsilon, s, d)
    if epsilon:
        assert not is_kept(epsilon * (1 - Fraction(1, 10**12)), s, d)


@pytest.mark.claim("C29")
def test_classical_sigma_is_refused_beyond_its_proof():
    """epsilon above 1 and delta above 0.404 are refused, with the way out (errata B1, B3)."""
    classical = gaussian_closed_forms.classical_sigma_up
    for epsilon, delta in ((Fraction(101, 100), Fraction(1, 10**6)), (ONE, Fraction(41, 100))):
        with pytest.raises(InputError, match="classical Gaussian") as refused:
            classical(epsilon=epsilon, delta=delta, sensitivity=ONE)
        assert "analytic" in refused.value.fix
    tight = classical(epsilon=ONE, delta=Fraction("0.4039"), sensitivity=ONE, constant="tight")
    assert tight > Fraction(3, 2)
    with pytest.raises(InputError):
        classical(epsilon=ONE, delta=Fraction("0.4041"), sensitivity=ONE, constant="tight")


@pytest.mark.parametrize(
    ("epsilon", "delta", "truth"),
    [(10, "1e-6", 1.902e-6), (10, "1e-5", 2.265e-5), (20, "1e-5", 1.527e-3), (50, "1e-5", 0.586)],
)
def test_the_printed_sigma_breaks_its_promise_for_large_epsilon(epsilon, delta, truth):
    """The note's formula has no limit on epsilon; its true delta is larger (errata B4)."""
    known = {"epsilon": Fraction(epsilon), "sensitivity": ONE}

    sigma = gaussian_closed_forms.note_sigma_up(delta=Fraction(delta), **known)

    assert float(gaussian.delta_up(sigma=sigma, **known)) == pytest.approx(truth, rel=1e-3)


def test_the_printed_inverse_understates_epsilon_for_small_accuracies():
    """a = 0.5, alpha = .05, delta = 1e-6: the note says 20.77, true is 25.66 (errata B8)."""
    alpha, delta, a = Fraction(1, 20), Fraction(1, 10**6), Fraction(1, 2)

    note = gaussian_closed_forms.note_epsilon_up(
        accuracy=a, delta=delta, sensitivity=ONE, alpha=alpha
    )
    sigma = gaussian.sigma_down(accuracy=a, alpha=alpha)
    exact = gaussian.epsilon_up(delta=delta, sigma=sigma, sensitivity=ONE)

    assert float(note) == pytest.approx(20.77, abs=0.005)
    assert float(exact) == pytest.approx(25.66, abs=0.005)


def test_tiny_alphas_keep_their_digits():
    """erf^-1(1 - alpha) loses them in doubles from 1e-12 on and is infinite at 1e-17 (B6)."""
    for alpha, deviates in (("1e-12", 5.0420297), ("1e-16", 5.8724), ("1e-17", 6.0627)):
        found = gaussian.accuracy_up(sigma=ONE, alpha=Fraction(alpha))

        with mpmath.workdps(60):
            root = mpmath.mpf(found.numerator) / found.denominator / mpmath.sqrt(2)
            assert abs(mpmath.erfc(root) / mpmath.mpf(alpha) - 1) < 1e-12
        assert float(root) == pytest.approx(deviates, rel=1e-4)


@pytest.mark.parametrize(("coordinates", "deviates"), [(2, 2.236), (10, 2.800), (100, 3.474)])
def test_simultaneous_accuracy_is_sidaks(coordinates, deviates):
    """All of d independent errors keep a with chance 1 - alpha (errata B7)."""
    found = gaussian.accuracy_up(sigma=ONE, alpha=Fraction(1, 20), coordinates=coordinates)

    assert float(found) == pytest.approx(deviates, abs=5e-4)


def test_accuracy_and_sigma_are_each_others_inverse():
    """sigma_down(accuracy_up(sigma)) is sigma, on the safe side, for sums and vectors too."""
    known = {"alpha": Fraction(1, 1000), "coordinates": 5, "releases": 7}

    back = gaussian.sigma_down(accuracy=gaussian.accuracy_up(sigma=Fraction(3), **known), **known)

    assert abs(back / 3 - 1) < Fraction(1, 10**15)


def test_the_norm_of_a_vector_of_errors_is_chi_squared():
    """In one dimension it is the usual accuracy; in two it is sqrt(-2 ln alpha)."""
    alpha = Fraction(1, 20)

    one = gaussian.norm_accuracy_up(sigma=ONE, alpha=alpha, dimensions=1)
    two = gaussian.norm_accuracy_up(sigma=ONE, alpha=alpha, dimensions=2)

    assert float(one) == pytest.approx(float(gaussian.accuracy_up(sigma=ONE, alpha=alpha)))
    assert float(two) == pytest.approx(float(mpmath.sqrt(-2 * mpmath.log(0.05))), abs=1e-12)


@pytest.mark.parametrize(("dimensions", "releases"), [(1, 3), (4, 1), (10, 2), (301, 1)])
def test_the_sigma_for_a_norm_keeps_it_and_more_does_not(dimensions, releases):
    """The largest sigma, against the incomplete gamma function of another library, and back."""
    more = {"alpha": Fraction(1, 1000), "dimensions": dimensions, "releases": releases}

    sigma = gaussian.norm_sigma_down(accuracy=Fraction(7), **more)

    with mpmath.workdps(40):
        for wider, keeps in ((sigma, True), (sigma * (1 + Fraction(1, 10**12)), False)):
            square = Fraction(49) / (2 * releases * wider**2)
            point = mpmath.mpf(square.numerator) / square.denominator
            chance = mpmath.gammainc(mpmath.mpf(dimensions) / 2, point, regularized=True)
            assert (chance <= mpmath.mpf("0.001")) == keeps
    back = gaussian.norm_accuracy_up(sigma=sigma, **more)
    assert abs(back / 7 - 1) < Fraction(1, 10**12)


def test_a_norm_taken_for_the_largest_error_is_caught():
    """The check has power: the bound that each of ten errors keeps is far below their norm."""
    norm = gaussian.norm_accuracy_up(sigma=ONE, alpha=Fraction(1, 20), dimensions=10)

    assert norm > gaussian.accuracy_up(sigma=ONE, alpha=Fraction(1, 20), coordinates=10) * 3 / 2


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "10", "100"])
def test_vinterbos_closed_form_is_valid_and_larger(epsilon):
    """It keeps every target up to delta = 1/2, at 2 % to 3.6 times the exact sigma (F8)."""
    for delta in ("1e-3", "1e-6", "1e-12", "0.5"):
        known = {"epsilon": Fraction(epsilon), "delta": Fraction(delta), "sensitivity": ONE}

        closed = gaussian_closed_forms.vinterbo_sigma_up(**known)

        assert closed >= gaussian.sigma_up(**known)
    with pytest.raises(InputError):
        gaussian_closed_forms.vinterbo_sigma_up(
            epsilon=Fraction(epsilon), delta=Fraction(51, 100), sensitivity=ONE
        )
