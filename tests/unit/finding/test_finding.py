"""Finding keys: the noise, the thresholds and the price follow from public numbers alone."""

from fractions import Fraction
from math import erfc, sqrt

import pytest

from discreet.finding.finding import Finding, chances, finding_for, weight
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
    """Whether so many new keys of one unit reach a threshold with at most this chance, roughly.

    Each may get all that the unit adds, while the others are set aside.
    """
    far = threshold - so_far * (found.resolution + 0.5)
    return keys * erfc(far / sqrt(2 * so_far * found.sigma2)) / 2 <= share


@pytest.mark.parametrize("groups", [1, 2, 30, 10_000])
def test_no_number_of_new_keys_is_likelier_than_allowed_and_max_groups_nearly_are(groups):
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
        assert not _by_floats(found, so_far, part, groups, threshold * 0.999)


def test_the_thresholds_are_just_above_those_of_keys_that_share_their_unit_to_the_end():
    """At (1, 1e-6), all of rho: some 27 units of one key, 47, 87 and 150 of 3, 10 and 30.

    27, 46, 84 and 145 would do if no key was ever set aside: 3 % less.
    """
    part = Fraction(3, 10) * DELTA
    found = finding_for("film", 30, 2 * rho_down(Fraction(1), DELTA - part), part, replace=False)

    assert [round(float(found.needs(keys))) for keys in (1, 3, 10, 30)] == [27, 47, 87, 150]


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 7])
def test_a_key_is_set_aside_by_the_noise_of_the_rounds_so_far(rounds):
    """After the last three rounds but the last: 0, 1 and 3/2 standard deviations of the total."""
    precisions = tuple(2**i for i in range(rounds))
    found = Finding("film", 30, Fraction(10**12), DELTA, precisions=precisions)
    sums = [2 ** (i + 1) - 1 for i in range(rounds - 1)]
    many = [None] * (rounds - 4) + [0, 1, 1.5][max(0, 4 - rounds) :]

    assert [
        one and round(one / 1e6 / so_far**0.5, 3)
        for one, so_far in zip(found.levels, sums, strict=True)
    ] == many


def test_an_act_is_plain_data_that_makes_its_price_again():
    """What a ledger keeps of it: numbers as text, of a frozen meaning."""
    found = finding_for("film", 3, Fraction(1, 100), DELTA, replace=False)
    event = found.event()

    assert event["act"] == "find keys"
    assert event["thresholds"] == [str(one) for one in found.thresholds]
    assert event["levels"] == [None if one is None else str(one) for one in found.levels]
    assert event["noise"] == {"law": "discrete_gaussian", "sigma2": str(found.sigma2)}
