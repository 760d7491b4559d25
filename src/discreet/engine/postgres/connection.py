"""A psycopg connection of the user's, to one table: what it holds, and one statement that counts.

Rules of this module:
- the connection is the user's: it must be at rest, and each look at the server is one transaction
  of our own, which is read-only, sees one snapshot, and is rolled back;
- nothing is made on the server; public keys go there as parameters, and sums come back;
- the table is read by its full name, and functions and operators are those of the server itself.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from ...errors import EngineError, InputError, shown
from ...schema import Table
from ..parts import tables_of
from ..sql.pool import with_pairs
from ..sql.query import Counting
from ..sql.server import Ask, OutOfTimeError, Rows, unopened
from ..sql.tree import column, to_type
from .catalog import ServerTable, look, readable
from .statement import Statement, statement

if TYPE_CHECKING:
    import psycopg

TIMEOUT = "DISCREET_TIMEOUT"  # for example 30min; an hour otherwise
_LEAST = 14_00_00  # before it the server counts seconds in doubles

_SETTINGS = (
    ("search_path", "pg_catalog, pg_temp"),  # the session's own types last: else they come first
    ("client_encoding", "UTF8"),
    ("DateStyle", "ISO, YMD"),
    ("TimeZone", "UTC"),
    ("extra_float_digits", "1"),
    ("standard_conforming_strings", "on"),
    ("jit", "off"),  # to compile a query of many expressions takes as long as to run it
    ("enable_hashjoin", "on"),
    ("enable_mergejoin", "off"),  # rows are joined to public tables that fit into memory
    ("enable_nestloop", "off"),  # where one row is expected there may be all: never each with each
)
_LIMITED = ("statement_timeout", "idle_in_transaction_session_timeout")

Cursor = Any  # psycopg.RawCursor of tuples


class PostgresConnection:
    """One table of a server, or those of a join."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._connection = cast("psycopg.Connection[Any]", table.source)
        _check_server(self._connection, table)
        try:
            with self._transaction() as (cursor, path):
                self._found = [look(cursor, path, one) for one in tables_of(table)]
        except (InputError, EngineError):
            raise
        except Exception as error:  # noqa: BLE001 - what the driver says is not ours to show
            _check_time(error)
            raise unopened(table, "its server did not say what it holds") from None

    def tables(self) -> Sequence[tuple[exp.Expression, Mapping[str, str]]]:
        """Return each table by its full name, with the type of each column."""
        return [(one.address, one.kinds) for one in self._found]

    def check(self, query: Counting) -> None:
        """Have the server plan the query, which reads no row."""
        import psycopg

        wanted, told = statement(query, 0), "its server was not reached"
        try:
            with self._transaction() as (cursor, _):
                cursor.execute(f"EXPLAIN {wanted.text}", wanted.parameters)
                return
        except psycopg.errors.InsufficientPrivilege:
            told = "its server refuses the query: this user may not read the columns that are used"
        except psycopg.Error as error:
            if error.sqlstate:  # five letters of the standard's; the message could say more
                told = f"its server refuses the query, with SQLSTATE {error.sqlstate}"
        raise unopened(self._table, told)

    def rows(self, query: Counting, salt: int) -> Rows:
        """Count in one transaction, in which the table is still what it was."""
        return self._same(statement(query, salt))

    @contextmanager
    def fixed(self, pairs: Counting, salt: int) -> Iterator[Ask]:
        """Keep one transaction, in which the table is still what it was, and one state of it.

        The pairs are made anew in each question, because nothing is stored on the server.
        """
        with self._looked() as cursor:

            def ask(query: Counting) -> Rows:
                whole = Counting(with_pairs(query.query, pairs.query), (), query.tables)
                return _fetched(cursor, statement(whole, salt))

            yield ask

    def digest(self, columns: Sequence[Sequence[str]]) -> str:
        """Return of each table how many rows it has, and the sum of the hashes of their cells."""
        return "".join(map(self._digest, self._found, columns))

    def _digest(self, found: ServerTable, columns: Sequence[str]) -> str:
        with self._transaction() as (cursor, _):
            allowed = readable(cursor, found)
        cells = [column(name, "s") for name in columns if name in allowed]
        row = to_type(exp.Anonymous(this="ROW", expressions=cells), "TEXT")
        letters = exp.Left(this=exp.MD5(this=row), expression=exp.Literal.number(16))
        bits = exp.DPipe(this=exp.Literal.string("x"), expression=letters)
        number = to_type(to_type(bits, "BIT(64)", dialect="postgres"), "BIGINT")
        query = exp.select(exp.Count(this=exp.Star()), exp.Sum(this=number))
        query = query.from_(exp.alias_(found.address, "s"))
        return repr(self._same(Statement(query.sql(dialect="postgres"), ())))

    def stop(self) -> None:
        """Ask the server to cancel what runs."""
        with suppress(Exception):
            self._connection.cancel_safe(timeout=5)

    def percent(self) -> None:
        """Return None: the server does not say how far a query is."""

    def close(self) -> None:
        """Do nothing: the connection is the user's, and every transaction was ended."""

    def _same(self, wanted: Statement) -> Rows:
        """Run a statement on the table, if it is still what was looked at."""
        with self._looked() as cursor:
            return _fetched(cursor, wanted)

    @contextmanager
    def _looked(self) -> Iterator[Cursor]:
        """Open a transaction, in which the table is still what was looked at.

        Raises:
            OutOfTimeError: what is asked in it took too long, or somebody ended it.
        """
        with suppress(*_ended()), self._transaction() as (cursor, path):
            if [look(cursor, path, one) for one in tables_of(self._table)] != self._found:
                raise RuntimeError("the table was changed")  # told as one fixed text: `quietly`
            yield cursor
            return
        raise OutOfTimeError

    @contextmanager
    def _transaction(self) -> Iterator[tuple[Cursor, list[str]]]:
        """Open a transaction of our own on a connection at rest; whatever happens, end it.

        Yields:
            a cursor, and the schemas in which the user's names are searched.
        """
        import psycopg
        from psycopg.rows import tuple_row

        connection = self._connection
        before = connection.autocommit
        connection.autocommit = True
        try:
            with psycopg.RawCursor(connection, row_factory=tuple_row) as cursor:
                _read_exactly(cursor)
                cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                found = cursor.execute("SELECT pg_catalog.current_schemas(false)").fetchall()
                _set(cursor, os.environ.get(TIMEOUT) or "1h")
                yield cursor, found[0][0]
        finally:
            with suppress(psycopg.Error):
                psycopg.RawCursor(connection).execute("ROLLBACK")
                connection.autocommit = before


