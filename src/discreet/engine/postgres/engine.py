"""PostgreSQL: a table of a psycopg connection, counted on its server.

Decisions 54, 62, 139.
"""

from dataclasses import replace

from ...aggregate import Aggregate
from ...finding.pairs import Pairs
from ...schema import Table
from ..one_source import check_apart, place_of_tables
from ..parts import check_together
from ..sql.dialect import Dialect
from ..sql.faster.one_row import is_all
from ..sql.faster.pruned import pays_from
from ..sql.server import ServerPooling, ServerPrepared, prepared
from .connection import PostgresConnection
from .dialect import dialect_of


def _prunes(
    table: Table,
    aggregates: tuple[Aggregate, ...],
    dialect: Dialect,
    connection: PostgresConnection,
) -> bool:
    """Say whether rows are pruned: it pays where units have many, and costs where they have few."""
    least = pays_from(table, aggregates)
    is_asked = dialect.speed.prunes is not None and least > 0 and not table.joins
    is_asked = is_asked and not is_all(table, aggregates)
    return is_asked and connection.has_large_units(least)


class PostgresEngine:
    """Counts a table where it lies; nothing but sums leaves the server."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> ServerPrepared:
        """Look at names and types, and have the server plan the query."""
        check_together(table, lambda other: other is table.source)
        connection = PostgresConnection(table)
        check_apart(table, lambda: [place_of_tables(made) for made in connection.bases()])
        dialect = dialect_of(table, [kinds for _, kinds in connection.tables()])
        if not _prunes(table, aggregates, dialect, connection):
            dialect = replace(dialect, speed=replace(dialect.speed, prunes=None))
        return prepared(table, aggregates, connection, dialect)

    def pooling(self, table: Table, pairs: Pairs) -> ServerPooling:
        """Look at the types of the unit and of the keys, and have the server plan a round."""
        connection = PostgresConnection(table)
        kinds = [kinds for _, kinds in connection.tables()]
        return ServerPooling(table, pairs, connection, dialect_of(table, kinds, is_portable=True))
