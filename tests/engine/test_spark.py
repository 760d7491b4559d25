"""Spark: the integers of the reference, also where a task runs twice; what is refused, what stays.

It runs where Spark is installed, which `make test` does not do: `make spark` does.
"""

import random
import shutil

import pyarrow as pa
import pytest

import discreet as dp
from adversarial.moves import counted as transformed
from adversarial.moves import exceeds, move
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.engine.source import is_database
from discreet.entropy import Keyed
from discreet.errors import EngineError, InputError
from discreet.finding.pairs import Pairs
from discreet.releases.find import find, keyed_noise
from discreet.schema import ROW, unit
from engine import joined_worlds as joins
from engine import test_cubes_agree as cubes
from engine import test_days_with_bounds as days
from engine import test_filters_and_found_keys as filtered
from engine import test_missing as missing
from engine.sources import NAMES, NUMBERS, arrow, opened
from engine.test_expressions_agree import compare, numbered
from engine.test_pools_on_servers import FINDING, PAIRS, made, pool_of, sums
from engine.test_portable import hostile
from property.strategies import declared
from servers import spark

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SCHEMA = ", ".join(f"{name} {'double' if name in NUMBERS else 'string'}" for name in NAMES)
EXPRESSIONS = {"i": "int", "x": "double", "y": "double", "s": "string", "t": "string"}
EXPRESSIONS |= {"d": "date", "m": "timestamp_ntz", "b": "boolean"}
HOWS = [{"unit": ROW}, {"unit": unit("who", max_rows=9, sampling="portable")}]


def asked(**how):
    """Counts, sums, products and bins, of which some rows of a unit stay."""
    limits = {} if how["unit"] == ROW else {"max_groups": 2, "max_rows_per_group": 3}
    every = [
        dp.count(["floor", "ward"], **limits),
        dp.count_units("floor", **limits),
        dp.variance("cost", "ward", **limits),
        dp.mean(["cost", "age"], "floor", ball="1.5", **limits),
        dp.histogram("cost", "floor", bins=5, **limits),
        dp.histogram("age", bins=[0, 1, 4], **limits),
    ]
    return tuple(a for one in every for a in one.aggregates(declared([], **how)))


def tuples(rows):
    return [tuple(row[name] for name in NAMES) for row in arrow(rows).to_pylist()]


def counted(source, aggregates, salt, **how):
    return opened(engine_for(source).prepare(declared(source, **how), aggregates).count(salt))


def of_table(source, *questions, **how):
    found = dp.table(source, **{"unit": "row", "name": "t", **how})
    aggregates = tuple(a for one in questions for a in one.aggregates(found))
    return opened(engine_for(source).prepare(found, aggregates).count(5))


@pytest.mark.exhaustive
@pytest.mark.claim("C84")
@pytest.mark.parametrize("how", HOWS, ids=lambda how: str(how["unit"]))
def test_hostile_rows_add_up_as_in_the_reference(how):
    """3,000 rows of the strangest cells; nothing of them is left in the session."""
    data, aggregates = hostile(3_000), asked(**how)
    source = spark().createDataFrame(tuples(data), SCHEMA)
    expected = opened(MemoryEngine().prepare(declared(data, **how), aggregates).count(5))

    assert counted(source, aggregates, 5, **how) == expected

    assert not spark().catalog.listTables()
    assert spark()._jsparkSession.sharedState().cacheManager().isEmpty()


@pytest.mark.exhaustive
@pytest.mark.claim("C84")
@pytest.mark.parametrize("name", cubes.QUESTIONS)
def test_tables_that_add_up_are_counted_as_in_the_reference(name):
    """All tables of cubes and lists, with levels and groups for other rows, of units of two rows."""
    how = {"unit": cubes.UNITS["a unit of two rows"]}
    asked_, expected = cubes.vectors(cubes.ROWS, cubes.QUESTIONS[name], **how)
    frame = spark().createDataFrame(cubes.ROWS, "who string, sex string, age int, place string")
    found = engine_for(frame).prepare(cubes.people(frame, **how), asked_).count(7)

    assert [*map(tuple, transformed(asked_, opened(found)))] == [*map(tuple, expected)]


