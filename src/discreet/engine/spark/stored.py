"""Where the rows of a Spark frame come from: files and tables, or what a session was handed.

Rules of this module:
- a source is known, and read in a way in which no cell fails, or its curator is asked: an unknown
  one never counts as known;
- a session's settings are asked for where they decide how files are read;
- of moments Spark multiplies what it reads by a thousand, and ends where that is too much for 64
  bits: Parquet says in its footers how they are stored, ORC and Avro may always hold such ones.

Decision 110.
"""

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

_FORMATS = ("Parquet", "Orc", "Json", "Text", "Avro", "CSV")  # of files, as Spark's classes begin
_SPARK = "org.apache.spark."  # what is not Spark's own is a catalog's way to store tables
_OF_ARROW = ["MapPartitionsRDD", "ParallelCollectionRDD"]  # how Spark holds a large pandas frame
_FAILS = ("EXCEPTION", "CORRECTED")
_SETTINGS = {  # by format: settings of a session, what may end a count, and what does not
    "Parquet": {
        "spark.sql.parquet.datetimeRebaseModeInRead": _FAILS,
        "spark.sql.parquet.int96RebaseModeInRead": _FAILS,
    },
    "Avro": {"spark.sql.avro.datetimeRebaseModeInRead": _FAILS},
    "Json": {"spark.sql.legacy.timeParserPolicy": _FAILS},
    "": {"spark.sql.files.ignoreCorruptFiles": ("TRUE", "false")},
}
_FOOTERS = 8  # that are read at once
_OPTIONS = {  # of a reader, and the value that may end a count
    "mode": "FAILFAST",
    "multiLine": "TRUE",
    "ignoreCorruptFiles": "TRUE",
    "datetimeRebaseMode": "EXCEPTION",
    "int96RebaseMode": "EXCEPTION",
}


def is_stored(node: Any) -> bool:
    """Say whether the rows of a leaf of a plan are those of files, or of a catalog's table."""
    return bool(_format_of(node))


def _format_of(node: Any) -> str:
    """Return what a leaf's files are, or "table" of a catalog's own; "" where that is not known."""
    name, format_class = node.getClass().getSimpleName(), ""
    with suppress(Exception):  # a relation without files has no format
        if name == "LogicalRelation":
            format_class = node.relation().fileFormat().getClass().getName()
        if name in ("DataSourceV2Relation", "DataSourceV2ScanRelation"):
            format_class = _of_v2(node).table().getClass().getName()
    if format_class and not format_class.startswith(_SPARK):
        return "table"
    last = format_class.rpartition(".")[2]
    return next((known for known in _FORMATS if last.startswith(known)), "")


def _of_v2(node: Any) -> Any:
    return node if node.getClass().getSimpleName() == "DataSourceV2Relation" else node.relation()


