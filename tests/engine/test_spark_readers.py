"""Spark's readers: what one cell can stop, or take along, needs its curator's word.

`make spark` runs it.
"""

import json
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.engine.spark.stored import is_handed_over
from discreet.errors import EngineError, InputError
from engine.sources import opened
from servers import spark, spark_apart

pytestmark = pytest.mark.claim("C282")
COLUMNS = "k string, n int, d date"


def counted(source, vouched=None):
    table = dp.table(source, name="t", unit="row", keys={"k": ["a", "b"]}, vouched=vouched)
    return opened(engine_for(source).prepare(table, dp.count("k").aggregates(table)).count(1))


def lines(folder, kind):
    """Three rows as text, and the folder that holds them."""
    rows = [{"k": k, "n": 1, "d": "2020-01-01"} for k in "aab"]
    text = [json.dumps(row) for row in rows]
    if kind == "csv":
        text = [",".join(map(str, row.values())) for row in rows]
    (folder / f"t.{kind}").write_text("\n".join(text) + "\n")
    return str(folder / f"t.{kind}")


def parquet(folder, days=(date(2020, 1, 1),) * 3):
    pq.write_table(
        pa.table({"k": ["a", "a", "b"], "n": [1, 1, 1], "d": days}), folder / "t.parquet"
    )
    return str(folder / "t.parquet")


def read(kind, folder, **options):
    path = parquet(folder) if kind == "parquet" else lines(folder, kind)
    reader = spark().read.options(**options)
    return (
        reader.parquet(path) if kind == "parquet" else getattr(reader.schema(COLUMNS), kind)(path)
    )


WORN = [  # a format, an option, what a cell does by it
    ("json", {"mode": "FAILFAST"}),
    ("json", {"MODE": "failfast"}),
    ("json", {"multiLine": "true"}),
    ("json", {"ignoreCorruptFiles": "true"}),
    ("parquet", {"datetimeRebaseMode": "EXCEPTION"}),
    ("parquet", {"int96RebaseMode": "EXCEPTION"}),
    ("parquet", {"ignoreCorruptFiles": "true"}),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("kind", "options"), WORN, ids=str)
def test_an_option_by_which_a_cell_stops_all_needs_a_word(kind, options, tmp_path):
    """Without the option, as the refusal says, or with a word, the frame is counted."""
    ((name, value),) = options.items()

    with pytest.raises(InputError, match="one cell can end the count") as caught:
        counted(read(kind, tmp_path, **options))

    name = "mode" if name == "MODE" else name
    assert f"{name}={value}" in f"{caught.value}"
    assert f"leave out the reader's option {name}" in f"{caught.value}"
    assert counted(read(kind, tmp_path)) == [(2, 1)]
    ((a, _),) = counted(read(kind, tmp_path, **options), vouched="the files are ours")
    assert a == (1 if name == "multiLine" else 2)  # which takes the first row for the whole file


SETTINGS = [  # a session's setting, and the formats that it decides of
    ("spark.sql.parquet.datetimeRebaseModeInRead", "EXCEPTION", "parquet"),
    ("spark.sql.parquet.int96RebaseModeInRead", "EXCEPTION", "parquet"),
    ("spark.sql.files.ignoreCorruptFiles", "true", "parquet"),
    ("spark.sql.files.ignoreCorruptFiles", "true", "json"),
    ("spark.sql.legacy.timeParserPolicy", "EXCEPTION", "json"),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "value", "kind"), SETTINGS)
def test_a_setting_by_which_a_cell_stops_all_needs_a_word(name, value, kind, tmp_path):
    """What the refusal says to type is typed, and the frame is counted."""
    source = read(kind, tmp_path)
    spark().conf.set(name, value)
    try:
        with pytest.raises(InputError, match=f"{name}={value}") as caught:
            counted(source)
        (typed,) = [one for one in f"{caught.value}".splitlines() if "fix:" in one]
        exec(typed.partition("fix: ")[2].partition(", or ")[0], {"spark": spark()})

        assert counted(source) == [(2, 1)]
    finally:
        spark().conf.unset(name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["json", "parquet"])