@pytest.mark.claim("C84")
def test_a_task_that_runs_twice_changes_no_integer():
    """Each partition of the source fails the first time that it is made."""
    how = HOWS[1]
    data, aggregates = hostile(1_000), asked(**how)

    def once_more(rows):
        from pyspark import TaskContext

        found = list(rows)
        if TaskContext.get().attemptNumber() == 0:
            raise RuntimeError("this worker is lost")
        random.Random(TaskContext.get().attemptNumber()).shuffle(found)
        return iter(found)

    lost = spark().sparkContext.parallelize(tuples(data), 3).mapPartitions(once_more)
    source = spark().createDataFrame(lost, SCHEMA)
    expected = opened(MemoryEngine().prepare(declared(data, **how), aggregates).count(5))

    vouched = "parts only change their order"
    assert counted(source, aggregates, 5, **how, vouched=vouched) == expected


@pytest.mark.claim("C84")
def test_one_unit_moves_no_vector_too_far():
    """The table against the table without one unit, whatever it held."""
    how = HOWS[1]
    data, aggregates = hostile(600), asked(**how)
    before = counted(spark().createDataFrame(tuples(data), SCHEMA), aggregates, 5, **how)
    gone = max(
        {row["who"] for row in data if row["who"]},
        key=lambda who: sum(r["who"] == who for r in data),
    )
    less = [row for row in data if row["who"] != gone]
    after = counted(spark().createDataFrame(tuples(less), SCHEMA), aggregates, 5, **how)

    assert before != after
    for aggregate, one, other in zip(aggregates, before, after, strict=True):
        assert not exceeds(move(one, other), aggregate.sensitivity)


@pytest.mark.claim("C140")
def test_the_same_noise_finds_the_same_keys():
    """Sums of a round and the keys of all five; nothing stays in the session or on its workers."""
    rows, draw = made(2, units=200, many=2_000), keyed_noise(FINDING, Keyed())
    source = spark().createDataFrame(
        [(r["who"], r["word"]) for r in rows], "who string, word string"
    )
    pools = [pool_of(one, pairs=FINDING.pairs) for one in (rows, source)]

    assert sums(pools[0]) == sums(pools[1])
    assert sums(pools[0], ["a", "é"]) == sums(pools[1], ["a", "é"])
    one, other = (find(FINDING, pool, draw) for pool in pools)
    assert one == other
    assert len(one) >= 3
    pools[1].close()
    assert not spark().catalog.listTables()
    assert spark()._jsparkSession.sharedState().cacheManager().isEmpty()
    assert not spark().sparkContext._jsc.getPersistentRDDs()


@pytest.mark.claim("C140")
def test_all_rounds_see_one_state_of_the_files(tmp_path):
    """Pairs are written down once: the files may go."""
    rows = [(row["who"], row["word"]) for row in made(3)]
    spark().createDataFrame(rows, "who string, word string").write.parquet(str(tmp_path / "p"))
    pool = pool_of(spark().read.parquet(str(tmp_path / "p")), pairs=PAIRS)
    before = sums(pool), sums(pool, ["a"])

    shutil.rmtree(tmp_path / "p")

    assert (sums(pool), sums(pool, ["a"])) == before
    pool.close()


def test_cells_of_every_type_are_what_the_table_of_cells_says():
    """Keys by value, in a session of another time zone; extremes of each type."""
    spark().conf.set("spark.sql.session.timeZone", "America/New_York")
    source = spark().sql(
        "SELECT * FROM VALUES "
        "(1Y, 9223372036854775807L, 1.50BD, true, DATE'2026-11-03', TIMESTAMP'2026-11-03 23:30:00', "
        "TIMESTAMP_NTZ'2026-11-03 23:30:00', 'A', 'nan'), "
        "(-128Y, -9223372036854775808L, -99.99BD, false, DATE'9999-12-31', "
        "TIMESTAMP'9999-12-31 10:00:00', TIMESTAMP_NTZ'0001-01-01 00:00:00', 'a', '1e400'), "
        "(null, null, null, null, null, null, null, null, null) AS t(i, l, d, b, day, z, n, s, x)"
    )
    keys = {
        "i": ["1", "-128"],
        "l": ["9223372036854775807", "-9223372036854775808"],
        "d": ["1.5", "-99.99"],
        "b": [False, True],
        "day": ["2026-11-03", "9999-12-31"],
        "z": ["2026-11-04", "2026-11-03"],
        "n": ["2026-11-03", "0001-01-01"],
        "s": ["A", "a", "A "],
        "x": ["nan", "1e400"],
    }
    found = of_table(source, *map(dp.count, keys), keys=keys, vouched="these are literals")

    expected = [(1, 1)] * 5 + [(1, 0), (1, 1), (1, 1, 0), (1, 1)]
    assert found == expected
    columns = {name: dp.bounds(-2, 2, step="0.5") for name in "ild"}
    sums = of_table(source, *map(dp.sum, columns), columns=columns, vouched="these are literals")
    assert sums == [(-2,), (0,), (-1,)]  # 1 - 2, 2 - 2 and 1.5 - 2, in halves


