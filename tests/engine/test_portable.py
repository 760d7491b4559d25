"""Rows chosen alike: the reference, DuckDB and servers keep the same rows and add the same numbers.

The reference says what the hash is; `test_engines_agree` does the same with DuckDB's own hash.
"""

import math
import random
from hashlib import md5

import pytest

import discreet as dp
from discreet.engine.memory import MemoryEngine
from discreet.engine.portable_sample import portable
from discreet.engine.select_engine import engine_for
from discreet.engine.sql import ranked
from discreet.errors import InputError
from discreet.schema import ROW, unit
from engine.sources import NAMES, NUMBERS, SOURCES, arrow, opened
from engine.test_engines_agree import HOSTILE, everything
from property.strategies import declared
from servers import filled

HOWS = [
    {"unit": ROW},
    {"unit": unit("who", max_rows=9, sampling="portable")},
    {"unit": unit("who", sampling="portable")},
]
KINDS = {name: "double precision" if name in NUMBERS else "text" for name in NAMES}
UNITS = [
    "ann",
    "Ann",
    "ann ",
    " ann",
    "e\u0301",
    "\u00e9",
    "a|b",
    "n|",
    "%s",
    "1\n",
    "\u2028",
    "",
    "𝒶",
]
COSTS = [0.0, -0.0, 1e307, -1e307, 1e308, -1e308, 5e-324, -5e-324, 1e-310, 0.25, -0.25, 2.25, 0.75]
COSTS += [
    math.inf,
    -math.inf,
    math.nan,
    None,
    9.25,
    8.75,
    -3.25,
    float(2**63),
    1.0,
    4503599627370495.5,
]
AGES = ["1", "2.5", "1e400", "1\n", "1\r", "1\u2028", "٣", "1e-400", "-0", None, "1e307"]


