"""Clamped and truncated geometric counts against enumeration, and the errata of document 003."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from coins import Tape
from discreet.calculator.formulas import truncated_factor as factor
from discreet.calculator.formulas.clamped_geometric import ClampedGeometric
from discreet.calculator.formulas.exponential import Exponential
from discreet.calculator.formulas.remap import optimal_remap
from discreet.calculator.formulas.truncated_geometric import (
    NoteTruncatedNotPrivate,
    TruncatedGeometric,
)
from discreet.errors import InputError
from discreet.noise.reals import real_near

TENTH = Fraction(1, 10)
HAIR = 1 - Fraction(1, 10**12)


def moments(law, truth):
    span = range(law.lower, law.upper + 1)
    pairs = [(y - truth, float(p)) for y, p in zip(span, law.masses(truth=truth), strict=True)]
    mean = sum(e * p for e, p in pairs)
    spread = sum((e - mean) ** 2 * p for e, p in pairs)
    return mean, sum(abs(e) * p for e, p in pairs), spread


@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "lower", "upper", "truth"),
    [
        ("0.1", 1, 0, 30, 20),
        ("0.5", 3, -2, 9, -2),
        ("1", 1, 0, 1, 1),
        ("30", 1, 0, 4, 2),
        ("0.1", 1, 5, 5, 5),
    ],
)
def test_bias_error_and_variance_are_the_laws(epsilon, sensitivity, lower, upper, truth):
    """The closed forms agree with the sums over the law, which adds up to 1."""
    law = ClampedGeometric(Fraction(epsilon), sensitivity, lower, upper)

    mean, error, spread = moments(law, truth)

    assert float(sum(law.masses(truth=truth))) == pytest.approx(1)
    assert float(law.bias(truth=truth)) == pytest.approx(mean, abs=1e-12)
    assert float(law.mean_error(truth=truth)) == pytest.approx(error, abs=1e-12)
    assert float(law.variance(truth=truth)) == pytest.approx(spread, abs=1e-12)


def test_the_clamped_law_is_what_the_errata_say():
    """n = 30, phi = 20, epsilon = 0.1: the ends hold .0710 and .1931 (errata D1, D13, D19)."""
    law = ClampedGeometric(TENTH, 1, 0, 30)
    masses = law.masses(truth=20)

    assert float(masses[0]) == pytest.approx(0.0710482070, abs=1e-10)
    assert float(masses[30]) == pytest.approx(0.1931290501, abs=1e-10)
    assert float(law.bias(truth=20)) == pytest.approx(-1.1608, abs=1e-4)
    assert float(law.bias(truth=0)) == pytest.approx(4.7432, abs=1e-4)
    assert float(law.mean_error(truth=20)) == pytest.approx(7.471, abs=1e-3)


@pytest.mark.claim("C23")
@pytest.mark.parametrize(("epsilon", "shift"), [("0.1", 1), ("2", 1), ("0.9", 4)])
def test_neighboring_counts_differ_by_at_most_epsilon_outside_the_bounds_too(epsilon, shift):
    """A count above the upper bound is clamped first, so the ratio stays bounded (errata D3)."""
    law, most = ClampedGeometric(Fraction(epsilon), shift, 0, 10), math.exp(float(epsilon)) + 1e-9

    for truth in range(-5, 16):
        here = law.masses(truth=truth)
        for step in range(1, shift + 1):
            there = law.masses(truth=truth + step)
            for p, q in zip(here, there, strict=True):
                assert p <= q * Fraction(most)
                assert q <= p * Fraction(most)


@pytest.mark.claim("C23")
def test_without_the_first_clamp_the_same_check_fails():
    """The printed algorithm at a count of 10 and 11 in 0..10: Pr[0] is .193 and 0 (errata D3)."""
    q = math.exp(-0.1)

    def printed(count):  # noise censored at 10, then clipped
        tail = q**10 / (1 + q)
        return tail if count - 10 <= 0 else 0.0

    assert printed(10) == pytest.approx(0.19313, abs=1e-5)
    assert printed(11) == 0


@pytest.mark.claim("C23")
@pytest.mark.parametrize(("count", "nearest"), [(-3, 0), (99, 50)])
def test_a_count_outside_its_bounds_is_released_as_the_nearest_inside(count, nearest):
    """The same coins give the same number, and each outcome has the same chance."""
    law = ClampedGeometric(TENTH, 1, 0, 50)

    for i in range(40):
        assert law.release(count, Tape(f"{i}")) == law.release(nearest, Tape(f"{i}"))
    for outcome in (0, 7, 50):
        assert real_near(law.mass(outcome, truth=count)) == real_near(
            law.mass(outcome, truth=nearest)
        )


@pytest.mark.claim("C23")
def test_every_release_takes_the_same_coins_whatever_the_count():
    """One draw of the same noise, zero included: no early return tells the count (D15)."""
    law, taken = ClampedGeometric(Fraction(1), 1, 0, 50), set()
    for count in (-3, 0, 25, 50, 99):
        for i in range(40):
            tape = Tape(f"clamped {i}")
            law.release(count, tape)
            taken.add(tape.taken)

    assert len(taken) == 1


@pytest.mark.claim("C23")
@pytest.mark.claim("C24")
@pytest.mark.parametrize("made", [ClampedGeometric, TruncatedGeometric])
@pytest.mark.slow
def test_draws_follow_the_law(made):
    """A chi-square of 20,000 draws; a false alarm has a chance of 1e-7, half the noise is caught."""
    law, draws = made(Fraction(1, 2), 1, 0, 8), 20_000
    tape, counts = Tape(f"draws of {made.__name__}"), [0] * 9
    for _ in range(draws):
        counts[law.release(3, tape)] += 1

    def statistic(masses):
        return sum((c - draws * p) ** 2 / (draws * p) for c, p in zip(counts, masses, strict=True))

    bound = 48.0  # of 8 degrees of freedom, exceeded with a chance of 1e-7
    assert statistic([float(p) for p in law.masses(truth=3)]) < bound
    wrong = made(Fraction(1), 1, 0, 8)
    assert statistic([float(p) for p in wrong.masses(truth=3)]) > bound


@pytest.mark.claim("C24")
@pytest.mark.parametrize("truth", range(9))
def test_what_is_drawn_from_is_the_law(truth):
    """Each outcome is listed once, with its own chance, whichever bound is nearer."""
    law = TruncatedGeometric(Fraction(1, 2), 1, 0, 8)
    listed = law.outcomes(truth)
    ends = [real_near(lambda i=i: listed.cumulative(9)[i]) for i in range(9)]
    found = {listed.label(i): end - before for i, (before, end) in enumerate(pairwise([0, *ends]))}

    assert sorted(found) == list(range(9))
    for outcome, chance in enumerate(law.masses(truth=truth)):
        assert abs(found[outcome] - chance) < Fraction(1, 2**55)


@pytest.mark.claim("C24")
@pytest.mark.parametrize("q", [Fraction(i, 20) for i in range(1, 20, 3)])
def test_the_exact_factor_is_enumerated_in_rationals(q):
    """For n = 1..8 the largest ratio over neighbors and outcomes is M / q (errata D8)."""
    for n in range(1, 9):
        totals = [sum(q ** abs(y - t) for y in range(n + 1)) for t in range(n + 1)]
        laws = [[q ** abs(y - t) / totals[t] for y in range(n + 1)] for t in range(n + 1)]
        ratios = [
            max(a / b, b / a) for t in range(n) for a, b in zip(laws[t], laws[t + 1], strict=True)
        ]

        assert factor.loss_ratio(q=q, width=n) == max(ratios)


def test_the_printed_bound_is_broken_at_two_records():
    """n = 2, alpha = 9/10: 2800/2439 is above 16561/14661 (errata D9)."""
    q = Fraction(9, 10)

    assert factor.loss_ratio(q=q, width=2) == Fraction(2800, 2439)
    assert factor.note_ratio_not_private(q=q, width=2) == Fraction(16561, 14661)
    assert Fraction(2800, 2439) > Fraction(16561, 14661)


@pytest.mark.claim("C24")
@pytest.mark.parametrize("sensitivity", [1, 2, 5, 9])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_the_factor_holds_for_every_sensitivity(epsilon, sensitivity):
    """The largest log-ratio over all moves up to the sensitivity, by enumeration (D18)."""
    for n in range(1, 8):
        shift = min(sensitivity, n)
        q = math.exp(-float(epsilon) / shift)
        total = [sum(q ** abs(y - t) for y in range(n + 1)) for t in range(n + 1)]
        worst = max(
            abs(math.log(q ** abs(y - t) / total[t] * total[u] / q ** abs(y - u)))
            for t in range(n + 1)
            for u in range(max(0, t - shift), min(n, t + shift) + 1)
            for y in range(n + 1)
        )

        found = factor.true_epsilon_up(epsilon=Fraction(epsilon), width=n, sensitivity=sensitivity)
        assert float(found) == pytest.approx(worst, rel=1e-12)


@pytest.mark.claim("C24")
@pytest.mark.parametrize("epsilon", ["1e-6", "0.001", "0.1", "1", "3", "40"])
@pytest.mark.parametrize("width", [1, 2, 30, 10**6])
def test_calibrated_noise_keeps_its_promise_and_no_more_would(epsilon, width):
    """epsilon' + ln M at epsilon' is at most epsilon; 1e-12 more of epsilon' would exceed it."""
    e = Fraction(epsilon)

    made_at = factor.calibrated_epsilon_down(epsilon=e, width=width)

    assert factor.true_epsilon_up(epsilon=made_at * HAIR, width=width) <= e
    assert factor.true_epsilon_up(epsilon=made_at / HAIR, width=width) > e
    assert factor.any_width_epsilon_down(e) <= made_at / HAIR


