"""Losses add exactly, and one kind bounds another on the safe side."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import approx, pure, zcdp
from discreet.errors import InputError, InternalError
from discreet.privacy.conversion import converted, delta_up, epsilon_up, rho_down
from discreet.privacy.loss import NAMES, Loss, is_loss, loss_of, total

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


@pytest.mark.slow
@given(AMOUNTS, AMOUNTS, st.integers(1, 50))
def test_splitting_a_loss_never_gains(first, second, parts):
    """Shares add up to the whole, exactly."""
    for loss in (pure(first), zcdp(first), approx(first, second / 1000)):
        share = loss.times(Fraction(1, parts))

        assert total([share] * parts) == loss
        assert share.fits(loss)
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
    assert Fraction(1, 8) > converted(pure(Fraction(1, 2)), "zcdp").rho > Fraction("0.122")
    assert converted(pure(Fraction(1, 2)), "approx") == approx(Fraction(1, 2), Fraction(0))
    assert converted(zcdp(Fraction(1)), "pure") is None
    assert converted(zcdp(Fraction(1)), "approx") is None
    assert converted(approx(1, 0), "zcdp") == converted(pure(1), "zcdp")
    assert converted(approx(Fraction(1), Fraction(1, 9)), "zcdp") is None


@pytest.mark.parametrize(
    ("loss", "text", "plain"),
    [
        (pure("1/2"), "epsilon = 0.5", {"kind": "pure", "epsilon": "1/2"}),
        (zcdp("1/50"), "rho = 0.02", {"kind": "zcdp", "rho": "1/50"}),
        (
            approx(1, "1e-6"),
            "(epsilon, delta) = (1, 0.000001)",
            {"kind": "approx", "epsilon": "1", "delta": "1/1000000"},
        ),
    ],
    ids=str,
)
def test_a_loss_is_written_as_it_always_was(loss, text, plain):
    """Releases and ledgers hold this text, its order too."""
    assert str(loss) == text
    assert list(loss.plain().items()) == list(plain.items())
    assert loss_of(plain) == loss
    assert is_loss(loss)
    assert not is_loss(plain)
    assert {name: getattr(loss, name) for name in NAMES[loss.kind]} == loss.named


@pytest.mark.parametrize("name", ["epsilon", "delta", "rho"])
@pytest.mark.parametrize("loss", [pure(1), zcdp(1), approx(1, "1e-6")], ids=str)
def test_a_loss_has_the_numbers_of_its_kind_alone(loss, name):
    """Nobody reads the rho of a pure loss as some other number."""
    if name in NAMES[loss.kind]:
        assert getattr(loss, name) == loss.named[name]
    else:
        with pytest.raises(AttributeError, match=f"{loss.kind} has no {name}"):
            getattr(loss, name)


@pytest.mark.parametrize("other", [zcdp(1), approx(1, "1e-6"), approx(1, 0)], ids=str)
def test_losses_of_two_kinds_are_never_added_or_compared_as_numbers(other):
    """1 epsilon and 1 rho are not 2 of anything; neither fits into the other."""
    for first, second in ((pure(1), other), (other, pure(1))):
        assert not first.fits(second)
        assert not first.times(Fraction(0)).fits(second)
        for merge in (Loss.plus, Loss.minus):
            with pytest.raises(InternalError, match="met one of kind"):
                merge(first, second)


def test_a_pair_fits_only_in_both_numbers():
    """(epsilon, delta): neither number pays for the other, and neither goes below zero."""
    whole = approx(1, "1e-6")

    assert approx(1, "1e-6").fits(whole)
    assert not approx("1/2", "1e-5").fits(whole)
    assert not approx(2, "1e-7").fits(whole)
    assert whole.plus(approx(2, "1e-6")) == approx(3, "2e-6")
    assert whole.minus(approx(2, "1e-7")) == approx(0, "9e-7")
    assert not approx(0, "1e-9").is_zero()


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
