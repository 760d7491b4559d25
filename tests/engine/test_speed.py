"""What only makes an engine faster changes no integer: each way alone, each left out, and none."""

import math
import random
from dataclasses import fields, replace
from datetime import date, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

import discreet as dp
from discreet.engine.postgres.dialect import dialect_of as of_postgres
from discreet.engine.select_engine import engine_for
from discreet.engine.spark.dialect import dialect_of as of_spark
from discreet.engine.sql.dialect import Dialect
from discreet.engine.sql.dialect import dialect_of as of_duckdb
from discreet.engine.sql.dialect_rewrites import spoken
from discreet.engine.sql.faster import predicate_pushdown, pruned
from discreet.engine.sql.faster.speed import SLOW, Speed
from discreet.engine.sql.query import counting
from discreet.schema import unit
from engine.conftest import SHARE, is_drawn
from engine.sources import opened
from engine.speeds import at
from servers import filled

pytestmark = [pytest.mark.claim("C310"), pytest.mark.of_speed]

GROUPS = 40
CELLS = [None, 0.0, -0.0, 1.0, 2.5, -3.0, math.nan, math.inf, 1e300, 7.0]
TEXTS = ["a", "b", "A", "ä", "", "ab"]
TYPES = {"g": "integer", "x": "double precision", "n": "bigint", "s": "text", "d": "date"}
KINDS = {"number": ("bigint", "BIGINT"), "text": ("text", "VARCHAR")}
ENGINES = {  # of a table and the type of its unit: how the engine says things in its own way
    "duckdb": lambda table, _: of_duckdb(table),
    "postgres": lambda table, kind: of_postgres(table, [{"u": kind}]),
    "spark": lambda table, kind: of_spark(table, [{"u": kind}]),
}
CASES = [
    ("duckdb", "text", "native"),
    ("duckdb", "number", "portable"),
    ("postgres", "number", "native"),
    ("postgres", "number", "portable"),
    ("postgres", "text", "portable"),
    ("spark", "text", "native"),
]


