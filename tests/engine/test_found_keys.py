"""Counting on keys that were found: all other cells are one group, alike on every engine."""

import random
from collections import Counter

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest

from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.plans.plan import plan
from discreet.privacy.loss import approx, zcdp
from discreet.releases.run import prepared_for
from discreet.schema import bounds, table, unit, unknown
from discreet.statistic.count import count, count_units
from discreet.statistic.group_sizes import group_sizes
from discreet.statistic.mean import mean
from discreet.statistic.sum import sum_
from engine.sources import native_hash, opened

pytestmark = pytest.mark.claim("C70")

REFERENCE = MemoryEngine(hash_of=native_hash)
FOUND = ("ä", "w1", "w2")


def declared(source, found=FOUND, *, who="who", **how):
    """A table whose words were found."""
    return table(
        source,
        unit="row" if who is None else unit(who, max_rows=6),
        columns={"n": bounds(0, 10, step=1)},
        keys={"word": unknown(max_groups=3, **how), "day": [1, 2]},
        name="texts",
    ).with_keys("word", found)


def made(seed):
    """Rows of units with many words."""
    chance = random.Random(seed)
    cells = [f"w{number}" for number in range(6)] + [None, "ä", "Ä", "other", "w1 "]
    return [
        {
            "who": f"p{chance.randrange(30)}",
            "word": chance.choice(cells),
            "n": chance.randrange(10),
            "day": chance.randrange(1, 4),
        }
        for _ in range(300)
    ]


def counted(source, *, engine=None, salt=3, max_groups=3, **how):
    """Counts, units, sums and means by word, and by word and day."""
    known = declared(source, **how)
    if known.unit.column is None:
        max_groups = None
    asked = [
        question
        for by in (["word"], ["word", "day"])
        for question in (
            count(by=by, max_groups=max_groups),
            count_units(by=by, max_groups=max_groups),
            sum_("n", by=by, max_groups=max_groups),
            mean("n", by=by, max_groups=max_groups),
        )
    ]
    aggregates = tuple(found for question in asked for found in question.aggregates(known))
    return opened((engine or engine_for(source)).prepare(known, aggregates).count(salt))


SOURCES = {
    "pandas": pd.DataFrame,
    "objects": lambda rows: pd.DataFrame(rows).astype(object),
    "polars": pl.DataFrame,
    "polars objects": lambda rows: pl.DataFrame(
        {name: pl.Series([row[name] for row in rows], dtype=pl.Object) for name in rows[0]}
    ),
    "arrow": pa.Table.from_pylist,
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("who", [None, "who"])
@pytest.mark.parametrize("how", [{}, {"missing": "no word"}, {"missing": "w1"}, {"found": ()}])
def test_duckdb_counts_what_the_reference_counts(kind, who, how):
    """Integer for integer, with and without a name for missing cells, also if nothing was found."""
    rows = made(4)

    assert counted(SOURCES[kind](rows), who=who, **how) == counted(
        rows, engine=REFERENCE, who=who, **how
    )


def test_csv_is_counted_alike(tmp_path):
    """From a file of text."""
    rows = made(6)
    pd.DataFrame(rows).to_csv(tmp_path / "texts.csv", index=False)

    assert counted(str(tmp_path / "texts.csv")) == counted(rows, engine=REFERENCE)


def test_each_row_is_in_one_group():
    """Shown keys, then the rest; a missing cell is in none, or under its name."""
    rows = made(7)
    words = Counter(row["word"] for row in rows)
    rest = len(rows) - sum(words[key] for key in FOUND) - words[None]
    frame = pd.DataFrame(rows)

    assert counted(frame, who=None)[0] == (*(words[key] for key in FOUND), rest)
    named = counted(frame, who=None, missing="none")[0]
    assert named == (*(words[key] for key in FOUND), rest + words[None])
    found = counted(frame, who=None, missing="w2")[0]
    assert found == (words["ä"], words["w1"], words["w2"] + words[None], rest)


def test_numbers_that_were_found_match_their_digits():
    """A typed column, found as text."""
    frame = pd.DataFrame({"who": list("abcdef"), "word": [1, 1, 2, 10, -3, 1], "n": 1, "day": 1})

    assert counted(frame, who=None, found=("-3", "1"))[0] == (1, 3, 2)


@pytest.mark.parametrize("make", [list, pd.DataFrame])
def test_other_is_one_of_the_groups_of_a_unit(make):
    """A unit with shown keys and others is in max_groups of them, the rest among these."""
    rows = [{"who": "p", "word": f"w{n}", "n": 1, "day": 1} for n in range(6)]
    rows += [{"who": "p", "word": "ä", "n": 1, "day": 1}]

    for salt in range(8):
        for limit in (1, 2, 3):
            units = counted(make(rows), salt=salt, max_groups=limit)[1]
            assert sum(units) == min(limit, 4)
            assert max(units) == 1


@pytest.mark.parametrize("sizes", [False, True])
def test_a_stream_is_not_read_for_its_keys_and_then_counted_as_empty(sizes):
    """Refused before the charge; a table of the same rows is not, nor a stream read once."""
    held = pa.table({"word": ["a"] * 9})
    asked = group_sizes("word") if sizes else count("word")
    spend = zcdp(1) if sizes else approx(4, "1e-6")

    def tried(source, *more):
        keys = {"word": unknown(max_groups=1)}
        prepared_for(plan(table(source, unit="row", keys=keys), asked, *more, spend=spend))

    for stream in (held.to_reader(), pa.csv.open_csv(pa.BufferReader(b"word\na\n"))):
        with pytest.raises(InputError, match="reads it more than once") as error:
            tried(stream, count())
        assert "0" in str(error.value)
    tried(held, count())
    if sizes:
        tried(held.to_reader())
