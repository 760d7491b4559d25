"""The discrete Gaussian's own calibration against sums in mpmath."""

from fractions import Fraction

import mpmath
import pytest
from flint import ctx

from discreet.calculator.formulas import discrete_gaussian_calibration as calibration
from discreet.calculator.formulas import gaussian
from discreet.errors import InputError
from discreet.noise import discrete_gaussian_accuracy
from discreet.noise import discrete_gaussian_sums as sums
from discreet.noise.reals import real_up

ONE, MILLIONTH = Fraction(1), Fraction(1, 10**6)
HAIR = 1 - Fraction(1, 10**12)


def summed_delta(epsilon, sigma2, shift, reach=400):
    """Sum of (p(k) - e^epsilon p(k + shift))+ over all k, from the law itself."""
    with mpmath.workdps(60):
        s, e = mpmath.mpf(sigma2.numerator) / sigma2.denominator, mpmath.mpf(float(epsilon))
        weight = {k: mpmath.exp(-(k * k) / (2 * s)) for k in range(-reach, reach + shift + 1)}
        total = mpmath.fsum(weight.values())
        gaps = (weight[k] - mpmath.exp(e) * weight[k + shift] for k in range(-reach, reach + 1))
        return mpmath.fsum(gap for gap in gaps if gap > 0) / total


@pytest.mark.claim("C22")
@pytest.mark.parametrize(
    ("epsilon", "sigma2", "shift"),
    [("0", "4", 1), ("1", "25", 2), ("0.5", "100.5", 7), ("8", "0.4", 1)],
)
def test_delta_is_the_sum_over_the_law(epsilon, sigma2, shift):
    """Two tails give what adding up every positive gap gives."""
    known = {"epsilon": Fraction(epsilon), "sigma2": Fraction(sigma2)}

    found = calibration.delta_up(sensitivity=shift, **known)

    wanted = summed_delta(known["epsilon"], known["sigma2"], shift)
    assert float(found) == pytest.approx(float(wanted), rel=1e-13)


@pytest.mark.parametrize(
    ("least", "sigma2"), [(0, 10**8), (1, 10**8), (20_000, 10**8), (-7, 10**7)]
)
def test_the_long_sum_equals_the_added_one(least, sigma2):
    """Euler and Maclaurin's enclosure overlaps the sum term by term, and both are narrow."""
    variance = Fraction(sigma2)
    with ctx.workprec(160):
        terms = sums._terms(variance, max(1, least))
        added = sums._added(variance, least, terms + abs(least))
        long = sums.upper(variance, least)

        assert terms > sums._LONGEST
        assert added.overlaps(long)
        assert long.rel_accuracy_bits() > 100


@pytest.mark.parametrize("sigma2", ["0.001", "0.3", "0.999", "1", "1.001", "37"])
def test_total_and_variance_agree_with_a_plain_sum(sigma2):
    """On both sides of sigma2 = 1, where the formula changes."""
    exact = Fraction(sigma2)
    with mpmath.workdps(40):
        s = mpmath.mpf(exact.numerator) / exact.denominator
        law = {k: mpmath.exp(-(k * k) / (2 * s)) for k in range(-200, 201)}
        total = mpmath.fsum(law.values())
        variance = mpmath.fsum(k * k * p for k, p in law.items()) / total

    assert float(real_up(lambda: sums.total(exact))) == pytest.approx(float(total), rel=1e-14)
    assert float(calibration.variance_up(exact)) == pytest.approx(float(variance), rel=1e-14)


@pytest.mark.claim("C22")
@pytest.mark.parametrize(
    ("epsilon", "ratio"), [("0.5", 0.981996), ("1", 1.019663), ("3", 1.382365), ("8", 3.014177)]
)
def test_the_continuous_sigma_does_not_hold_for_the_discrete_law(epsilon, ratio):
    """At the analytic sigma the true delta is up to three times the target ("beyond" F7)."""
    known = {"epsilon": Fraction(epsilon)}
    sigma = gaussian.sigma_up(delta=MILLIONTH, sensitivity=ONE, **known)

    found = calibration.delta_up(sigma2=sigma**2, sensitivity=1, **known)

    assert float(found / MILLIONTH) == pytest.approx(ratio, rel=1e-4)


