"""A session of two executors, one of which is lost, and one of which is slow: what is counted.

Run by `test_spark_lost.py`, in a process of its own, because a process has one session.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.engine.spark import engine
from discreet.engine.sql.tree import called

WARDS = ["A", "B", "C", "D"]
UNIT = dp.unit("who", max_rows=6, sampling="portable")
FAULTS = {"": None, "order": "MONOTONICALLY_INCREASING_ID", "chance": "RAND"}  # as the hash


def rows():
    """Units of more rows than stay, in more groups than stay."""
    chance = random.Random(1)
    return [
        (f"p{chance.randrange(30)}", chance.choice(WARDS), float(chance.randrange(40)))
        for _ in range(600)
    ]


def counted(source):
    """The integers of a bounded mean."""
    table = dp.table(
        source,
        name="t",
        unit=UNIT,
        keys={"ward": WARDS},
        columns={"v": dp.bounds(0, 39, step=1)},
        vouched="each row is one of a list",
    )
    asked = dp.mean("v", "ward", max_groups=2, max_rows_per_group=2).aggregates(table)
    found = engine_for(source).prepare(table, asked).count(5)
    return [list(one.opened_by_the_door()) for one in found]


def session():
    """Two executors in processes of their own; a slow task is begun again by the other one.

    That needs two names of machines: both are this one.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.executor.memory": "512m",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.speculation": "true",
        "spark.speculation.efficiency.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.speculation.interval": "50ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.3",
        "spark.speculation.minTaskRuntime": "50ms",
        "spark.local.dir": tempfile.mkdtemp(prefix="spark-"),
        "spark.sql.warehouse.dir": tempfile.mkdtemp(prefix="spark-"),
    }
    conf = SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    SparkContext._ensure_initialized(conf=conf)
    gateway = SparkContext._gateway
    there, none = gateway.jvm.org.apache.spark, gateway.jvm.scala.Option.empty()
    plain = there.SparkConf()
    begun = there.deploy.master.Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, plain)
    masters = gateway.new_array(gateway.jvm.String, 1)
    masters[0] = f"spark://127.0.0.1:{begun._1().address().port()}"
    for host in ("127.0.0.1", "127.0.0.2"):
        folder = tempfile.mkdtemp(prefix="spark-")
        there.deploy.worker.Worker.startRpcEnvAndEndpoint(
            host, 0, 0, 1, 1024, masters, folder, none, plain, none
        )
    builder = SparkSession.builder.master(masters[0])
    for name, value in settings.items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("OFF")
    return found


def once(marks, name):
    """Whether this is the first time, on any executor."""
    try:
        os.close(os.open(f"{marks}/{name}", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def frame(spark, marks, trouble):
    """The rows in three parts, each time in another order; the last part meets the trouble."""

    def made(part, found):
        found = list(found)
        random.SystemRandom().shuffle(found)
        again = not once(marks, f"{trouble} {part}")
        if again:
            once(marks, f"{trouble} {part} again")
        elif part == 2 and trouble == "lost":
            above = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2]
            os.kill(int(above.split()[1]), signal.SIGKILL)  # the executor that began this process
        elif part == 2 and trouble == "slow":
            for _ in range(600):
                if Path(f"{marks}/slow 2 again").exists():
                    break
                time.sleep(0.1)
        return iter(found)

    parts = spark.sparkContext.parallelize(rows(), 3).mapPartitionsWithIndex(made)
    return spark.createDataFrame(parts, "who string, ward string, v double")


def main(asked):
    """Write the integers of the reference, and of each fault and trouble, with the parts made anew."""
    expected = counted([dict(zip(("who", "ward", "v"), row, strict=True)) for row in rows()])
    told, spark, honest = {"reference": [expected, []]}, session(), engine.dialect_of
    for one in asked:
        fault, _, trouble = one.rpartition(" ")
        name, marks = FAULTS[fault], tempfile.mkdtemp()
        engine.dialect_of = (
            honest
            if name is None
            else lambda *of, name=name: replace(honest(*of), hash_of=lambda _: called(name))
        )
        found = counted(frame(spark, marks, trouble))
        again = sorted(mark for mark in os.listdir(marks) if mark.endswith("again"))
        told[one] = [found, again]
    sys.stdout.write(f"{json.dumps(told)}\n")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