def test_the_factor_belongs_to_the_epsilon_it_is_made_at():
    """epsilon - ln M(epsilon) costs 3.00202 at epsilon = 3: M must be taken at epsilon' (D12)."""
    e, width = Fraction(3), 10**6
    wrong = e - Fraction(math.log(float(factor.factor_up(epsilon=e, width=width))))

    assert float(factor.true_epsilon_up(epsilon=wrong, width=width)) == pytest.approx(
        3.00202, abs=1e-5
    )


@pytest.mark.claim("C29")
@pytest.mark.parametrize(
    ("n", "epsilon", "ratio"), [(2, "0.001", 1.331), (30, "0.01", 1.631), (100, "0.001", 1.879)]
)
def test_the_printed_epsilon_breaks_its_promise_and_refuses_to_run(n, epsilon, ratio):
    """The table of errata D10; the law that is made with it is only to be looked at."""
    law = NoteTruncatedNotPrivate(Fraction(epsilon), 0, n)

    assert float(law.true_loss().epsilon / Fraction(epsilon)) == pytest.approx(ratio, abs=1e-3)
    assert float(sum(law.masses(truth=1))) == pytest.approx(1)
    with pytest.raises(InputError, match="does not run"):
        law.release(1, Tape("never"))


@pytest.mark.claim("C24")
def test_redrawing_is_done_by_one_look_up():
    """Every count takes the same 8 bytes: no loop tells it (errata D14)."""
    law = TruncatedGeometric(Fraction(1), 1, 0, 40)

    taken = set()
    for count in (-1, 0, 1, 20, 40, 77):
        tape = Tape(f"truncated {count}")
        assert 0 <= law.release(count, tape) <= 40
        taken.add(tape.taken)

    assert taken == {8}
    assert float(law.reject_chance(truth=0)) > 0


