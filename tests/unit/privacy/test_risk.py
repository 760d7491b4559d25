"""The sentence on a true yes is never stronger than the loss, and a loss that protects nobody is red."""

from fractions import Fraction
from io import StringIO

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.cli import output
from discreet.cli.output import Screen
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.plans.show import meaning_of, warnings_of
from discreet.privacy.risk import meaning, true_yes_up, warnings
from unit.privacy.test_conversion import number

ALPHA = Fraction(1, 100)
ROWS = dp.table("p.csv", unit="row")
RHOS = ["1e-6", "1/50", "1/8", "1/2", "1", "2", "4"]
EPSILONS = ["1/10", "1", "3", "5"]


def power(with_unit, without, alpha):
    """The chance of a true yes of the best test at a chance alpha of a false one: Neyman-Pearson.

    Args: the masses of the outcomes with the unit and without it.
    """
    found = mpmath.mpf(0)
    left = number(alpha)
    for p, q in sorted(zip(with_unit, without, strict=True), key=lambda pq: -pq[0] / (pq[1] or 1)):
        share = mpmath.mpf(1) if q <= left else left / q
        found += p * share
        left -= q * share
    return found


def shifted(law, moved):
    """Masses of a law on the whole numbers, without a unit and with one that moves it."""
    scale = law.scale if isinstance(law, DiscreteLaplace) else law.sigma2

    def weight(k):
        k = mpmath.mpf(k)
        return mpmath.exp(
            -abs(k) / number(scale)
            if scale is getattr(law, "scale", 0)
            else -k * k / (2 * number(scale))
        )

    reach = range(-400, 401)
    total = mpmath.fsum(weight(k) for k in reach)
    return [weight(k - moved) / total for k in reach], [weight(k) / total for k in reach]


def randomized(epsilon, delta):
    """The pair that every (epsilon, delta) pair is made of (Kairouz, Oh and Viswanath 2015)."""
    e, d = mpmath.exp(number(epsilon)), number(delta)
    sure = [d, (1 - d) * e / (1 + e), (1 - d) / (1 + e), mpmath.mpf(0)]
    return [mpmath.mpf(x) or mpmath.mpf(0) for x in sure], sure[::-1]


@pytest.mark.claim("C42")
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", ["0", "1e-6", "1/20", "3/5"])
def test_the_bound_of_epsilon_and_delta_is_reached_and_never_passed(epsilon, delta):
    """By the pair of laws that every (epsilon, delta) pair is made of: equal to 30 digits."""
    loss = dp.approx(Fraction(epsilon), Fraction(delta))
    with mpmath.workdps(40):
        first, second = randomized(loss.epsilon, loss.delta)
        best = mpmath.mpf(0)
        left = number(ALPHA)
        for p, q in zip(first, second, strict=True):  # in the order of falling odds
            share = mpmath.mpf(1) if q <= left else left / q
            best, left = best + p * share, left - q * share
        bound = number(true_yes_up(loss, ALPHA))

        assert best <= bound * (1 + mpmath.mpf(10) ** -35)
        assert bound <= best * (1 + mpmath.mpf(10) ** -25)
    if loss.delta == 0:
        assert true_yes_up(dp.pure(loss.epsilon), ALPHA) == true_yes_up(loss, ALPHA)


@pytest.mark.claim("C42")
@pytest.mark.slow
@pytest.mark.parametrize("rho", RHOS)
def test_no_gaussian_noise_of_a_loss_is_told_more_often(rho):
    """Discrete Gaussian noise of that rho, for one unit that moves a count by 1, 3 or 7."""
    loss = dp.zcdp(Fraction(rho))
    with mpmath.workdps(30):
        bound = number(true_yes_up(loss, ALPHA))
        for moved in (1, 3, 7):
            law = DiscreteGaussian.calibrated(loss, l1=1, l2_squared=moved * moved)
            if law.sigma2 < 2_000:
                assert power(*shifted(law, moved), ALPHA) <= bound
        mu = mpmath.sqrt(2 * number(loss.rho))  # continuous noise, which any of these approaches
        normal = mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(2 * number(ALPHA) - 1) + mu)
        assert normal <= bound <= normal * mpmath.mpf("1.58")  # "below by at most 37 %"


@pytest.mark.claim("C42")
@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_laplace_noise_of_a_loss_is_told_more_often(epsilon):
    """Discrete Laplace noise of that epsilon; it comes near the bound."""
    loss = dp.pure(Fraction(epsilon))
    with mpmath.workdps(30):
        bound = number(true_yes_up(loss, ALPHA))
        for moved in (1, 4):
            law = DiscreteLaplace.calibrated(loss, l1=moved, l2_squared=1)
            told = power(*shifted(law, moved), ALPHA)
            assert bound / 2 <= told <= bound * (1 + mpmath.mpf(10) ** -25)  # it is reached


