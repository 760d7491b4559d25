"""The museum of faults, its second room: what data may not decide, and sums that do not depend on order.

Each test says what must be true here; the number in its docstring is the entry's in the museum.
"""

import re
from fractions import Fraction
from functools import reduce
from itertools import permutations
from operator import add

import pytest

import discreet as dp
from adversarial.museum import ENGINES, EVERY, KEYS, OTHERS, counted, declared, row
from adversarial.rivers import in_csv
from coins import Tape
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.releases import run as room
from discreet.releases.run import prepared_for, released


@pytest.mark.exhaustive
@pytest.mark.claim("C09")
@pytest.mark.parametrize(
    "cell", ["73190e+05", "73190e5 ", "12 Elm St", "٣", "0x73190p3", "73190,5", "NaN", ""]
)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_cell_that_is_no_plain_number_stops_nothing_and_is_not_told(engine, cell, tmp_path):
    """Entry 9: a cell that does not parse is missing; no error, and no text, quotes it.

    Each cell is one that no noisy number spells by chance.
    """
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


class Coins(Tape):
    """A tape that gives the same coins to two rivers."""

    def __init__(self) -> None:
        super().__init__("museum")

    def salt(self) -> int:
        return int.from_bytes(self.bytes(8), "little") >> 2


@pytest.mark.exhaustive
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


HARD = [0.1, 0.2, 0.3, 2.0**52, -(2.0**52), 1.0, 1e16, -1e16, 1e-9]


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
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
