"""Numbers between groups hold by the exact law: all noises of the groups stand in one release.

Nothing is drawn: the chance of each noise is enumerated, and those whose interval misses are added
up. What is left out of a law counts as missed.
"""

from fractions import Fraction
from itertools import product
from math import prod

import pytest

import discreet as dp
from property.test_derived_numbers import masses, release_of, table_of

REACH = Fraction(1, 10**4)
SLACK = 2e-3  # of what is left out: four numbers, a ten-thousandth each, and rounding
NAME = "count by copy and group"


def planned(copies, groups):
    """A plan of counts with sigma2 = 1/2."""
    table = table_of(copy=range(copies), group=list(range(groups)))
    return dp.plan(table, dp.count(by=["copy", "group"]), spend=dp.zcdp(1))


def enumerated(truths, moving):
    """A release in which the first numbers of each copy have all noises, and the chance of each."""
    law = planned(1, len(truths)).lines[0].laws[0]
    chances = {y: p for y, p in masses(law).items() if abs(y) <= law.half_width(REACH)}
    every = list(product(chances, repeat=moving))
    noisy = [
        truth + y
        for noise in every
        for truth, y in zip(truths, (*noise, *[0] * (len(truths) - moving)), strict=True)
    ]
    plan = planned(len(every), len(truths))
    return release_of(plan, [noisy]), [prod(chances[y] for y in noise) for noise in every], law


def missed(found, weights, true):
    """How often what is told misses, and how often it is told, at the worst of a copy's numbers."""
    many = len(found.low) // len(weights)
    wrong, shown = [0.0] * many, [0.0] * many
    rows = zip(found.values, found.low, found.high, strict=True)
    for at, (value, low, high) in enumerate(rows):
        place, weight = at % many, weights[at // many]
        if value is not None:
            shown[place] += weight
            wrong[place] += weight * (not low - 1e-9 <= true[place] <= high + 1e-9)
    return wrong, shown


@pytest.mark.claim("C460")
@pytest.mark.parametrize("alpha", ["0.3", "0.05"])
@pytest.mark.parametrize("truths", [(30, 25, 40), (9, 12, 12), (0, 7, 9)], ids=str)
def test_a_group_over_the_median_of_two_holds(alpha, truths):
    """As a ratio, and as a change in percent."""
    release, weights, _ = enumerated(truths, 3)
    top, *base = truths
    ratio = top / (sum(base) / 2)

    for kind, true in (("relative", ratio), ("change", 100 * (ratio - 1))):
        found = getattr(release, kind)(NAME, {"group": [1, 2]}, median=True, alpha=alpha)
        (wrong,), (shown,) = missed(found, weights, [true])
        assert shown > 0.5
        assert wrong <= float(alpha) * shown + SLACK


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C460")
def test_a_group_over_the_sum_of_two_holds():
    """The noise of both is below."""
    release, weights, _ = enumerated((9, 12, 12), 3)
    found = release.relative(NAME, {"group": [1, 2]}, alpha="0.3")
    (wrong,), (shown,) = missed(found, weights, [9 / 24])

    assert wrong <= 0.3 * shown + SLACK


@pytest.mark.claim("C460")
@pytest.mark.parametrize("base", [(0, 0), (0, 20), (2, 2)], ids=str)
def test_a_median_of_nothing_is_hardly_ever_told(base):
    """What is told and misses is at most alpha of what is told, where next to nothing is told."""
    release, weights, _ = enumerated((10, *base), 3)
    found = release.relative(NAME, {"group": [1, 2]}, median=True)
    true = 10 / (sum(base) / 2 or 1e-300)
    (wrong,), (shown,) = missed(found, weights, [true])

    assert wrong <= 0.05 * shown + 1e-4
    assert sum(base) or shown <= 2 / 2000


@pytest.mark.claim("C462")
@pytest.mark.parametrize(
    ("truths", "moving"),
    [((5, 5, 5), 3), ((5, 5, 60), 2), ((5, 9, 9), 3), ((5, 5, 5, 60, 60), 3), ((5, 5, 5, 60), 3),
     ((7, 7), 2), ((7,), 1), ((0, 0, 0, 0), 4)],
    ids=str,
)  # fmt: skip
def test_a_median_holds_at_each_level_that_its_noise_can_have(truths, moving):
    """At a level that noise just has, and at others; of numbers that hide behind far ones, too."""
    release, weights, law = enumerated(truths, moving)
    true = sorted(truths)[(len(truths) - 1) // 2] + sorted(truths)[len(truths) // 2]
    for alpha in (law.tail_up(0), law.tail_up(1), Fraction(1, 3), Fraction(1, 20)):
        found = release.median(NAME, "copy", alpha=alpha)
        (wrong,), _ = missed(found, weights, [true / 2])

        assert wrong <= float(alpha) + SLACK


@pytest.mark.claim("C461")
@pytest.mark.slow
@pytest.mark.parametrize("truths", [(5, 5, 5), (5, 5, 6)], ids=str)
def test_all_marked_orders_are_right_with_the_stated_chance(truths):
    """Of each noise a release: no range is left by any rank that a group can be said to have."""
    plan = planned(1, len(truths))
    law, alpha = plan.lines[0].laws[0], Fraction(1, 2)
    chances = {y: p for y, p in masses(law).items() if abs(y) <= 2}
    wrong = right = 0.0
    for noise in product(chances, repeat=len(truths)):
        noisy = [truth + y for truth, y in zip(truths, noise, strict=True)]
        found = release_of(plan, [noisy]).ranks(NAME, alpha=alpha)
        ranges = list(zip(found.low, found.high, strict=True))
        holds = all(
            low <= 1 + sum(t > truth for t in truths) and sum(t >= truth for t in truths) <= high
            for (low, high), truth in zip(ranges, truths, strict=True)
        )
        marked = all(
            ranges[i][1] >= ranges[j][0] or truths[i] > truths[j]
            for i, j in product(range(len(truths)), repeat=2)
        )
        assert marked or not holds
        weight = prod(chances[y] for y in noise)
        wrong, right = wrong + weight * (not holds), right + weight * holds

    assert wrong <= float(alpha)
    assert right >= 1 - float(alpha)
