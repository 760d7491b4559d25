"""Shares and ratios at any noise: no exception, an end wherever the bound has one, and the truth
without noise.

At the same noisy numbers the interval at less noise lies in that at more, but for a step of the
lattice: 1 in the top, and 1 in the bottom.
"""

from fractions import Fraction
from functools import partial
from math import isfinite, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.post import fieller
from discreet.post.fieller import Ratio, sum_tail
from discreet.post.thresholds import levels
from shares import in_parts

pytestmark = pytest.mark.claim("C240")

TABLE = dp.table([{"k": "a"}], unit="row", keys={"k": ["a", "b"]}, name="t")
ALPHA = Fraction(1, 20)
PURE = ["0.01", "0.1", "1", "4", "8", "10", "20", "40", "200"]
ZCDP = ["1e-4", "1/50", "1", "5", "50", "1500"]
LOSSES = [*map(dp.pure, PURE), *map(dp.zcdp, ZCDP)]


def law_of(loss):
    return dp.plan(TABLE, dp.count(by="k"), spend=loss).laws[0]


LAWS = [law_of(loss) for loss in LOSSES]


def interval(ratio, a, b):
    """The ends of one interval; None where there is none."""
    ends = (end.item() for end in ratio.intervals([a], [b]))
    return tuple(None if isnan(end) else end for end in ends)


@in_parts(5)
@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(LAWS),
    st.sampled_from(LAWS),
    st.integers(1, 1_000),
    st.integers(1, 1_000),
    st.one_of(st.integers(-1_000, 1_000), st.integers(-(10**12), 10**12)),
    st.one_of(st.integers(1, 300), st.integers(1, 10**12)),
)
def test_an_interval_has_ends_that_hold_the_noisy_ratio_or_none(top, bottom, many, more, a, b):
    """Of 1 to 1,000 draws each, of any two laws, numbers up to 10^12."""
    low, high = interval(Ratio([(top, many)], [(bottom, more)], 1.0, ALPHA), a, b)

    for end in (low, high):
        assert end is None or isfinite(end)
    slack = 1e-9 * (1 + abs(a / b))
    assert low is None or low <= a / b + slack
    assert high is None or high >= a / b - slack


def bound_of(ratio, t):
    """What the noise stays below at one ratio, from its node."""
    apart = ratio._kept["half top"] + t * ratio._kept["half bottom"]
    if float(ratio.alpha) < fieller._LEAST or apart == 0:
        return apart
    unit, parts = ratio._kept["unit"], fieller._NODES
    if t <= unit:
        node = round(t / unit * parts)
        away = abs(t - node / parts * unit)
        return min(apart, ratio._at(node) + away * ratio._kept["moved bottom"])
    node = round(unit / t * parts)
    away = abs(1 - t / unit * node / parts)
    value = ratio._at(2 * parts - node) if node < parts else ratio._at(parts) / unit
    return min(apart, t * value + away * ratio._kept["moved top"])


def one_by_one(ratio, a, b):
    """The ends of one interval, each by halving on its own, in plain floats."""

    bound = partial(bound_of, ratio)

    def root(grows):
        low, high = 0.0, 1.0
        while grows(high) <= 0:
            low, high = high, 2 * high
        while low == 0.0 and high > 1e-300 and grows(high / 2) > 0:
            high /= 2
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (low, middle) if grows(middle) > 0 else (middle, high)
        return high

    def upper(a):
        if b <= ratio._kept["bottom"]:
            return None
        if a + bound(0.0) < 0:
            return -root(lambda u: u * b + bound(u) + a)
        far = 2.0**30 * (ratio._kept["unit"] + abs(a) + 1)
        return root(lambda t: t * b - a - bound(t)) if far * b - a - bound(far) > 0 else None

    up, down = upper(a), upper(-a)
    return None if down is None else -down * ratio.worth, None if up is None else up * ratio.worth


