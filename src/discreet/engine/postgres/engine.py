"""PostgreSQL: a table of a psycopg connection, counted on its server."""

from typing import Never

from ...aggregate import Aggregate
from ...errors import InputError, shown
from ...finding.pairs import Pairs
from ...schema import Table
from ..sql.server import ServerPrepared, prepared
from .connection import PostgresConnection
from .dialect import POSTGRES


class PostgresEngine:
    """Counts a table where it lies; nothing but sums leaves the server."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> ServerPrepared:
        """Look at names and types, and have the server plan the query."""
        return prepared(table, aggregates, PostgresConnection(table), POSTGRES)

    def pooling(self, _table: Table, pairs: Pairs) -> Never:
        """Refuse: several rounds would look at several states of the table."""
        raise InputError(
            f"the keys of {shown(pairs.column)} cannot be looked for on a server.",
            why="all rounds must see one state of the table, for which this engine has no place",
            fix="list the keys, or copy the two columns into a Parquet file, with the data's owner",
        )
