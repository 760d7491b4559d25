"""Spark: a data frame, counted by the workers of its session."""

from ...aggregate import Aggregate
from ...finding.pairs import Pairs
from ...schema import Table
from ..sql.server import ServerPrepared, prepared
from ..sql.server_pool import ServerPooling
from .connection import SparkConnection
from .dialect import SPARK


class SparkEngine:
    """Counts a data frame where it lies; nothing but sums is collected."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> ServerPrepared:
        """Look at names, types and the frame's plan, and have Spark understand the query."""
        return prepared(table, aggregates, SparkConnection(table), SPARK)

    def pooling(self, table: Table, pairs: Pairs) -> ServerPooling:
        """Look at the types of the unit and of the keys, and have Spark understand a round."""
        return ServerPooling(table, pairs, SparkConnection(table), SPARK)
