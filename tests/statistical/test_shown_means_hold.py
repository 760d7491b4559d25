"""Means that are shown: hardly ever of nobody, and right as often as they say given that they are.

Each group stands many times in one table, so that one call of `answer` is many releases. A share is
refused where its exact binomial tail at the bound is below ALARM, and the file makes fewer than 200
such checks.
"""

from dataclasses import replace
from fractions import Fraction
from statistics import fmean

import numpy as np
import pytest
from scipy.stats import binom

import discreet as dp
from discreet.aggregate import Ball, Noisy
from discreet.entropy import Coins
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post import ratio, thresholds
from measures import by_hand

COPIES = 20_000
ALARM = 1e-9
ALPHA = Fraction(1, 20)
WAGE = dp.bounds(-20, 100, step="0.5")
QUESTIONS = {
    "mean": dp.mean("wage", by="copy"),
    "vector": dp.mean(["wage", "rest"], by="copy"),
    "ball": dp.mean(["wage", "rest"], by="copy", ball=45),
}
LOSSES = [
    dp.zcdp("1/50"), dp.zcdp("1/4"), dp.zcdp(2), dp.pure("1/8"), dp.pure("1/2"),
]  # fmt: skip
GROUPS = {
    f"{rows} rows {where}": [cell] * rows
    for rows in (1, 5, 30)
    for where, cell in {"at a bound": -20, "inside": 10}.items()
}


def declared(neighbors="add_remove"):
    return dp.table(
        None,
        unit="row",
        columns={"wage": WAGE, "rest": WAGE},
        keys={"copy": range(COPIES)},
        neighbors=neighbors,
        name="simulated",
    )


def exact(aggregate, cells):
    """The integers of one group, counted here by hand; the rest is what is left to 80."""
    steps = [(int(2 * cell), int(160 - 2 * cell)) for cell in cells]
    if len(aggregate.measures) == 2:
        rows = [lambda _, x=x: x for x, _ in steps]
        return [by_hand(m, rows) for m in aggregate.measures]
    read = aggregate.measures[0].values[0].point.read
    points = [read({"wage": x, "rest": y}) for x, y in steps]
    rows = [lambda value, p=p: p[value.place] for p in points]
    return [by_hand(m, rows) for m in aggregate.measures]


def truths(name, cells):
    if name == "mean":
        return [fmean(cells)]
    if name == "vector":
        return [fmean(cells), 80 - fmean(cells)]
    moved = Ball((160, 160), 180).moved((int(2 * cells[0]), int(160 - 2 * cells[0])))
    return [40 + one / 4 for one in moved]


def answered(plan, cells, *, told=None):
    """The answer to many copies of one group."""
    (line,) = plan.lines
    (aggregate,), (law,) = line.aggregates, line.laws
    noise = law.sample(COPIES * len(aggregate.measures), Coins())
    noisy = Noisy(tuple(np.add(exact(aggregate, cells) * COPIES, noise).tolist()))
    return line.statistic.answer(plan.table, [noisy], [told or law], ALPHA)


def shown_and_right(name, answer, cells):
    """For each column: how many copies show a number, and how many of these hold the truth."""
    goals = truths(name, cells)
    for place, goal in enumerate(goals):
        rows = zip(
            answer.values[place :: len(goals)],
            answer.low[place :: len(goals)],
            answer.high[place :: len(goals)],
            strict=True,
        )
        held = [low - 1e-9 <= goal <= high + 1e-9 for value, low, high in rows if value is not None]
        yield len(held), sum(held)


def too_rarely_right(name, loss, neighbors="add_remove", *, told=None):
    """The groups whose shown intervals miss more often than one time in twenty."""
    plan = dp.plan(declared(neighbors), QUESTIONS[name], spend=loss, alpha=ALPHA)
    found = {
        group: list(shown_and_right(name, answered(plan, cells, told=told and told(plan)), cells))
        for group, cells in GROUPS.items()
    }
    return {
        group: columns
        for group, columns in found.items()
        for seen, right in columns
        if binom.cdf(right, seen, 0.95) < ALARM
    }


