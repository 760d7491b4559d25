"""A session that ends at each step of a release: what is told, what is charged, what is logged.

Run by `test_broken_spark.py`, in a process of its own, whose errors are the log of the driver.
"""

import json
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import discreet as dp
from discreet.engine.spark import connection
from discreet.errors import DiscreetError

CANARY = "CANARY-7f3a"
STEPS = {"none": "", "look": "__init__", "check": "check", "count": "rows"}


LOGGING = """\
logger.spark.name = org.apache.spark
logger.spark.level = info
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d %p %c: %m%n%ex
"""


def logging(folder):
    """How Spark is told to log at INFO; that Python sets the root to WARN does not undo it."""
    path = folder / "log4j2.properties"
    path.write_text(LOGGING)
    return path.as_uri()


def session(events):
    """A session that logs what it tells of itself, and the events of its queries, into a folder."""
    from pyspark.sql import SparkSession

    events.mkdir(exist_ok=True)

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging(events.parent)}",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.sql.maxMetadataStringLength": "100000",  # plans with all their literals
        "spark.sql.debug.maxToStringFields": "10000",
    }.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def declared(source, keys):
    """Each person has more rows than stay, so that rows are chosen, and kept meanwhile."""
    columns = {"v": dp.bounds(0, 9, step=1)}
    return dp.table(source, unit=dp.unit("who", max_rows=2), name="t", keys=keys, columns=columns)


def written(folder):
    """Rows of three people, of whom one is the canary in every column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names, values = ["a", "b", CANARY], [1.0, 2.0, 917265403881.0]
    rows = {"who": names * 5, "x": names * 5, "v": values * 5}
    pq.write_table(pa.table(rows), folder / "rows.parquet")


def searched(folder):
    """Look for keys that nobody knows, and count by what is found."""
    source = session(folder / "events").read.parquet(str(folder / "rows.parquet"))
    people = declared(source, {"x": dp.unknown(max_groups=1)})
    plan = dp.plan(people, dp.count("x"), spend=dp.approx(1, "1e-6"))
    dp.run(plan, ledger=dp.ledger(folder / "keys.ledger", budget=dp.approx(1, "1e-6")))


def run(step, folder):
    """Release with a session that is ended before a step."""
    spark = session(folder / "events")
    source = spark.read.parquet(str(folder / "rows.parquet"))
    people = declared(source, {"x": ["a", "PUBLIC-KEY"]})
    asked = (dp.mean("v", "x"), dp.count("x", where="v < 5 OR x <> 'b'"))
    plan = dp.plan(people, *asked, spend=dp.zcdp("1/10"))
    ledger = dp.ledger(folder / f"{step}.ledger", budget=dp.zcdp(1), subject="t")
    name = STEPS[step]
    honest = getattr(connection.SparkConnection, name, None)

    def ended(self, *given):
        spark.stop()
        return honest(self, *given)

    if name:
        setattr(connection.SparkConnection, name, ended)
    shown = ""
    try:
        dp.run(plan, ledger=ledger)
    except DiscreetError as error:
        found = error
        while found is not None:
            shown, found = f"{shown}\n{found!r}\n{found}", found.__cause__ or found.__context__
    finally:
        if name:
            setattr(connection.SparkConnection, name, honest)
    return shown, str(dp.ledger(folder / f"{step}.ledger").left())


def sings(folder):
    """Have Spark itself fail on the cell, whose log then shows it."""
    session(folder / "events").stop()
    sys.stderr.write("now it may be shown\n")
    sys.stderr.flush()
    with suppress(Exception):
        spark = session(folder / "shown")
        there = spark.read.parquet(str(folder / "rows.parquet")).where("v > 9")
        there.selectExpr("CAST(x AS INT)").collect()


if __name__ == "__main__":
    there = Path(tempfile.mkdtemp())
    written(there)
    searched(there)
    told = {step: run(step, there) for step in STEPS}
    sings(there)
    logged = {
        name: "".join(file.read_text("utf-8") for file in sorted((there / name).rglob("*")))
        for name in ("events", "shown")
    }
    sys.stdout.write(f"{json.dumps([told, logged])}\n")
