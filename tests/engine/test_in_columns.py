"""Vectors from columns are those from rows; wide numbers are not taken as columns."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine.duckdb import engine
from discreet.engine.select_engine import engine_for
from discreet.engine.sql.faster.in_columns import columns_of, vectors_of

ROWS = 3_000


def source():
    random = np.random.default_rng(3)
    values = random.normal(50, 40, ROWS)
    values[:4] = np.nan, np.inf, -np.inf, -5
    return pa.table(
        {
            "u": random.integers(0, 300, ROWS),
            "s": random.integers(-2, 12, ROWS),
            "m": random.integers(0, 3, ROWS),
            "v": values,
        }
    )


def vectors(unit, questions, least, monkeypatch):
    monkeypatch.setattr(engine, "_LARGE", least)
    table = dp.table(
        source(),
        name="t",
        unit=unit,
        keys={"s": range(10), "m": (2, 0)},
        columns={"v": dp.bounds(0, 100, step="0.01")},
    )
    aggregates = tuple(a for question in questions for a in question.aggregates(table))
    counted = engine_for(table.source).prepare(table, aggregates).count(7)
    return [vector.opened_by_the_door() for vector in counted]


@pytest.mark.parametrize("limits", [{}, {"max_groups": 3, "max_rows_per_group": 2}])
@pytest.mark.parametrize("which", ["one part", "many parts"])
def test_columns_bring_the_integers_of_rows(limits, which, monkeypatch):
    unit = dp.unit("u", sampling="native") if limits else "row"
    questions = [dp.quantile("v", [0.25, 0.5], by="s", bins=100, **limits)]
    if which == "many parts":
        questions += [dp.count("s", **limits), dp.mean("v", "s", **limits)]
        questions += [dp.count("m", **limits), dp.variance("v", "s", **limits)]
    by_columns = vectors(unit, questions, 0, monkeypatch)
    assert by_columns == vectors(unit, questions, 10**9, monkeypatch)
    assert all(type(number) is int for vector in by_columns for number in vector)
    assert any(map(any, by_columns))


def test_numbers_wider_than_64_bits_are_no_columns():
    connection = duckdb.connect()
    assert columns_of(connection.execute("SELECT 0, CAST(2 AS HUGEINT)")) is None
    assert columns_of(connection.execute("SELECT 0, CAST(2.5 AS DOUBLE)")) is None


def test_null_adds_nothing_and_what_is_of_no_vector_is_left_out():
    table = dp.table(source(), name="t", unit="row", keys={"s": range(3)})
    aggregates = dp.count("s").aggregates(table)
    answer = duckdb.connect().execute(
        "SELECT * FROM (VALUES (0, 1, 7::BIGINT), (0, -1, 8), (0, 3, 9), (1, 2, 5), (0, 2, NULL))"
    )
    prepared = engine_for(table.source).prepare(table, aggregates)
    (vector,) = vectors_of(table, aggregates, prepared._query.parts, columns_of(answer))
    assert vector.opened_by_the_door() == (0, 7, 0)
