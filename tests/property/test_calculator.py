"""The calculator over its whole range: never a wrong side, never a hang, both ways meet."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import calculator as calc
from discreet.errors import InputError

HAIR = 1 - Fraction(1, 10**12)
QUICK = settings(max_examples=60)


def powers(low, high):
    """Numbers of four digits, even in the logarithm, as text."""
    return st.builds(
        lambda digits, power: f"{digits}e{power - 3}",
        st.integers(1000, 9999),
        st.integers(low, high - 1),
    )


EPSILONS = st.one_of(st.just("0"), powers(-6, 4))
DELTAS = st.one_of(powers(-300, -1), st.sampled_from(["0.5", "0.9", "0.999"]))
ALPHAS = st.one_of(powers(-30, -1), st.sampled_from(["0.3", "0.5", "0.999", "1"]))


def true_delta(epsilon, ratio):
    """Theorem 8 as printed; ratio is sensitivity / sigma."""
    low, shift = ratio / 2, epsilon / ratio
    root = mpmath.sqrt(2)
    return (
        mpmath.erfc((shift - low) / root) - mpmath.exp(epsilon) * mpmath.erfc((shift + low) / root)
    ) / 2


@QUICK
@given(epsilon=EPSILONS, delta=DELTAS, sensitivity=powers(-9, 9))
def test_sigma_is_never_below_the_true_value_and_within_1e_12(epsilon, delta, sensitivity):
    """The printed theorem, at 350 digits, holds at sigma and fails at (1 - 1e-12) sigma."""
    sigma = Fraction(calc.sigma_for(epsilon=epsilon, delta=delta, sensitivity=sensitivity))

    with mpmath.workdps(350):
        e, target = mpmath.mpf(epsilon), mpmath.mpf(delta)
        ratio = Fraction(sensitivity) / sigma
        assert true_delta(e, mpmath.mpf(ratio.numerator) / ratio.denominator) <= target
        ratio /= HAIR
        assert true_delta(e, mpmath.mpf(ratio.numerator) / ratio.denominator) > target


@QUICK
@given(delta=DELTAS, sigma=powers(-3, 6))
def test_epsilon_of_a_sigma_keeps_its_delta(delta, sigma):
    """delta_of(epsilon_of(delta)) is at most delta, and above it just below epsilon."""
    epsilon = calc.epsilon_of("gaussian", at_delta=delta, sigma=sigma)

    with mpmath.workdps(350):
        ratio, target = 1 / mpmath.mpf(sigma), mpmath.mpf(delta)
        assert true_delta(mpmath.mpf(str(epsilon)), ratio) <= target
        if epsilon:
            below = Fraction(epsilon) * HAIR
            assert true_delta(mpmath.mpf(below.numerator) / below.denominator, ratio) > target


@QUICK
@given(
    epsilon=powers(-6, 4),
    sensitivity=powers(-3, 3),
    alpha=ALPHAS,
    convention=st.sampled_from(["gt", "ge"]),
    releases=st.integers(1, 12),
)
def test_accuracy_is_the_least_whose_tail_is_small(
    epsilon, sensitivity, alpha, convention, releases
):
    """The tail at a is at most alpha, the tail at a - 1 above it, for one release and for sums."""
    known = {"epsilon": epsilon, "sensitivity": sensitivity, "releases": releases}
    a = calc.accuracy("geometric", alpha=alpha, convention=convention, **known)

    assert calc.tail_of("geometric", error=a, convention=convention, **known) <= Fraction(alpha)
    if a:
        less = calc.tail_of("geometric", error=a - 1, convention=convention, **known)
        assert less > Fraction(alpha)


@QUICK
@given(
    a=st.integers(0, 10**6),
    alpha=powers(-30, -1),
    coordinates=st.integers(1, 1000),
    width=st.integers(0, 10**6),
)
def test_the_least_epsilon_keeps_its_promise_and_no_less_does(a, alpha, coordinates, width):
    """Through the public page, on a vector and on a clamped count."""
    for law, more in (
        ("geometric", {"coordinates": coordinates}),
        ("clamped_geometric", {"bounds": (0, width)}),
    ):
        epsilon = calc.epsilon_for(law, accuracy=a, alpha=alpha, **more)
        if epsilon == 0:
            assert width <= a
            continue
        if epsilon > 10**6:
            continue
        assert calc.accuracy(law, epsilon=epsilon, alpha=alpha, **more) <= a
        less = Fraction(epsilon) * HAIR
        assert calc.accuracy(law, epsilon=less, alpha=alpha, **more) > a


@settings(max_examples=25)
@given(epsilon=powers(-4, 2), delta=powers(-30, -1), sensitivity=st.integers(1, 20))
def test_the_discrete_gaussian_keeps_its_own_delta(epsilon, delta, sensitivity):
    """What sigma2_for returns keeps delta by the law's own sum; 1e-12 less does not."""
    sigma2 = calc.sigma2_for(epsilon=epsilon, delta=delta, sensitivity=sensitivity)

    def at(sigma2):
        known = {"sigma2": sigma2, "sensitivity": sensitivity}
        return calc.delta_of("discrete_gaussian", at_epsilon=epsilon, **known)

    assert at(sigma2) <= Fraction(delta) < at(Fraction(sigma2) * HAIR)


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["nan", "inf", "-1", "0", "1", "1e-9999", "1e9999", "1/3", "abc", "0x10"]),
)


@settings(max_examples=150)
@given(epsilon=ANYTHING, delta=ANYTHING, alpha=ANYTHING, sensitivity=ANYTHING, a=ANYTHING)
def test_anything_typed_is_answered_or_refused_in_three_lines(
    epsilon, delta, alpha, sensitivity, a
):
    """No other error, no hang, and no answer that is negative or not a number."""
    asks = (
        lambda: calc.sigma_for(epsilon=epsilon, delta=delta, sensitivity=sensitivity),
        lambda: calc.accuracy("geometric", epsilon=epsilon, alpha=alpha, sensitivity=sensitivity),
        lambda: calc.epsilon_for("geometric", accuracy=a, alpha=alpha, sensitivity=sensitivity),
        lambda: calc.epsilon_for("gaussian", accuracy=a, alpha=alpha, delta=delta),
        lambda: calc.delta_of("gaussian", at_epsilon=epsilon, sigma=a, sensitivity=sensitivity),
        lambda: calc.epsilon_of("geometric", at_delta=delta, epsilon=epsilon),
        lambda: calc.note_accuracy("geometric", epsilon=epsilon, alpha=alpha),
    )
    for ask in asks:
        answer, error = outcome(ask)
        assert str(error).count("\n") == 2 if error else answer >= 0


def outcome(ask):
    """The answer, or the error for the caller; any other error stays an error of the test."""
    try:
        return ask(), None
    except InputError as error:
        return None, error


def test_a_sigma_rounded_to_doubles_downwards_is_caught():
    """The checks above have power: one part in 1e11 less noise is refused by the same theorem."""
    sigma = Fraction(calc.sigma_for(epsilon=1, delta="1e-9")) * (1 - Fraction(1, 10**11))

    with mpmath.workdps(50):
        ratio = 1 / sigma
        value = true_delta(mpmath.mpf(1), mpmath.mpf(ratio.numerator) / ratio.denominator)
    with pytest.raises(AssertionError):
        assert value <= mpmath.mpf("1e-9")