def hostile(many: int) -> list[dict[str, object]]:
    """Rows of the strangest cells, the same each time."""
    pick = random.Random(7)
    return [
        {
            "who": pick.choice(UNITS) + str(pick.randrange(many // 40))
            if pick.random() < 0.98
            else None,
            "ward": pick.choice(["A", "B", "it's", "C;\n", "a", "A ", None]),
            "floor": pick.choice(["1", "01", "2e0", "3", "x", "-0", "1.0000000000000002", None]),
            "cost": pick.choice(COSTS),
            "age": pick.choice(AGES),
        }
        for _ in range(many)
    ]


def by_engine(source, aggregates, salt, how):
    return opened(engine_for(source).prepare(declared(source, **how), aggregates).count(salt))


def by_memory(rows, aggregates, salt, how):
    return opened(MemoryEngine().prepare(declared(rows, **how), aggregates).count(salt))


def in_postgres(rows):
    """The rows as a table of a server."""
    typed = arrow(rows).to_pylist()
    return filled(KINDS, [[row[name] for name in NAMES] for row in typed])


def test_the_hash_is_what_its_decision_says():
    """MD5 of numbers, each with its end, before 32 letters of MD5 of the salt and the name."""
    digest = md5(b"00000000000000000005ann").hexdigest()

    assert portable(5, "ann", 2, None, -7) == md5(f"2|n|-7|{digest}".encode()).hexdigest()
    assert portable(5, "ann") == md5(digest.encode()).hexdigest()


@pytest.mark.exhaustive
@pytest.mark.claim("C83")
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
@pytest.mark.parametrize("how", HOWS[1:], ids=lambda how: str(how["unit"]))
def test_every_source_of_duckdb_keeps_the_rows_of_the_reference(source, how, tmp_path):
    """With the reference's own hash, exchanged by nobody."""
    data = [{**row, "age": row["age"] or None} for row in HOSTILE]
    aggregates = everything(**how)

    expected = by_memory(data, aggregates, 5, how)

    assert by_engine(source(data, tmp_path), aggregates, 5, how) == expected


@pytest.mark.exhaustive
@pytest.mark.claim("C83")
@pytest.mark.parametrize("how", HOWS, ids=lambda how: str(how["unit"]))
def test_postgres_keeps_the_rows_of_the_reference(how):
    """Several salts, the least and the largest among them."""
    data, aggregates = hostile(2_000), everything(**how)
    source = in_postgres(data)

    for salt in (0, 2**64 - 1):
        expected = by_memory(data, aggregates, salt, how)

        assert by_engine(source, aggregates, salt, how) == expected


@pytest.mark.exhaustive
@pytest.mark.claim("C83")
@pytest.mark.slow
@pytest.mark.parametrize("how", HOWS[1:], ids=lambda how: str(how["unit"]))
def test_30_000_hostile_rows_add_up_alike_everywhere(how):
    """The reference, DuckDB and Postgres: every integer."""
    data, aggregates = hostile(30_000), everything(**how)
    expected = by_memory(data, aggregates, 11, how)

    assert sum(map(sum, (map(abs, vector) for vector in expected))) > 10_000
    assert by_engine(arrow(data), aggregates, 11, how) == expected
    assert by_engine(in_postgres(data), aggregates, 11, how) == expected


@pytest.mark.of_speed
@pytest.mark.claim("C83")
@pytest.mark.parametrize("late", [None, "_hashed_late", "_digested_once"])
def test_postgres_hashes_only_where_a_limit_binds(late, monkeypatch):
    """Units of one row to many, of numbers and of text; a limit that is said one too large is seen.

    Only units that are numbers are digested once for all their rows.
    """
    if late is not None:
        honest = getattr(ranked, late)
        monkeypatch.setattr(
            ranked, late, lambda *parts, **how: honest(*parts[:-1], parts[-1] + 1, **how)
        )
    chance = random.Random(9)
    people = [who for who in range(60) for _ in range(who % 12)]
    rows = [{"u": u, "g": chance.randrange(5), "v": float(chance.randrange(9))} for u in people]
    limits = {"max_groups": 3, "max_rows_per_group": 2}
    for kind, read in (("bigint", int), ("text", str)):
        data = [{**row, "u": read(row["u"])} for row in rows]
        source = filled({"u": kind, "g": "int", "v": "float8"}, [(*row.values(),) for row in data])
        for most in (None, 4):
            how = {
                "name": "t",
                "unit": unit("u", max_rows=most, sampling="portable"),
                "keys": {"g": range(5)},
                "columns": {"v": dp.bounds(0, 9, step=1)},
            }
            here, there = dp.table(data, **how), dp.table(source, **how)
            asked = dp.mean("v", "g", **limits).aggregates(here)
            expected = opened(MemoryEngine().prepare(here, asked).count(3))

            is_late = late == "_hashed_late" or (late is not None and kind == "bigint")

            assert (
                opened(engine_for(source).prepare(there, asked).count(3)) == expected
            ) != is_late


def test_whole_numbers_and_their_text_are_one_choice():
    """A column of numbers in one place, and of text in another."""
    import pyarrow as pa

    numbers = [n % 40 for n in range(400)]
    how = {
        "keys": {"k": range(10)},
        "name": "t",
        "unit": unit("u", max_rows=2, sampling="portable"),
    }
    found = []
    for units in (numbers, list(map(str, numbers))):
        source = pa.table({"u": units, "k": [n * 7 % 10 for n in range(400)]})
        table = dp.table(source, **how)
        found.append(
            opened(engine_for(source).prepare(table, dp.count("k").aggregates(table)).count(3))
        )

    assert found[0] == found[1]


def test_a_unit_that_engines_write_in_different_ways_is_refused():
    """Before the charge; natively it is counted."""
    import pyarrow as pa

    source = pa.table({"u": [0.5, 1.5]})
    for sampling in ("native", "portable"):
        table = dp.table(source, unit=unit("u", max_rows=1, sampling=sampling), name="t")
        aggregates = dp.count().aggregates(table)
        if sampling == "native":
            engine_for(source).prepare(table, aggregates)
            continue
        with pytest.raises(InputError, match="do not hash alike"):
            engine_for(source).prepare(table, aggregates)


def test_the_choice_of_rows_is_part_of_a_plan_and_nothing_else_changes():
    """Its plain data says it; a plan without it is what it was."""
    native, alike = unit("u", max_rows=2), unit("u", max_rows=2, sampling="portable")

    assert native.plain() == {"column": "u", "max_rows": 2}
    assert alike.plain() == {"column": "u", "max_rows": 2, "sampling": "portable"}
    assert "portable" in str(alike)
    with pytest.raises(InputError, match="sampling"):
        unit("u", sampling="md5")