@pytest.mark.exhaustive
@pytest.mark.claim("C51")
@pytest.mark.parametrize("seed", range(2))
def test_random_expressions_are_what_they_are_in_the_reference(seed):
    """Filters and derived columns over hostile cells, row by row."""
    data = numbered(seed)
    rows = [tuple(row[name] for name in EXPRESSIONS) for row in data]
    kinds = ", ".join(f"{name} {kind}" for name, kind in EXPRESSIONS.items())

    compare(spark().createDataFrame(rows, kinds), data, seed, 2)


def test_the_last_day_is_one_of_its_year():
    """Moments on it are there, to the last microsecond."""
    source = spark().sql("SELECT TIMESTAMP_NTZ'9999-12-31 23:59:59.999999' AS m")

    asked = [dp.count(where="hour(m) = 23 AND year(m) = 9999"), dp.count(where="hour(m) IS NULL")]
    assert of_table(source, *asked, vouched="a literal") == [(1,), (0,)]


def test_bytes_that_are_no_text_are_missing():
    """As in every other source; as a unit they are nobody."""
    source = spark().sql("SELECT CAST(x AS STRING) AS s FROM VALUES (X'FF'), (X'41') AS t(x)")
    how = {"vouched": "literals", "keys": {"s": ["A", "\ufffd"]}}

    assert of_table(source, dp.count("s"), **how) == [(1, 0)]
    assert of_table(source, dp.count_units(), unit=unit("s", max_rows=1), **how) == [(1,)]


REFUSED = {  # of a query: what the message says of its frame
    "SELECT id % 3 AS x FROM range(9)": "cannot see",
    "SELECT max(id) AS x FROM range(9)": "cannot see",
    "SELECT rand() AS x FROM range(9)": "by chance",
    "SELECT CAST(id AS STRING) COLLATE UTF8_LCASE AS x FROM range(9)": "string collate",
    "SELECT CAST(id AS DOUBLE) AS x FROM range(9)": "do not hash alike",
}


@pytest.mark.parametrize("query", REFUSED)
def test_what_cannot_be_counted_is_refused_before_the_charge(query):
    """By the plan, or by the type."""
    vouched = None if "see" in REFUSED[query] else "each row is one of range"

    with pytest.raises(InputError, match=REFUSED[query]):
        of_table(spark().sql(query), dp.count(), unit=unit("x", max_rows=1), vouched=vouched)


def test_a_frame_of_spark_is_never_read_here():
    """By its Arrow stream it could be: a table on this machine is not joined to it."""
    frame_ = spark().createDataFrame([("p", 1)], "who string, n int")
    here = dp.table(pa.table({"who": ["p"]}), name="t", unit=unit("who", max_rows=1))
    both = here.joined(dp.join(frame_, name="o", gives=["n"]))

    assert not is_database(frame_)
    with pytest.raises(InputError):
        engine_for(both.source).prepare(both, dp.count().aggregates(both))


def test_a_stream_is_refused():
    """It has no state that could be counted."""
    with pytest.raises(InputError, match="is a stream"):
        of_table(spark().readStream.format("rate").load(), dp.count())


def test_a_frame_that_fails_on_a_cell_says_nothing_of_it():
    """An error of Spark quotes the cell; ours has one fixed text and no cause."""
    canary = "CANARY-7f3a"
    source = spark().sql(f"SELECT CAST(s AS INT) AS x FROM VALUES ('{canary}') AS t(s)")

    with pytest.raises(EngineError) as caught:
        of_table(source, dp.count("x"), keys={"x": [1]}, vouched="each is one of the values")

    shown, error = "", caught.value
    while error is not None:
        shown, error = f"{shown} {error!r} {error}", error.__cause__ or error.__context__
    assert canary not in shown


def test_a_frame_of_tables_may_pick_and_rename_columns(tmp_path):
    """What `spark.read` makes needs no word of its curator."""
    rows = spark().createDataFrame([("a", 1), ("b", 2)], "k string, v int")
    rows.write.parquet(str(tmp_path / "p"))
    source = spark().read.parquet(str(tmp_path / "p")).select("k").withColumnRenamed("k", "key")

    assert of_table(source, dp.count("key"), keys={"key": ["a", "b", "c"]}) == [(1, 1, 0)]