@pytest.mark.parametrize("options", [{}, {"mode": "PERMISSIVE"}, {"datetimeRebaseMode": "LEGACY"}])
def test_other_options_need_none(kind, options, tmp_path):
    """An option goes before the setting of its name."""
    spark().conf.set(
        "spark.sql.parquet.datetimeRebaseModeInRead", "EXCEPTION" if options else "LEGACY"
    )
    try:
        if kind == "json" or "datetimeRebaseMode" in options or not options:
            assert counted(read(kind, tmp_path, **options)) == [(2, 1)]
    finally:
        spark().conf.unset("spark.sql.parquet.datetimeRebaseModeInRead")


def test_a_frame_of_csv_files_needs_a_word(tmp_path):
    """One line of many separators stops Spark's reader, whatever its options; Parquet is counted."""
    source = read("csv", tmp_path)

    with pytest.raises(InputError, match="many separators"):
        counted(source)
    source.write.parquet(str(tmp_path / "p"))
    assert counted(spark().read.parquet(str(tmp_path / "p"))) == [(2, 1)]
    assert counted(source, vouched="each line is a row") == [(2, 1)]

    with Path(tmp_path / "t.csv").open("a") as file:
        file.write("," * 30_000 + "\n")
    with pytest.raises(EngineError):
        counted(read_again(tmp_path), vouched="a line of a stranger")


def read_again(folder):
    return spark().read.schema(COLUMNS).csv(str(folder / "t.csv"))


def test_what_each_option_is_refused_for_happens(tmp_path):
    """The check has power: a cut line, and a day of the year 1200, end the count of a vouched frame."""
    cut = lines(tmp_path, "json")
    with Path(cut).open("a") as file:
        file.write('{"k": "b')
    early = parquet(tmp_path, (date(1200, 1, 1), date(2020, 1, 1), date(2020, 1, 1)))
    keys = {"d": ["2020-01-01"]}
    frames = {
        "mode": spark().read.option("mode", "FAILFAST").schema(COLUMNS).json(cut),
        "rebase": spark().read.option("datetimeRebaseMode", "EXCEPTION").parquet(early),
    }

    for source in frames.values():
        table = dp.table(source, name="t", unit="row", keys=keys, vouched="a stranger's")
        with pytest.raises(EngineError):
            engine_for(source).prepare(table, dp.count("d").aggregates(table)).count(1)
    assert counted(spark().read.schema(COLUMNS).json(cut)) == [(2, 1)]
    assert counted(spark().read.parquet(early)) == [(2, 1)]


@pytest.mark.parametrize("kind", ["json", "parquet"])
def test_the_second_kind_of_spark_s_readers_is_looked_at_alike(kind, tmp_path):
    """Files that Spark reads by its newer interface, where a session says so."""
    before = spark().conf.get("spark.sql.sources.useV1SourceList")
    spark().conf.set("spark.sql.sources.useV1SourceList", "")
    worn = {"json": {"mode": "FAILFAST"}, "parquet": {"datetimeRebaseMode": "EXCEPTION"}}[kind]
    try:
        assert counted(read(kind, tmp_path)) == [(2, 1)]
        with pytest.raises(InputError, match="one cell can end the count"):
            counted(read(kind, tmp_path, **worn))
        with pytest.raises(InputError, match="many separators"):
            counted(read("csv", tmp_path))
    finally:
        spark().conf.set("spark.sql.sources.useV1SourceList", before)


ROWS = [("a", 1), ("a", 2), ("b", 3)]


