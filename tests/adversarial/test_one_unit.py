"""One unit, from the catalog to the file: no vector moves further than declared, salt by salt.

Each statistic of the catalog is asked by its name, on tables where units collide and cells are
hostile. On DuckDB the two neighbors lie in different files, in another order of rows. (The other
file of this kind, in tests/engine, compares the engines and plants faults in them.)
"""

import random
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from adversarial.moves import counted, exceeds, move, question
from discreet.engine.memory import MemoryEngine
from discreet.engine.sql import bounding, grid, query
from discreet.schema import ROW, unit
from discreet.statistic.catalog import STATISTICS
from discreet.statistic.count import count, count_units
from discreet.statistic.sum import sum_
from engine.sources import arrow, by_duckdb, csvs, one_csv, opened, quickly
from engine.unguarded import unguarded
from property.strategies import declarations, declared, rows, salts

SETTINGS = {"suppress_health_check": list(HealthCheck)}


@st.composite
def neighbors(draw, how):
    """A table and its neighbor: any unit gone; for replace another one, with any rows, instead."""
    before = draw(rows(least=1))
    newcomer = draw(rows(most=6)) if how["neighbors"] == "replace" else []
    if how["unit"] == ROW:
        gone = draw(st.integers(0, len(before) - 1))
        return before, [*before[:gone], *newcomer[:1], *before[gone + 1 :]]
    who = draw(st.sampled_from(before))["who"]
    rest = [row for row in before if row["who"] != who or who is None]
    return before, [*({**row, "who": "newcomer"} for row in newcomer), *rest]


@st.composite
def cases(draw, name):
    how = draw(declarations())
    found = declared([], **how)
    return how, draw(question(name, found, list(found.columns))), draw(neighbors(how))


def in_memory(data, aggregates, salt, how):
    return opened(MemoryEngine().prepare(declared(list(data), **how), aggregates).count(salt))


def in_files(data, aggregates, salt, how, *, parts):
    """The rows in another order, in several Parquet files."""
    shuffled = random.Random(salt + parts).sample(data, len(data))
    with TemporaryDirectory() as folder:
        for part in range(parts):
            pq.write_table(arrow(shuffled[part::parts]), Path(folder) / f"{part}.parquet")
        return by_duckdb(f"{folder}/*.parquet", aggregates, salt, **how)


def too_far(aggregates, before, after):
    return [
        (move(one, other), aggregate.sensitivity)
        for aggregate, one, other in zip(
            aggregates, counted(aggregates, before), counted(aggregates, after), strict=True
        )
        if exceeds(move(one, other), aggregate.sensitivity)
    ]


@pytest.mark.exhaustive
@pytest.mark.claim("C07")
@pytest.mark.slow
@pytest.mark.parametrize("name", STATISTICS)
@settings(max_examples=120, **SETTINGS)
@given(data=st.data(), salt=salts())
def test_one_unit_moves_no_vector_of_the_catalog_too_far(name, data, salt):
    """In memory, with rows in another order after the unit has left."""
    how, aggregates, (before, after) = data.draw(cases(name))

    one = in_memory(before, aggregates, salt, how)
    other = in_memory(after[::-1], aggregates, salt, how)

    assert too_far(aggregates, one, other) == []


@pytest.mark.exhaustive
@pytest.mark.claim("C07")
@pytest.mark.claim("C08")
@pytest.mark.slow
@pytest.mark.parametrize("name", STATISTICS)
@settings(max_examples=12, **SETTINGS)
@given(data=st.data(), salt=salts())
def test_one_unit_moves_no_vector_of_several_files_too_far(name, data, salt):
    """On DuckDB: one file before, three files in another order after."""
    how, aggregates, (before, after) = data.draw(cases(name))

    one = in_files(before, aggregates, salt, how, parts=1)
    other = in_files(after, aggregates, salt, how, parts=3)

    assert in_files(before, aggregates, salt, how, parts=3) == one
    assert too_far(aggregates, one, other) == []


@pytest.mark.exhaustive
@pytest.mark.claim("C07")
@pytest.mark.claim("C08")
@pytest.mark.slow
@pytest.mark.parametrize("name", STATISTICS)
@settings(max_examples=8, **SETTINGS)
@given(data=st.data(), salt=salts())
def test_one_unit_moves_no_vector_of_csv_files_too_far(name, data, salt):
    """The same of text: one CSV file before, three after, with other columns first."""
    how, aggregates, (before, after) = data.draw(cases(name))

    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        first = by_duckdb(one_csv(before, Path(one)), aggregates, salt, **how)
        second = by_duckdb(csvs(after[::-1], Path(other)), aggregates, salt, **how)

    assert too_far(aggregates, first, second) == []


