"""Filters of a table and of questions: where in a row's way they stand, and that no unit gains."""

import random

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from discreet import bounds, count, count_units, derived, mean, table, unit
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.engine.sql import bounding
from discreet.engine.sql.faster.speed import Speed
from discreet.statistic.sum import sum_
from engine.sources import REFERENCE, opened
from engine.speeds import at
from property.strategies import rows, salts
from shares import in_parts

SLOW = {"suppress_health_check": list(HealthCheck)}
WHERE = ["cost > 0", "cost + 1 > 0 OR ward = 'B'", "floor2 = 1 AND old", "cost IS NULL", "old"]


def declared(source, max_rows=2, neighbors="add_remove"):
    found = table(
        source,
        unit=unit("who", max_rows=max_rows),
        columns={"cost": bounds(-3, 9, step="0.5")},
        keys={"ward": ["A", "B", "it's"]},
        neighbors=neighbors,
        name="t",
    )
    return found.derive(
        floor2=derived("coalesce(cost, 0) / 2 - floor(coalesce(cost, 0) / 2) + 0.5", keys=[0, 1]),
        old=derived("age > 1.5"),
        half=derived("cost / 2", bounds=bounds(-1, 3, step="0.25")),
    ).where("cost <> 1 OR cost IS NULL")


def questions(where):
    return [
        count(by="ward", where=where),
        count_units(by="ward", max_groups=1, where=where),
        sum_("half", by="ward", max_rows_per_group=1, where=where),
        mean("cost", where=where),
        count(by="floor2"),
    ]


def aggregates_of(found, where):
    return tuple(a for question in questions(where) for a in question.aggregates(found))


CELLS = pa.schema(
    {"who": pa.string(), "ward": pa.string(), "cost": pa.float64(), "age": pa.float64()}
)


def typed(data):
    return [{**row, "age": number(row["age"])} for row in data]


def number(cell):
    from discreet.engine.reading import number as read

    return read(cell)


def on_duckdb(data, aggregates, salt, **how):
    source = duckdb.connect()
    source.execute("SET threads = 2")
    source.execute("CREATE TABLE t (who VARCHAR, ward VARCHAR, cost DOUBLE, age DOUBLE)")
    rows = pa.Table.from_pylist(data, schema=CELLS)
    source.register("rows", rows)
    source.execute("INSERT INTO t SELECT * FROM rows")
    source.unregister("rows")
    return opened(engine_for(source).prepare(declared(source, **how), aggregates).count(salt))


@pytest.mark.claim("C52")
@pytest.mark.slow
@in_parts(4)
@settings(max_examples=7, **SLOW)
@given(data=rows(), where=st.sampled_from(WHERE), salt=salts(), most=st.integers(1, 3))
def test_filters_and_derived_columns_agree_with_the_reference(data, where, salt, most):
    data = typed(data)
    found = declared(data, most)
    wanted = aggregates_of(found, where)
    expected = opened(REFERENCE.prepare(found, wanted).count(salt))

    assert on_duckdb(data, wanted, salt, max_rows=most) == expected


def too_far(aggregates, before, after):
    for aggregate, one, other in zip(aggregates, before, after, strict=True):
        moved = [abs(a - b) for a, b in zip(one, other, strict=True)]
        said = aggregate.sensitivity
        if (
            sum(moved) > said.l1
            or sum(m * m for m in moved) > said.l2_squared
            or max(moved) > said.linf
        ):
            return True
    return False


@pytest.mark.claim("C52")
@pytest.mark.slow
@in_parts(4)
@settings(max_examples=25, **SLOW)
@given(data=rows(least=1), where=st.sampled_from(WHERE), salt=salts(), new=rows(most=4))
def test_one_unit_moves_no_filtered_vector_too_far(data, where, salt, new):
    """Both relations, salt by salt, rows in another order."""
    who = data[0]["who"]
    rest = [row for row in data if row["who"] != who]
    random.Random(salt).shuffle(rest)
    for neighbors, after in (
        ("add_remove", rest),
        ("replace", [*rest, *({**row, "who": "newcomer"} for row in new)]),
    ):
        found = declared(data, neighbors=neighbors)
        wanted = aggregates_of(found, where)
        one = opened(MemoryEngine().prepare(found, wanted).count(salt))
        other = opened(
            MemoryEngine().prepare(declared(after, neighbors=neighbors), wanted).count(salt)
        )
        assert who is None or not too_far(wanted, one, other)


