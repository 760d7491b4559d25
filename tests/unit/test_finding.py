"""Finding keys: the noise, the thresholds and the price follow from public numbers alone."""

from fractions import Fraction
from math import erfc, sqrt

import pytest

from discreet.finding.finding import Finding, finding_for
from discreet.finding.thresholds import chances, weight
from discreet.privacy.conversion import rho_down

pytestmark = pytest.mark.claim("C68")

DELTA = Fraction(1, 10**6)


@pytest.mark.parametrize("resolution", [1, 2, 7, 64, 2**20])
def test_what_a_unit_adds_is_never_longer_than_the_resolution(resolution):
    """d keys of floor(W / sqrt d) each: their squares are together at most W^2."""
    assert all(d * weight(resolution, d) ** 2 <= resolution**2 for d in range(1, 400))
    assert weight(resolution, 1) == resolution


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_the_rounds_share_delta(rounds):
    """The last round has half of it, because a key is likeliest shown there."""
    found = chances(DELTA, rounds)

    assert len(found) == rounds
    assert sum(found) == DELTA
    assert found[-1] >= DELTA / 2


@pytest.mark.parametrize("replace", [False, True])
def test_a_finding_costs_what_it_was_given_and_no_more(replace):
    """Five rounds in zCDP, and delta on top; exchanging a unit costs twice as much noise."""
    rho = Fraction(1, 100)
    found = finding_for("film", 30, 2 * rho, DELTA, replace=replace)

    cost = sum(cost.rho for cost in found.costs)

    assert rho * Fraction(9999, 10000) < cost <= rho
    assert found.sensitivity.l2_squared == (2 if replace else 1) * 2**40
    assert found.sensitivity.l1 >= 30 * weight(2**20, 30)


def _by_floats(found: Finding, so_far: int, share: float, keys: int, threshold: float) -> bool:
    """Whether so many new keys of one unit reach a threshold with at most this chance, roughly."""
    far = threshold - so_far * (weight(found.resolution, keys) + 0.5)
    return keys * erfc(far / sqrt(2 * so_far * found.sigma2)) / 2 <= share


@pytest.mark.parametrize("groups", [1, 2, 30, 64, 65, 500])
def test_no_number_of_new_keys_is_likelier_than_allowed_and_one_nearly_is(groups):
    """The threshold of each round holds for 1 to max_groups keys, and a 1000th less does not."""
    found = finding_for("film", groups, Fraction(1, 100), DELTA, replace=False)
    so_far = 0

    for precision, threshold, share in zip(
        found.precisions, found.thresholds, chances(DELTA, 5), strict=True
    ):
        so_far += precision
        part = float(share)
        many = range(1, groups + 1)
        assert all(_by_floats(found, so_far, part * 1.000001, b, threshold) for b in many)
        assert not all(_by_floats(found, so_far, part, b, threshold * 0.999) for b in many)


def test_the_thresholds_are_those_that_the_second_reading_found():
    """At (1, 1e-6), all of rho: some 26.6 units of one key, 46, 84 and 145 of 3, 10 and 30."""
    part = Fraction(3, 10) * DELTA
    found = finding_for("film", 30, 2 * rho_down(Fraction(1), DELTA - part), part, replace=False)

    assert [round(float(found.needs(keys))) for keys in (1, 3, 10, 30)] == [27, 46, 84, 145]


def test_an_act_is_plain_data_that_makes_its_price_again():
    """What a ledger keeps of it: numbers as text, of a frozen meaning."""
    found = finding_for("film", 3, Fraction(1, 100), DELTA, replace=False)
    event = found.event()

    assert event["act"] == "find keys"
    assert event["thresholds"] == [str(one) for one in found.thresholds]
    assert event["noise"] == {"law": "discrete_gaussian", "sigma2": str(found.sigma2)}