def handed_over():
    """Frames of what lies here already, by how they are made."""
    import pandas as pd

    session, frame = spark(), pd.DataFrame(ROWS, columns=["k", "n"])
    yield "list", session.createDataFrame(ROWS, "k string, n int")
    yield "list of dicts", session.createDataFrame([{"k": k, "n": n} for k, n in ROWS])
    yield "long list", session.createDataFrame(ROWS * 20_000, "k string, n int")
    yield "pandas", session.createDataFrame(frame)
    session.conf.set("spark.sql.execution.arrow.pyspark.enabled", "false")
    try:
        yield "pandas without Arrow", session.createDataFrame(frame)
    finally:
        session.conf.unset("spark.sql.execution.arrow.pyspark.enabled")
    long = pd.concat([frame] * 20_000, ignore_index=True)
    yield "pandas, long", session.createDataFrame(long.assign(s="x" * 1_000))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_a_list_and_a_pandas_frame_need_no_word():
    """However Spark holds them; it cuts a long pandas frame so small that it is only opened here."""
    for name, source in handed_over():
        if name == "pandas, long":
            assert is_handed_over(source._jdf.queryExecution().analyzed(), spark())
            continue
        ((a, b),) = counted(source)
        assert (a, b) == (2 * b, source.count() // 3), name


def unseen():
    """Frames of which Spark no longer says how they were made, or that Python makes as it goes."""
    session = spark()
    rows, listed = session.sparkContext.parallelize(ROWS), "k string, n int"
    frame = session.createDataFrame(ROWS, listed)
    return {
        "RDD": rows.toDF(listed),
        "RDD that computes": rows.map(lambda row: (row[0], 1 // row[1])).toDF(listed),
        "RDD of a frame": session.createDataFrame(frame.rdd, listed),
        "kept RDD": session.createDataFrame(rows.cache(), listed),
        "grouped": rows.reduceByKey(lambda one, other: one + other).toDF(listed),
        "RDD of lines": session.read.json(session.sparkContext.parallelize(['{"k": "a"}'])),
        "checkpoint": frame.groupBy("k").count().localCheckpoint(),
        "checkpoint of a list": frame.localCheckpoint(),
    }


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize(
    "made",
    [
        *("RDD", "RDD that computes", "RDD of a frame", "kept RDD", "grouped", "RDD of lines"),
        *("checkpoint", "checkpoint of a list"),
    ],
)
def test_what_python_makes_or_spark_has_kept_needs_a_word(made):
    """It was answered without one."""
    source = unseen()[made]

    with pytest.raises(InputError, match="cannot see"):
        counted(source)
    assert len(counted(source, vouched="each row is one of the list")) == 1


def test_cells_of_fixed_length_have_no_blanks_at_their_ends():
    """Spark fills them up where they are read, in a step that no cell stops."""
    spark().sql("CREATE TABLE fixed (k CHAR(3), v VARCHAR(3)) USING parquet")
    try:
        spark().sql("INSERT INTO fixed VALUES ('a', 'x'), ('a ', 'y'), ('b', 'z'), (NULL, 'x')")
        source = spark().table("fixed")

        assert counted(source) == [(2, 1)]
        assert [row.k for row in source.select("k").collect()].count("a  ") == 2
    finally:
        spark().sql("DROP TABLE fixed")


PROGRAM = """
import os, signal, sys, tempfile
import discreet as dp
from pathlib import Path
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
spark = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
frame = spark.createDataFrame([("a", 1)], "k string, n int")
ledger = dp.ledger(Path(tempfile.mkdtemp()) / "l.ledger", budget=dp.zcdp(1), subject="t")
table = dp.table(frame, name="t", unit="row", keys={"k": ["a"]})
plan = dp.plan(table, dp.count("k"), spend=dp.zcdp("1/10"))
gone = spark.sparkContext._gateway.proc
os.killpg(gone.pid, signal.SIGKILL) if os.getpgid(gone.pid) != os.getpgid(0) else gone.kill()
gone.wait()
try:
    dp.run(plan, ledger=ledger)
except dp.errors.DiscreetError as error:
    print(type(error).__name__, str(error).replace(chr(10), "|"), ledger.left())
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.slow
def test_where_spark_s_process_is_gone_nothing_is_charged(tmp_path):
    """Three lines; it was a ConnectionRefusedError."""
    script = tmp_path / "gone.py"
    script.write_text(PROGRAM)

    (said,) = [one for one in spark_apart(script, tmp_path).stdout.splitlines() if "Error" in one]

    assert said.startswith("EngineError t cannot be opened.|")
    assert "its session has ended" in said
    assert said.endswith("rho = 1")


FAR = 9_300_000_000_000_000  # a moment in milliseconds: its thousandfold is too much for 64 bits


def moments(folder, unit="ms", kind="parquet", last=0):
    """A frame of three rows with a moment, the last one's of so many milliseconds."""
    cells = pa.array([0, 0, last], pa.timestamp(unit))
    rows = pa.table({"k": ["a", "a", "b"], "t": cells})
    path = folder / f"{unit} {last}.{kind}"
    (pq if kind == "parquet" else orc).write_table(rows, path)
    return getattr(spark().read, kind)(str(path))


@pytest.mark.exhaustive
@pytest.mark.claim("C504")
@pytest.mark.parametrize("last", [0, FAR])
@pytest.mark.parametrize(("kind", "unit"), [("parquet", "ms"), ("parquet", "s"), ("orc", "ms")])
def test_moments_that_spark_multiplies_need_a_word(tmp_path, kind, unit, last):
    """Whatever they are: a frame that has the column is refused alike with a moment that fits none
    and with moments of 1970; without the column it is counted, and written anew by Spark, too."""
    last //= 1000 if unit == "s" else 1
    source = moments(tmp_path, unit, kind, last)

    for frame in (source, source.withColumnRenamed("t", "at"), source.select("t", "k")):
        with pytest.raises(InputError, match="moments in t that may lie beyond") as caught:
            counted(frame)
        assert str(caught.value).count("\n") == 2
    assert counted(source.drop("t")) == counted(source.select("k")) == [(2, 1)]
    if not last:
        assert counted(source, vouched="our clock is right") == [(2, 1)]
        source.write.parquet(str(tmp_path / "anew"))
        assert counted(spark().read.parquet(str(tmp_path / "anew"))) == [(2, 1)]


@pytest.mark.claim("C504")
def test_a_vouched_frame_with_such_a_moment_ends_and_that_of_microseconds_does_not(tmp_path):
    """The check has power: what is refused is what ends a count that looks at the column."""
    asked = dp.count("k", where="t > TIMESTAMP '2001-01-01 00:00:00'")
    for frame, is_ended in ((moments(tmp_path, last=FAR), True), (moments(tmp_path, "us"), False)):
        keys = {"k": ["a", "b"]}
        table = dp.table(frame, name="t", unit="row", keys=keys, vouched="a test")
        source = engine_for(frame).prepare(table, asked.aggregates(table))
        if is_ended:
            with pytest.raises(EngineError):
                source.count(1)
        else:
            assert opened(source.count(1)) == [(0, 0)]


@pytest.mark.claim("C504")
def test_one_file_of_many_is_enough(tmp_path):
    """Each footer is looked at; by another reader of Spark's, too."""
    for number in range(12):
        cells = pa.array([number], pa.timestamp("ms" if number == 7 else "us"))
        pq.write_table(pa.table({"k": ["a"], "t": cells}), tmp_path / f"{number}.parquet")
    session = spark()
    for listed in ("parquet,orc", ""):
        session.conf.set("spark.sql.sources.useV1SourceList", listed)
        try:
            with pytest.raises(InputError, match="moments in t that"):
                counted(session.read.parquet(str(tmp_path)))
        finally:
            session.conf.unset("spark.sql.sources.useV1SourceList")
