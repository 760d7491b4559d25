"""The museum of faults: mistakes that systems of this kind have made, looked for in this one.

Each test says what must be true here; the number in its docstring is the entry's in the museum.
These are of how far one unit moves a vector, and what noise costs.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import inf, nan

import pytest

import discreet as dp
from adversarial.moves import declared_move, exceeds, move
from adversarial.museum import ENGINES, EVERY, KEYS, OTHERS, PERSON, counted, declared, row
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.plans.line import law_for
from discreet.releases import draws
from discreet.releases.run import prepared_for, released
from discreet.sensitivity import Sensitivity


def largest(statistic, people, *, neighbors, **how):
    """The largest moves over all pairs of these people beside the same others."""
    vectors = [
        counted("memory", [*OTHERS, *own], [statistic], neighbors=neighbors, **how)[0]
        for own in people
    ]
    starts = vectors if neighbors == "replace" else vectors[:1]
    moves = [move(one, other) for one in starts for other in set(vectors)]
    return tuple(max(found[i] for found in moves) for i in range(3))


def people(wards, costs, most):
    """Every person with up to `most` rows; first one with none."""
    rows = [row("ann", ward, cost) for ward, cost in product(wards, costs)]
    return [own for size in range(most + 1) for own in combinations_with_replacement(rows, size)]


def said(statistic, **how):
    (aggregate,) = statistic.aggregates(declared([], **how))
    return declared_move(aggregate.sensitivity)


@pytest.mark.claim("C07")
@pytest.mark.parametrize("limit", [1, 2])
def test_exchanging_a_person_with_k_rows_moves_a_group_by_what_is_declared_for_2k(limit):
    """Entry 2: a limit of k rows is not the largest change: k may go while k others come."""
    statistic = dp.count(by="ward")
    unit = dp.unit("who", max_rows=limit)

    found = largest(statistic, people(KEYS, [1.0], limit), neighbors="replace", unit=unit)

    assert found == said(statistic, neighbors="replace", unit=unit)
    assert found[0] == 2 * limit


@pytest.mark.claim("C07")
def test_a_declaration_cannot_change_under_a_plan():
    """Entry 3: a plan's noise stays with its bounds; later ones do not slip under it."""
    columns, keys, edges = {"cost": dp.bounds(0, 1, step=1)}, {"ward": ["A"]}, [0, 1]
    table = dp.table(OTHERS, unit="row", columns=columns, keys=keys)
    plan = dp.plan(table, dp.sum("cost"), dp.histogram("cost", bins=edges), spend=dp.pure(1))
    digest = plan.digest
    columns["cost"] = dp.bounds(0, 10**6, step=1)
    keys["ward"].append("B")
    edges[:] = [0, 10**6]

    assert (plan.digest, plan.with_spend(dp.pure(1)).digest) == (digest, digest)
    for change in (
        lambda: table.columns.__setitem__("cost", dp.bounds(0, 10**6)),
        lambda: table.keys.__setitem__("ward", ["Z"]),
        lambda: setattr(table, "unit", PERSON),
        lambda: setattr(table.columns["cost"], "upper", Fraction(10**6)),
        lambda: setattr(plan.lines[0], "laws", ()),
        lambda: setattr(plan.aggregates[0].sensitivity, "l1", 1),
    ):
        with pytest.raises((AttributeError, TypeError)):
            change()
    assert plan.digest == digest


@pytest.mark.claim("C07")
@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_each_question_keeps_its_own_limits_in_a_shared_pass(engine):
    """Entry 3: rows that one question bounded are not another question's rows."""
    rows = [row("ann", ward, 3.0) for ward in KEYS for _ in range(4)]
    unit = dp.unit("who")
    limits = product((1, 3), (1, 2))
    asked = [dp.count(by="ward", max_rows_per_group=n, max_groups=g) for n, g in limits]

    together = counted(engine, rows, asked, unit=unit)
    alone = [counted(engine, rows, [one], unit=unit)[0] for one in asked]

    assert [sum(vector) for vector in together] == [1, 2, 3, 6]
    assert together == alone


RICH = [1e300, -1e300, inf, -inf, nan, 1e19, -3.5, 3.49999, 4.0]


@pytest.mark.exhaustive
@pytest.mark.claim("C07")
@pytest.mark.slow
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", EVERY)
def test_every_statistic_clamps_what_it_is_given(name, engine, neighbors):
    """Entry 12: what is declared to be clamped is clamped, in every vector of every statistic."""
    (aggregate,) = EVERY[name].aggregates(declared([], neighbors=neighbors))
    leaves = [row("bob", "C", -2.0)] * 2 if neighbors == "replace" else []
    how = {"neighbors": neighbors}

    (before,) = counted(engine, [*OTHERS, *leaves], [EVERY[name]], **how)
    for cost in RICH:
        (after,) = counted(engine, [*OTHERS, *[row("ann", "A", cost)] * 5], [EVERY[name]], **how)

        assert not exceeds(move(before, after), aggregate.sensitivity)


