"""Intervals that are a tenth too short are caught, and right ones are not.

Of one question with much noise a group stands 10,000 times in one table, so that one answer is as many
releases. A check counts misses: right intervals, which miss in 5 % or less, fail it with probability
1e-6 when the labelled tape is first drawn, by the exact binomial tail; afterwards for ever or never.
Intervals whose ends are moved in by a tenth miss in 7 to 8 %, which fails it but for one tape in a
thousand or fewer. Each tape makes about ten checks. Quantiles and shares: test_curve_coverage.py.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import discreet as dp
from coins import Tape
from discreet.aggregate import Noisy
from discreet.releases.document import compose
from discreet.releases.release import Release
from statistical.test_coverage import GROUPS, QUESTIONS, WAGE, exact_vector, truths

COPIES = 10_000
ALPHA = Fraction(1, 20)
ALARM = 1e-6
TENTH = 0.1
SPEND = dp.zcdp("1/20000")


def declared(**more):
    return dp.table(
        [],
        unit="row",
        columns={"wage": WAGE, "rest": WAGE, "debt": dp.bounds(0, 12_000, step="0.01")},
        keys={"copy": range(COPIES), **more},
        name="simulated",
    )


def is_caught(low, high, true, *, shorter=0.0):
    """Whether so many intervals miss that right ones hardly ever would."""
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    moved = (high - low) / 2 * shorter
    missed = ~((low + moved - 1e-9 <= true) & (true <= high - moved + 1e-9))
    return binom.sf(missed.sum() - 1, len(missed), float(ALPHA)) < ALARM


def noisy_of(law, exact, label):
    drawn = law.sample(len(exact), Tape(f"a tenth of {label}"))
    return Noisy(tuple(int(x) + z for x, z in zip(exact, drawn, strict=True)))


@pytest.mark.slow
@pytest.mark.claim("C16")
@pytest.mark.parametrize("name", ["count", "histogram", "sum", "mean", "vector", "variance"])
def test_a_tenth_less_is_caught_in_every_statistic(name):
    """Twenty thousand rows, spread over the bounds; each cell of a group by itself."""
    plan = dp.plan(declared(), QUESTIONS[name], spend=SPEND, alpha=ALPHA)
    (line,) = plan.lines
    (aggregate,), (law,) = line.aggregates, line.laws
    cells = GROUPS["thousand spread"] * 200
    exact = exact_vector(aggregate, cells) * COPIES
    answer = line.statistic.answer(plan.table, [noisy_of(law, exact, name)], [law], ALPHA)

    goals = truths(name, cells)
    for place, goal in enumerate(goals):
        low, high = (ends[place :: len(goals)] for ends in (answer.low, answer.high))
        assert not is_caught(low, high, goal)
        assert is_caught(low, high, goal, shorter=TENTH)


@pytest.mark.slow
@pytest.mark.claim("C62")
def test_a_tenth_less_is_caught_between_released_numbers():
    """Totals and differences of two numbers, and the same numbers at another alpha."""
    plan = dp.plan(declared(sex=["f", "m"]), dp.count(by=["copy", "sex"]), spend=SPEND)
    noisy = noisy_of(plan.laws[0], [1_000, 4_000] * COPIES, "counts by sex")
    release = Release(
        compose(plan, [noisy], request="r", created="2026-11-22T00:00:00+00:00", ledger=None)
    )
    name = "count by copy and sex"

    for found, true in [
        (release.total(name, by="copy"), 5_000),
        (release.difference(name, {"sex": "m"}, {"sex": "f"}), 3_000),
        (release.intervals(name), np.tile([1_000, 4_000], COPIES)),
    ]:
        assert not is_caught(found.low, found.high, true)
        assert is_caught(found.low, found.high, true, shorter=TENTH)
