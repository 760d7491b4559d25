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


def session():
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    return builder.config("spark.driver.host", "127.0.0.1").getOrCreate()


def run(step, folder):
    """Release with a session that is ended before a step."""
    spark = session()
    rows = spark.createDataFrame(
        [("a", 1.0), ("b", 2.0), (CANARY, 917265403881.0)], "x string, v double"
    )
    rows.write.parquet(str(folder / step))
    source = spark.read.parquet(str(folder / step))
    people = dp.table(
        source, unit="row", name="t", keys={"x": ["a", "b"]}, columns={"v": dp.bounds(0, 9, step=1)}
    )
    plan = dp.plan(people, dp.mean("v", "x"), spend=dp.zcdp("1/10"))
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
    spark = session()
    sys.stderr.write("now it may be shown\n")
    sys.stderr.flush()
    with suppress(Exception):
        there = spark.read.parquet(str(folder / "none")).where("v > 9")
        there.selectExpr("CAST(x AS INT)").collect()


if __name__ == "__main__":
    there = Path(tempfile.mkdtemp())
    told = {step: run(step, there) for step in STEPS}
    sings(there)
    sys.stdout.write(f"{json.dumps(told)}\n")
