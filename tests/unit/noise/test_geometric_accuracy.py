"""Geometric accuracy against the law itself, added up in rationals and floats."""

import math
from fractions import Fraction

import pytest

from discreet.errors import InputError
from discreet.noise import geometric_accuracy as geometric
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.reals import real_up

ALPHA = Fraction(1, 20)


def walked(rate, alpha, *, below=10**9, above=10**9, strict=True):
    """The least a by walking from 0, from the two tails."""
    q, a = math.exp(-rate), 0
    while True:
        power = a + 1 if strict else a
        sides = (below >= power) + (above >= power)
        if power > 0 and sides * q**power / (1 + q) <= alpha:
            return a
        a += 1


@pytest.mark.claim("C21")
@pytest.mark.parametrize("convention", ["gt", "ge"])
def test_accuracy_is_the_least_that_the_law_allows(convention):
    """One floor gives what walking along the law gives, over rates and alphas."""
    for rate in (Fraction(1, 50), Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(9)):
        for alpha in (Fraction(1, 10**6), Fraction(1, 100), ALPHA, Fraction(1, 3), Fraction(9, 10)):
            found = geometric.accuracy(rate=rate, alpha=alpha, convention=convention)

            assert found == walked(float(rate), float(alpha), strict=convention == "gt")


def test_the_law_class_and_the_calculator_agree():
    """`DiscreteLaplace.half_width` is the same accuracy."""
    for scale in (Fraction(1, 3), Fraction(2), Fraction(100, 7)):
        found = geometric.accuracy(rate=1 / scale, alpha=ALPHA, convention="gt")

        assert found == DiscreteLaplace(scale).half_width(ALPHA)


@pytest.mark.parametrize(
    ("epsilon", "note", "greater", "or_equal"),
    [("0.1", 30, 30, 31), ("0.7", 5, 4, 5), ("1", 3, 3, 4), ("2", 2, 1, 2), ("3", 1, 1, 2)],
)
def test_the_printed_ceiling_is_right_for_one_convention_only(epsilon, note, greater, or_equal):
    """The table of errata A1: the ceiling is one too large for '>' or one too small for '>='."""
    rate = Fraction(epsilon)

    assert geometric.note_accuracy(rate=rate, alpha=ALPHA) == note
    assert geometric.accuracy(rate=rate, alpha=ALPHA, convention="gt") == greater
    assert geometric.accuracy(rate=rate, alpha=ALPHA, convention="ge") == or_equal


def test_how_often_the_ceiling_overstates_is_what_the_errata_say():
    """Over alphas even in ln alpha at epsilon = 1, 62 % of '>' answers are one too large (A1)."""
    rate, steps = Fraction(1), 500
    grid = [Fraction(math.exp(-(1 + 4 * (k + 0.5) / steps))) for k in range(steps)]

    gaps = [
        geometric.note_accuracy(rate=rate, alpha=alpha)
        - geometric.accuracy(rate=rate, alpha=alpha, convention="gt")
        for alpha in grid
    ]

    assert set(gaps) == {0, 1}
    assert sum(gaps) / steps == pytest.approx(0.62011, abs=0.005)


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2"])
def test_an_accuracy_of_3_02_by_the_formula_is_3(epsilon):
    """The note's own example needs no workaround (errata A5)."""
    rate = Fraction(epsilon)
    alpha = Fraction(math.exp(-3.02 * float(rate)))

    assert geometric.accuracy(rate=rate, alpha=alpha, convention="gt") == 3


@pytest.mark.claim("C21")
@pytest.mark.parametrize(
    ("a", "greater", "or_equal", "note"),
    [
        (1, 1.76546, 3.66356, 2.99573),
        (2, 1.13688, 1.76546, 1.49787),
        (10, 0.284349, 0.314048, 0.299573),
    ],
)
def test_epsilon_from_accuracy_is_the_least_that_keeps_it(a, greater, or_equal, note):
    """The table of errata A4, and the tail of the answer on both sides of alpha."""
    for convention, wanted in (("gt", greater), ("ge", or_equal)):
        rate = geometric.rate_up(accuracy=a, alpha=ALPHA, convention=convention)

        assert float(rate) == pytest.approx(wanted, rel=1e-5)
        assert geometric.accuracy(rate=rate, alpha=ALPHA, convention=convention) == a
        less = rate * (1 - Fraction(1, 10**12))
        assert geometric.accuracy(rate=less, alpha=ALPHA, convention=convention) == a + 1
    assert float(geometric.note_rate_up(accuracy=Fraction(a), alpha=ALPHA)) == pytest.approx(
        note, rel=1e-5
    )


