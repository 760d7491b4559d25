"""Keys of several columns: found as one, alike on every engine, and no two written alike."""

import random
from dataclasses import replace
from itertools import product

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from adversarial.test_unknown_keys import check_alone, small
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.finding.pairs import Pairs
from discreet.schema import bounds, derived, table, unit, unknown
from discreet.schema.unknown import composed
from discreet.statistic.count import count, count_units
from discreet.statistic.mean import mean
from engine.sources import native_hash, opened

pytestmark = pytest.mark.claim("C130")

PAIRS = Pairs("trip", (60, 42, 34))
REFERENCE = MemoryEngine(hash_of=native_hash)
OF = ("start", "end")


def declared(source, *, of=OF, who="who", **how):
    """A table whose trips are to be found: pairs of a start and an end."""
    return table(
        source,
        unit="row" if who is None else unit(who, max_rows=8),
        columns={"n": bounds(0, 10, step=1)},
        keys={"trip": unknown(max_groups=3, of=of, **how), "day": [1, 2]},
        name="trips",
    )


def made(seed, units=40):
    """Rows with texts that hold bars and blanks, numbers among texts, and missing cells."""
    chance = random.Random(seed)
    cells = ["a", "b", "a | b", "|", "", " ", "ä", "other", "'; --", None, "a|", "|b"]
    return [
        {
            "who": f"p{chance.randrange(units)}",
            "start": chance.choice(cells),
            "end": chance.choice(cells),
            "line": chance.choice([1, 2, 30]),
            "n": chance.randrange(11),
            "day": chance.randrange(1, 4),
        }
        for _ in range(300)
    ]


def read(source, *, engine=None, salt=3, **how):
    """Every key of a pool with what the units add to it."""
    pool = (engine or engine_for(source)).pooling(declared(source, **how), PAIRS).read(salt)
    sums = pool.sums(frozenset()).opened_by_the_door()
    return {pool.names(frozenset([place]))[0]: found for place, found in enumerate(sums)}


def counted(source, found, *, engine=None, salt=3, **how):
    """Counts, units and means by trip, and by trip and day."""
    known = declared(source, **how).with_keys("trip", found)
    most = None if known.unit.column is None else 3
    asked = [
        question
        for by in (["trip"], ["trip", "day"])
        for question in (
            count(by=by, max_groups=most),
            count_units(by=by, max_groups=most),
            mean("n", by=by, max_groups=most),
        )
    ]
    aggregates = tuple(found for question in asked for found in question.aggregates(known))
    return opened((engine or engine_for(source)).prepare(known, aggregates).count(salt))


def user_table(rows):
    """A table of a user's own connection, of a collation that ignores case."""
    connection = duckdb.connect()
    columns = 'who VARCHAR, start VARCHAR COLLATE NOCASE, "end" VARCHAR, line INT, n INT, day INT'
    connection.execute(f"CREATE TABLE trips ({columns})")
    connection.executemany(
        "INSERT INTO trips VALUES (?, ?, ?, ?, ?, ?)", [[*row.values()] for row in rows]
    )
    return connection


SOURCES = {
    "pandas": pd.DataFrame,
    "objects": lambda rows: pd.DataFrame(rows).astype(object),
    "polars": pl.DataFrame,
    "arrow": pa.Table.from_pylist,
    "connection": user_table,
}


@pytest.mark.parametrize("parts", [2, 3])
def test_no_two_rows_are_written_alike_and_each_is_taken_apart_again(parts):
    """All texts of up to three bars, blanks and letters: as many keys as rows of them."""
    texts = ["".join(found) for size in range(4) for found in product("| a", repeat=size)]
    some = texts if parts == 2 else texts[:15]
    how = unknown(max_groups=1, of=[f"c{n}" for n in range(parts)])
    rows = [*product(some, repeat=parts)]

    written = [composed(row) for row in rows]
    assert len({*written}) == len(rows)
    assert [how.parts(key) for key in written] == rows


def test_a_key_of_one_column_is_its_own_part():
    """Nothing is taken apart that was not put together."""
    assert unknown(max_groups=1).parts("a | b || c") == ("a | b || c",)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("how", [{}, {"missing": "none"}, {"of": ("end", "line", "start")}])
