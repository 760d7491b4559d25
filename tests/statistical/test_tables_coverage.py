"""Intervals of listed tables, and of cubes of which something is known, hold the truth after the fit as often as they say.

One simulation is many releases of one table, each from the law's own coins, by a tape: what passes
once passes for ever. Of 150 releases the share of a right interval that holds is below
0.95 - 6 standard errors (0.843) with probability 1e-9 by the normal approximation; each test makes
fewer than 100 comparisons. `python -m bench.census_tables` makes more.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import discreet as dp
from adversarial.moves import counted
from coins import Tape
from discreet.aggregate import Noisy
from discreet.engine.memory import MemoryEngine
from engine.sources import opened
from statistical.crowd import KEYS, people

ALPHA = Fraction(1, 20)
RELEASES = 150
LEAST = 0.95 - 6 * (0.05 * 0.95 / RELEASES) ** 0.5
LISTS = [["sex", "age"], ["age", "place"]]
PLACE = dp.levels(["region", "place"], rows=[("n", "a"), ("n", "b"), ("n", "c"), ("s", "d")])
REGION = {place: region for region, place in PLACE.rows}
LEVELS = [["region", "age"], [PLACE, "sex"]]
YES_NO = {f"q{at}": [0, 1] for at in range(6)}
pytestmark = [pytest.mark.claim("C93"), pytest.mark.slow]


def simulated(rows, keys, question, spend, releases=RELEASES, *, apart=False):
    """How often each number is held by its interval, and how far off the estimates are."""
    table = dp.table(rows, unit="row", name="t", keys=keys)
    (line,) = dp.plan(table, question, spend=spend).lines
    asked = line.aggregates
    if apart:  # the fault: each margin counts its own rows
        names = [names for names, _, _ in question.measured(table, line.laws)]
        asked = tuple(replace(a, by=n, transform=None) for a, n in zip(asked, names, strict=True))
    exact = counted(asked, opened(MemoryEngine().prepare(table, asked).count(1)))
    coins = Tape(f"{len(rows)} {question.plain()} {spend}")
    noise = [
        np.array(law.sample(len(v) * releases, coins)).reshape(releases, -1)
        for law, v in zip(line.laws, exact, strict=True)
    ]
    names, index = [axis.name for axis in question.lies(table).lies.axes], question.cells(table)
    listed = [row for row in rows if all(row[n] in keys[n] for n in keys)]
    listed = [{**row, "region": REGION.get(row.get("place"))} for row in listed]
    true = np.array([
        sum(all(c in (None, r[n]) for n, c in zip(names, row, strict=True)) for r in listed)
        for row in index
    ])  # fmt: skip
    held, off, fitted = 0, 0.0, 0.0
    for one in range(releases):
        noisy = [Noisy(tuple((np.array(v) + z[one]).tolist())) for v, z in zip(exact, noise, strict=True)]  # fmt: skip
        told = question.answer(table, noisy, line.laws, ALPHA)
        held = held + ((np.array(told.low) <= true) & (true <= np.array(told.high)))
        off = off + (np.array(told.linear) - true) ** 2
        fitted = fitted + (np.array(told.values) - true) ** 2
    return told, index, held / releases, off / releases, fitted / releases


@pytest.mark.exhaustive("tables")
@pytest.mark.parametrize(
    ("lists", "empty", "spend"),
    [(LISTS, 0, dp.zcdp("1/8")), (LEVELS, 0.9, dp.zcdp("1/8")), (LISTS, 0.9, dp.pure(1))],
    ids=["full", "levels, empty", "pure, empty"],
)
def test_intervals_of_listed_tables_hold_after_the_fit(lists, empty, spend):
    """Every cell and margin, of full and of nearly empty tables; a thousand rows are not listed."""
    rows = people(empty, unlisted=1_000)
    told, index, held, off, fitted = simulated(rows, KEYS, dp.tables(lists), spend)

    assert held.min() >= LEAST
    assert held.mean() >= 0.94
    stated = np.array(told.deviation) ** 2  # of Laplace noise a bound: the discrete one is narrower
    assert (0.92 if spend.kind == "zcdp" else 0.8) < (off / stated).mean() < 1.08
    margins = [at for at, row in enumerate(index) if sum(c is not None for c in row) <= 1]
    assert fitted[margins].mean() <= 1.1**2 * off[margins].mean()


def test_margins_counted_over_other_rows_would_miss():
    """The check has power: rows without a listed age are in the total, and in no table of ages."""
    rows = people(0, unlisted=1_000)
    spend = dp.zcdp("1/8")
    _, _, held, _, _ = simulated(rows, KEYS, dp.tables(LISTS), spend, 50, apart=True)

    assert held.min() < 0.5


@pytest.mark.exhaustive("tables")
def test_intervals_hold_where_contrasts_are_counted():
    """Six yes/no columns, and all tables of two of them."""
    coins = np.random.default_rng(3)
    rows = [{n: int(coins.random() < 0.3) for n in YES_NO} for _ in range(900)]
    question = dp.tables([list(each) for each in combinations(YES_NO, 2)])
    told, _, held, off, _ = simulated(rows, YES_NO, question, dp.zcdp("1/8"), 60)

    assert held.min() >= 0.95 - 6 * (0.05 * 0.95 / 60) ** 0.5
    assert held.mean() >= 0.93
    assert 0.85 < (off / np.array(told.deviation) ** 2).mean() < 1.15


KNOWN = [("sex",), ("sex", "region")]


@pytest.mark.claim("C94")
@pytest.mark.exhaustive("tables")
@pytest.mark.parametrize("columns", KNOWN, ids=" and ".join)
def test_intervals_of_a_cube_hold_where_a_table_of_it_is_known(columns):
    """Of one column and of several: it is the typed one, for certain, and the rest holds."""
    rows = [{**row, "region": REGION[row["place"]]} for row in people(0.5)]
    cells = product(*({row[name] for row in rows} for name in columns))
    known = {keys: sum(all(row[n] == k for n, k in zip(columns, keys, strict=True)) for row in rows) for keys in cells}  # fmt: skip
    typed = {columns: known} if len(columns) > 1 else {columns[0]: {k: n for (k,), n in known.items()}}  # fmt: skip
    question = dp.cube(["sex", "age", PLACE], known=typed)
    told, index, held, off, fitted = simulated(rows, KEYS, question, dp.zcdp("1/8"), 60)
    sure = np.array(told.deviation) == 0

    assert held.min() >= 0.95 - 6 * (0.05 * 0.95 / 60) ** 0.5
    assert 0.93 < held[~sure].mean() < 0.98
    assert off[sure].max() < 1e-9
    assert fitted[sure].max() == 0
    names = ("sex", "age", "region", "place")
    for row, certain in zip(index, sure, strict=True):
        shown = {n for n, cell in zip(names, row, strict=True) if cell is not None}
        alone = {"place"} if row[2] == "s" else set()  # the only place of its region
        assert certain == (shown <= {*columns, *alone})


def test_what_was_typed_of_other_rows_would_miss():
    """The check has power: a total that is 30 above that of the counted rows moves what it tells."""
    rows, spend = people(0), dp.zcdp("1/8")
    question = dp.cube(["sex", "age", PLACE], known={"total": len(rows) + 30})
    _, _, held, _, _ = simulated(rows, KEYS, question, spend, 25)

    assert held.min() < 0.5