def test_accuracy_zero_has_an_epsilon_for_gt_and_none_for_ge():
    """a = 0 is kept by ln((2 - alpha) / alpha); '>= 0' by nothing; the formula divides by 0."""
    found = geometric.rate_up(accuracy=0, alpha=ALPHA, convention="gt")

    assert float(found) == pytest.approx(math.log(39))
    with pytest.raises(InputError, match="cannot be promised"):
        geometric.rate_up(accuracy=0, alpha=ALPHA, convention="ge")
    with pytest.raises(InputError, match="no epsilon"):
        geometric.note_rate_up(accuracy=Fraction(0), alpha=ALPHA)


def test_the_round_trip_fails_in_doubles_and_never_here():
    """The ceiling of the way back is a again for a = 1..400; in doubles it fails (A6)."""
    for a in range(1, 400):
        rate = geometric.rate_up(accuracy=a, alpha=ALPHA, convention="gt")

        assert geometric.accuracy(rate=rate, alpha=ALPHA, convention="gt") == a
    surprise = math.log(1 / 0.05)
    failures = [a for a in range(1, 2001) if math.ceil(1 / (1 / a * surprise) * surprise) != a]
    assert failures != []


@pytest.mark.parametrize(
    ("width", "wanted"),
    [(5, 5), (10, 10), (20, 20), (30, 23), (40, 23), (50, 25), (58, 29), (60, 30), (500, 30)],
)
def test_clamping_makes_the_worst_accuracy_smaller(width, wanted):
    """The table of errata A7, at epsilon = 0.1 and alpha = 0.05."""
    found = geometric.clamped_accuracy_worst(
        rate=Fraction(1, 10), alpha=ALPHA, width=width, convention="gt"
    )

    assert found == wanted


@pytest.mark.claim("C21")
def test_clamped_accuracy_is_walked_at_every_truth():
    """At each truth, and at the worst of them, walking along the two tails says the same."""
    for width in (0, 1, 2, 7, 30):
        for alpha in (ALPHA, Fraction(2, 5), Fraction(7, 10)):
            rate, found = Fraction(1, 5), []
            for below in range(width + 1):
                sides = {"below": below, "above": width - below}
                a = geometric.clamped_accuracy(rate=rate, alpha=alpha, convention="gt", **sides)
                assert a == walked(float(rate), float(alpha), **sides)
                found.append(a)
            worst = geometric.clamped_accuracy_worst(
                rate=rate, alpha=alpha, width=width, convention="gt"
            )
            assert worst == max(found)


@pytest.mark.claim("C21")
def test_clamped_rate_keeps_the_worst_accuracy():
    """It is 0 where the bounds alone keep it, else the least that does."""
    for width, a in ((4, 4), (6, 4), (30, 4), (30, 23)):
        rate = geometric.clamped_rate_up(accuracy=a, alpha=ALPHA, width=width, convention="gt")

        assert (rate == 0) == (width <= a)
        if rate:
            worst = {"alpha": ALPHA, "width": width, "convention": "gt"}
            assert geometric.clamped_accuracy_worst(rate=rate, **worst) <= a
            less = rate * (1 - Fraction(1, 10**12))
            assert geometric.clamped_accuracy_worst(rate=less, **worst) > a


def test_simultaneous_accuracy_is_exact_for_independent_errors():
    """1 - (1 - tail)^d is at most alpha at a, and above it at a - 1."""
    rate, d = Fraction(1, 7), 12

    a = geometric.accuracy(rate=rate, alpha=ALPHA, convention="gt", coordinates=d)

    def missed(a):
        tail = real_up(geometric.tail(rate=rate, a=a, convention="gt"))
        return 1 - (1 - tail) ** d

    assert missed(a) <= ALPHA < missed(a - 1)


def test_huge_and_tiny_rates_are_answered():
    """A rate of 1e-300 has an accuracy of 301 digits; a rate of 1e5 has 0."""
    tiny = geometric.accuracy(rate=Fraction(1, 10**300), alpha=ALPHA, convention="gt")

    assert len(str(tiny)) == 301
    assert geometric.accuracy(rate=Fraction(10**5), alpha=ALPHA, convention="gt") == 0


def test_the_widest_noise_is_what_halving_finds():
    """Its edge has a closed form; halving over all losses of six digits is slower, and the same."""
    for half_width in (0, 1, 7, 60, 1234, 10**6):
        for alpha in (ALPHA, Fraction(1, 3), Fraction(17, 10**5)):
            found = DiscreteLaplace.widest(half_width, alpha)
            halved = super(DiscreteLaplace, DiscreteLaplace).widest.__func__
            assert found == halved(DiscreteLaplace, half_width, alpha)
