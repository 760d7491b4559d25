"""Counts of a public number of rows or units lie between 0 and it; what is derived of them does not
rest on that.
"""

from fractions import Fraction

import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.noise.discrete_laplace import DiscreteLaplace

ALPHA = Fraction(1, 20)
UNIT = dp.unit("u", max_rows=2)


def declared(neighbors="replace", unit="row", **sizes):
    return dp.table(
        "t.csv",
        unit=unit,
        neighbors=neighbors,
        columns={"x": dp.bounds(0, 4)},
        keys={"k": ["a", "b"]},
        **sizes,
    )


def questions(by=None):
    """Every statistic that tells numbers of rows or units, with the measure of its numbers."""
    return [
        dp.count(by),
        dp.count(by, where="x > 2"),
        dp.count(by, between=[3, 40]),
        dp.count(by, between=[3, 40], remap=True),
        dp.histogram("x", by, bins=2),
    ]


@pytest.mark.claim("C272")
@pytest.mark.parametrize("question", questions(), ids=lambda one: one.label)
def test_no_count_leaves_0_and_the_public_number(question):
    """Each noisy number moves to the nearer of both, or not at all, and no interval that held
    misses: of each truth that can be, by enumeration.
    """
    law, most = DiscreteLaplace(Fraction(6)), 30
    cells = question.aggregates(declared(rows=most))[0].size(declared(rows=most))
    for noisy in range(-60, 100):
        given = ([Noisy((noisy,) * cells)], [law], ALPHA)
        told = question.answer(declared(rows=most), *given)
        free = question.answer(declared("add_remove", rows=most), *given)
        for x, y, low, high, below, above in zip(
            told.values, free.values, told.low, told.high, free.low, free.high, strict=True
        ):
            assert 0 <= low <= x <= high <= most
            for truth in range(most + 1):
                assert abs(x - truth) <= abs(y - truth)
                assert (low <= truth <= high) or not below <= truth <= above
                far = abs(noisy - truth) > law.half_width(ALPHA)
                assert (low <= truth <= high) or far or getattr(question, "between", None)


@pytest.mark.claim("C272")
@pytest.mark.parametrize(
    ("table", "question", "most"),
    [
        (declared(rows=30), dp.count(), 30),
        (declared(unit=UNIT, rows=30), dp.count(), 30),
        (declared(unit=UNIT, rows=30, units=20), dp.count_units(), 20),
        (declared(unit=UNIT, units=20), dp.count(), None),
        (declared(unit=UNIT, rows=30), dp.count_units(), None),
        (declared("add_remove", rows=30), dp.count(), None),
        (declared(), dp.count(), None),
    ],
)
def test_what_is_public_and_not_hidden_alone_moves_a_count(table, question, most):
    """Under add_remove, and of sizes that nobody declared, numbers stay as the noise made them."""
    law = DiscreteLaplace(Fraction(6))
    for noisy, expected in ((-9, 0), (33, most), (17, 17)):
        (told,) = question.answer(table, [Noisy((noisy,))], [law], ALPHA).values
        assert told == (noisy if most is None else expected)


@pytest.mark.claim("C272")
def test_what_is_derived_is_made_of_the_noisy_integers():
    """Totals, differences and means of counts have the errors of the noise, as without a number."""
    table = dp.table([], name="t", unit="row", neighbors="replace", keys={"k": range(40)}, rows=30)
    release = dp.rehearse(dp.plan(table, dp.count("k"), spend=dp.pure("1/10")))

    noisy = release.document.statistics[0].vectors[0].noisy
    told = [row["value"] for row in release["count by k"].rows]
    (total,) = release.total("count by k")

    assert told == [min(max(x, 0), 30) for x in noisy] != list(noisy)
    assert total["value"] == sum(noisy) != sum(told)
    assert dp.verify(release)


@pytest.mark.claim("C272")
def test_where_counts_are_not_moved_they_add_up():
    """Under add_remove a public number moves none: else a total would refuse what was released.

    That all of 40 numbers of scale 100 lie from 0 to 1 has a chance below 10^-80.
    """
    table = dp.table([], name="t", unit="row", keys={"k": range(40)}, rows=1)
    release = dp.rehearse(dp.plan(table, dp.count("k"), spend=dp.pure("1/100")))
    (total,) = release.total("count by k")

    assert total["value"] == sum(release.document.statistics[0].vectors[0].noisy)
