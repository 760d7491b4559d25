"""Totals, differences, ratios and shares cover as often as they say, alone and together.

Each group stands many times in one table, so that one release is many. A share of misses is refused
where its exact binomial tail at the bound is below ALARM; the file makes fewer than 100 such checks.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import discreet as dp
from adversarial.moves import counted
from coins import Tape
from discreet.aggregate import Noisy
from discreet.derive.ratios import ratio
from discreet.engine.memory import MemoryEngine
from discreet.post import fieller
from discreet.releases.document import compose
from discreet.releases.release import Release
from engine.sources import opened

COPIES = 600
ALARM = 1e-9
SPENDS = [dp.zcdp("1/4"), dp.pure("1/4"), dp.pure(8)]
SIZES = [0, 1, 30, 1_000, 100_000]


def release_of(plan, truths, label):
    """A release of these truths: what the door would have let through."""
    noisy = [
        Noisy(tuple((np.array(truth) + law.sample(len(truth), Tape(f"{label} {at}"))).tolist()))
        for at, (truth, law) in enumerate(zip(truths, plan.laws, strict=True))
    ]
    return Release(
        compose(plan, noisy, request="r", created="2026-11-22T00:00:00+00:00", ledger=None)
    )


def planned(*questions, spend, copies=COPIES):
    table = dp.table(
        [],
        unit="row",
        name="simulated",
        keys={"copy": range(copies), "sex": ["f", "m"]},
        columns={"pay": dp.bounds(0, 10, step="0.5")},
    )
    return dp.plan(table, *questions, spend=spend)


def refuse_too_many(missed, alpha=0.05):
    missed = list(missed)
    assert binom.sf(sum(missed) - 1, len(missed), alpha) > ALARM, (sum(missed), len(missed))


def misses(derived, truths):
    return [
        not low <= truth <= (np.inf if high is None else high)
        for low, high, truth in zip(derived.low, derived.high, truths, strict=True)
    ]


@pytest.mark.claim("C62")
@pytest.mark.parametrize("spend", SPENDS, ids=str)
def test_totals_and_differences_cover(spend):
    """Both sexes of each copy, added and taken away; and the whole, which is one number."""
    truths = np.tile([7, 40], COPIES)
    release = release_of(
        planned(dp.count(by=["copy", "sex"]), spend=spend), [truths], f"sum {spend}"
    )
    name = "count by copy and sex"

    refuse_too_many(misses(release.total(name, by="copy"), [47] * COPIES))
    found = release.difference(name, {"sex": "f"}, {"sex": "m"})
    refuse_too_many(misses(found, [-33] * COPIES))
    (whole,) = release.total(name)
    assert abs(whole["value"] - 47 * COPIES) <= 3 * (whole["high"] - whole["value"])


@pytest.mark.claim("C63")
@pytest.mark.parametrize("spend", SPENDS, ids=str)
def test_intervals_that_hold_together_do(spend):
    """60 releases of 20 groups: at most one of twenty has any miss; one by one, most have."""
    plan, missed, alone = planned(dp.count(by="copy"), spend=spend, copies=20), [], 0
    for at in range(60):
        release = release_of(plan, [[100] * 20], f"joint {spend} {at}")
        found = release.intervals("count by copy", together=True)
        missed.append(any(misses(found, [100] * 20)))
        alone += any(misses(release["count by copy"], [100] * 20))
    refuse_too_many(missed)
    assert alone > 2 * sum(missed) or spend == SPENDS[-1]  # whose noise is hardly there


@pytest.mark.exhaustive
@pytest.mark.claim("C62")
@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("spend", SPENDS[:2], ids=str)
def test_ratios_and_shares_cover_where_they_are_shown(spend, rows):
    """Groups of nobody show next to none; of few, those shown hold the truth as of many."""
    paid, counted = 8 * rows, [rows] * COPIES
    plan = planned(dp.sum("pay", by="copy"), dp.count(by="copy"), spend=spend)
    release = release_of(plan, [[2 * paid] * COPIES, counted], f"ratio {spend} {rows}")
    found = release.ratio("sum pay by copy", "count by copy")
    shown = [value is not None for value in found.values]
    wrong = misses(found, [8.0] * COPIES)

    if rows == 0:
        assert binom.sf(sum(shown) - 1, COPIES, 1 / 2000) > ALARM
        return
    refuse_too_many(w for w, told in zip(wrong, shown, strict=True) if told)
    truths = np.tile([rows // 3, rows - rows // 3], COPIES)
    both = release_of(planned(dp.count(by=["copy", "sex"]), spend=spend), [truths], f"{rows}")
    found = both.share("count by copy and sex", "copy")
    shown = [value is not None for value in found.values]
    wrong = misses(found, truths / rows)
    for sex in (0, 1):  # the two shares of a group are one
        told = zip(wrong[sex::2], shown[sex::2], strict=True)
        refuse_too_many(w for w, is_told in told if is_told)


@pytest.mark.claim("C62")
def test_a_ratio_is_hardly_wider_than_it_must_be():
    """With many rows the half-width is z sigma sqrt(1 + t^2) / b, to two parts in a hundred."""
    plan = planned(dp.count(by="copy"), dp.count(by=["copy"], weight=3), spend=dp.zcdp("1/400"))
    release = release_of(plan, [[50_000] * COPIES, [100_000] * COPIES], "wide")
    found = ratio(release.document, "count by copy (1)", "count by copy (2)")
    sigmas = [float(law.sigma2) ** 0.5 for law in plan.laws]
    wanted = 1.96 * np.hypot(sigmas[0], 0.5 * sigmas[1]) / 100_000
    widths = (np.array(found.high) - np.array(found.low)) / 2

    assert wanted <= np.median(widths) <= 1.02 * wanted


@pytest.mark.exhaustive
@pytest.mark.claim("C127")
@pytest.mark.parametrize(
    ("spend", "rows"),
    [(dp.zcdp("1/400"), rows) for rows in [(1, 90), (60, 110), (90, 400), (5_000, 1_000)]]
    + [(dp.pure("1/4"), rows) for rows in [(30, 60), (200, 100)]],
    ids=str,
)
def test_differences_of_means_cover_where_both_are_shown(spend, rows):
    """Of few rows and of many, on both sides of the line between both kinds of interval."""
    plan = planned(dp.mean("pay", by=["copy", "sex"]), spend=spend)
    steps = [(6 * n, 14 * n) for n in rows[:1]] + [(17 * n, 3 * n) for n in rows[1:]]
    vector = [x for pair in steps for x in pair] * COPIES
    release = release_of(plan, [vector], f"means {spend} {rows}")
    found = release.difference("mean pay by copy and sex", {"sex": "f"}, {"sex": "m"})
    true = (6 - 17) / 2
    told = [value is not None for value in found.values]
    wrong = misses(found, [true] * COPIES)
    refuse_too_many(w for w, is_told in zip(wrong, told, strict=True) if is_told)
    ends = zip(found.low, found.values, found.high, strict=True)
    assert all(value is None or low <= value <= high for low, value, high in ends)


@pytest.mark.claim("C127")
@pytest.mark.parametrize("spend", [dp.zcdp("1/400"), dp.pure("1/4")], ids=str)
def test_a_difference_of_means_is_hardly_wider_than_it_must_be(spend):
    """Of 100,000 rows and more: within 1 % of what the noise of both passes in one of twenty."""
    plan = planned(dp.mean("pay", by=["copy", "sex"]), spend=spend, copies=100)
    release = release_of(plan, [[600_000, 1_400_000, 2_550_000, 450_000] * 100], f"near {spend}")
    found = release.difference("mean pay by copy and sex", {"sex": "f"}, {"sex": "m"})
    weights = np.array([0.7, 0.3, 0.15, 0.85]) / np.array([1e5, 1e5, 1.5e5, 1.5e5])
    (law,) = plan.laws
    exact = law.continuous().widths(weights[None, :], [0.05])[0, 0] / 2
    half = (np.array(found.high) - np.array(found.low)) / 2

    assert exact <= half.min() * 1.001
    assert half.max() <= 1.01 * exact


@pytest.mark.claim("C62")
def test_intervals_too_short_are_caught(monkeypatch):
    """The checks of this file have power."""
    real = fieller._quantile
    monkeypatch.setattr(fieller, "_quantile", lambda *sizes: 0.75 * real(*sizes))
    with pytest.raises(AssertionError):
        for spend in SPENDS[:1]:
            test_ratios_and_shares_cover_where_they_are_shown(spend, 1_000)


THIRDS = [
    (6, 3, 1),
    (1, 4, 5),
]  # of ten rows, how many have the least pay, the middle one, the most
SQUARE = 20**2  # of the bounds in steps


def spread(parts):
    """The variance of pay, and the weights of the noise in it, of ten rows."""
    low, _, high = (part / sum(parts) for part in parts)
    mean, weights = high - low, np.array([1.0, 0.0, 1.0])
    variance = low + high - mean**2
    return 25 * variance, weights + 2 * mean * np.array([1, 0, -1]) + mean**2 - variance


def planned_spread(name, tens, spend, copies):
    """A plan of variances or standard deviations, the sums of both groups, and what is true."""
    ask = {"variance": dp.variance, "std": dp.std}[name]
    plan = planned(ask("pay", by=["copy", "sex"]), spend=spend, copies=copies)
    sums = [SQUARE * n * part for n, parts in zip(tens, THIRDS, strict=True) for part in parts]
    one, two = (spread(parts)[0] for parts in THIRDS)
    return plan, sums, one - two if name == "variance" else one**0.5 - two**0.5


@pytest.mark.exhaustive
@pytest.mark.claim("C127")
@pytest.mark.parametrize(
    ("name", "spend", "tens"),
    [("variance", dp.zcdp("1/100"), tens) for tens in [(1, 20), (9, 20), (40, 10), (500, 900)]]
    + [("variance", dp.pure(1), (20, 30)), ("std", dp.pure(1), (600, 300))]
    + [("std", dp.zcdp("1/100"), tens) for tens in [(9, 20), (500, 900), (2_000, 300)]],
    ids=str,
)
def test_differences_of_variances_cover_where_both_are_shown(name, spend, tens):
    """Of few rows and of many, on both sides of the lines between classes; and of their roots."""
    plan, sums, true = planned_spread(name, tens, spend, 200)
    release = release_of(plan, [sums * 200], f"{name} {spend} {tens}")
    found = release.difference(f"{name} pay by copy and sex", {"sex": "f"}, {"sex": "m"})
    told = [value is not None for value in found.values]
    refuse_too_many(
        w for w, is_told in zip(misses(found, [true] * 200), told, strict=True) if is_told
    )
    assert all(map(np.less_equal, found.low, found.high))


@pytest.mark.exhaustive
@pytest.mark.claim("C127")
@pytest.mark.parametrize("name", ["variance", "std"])
@pytest.mark.parametrize("spend", [dp.zcdp("1/400"), dp.pure("1/4")], ids=str)
def test_a_difference_of_variances_is_hardly_wider_than_it_must_be(name, spend):
    """Of two million rows: within 1 % of what the noise of both passes in one of twenty."""
    tens = (200_000, 300_000)
    plan, sums, _ = planned_spread(name, tens, spend, 20)
    release = release_of(plan, [sums * 20], f"near {name} {spend}")
    found = release.difference(f"{name} pay by copy and sex", {"sex": "f"}, {"sex": "m"})
    weights = []
    for n, parts in zip(tens, THIRDS, strict=True):
        variance, own = spread(parts)
        root = 2 * variance**0.5 if name == "std" else 1
        weights.append(25 * own / (SQUARE * 10 * n) / root)
    law = plan.laws[0].continuous()
    exact = law.widths(abs(np.concatenate(weights))[None, :], [0.05])[0, 0]
    half = (np.array(found.high) - np.array(found.low)) / 2

    assert exact <= half.min() * 1.001
    assert half.max() <= 1.01 * exact


PAY = {"f": [i % 21 / 2 for i in range(700)], "m": [i % 9 / 2 for i in range(400)]}


@pytest.mark.claim("C166")
@pytest.mark.parametrize("name", ["std", "median"])
def test_differences_of_other_numbers_cover(name):
    """Of standard deviations and medians of two groups."""
    ask, copies = {"std": dp.std, "median": dp.median}[name], 200
    rows = [{"copy": 0, "sex": sex, "pay": pay} for sex in PAY for pay in PAY[sex]]
    one, plan = (
        planned(ask("pay", ["copy", "sex"]), spend=dp.zcdp("1/4"), copies=n) for n in (1, copies)
    )
    prepared = MemoryEngine().prepare(replace(one.table, source=rows), one.aggregates)
    (exact,) = counted(one.aggregates, opened(prepared.count(0)))
    label = f"{name} pay by copy and sex"
    release = release_of(plan, [list(exact) * copies], f"{name}")
    true = [np.std(PAY[s]) if name == "std" else np.median(PAY[s]) for s in "fm"]

    found = release.difference(label, {"sex": "f"}, {"sex": "m"})
    assert None not in found.values
    refuse_too_many(misses(found, [true[0] - true[1]] * copies))
