"""The museum of faults: mistakes that systems of this kind have made, looked for in this one.

Each test says what must be true here; the number in its docstring is the entry's in the museum.
"""

import re
from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, permutations, product
from math import inf, nan
from operator import add

import pyarrow as pa
import pytest

import discreet as dp
from adversarial.moves import declared_move, exceeds, move
from adversarial.rivers import in_csv
from coins import Tape
from discreet.engine.choose import engine_for
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.plans.line import law_for
from discreet.releases import door
from discreet.releases import run as room
from discreet.releases.opened import prepared_for
from discreet.releases.run import released
from discreet.sensitivity import Sensitivity

KEYS = ["A", "B", "C"]
PERSON = dp.unit("who", max_rows=2)
SCHEMA = pa.schema([("who", pa.string()), ("ward", pa.string()), ("cost", pa.float64())])
ENGINES = {"memory": list, "duckdb": lambda rows: pa.Table.from_pylist(list(rows), schema=SCHEMA)}
EVERY = {
    "count": dp.count(by="ward"),
    "count_units": dp.count_units(by="ward"),
    "sum": dp.sum("cost", by="ward"),
    "mean": dp.mean("cost", by="ward"),
    "histogram": dp.histogram("cost", by="ward", bins=2),
}


def row(who, ward, cost):
    return {"who": who, "ward": ward, "cost": cost}


OTHERS = [row(f"p{i}", KEYS[i % 3], i - 2.0) for i in range(6)]


def declared(source, *, unit=PERSON, neighbors="add_remove", bounds=None):
    return dp.table(
        source,
        name="t",
        unit=unit,
        columns={"cost": bounds or dp.bounds(-2, 3, step=1)},
        keys={"ward": KEYS},
        neighbors=neighbors,
    )


def counted(engine, rows, statistics, *, salt=1, **how):
    """The private integers of each vector: tests may look at them."""
    table = declared(ENGINES[engine](rows), **how)
    aggregates = tuple(a for one in statistics for a in one.aggregates(table))
    found = engine_for(table.source).prepare(table, aggregates).count(salt)
    return [one.opened_by_the_door() for one in found]


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


@pytest.mark.claim("C09")
@pytest.mark.parametrize("cell", ["1e+05", "1e5 ", "12 Elm St", "٣", "0x1p3", "1,5", "NaN", ""])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_cell_that_is_no_plain_number_stops_nothing_and_is_not_told(engine, cell, tmp_path):
    """Entry 9: a cell that does not parse is missing; no error, and no text, quotes it."""
    rows = [{"ward": "A", "cost": text} for text in (cell, "2", cell)]
    source = rows if engine == "memory" else in_csv(rows, tmp_path / "visits.csv")
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.pure(1))
    plan = dp.plan(
        declared(source, unit="row"), dp.mean("cost"), dp.sum("cost"), spend=dp.pure("1/2")
    )

    release = dp.run(plan, ledger=ledger)

    texts = [str(plan), str(release), release.document.text(), repr(ledger.book())]
    assert cell.strip() in ("", "NaN") or not any(cell in text for text in texts)


@pytest.mark.claim("C16")
@pytest.mark.slow
def test_counts_of_empty_groups_average_to_zero_and_go_below_it(tmp_path):
    """Entry 10: nothing is clipped unless asked: 4,000 empty groups have no bias.

    Their mean has standard deviation 5 / sqrt(4000) = 0.08; false alarm beyond 0.5 below 1e-9.
    """
    table = dp.table([], unit="row", keys={"ward": range(4_000)}, name="t")
    plan = dp.plan(table, dp.count(by="ward"), spend=dp.zcdp("1/50"))

    release = dp.run(plan, ledger=dp.ledger(tmp_path / "l", budget=dp.zcdp(1)))
    values = release.table().column("value")

    assert plan.laws == (DiscreteGaussian(Fraction(25)),)
    assert values == release.document.statistics[0].vectors[0].noisy
    assert abs(sum(values) / 4_000) < 0.5
    assert sum(value < 0 for value in values) > 1_000
    assert abs(sum(max(0, value) for value in values) / 4_000) > 1  # what clipping would have done


RICH = [1e300, -1e300, inf, -inf, nan, 1e19, -3.5, 3.49999, 4.0]


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
    honest = door.drawn

    def spied(asked, *, paid, coins):
        for law, sensitivity, cells in asked:
            drawn[str(law.plain()), str(sensitivity.plain()), cells] += 1
        return honest(asked, paid=paid, coins=coins)

    plan = dp.plan(declared(OTHERS), *[EVERY[name] for name in asked], spend=spend)
    monkeypatch.setattr(door, "drawn", spied)
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


class Coins(Tape):
    """A tape that gives the same coins to two rivers."""

    def __init__(self) -> None:
        super().__init__("museum")

    def salt(self) -> int:
        return int.from_bytes(self.bytes(8), "little") >> 2