@pytest.mark.claim("C367")
@pytest.mark.parametrize("law", LAWS[2::6], ids=["1", "200", "1500 (rho)"])
def test_many_intervals_at_once_are_those_of_one_by_one(law):
    """With ends and without, of tops below 0, of bottoms near their noise, and far beyond it."""
    size = law.half_width(ALPHA)
    tops = [-size, 0, 9 * size + 1]
    bottoms = [1, 3 * size + 3, 50 * size + 5]
    pairs = [(a, b) for a in tops for b in bottoms]
    low, high = Ratio([(law, 1)], [(law, 3)], 0.5, ALPHA).intervals(*zip(*pairs, strict=True))
    alone = Ratio([(law, 1)], [(law, 3)], 0.5, ALPHA)

    for (a, b), mine in zip(pairs, zip(low.tolist(), high.tolist(), strict=True), strict=True):
        expected = one_by_one(alone, a, b)
        for end, other, out in zip(mine, expected, (-1, 1), strict=True):
            if other is None:
                assert end != end
            elif b > alone._kept["moved bottom"]:  # the bound rises more slowly than b: one place
                assert end == pytest.approx(other, rel=1e-4, abs=1e-300)
            else:  # of several places between two nodes the outermost
                t, unit = abs(other) / alone.worth, alone._kept["unit"]
                cell = max(unit, t * t / unit) / fieller._NODES * alone.worth
                assert -1e-4 * abs(other) <= out * (end - other) <= 2 * cell


def test_a_top_of_much_more_noise_than_the_bottom_raises_nothing_under_a_callers_settings():
    """A bound at 0, of a unit of 1e43, took the logarithm of a number that had become 0."""
    ratio = Ratio([(law_of(dp.pure("0.01")), 1)], [(law_of(dp.pure(200)), 1)], 1.0, ALPHA)
    assert ratio._kept["unit"] > 1e40
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        low, high = interval(ratio, 3, 1)
    assert low < 3 < high


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("loss", ["0.001", "0.005", "1", "8"])
def test_a_bottom_just_above_its_noise_has_an_end_or_none(loss):
    """67 of 399 bottoms just above the half width of their noise ended in an OverflowError."""
    law = law_of(dp.pure(loss))
    ratio = Ratio([(law, 1)], [(law, 1)], 1.0, ALPHA)
    first = int(ratio._kept["bottom"])
    ends = [interval(ratio, 45, b)[1] for b in range(max(1, first), first + 60)]

    assert None in ends[:3] or first == 0
    told = [end for end in ends if end is not None]
    assert all(isfinite(end) for end in told)
    assert told == sorted(told, reverse=True)  # a larger bottom, a smaller end


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["pure", "zcdp"])
@pytest.mark.parametrize(("a", "b"), [(100, 900), (0, 50), (45, 111), (3, 1_000_000)])
def test_less_noise_makes_no_interval_longer(kind, a, b):
    """But for a step of the lattice; and without noise it is the ratio itself."""
    losses = [dp.pure(one) for one in PURE] if kind == "pure" else [dp.zcdp(one) for one in ZCDP]
    before = None
    for loss in losses:
        law = law_of(loss)
        low, high = interval(Ratio([(law, 1)], [(law, 3)], 1.0, ALPHA), a, b)
        step = (1 + a / b) / b
        if before is not None:
            assert before[0] is None or low >= before[0] - step
            assert before[1] is None or high <= before[1] + step
        before = (low, high)

    assert before[0] == pytest.approx(a / b, abs=1e-12)
    assert before[1] == pytest.approx(a / b, abs=1e-12)


@pytest.mark.parametrize(
    "loss", [dp.pure(8), dp.pure(10), dp.pure(40), dp.zcdp(150), dp.zcdp(1500)]
)
def test_a_count_whose_noise_is_0_is_surely_shown(loss):
    """Its share was "too few to say" where there was no noise at all."""
    import numpy as np

    (found,) = levels(np.array([1_000.0]), sum_tail([(law_of(loss), 4)]), ALPHA)

    assert found == pytest.approx(0.049)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("loss", [dp.pure(1), dp.pure(8), dp.pure(10), dp.pure(40), dp.zcdp(1500)])
def test_a_released_share_is_as_exact_as_its_counts(loss, tmp_path):
    """Counts of 100, 200, 300 and 400: a tenth, exactly where the counts are exact."""
    rows = [{"k": k} for k, n in zip("abcd", (100, 200, 300, 400), strict=True) for _ in range(n)]
    table = dp.table(rows, unit="row", keys={"k": [*"abcd"]}, name="t")
    ledger = dp.ledger(tmp_path / "t.ledger", budget=loss)
    release = dp.run(dp.plan(table, dp.count(by="k"), spend=loss), ledger=ledger)
    share = release.share("count by k").table()
    low, high = share.column("low")[0], share.column("high")[0]

    if loss == dp.pure(1):
        assert high - low < 0.02
    else:
        assert high - low < 1e-6