def ties(count_of):
    """Rows that fall on one grid point, but on both sides of a condition."""
    return [
        {"who": f"u{n % count_of}", "ward": "A", "cost": 2.0 + (n * 7919 % 100) / 1000, "age": None}
        for n in range(20 * count_of)
    ]


@pytest.mark.claim("C52")
@pytest.mark.slow
def test_a_condition_is_part_of_what_rows_are_chosen_by():
    """Rows that tie on the grid but differ in a condition: any order gives the same integers."""
    data = ties(60)
    found = declared(data)
    wanted = count(where="cost > 2.05").aggregates(found) + count(by="ward").aggregates(found)
    orders = [random.Random(n).sample(data, len(data)) for n in range(6)]

    assert len({tuple(on_duckdb(one, wanted, 7)) for one in orders}) == 1


@pytest.mark.slow
def test_a_condition_that_is_left_out_of_the_content_is_seen(monkeypatch):
    """The check has power: kept rows chosen by the grid alone depend on the order of rows."""
    rows_ = bounding.rows

    def forgetful(names, groupings):
        query = rows_(names, groupings)
        for window in query.find_all(exp.Window):
            order = window.args["order"]
            window.set(
                "partition_by",
                [one for one in window.args["partition_by"] if "t0" not in one.sql()],
            )
            order.set(
                "expressions",
                [one for one in order.expressions if "t0" not in one.sql()]
                or [exp.Ordered(this=exp.column("q0"))],
            )
        return query

    monkeypatch.setattr("discreet.engine.sql.query.rows", forgetful)
    data = ties(60)
    found = declared(data)
    wanted = sum_("cost", where="cost > 2.05").aggregates(found)
    wanted += count(by="ward").aggregates(found)
    orders = [random.Random(n).sample(data, len(data)) for n in range(6)]

    with at(Speed()):  # where content is numbered by windows
        assert len({tuple(on_duckdb(one, wanted, 7)) for one in orders}) > 1


def test_a_filter_of_the_table_stands_before_the_limit_and_that_of_a_question_behind_it():
    """Of a unit's rows those stay that any question wants; then each question tests its own."""
    data = [{"who": "a", "ward": "A", "cost": float(cost), "age": None} for cost in range(2, 9)]
    plain = declared(data, max_rows=2)
    before = plain.where("cost >= 8")
    asked_both = count().aggregates(plain) + count(where="cost >= 8").aggregates(plain)

    one = opened(MemoryEngine().prepare(before, count().aggregates(before)).count(0))
    alone = opened(
        MemoryEngine().prepare(plain, count(where="cost >= 8").aggregates(plain)).count(0)
    )
    found = [opened(MemoryEngine().prepare(plain, asked_both).count(s)) for s in range(40)]

    assert one == [(1,)] == alone  # a row that no question wants takes nobody's place
    assert {tuple(pair[1]) for pair in found} == {(0,), (1,)}


@pytest.mark.claim("C52")
def test_a_condition_that_all_questions_share_leaves_out_the_rows_it_is_not_true_of():
    """Where a row is the unit it is put as the table's condition is; beside another it is not."""
    source = duckdb.connect()
    source.execute("CREATE TABLE t AS SELECT unnest([NULL, 1.0, 2.0, 3.0, 'nan'::DOUBLE]) AS x")
    declared = table(source, unit="row", name="t")
    alone = count(where="x >= 2").aggregates(declared)
    for asked, expected in (
        (alone, [(2,)]),
        ((*alone, *count().aggregates(declared)), [(2,), (5,)]),
    ):
        assert opened(engine_for(source).prepare(declared, asked).count(0)) == expected
