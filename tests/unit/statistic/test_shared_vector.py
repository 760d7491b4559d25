"""A count and means as one vector: cheaper, with no question changed, and moved no further than said."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

import discreet as dp
from discreet.engine.memory import MemoryEngine
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.plans.plan import plan_of
from discreet.post.thresholds import for_interval
from discreet.statistic.ask import asked
from discreet.statistic.shared_vector import Joint
from unit.joined_questions import TABLE, count, least, mean, people

pytestmark = pytest.mark.claim("C82")
TWENTIETH = Fraction(1, 20)


@pytest.mark.parametrize(("questions", "most", "means", "apart", "together"), TABLE)
def test_the_table_of_the_design_within_a_hundredth(questions, most, means, apart, together):
    """The formula gives the table; and plans cost what it gives for what they promise.

    A plan promises more for less: a whole number within ±10 is one within 10.5 of the noisy one, and
    a mean's interval leaves a fiftieth of alpha for whether it is shown.
    """
    found = least(most, means)

    assert found[0] == pytest.approx(float(apart), rel=0.01)
    assert found[1] == pytest.approx(float(together), rel=0.01)

    plan = dp.plan(people(), *questions)
    wide = DiscreteGaussian(Fraction(10**12))
    z, z_mean = (wide.half_width(alpha) / 10**6 for alpha in (TWENTIETH, for_interval(TWENTIETH)))
    alone, best = least(most and most + 0.5, means, z, z_mean)
    assert best * 0.999 < float(plan.cost.rho) < best * 1.01
    assert float(dp.plan(people(), *questions, share=False).cost.rho) == pytest.approx(
        alone, rel=0.01
    )


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("kind", ["zcdp", "gdp"])
def test_each_wanted_error_is_kept_and_the_price_is_that_of_the_vector(neighbors, kind):
    """No noise of six digits more keeps them all; the lines' prices add up to the plan's."""
    questions = TABLE[5][0]
    plan = dp.plan(people(neighbors), *questions, kind=kind)
    (vector,) = {line.shared for line in plan.lines}

    def kept(law):
        pairs = zip(plan.lines, questions, strict=True)
        return all(
            plan.goal(line).most(e) >= e.half_width
            for line, e in (
                (line, line.statistic.expected(plan.table, (law,) * 2, plan.alpha))
                for line, _ in pairs
            )
        )

    (law,) = {law for line in plan.lines for law in line.laws}
    more = DiscreteGaussian(law.sigma2 * Fraction(100_001, 100_000))
    assert kept(law)
    assert not kept(more)
    assert plan.cost == plan.price(kind)
    assert sum(line.share.numbers[0] for line in plan.lines) == pytest.approx(
        float(plan.cost.numbers[0]), rel=1e-4
    )
    assert [event["sensitivity"] for event in plan.events()] == [vector.moved.plain()]
    assert plan_of(plan.plain()) == plan
    assert "counted as one vector" in str(plan)


APART = {
    "a column with missing cells": [count(10), dp.mean("open", by="ward", within="1%", rows=200)],
    "another grouping": [count(10), dp.mean("a", within="2%", rows=200)],
    "other rows": [count(10), dp.mean("a", by="ward", within="2%", rows=200, where="smoker = 1")],
    "all at once": [count(10), dp.mean("a", by="ward", within="2%", rows=200, together=True)],
    "weighted": [count(10), dp.mean("a", by="ward", weights="age", within="2%", rows=200)],
    "nothing to share": [count(10)],
    "no mean": [count(10), dp.sum("a", by="ward", within=10**6)],
    "hardly cheaper": [count(200), mean("a", 2, 200)],
}


@pytest.mark.parametrize("questions", APART.values(), ids=APART)
def test_nothing_is_joined_that_would_change_a_question_or_saves_nothing(questions):
    plan = dp.plan(people(), *questions)

    assert not any(line.shared for line in plan.lines)
    assert "one vector" not in str(plan)


def test_one_open_column_keeps_only_its_own_mean_apart():
    """The count and the complete column are joined; the mean with missing cells has its own count."""
    questions = [count(10), mean("a", 2, 200), dp.mean("open", by="ward", within="2%", rows=200)]
    plan = dp.plan(people(), *questions)

    assert [line.shared is not None for line in plan.lines] == [True, True, False]
    assert plan.lines[2].laws == dp.plan(people(), questions[2]).lines[0].laws


def test_pure_loss_shares_nothing_and_share_false_forbids_it():
    questions = TABLE[0][0]
    pure = dp.plan(people(), *questions, kind="pure")
    apart = dp.plan(people(), *questions, share=False)

    assert not any(line.shared for line in (*pure.lines, *apart.lines))
    assert apart.plain()["share"] is False
    assert plan_of(apart.plain()) == apart
    assert apart.digest != dp.plan(people(), *questions).digest
    with pytest.raises(InputError, match="share = 1 is neither true nor false"):
        dp.plan(people(), *questions, share=1)


ROWS = (("A", -1), ("A", 2), ("B", -1), ("B", 2), ("B", None))


def moves(joint, most, neighbors):
    """How far one unit moves the whole vector, over everything that it may hold, by brute force."""
    declared = dp.table(
        [],
        unit=dp.unit("who", max_rows=most),
        neighbors=neighbors,
        columns={
            "v": dp.bounds(-1, 2, step=1, missing=1),
            "w": dp.bounds(-1, 2, step=1, missing=2),
        },
        keys={"ward": ["A", "B"]},
        name="small",
    )
    parts = (*(joint.sum_of(declared, name) for name in joint.columns), joint.count(declared))
    held = []
    for size in range(most + 1):
        for cells in combinations_with_replacement(ROWS, size):
            rows = [{"who": 1, "ward": ward, "v": v, "w": v and 1 - v} for ward, v in cells]
            table = dp.table(
                rows, unit=declared.unit, columns=declared.columns, keys=declared.keys, name="small"
            )
            exact = MemoryEngine().prepare(table, parts).count(1)
            held.append([x for one in exact for x in one.opened_by_the_door()])
    empty = held[0]
    pairs = [(one, empty) for one in held]
    if neighbors == "replace":
        pairs = [(one, other) for one in held for other in held]
    gaps = [[abs(a - b) for a, b in zip(*pair, strict=True)] for pair in pairs]
    found = (max(map(sum, gaps)), max(sum(g * g for g in gap) for gap in gaps), max(map(max, gaps)))
    return declared, found


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("rows", [1, 4, 40], ids=["light", "as heavy", "heavy"])
@pytest.mark.parametrize("most", [1, 2])
def test_one_unit_moves_the_vector_as_far_as_declared_and_no_further(rows, most, neighbors):
    """With a light count and with a heavy one, where c^2 is above S: squares are attained."""
    joint = Joint(asked("ward", None, None, 1), ("v", "w"), (2, 1), rows)
    declared, (l1, squares, largest) = moves(joint, most, neighbors)
    moved = joint.moved(declared)

    assert l1 <= moved.l1
    assert squares <= moved.l2_squared
    assert largest <= moved.linf
    assert squares == moved.l2_squared
    parts = [joint.sum_of(declared, "v"), joint.sum_of(declared, "w"), joint.count(declared)]
    assert moved.l2_squared <= sum(one.sensitivity.l2_squared for one in parts)


def test_a_heavy_count_is_what_four_times_the_sums_would_miss():
    """The planted fault: 4 S r2 alone is exceeded in the replace relation where c^2 > S."""
    joint = Joint(asked("ward", None, None, 1), ("v", "w"), (2, 1), 40)
    _, (_, squares, _) = moves(joint, 1, "replace")

    assert squares > 4 * ((2 * 3) ** 2 + 3**2)
