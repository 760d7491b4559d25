"""The pairs of unit and key: alike on every engine, fixed by one unit's own rows, compared as bytes."""

import random

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.finding.pairs import Pairs
from discreet.schema import table, unit, unknown
from engine.sources import native_hash

pytestmark = pytest.mark.claim("C69")

WEIGHTS = (60, 42, 34)
PAIRS = Pairs("word", WEIGHTS)
REFERENCE = MemoryEngine(hash_of=native_hash)


def declared(source, *, who="who", **how):
    """A table whose words are to be found."""
    whose = "row" if who is None else unit(who)
    return table(source, unit=whose, keys={"word": unknown(max_groups=3, **how)}, name="texts")


def read(source, *, engine=None, salt=3, pairs=PAIRS, **how):
    """Every key of a pool with what the units add to it, before and after the first was found."""
    pool = (engine or engine_for(source)).pooling(declared(source, **how), pairs).read(salt)
    size = len(pool.noise(lambda keys: [0] * len(keys)).opened_by_the_door())
    names = [pool.names(frozenset([place]))[0] for place in range(size)]

    def sums(gone):
        places = frozenset(place for place, name in enumerate(names) if name in gone)
        found = pool.sums(places).opened_by_the_door()
        return dict(zip(names, found, strict=True))

    return sums(()), sums(sorted(names)[:2])


def made(seed, units=40, words=12):
    """Rows of units with many words, some of them several times, some missing."""
    chance = random.Random(seed)
    cells = [f"w{number}" for number in range(words)] + [None, "ä", "Ä", "a b", "'; --"]
    return [
        {"who": f"p{chance.randrange(units)}", "word": chance.choice(cells)} for _ in range(300)
    ]


SOURCES = {
    "pandas": pd.DataFrame,
    "objects": lambda rows: pd.DataFrame(rows).astype(object),
    "polars": pl.DataFrame,
    "arrow": pa.Table.from_pylist,
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("salt", [0, 1, 2**62 - 1])
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("missing", [None, "no word"])
def test_duckdb_pools_what_the_reference_pools(kind, salt, missing):
    """Key for key and integer for integer, with units of more keys than stay."""
    rows = made(salt % 97)
    expected = read(rows, engine=REFERENCE, salt=salt, missing=missing)

    assert read(SOURCES[kind](rows), salt=salt, missing=missing) == expected
    assert len(expected[0]) > 10


def test_a_unit_that_is_a_row_adds_to_its_own_key():
    """Two equal rows are two units."""
    rows = [{"word": word} for word in ["a", "a", "b", None, "a"]]
    pairs = Pairs("word", (60,))

    for source in (rows, pd.DataFrame(rows)):
        assert read(source, who=None, pairs=pairs) == ({"a": 180, "b": 60}, {"a": 0, "b": 0})


def test_csv_and_parquet_are_pooled_alike(tmp_path):
    """Files of text, with cells that need quotation marks."""
    rows = made(5)
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "texts.csv", index=False)
    frame.to_parquet(tmp_path / "texts.parquet")

    expected = read(rows, engine=REFERENCE)
    assert read(str(tmp_path / "texts.csv")) == expected
    assert read(str(tmp_path / "texts.parquet")) == expected


def test_whole_numbers_and_truth_values_are_found_by_their_digits():
    """From a typed column and from Python objects."""
    rows = [{"who": f"p{n}", "word": n % 3 - 1} for n in range(9)]

    assert read(rows)[0] == read(pd.DataFrame(rows))[0] == {"-1": 180, "0": 180, "1": 180}
    truths = pd.DataFrame({"who": ["p", "q"], "word": [True, False]})
    assert read(truths)[0] == {"0": 60, "1": 60}


def test_a_type_that_has_no_one_text_is_refused_before_anything_is_read():
    """The text of a float is each engine's own."""
    with pytest.raises(InputError, match="its keys are to be found"):
        read(pl.DataFrame({"who": ["p"], "word": [0.5]}))


def test_keys_are_compared_as_bytes():
    """Equal under a collation, or looking alike, is not equal."""
    words = ["é", "e\u0301", "E", "e", "e ", "ｅ"]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE texts (who VARCHAR, word VARCHAR COLLATE NOCASE)")
    for number, word in enumerate(words):
        connection.execute("INSERT INTO texts VALUES (?, ?)", [f"p{number}", word])

    assert read(connection)[0] == dict.fromkeys(words, 60)


def test_sums_belong_to_their_own_keys_whatever_order_a_connection_prefers():
    """Else a key of one person is shown in the place of one that all have."""
    rows = made(7)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE texts (who VARCHAR, word VARCHAR)")
    connection.executemany("INSERT INTO texts VALUES ($who, $word)", rows)
    connection.execute("SET default_order = 'DESC'")

    assert read(connection) == read(rows, engine=REFERENCE)


def test_long_keys_and_the_name_of_all_others_are_never_found():
    """A key longer than declared, and one that is called like the rest, is none."""
    rows = [{"who": f"p{n}", "word": w} for n, w in enumerate(["aaaa", "aaa", "rest", "äöü"])]
    how = {"longest": 3, "other": "rest"}

    assert read(rows, **how)[0] == read(pd.DataFrame(rows), **how)[0] == {"aaa": 60, "äöü": 60}


@pytest.mark.parametrize("make", [list, pd.DataFrame])
def test_one_unit_moves_the_sums_by_at_most_the_resolution(make):
    """Salt by salt, whatever was found: also with a unit of many keys, each of many rows."""
    rows = made(1)
    extra = [{"who": "new", "word": f"w{number % 9}"} for number in range(40)]

    for salt in range(4):
        for one, other in zip(
            read(make(rows + extra), salt=salt), read(make(rows), salt=salt), strict=True
        ):
            moved = [one.get(key, 0) - other.get(key, 0) for key in {*one, *other}]
            assert all(move in (0, *WEIGHTS) for move in moved)
            assert sum(move**2 for move in moved) <= WEIGHTS[0] ** 2
            assert sum(move > 0 for move in moved) <= len(WEIGHTS)


def test_a_pool_without_its_limit_adds_nothing():
    """The second look: a unit with more keys left than there are weights does not count."""
    frame = pd.DataFrame({"who": ["p"] * 3, "word": ["a", "b", "c"]})
    pool = DuckEngine().pooling(declared(frame), PAIRS).read(1)
    pool._connection.execute("INSERT INTO discreet_pool SELECT u, g + 10 FROM discreet_pool")

    assert set(pool.sums(frozenset()).opened_by_the_door()) == {0}


@pytest.mark.parametrize("make", [list, pd.DataFrame])
def test_rows_that_a_condition_leaves_out_have_no_keys(make):
    """The condition of the table, row by row, before keys are pooled."""
    rows = [{"who": f"p{n}", "word": "ab"[n % 2], "age": n} for n in range(20)]
    known = declared(make(rows)).where("age >= 10 AND word <> 'b'")
    pool = engine_for(known.source).pooling(known, PAIRS).read(1)

    assert pool.sums(frozenset()).opened_by_the_door() == (5 * WEIGHTS[0],)


def test_no_rows_are_no_keys():
    """An empty table, and one without a usable cell."""
    empty = pd.DataFrame({"who": pd.Series([], dtype="str"), "word": pd.Series([], dtype="str")})

    assert read(empty) == ({}, {})
    assert read([{"who": "p", "word": None}]) == ({}, {})
