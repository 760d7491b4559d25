"""Each row of a unit is as likely to stay as any other, equal rows among them, on every engine.

Chance of a false alarm: each check asks |z| < 6, which a right build misses with 2e-9; 36 checks.
Units stand in for salts in most of them: each unit's rows are chosen by hashes of their own.
"""

import os
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine import memory
from discreet.engine.select_engine import engine_for
from engine.sources import opened
from servers import connected, spark

pytestmark = pytest.mark.claim("C08")

UNITS, EACH, RARE = 4_000, 20, 2  # of each unit's rows so many have the rare key
LIMITS = {  # what limits the rows of a unit, or of a group
    "rows": ({"max_rows": 3}, {}),
    "rows of a group": ({}, {"max_groups": 2, "max_rows_per_group": 3}),
    "both": ({"max_rows": 8}, {"max_groups": 2, "max_rows_per_group": 2}),
}


def columns(many=UNITS):
    """In each unit two rows of 1 and eighteen of 0, in one group; and their columns."""
    units = np.repeat(np.arange(many), EACH)
    value = np.tile([1] * RARE + [0] * (EACH - RARE), many)
    order = np.random.default_rng(1).permutation(len(units))
    return {"u": units[order], "v": value[order], "k": np.full(len(units), 7)}


def on_postgres(many=UNITS):
    source = connected()
    source.execute("CREATE TABLE t (u int, v int, k int)")
    source.execute(
        f"INSERT INTO t SELECT u, (n < {RARE})::int, 7 FROM generate_series(0, {many - 1}) u, "
        f"generate_series(0, {EACH - 1}) n"
    )
    return source


SOURCES = {
    "memory": lambda many=UNITS: pd.DataFrame(columns(many)).to_dict("records"),
    "duckdb": lambda many=UNITS: pa.table(columns(many)),
    "postgres": on_postgres,
    "spark": lambda many=UNITS: spark().createDataFrame(
        list(zip(*(cells.tolist() for cells in columns(many).values()), strict=True)),
        ", ".join(f"{name} bigint" for name in columns()),
    ),
}


def z_of(source, sampling, of_unit, of_question, step=1):
    """How many deviations the share of rare rows among those that stay is off its fair share."""
    table = dp.table(
        source,
        name="t",
        unit=dp.unit("u", sampling=sampling, **of_unit),
        columns={"v": dp.bounds(0, 1, step=step)},
        keys={"k": [7]},
    )
    asked = dp.count(by="k", **of_question), dp.sum("v", by="k", **of_question)
    wanted = tuple(a for one in asked for a in one.aggregates(table))
    found = opened(engine_for(source).prepare(table, wanted).count(20_261_127))
    kept, rare = found[0][0], found[1][0] // (1 / Fraction(step))
    most = kept // UNITS
    assert kept == most * UNITS
    fair = RARE / EACH
    variance = UNITS * most * fair * (1 - fair) * (EACH - most) / (EACH - 1)  # hypergeometric
    return (rare - kept * fair) / variance**0.5


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("sampling", ["native", "portable"])
@pytest.mark.parametrize("name", SOURCES)
def test_each_row_of_a_unit_is_as_likely_to_stay(name, sampling, limits):
    """Two rows in twenty are rare: a tenth of those that stay are; by rows, groups and both."""
    source = SOURCES[name]()

    assert abs(z_of(source, sampling, *LIMITS[limits])) < 6


@pytest.mark.slow
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("sampling", ["native", "portable"])
def test_each_row_is_as_likely_to_stay_where_rows_are_sorted_once(sampling, limits):
    """On DuckDB, of a column that may hold 10,001 numbers: too many contents to make groups of."""
    source = SOURCES["duckdb"]()

    assert abs(z_of(source, sampling, *LIMITS[limits], step="0.0001")) < 6


@pytest.mark.slow
@pytest.mark.timeout(3 * 3_600)  # of a night: a query a salt
@pytest.mark.parametrize("name", SOURCES)
def test_over_many_salts_one_unit_keeps_its_fair_share(name):
    """One unit of twenty rows, 10^4 salts, one row each: a tenth are the rare ones.

    The reference takes all salts in each run. Engines ask a query a salt: each night they take all,
    and else the first of a hundred. |z| < 6, for which a fair choice of 100 is too few to be normal:
    the binomial misses it with less than 1e-6.
    """
    salts = 10_000 if name == "memory" or os.environ.get("NIGHTLY") == "1" else 100
    table = dp.table(
        SOURCES[name](1),
        name="t",
        unit=dp.unit("u", max_rows=1),
        columns={"v": dp.bounds(0, 1, step=1)},
    )
    prepared = engine_for(table.source).prepare(table, dp.sum("v").aggregates(table))
    kept = sum(opened(prepared.count(salt))[0][0] for salt in range(salts))

    assert abs(kept - salts / 10) < 6 * (salts * 0.1 * 0.9) ** 0.5


@pytest.mark.slow
def test_equal_rows_that_share_one_hash_are_seen(monkeypatch):
    """The check has power: this is what was kept before equal rows were numbered."""

    def without_number(self, rows, limit, salt, part_of, content_of, before=0):
        def place(row):
            content = content_of(row)
            return self.hash_of(salt, *part_of(row), *content), *map(memory._sortable, content)

        return memory._first(rows, limit, part_of, place)

    monkeypatch.setattr(memory.MemoryPrepared, "_first_by_content", without_number)
    source = SOURCES["memory"]()

    for limits in LIMITS.values():
        assert abs(z_of(source, "native", *limits)) > 20