def test_the_listed_law_is_the_stated_law():
    """The outcomes in the table's order, and their cumulative sums, are the masses."""
    law = TruncatedGeometric(Fraction(1), 2, -2, 6)
    for truth in range(-2, 7):
        outcomes = law.outcomes(truth)
        sums = [0.0, *(float(t.mid()) for t in outcomes.cumulative(9))]
        listed = {outcomes.label(i): sums[i + 1] - sums[i] for i in range(9)}
        masses = law.masses(truth=truth)

        assert sorted(listed) == list(range(-2, 7))
        for y, mass in enumerate(masses, -2):
            assert listed[y] == pytest.approx(float(mass), abs=1e-14)


@pytest.mark.parametrize("truth", [0, 3, 10, 20])
def test_the_moments_of_a_truncated_count_are_those_of_its_law(truth):
    """By sums of q^|y - truth| in doubles; in the middle there is no bias."""
    law = TruncatedGeometric(TENTH, 1, 0, 20)
    weights = np.exp(-float(law.epsilon_made_at) * np.abs(np.arange(21) - truth))
    chances, errors = weights / weights.sum(), np.arange(21) - truth
    bias = float(chances @ errors)

    assert float(law.bias(truth=truth)) == pytest.approx(bias, abs=1e-12)
    assert float(law.mean_error(truth=truth)) == pytest.approx(chances @ np.abs(errors), abs=1e-12)
    assert float(law.variance(truth=truth)) == pytest.approx(
        chances @ errors**2 - bias**2, abs=1e-11
    )
    assert (law.bias(truth=truth) == 0) == (truth == 10)


def test_the_accuracy_of_a_truncated_count_is_walked():
    """At each truth the least a whose outside weight is at most alpha; the worst is their max."""
    law = TruncatedGeometric(TENTH, 1, 0, 20)
    for alpha in (Fraction(1, 20), Fraction(1, 2)):
        found = []
        for truth in range(21):
            masses = law.masses(truth=truth)
            wanted = next(
                a
                for a in range(21)
                if sum(p for y, p in enumerate(masses) if abs(y - truth) > a) <= alpha
            )
            assert law.accuracy(alpha, truth=truth) == wanted
            found.append(wanted)
        assert law.accuracy(alpha) == max(found)


