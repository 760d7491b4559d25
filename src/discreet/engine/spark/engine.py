"""Spark: a data frame, counted by the workers of its session."""

from typing import Never

from ...aggregate import Aggregate
from ...errors import InputError, shown
from ...finding.pairs import Pairs
from ...schema import Table
from ..sql.server import ServerPrepared, prepared
from .connection import SparkConnection
from .dialect import SPARK


class SparkEngine:
    """Counts a data frame where it lies; nothing but sums is collected."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> ServerPrepared:
        """Look at names, types and the frame's plan, and have Spark understand the query."""
        return prepared(table, aggregates, SparkConnection(table), SPARK)

    def pooling(self, _table: Table, pairs: Pairs) -> Never:
        """Refuse: several rounds would look at several states of the frame."""
        raise InputError(
            f"the keys of {shown(pairs.column)} cannot be looked for by Spark.",
            why="all rounds must see one state of the data, for which this engine has no place",
            fix="list the keys, or write the columns into a Parquet file, with the data's owner",
        )