def rows(seed, kind):
    """Units with few rows and with many, in few groups and in many; a third of the rows are equal."""
    chance, day = random.Random(seed), date(1999, 12, 28)
    made = []
    for who in range(60):
        many = (1, 3, 9, 200)[who % 4]
        groups = range(GROUPS if who % 3 else 3)
        for _ in range(many):
            days = timedelta(chance.choice((0, 4, 63, 64, 366)))
            cells = chance.choice(CELLS), chance.choice((None, 0, 5, -5, 2**53 + 1))
            more = chance.choice(TEXTS), day + days
            made.append((who, chance.choice((*groups, GROUPS + 1)), *cells, *more))
        made += made[-many // 2 :]
    chance.shuffle(made)
    return [(who if kind == "number" else f"u{who}", *others) for who, *others in made]


PUT = "x > -4 AND (x < 3 OR n <> 5) AND year(d) >= 2000 AND s IN ('a', 'b', 'A')"


def asked(source, sampling, max_rows=None):
    """Questions of every form that some way answers faster, of a table with a filter or without."""
    table = dp.table(
        source,
        name="t",
        unit=unit("u", max_rows=max_rows, sampling=sampling),
        keys={"g": range(GROUPS), "s": ["a", "ä"]},
        columns={"x": dp.bounds(-5, 5, step="0.5"), "n": dp.bounds(-9, 9, step=1)},
    ).derive(y=dp.derived("year(d) * 12 + month(d)", bounds=dp.bounds(0, 30_000, step=1)))
    few = {"max_groups": 2, "max_rows_per_group": 1}
    more = {"max_groups": 3, "max_rows_per_group": 4}
    questions = (
        dp.count("g", **few),
        dp.sum("y", "s", max_groups=1, max_rows_per_group=2),
        dp.count("s", max_groups=1, max_rows_per_group=1),
        dp.count("g", where="s = 'a' OR n >= 5", **more),
    )
    if max_rows:
        questions += (dp.count("g"),)  # whose only limit is that of all rows
    declared = table if max_rows else table.where(PUT)
    return declared, tuple(a for one in questions for a in one.aggregates(declared))


def of_file(made, kind, folder):
    names = ["u", *TYPES]
    columns = dict(zip(names, map(list, zip(*made, strict=True)), strict=True))
    whose = pa.int64() if kind == "number" else pa.string()
    schema = [whose, pa.int32(), pa.float64(), pa.int64(), pa.string(), pa.date32()]
    data = pa.table(columns, schema=pa.schema([*zip(names, schema, strict=True)]))
    pq.write_table(data, folder / "t.parquet", row_group_size=100)
    return str(folder / "t.parquet")


def of_server(made, kind, _folder):
    return filled({"u": KINDS[kind][0], **TYPES}, made)


def integers(source, sampling):
    """The vectors of all questions, with a limit of all rows and without."""
    questions = [asked(source, sampling, most) for most in (None, 5)]
    return [opened(engine_for(source).prepare(*one).count(2**64 - 1)) for one in questions]


def ways(full):
    """Each way of an engine alone, each left out, and all of them, by name."""
    own = [one.name for one in fields(Speed) if getattr(full, one.name) != getattr(SLOW, one.name)]
    for name in own:
        yield f"{name} alone", replace(SLOW, **{name: getattr(full, name)})
        yield f"without {name}", replace(full, **{name: getattr(SLOW, name)})
    yield "all", full


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize(("engine", "kind", "sampling"), CASES[:-1])
def test_each_way_alone_and_each_left_out_count_the_same(engine, kind, sampling, tmp_path):
    """Of units large and small, by filters and days, and keys that are consecutive or text."""
    made = rows(len(sampling), kind)
    source = {"duckdb": of_file, "postgres": of_server}[engine](made, kind, tmp_path)
    table, _ = asked(source, sampling)
    full = ENGINES[engine](table, KINDS[kind][1]).speed
    with at(SLOW):
        expected = integers(source, sampling)

    for name, speed in ways(full):
        with at(speed):
            assert integers(source, sampling) == expected, name
    assert any(map(any, expected[0]))


def text(engine, kind, sampling):
    """The texts of the queries of all questions, as an engine is asked."""
    return [_text(engine, kind, sampling, most) for most in (None, 5)]


def _text(engine, kind, sampling, max_rows):
    table, aggregates = asked([], sampling, max_rows)
    of = ENGINES[engine](table, KINDS[kind][1])
    types = {"g": "INTEGER", "x": "DOUBLE", "n": "BIGINT", "s": "VARCHAR", "d": "DATE"}
    kinds, source = {"u": KINDS[kind][1], **types}, exp.to_table("t")
    query = counting(table, aggregates, kinds=kinds, source=source, dialect=of).query
    return spoken(query, of).sql(of.name)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize(("engine", "kind", "sampling"), CASES)
def test_each_way_is_gone_that_is_switched_off(engine, kind, sampling):
    """Another text without it, so that the test above compares what it says; of joins and found keys elsewhere."""
    table, _ = asked([], sampling)
    full = ENGINES[engine](table, KINDS[kind][1]).speed
    plain = text(engine, kind, sampling)

    alike = []
    for name, speed in ways(full):
        with at(speed):
            if text(engine, kind, sampling) == plain:
                alike.append(name)

    elsewhere = [name for name in ("ranks_few", "looks_up") if getattr(full, name)]
    assert alike == [*(f"without {name}" for name in elsewhere), "all"]


def test_what_an_engine_does_not_say_it_does_not_do():
    """Each way is off unless an engine says otherwise, and an engine that says nothing is slow."""
    assert Speed() == SLOW
    assert not any(getattr(SLOW, one.name) for one in fields(Speed))
    assert next(one.default for one in fields(Dialect) if one.name == "speed") == SLOW


def drops_a_row(patch):
    """A sieve that takes a whole number for the next one."""
    made = predicate_pushdown._TESTS["number", "BIGINT"]

    def test(said, cell, op, values):
        return made(said, cell, op, [str(int(one) + 1) for one in values])

    patch.setitem(predicate_pushdown._TESTS, ("number", "BIGINT"), test)


def cuts_a_group(patch):
    """Rows that are pruned one group too early."""
    made = pruned.cut_query
    patch.setattr(
        "discreet.engine.sql.query.cut_query",
        lambda names, low, most: made(names, low, max(1, most - 1)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("fault", [drops_a_row, cuts_a_group])
def test_a_fault_of_one_way_is_seen(fault, tmp_path, monkeypatch):
    """The comparison has power, and what is wrong is wrong in the faster way alone."""
    source = of_file(rows(6, "text"), "text", tmp_path)
    expected = integers(source, "native")
    fault(monkeypatch)

    with at(SLOW):
        assert integers(source, "native") == expected
    assert integers(source, "native") != expected


def test_some_tests_are_run_again_at_each_commit(monkeypatch):
    """One of SHARE, by name and turn, all in so many; all of them by night, none without a commit."""
    monkeypatch.delenv("NIGHTLY", raising=False)
    names = [f"engine.test_{number}" for number in range(600)]

    drawn = [{name for name in names if is_drawn(name, turn)} for turn in range(SHARE)]

    assert all(300 / SHARE < len(turn) < 1_200 / SHARE for turn in drawn)
    assert sum(map(len, drawn)) == len(set().union(*drawn)) == len(names)
    assert math.gcd(SHARE, 20) == 1  # `make test` runs a twentieth of cases: each meets each turn
    assert not any(is_drawn(name, None) for name in names)
    monkeypatch.setenv("NIGHTLY", "1")
    assert all(is_drawn(name, 0) for name in names)