def _set(cursor: Cursor, limit: str) -> None:
    """Set, until the transaction ends, what a count depends on, and how long it may take."""
    settings = (*_SETTINGS, *((name, limit) for name in _LIMITED))
    each = (
        f"pg_catalog.set_config(${2 * n + 1}, ${2 * n + 2}, true)" for n in range(len(settings))
    )
    said = [word for setting in settings for word in setting]
    cursor.execute(f"SELECT {', '.join(each)}", said)


def _read_exactly(cursor: Cursor) -> None:
    """Read what the server says as psycopg does by itself, whatever a caller has set."""
    from psycopg.types import bool as truths
    from psycopg.types import numeric, string

    loaders = {
        numeric.IntLoader: ("int2", "int4", "int8", "oid"),
        numeric.NumericLoader: ("numeric",),
        string.TextLoader: ("text", "name", "varchar", '"char"'),
        truths.BoolLoader: ("bool",),
    }
    for loader, names in loaders.items():
        for name in names:
            cursor.adapters.register_loader(name, loader)


def _fetched(cursor: Cursor, wanted: Statement) -> Rows:
    """Return what a statement finds.

    Raises:
        OutOfTimeError: it took too long, or somebody ended it.
    """
    with suppress(*_ended()):
        found: Rows = cursor.execute(wanted.text, wanted.parameters).fetchall()
        return found
    raise OutOfTimeError


def _ended() -> tuple[type[Exception], ...]:
    """Return what a server raises that ends a statement, or a transaction that waits for us."""
    from psycopg import errors

    return errors.QueryCanceled, errors.IdleInTransactionSessionTimeout


def _check_time(error: Exception) -> None:
    """Refuse a length of time that the server cannot read: 22023 in the words of the standard."""
    limit = os.environ.get(TIMEOUT)
    if limit and getattr(error, "sqlstate", None) == "22023":
        raise InputError(
            f"{TIMEOUT} is {shown(limit)}, which is no length of time.",
            why="the server ends a statement that takes longer, and has to know when",
            fix=f"write a number and ms, s, min, h or d: {TIMEOUT}=30min",
        ) from None


def _check_server(connection: "psycopg.Connection[Any]", table: Table) -> None:
    """Refuse a connection that is closed or busy, and a server that would count in another way."""
    if connection.closed:
        raise unopened(table, "the connection is closed")
    if connection.info.transaction_status != 0:
        raise InputError(
            f"the connection of {shown(table.name)} is in the middle of a transaction.",
            why="all is counted in one transaction of its own, which sees one state of the table",
            fix="commit it or roll it back before, or connect in autocommit mode",
        )
    if connection.info.server_version < _LEAST:
        raise unopened(table, "its server is older than PostgreSQL 14")
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise unopened(table, "its database does not keep text as UTF-8")
