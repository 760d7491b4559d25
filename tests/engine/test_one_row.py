"""One row of each unit is found without a sort: it is the row that ranks leave."""

import random
from dataclasses import replace

import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine.duckdb import engine as of_duckdb
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.memory import MemoryEngine
from discreet.engine.postgres import engine as of_postgres
from discreet.engine.select_engine import engine_for
from discreet.engine.sql.faster.speed import SLOW
from discreet.engine.sql.tree import called, whole
from discreet.schema import unit
from engine.sources import native_hash, opened
from servers import filled

pytestmark = [pytest.mark.of_speed, pytest.mark.claim("C615")]

GROUPS, SALTS = 40, (5, 2**64 - 1)
ONE = {"max_groups": 1, "max_rows_per_group": 1}
QUESTIONS = {
    "a row": lambda: [dp.count("k", **ONE)],
    "a unit": lambda: [dp.count_units("k", max_groups=1)],
    "a unit of few rows": lambda: [dp.count_units("k", max_groups=1, max_rows_per_group=2)],
    "both": lambda: [dp.count("k", **ONE), dp.count_units("k", **ONE)],
    "beside others": lambda: [dp.count("k", **ONE), dp.sum("v", "k", max_groups=2, max_rows_per_group=1)],
    "of two keys": lambda: [dp.count(["k", "s"], **ONE)],
    "where": lambda: [dp.count("k", where="v > 3", **ONE), dp.count("s", **ONE)],
}  # fmt: skip
RANKED = {
    "two rows": lambda: dp.count("k", max_groups=1, max_rows_per_group=2),
    "two groups": lambda: dp.count("k", max_groups=2, max_rows_per_group=1),
    "a value": lambda: dp.sum("v", "k", **ONE),
    "bins": lambda: dp.histogram("v", "k", bins=3, **ONE),
    "units and rows": lambda: [dp.count("k", max_groups=1, max_rows_per_group=3), dp.count_units("k", max_groups=1)],
}  # fmt: skip


def crowd():
    """Units with up to 20 rows in up to 40 groups, many rows equal, some of no group."""
    chance = random.Random(4)
    return [
        {"u": f"u{who}", "k": chance.randrange(1 + who % GROUPS) - who % 2, "s": chance.choice("ab"),
         "v": float(chance.randrange(8))}
        for who in range(45)
        for _ in range(1 + who % 20)
    ]  # fmt: skip


def prepared(engine, source, questions, **whose):
    table = dp.table(
        source,
        name="t",
        unit=unit("u", **whose),
        keys={"k": range(GROUPS), "s": ["a", "b"]},
        columns={"v": dp.bounds(0, 9, step=1)},
    )
    return engine.prepare(table, tuple(a for one in questions for a in one.aggregates(table)))


def of_one_value(dialect):
    """A hash of which there are two, so that numbers decide."""
    return replace(dialect, hash_of=lambda parts: called("MOD", called("ABS", parts[1]), whole(2)))


@pytest.mark.exhaustive
@pytest.mark.parametrize("most", [None, 1, 9], ids=str)
@pytest.mark.parametrize("asked", QUESTIONS)
def test_on_duckdb_the_row_is_that_of_the_reference(asked, most):
    """By DuckDB's own hash; with a limit of all rows before, and without."""
    rows, questions = crowd(), QUESTIONS[asked]()
    ours = prepared(DuckEngine(), pa.Table.from_pylist(rows), questions, max_rows=most)
    theirs = prepared(MemoryEngine(hash_of=native_hash), rows, questions, max_rows=most)

    assert ("UINT128" in ours._text) is (most != 1)
    for salt in SALTS:
        assert opened(ours.count(salt)) == opened(theirs.count(salt))


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "bigint"])
def test_on_postgres_the_row_is_the_one_that_ranks_leave(kind, monkeypatch):
    """By the server's own hash, of units digested and not."""
    rows = [
        (row["u"] if kind == "text" else int(row["u"][1:]), *[*row.values()][1:]) for row in crowd()
    ]
    source = filled({"u": kind, "k": "int", "s": "text", "v": "float8"}, rows)
    made = of_postgres.dialect_of
    for asked in QUESTIONS.values():
        answers = {}
        for is_ranked in (False, True):
            with monkeypatch.context() as patch:
                if is_ranked:
                    patch.setattr(
                        of_postgres, "dialect_of", lambda *of: replace(made(*of), speed=SLOW)
                    )
                counts = prepared(engine_for(source), source, asked())
                assert ("MIN(ARRAY" in counts.query.query.sql("postgres")) is not is_ranked
                answers[is_ranked] = [opened(counts.count(salt)) for salt in SALTS]

        assert answers[True] == answers[False]
        assert any(map(any, answers[True][0]))


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_of_equal_hashes_the_least_number_comes_first(engine, monkeypatch):
    """As where rows are ranked, whatever order they stand in."""
    place = {"duckdb": of_duckdb, "postgres": of_postgres}[engine]
    made, answers = place.dialect_of, []
    for speed in (None, SLOW):
        for rows in (crowd(), crowd()[::-1]):
            source = pa.Table.from_pylist(rows)
            if engine == "postgres":
                kinds = {"u": "text", "k": "int", "s": "text", "v": "float8"}
                source = filled(kinds, [[*row.values()] for row in rows])
            with monkeypatch.context() as patch:

                def tied(*of, speed=speed):
                    dialect = of_one_value(made(*of))
                    return replace(dialect, speed=speed or dialect.speed)

                patch.setattr(place, "dialect_of", tied)
                counts = prepared(engine_for(source), source, QUESTIONS["a row"]())
                answers.append(opened(counts.count(3)))

    assert answers[0] == answers[1] == answers[2] == answers[3]
    assert sum(answers[0][0]) > 40


@pytest.mark.parametrize("asked", RANKED)
def test_where_one_row_is_not_enough_rows_are_ranked(asked):
    """Where more rows are counted, or a value of theirs, or rows may be of several groups."""
    questions = RANKED[asked]()
    questions = questions if isinstance(questions, list) else [questions]
    rows = crowd()
    ours = prepared(DuckEngine(), pa.Table.from_pylist(rows), questions)
    theirs = prepared(MemoryEngine(hash_of=native_hash), rows, questions)

    assert ("UINT128" in ours._text) is (asked == "units and rows")
    assert opened(ours.count(1)) == opened(theirs.count(1))


def test_groups_beyond_any_number_of_32_bits_and_a_fault_end_no_count():
    """Of 2^62 cells each has its place; and a number below 0 would be none."""
    import duckdb
    from sqlglot import exp

    from discreet.engine.sql.dialect import DUCKDB

    first = DUCKDB.speed.first(exp.column("h"), exp.column("g")).sql("duckdb")
    rows = [
        (1, 2**64 - 1, 7),
        (1, 2**64 - 1, 2**62),
        (2, 0, 2**62),
        (2, 1, 0),
        (3, 5, -1),
        (3, 9, 4),
    ]
    listed = ", ".join(f"({u}, {h}::UBIGINT, {g}::BIGINT)" for u, h, g in rows)
    answer = duckdb.sql(
        f"SELECT u, {first} FROM (VALUES {listed}) AS v(u, h, g) GROUP BY u ORDER BY u"
    )

    assert answer.fetchall() == [(1, 7), (2, 2**62), (3, 4)]
