"""Several clamped or truncated counts, and the way back, against the laws listed outcome by outcome."""

from fractions import Fraction

import pytest

from discreet import calculator as calc
from discreet.calculator.formulas import truncated_accuracy as truncated
from discreet.calculator.formulas.clamped_geometric import ClampedGeometric
from discreet.calculator.formulas.truncated_geometric import TruncatedGeometric
from discreet.noise.geometric_accuracy import clamped_rate_up
from discreet.noise.reals import real_near

HAIR = Fraction(1, 10**12)


def listed(law, alpha, coordinates, truth):
    """The least a that all counts at this truth exceed with at most alpha, by adding up masses."""
    masses = law.masses(truth=truth)
    sizes = [abs(y - truth) for y in range(law.lower, law.upper + 1)]
    for a in range(law.upper - law.lower + 1):
        over = sum((p for p, size in zip(masses, sizes, strict=True) if size > a), Fraction(0))
        if 1 - (1 - over) ** coordinates <= alpha:
            return a
    raise ArithmeticError("no error is larger than the bounds allow")


@pytest.mark.claim("C21")
@pytest.mark.parametrize("kind", [ClampedGeometric, TruncatedGeometric])
@pytest.mark.parametrize("coordinates", [1, 2, 7])
@pytest.mark.parametrize(("epsilon", "sensitivity", "upper"), [("0.3", 1, 17), ("1", 3, 12)])
def test_the_accuracy_of_several_counts_is_the_worst_of_all_truths(
    kind, coordinates, epsilon, sensitivity, upper
):
    """Every truth is listed; the two that are looked at hold the worst of them."""
    law = kind(Fraction(epsilon), sensitivity, 0, upper)
    for alpha in (Fraction(1, 100), Fraction(1, 5), Fraction(7, 10)):
        each = [listed(law, alpha, coordinates, t) for t in range(upper + 1)]

        assert law.accuracy(alpha, coordinates=coordinates) == max(each)
        assert law.accuracy(alpha, coordinates=coordinates, convention="ge") == max(each) + 1
        for t in (0, 3, upper):
            assert law.accuracy(alpha, coordinates=coordinates, truth=t) == each[t]


def test_counts_that_each_keep_all_of_alpha_are_caught():
    """The check has power: alpha for each count alone is too small an error for seven."""
    law = ClampedGeometric(Fraction(3, 10), 1, 0, 17)

    assert law.accuracy(Fraction(1, 5)) < max(listed(law, Fraction(1, 5), 7, t) for t in range(18))


@pytest.mark.parametrize("width", [1, 2, 5, 12, 13])
@pytest.mark.parametrize("rate", ["0.001", "0.3", "2"])
def test_the_worst_truth_of_a_truncated_count_is_a_bound_or_the_middle(width, rate):
    """For every a, the tail at all truths; the middle alone, or a bound alone, is not enough."""
    for a in range(width):
        tails = [
            real_near(truncated.tail(rate=Fraction(rate), a=a, below=t, above=width - t))
            if max(t, width - t) > a
            else Fraction(0)
            for t in range(width + 1)
        ]

        assert max(tails) == max(tails[0], tails[width // 2])


def test_one_of_the_two_truths_alone_is_caught():
    """The check has power: with little noise the middle is worst, with much of it a bound."""
    at = {"alpha": Fraction(1, 5), "convention": "gt"}
    little, much = Fraction(2), Fraction(1, 10)

    worst = truncated.worst_accuracy(rate=little, width=12, **at)
    assert worst > truncated.accuracy(rate=little, below=0, above=12, **at)
    worst = truncated.worst_accuracy(rate=much, width=12, **at)
    assert worst > truncated.accuracy(rate=much, below=6, above=6, **at)


@pytest.mark.claim("C21")
@pytest.mark.parametrize("law", ["clamped_geometric", "truncated_geometric"])
@pytest.mark.parametrize("coordinates", [1, 6])
@pytest.mark.parametrize(
    ("a", "alpha", "sensitivity", "upper", "convention"),
    [
        (10, "0.05", 1, 30, "gt"),
        (3, "1e-9", 2, 7, "ge"),
        (0, "0.3", 1, 1, "gt"),
        (4, "0.7", 3, 9, "gt"),
    ],
)
def test_the_least_epsilon_keeps_the_promise_and_less_does_not(
    law, coordinates, a, alpha, sensitivity, upper, convention
):
    """At the epsilon found every truth keeps the accuracy; 1e-12 below it one does not."""
    more = {"bounds": (0, upper), "sensitivity": sensitivity, "convention": convention}
    more |= {"alpha": alpha, "coordinates": coordinates}

    epsilon = calc.epsilon_for(law, accuracy=a, **more)

    if epsilon == 0:
        assert calc.accuracy(law, epsilon="1e-9", **more) <= a
    else:
        assert calc.accuracy(law, epsilon=epsilon, **more) == a
        less = Fraction(epsilon) * (1 - 2 * HAIR)
        assert calc.accuracy(law, epsilon=less, **more) > a


def test_where_the_uniform_law_keeps_the_promise_no_epsilon_is_needed():
    """An error above 9 of 0..19 has 1/2 at a bound: from alpha = 1/2 on, exactly, epsilon is 0."""
    known = {"accuracy": 9, "width": 19, "sensitivity": 1, "convention": "gt"}

    assert truncated.epsilon_up(alpha=Fraction(1, 2), **known) == 0
    assert truncated.epsilon_up(alpha=Fraction(3, 4), coordinates=2, **known) == 0
    assert truncated.epsilon_up(alpha=Fraction(1, 2) - HAIR, **known) > 0
    assert truncated.epsilon_up(alpha=Fraction(3, 4) - HAIR, coordinates=2, **known) > 0


def test_clamped_counts_with_one_side_left_have_their_limit_too():
    """With bounds 0 to 15 an error above 10 has at most 1/2: 1 - 1/8 for three counts is free."""
    known = {"accuracy": 10, "width": 15, "convention": "gt", "coordinates": 3}

    assert clamped_rate_up(alpha=Fraction(7, 8), **known) == 0
    assert clamped_rate_up(alpha=Fraction(7, 8) - HAIR, **known) > 0


def test_bounds_of_any_width_are_answered():
    """Two truths are looked at, not 2^40 of them."""
    more = {"alpha": "0.05", "bounds": (0, 2**40)}

    epsilon = calc.epsilon_for("truncated_geometric", accuracy=10, **more)

    assert calc.accuracy("truncated_geometric", epsilon=epsilon, **more) == 10
