"""Counts between public bounds: clamped or remapped, with a shorter interval that holds."""

from fractions import Fraction

import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post.interval import clamped, half_width_between, remapped

ALPHA = Fraction(1, 20)
FAR = 700
WIDE = DiscreteLaplace(Fraction(10))  # epsilon = 0.1
LAWS = [
    DiscreteLaplace(Fraction(3)),
    WIDE,
    DiscreteLaplace(Fraction(40)),
    DiscreteGaussian(Fraction(90)),
]
BOUNDS = [(0, 1), (0, 30), (5, 36), (0, 400)]


def error(told, truth, law=WIDE):
    """The mean distance of what is told from the truth, by the law of the noise."""
    noisy = range(truth - FAR, truth + FAR + 1)
    return sum(
        abs(x - truth) * float(law.mass(y - truth)) for x, y in zip(told(noisy), noisy, strict=True)
    )


@pytest.mark.claim("C59")
def test_the_mean_errors_are_those_of_the_document():
    """At truth 20 between 0 and 30, epsilon = 0.1: 9.98 as drawn, 7.47 clamped, 4.96 remapped."""
    assert error(list, 20) == pytest.approx(9.98, abs=0.005)
    assert error(lambda noisy: clamped(noisy, 0, 30), 20) == pytest.approx(7.47, abs=0.005)
    assert error(lambda noisy: remapped(noisy, WIDE, 0, 30), 20) == pytest.approx(4.96, abs=0.005)


def missed(law, truth, low, high, half):
    """How often a clamped number is off by more."""
    noisy = range(truth - FAR, truth + FAR + 1)
    return sum(
        float(law.mass(y - truth))
        for x, y in zip(clamped(noisy, low, high), noisy, strict=True)
        if abs(x - truth) > half
    )


@pytest.mark.exhaustive
@pytest.mark.claim("C59")
@pytest.mark.claim("C16")
@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize(("low", "high"), BOUNDS)
@pytest.mark.slow
def test_the_half_width_is_the_least_that_holds(law, low, high):
    """For every truth between the bounds; one less misses too often for some truth."""
    half = half_width_between(law, ALPHA, low, high)
    step = max(1, (high - low) // 40)

    truths = {*range(low, high + 1, step), high, (low + high) // 2, (low + high + 1) // 2}
    assert max(missed(law, x, low, high, half) for x in truths) <= 0.05 + 1e-9
    if half > 0:
        assert max(missed(law, x, low, high, half - 1) for x in truths) > 0.05


@pytest.mark.claim("C59")
def test_an_interval_that_is_a_tenth_too_short_is_caught():
    """The check above has power: 23 hold, 20 do not."""
    assert half_width_between(WIDE, ALPHA, 0, 30) == 23
    assert missed(WIDE, 0, 0, 30, 20) > 0.05


def test_answers_lie_between_their_bounds():
    """Value and ends; the plan says the shorter half-width, at the price of a plain count."""
    table = dp.table([], unit="row", keys={"k": range(4)}, name="t")
    question = dp.count(by="k", between=(0, 30), remap=True)
    plain, short = (
        dp.plan(table, one, spend=dp.pure("0.1")) for one in (dp.count(by="k"), question)
    )

    answer = question.answer(table, [Noisy((-200, 3, 20, 99))], [WIDE], ALPHA)

    assert answer.values == (6, 7, 19, 24)
    assert (answer.low, answer.high) == ((0, 0, 0, 7), (23, 26, 30, 30))
    assert plain.cost == short.cost
    assert "±30" in str(plain)
    assert "±23" in str(short)
    assert "count between 0 and 30, remapped by k" in str(short)
    assert dp.count(between=[0, 30]) == dp.count(between=(0, 30))


@pytest.mark.slow
def test_a_bounded_count_is_released_and_verified(tmp_path):
    """And not cleaned as if its noise were that of the law."""
    table = dp.table([{"k": 1}] * 20, unit="row", keys={"k": [1, 2]}, name="t")
    plan = dp.plan(table, dp.count(by="k", between=(0, 30)), dp.count(by="k"), spend=dp.zcdp(2))
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "book", budget=dp.zcdp(2)))

    release.save(tmp_path / "out")
    assert dp.verify(tmp_path / "out", ledger=tmp_path / "book").checks
    assert repr(dp.denoise(release, "raw")) == "<Cleaned t: count by k by raw>"


REFUSED = {
    "one end": lambda: dp.count(between=[3]),
    "text": lambda: dp.count(between="0 to 30"),
    "no whole numbers": lambda: dp.count(between=[0, 2.5]),
    "reversed": lambda: dp.count(between=[9, 3]),
    "below zero": lambda: dp.count(between=[-1, 3]),
    "far apart": lambda: dp.count(between=[0, 10**6]),
    "remap alone": lambda: dp.count(remap=True),
}


@pytest.mark.claim("C18")
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_bound_is_refused(case):
    """In three lines."""
    with pytest.raises(InputError) as caught:
        REFUSED[case]()

    assert len(str(caught.value).split("\n")) == 3