def what_may_stop(node: Any, session: Any, columns: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield by what of a leaf one cell may stop all, each with what to do.

    Args:
        node: a leaf of a frame's plan, or another node, by which none may.
        session: the frame's.
        columns: those that the frame has of its leaves.
    """
    format_ = _format_of(node)
    if format_ in ("", "table"):
        return
    if format_ == "CSV":
        way = "write it to Parquet, or pass the paths of the CSV files in place of the frame"
        yield "Spark's reader of CSV, which a line of many separators stops", way
    options = {name.lower(): value for name, value in _options_of(node).items()}
    for name, wrong in _OPTIONS.items():
        value = options.get(name.lower(), "")
        if value.upper() == wrong:
            yield f"{name}={value}", f"leave out the reader's option {name}"
    for name, (wrong, right) in (_SETTINGS.get(format_, {}) | _SETTINGS[""]).items():
        option, value = name.rpartition(".")[2].removesuffix("InRead").lower(), ""
        with suppress(Exception):  # a Spark that has no such setting
            value = str(session.conf.get(name))
        if value.upper() == wrong and option not in options:
            yield f"{name}={value}", f'spark.conf.set("{name}", "{right}")'
    for name in _of_milliseconds(node, session, format_, columns):
        way = "leave it out with frame.drop, or write moments in microseconds, as Spark does"
        yield f"moments in {name} that may lie beyond the year 294247", way


def _of_milliseconds(
    node: Any, session: Any, format_: str, columns: Collection[str]
) -> Iterator[str]:
    """Yield the columns of moments that are not stored in microseconds, as files say."""
    output, moments = node.output(), list[str]()
    for place in range(output.size()):
        column = output.apply(place)
        if str(column.dataType().simpleString()).startswith("timestamp"):
            moments.append(str(column.name()))
    moments = [name for name in moments if name in columns]
    if moments and format_ == "Parquet":
        with ThreadPoolExecutor(_FOOTERS) as pool:
            every = pool.map(lambda path: _stored_so(session, path), _files_of(node))
            coarse = set[str]().union(*every)
        moments = [name for name in moments if name.casefold() in coarse]
    if format_ in ("Parquet", "Orc", "Avro"):
        yield from moments


def _files_of(node: Any) -> list[str]:
    """Return the paths of the files of a leaf."""
    if node.getClass().getSimpleName() == "LogicalRelation":
        return [*node.relation().location().inputFiles()]
    return [*_of_v2(node).table().fileIndex().inputFiles()]


def _stored_so(session: Any, path: str) -> set[str]:
    """Return which columns of a Parquet file hold moments in milliseconds, in small letters.

    A file whose footer cannot be read cannot be counted, whatever its cells are.
    """
    names, java = set[str](), session._jvm  # noqa: SLF001 - there is no other way
    with suppress(Exception):
        settings = session._jsparkSession.sessionState().newHadoopConf()  # noqa: SLF001
        place = java.org.apache.hadoop.fs.Path(java.java.net.URI(path))
        opened = java.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(place, settings)
        reader = java.org.apache.parquet.hadoop.ParquetFileReader.open(opened)
        try:
            schema = reader.getFooter().getFileMetaData().getSchema()
        finally:
            reader.close()
        for column in schema.getColumns():
            kind = str(column.getPrimitiveType().getLogicalTypeAnnotation())
            if kind.startswith("TIMESTAMP(MILLIS"):
                names.add(str(column.getPath()[0]).casefold())
    return names


def _options_of(node: Any) -> Mapping[str, str]:
    """Return the options with which files are read."""
    if node.getClass().getSimpleName() != "LogicalRelation":
        return dict(_of_v2(node).options().asCaseSensitiveMap())
    options, each = {}, node.relation().options().iterator()
    while each.hasNext():
        pair = each.next()
        options[str(pair._1())] = str(pair._2())  # noqa: SLF001 - what Scala calls it
    return options


def is_handed_over(node: Any, session: Any) -> bool:
    """Say whether rows without a table lie there as they were handed over: a list, or pandas.

    An RDD of Python looks alike, but for the function that makes its rows; that of a list only
    passes them on. What Spark has kept (a checkpoint) no longer says what was done before.
    """
    with suppress(Exception):
        chain = _chain(node.rdd())
        if [rdd.getClass().getSimpleName() for rdd in chain] == _OF_ARROW:
            return True
        like = session.createDataFrame([(1,)], "one int")._jdf  # noqa: SLF001 - to compare with
        return _made(chain) == _made(_chain(like.queryExecution().analyzed().rdd()))
    return False


def _chain(rdd: Any) -> list[Any]:
    """Return an RDD and what it is made of, as long as that is one other."""
    chain = [rdd]
    while (below := chain[-1].dependencies()).size() == 1:
        chain.append(below.apply(0).rdd())
    return chain


def _made(chain: list[Any]) -> tuple[list[str], object]:
    """Return the kinds of a chain of RDDs, and the code of the function of Python in it."""
    from pyspark.serializers import CPickleSerializer

    names = [link.getClass().getSimpleName() for link in chain]
    python = chain[names.index("PythonRDD")]
    held = python.getClass().getDeclaredField("func")
    held.setAccessible(True)
    signed = held.get(python).command().mkString(",").split(",")
    read: Any = CPickleSerializer()
    function, *_ = read.loads(bytes(int(number) & 255 for number in signed))
    return names, function.__code__
