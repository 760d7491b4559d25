"""What Spark is asked to do: rows cut into few parts, chosen once and found again, keys not joined.

`make spark` runs it.
"""

import pytest

import discreet as dp
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.engine.spark import connection
from discreet.schema import unit
from engine.sources import opened
from engine.test_consecutive_keys import KEYS, UNITS, placed
from engine.test_portable import hostile
from engine.test_spark import HOWS, SCHEMA, asked, counted, tuples
from property.strategies import declared
from servers import spark

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def tasks(after=-1):
    """The last job that Spark has begun, and how many tasks all had since another one."""
    told = spark().sparkContext.statusTracker()
    jobs = [job for job in told.getJobIdsForGroup() if job > after]
    stages = {stage for job in jobs for stage in told.getJobInfo(job).stageIds}
    found = [told.getStageInfo(stage) for stage in stages]
    return max(jobs), sum(stage.numTasks for stage in found if stage is not None)


@pytest.mark.exhaustive
@pytest.mark.claim("C84")
@pytest.mark.parametrize("parts", [1, 7, 50])
def test_into_how_many_parts_rows_are_cut_changes_no_integer(parts, tmp_path, monkeypatch):
    """One, some, or as many as the session says, which are many tasks more."""
    how, data = HOWS[1], hostile(600)
    aggregates = asked(**how)[:2]
    spark().createDataFrame(tuples(data), SCHEMA).coalesce(1).write.parquet(f"{tmp_path}/p")
    source = spark().read.parquet(f"{tmp_path}/p")
    expected = opened(MemoryEngine().prepare(declared(data, **how), aggregates).count(5))
    (size,) = (file.stat().st_size for file in (tmp_path / "p").glob("*.parquet"))
    monkeypatch.setattr(connection, "_PART", size // parts)
    spark().conf.set("spark.sql.shuffle.partitions", "40")
    last, _ = tasks()

    try:
        found = counted(source, aggregates, 5, **how)
    finally:
        spark().conf.set("spark.sql.shuffle.partitions", "2")

    assert found == expected
    assert (tasks(last)[1] > 250) == (parts > 40), tasks(last)


@pytest.mark.claim("C84")
def test_rows_that_are_kept_are_found_again(tmp_path):
    """By their look and by their sums, of every grouping; nothing is kept when the count is over."""
    how = HOWS[1]
    spark().createDataFrame(tuples(hostile(60)), SCHEMA).write.parquet(f"{tmp_path}/p")
    source = spark().read.parquet(f"{tmp_path}/p")
    ready = engine_for(source).prepare(declared(source, **how), asked(**how)[:2])

    with ready.connection._steps(ready.query, 5, cut=True) as found:
        plan = found._jdf.queryExecution().optimizedPlan()
        leaves = plan.collectLeaves()
        names = {leaves.apply(n).getClass().getSimpleName() for n in range(leaves.size())}

    cache = spark()._jsparkSession.sharedState().cacheManager()
    assert "InMemoryRelation" in names
    assert "LogicalRelation" not in names
    assert cache.isEmpty()
    assert not [one.name for one in spark().catalog.listTables() if one.name.startswith("discreet")]


@pytest.mark.of_speed
@pytest.mark.claim("C589")
def test_rows_that_are_only_limited_are_not_kept(tmp_path):
    """They are looked at where they are chosen, and cut into parts once, before they are ranked."""
    how, data = HOWS[1], hostile(60)
    spark().createDataFrame(tuples(data), SCHEMA).coalesce(1).write.parquet(f"{tmp_path}/p")
    source = spark().read.parquet(f"{tmp_path}/p")
    declared_rows = declared(source, **how)
    aggregates = dp.count(["floor", "ward"]).aggregates(declared_rows)
    spark().conf.set("spark.sql.shuffle.partitions", "40")
    try:
        ready = engine_for(source).prepare(declared_rows, aggregates)
        with ready.connection._steps(ready.query, 5, cut=True) as found:
            plan = found._jdf.queryExecution().executedPlan().toString()
        counted_rows = opened(ready.count(5))
    finally:
        spark().conf.set("spark.sql.shuffle.partitions", "2")

    assert counted_rows == opened(
        MemoryEngine().prepare(declared(data, **how), aggregates).count(5)
    )
    assert "InMemoryRelation" not in plan
    shuffles = [line for line in plan.splitlines() if "+- Exchange " in line]
    assert ["REPARTITION_BY_NUM" in line for line in shuffles] == [True]  # of one part in all


def on_spark(kind, rows, _folder):
    cells = [(*row.values(),) for row in rows]
    return spark().createDataFrame(cells, f"u bigint, g {kind}, v double")


@pytest.mark.exhaustive
@pytest.mark.claim("C83")
@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("named", [(), ("other", "missing")], ids=str)
@pytest.mark.parametrize("kind", KEYS)
def test_consecutive_keys_are_found_at_the_ends_of_each_type(kind, named, ansi, tmp_path):
    """As on Postgres: no difference is taken that does not fit, whether Spark raises then or wraps."""
    before = spark().conf.get("spark.sql.ansi.enabled")
    spark().conf.set("spark.sql.ansi.enabled", ansi)
    try:
        for keys in KEYS[kind]:
            for whose in UNITS:
                expected, found = placed(on_spark, kind, keys, whose, named, tmp_path)

                assert found == expected
                assert any(map(any, expected))
    finally:
        spark().conf.set("spark.sql.ansi.enabled", before)


@pytest.mark.claim("C51")
def test_the_deepest_expression_is_understood():
    """Its steps do not all stand in one text, of which Spark's parser would come to no end."""
    rows = [{"u": n, "v": float(n)} for n in range(9)]

    def of(source):
        made = dp.derived("v" + " / 3 * 3 + 1" * 39, bounds=dp.bounds(0, 100, step=1))
        found = dp.table(source, name="t", unit=unit("u", max_rows=1, sampling="portable"))
        found = found.derive(x=made)
        asked = dp.mean("x").aggregates(found)
        return opened(engine_for(source).prepare(found, asked).count(5))

    assert of(spark().createDataFrame([(*row.values(),) for row in rows], "u int, v double")) == of(
        rows
    )


@pytest.mark.claim("C84")
def test_what_was_understood_is_counted_once_and_then_anew(tmp_path):
    """Where a row is the unit, by keys of text that stand beside; of units rows are chosen by a salt."""
    data = hostile(60)
    spark().createDataFrame(tuples(data), SCHEMA).write.parquet(f"{tmp_path}/p")
    source = spark().read.parquet(f"{tmp_path}/p")
    for how, is_understood in zip(HOWS, (True, False), strict=True):
        aggregates = asked(**how)[:2]
        ready = engine_for(source).prepare(declared(source, **how), aggregates)
        expected = opened(MemoryEngine().prepare(declared(data, **how), aggregates).count(5))

        assert (ready.connection._understood is not None) is is_understood
        assert opened(ready.count(5)) == expected
        assert ready.connection._understood is None
        assert opened(ready.count(5)) == expected
    names = [table.name for table in spark().catalog.listTables()]
    assert not [name for name in names if name.startswith("discreet")]