@pytest.mark.claim("C25")
@pytest.mark.parametrize(
    ("epsilon", "before", "after", "at_20"),
    [
        ("0.1", 6.7517, 5.6857, 4.9604),
        ("0.5", 1.7617, 1.7400, 1.9083),
        ("1", 0.8075, 0.8075, 0.8509),
    ],
)
def test_the_optimal_remap_reaches_the_optimum_over_all_mechanisms(epsilon, before, after, at_20):
    """The numbers of "beyond" F1, where a linear program finds nothing better (errata D21)."""
    remap = optimal_remap(ClampedGeometric(Fraction(epsilon), 1, 0, 30))

    raw, mapped = remap.gain()

    assert float(raw) == pytest.approx(before, abs=5e-5)
    assert float(mapped) == pytest.approx(after, abs=5e-5)
    assert float(remap.mean_error(truth=20)) == pytest.approx(at_20, abs=5e-5)


@pytest.mark.claim("C25")
def test_no_other_remap_of_one_outcome_is_better():
    """Each outcome's value beats every other value there, for both aims and a made-up prior."""
    law = ClampedGeometric(Fraction(1, 3), 1, 0, 6)
    prior = [Fraction(w, 21) for w in (6, 5, 4, 3, 2, 1, 0)]
    for aim, cost in (("absolute", abs), ("squared", lambda e: e * e)):
        remap = optimal_remap(law, aim=aim, prior=prior)
        columns = [law.masses(truth=t) for t in range(7)]
        for y in range(7):
            costs = [
                sum(w * columns[t][y] * cost(v - t) for t, w in enumerate(prior)) for v in range(7)
            ]
            assert costs[remap(y)] <= min(costs) * (1 + Fraction(1, 10**12))


@pytest.mark.claim("C28")
@pytest.mark.slow
def test_an_exponential_choice_follows_its_weights():
    """Chances are e^(epsilon score / 2) over their sum; neighbors' chances differ by e^epsilon."""
    law, scores = Exponential(Fraction(1), sensitivity=2, lower=-10, upper=10), [3, -4, 3, 99, 0]
    masses = [float(p) for p in law.masses(scores)]
    weights = [math.exp(min(10, s) / 4) for s in scores]

    assert masses == pytest.approx([w / sum(weights) for w in weights])
    moved = [float(p) for p in law.masses([5, -6, 1, 99, 2])]
    assert all(abs(math.log(a / b)) <= 1 for a, b in zip(masses, moved, strict=True))
    tape, counts = Tape("exponential"), [0] * 5
    for _ in range(10_000):
        counts[law.choose(scores, tape)] += 1
    statistic = sum((c - 1e4 * p) ** 2 / (1e4 * p) for c, p in zip(counts, masses, strict=True))
    assert statistic < 40  # of 4 degrees of freedom: a false alarm of 1e-7 at 38.2


@pytest.mark.claim("C28")
@pytest.mark.parametrize("scores", [[0, 0], [7] * 6, [5, 9, 5, 9], [9, 5, 5, 9], [4], [0, 2000]])
def test_ties_and_deep_gaps_are_decided(scores):
    """Where cumulative chances are rational or within e^-1000 of 1, a draw still ends."""
    law = Exponential(Fraction(1), sensitivity=1, lower=0, upper=2000)

    assert 0 <= law.choose(scores, Tape("ties")) < len(scores)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ClampedGeometric(Fraction(0), 1, 0, 5),
        lambda: ClampedGeometric(Fraction(1), 0, 0, 5),
        lambda: ClampedGeometric(Fraction(1), 1, 5, 0),
        lambda: ClampedGeometric(Fraction(1), 1, 0, 1 << 63),
        lambda: ClampedGeometric(Fraction(1), 1, 0, 1 << 40).masses(truth=0),
        lambda: TruncatedGeometric(Fraction(-1), 1, 0, 5),
        lambda: TruncatedGeometric(Fraction(1, 10**6), 1, 0, 10**6).release(0, Tape("wide")),
        lambda: Exponential(Fraction(1), 1, 5, 0),
        lambda: Exponential(Fraction(100), 1, 0, 10**6),
        lambda: Exponential(Fraction(1), 1, 0, 5).choose([], Tape("none")),
        lambda: optimal_remap(ClampedGeometric(Fraction(1), 1, 0, 5000)),
        lambda: optimal_remap(ClampedGeometric(Fraction(1), 1, 0, 1), prior=[Fraction(1)]),
    ],
)
def test_what_is_not_a_law_is_refused_in_three_lines(make):
    """An InputError with its why and its fix, before anything is drawn."""
    with pytest.raises(InputError) as refused:
        make()

    assert str(refused.value).count("\n") == 2
