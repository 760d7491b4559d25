"""What a reader must know of a server's own log: whether it tells exact numbers of rows.

Rules of this module:
- settings of the session are asked for, and nothing of a table; the session stays as it was;
- no library is imported: a connection is known by the name of its class.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

from ..privacy.risk import MARK
from .table import Table

_TOLD = """
SELECT FROM pg_catalog.pg_settings AS analyzed, pg_catalog.pg_settings AS logged
WHERE analyzed.name = 'auto_explain.log_analyze' AND analyzed.setting = 'on'
  AND logged.name = 'auto_explain.log_min_duration' AND logged.setting <> '-1'
"""


def logs_said(table: Table) -> Iterator[str]:
    """Return what is to be heeded of the logs of servers that a table's sources lie on."""
    if any(map(_logs_rows, [table.source, *(join.source for join in table.joins)])):
        yield (
            f"{MARK}: the server writes into its log how many rows each step of a count had, "
            "exactly and without noise (auto_explain.log_analyze): keep that log as secret as the "
            "table, or let its administrator switch it off."
        )


def _logs_rows(source: object) -> bool:
    """Say whether a Postgres session at rest logs plans with what they did."""
    if not any(base.__module__ == "psycopg" for base in type(source).__mro__):
        return False
    connection = cast("Any", source)
    with suppress(Exception):  # a connection that is closed or busy is told where it is counted
        if connection.closed or connection.info.transaction_status != 0:
            return False
        with connection.transaction(force_rollback=True):
            return bool(connection.execute(_TOLD).fetchall())
    return False