@pytest.mark.claim("C22")
@pytest.mark.parametrize(
    ("epsilon", "delta", "shift"),
    [
        ("0", "0.1", 2),
        ("1e-3", "1e-9", 1),
        ("1", "1e-300", 1),
        ("8", "1e-6", 1),
        ("3", "0.5", 7),
        ("1e4", "0.999", 1),
    ],
)
def test_sigma2_is_an_edge(epsilon, delta, shift):
    """What is returned keeps delta and 1e-12 less does not; epsilon comes back from it."""
    e, d = Fraction(epsilon), Fraction(delta)

    sigma2 = calibration.sigma2_up(epsilon=e, delta=d, sensitivity=shift)

    def at(sigma2):
        return calibration.delta_up(epsilon=e, sigma2=sigma2, sensitivity=shift)

    assert at(sigma2) <= d < at(sigma2 * HAIR)
    back = calibration.epsilon_up(delta=d, sigma2=sigma2, sensitivity=shift)
    assert abs(back - e) <= e * Fraction(1, 10**12)


def test_epsilon_is_the_least_that_keeps_delta():
    """At epsilon the sum is at most delta, and 1e-12 below it is not; and 0 where it may be."""
    for sigma2, delta, shift in (("3", "1e-5", 1), ("900", "0.001", 4), ("0.2", "1e-9", 2)):
        known = {"sigma2": Fraction(sigma2), "sensitivity": shift}

        epsilon = calibration.epsilon_up(delta=Fraction(delta), **known)

        assert calibration.delta_up(epsilon=epsilon, **known) <= Fraction(delta) * (
            1 + MILLIONTH**2
        )
        assert calibration.delta_up(epsilon=epsilon * HAIR, **known) > Fraction(delta)
    assert calibration.epsilon_up(delta=Fraction(1, 2), sigma2=Fraction(9), sensitivity=1) == 0


@pytest.mark.parametrize(("epsilon", "shift"), [("0", 1), ("0.1", 7), ("0.24", 1), ("0.7", 3)])
def test_delta_falls_as_the_variance_grows_where_epsilon_is_small(epsilon, shift):
    """Below epsilon / sensitivity = 1/4 more noise never loses more, kinks included."""
    deltas = [
        calibration.delta_up(epsilon=Fraction(epsilon), sigma2=Fraction(k, 16), sensitivity=shift)
        for k in range(1, 400)
    ]

    assert deltas == sorted(deltas, reverse=True)


@pytest.mark.claim("C22")
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [("3", "0.1"), ("3", "0.0016"), ("10", "0.001"), ("8", "0.03"), ("20", "1e-5")],
)
def test_more_noise_can_lose_more_and_the_last_edge_is_returned(epsilon, delta):
    """delta(sigma2) rises between kinks at large epsilon; beyond what is returned it stays below."""
    e, d = Fraction(epsilon), Fraction(delta)

    def at(sigma2):
        return calibration.delta_up(epsilon=e, sigma2=sigma2, sensitivity=1)

    sigma2 = calibration.sigma2_up(epsilon=e, delta=d, sensitivity=1)

    below = [at(sigma2 * Fraction(k, 100)) for k in range(30, 100)]
    beyond = [at(sigma2 + Fraction(k, 30) / e) for k in range(1, 120)]
    assert below != sorted(below, reverse=True)
    assert max(beyond) <= d < at(sigma2 * HAIR)