@pytest.mark.claim("C42")
def test_a_sentence_that_promises_too_much_is_seen():
    """The checks above have power: at half the loss the noise is told more often than that."""
    with mpmath.workdps(30):
        gaussian = shifted(DiscreteGaussian.calibrated(dp.zcdp("1/2"), l1=1, l2_squared=1), 1)
        laplace = shifted(DiscreteLaplace.calibrated(dp.pure(1), l1=1, l2_squared=1), 1)

        assert power(*gaussian, ALPHA) > number(true_yes_up(dp.zcdp("1/4"), ALPHA))
        assert power(*laplace, ALPHA) > number(true_yes_up(dp.pure("1/2"), ALPHA))


@pytest.mark.slow
@given(
    st.fractions(min_value=0, max_value=10**6),
    st.fractions(min_value=0, max_value=Fraction(999, 1000)),
    st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(999, 1000)),
)
def test_a_true_yes_is_at_least_a_guess_and_grows_with_the_loss(size, delta, alpha):
    """Between the chance of a false yes and 1, for every loss; more loss never promises more."""
    for loss, more in (
        (dp.pure(size), dp.pure(size + 1)),
        (dp.zcdp(size), dp.zcdp(size + 1)),
        (dp.approx(size, delta), dp.approx(size + 1, delta)),
        (dp.pure(size), dp.approx(size, delta)),
    ):
        assert alpha <= true_yes_up(loss, alpha) <= true_yes_up(more, alpha) <= 1


@pytest.mark.claim("C42")
@pytest.mark.parametrize(
    ("loss", "most", "marks"),
    [
        (dp.pure(0), "1", 0),
        (dp.zcdp("1/50"), "1.8", 0),
        (dp.pure(1), "2.72", 0),
        (dp.approx(1, 0), "2.72", 0),
        (dp.approx(1, "1e-6"), "2.72", 0),
        (dp.approx(1, "1/1000"), "2.82", 0),
        (dp.approx(1, "0.0011"), "2.83", 1),
        (dp.approx(1, "0.1"), "12.8", 1),
        (dp.zcdp("1.72"), "49.9", 0),
        (dp.zcdp("1.73"), "50.2", 1),
        (dp.pure("3.91"), "49.9", 0),
        (dp.pure("3.92"), "50.5", 1),
        (dp.approx(1, "0.9"), "92.8", 2),
        (dp.zcdp(1000), "100", 1),
        (dp.pure(1000), "100", 1),
    ],
)
def test_a_loss_is_said_as_a_test_and_marked_from_50_in_100_on(loss, most, marks):
    """P7: and a delta above one in a thousand is marked with a sentence of its own."""
    said = meaning(loss, neighbors="add_remove", unit="row")
    marked = warnings(loss, neighbors="add_remove", unit="row")

    assert f"at most {most} of 100" in said
    assert len(marked) == marks
    assert all(line.startswith("WARNING: ") for line in marked)


@pytest.mark.parametrize("spend", [dp.pure(1000), dp.zcdp(1000), dp.approx(800, "1e-6")])
def test_a_plan_that_protects_nobody_says_so_before_paying(spend, monkeypatch):
    """In text, in HTML in red, and on a terminal in red; once, and not where it protects."""
    bad = dp.plan(ROWS, dp.count(), spend=spend)
    good = dp.plan(ROWS, dp.count(), spend=dp.zcdp("1/50"))
    text, html = " ".join(str(bad).split()), bad._repr_html_()

    assert warnings_of(good) == ()
    assert meaning_of(good) in " ".join(str(good).split())
    assert text.count("If a test of this release") == 1
    assert "WARNING: this protects hardly anybody." in text
    assert 'style="color: #c00000; font-weight: bold">WARNING: this' in html
    assert "#c00000" not in good._repr_html_()
    assert "\x1b[1;31mWARNING" in on_screen(bad, monkeypatch)
    assert "\x1b[1;31m" not in on_screen(good, monkeypatch)


def on_screen(plan, monkeypatch):
    """What a terminal with color is sent."""

    class Terminal(StringIO):
        def isatty(self):
            return True

    seen = Terminal()
    monkeypatch.setattr(output.sys, "stdout", seen)
    monkeypatch.delenv("NO_COLOR", raising=False)
    Screen().show(plan.sheet())
    monkeypatch.undo()
    return seen.getvalue()
