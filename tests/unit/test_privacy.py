"""Losses add exactly, and one kind bounds another on the safe side."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import approx, pure, zcdp
from discreet.errors import InputError
from discreet.privacy.conversion import converted, delta_up, epsilon_up, rho_down
from discreet.privacy.loss import Approx, Pure, Zcdp, loss_of, total, within

AMOUNTS = st.fractions(min_value=0, max_value=100)
RHOS = [Fraction(x) for x in ("1e-6", "1e-3", "1/8", "1", "50")]
EPSILONS = [Fraction(x) for x in ("0", "1e-3", "1/10", "1", "5", "60")]
DELTAS = [Fraction(x) for x in ("1/2", "1e-6", "1e-10", "1e-300")]


def best_delta(rho: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """The least delta over all orders, by golden search at 40 digits: a second method."""
    with mpmath.workdps(40):
        r, e = (mpmath.mpf(x.numerator) / x.denominator for x in (rho, epsilon))

        def log_delta(t):
            a = 1 + mpmath.exp(t)
            return (a - 1) * (a * r - e) + a * mpmath.log1p(-1 / a) - mpmath.log(a - 1)

        low, high = mpmath.mpf(-140), mpmath.mpf(25)
        golden = (mpmath.sqrt(5) - 1) / 2
        for _ in range(130):
            left, right = high - golden * (high - low), low + golden * (high - low)
            if log_delta(left) < log_delta(right):
                high = right
            else:
                low = left
        return min(mpmath.mpf(1), mpmath.exp(log_delta((low + high) / 2)))


def number(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


@given(AMOUNTS, AMOUNTS, st.integers(1, 50))
def test_splitting_a_loss_never_gains(first, second, parts):
    """Shares add up to the whole, exactly."""
    for loss in (Pure(first), Zcdp(first), Approx(first, second / 1000)):
        share = loss.times(Fraction(1, parts))

        assert total([share] * parts) == loss
        assert within(share, loss)
        assert loss.minus(loss).is_zero()
        assert loss_of(loss.plain()) == loss


@pytest.mark.slow
@pytest.mark.claim("C03")
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_delta_is_never_below_the_best_and_hardly_above(rho, epsilon):
    """Against a golden search in mpmath; far below 10^-19000 only the side is promised."""
    with mpmath.workdps(40):
        best, ours = best_delta(rho, epsilon), number(delta_up(rho, epsilon))

        assert ours >= best * (1 - mpmath.mpf(10) ** -19)
        assert ours <= max(best * (1 + mpmath.mpf(10) ** -9), mpmath.mpf(2) ** -65535)


@pytest.mark.slow
@pytest.mark.claim("C03")
@pytest.mark.parametrize("delta", DELTAS, ids=str)
@pytest.mark.parametrize("epsilon", EPSILONS[1:], ids=str)
def test_the_largest_rho_keeps_the_promise_and_is_nearly_largest(epsilon, delta):
    """One part in a million more would break it."""
    rho = rho_down(epsilon, delta)

    assert delta_up(rho, epsilon) <= delta
    with mpmath.workdps(40):
        assert best_delta(rho * Fraction(1_000_001, 1_000_000), epsilon) > number(delta)


@pytest.mark.slow
@pytest.mark.claim("C03")
@pytest.mark.parametrize("delta", DELTAS, ids=str)
@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_the_smallest_epsilon_keeps_the_promise(rho, delta):
    """And one part in a million less would break it."""
    epsilon = epsilon_up(rho, delta)

    assert delta_up(rho, epsilon) <= delta
    with mpmath.workdps(40):
        smaller = epsilon * Fraction(999_999, 1_000_000)
        assert epsilon == 0 or best_delta(rho, smaller) > number(delta)


@pytest.mark.claim("C03")
@pytest.mark.parametrize(
    "delta", [Fraction(1, 2**4000), Fraction(999, 1000)], ids=["least", "most"]
)
@pytest.mark.parametrize("power", [-4000, -300, 100, 4000])
def test_the_wildest_losses_convert_too(power, delta):
    """No search goes on for ever, and what it finds keeps the promise."""
    epsilon = Fraction(2) ** power

    rho = rho_down(epsilon, delta)

    assert rho > 0
    assert delta_up(rho, epsilon) <= delta
    assert epsilon_up(rho, delta) <= epsilon * (1 + Fraction(1, 2**60))


@pytest.mark.claim("C03")
def test_a_delta_half_as_large_would_be_caught():
    """The check above has power: a planted bound that is too good fails it."""
    with mpmath.workdps(40):
        assert number(delta_up(Fraction(1, 8), Fraction(3)) / 2) < best_delta(
            Fraction(1, 8), Fraction(3)
        )


def test_losses_convert_where_one_number_follows():
    """Pure to zCDP and to approx; never back."""
    assert converted(Pure(Fraction(1, 2)), "zcdp") == Zcdp(Fraction(1, 8))
    assert converted(Pure(Fraction(1, 2)), "approx") == Approx(Fraction(1, 2), Fraction(0))
    assert converted(Zcdp(Fraction(1)), "pure") is None
    assert converted(Zcdp(Fraction(1)), "approx") is None
    assert converted(Approx(Fraction(1), Fraction(0)), "zcdp") == Zcdp(Fraction(1, 2))
    assert converted(Approx(Fraction(1), Fraction(1, 9)), "zcdp") is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: pure(-1),
        lambda: pure("abc"),
        lambda: zcdp(float("nan")),
        lambda: zcdp(float("inf")),
        lambda: approx(1, 1),
        lambda: approx(1, -0.1),
        lambda: approx(1, 2),
        lambda: approx("x", "1e-6"),
    ],
)
def test_a_loss_that_is_none_is_refused(make):
    """Three lines, from the caller's side."""
    with pytest.raises(InputError, match=r"\n  why: .*\n  fix: "):
        make()
