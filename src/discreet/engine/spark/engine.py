"""Spark: a data frame, counted by the workers of its session.

Decision 61.
"""

from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from ...aggregate import Aggregate
from ...finding.pairs import Pairs
from ...schema import Table
from ..lists_apart import check_lists
from ..one_source import Mark, Origin, check_apart, hidden
from ..parts import check_together, tables_of
from ..source import is_spark
from ..sql.server import ServerPooling, ServerPrepared, prepared
from .connection import SparkConnection
from .dialect import SPARK, dialect_of
from .stored import is_stored

_AS_HANDED = {"LocalRelation", "LogicalRDD", "Range"}  # leaves that are one wherever they stand


def _place_of(frame: object) -> Origin:
    """Return where a frame lies: the files that it reads, and the parts of its plan.

    Hidden where a leaf of the plan is neither files nor what the session was handed (a table of
    another database, say), and on Spark Connect, which keeps the plan on the server.
    """
    source = cast("Any", frame)
    marks: set[Mark] = {("object", id(frame))}
    files: list[str] = []
    is_seen = False
    with suppress(Exception):  # what a frame does not say is no mark of it
        files = [*source.inputFiles()]
    with suppress(Exception):
        plan = source._jdf.queryExecution()  # noqa: SLF001
        name = source.sparkSession._jvm.System.identityHashCode  # noqa: SLF001
        marks |= {("plan", name(leaf)) for leaf in _leaves(plan.logical())}
        is_seen = all(_is_seen(leaf, files) for leaf in _leaves(plan.analyzed()))
    marks |= {("file", path) for path in files}
    if is_seen:
        return Origin("memory", frozenset(marks), keeps=(frame,))
    return replace(_HIDDEN, marks=frozenset(marks), keeps=(frame,))


_HIDDEN = hidden(
    "is a frame whose plan does not say all that it reads",
    "write it to files, and read these: frame.write.parquet(...)",
)


def _leaves(plan: Any) -> list[Any]:
    leaves = plan.collectLeaves()
    return [leaves.apply(number) for number in range(leaves.size())]


def _is_seen(leaf: Any, files: list[str]) -> bool:
    return leaf.getClass().getSimpleName() in _AS_HANDED or (bool(files) and is_stored(leaf))


class SparkEngine:
    """Counts a data frame where it lies; nothing but sums is collected."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> ServerPrepared:
        """Look at names, types and the frame's plan, and have Spark understand the query."""
        session = cast("Any", table.source).sparkSession
        check_together(
            table, lambda other: is_spark(other) and cast("Any", other).sparkSession is session
        )
        check_apart(table, lambda: [_place_of(part.source) for part in tables_of(table)])
        if table.lists:
            check_lists(table)
        connection = SparkConnection(table)
        dialect = dialect_of(table, [kinds for _, kinds in connection.tables()])
        return prepared(table, aggregates, connection, dialect)

    def pooling(self, table: Table, pairs: Pairs) -> ServerPooling:
        """Look at the types of the unit and of the keys, and have Spark understand a round."""
        return ServerPooling(table, pairs, SparkConnection(table), SPARK)
