"""The calculator on numbers that are public, on short lists of outcomes, and on proportions."""

from decimal import Decimal
from fractions import Fraction

import pytest

from discreet import calculator as calc
from discreet.calculator.formulas.exponential import Exponential
from discreet.calculator.formulas.truncated_geometric import TruncatedGeometric
from discreet.errors import InputError


def test_textbook_shrinking_is_exact():
    """James and Stein with and without positive part, both thresholds, the posterior mean."""
    y = [3, "-1", Fraction(1, 2)]

    assert calc.shrunk("james_stein_plain", y, sigma=8) == [
        (1 - 64 / Fraction(41, 4)) * v for v in (3, -1, Fraction(1, 2))
    ]
    assert calc.shrunk("james_stein", y, sigma=8) == [0, 0, 0]
    assert calc.shrunk("soft_threshold", y, sigma=1, threshold=1) == [2, 0, 0]
    assert calc.shrunk("posterior_mean", y, sigma=2, prior_variance=12) == [
        Fraction(9, 4),
        Fraction(-3, 4),
        Fraction(3, 8),
    ]
    assert calc.shrunk("posterior_mean", [4], sigma=1, prior_variance=0, center=1) == [1]


def test_the_universal_threshold_is_the_default():
    """sigma sqrt(2 ln d): of two numbers 1.17741."""
    first = calc.shrunk("soft_threshold", [5, 0], sigma=1)[0]

    assert float(first) == pytest.approx(5 - 1.1774100225154747, rel=1e-12)


def test_risks_are_those_of_the_textbook():
    """At 0 James and Stein leave 2; over a prior d - (d - 2)/(1 + w^2); Stein's estimate; Bayes."""
    known = {"sigma": 1, "coordinates": 10}

    assert calc.risk_of("james_stein_plain", square=0, **known) == 2
    assert calc.risk_of("james_stein_plain", prior_variance=1, **known) == 6
    assert calc.risk_of("posterior_mean", prior_variance=1, **known) == 5
    assert calc.risk_of("soft_threshold", sigma=2, values=[3, 0], threshold=1) == 1
    assert calc.risk_of("soft_threshold", sigma=2, truth=7, threshold=0) == Decimal(4)


def test_a_tree_adds_up_and_an_order_is_kept():
    """A known total is kept; a node that was not released is the sum of its children."""
    found, variances = calc.adding_up([10, 4, 4], [0, 1, 1], [-1, 0, 0])
    missing, _ = calc.adding_up([0, 4, 5], [float("inf"), 1, 1], [-1, 0, 0])

    assert found == pytest.approx([10, 5, 5])
    assert variances == pytest.approx([0, 0.5, 0.5], abs=1e-9)
    assert missing == pytest.approx([9, 4, 5])
    assert calc.in_order([3, 1, 2], "falling") == pytest.approx([3, 1.5, 1.5])


def test_chances_are_those_of_the_laws():
    """They add up to 1; noise made at epsilon' is that of the law which found epsilon' itself."""
    known = {"truth": 3, "bounds": (0, 8)}
    law = TruncatedGeometric(Fraction(1, 2), 1, 0, 8)

    clamped = calc.chances_of("clamped_geometric", epsilon="0.5", **known)
    redrawn = calc.chances_of("truncated_geometric", epsilon="0.5", **known)
    made = calc.chances_of("truncated_geometric", made_at=law.epsilon_made_at, **known)

    assert float(sum(clamped)) == pytest.approx(1)
    assert redrawn == made
    assert len(clamped) == 9
    assert clamped[0] > redrawn[0]


def test_redrawing_at_any_width_is_safe_and_the_printed_ratio_is_not():
    """asinh((e - 1) / 2) at epsilon = 1; document 003 promises less than what is lost."""
    exact, printed = calc.redrawing_ratio("9/10", width=2)

    assert float(calc.safe_at_any_width(1)) == pytest.approx(0.77818656, rel=1e-6)
    assert exact == Fraction(2800, 2439)
    assert exact > printed


@pytest.mark.claim("C28")
def test_a_choice_has_the_stated_chances():
    """Scores 2 apart at epsilon = 2: the best wins with e^0 / (1 + e^-2 + e^-4); far ones clamp."""
    found = calc.chances_of_choice([0, 2, 4], epsilon=2, bounds=(0, 10))
    clamped = calc.chances_of_choice([-50, 2, 400], epsilon=2, bounds=(0, 4))

    assert float(found[2]) == pytest.approx(0.8668133321973349)
    assert clamped == found
    assert Exponential(Fraction(2), sensitivity=1, lower=0, upper=10).loss().epsilon == 2


@pytest.mark.claim("C27")
def test_proportions_are_those_of_the_room():
    """A public size, a private one, and the best of three ways to release."""
    known = {"epsilon": 1, "proportion": "0.1", "size": 1000}

    assert calc.proportion_moves(size=1000).l1 == Fraction(1, 500)
    assert calc.proportion_moves(size=1000, neighbors="add_remove").l1 == Fraction(1, 1000)
    assert calc.proportion_moves(least=0, labels=4, empty="uniform").linf == Fraction(3, 4)
    assert float(calc.proportion_deviation("normalized", **known)) == pytest.approx(
        0.00128, abs=5e-6
    )


