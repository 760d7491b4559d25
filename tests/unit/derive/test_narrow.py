"""Derived numbers that are shown where their intervals are narrow enough."""

from fractions import Fraction
from itertools import product

import pytest
from flint import ctx

import discreet as dp
from discreet.derive.derived import DerivedColumn
from discreet.derive.narrow import rule_of, shown_by
from discreet.derive.recipes import made
from discreet.errors import InputError
from discreet.noise.discrete_laplace import DiscreteLaplace
from property.test_derived_numbers import release_of
from unit.derive.test_baselines import NAME, counts

ALPHA = Fraction(1, 20)
LAW = DiscreteLaplace(Fraction(4))
LEFT_OUT = Fraction(1, 10**6)


def masses(reach):
    """The chance of each noise, cut where hardly anything is left."""
    with ctx.workprec(128):
        return {y: float(LAW.mass(abs(y))) for y in range(-reach, reach + 1)}


def numbers_at(noisy):
    """What makes the intervals of noisy numbers at a level, as a kind of derived numbers does."""

    def made(level):
        half = LAW.half_width(level)
        return DerivedColumn(noisy, [y - half for y in noisy], [y + half for y in noisy])

    return made


def false_rate(truths, draws, *, apart):
    """The expected part of missed intervals among those that are shown, by adding up chances."""
    rule, rate = rule_of("45%"), 0.0
    for noise, chance in draws:
        noisy = [t + z for t, z in zip(truths, noise, strict=True)]
        shown = shown_by(rule, numbers_at(noisy), (ALPHA, ALPHA), together=False, apart=apart)
        ends = zip(shown.places, shown.numbers.low, shown.numbers.high, strict=True)
        wrong = [not low <= truths[place] <= high for place, low, high in ends]
        rate += chance * sum(wrong) / max(1, len(wrong))
    return rate


@pytest.mark.claim("C475")
@pytest.mark.parametrize("truths", [[0] * 12, [12] * 8, [0] * 30 + [40], range(0, 60, 5)], ids=str)
def test_of_numbers_with_noise_in_common_few_that_are_shown_are_missed(truths):
    """All share one noise, the worst there is; exact sums over its law."""
    draws = [([y] * len(truths), mass) for y, mass in masses(LAW.half_width(LEFT_OUT)).items()]

    assert false_rate(truths, draws, apart=False) <= ALPHA


@pytest.mark.slow
@pytest.mark.claim("C475")
@pytest.mark.parametrize("truths", [[0, 0], [0, 12], [10, 40]], ids=str)
def test_of_numbers_with_noise_of_their_own_few_that_are_shown_are_missed(truths):
    """Two numbers, each outcome of both; exact sums."""
    one = masses(40).items()
    draws = [((a, b), p * q) for (a, p), (b, q) in product(one, one)]

    assert false_rate(truths, draws, apart=True) <= ALPHA


@pytest.mark.claim("C475")
@pytest.mark.parametrize("apart", [False, True])
def test_of_many_nothings_the_one_that_noise_lifted_is_held(apart):
    """Of 1,000 it is the only one that is shown: its plain interval is far from 0, and this is not."""
    noisy = [30] + [0] * 999
    made = numbers_at(noisy)
    shown = shown_by(rule_of("45%"), made, (ALPHA, ALPHA), together=False, apart=apart)

    assert shown.places == [0]
    assert made(ALPHA).low[0] > 0 >= shown.numbers.low[0]
    assert "1 of 1,000 numbers are shown" in shown.notes[0]


@pytest.mark.claim("C475")
@pytest.mark.parametrize("kind", ["relative", "change"])
def test_what_is_not_narrow_is_left_out(kind):
    """Its row is not there; the others keep their keys and their values; the recipe makes them again."""
    release = counts([900, 800, 90, 8, 400, 500])
    every = getattr(release, kind)(NAME, {"side": "m"})
    wanted = 4 if kind == "change" else "4%"
    found = getattr(release, kind)(NAME, {"side": "m"}, within=wanted)
    rows = {row["copy"]: row for row in found}

    assert [*rows] == [0, 2]
    assert list(found.values) == [every.values[0], every.values[2]]
    assert "2 of 3 numbers are shown" in str(found)
    assert "hides nothing" in str(found)
    again = made(release.document, found.recipe)
    assert again.plain() == found.plain()


@pytest.mark.slow
@pytest.mark.claim("C475")
def test_a_rule_of_what_is_shown_widens_intervals_by_how_few_are():
    """The fewer are shown, the wider; all at once they are those without a rule."""
    release = counts([900, 800, 9, 100, 400, 500])
    plain = release.relative(NAME, {"side": "m"})
    rate = release.relative(NAME, {"side": "m"}, within="4%")
    both = release.relative(NAME, {"side": "m"}, within="4%", together=True)
    joint = release.relative(NAME, {"side": "m"}, together=True)

    for place, row in zip((0, 2), rate, strict=True):
        assert row["low"] < plain.low[place]
        assert row["high"] > plain.high[place]
    assert list(both.high) == [joint.high[0], joint.high[2]]


def test_what_is_no_width_is_refused():
    with pytest.raises(InputError, match="must be above 0"):
        counts([9, 8]).change(NAME, {"side": "m"}, within=0)


def test_where_nothing_is_narrow_nothing_is_shown():
    found = counts([9, 8]).change(NAME, {"side": "m"}, within="0.001")

    assert len(list(found)) == 0
    assert "0 of 1 numbers are shown" in str(found)


@pytest.mark.claim("C475")
def test_a_ratio_of_two_statistics_is_left_out_where_it_is_wide():
    """By its own interval; the sum over fewer groups is another ratio, with a rule of its own."""
    people = [{"ward": w, "ill": i} for w in "AB" for i in (0, 1) for _ in range(300)]
    table = dp.table(people, unit="row", name="p", keys={"ward": ["A", "B"], "ill": [0, 1]})
    asks = [dp.count(by="ward", where="ill = 1"), dp.count(by="ward")]
    plan = dp.plan(table, *asks, spend=dp.zcdp(1))
    release = release_of(plan, [[300, 4], [600, 6]])
    (row,) = release.ratio(*release.keys(), within="10%")
    (both,) = release.ratio(*release.keys(), by=[], within="10%")

    assert row["ward"] == "A"
    assert both["value"] == pytest.approx(304 / 606)