def quieter(plan):
    (law,) = plan.laws
    if isinstance(law, DiscreteLaplace):
        return replace(law, scale=law.scale * Fraction(2, 3))
    return DiscreteGaussian(law.sigma2 * Fraction(4, 9))


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C16")
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_mean_that_is_shown_is_right_as_often_as_it_says(name, loss):
    """Given that it is shown: of groups of 1, 5 and 30 rows, at a bound and between them."""
    assert too_rarely_right(name, loss) == {}


@pytest.mark.slow
@pytest.mark.claim("C16")
def test_a_mean_that_is_shown_is_right_where_units_are_replaced():
    """The other relation has other noise, and the same rule."""
    assert too_rarely_right("mean", dp.zcdp(2), "replace") == {}


@pytest.mark.slow
@pytest.mark.claim("C16")
@pytest.mark.parametrize("name", QUESTIONS)
def test_intervals_that_forget_that_only_some_are_shown_are_caught(name, monkeypatch):
    """The check has power: made at alpha for whoever is shown, intervals of few rows miss more."""
    monkeypatch.setattr(ratio, "levels", plain_levels)

    assert too_rarely_right(name, dp.zcdp("1/4"))
    assert too_rarely_right(name, dp.pure("1/2"))


@pytest.mark.slow
@pytest.mark.claim("C16")
@pytest.mark.parametrize("name", QUESTIONS)
def test_intervals_for_noise_a_third_too_small_are_caught(name):
    """The check has power: told of too little noise, shown intervals miss too often."""
    assert too_rarely_right(name, dp.zcdp(2), told=quieter)


def plain_levels(counts, above, alpha):
    """What was wrong: one level for all that reach the line."""
    return np.where(counts >= thresholds.least_count(above), float(alpha), 0.0)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C16")
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_group_with_nobody_in_it_shows_no_mean(name, loss):
    """At most one time in 2,000, whatever the noise."""
    plan = dp.plan(declared(), QUESTIONS[name], spend=loss, alpha=ALPHA)

    answer = answered(plan, [])
    width = len(answer.values) // COPIES
    seen = [sum(v is not None for v in answer.values[place::width]) for place in range(width)]
    assert min(binom.sf(np.array(seen) - 1, COPIES, 1 / 2000)) >= ALARM


@pytest.mark.slow
@pytest.mark.claim("C16")
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_rule_that_shows_whatever_is_above_alpha_is_caught(name, monkeypatch):
    """The check has power: with the line where one empty group in forty reaches it, it fails."""
    monkeypatch.setattr(thresholds, "SEEN", 1 / 40)
    monkeypatch.setattr(ratio, "levels", plain_levels)

    with pytest.raises(AssertionError):
        test_a_group_with_nobody_in_it_shows_no_mean(name, dp.zcdp("1/50"))


def widths(name, loss, times):
    """How much wider the rule makes intervals of groups of so many times the count's error."""
    plan = dp.plan(declared(), QUESTIONS[name], spend=loss, alpha=ALPHA)
    off = answered(plan, []).rows_within
    cells = [10] * round(times * off)
    answer = answered(plan, cells)
    shown_wide = [b - a for a, b in zip(answer.low, answer.high, strict=True)]
    said = np.mean([value is not None for value in answer.values])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratio, "levels", plain_levels)
        plain = answered(plan, cells)
    plain_wide = [b - a for a, b in zip(plain.low, plain.high, strict=True)]
    return said, np.median(shown_wide) / np.median(plain_wide)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("loss", [dp.zcdp("1/50"), dp.pure("1/8")], ids=str)
@pytest.mark.parametrize("name", ["mean", "vector"])
def test_the_rule_costs_little_where_there_are_many_rows(name, loss):
    """From six times the error of the count on; below one and a half times mostly nothing is said.

    Both are far from what is asserted, for 20,000 draws: .13 and 1.007 at most, five deviations of
    the median being .008.
    """
    (few, _), (many, wider) = (widths(name, loss, times) for times in (1.5, 6))

    assert few < 0.5
    assert many > 0.99
    assert wider < 1.02