@pytest.mark.claim("C18")
@pytest.mark.parametrize(
    "ask",
    [
        lambda: calc.shrunk("lasso", [1, 2, 3], sigma=1),
        lambda: calc.shrunk("james_stein", [1, 2], sigma=1),
        lambda: calc.shrunk("james_stein", "123", sigma=1),
        lambda: calc.shrunk("james_stein", [], sigma=1),
        lambda: calc.shrunk("james_stein", [1, "x", 3], sigma=1),
        lambda: calc.shrunk("james_stein", [1, 2, 3], sigma=0),
        lambda: calc.shrunk("james_stein", [1, 2, 3], sigma=1, threshold=2),
        lambda: calc.shrunk("soft_threshold", [1], sigma=1, threshold=-1),
        lambda: calc.shrunk("posterior_mean", [1], sigma=1),
        lambda: calc.shrunk("posterior_mean", [1], sigma=1, prior_variance=-1),
        lambda: calc.risk_of("lasso", sigma=1),
        lambda: calc.risk_of("james_stein_plain", sigma=1, coordinates=2, square=0),
        lambda: calc.risk_of("james_stein_plain", sigma=1, coordinates=3),
        lambda: calc.risk_of("james_stein_plain", sigma=1, coordinates=3, square=-1),
        lambda: calc.risk_of("posterior_mean", sigma=1),
        lambda: calc.risk_of("soft_threshold", sigma=1),
        lambda: calc.adding_up([1, 2], [1], [-1, 0]),
        lambda: calc.adding_up([1, 2], [1, "x"], [-1, 0]),
        lambda: calc.adding_up([1, float("inf")], [1, 1], [-1, 0]),
        lambda: calc.adding_up([1, 2], [1, 1], [-1, "0.5"]),
        lambda: calc.in_order([1, 2], "up"),
        lambda: calc.chances_of("laplace", truth=1, bounds=(0, 3), epsilon=1),
        lambda: calc.chances_of("clamped_geometric", truth=1, bounds=(0, 3)),
        lambda: calc.chances_of("clamped_geometric", truth=1, bounds=(0, 3), made_at=1),
        lambda: calc.chances_of("truncated_geometric", truth=1, bounds=(3, 0), epsilon=1),
        lambda: calc.chances_of("clamped_geometric", truth=1, bounds=(0, 2**40), epsilon=1),
        lambda: calc.chances_of("clamped_geometric", truth=1, bounds=(0, 3), epsilon=0),
        lambda: calc.safe_at_any_width(0),
        lambda: calc.redrawing_ratio(1, width=3),
        lambda: calc.redrawing_ratio("0.5", width=0),
        lambda: calc.chances_of_choice([], epsilon=1, bounds=(0, 3)),
        lambda: calc.chances_of_choice(["x"], epsilon=1, bounds=(0, 3)),
        lambda: calc.chances_of_choice([1], epsilon=1, bounds=7),
        calc.proportion_moves,
        lambda: calc.proportion_moves(size=3, least=1),
        lambda: calc.proportion_moves(size=0),
        lambda: calc.proportion_moves(size=3, neighbors="near"),
        lambda: calc.proportion_moves(least=0),
        lambda: calc.proportion_deviation("guess", epsilon=1, proportion="0.1", size=9),
        lambda: calc.proportion_deviation("plug_in", epsilon=1, proportion=2, size=9),
        lambda: calc.proportion_deviation("plug_in", epsilon=1, proportion=1, size=9, share=1),
    ],
)
def test_what_makes_no_sense_is_refused_in_three_lines(ask):
    """Rules, numbers and words that do not exist or do not belong together."""
    with pytest.raises(InputError) as refused:
        ask()
    assert str(refused.value).count("\n") == 2


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda: calc.epsilon_for(
                "gaussian", accuracy=5, alpha="0.05", delta="1e-6", bounds=(0, 9)
            ),
            "bounds have",
        ),
        (lambda: calc.accuracy("laplace", epsilon=1, alpha="0.05", bounds=(0, 9)), "bounds"),
        (lambda: calc.scale_for("foo", epsilon=1), "no noise law 'foo'"),
        (lambda: calc.sigma_for("foo", epsilon=1, delta="0.1"), "no noise law 'foo'"),
        (lambda: calc.rho_for("geometric", accuracy=5, alpha=1), "rho for an accuracy"),
    ],
)
def test_what_does_not_belong_together_is_refused_and_never_ignored(ask, words):
    """Bounds of a law without bounds, a law that is not there, a rho of a law that has none."""
    with pytest.raises(InputError, match=words):
        ask()


def test_a_promise_of_nothing_costs_nothing():
    """At alpha = 1 every error may be exceeded."""
    assert calc.rho_for("gaussian", accuracy=5, alpha=1) == 0
