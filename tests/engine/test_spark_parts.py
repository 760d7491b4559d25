"""Spark's rows are cut by unit into parts by the size of the source: fewer tasks, and no other integers.

`make spark` runs it.
"""

import pytest

from discreet.engine.memory import MemoryEngine
from discreet.engine.spark import connection
from engine.sources import opened
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
