"""The sample form of a variance: its value, its interval, and what it is of few rows."""

from fractions import Fraction
from statistics import stdev, variance

import numpy as np
import pytest

import discreet as dp
from coins import Tape
from discreet.aggregate import Noisy
from discreet.engine.memory import MemoryEngine
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.post.thresholds import factors
from engine.sources import opened
from statistical.test_coverage import GROUPS, declared, exact_vector

ALPHA = Fraction(1, 20)
COPIES = 2_000
LEAST = 0.95 - 6 * (0.05 * 0.95 / COPIES) ** 0.5  # 6 deviations, 1e-9
FEW = {"two": [-20, 100], "eight": [0, 80] * 4, "sixty": [-20, 30, 31] * 20}


def answered(question, cells, spend, label):
    """As many releases as there are copies of a group, on a labelled tape."""
    plan = dp.plan(declared("add_remove"), question, spend=spend)
    (line,) = plan.lines
    (aggregate,), (law,) = line.aggregates, line.laws
    exact = exact_vector(aggregate, cells) * COPIES
    drawn = law.sample(len(exact), Tape(f"{label} {spend}"))
    noisy = Noisy(tuple(x + z for x, z in zip(exact, drawn, strict=True)))
    return line.statistic.answer(plan.table, [noisy], [law], ALPHA)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C100")
@pytest.mark.parametrize("ask", [dp.variance, dp.std])
@pytest.mark.parametrize("spend", [dp.pure(3), dp.zcdp("1/50"), dp.zcdp(20)], ids=str)
def test_intervals_hold_the_sample_form_of_few_rows_and_of_many(ask, spend):
    """In 2,000 releases; a value lies in its interval, and says more than that of the rows alone."""
    for group in ("two", "eight", "sixty", "thousand spread"):
        cells = {**GROUPS, **FEW}[group]
        true = float((variance if ask is dp.variance else stdev)(map(Fraction, cells)))
        found = answered(ask("wage", by="copy", sample=True), cells, spend, group)

        held = [a - 1e-9 <= true <= b + 1e-9 for a, b in zip(found.low, found.high, strict=True)]
        assert sum(held) >= LEAST * COPIES, group
        rows = zip(found.low, found.values, found.high, strict=True)
        assert all(value is None or low <= value <= high for low, value, high in rows)


@pytest.mark.claim("C100")
def test_a_factor_is_n_over_one_less_between_its_ends():
    """With hardly any noise, of two rows to many; and 1 to 2 where nobody knows."""
    law = DiscreteGaussian(Fraction(1))
    found = factors(np.array([2e6, 3e6, 1e9, 0.0]), 10**6, law, 3, Fraction(1, 100))

    assert found.value.tolist() == pytest.approx([2, 3 / 2, 1000 / 999, 2])
    assert (found.low <= found.value).all()
    assert (found.value <= found.high).all()
    assert found.high[:3].tolist() == pytest.approx(found.low[:3].tolist(), rel=1e-4)
    assert (found.low[3], found.high[3]) == pytest.approx((1, 2))
    wide = factors(np.array([10.0]), 1, DiscreteGaussian(Fraction(4)), 3, Fraction(1, 100))
    assert wide.low[0] < 10 / 9 < wide.high[0]
    assert wide.high[0] > 1.5  # of about three rows


@pytest.mark.claim("C100")
@pytest.mark.parametrize("shift", [-1, 1])
def test_a_covariance_of_a_sample_lies_between_its_factors(shift):
    """Of both signs: the population's interval is widened away from 0, and never past twice it."""
    columns = {name: dp.bounds(0, 10, step=1) for name in ("x", "y")}
    rows = [{"x": i % 11, "y": 5 + shift * (i % 11 - 5)} for i in range(40)]
    table = dp.table(rows, unit="row", name="t", columns=columns)
    true = np.cov([r["x"] for r in rows], [r["y"] for r in rows])[0, 1]

    plan = dp.plan(table, dp.covariance(["x", "y"], sample=True), spend=dp.zcdp(2000))
    (line,) = plan.lines
    (aggregate,) = line.aggregates
    (exact,) = opened(MemoryEngine().prepare(table, [aggregate]).count(1))
    answer = line.statistic.answer(table, [Noisy(tuple(exact))], line.laws, ALPHA)
    assert answer.values[0] == pytest.approx(true, rel=1e-2)
    assert answer.low[0] <= true <= answer.high[0]
    assert answer.label == "covariance (x, y), sample"
    nothing = line.statistic.answer(table, [Noisy((0,) * len(exact))], line.laws, ALPHA)
    assert nothing.values == (None,)
    assert (nothing.low[0], nothing.high[0]) == pytest.approx((-50, 50))


def test_a_sample_is_asked_by_its_name_and_refused_otherwise():
    """In a plan, in plain data; what is neither yes nor no is refused in three lines."""
    question = dp.variance("wage", by="copy", sample=True)

    assert question.label == "variance wage, sample by copy"
    assert question.plain()["sample"] is True
    assert "sample" not in dp.variance("wage").plain()
    with pytest.raises(InputError, match="sample = 1 is neither true nor false"):
        dp.std("wage", sample=1)
