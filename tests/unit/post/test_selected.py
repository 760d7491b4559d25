"""Intervals of selected numbers keep what they say: by exact enumeration of narrow noise."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from bench.coverage_given import CASES, chances

from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post.fieller import sum_half_width
from discreet.post.selected import given_shown, rate_level, total_half_width

ALPHA = Fraction(1, 5)
LAWS = [DiscreteLaplace(Fraction(3, 2)), DiscreteGaussian(Fraction(6))]
REACH, COUNTS = 26, 40


def masses(law):
    """Every value of a narrow law with its probability."""
    values = np.arange(-REACH, REACH + 1)
    chances = np.array([float(law.mass(int(k))) for k in values])
    assert chances.sum() > 1 - 1e-6
    return values, chances


def false_coverage(law, truth, threshold, level_of):
    """The expected part of missed intervals among those shown of 40 counts of one truth."""
    values, chances = masses(law)
    lifted = values + truth >= threshold
    shown = chances[lifted].sum()
    expected = 0.0
    for many in range(1, COUNTS + 1):
        half = law.half_width(level_of(ALPHA, many, COUNTS))
        chance = comb(COUNTS, many) * shown**many * (1 - shown) ** (COUNTS - many)
        expected += chance * chances[lifted & (abs(values) > half)].sum() / shown
    return expected


@pytest.mark.claim("C456")
@pytest.mark.parametrize("threshold", [3, 5, 8])
@pytest.mark.parametrize("truth", [0, 2, 4, 9])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_of_what_is_shown_no_larger_part_is_missed_than_alpha(law, truth, threshold):
    """The false coverage rate of 40 counts of one truth, exactly."""
    assert false_coverage(law, truth, threshold, rate_level) <= float(ALPHA) + 1e-9


def missed_totals(law, truth, threshold, half_of, counts=COUNTS):
    """The chance that the total of those shown of so many counts of one truth is missed."""
    values, chances = masses(law)
    lifted = np.where(values + truth >= threshold, chances, 0)
    hidden, total, missed = chances.sum() - lifted.sum(), np.array([1.0]), 0.0
    for many in range(1, counts + 1):
        total = np.convolve(total, lifted)  # of so many that are all shown
        errors = np.arange(len(total)) - REACH * many
        off = total[abs(errors) > half_of(law, many, counts, ALPHA)].sum()
        missed += comb(counts, many) * hidden ** (counts - many) * off
    return missed


@pytest.mark.claim("C423")
@pytest.mark.parametrize("counts", [1, 2, 5, COUNTS])
@pytest.mark.parametrize("truth", [0, 2, 5, 9])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_a_total_of_what_is_shown_misses_with_at_most_alpha(law, truth, counts):
    """Exactly, far below, at and above the threshold, of few and of many counts."""
    assert missed_totals(law, truth, 5, total_half_width, counts) <= float(ALPHA) + 1e-9


@pytest.mark.claim("C423")
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_the_plain_total_of_what_is_shown_is_seen_to_miss(law):
    """At the threshold the noise of what is shown is never below 0."""

    def plain(law, shown, _among, alpha):
        return sum_half_width([(law, shown)], alpha)

    assert missed_totals(law, 5, 5, plain) > 3 * float(ALPHA)


@pytest.mark.claim("C423")
@pytest.mark.parametrize(("shown", "among"), [(3, 10**9), (1_000, 10**15), (41, 100), (100, 100)])
def test_a_total_of_very_many_is_told_too(shown, among):
    """At most what all joint intervals add up to; where all are shown, hardly more than plain."""
    law = DiscreteGaussian(Fraction(100))
    half = total_half_width(law, shown, among, Fraction(1, 20))

    assert 0 < half <= shown * law.half_width(Fraction(1, 40 * among))
    if shown == among:
        assert half < 2 * sum_half_width([(law, shown)], Fraction(1, 20))


@pytest.mark.claim("C456")
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_plain_intervals_of_what_is_selected_are_seen_to_miss(law):
    """The check has power: of counts that noise alone lifted, nearly all are missed."""
    assert false_coverage(law, 0, 5, lambda alpha, _many, _among: alpha) > 0.6


@pytest.mark.claim("C457")
@pytest.mark.parametrize("threshold", [1, 4, 9])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_given_that_it_is_shown_an_interval_misses_with_at_most_alpha(law, threshold):
    """For each truth, exactly; a plain interval misses a truth far below the threshold always."""
    values, chances = masses(law)
    plain = law.half_width(ALPHA)
    worst = 0.0
    for truth in range(threshold + 12):
        numbers = values + truth
        shown = numbers >= threshold
        low, high = given_shown(numbers[shown].tolist(), law, threshold=threshold, alpha=ALPHA)
        missed = (np.array(low) > truth) | (np.array(high) < truth)
        share = chances[shown] / chances[shown].sum()
        assert float(share[missed].sum()) <= float(ALPHA) + 1e-6, truth
        worst = max(worst, float(share[np.abs(numbers[shown] - truth) > plain].sum()))

    assert worst > 0.25 or threshold == 1


@pytest.mark.claim("C457")
@pytest.mark.slow
def test_given_that_it_is_shown_an_interval_misses_with_at_most_alpha_at_the_noise_of_a_plan():
    """At sigma 18.3 and alpha = 1/20, of each truth from 0 to 400, as docs/coverage-tables.md says."""
    shown, missed = chances(DiscreteGaussian(Fraction(1000, 3)), CASES["bins from 30 on"])
    given = missed / shown

    assert 0.048 < given.max() <= 0.05


@pytest.mark.claim("C457")
def test_an_interval_given_that_it_is_shown_holds_its_number_and_ends_where_plain_ones_do():
    """Far above the threshold nothing was selected; just above it nothing below is ruled out."""
    law = DiscreteGaussian(Fraction("334.89"))  # sigma 18.3, as daily views of pages have
    low, high = given_shown([90, 91, 130, 400], law, threshold=90, alpha=Fraction(1, 20))

    assert low[0] == low[1] == 0
    assert (low[3], high[3]) == (400 - 36, 400 + 36)
    assert all(a <= y <= b for a, y, b in zip(low, [90, 91, 130, 400], high, strict=True))
    assert low[2] < 130 - 36
    assert high[0] < 90 + 36


def test_a_threshold_that_hides_nothing_leaves_the_level():
    assert rate_level(ALPHA, 5, 5) == rate_level(ALPHA, 0, 5) == ALPHA
    assert rate_level(ALPHA, 1, 5) == ALPHA / 5
