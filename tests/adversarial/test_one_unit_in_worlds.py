"""One unit in 150 random tables on Postgres and on Spark, all counted by two statements.

Both neighbors of a table have the same number, which is a key and part of the names of its units; so
whatever is chosen of the rows of others is chosen alike, and each table moves by one unit alone. On Spark a statement takes long to compile: there are
fewer vectors, each of another kind (`make spark`).
"""

import random
from itertools import product

import pyarrow as pa
import pytest

import discreet as dp
from adversarial.moves import exceeds, move
from adversarial.test_one_unit import QUERIES
from adversarial.test_one_unit_on_servers import MOVED, UNITS, WHERE, rows_of
from adversarial.test_tight_on_servers import counted
from discreet.schema import unit
from engine.sources import SCHEMA
from engine.unguarded import unguarded
from property.strategies import COLUMNS, KEYS, declared
from servers import placed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.claim("C07"),
    pytest.mark.filterwarnings("ignore"),
]
WORLDS = 150
LIMITS = [{"max_groups": g, "max_rows_per_group": r} for g, r in ((1, 1), (2, 1), (1, 2), (3, 2))]


def questions(table):
    """Every kind of vector, each with other limits, by one column, by two and in whole."""
    chance, bys = random.Random(7), [None, "ward", ["ward", "floor"]]
    for by in bys:
        for make in (
            dp.count,
            lambda **how: dp.count(where=WHERE, **how),
            dp.count_units,
            lambda **how: dp.sum("cost", **how),
            lambda **how: dp.variance("age", **how),
            lambda **how: dp.mean(["cost", "age"], ball="1.5", **how),
            lambda **how: dp.histogram("cost", bins=[-3, 0, 9], **how),
        ):
            yield from make(by=by, **chance.choice(LIMITS)).aggregates(table)


def neighbors(relation):
    """The rows of all tables, and of their neighbors in another order."""
    before, after = [], []
    for world in range(WORLDS):
        others = rows_of(UNITS, 12, world)
        more = rows_of(["new"], 1 + world % 9, world + 0.5)
        less = rows_of(["newer"], 1 + world % 7, -world - 1) if MOVED[relation] else []
        for rows, found in ((before, others + more), (after, less + others[::-1])):
            rows += [{**row, "who": row["who"] and f"{world} {row['who']}"} | {"world": world}
                     for row in found]  # fmt: skip
    return before, after


def few(table):
    """By one column: filtered rows, people, points in a ball and bins."""
    some = [
        dp.count("ward", where=WHERE, **LIMITS[3]),
        dp.count_units("ward", **LIMITS[1]),
        dp.mean(["cost", "age"], "ward", ball="1.5", **LIMITS[1]),
        dp.histogram("cost", "ward", bins=[-3, 0, 9], **LIMITS[2]),
    ]
    return [aggregate for one in some for aggregate in one.aggregates(table)]


def too_far(server, relation):
    """The tables and vectors that move further than declared; nearly every table moves."""
    how = {"unit": unit("who"), "neighbors": relation}
    asked = [*(few if server == "spark" else questions)(declared([], **how))]
    typed = SCHEMA.append(pa.field("world", pa.int32()))
    found = [
        counted(
            placed(server, pa.Table.from_pylist(rows, schema=typed)),
            asked,
            WORLDS,
            columns=COLUMNS,
            keys=KEYS,
            **how,
        )
        for rows in neighbors(relation)
    ]
    pairs = [
        (one, world, before, after)
        for one, *vectors in zip(asked, *found, strict=True)
        for world, (before, after) in enumerate(zip(*vectors, strict=True))
    ]
    assert len({world for _, world, before, after in pairs if before != after}) > WORLDS * 0.9
    return [one for one in pairs if exceeds(move(one[2], one[3]), one[0].sensitivity)]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("server", "relation"), [*product(["postgres"], MOVED), ("spark", "replace")]
)
def test_one_unit_moves_no_vector_of_a_random_table_too_far(server, relation):
    """Hostile cells, units whose names are nearly alike, limits of every kind."""
    assert too_far(server, relation) == []


@pytest.mark.parametrize(
    ("server", "fault"),
    [
        ("postgres", "keeps twice as many rows"),
        ("postgres", "joins the table to itself"),
        ("spark", "keeps twice as many rows"),
    ],
)
def test_a_planted_fault_is_seen(server, fault, monkeypatch):
    """In some tables; without the second look, which would undo it."""
    unguarded(monkeypatch)
    monkeypatch.setattr(*QUERIES[fault])

    assert too_far(server, "add_remove") != []
