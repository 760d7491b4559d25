"""Spark: a data frame, counted by the workers of its session.

Decision 61.
"""

from contextlib import suppress
from typing import Any, cast

from ...aggregate import Aggregate
from ...finding.pairs import Pairs
from ...schema import Table
from ..one_source import Mark, check_apart
from ..parts import check_together, tables_of
from ..source import is_spark
from ..sql.server import ServerPrepared, prepared
from ..sql.server_pool import ServerPooling
from .connection import SparkConnection
from .dialect import SPARK, dialect_of


def _marks_of(frame: object) -> frozenset[Mark]:
    """Return where a frame lies: the files that it reads, and the parts of its plan."""
    source = cast("Any", frame)
    found: set[Mark] = {("object", id(frame))}
    with suppress(Exception):  # what a frame does not say is no mark of it
        found |= {("file", path) for path in source.inputFiles()}
    with suppress(Exception):  # a frame of Spark Connect keeps its plan on the server
        leaves = source._jdf.queryExecution().logical().collectLeaves()  # noqa: SLF001
        name = source.sparkSession._jvm.System.identityHashCode  # noqa: SLF001
        found |= {("plan", name(leaves.apply(n))) for n in range(leaves.size())}
    return frozenset(found)


class SparkEngine:
    """Counts a data frame where it lies; nothing but sums is collected."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> ServerPrepared:
        """Look at names, types and the frame's plan, and have Spark understand the query."""
        session = cast("Any", table.source).sparkSession
        check_together(
            table, lambda other: is_spark(other) and cast("Any", other).sparkSession is session
        )
        check_apart(table, lambda: [_marks_of(one.source) for one in tables_of(table)])
        connection = SparkConnection(table)
        dialect = dialect_of(table, [kinds for _, kinds in connection.tables()])
        return prepared(table, aggregates, connection, dialect)

    def pooling(self, table: Table, pairs: Pairs) -> ServerPooling:
        """Look at the types of the unit and of the keys, and have Spark understand a round."""
        return ServerPooling(table, pairs, SparkConnection(table), SPARK)
