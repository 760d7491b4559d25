"""A public table with a unique key, looked up for each row: one group or none, on every engine."""

import duckdb
import pytest

import discreet as dp
from adversarial.moves import exceeds, move
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.plans.plan import plan
from discreet.schema import levels as made_of
from discreet.schema import table_of
from engine.sources import opened

PLACES = [("North", "02139"), ("South's", "9021'0"), ("North", "10001"), ("South's", "a b")]
CELLS = ["02139", "2139", "9021'0", "10001", "a b", "A B", "", None, "02139 "]
ROWS = [{"who": n // 3, "zip": CELLS[n % len(CELLS)], "pay": n % 7} for n in range(60)]


def asked(rows, source=None, places=PLACES):
    """Counts and sums by region, of people with several rows."""
    table = dp.table(
        rows if source is None else source,
        unit=dp.unit("who", max_rows=2, sampling="portable"),
        columns={"pay": dp.bounds(0, 6, step=1)},
        name="t",
    ).derive(region=dp.levels(["region", "zip"], rows=places).lookup("region"))
    questions = [dp.count("region"), dp.sum("pay", "region")]
    aggregates = tuple(a for one in questions for a in one.aggregates(table))
    return aggregates, opened(engine_for(table.source).prepare(table, aggregates).count(1))


@pytest.mark.claim("C55")
def test_each_row_finds_the_group_of_its_key_on_every_engine():
    """By bytes: neither case, nor blanks, nor quotation marks make one key of two."""
    source = duckdb.connect()
    source.execute("CREATE TABLE t (who INT, zip VARCHAR, pay DOUBLE)")
    source.execute("SET default_collation = 'NOCASE'")
    source.executemany("INSERT INTO t VALUES (?, ?, ?)", [[*row.values()] for row in ROWS])
    _, here = asked(ROWS)

    assert asked(ROWS, source)[1] == here
    every = [{**row, "who": n} for n, row in enumerate(ROWS)]
    known = {key: group for group, key in PLACES}
    found = [known.get(row["zip"]) for row in ROWS]
    assert asked(every)[1][0] == (found.count("North"), found.count("South's"))


@pytest.mark.claim("C55")
def test_one_unit_moves_no_vector_too_far():
    """Each unit is taken away: with a unique key a lookup copies no row."""
    aggregates, before = asked(ROWS)
    for who in {row["who"] for row in ROWS}:
        _, after = asked([row for row in ROWS if row["who"] != who])
        for one, two, aggregate in zip(before, after, aggregates, strict=True):
            assert not exceeds(move(one, two), aggregate.sensitivity)


@pytest.mark.claim("C55")
def test_a_public_table_with_a_double_key_is_refused():
    """A join would copy the row of each unit with that key; a lookup would find the first alone."""
    with pytest.raises(InputError, match="twice"):
        asked(ROWS, places=[*PLACES, ("South's", "02139")])


def test_a_lookup_is_a_part_of_the_plan_that_is_made_again():
    """Its text holds the public table; numbers and truth values are looked up, too."""
    grades = made_of(["passed", "grade"], rows=[(True, 1), (True, 2), (False, 5)])
    table = dp.table([], unit="row", name="t").derive(passed=grades.lookup("passed"))

    assert str(table.derived["passed"].expression) == (
        "CASE WHEN grade IN (1, 2) THEN TRUE WHEN grade IN (5) THEN FALSE END"
    )
    assert table.keys["passed"] == (True, False)
    assert table_of(table.plain()) == table
    priced = plan(table, dp.count("passed"), spend=dp.zcdp(1))
    assert dp.verify(dp.rehearse(priced))


def test_what_cannot_be_looked_up_is_refused():
    """A level that is not there, the keys themselves, more keys than an expression can hold."""
    places = dp.levels(["region", "zip"], rows=PLACES)
    for wrong in ("zip", "planet", 3, None, ["region"]):
        with pytest.raises(InputError, match="no level above zip"):
            places.lookup(wrong)
    many = dp.levels(["region", "zip"], rows=[("North", f"{n:05d}") for n in range(900)])
    with pytest.raises(InputError, match="900 keys of zip are more than a lookup can hold"):
        many.lookup("region")
