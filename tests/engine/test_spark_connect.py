"""Spark Connect: a session on another machine, whose frames are counted like any."""

import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pyarrow as pa, pyarrow.parquet as pq
from pyspark.sql import SparkSession
import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError

path = sys.argv[1]
rows = {"u": [n % 40 for n in range(900)], "g": [n * 7 % 11 for n in range(900)]}
pq.write_table(pa.table({**rows, "v": [n / 9 for n in range(900)]}), path)

def counted(source, **how):
    table = dp.table(source, name="t", unit=dp.unit("u", sampling="portable"), keys={"g": range(9)},
                     columns={"v": dp.bounds(0, 50, step="0.01")}, **how)
    limits = {"max_groups": 3, "max_rows_per_group": 1}
    asked = dp.count("g", **limits), dp.mean("v", "g", **limits)
    aggregates = tuple(a for one in asked for a in one.aggregates(table))
    found = engine_for(source).prepare(table, aggregates).count(7)
    return [one.opened_by_the_door() for one in found]

builder = SparkSession.builder.config("spark.sql.shuffle.partitions", 2)
spark = builder.remote("local[2]").getOrCreate()
frame = spark.read.parquet(path)
try:
    refused = str(counted(frame))
except InputError as error:
    refused = str(error)
def drawn(source):
    try:
        counted(source, vouched="one file")
    except InputError as error:
        return "by chance" in str(error)
    return False

from pyspark.sql import functions as F
by_chance = [
    frame.sample(0.5),
    frame.withColumn("v", F.rand()),
    frame.where(F.randn() > 0),
    frame.withColumn("v", F.col("v") + F.expr("length(uuid())")),
]
frame.createOrReplaceTempView("seen")
by_chance.append(spark.sql("SELECT u, g, rand() AS v FROM seen"))
found = ["vouched" in refused, counted(frame, vouched="one file") == counted(path)]
print(json.dumps([*found, all(map(drawn, by_chance)), not drawn(frame.where("v > 1"))]))
spark.stop()
"""


@pytest.mark.slow
@pytest.mark.claim("C282")
def test_a_frame_of_spark_connect_has_the_integers_of_duckdb(tmp_path):
    """Once its curator vouches for it: its plan lies on the server. What is drawn is refused."""
    if None in (find_spec("pyspark"), find_spec("grpc"), shutil.which("java")):
        pytest.skip("no Spark Connect: `make spark` brings it (Debian)")

    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "t.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    assert done.stdout.strip().splitlines()[-1:] == ["[true, true, true, true]"], done.stderr[
        -2000:
    ]