PEOPLE = {"unit": unit("who", max_rows=3), "neighbors": "add_remove"}


def person(who, ward, cost):
    return {"who": who, "ward": ward, "floor": 1, "cost": cost, "age": None}


def unclamped(value, *_bounds_and_cases):
    """Numbers as large as a whole number can be; what is none is missing still, and raises nothing."""
    is_number = exp.LT(this=exp.Abs(this=value.copy()), expression=exp.Literal.number(10**18))
    return exp.Case().when(is_number, exp.cast(exp.Floor(this=value.copy()), "BIGINT"))


def twice_as_many(names, found, part, content, limit):
    return FIRST(names, found, part, content, 2 * limit)


def free(table, aggregates):
    found = GROUPINGS(table, aggregates).items()
    most = {None: None, 1: 99}
    return {
        replace(g, max_groups=None, max_rows_per_group=most[g.max_rows_per_group]): items
        for g, items in found
    }


def counted_twice(names, need):
    return exp.Mul(this=SUMMED(names, need), expression=exp.Literal.number(2))


FIRST, GROUPINGS, SUMMED = bounding.first_by_content, query.groupings, query.summed
QUERIES = {  # what is broken, where, and by what
    "nothing": (query, "groupings", GROUPINGS),
    "forgets to clamp": (grid, "_within", unclamped),
    "keeps twice as many rows": (bounding, "first_by_content", twice_as_many),
    "drops a question's limits": (query, "groupings", free),
    "joins the table to itself": (query, "summed", counted_twice),
}


GUARDED = {"nothing", "forgets to clamp", "keeps twice as many rows", "drops a question's limits"}


@pytest.mark.claim("C07")
@pytest.mark.slow
@pytest.mark.parametrize("guarded", [False, True], ids=["unguarded", "guarded"])
@pytest.mark.parametrize("fault", QUERIES)
def test_a_query_with_a_planted_fault_is_caught_or_does_no_harm(fault, guarded, monkeypatch):
    """The check has power on DuckDB: it refuses each broken query, and accepts the whole one.

    With the second look a broken clamp or limit moves nothing further than declared.
    """
    if not guarded:
        unguarded(monkeypatch)
    monkeypatch.setattr(*QUERIES[fault])
    others = [person(f"p{i % 9}", "AB"[i % 2], i % 7.0) for i in range(60)]
    ann = [person("ann", ward, 1e9) for ward in ("A", "B", "it's") for _ in range(3)]
    asked = [{"by": "ward"}, {"by": "ward", "max_groups": 1, "max_rows_per_group": 1}]
    found = declared([], **PEOPLE)
    aggregates = tuple(
        aggregate
        for limits in asked
        for question in (count(**limits), count_units(**limits), sum_("cost", **limits))
        for aggregate in question.aggregates(found)
    )

    held = all(
        too_far(
            aggregates,
            quickly([*ann, *others], aggregates, salt, **PEOPLE),
            quickly(others, aggregates, salt, **PEOPLE),
        )
        == []
        for salt in range(3)
    )

    assert held == (fault == "nothing" or (guarded and fault in GUARDED))


def test_a_salt_that_changes_with_the_table_is_caught():
    """The check has power: rows kept by the size of the table move other people's rows."""
    how = {"unit": unit("who", max_rows=1), "neighbors": "add_remove"}
    data = [
        {
            "who": f"p{i % 90}",
            "ward": "AB"[i % 2],
            "floor": 1,
            "cost": 99.0 * (i % 7),
            "age": None,
        }
        for i in range(600)
    ]
    after = [row for row in data if row["who"] != "p0"]
    found = declared([], **how)
    aggregates = tuple(STATISTICS["sum"]("cost", "ward").aggregates(found))

    honest = [in_memory(rows, aggregates, 3, how) for rows in (data, after)]
    planted = [in_memory(rows, aggregates, len(rows), how) for rows in (data, after)]

    assert too_far(aggregates, *honest) == []
    assert too_far(aggregates, *planted) != []