@pytest.mark.exhaustive
@pytest.mark.claim("C130")
@pytest.mark.parametrize("how", [{}, {"missing": "none"}])
def test_keys_of_several_columns_are_those_of_the_reference(how):
    """Text with bars and whole numbers: the pairs of unit and key, and counts of what was found."""
    chance = random.Random(1)
    cells = ["a", "b", "a | b", "|", "", " ", "\\", "\n", None]
    rows = [
        {"who": f"p{chance.randrange(40)}", "s": chance.choice(cells), "n": chance.randrange(3)}
        for _ in range(200)
    ]
    frame = spark().createDataFrame(
        [(*row.values(),) for row in rows], "who string, s string, n int"
    )

    def read(source):
        whose = dp.unit("who", sampling="portable", max_rows=8)
        keys = {"pair": dp.unknown(max_groups=3, of=["s", "n"], **how)}
        known = dp.table(source, unit=whose, keys=keys, name="t")
        pool = engine_for(source).pooling(known, Pairs("pair", (60, 42, 34))).read(3)
        found, known = sums(pool), known.with_keys("pair", ["a | 1", "a || b | 0"])
        pool.close()
        (aggregate,) = dp.count_units("pair", max_groups=3).aggregates(known)
        (counted_,) = engine_for(source).prepare(known, (aggregate,)).count(4)
        return found, counted_.opened_by_the_door()

    assert read(frame) == read(rows)


def frame(rows, kinds):
    """A frame of these rows, with a type for each column."""
    cells = [
        tuple(
            float(row[name]) if kind == "double" and row[name] is not None else row[name]
            for name, kind in kinds.items()
        )
        for row in rows
    ]
    return spark().createDataFrame(cells, ", ".join(f"{n} {kind}" for n, kind in kinds.items()))


@pytest.mark.exhaustive
@pytest.mark.claim("C120")
@pytest.mark.parametrize("kind", joins.KINDS)
def test_private_tables_are_joined_as_in_the_reference(kind):
    """A second table, who owns each row, and both."""
    made_ = joins.world(joins.SEED)
    types = {"VARCHAR": "string", "INTEGER": "int", "DOUBLE": "double"}
    sources = {
        name: frame(made_[name], {column: types[of] for column, of in columns.items()})
        for name, columns in joins.COLUMNS.items()
    }

    assert joins.counts(kind, made_, sources=sources)[1] == joins.counts(kind, made_)[1]


@pytest.mark.exhaustive
@pytest.mark.claim("C54")
@pytest.mark.parametrize("who", missing.UNITS, ids=str)
def test_missing_cells_count_as_in_the_reference(who):
    """As a public value, and as a group of their own."""
    data = missing.of_units(numbered(3))
    here, there = missing.declared(data, who), missing.declared(frame(data, EXPRESSIONS), who)
    expected = opened(MemoryEngine().prepare(here, missing.asked(here)).count(4))

    assert (
        opened(engine_for(there.source).prepare(there, missing.asked(there)).count(4)) == expected
    )


@pytest.mark.exhaustive
@pytest.mark.claim("C151")
@pytest.mark.parametrize("who", ["row", unit("who", max_rows=2, sampling="portable")], ids=str)
def test_days_and_moments_with_bounds_are_those_of_the_reference(who):
    """Means, bins, quantiles and shares of days, with some beyond the bounds."""
    kinds = {"who": "string", "sex": "string", "born": "date", "seen": "timestamp_ntz"}
    source = frame(days.ROWS, kinds)

    assert days.counted(source, unit=who) == days.counted(days.ROWS, MemoryEngine(), unit=who)


@pytest.mark.claim("C150")
def test_filters_beside_found_keys_are_those_of_the_reference():
    """The condition is decided before rows are chosen, also of keys that nobody knew."""
    rows = filtered.made(3)
    kinds = {"who": "string", "film": "string", "age": "double", "stars": "double"}

    def read(source):
        known = dp.table(
            source,
            unit=unit("who", max_rows=2, sampling="portable"),
            columns={"stars": dp.bounds(0, 5, step="0.5")},
            keys={"film": ["a", "c"]},
            name="films",
        ).where("age >= 18 AND NOT starts_with(coalesce(film, ''), 'x')")
        old = {"by": "film", "max_groups": 2, "where": "age > 60 OR stars = 5"}
        asked_ = (dp.count(**old), dp.count_units(**old), dp.mean("stars", **old))
        wanted = tuple(a for one in asked_ for a in one.aggregates(known))
        return opened(engine_for(source).prepare(known, wanted).count(4))

    assert read(frame(rows, kinds)) == read(rows)
