"""A table or a column of the user's may be called like anything that our query names.

Spark is tried by `make spark`.
"""

import re

import duckdb
import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.finding.pairs import Pairs
from engine.sources import opened
from servers import filled, spark

ROWS = [(n % 7, "abc"[n % 3], n % 10) for n in range(60)]


def of_duckdb(names, table):
    connection = duckdb.connect()
    cells = {name: [row[n] for row in ROWS] for n, name in enumerate(names)}
    connection.register("handed", pa.table(cells))
    connection.execute(f'CREATE TABLE "{table}" AS FROM handed')
    connection.unregister("handed")
    return connection


def of_postgres(names, table):
    kinds = ("integer", "text", "double precision")
    return filled(dict(zip(names, kinds, strict=True)), ROWS, name=table)


def of_spark(names, table):
    kinds = zip(names, ("int", "string", "double"), strict=True)
    frame = spark().createDataFrame(
        [(u, k, float(v)) for u, k, v in ROWS], ", ".join(f"`{n}` {k}" for n, k in kinds)
    )
    frame.createOrReplaceTempView(table)  # the session knows something by that name
    return frame


SOURCES = {"duckdb": of_duckdb, "postgres": of_postgres, "spark": of_spark}
PLAIN = ("who", "kind", "much")
WHOSE = ("row", "unit")


def asked(source, names=PLAIN, table="t", whose="unit"):
    """A table and its questions: rows chosen, conditions, bins, sums and a column that is made."""
    who, kind, much = names
    unit = dp.unit(who, max_rows=3, sampling="portable") if whose == "unit" else "row"
    declared = dp.table(
        source,
        name=table,
        unit=unit,
        keys={kind: ["a", "b", "z"]},
        columns={much: dp.bounds(0, 9, step=1)},
    ).derive(twice=dp.derived(f'2 * "{much}"', bounds=dp.bounds(0, 18, step=1)))
    limits = {"max_groups": 2} if whose == "unit" else {}
    questions = [
        dp.count(kind, **limits),
        dp.mean(much, kind, **limits),
        dp.sum("twice", where=f'"{much}" > 3'),
        dp.histogram(much, bins=[0, 3, 9]),
        dp.histogram(much, bins=[0, 2, 5, 9]),
        dp.covariance([much, "twice"]),
    ]
    return declared, tuple(one for q in questions for one in q.aggregates(declared))


def counted(source, **how):
    declared, aggregates = asked(source, **how)
    return opened(engine_for(source).prepare(declared, aggregates).count(5))


def found(source, table="t"):
    """What the keys that are found add up to, of the pairs of unit and key; places are no matter."""
    unit = dp.unit("who", max_rows=3, sampling="portable")
    keys = {"kind": dp.unknown(max_groups=2)}
    declared = dp.table(source, name=table, unit=unit, keys=keys)
    pool = engine_for(source).pooling(declared, Pairs("kind", (60, 42))).read(3)
    try:
        return sorted(pool.sums(frozenset()).opened_by_the_door())
    finally:
        pool.close()


def reference(whose, names=PLAIN):
    rows = [dict(zip(names, row, strict=True)) for row in ROWS]
    declared, aggregates = asked(rows, names, whose=whose)
    return opened(MemoryEngine().prepare(declared, aggregates).count(5))


def names_of_ours():
    """Every name that the queries hold, but for those of functions and types."""
    texts = ["discreet_relation discreet_frame discreet_source_0 discreet_0"]
    for whose in WHOSE:
        for engine in ("duckdb", "postgres"):
            source = SOURCES[engine](PLAIN, "t")
            query = engine_for(source).prepare(*asked(source, whose=whose))
            text = getattr(query, "_text", None) or query.query.query.sql("postgres")
            texts.append(re.sub(r"'[^']*'", "", text))
    words = set(re.findall(r'(?<![\w"$])[a-z]\w*(?!\w|\()', " ".join(texts)))
    return sorted(words - {*PLAIN, "t"} | {"discreet_pairs", "discreet_pool", "t", "left_", "d"})


@pytest.mark.slow
@pytest.mark.claim("C280")
@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
def test_a_table_may_be_called_like_anything_of_ours(engine, turns):
    """A step of the query, a public table, a part: the numbers are those of the reference."""
    make, names = SOURCES[engine], names_of_ours()
    names = names if engine != "spark" else [n for n in names if n.startswith("discreet_")][:3]
    expected, of_keys = {whose: reference(whose) for whose in WHOSE}, found(make(PLAIN, "t"))

    start, step = turns(20) if engine != "spark" else (0, 1)
    for name in names[start::step]:
        source = make(PLAIN, name)
        for whose in WHOSE:
            assert counted(source, table=name, whose=whose) == expected[whose], name
        assert found(source, name) == of_keys, name
    assert len(names) > (2 if engine == "spark" else 40)


@pytest.mark.slow
@pytest.mark.claim("C280")
@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
def test_columns_may_be_called_like_anything_of_ours(engine, turns):
    """Three at a time, so that each name is a unit, a key and a value once."""
    make, names = SOURCES[engine], names_of_ours()
    start, step = turns(20) if engine != "spark" else (0, 30)

    for place in range(start, len(names), step):
        three = tuple(names[(place + n) % len(names)] for n in range(3))
        source = make(three, "t")
        for whose in WHOSE:
            expected = reference(whose, three)
            assert counted(source, names=three, whose=whose) == expected, three