@pytest.mark.claim("C17")
@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("spend", [dp.pure("1/3"), dp.zcdp("1/30")], ids=str)
def test_what_may_come_out_does_not_depend_on_what_went_in(spend, engine, monkeypatch):
    """Entry 16: the same coins give the same noise on every table; results lie on one grid."""
    monkeypatch.setattr(room, "Coins", Coins)
    noises, steps = [], []
    for rows in ([], OTHERS, [*OTHERS, row("ann", "A", 1e300)], [row("x", "B", 0.1)] * 50):
        table = declared(ENGINES[engine](rows), bounds=dp.bounds(0, 1, step="0.1"))
        plan = dp.plan(table, *EVERY.values(), spend=spend)
        prepared = engine_for(table.source).prepare(table, plan.aggregates)
        _, noisy = released(plan, prepared_for(plan), paid=spend)
        coins = Coins()
        room._noise(plan, spend, coins)
        exact = prepared.count(coins.salt())
        noises.append(
            [
                tuple(n - x for n, x in zip(one.values, other.opened_by_the_door(), strict=True))
                for one, other in zip(noisy, exact, strict=True)
            ]
        )
        total = EVERY["sum"].answer(table, [noisy[2]], [plan.laws[2]], plan.alpha)
        steps += [float(Fraction(value).limit_denominator(10)) == value for value in total.values]

    assert all(noise == noises[0] for noise in noises)
    assert all(type(z) is int for vector in noises[0] for z in vector)
    assert all(steps)


@pytest.mark.claim("C18")
@pytest.mark.parametrize("engine", ENGINES)
def test_bounds_bins_keys_and_steps_never_come_from_the_data(engine, tmp_path):
    """Entry 19: what is not declared is refused, and no plan depends on a cell."""
    few, many = ([row("a", "A", cost)] * 3 for cost in (1.0, 1e9))
    plans = set()
    for rows in (few, many, []):
        table = dp.table(
            ENGINES[engine](rows),
            unit="row",
            columns={"cost": dp.bounds(0, 7)},
            keys={"ward": ["A"]},
            name="t",
        )
        plan = dp.plan(table, dp.histogram("cost"), dp.sum("cost", by="ward"), spend=dp.pure(1))
        plans.add((plan.digest, str(plan), str(plan.events())))
        bare = dp.table(ENGINES[engine](rows), unit="row", name="t")
        for question in (dp.sum("cost"), dp.mean("cost"), dp.histogram("cost"), dp.count("ward")):
            with pytest.raises(InputError, match=r"cost|ward"):
                dp.plan(bare, question, spend=dp.pure(1))

    assert len(plans) == 1


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


HARD = [0.1, 0.2, 0.3, 2.0**52, -(2.0**52), 1.0, 1e16, -1e16, 1e-9]


@pytest.mark.claim("C07")
@pytest.mark.claim("C08")
@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_sums_do_not_depend_on_order_and_one_row_moves_them_by_itself(engine):
    """Entry 25: cells are rounded once, each by itself; integers add up in any order."""
    how = {"bounds": dp.bounds(-(2**52), 2**52, step=1), "unit": "row"}
    asked = [dp.sum("cost"), dp.mean("cost", by="ward")]
    rows = [row("p", "A", cost) for cost in HARD]
    orders = [rows, rows[::-1], sorted(rows, key=lambda r: abs(r["cost"])), *first(rows, 8)]

    sums = [counted(engine, order, asked, **how) for order in orders]
    alone = [counted(engine, [one], asked, **how) for one in rows]

    assert all(found == sums[0] for found in sums)
    for at, vector in enumerate(sums[0]):
        assert vector == tuple(map(sum, zip(*(found[at] for found in alone), strict=True)))


def first(rows, count):
    return [list(order) for order, _ in zip(permutations(rows), range(count), strict=False)]


def test_a_float_sum_would_have_depended_on_the_order():
    """Entry 25: the check above has power: the same cells, added as floats one by one, differ."""
    assert reduce(add, HARD) != reduce(add, HARD[::-1])


NOBODY = {
    "no rows": [],
    "no declared key": [row("p", "Z", 1.0)] * 9,
    "no unit": [row(None, "A", 1.0)],
}


@pytest.mark.claim("C17")
@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rows", NOBODY.values(), ids=NOBODY)
def test_groups_without_rows_are_announced_and_released_like_all_others(rows, engine, tmp_path):
    """Entry 28: nothing vanishes without a word: the plan counts the cells, the release has each."""
    plan = dp.plan(declared(ENGINES[engine](rows)), *EVERY.values(), spend=dp.zcdp("1/50"))
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "l", budget=dp.zcdp(1)))
    answers = release.document.statistics

    assert [event["cells"] for event in plan.events()] == [3, 3, 3, 6, 6]
    assert [len(found.answer.rows) for found in answers] == [3, 3, 3, 3, 6]
    for found in answers:
        assert {line[0] for line in found.answer.rows} == set(KEYS)
        assert all(None not in line[-2:] for line in found.answer.rows)
        for *_, value, low, high in found.answer.rows:
            assert value is not None or (low, high) == (-2, 3)
    assert len(re.findall("too few to say", str(release))) == sum(
        value is None for found in answers for *_, value, _, _ in found.answer.rows
    )