def test_duckdb_pools_what_the_reference_pools(kind, how):
    """Key for key: also of three columns, one of them of numbers, and with missing cells named."""
    rows = made(7)
    expected = read(rows, engine=REFERENCE, **how)

    assert read(SOURCES[kind](rows), **how) == expected
    assert len(expected) > 30
    assert any("||" in key for key in expected)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("who", [None, "who"])
@pytest.mark.parametrize("how", [{}, {"missing": "none"}])
def test_duckdb_counts_what_the_reference_counts(kind, who, how):
    """On found keys, and all others together; a row of a missing part is in none, or named."""
    rows, found = made(8), ("a | b", "a || b | b", "ä | |||", "none | a")

    assert counted(SOURCES[kind](rows), found, who=who, **how) == counted(
        rows, found, engine=REFERENCE, who=who, **how
    )


def test_files_are_read_alike(tmp_path):
    """CSV, where each cell is text, and Parquet."""
    rows = [row for row in made(9) if row["start"] and row["end"]]
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "trips.csv", index=False)
    frame.to_parquet(tmp_path / "trips.parquet")

    expected = read(rows, engine=REFERENCE, of=("start", "line"))
    assert read(str(tmp_path / "trips.csv"), of=("start", "line")) == expected
    assert read(str(tmp_path / "trips.parquet"), of=("start", "line")) == expected


def test_rows_are_told_apart_that_a_plain_join_would_mix():
    """'a |' and 'b', 'a' and '| b': two keys, of one unit each."""
    rows = [{"who": "p", "start": "a |", "end": "b"}, {"who": "q", "start": "a", "end": "| b"}]

    for source in (rows, pd.DataFrame(rows)):
        assert read(source) == {"a || | b": 60, "a | || b": 60}


def test_a_row_of_a_missing_part_is_in_no_group_unless_it_has_a_name():
    """Neither an empty text nor a text that is there; an empty text is one."""
    rows = [
        {"who": "p", "start": "a", "end": None},
        {"who": "q", "start": None, "end": None},
        {"who": "r", "start": "", "end": "b"},
    ]

    for source in (rows, pd.DataFrame(rows)):
        assert read(source) == {" | b": 60}
        named = {"a | none": 60, "none | none": 60, " | b": 60}
        assert read(source, missing="none") == named


def test_a_key_of_several_columns_of_one_unit_alone_is_rarer_than_delta():
    """The worlds of the proof, over keys that are made of two columns."""

    def pool(units, finding):
        texts = {"a": ("x", "y"), "b": ("x", "z"), "c": ("x | y", "")}
        rows = [
            {"who": f"u{number}", "start": texts[key][0], "end": texts[key][1]}
            for number, keys in units
            for key in sorted(keys)
        ]
        pairs = replace(finding.pairs, column="trip")
        return MemoryEngine().pooling(declared(rows * 2), pairs).read(5)

    check_alone(small(2), pool)


def test_a_condition_may_look_at_the_key():
    """It is a text that is made of each row."""
    rows = made(3)
    known = declared(pd.DataFrame(rows)).where("trip = 'a | b'")
    pool = engine_for(known.source).pooling(known, PAIRS).read(1)

    assert pool.names(frozenset([0])) == ["a | b"]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"of": "start"}, "does not name several columns"),
        ({"of": ["start"]}, "does not name several columns"),
        ({"of": ["start", "start"]}, "does not name several columns"),
        ({"of": ["start", 7]}, "does not name several columns"),
        ({"of": ["start", "trip"]}, "which is no column"),
    ],
)
def test_what_cannot_be_a_key_of_several_columns_is_refused(how, why):
    """Before any data is seen."""
    with pytest.raises(InputError, match=why):
        declared([], **how)


def test_what_is_made_is_no_part_and_has_a_name_of_its_own():
    """Neither of keys that are made, nor of derived columns."""
    rows = [{"who": "p", "start": "a", "end": "b", "trip": "c"}]
    with pytest.raises(InputError, match="which is no column"):
        table([], unit="row", name="t", keys={
            "trip": unknown(max_groups=1, of=OF), "tour": unknown(max_groups=1, of=["trip", "end"]),
        })  # fmt: skip
    with pytest.raises(InputError, match="a column of the data already"):
        declared([]).derive(start=derived("'x'", keys=["x"]))
    assert read(rows) == read([{**row, "trip": None} for row in rows])  # it hides a name of a list
    with pytest.raises(InputError, match="its keys are to be found"):
        read(pl.DataFrame([{"who": "p", "start": 0.5, "end": "b"}]))
