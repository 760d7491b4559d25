"""Spark: a data frame, counted by the workers of its session."""

from typing import Any, cast

from ...aggregate import Aggregate
from ...finding.pairs import Pairs
from ...schema import Table
from ..parts import check_together
from ..source import is_spark
from ..sql.server import ServerPrepared, prepared
from ..sql.server_pool import ServerPooling
from .connection import SparkConnection
from .dialect import SPARK, dialect_of


class SparkEngine:
    """Counts a data frame where it lies; nothing but sums is collected."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> ServerPrepared:
        """Look at names, types and the frame's plan, and have Spark understand the query."""
        session = cast("Any", table.source).sparkSession
        check_together(
            table, lambda other: is_spark(other) and cast("Any", other).sparkSession is session
        )
        connection = SparkConnection(table)
        dialect = dialect_of(table, [kinds for _, kinds in connection.tables()])
        return prepared(table, aggregates, connection, dialect)

    def pooling(self, table: Table, pairs: Pairs) -> ServerPooling:
        """Look at the types of the unit and of the keys, and have Spark understand a round."""
        return ServerPooling(table, pairs, SparkConnection(table), SPARK)