UNBOUNDED = {
    "no bounds at all": lambda: dp.table([], unit="row", columns={"cost": None}),
    "a column without bounds": lambda: dp.plan(
        dp.table([], unit="row"), dp.sum("cost"), spend=dp.pure(1)
    ),
    "infinite bounds": lambda: dp.bounds(0, inf),
    "bounds of nothing": lambda: dp.bounds(-inf, inf),
    "bounds that are NaN": lambda: dp.bounds(nan, 1),
    "a unit without a limit": lambda: dp.plan(
        declared([], unit=dp.unit("who")), dp.count(by="ward"), spend=dp.pure(1)
    ),
    "a zero loss": lambda: dp.plan(declared([]), dp.count(), spend=dp.pure(0)),
    "no loss": lambda: dp.plan(declared([]), dp.count(), spend=None),
    "a loss without end": lambda: dp.pure(inf),
    "Laplace noise of scale 0": lambda: DiscreteLaplace(Fraction(0)),
    "Gaussian noise of sigma2 0": lambda: DiscreteGaussian(Fraction(0)),
    "noise for no sensitivity": lambda: DiscreteGaussian.calibrated(dp.zcdp(1), l1=1, l2_squared=0),
}


@pytest.mark.claim("C18")
@pytest.mark.parametrize("what", UNBOUNDED)
def test_no_noise_is_made_for_a_move_without_a_bound(what):
    """Entry 13: a missing bound never becomes an infinite sensitivity, and that no noise."""
    with pytest.raises(InputError):
        UNBOUNDED[what]()


@pytest.mark.claim("C07")
@pytest.mark.parametrize("numbers", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (-1, 1, 1)])
def test_no_sensitivity_is_below_one(numbers):
    """Entry 13 and 15: nor does a sensitivity of 0 or less exist."""
    with pytest.raises(dp.errors.InternalError):
        Sensitivity(*numbers)


def cost_of(event):
    """The price of one event by the formulas of the papers, from its plain data alone."""
    noise, far = event["noise"], {k: Fraction(v) for k, v in event["sensitivity"].items()}
    if noise["law"] == "discrete_laplace":
        return far["l1"] / Fraction(noise["scale"])
    return far["l2_squared"] / (2 * Fraction(noise["sigma2"]))


@pytest.mark.claim("C06")
@pytest.mark.parametrize("spend", [dp.pure("3/7"), dp.zcdp("3/70")], ids=str)
@pytest.mark.parametrize("asked", [*[[name] for name in EVERY], list(EVERY)], ids="+".join)
def test_the_price_is_the_sum_over_all_noise_that_is_drawn(asked, spend, monkeypatch):
    """Entry 14: a mean is priced by the vectors it draws noise for, not by its name."""
    drawn = Counter()
    honest = draws.drawn

    def spied(asked, **how):
        for law, sensitivity, cells in asked:
            drawn[str(law.plain()), str(sensitivity.plain()), cells] += 1
        return honest(asked, **how)

    plan = dp.plan(declared(OTHERS), *[EVERY[name] for name in asked], spend=spend)
    monkeypatch.setattr(draws, "drawn", spied)
    released(plan, prepared_for(plan), paid=spend)

    (whole,) = spend.numbers  # noise has six digits, rounded to the safe side
    assert whole * (1 - Fraction(1, 10**4)) <= sum(map(cost_of, plan.events())) <= whole
    assert drawn == Counter(
        (str(event["noise"]), str(event["sensitivity"]), event["cells"]) for event in plan.events()
    )


RANGES = [(0, 1), (-1, 0), (-3, 2), (2, 5), (-5, -2), (-4, 4)]


@pytest.mark.claim("C07")
@pytest.mark.slow
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("bounds", RANGES, ids=str)
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_both_bounds_enter_the_sensitivity(name, bounds, neighbors):
    """Entry 15 and 21: for each pair of bounds the largest move is the declared one, never 0."""
    how = {"bounds": dp.bounds(*bounds, step=1), "neighbors": neighbors, "unit": "row"}

    found = largest(EVERY[name], people(KEYS, [-9.0, 9.0], 1), **how)

    assert found == said(EVERY[name], **how)
    assert min(found) >= 1


@pytest.mark.claim("C07")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_mean_does_not_take_the_count_for_public(engine):
    """Entry 21: with one unit more or less the count is private, too: it gets its own noise.

    Two tables with the same mean and other counts give other integers, within what is declared.
    """
    few = [row(f"p{i}", "A", 1.0) for i in range(4)]
    more = [*few, row("ann", "A", 1.0)]
    one, other = (counted(engine, rows, [EVERY["mean"]])[0] for rows in (few, more))
    (aggregate,) = EVERY["mean"].aggregates(declared([]))

    assert len(one) == 2 * len(KEYS)
    assert one != other
    assert not exceeds(move(one, other), aggregate.sensitivity)


@pytest.mark.claim("C06")
@pytest.mark.claim("C07")
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_euclidean_length_is_squared_once(limit):
    """Entry 22: a person with k rows in one group moves by k, so sigma2 = k^2 / (2 rho)."""
    unit = dp.unit("who", max_rows=limit)
    statistic = dp.count(by="ward")

    found = largest(statistic, people(["A"], [1.0], limit), neighbors="add_remove", unit=unit)
    (aggregate,) = statistic.aggregates(declared([], unit=unit))

    assert found[1] == limit**2 == aggregate.sensitivity.l2_squared
    assert law_for(dp.zcdp("1/50"), aggregate) == DiscreteGaussian(25 * limit**2)
    assert law_for(dp.pure("1/5"), aggregate) == DiscreteLaplace(5 * limit)