@pytest.mark.exhaustive
@pytest.mark.claim("C21")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("sigma2", "delta"), [("0.13745", "1e-6"), ("0.3", "1e-6"), ("1.71", "1e-3"), ("242", "1e-9")]
)
def test_the_epsilon_of_a_variance_and_all_larger_ones_is_the_inverse_of_sigma2(sigma2, delta):
    """At it every larger variance keeps delta; 1e-9 less and some does not."""
    known = {"delta": Fraction(delta), "sensitivity": 1}

    epsilon = calibration.epsilon_from_up(sigma2=Fraction(sigma2), **known)

    back = calibration.sigma2_up(epsilon=epsilon, **known)
    less = calibration.sigma2_up(epsilon=epsilon * (1 - Fraction(1, 10**9)), **known)
    assert back <= Fraction(sigma2) / HAIR
    assert less > Fraction(sigma2)
    one = calibration.epsilon_up(sigma2=Fraction(sigma2), **known)
    assert (one < epsilon * HAIR) == (sigma2 in ("0.13745", "0.3"))  # there, more noise loses more


@pytest.mark.parametrize(("epsilon", "shift"), [(3, 1), (8, 1), (20, 1), (9, 3), (2, 2)])
def test_delta_rises_and_then_falls_between_two_kinks(epsilon, shift):
    """So its least value on a stretch is at an end (docs/laws/discrete_gaussian.md)."""
    step = Fraction(shift, epsilon)
    for whole in range(-(shift // 2) + 1, 6):
        start = (whole + Fraction(shift, 2)) * step
        curve = [
            calibration.delta_up(epsilon=epsilon, sigma2=start + step * k / 40, sensitivity=shift)
            for k in range(41)
        ]
        top = curve.index(max(curve))

        assert curve[: top + 1] == sorted(curve[: top + 1])
        assert curve[top:] == sorted(curve[top:], reverse=True)


@pytest.mark.slow
@pytest.mark.claim("C22")
def test_a_smaller_variance_that_keeps_a_loss_is_found_or_there_is_none():
    """0.3125 at (8, 1e-6); against a fine grid for other losses."""
    for epsilon, delta, shift in (
        (8, "1e-6", 1),
        (10, "0.001", 1),
        (3, "0.0016", 1),
        (9, "1e-4", 3),
        (1, "1e-6", 1),
        ("0.2", "1e-6", 1),
    ):
        known = {"epsilon": Fraction(epsilon), "sensitivity": shift}
        edge = calibration.sigma2_up(delta=Fraction(delta), **known)

        found = calibration.smaller_that_keeps(delta=Fraction(delta), sigma2=edge, **known)

        grid = [edge * Fraction(k, 400) for k in range(40, 400)]
        kept = [at for at in grid if calibration.delta_up(sigma2=at, **known) <= Fraction(delta)]
        if found is None:
            assert kept == []
        else:
            assert calibration.delta_up(sigma2=found, **known) <= Fraction(delta)
            assert found < edge
            assert all(at > found - Fraction(shift, 1) / known["epsilon"] for at in kept)
    assert calibration.smaller_that_keeps(
        epsilon=Fraction(8), delta=MILLIONTH, sigma2=Fraction("0.434623"), sensitivity=1
    ) == Fraction(5, 16)


@pytest.mark.claim("C21")
def test_accuracy_and_its_inverse_are_exact():
    """a is the least whole number whose tail is at most alpha; sigma2 the largest that keeps it."""
    alpha = Fraction(1, 20)
    for convention in ("gt", "ge"):
        known = {"alpha": alpha, "convention": convention}
        a = discrete_gaussian_accuracy.accuracy(sigma2=Fraction(30), **known)

        def tail(a, convention=convention):
            return real_up(
                discrete_gaussian_accuracy.tail(sigma2=Fraction(30), a=a, convention=convention)
            )

        assert tail(a) <= alpha < tail(a - 1)
        sigma2 = discrete_gaussian_accuracy.sigma2_down(accuracy=a, **known)
        assert sigma2 >= 30
        assert discrete_gaussian_accuracy.accuracy(sigma2=sigma2, **known) == a
        assert discrete_gaussian_accuracy.accuracy(sigma2=sigma2 / HAIR, **known) == a + 1
    with pytest.raises(InputError):
        discrete_gaussian_accuracy.sigma2_down(accuracy=0, alpha=alpha, convention="ge")
