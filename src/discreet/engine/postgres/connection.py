"""A psycopg connection of the user's, to one table: what it holds, and one statement that counts.

The query as one statement of PostgreSQL: its text, and what it is given beside.

Rules of this module:
- the connection is the user's: it must be at rest, and each look at the server is one transaction
  of our own, which is read-only, sees one snapshot, and is rolled back;
- nothing is made on the server; public keys go there as parameters, and sums come back;
- the table is read by its full name, and functions and operators are those of the server itself;
- the salt and the public keys are parameters; nothing is pasted into the text.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from ...errors import EngineError, InputError, shown
from ...schema import Table
from ..parts import tables_of
from ..protocol import uncollected
from ..sql.dialect import SALT
from ..sql.query import Counting
from ..sql.server import Ask, OutOfTimeError, Rows, unopened
from ..sql.tree import column, to_type
from .catalog import Below, ServerTable, below, look, readable
from .unit_sizes import are_large

if TYPE_CHECKING:
    import psycopg


_KINDS = {"i": "BIGINT[]", "f": "DOUBLE[]", "O": "TEXT[]"}  # by the letter of a NumPy type


@dataclass(frozen=True, slots=True)
class Statement:
    """A text with $1, $2 ..., and what these are."""

    text: str
    parameters: tuple[object, ...]


def statement(query: Counting, salt: int) -> Statement:
    """Return the query with its public tables, as a statement that makes nothing on the server."""
    tree, parameters = query.query.copy(), list[object]()

    def parameter(value: object) -> exp.Expression:
        parameters.append(value)
        return exp.Parameter(this=exp.Literal.number(len(parameters)))

    for mark in list(tree.find_all(exp.Placeholder)):
        if mark.name == SALT:
            if not parameters:
                parameters.append(f"{salt:020d}")
            mark.replace(exp.Parameter(this=exp.Literal.number(1)))
    for name, columns in query.tables.items():
        there = _storable(columns)
        lists = [
            exp.cast(parameter(values.tolist()), _KINDS[values.dtype.kind])
            for values in there.values()
        ]
        named = exp.TableAlias(
            this=exp.to_identifier("t"), columns=[exp.to_identifier(column) for column in there]
        )
        rows = exp.select("*").from_(exp.Unnest(expressions=lists, alias=named))
        tree = tree.with_(name, rows, copy=False)
    _tables_first(tree, len(query.tables))
    return Statement(tree.sql(dialect="postgres"), tuple(parameters))


def _storable(columns: Any) -> Any:
    """Return a public table without keys of the letter 0, which no cell can hold here."""
    keys = columns.get("key")
    if keys is None or keys.dtype.kind != "O":
        return columns
    there = [n for n, key in enumerate(keys) if "\0" not in key]
    return {name: values[there] for name, values in columns.items()}


def _tables_first(query: exp.Query, count: int) -> None:
    """Name the public tables before the steps that read them."""
    if count:
        named = query.args["with_"].expressions
        query.args["with_"].set("expressions", [*named[-count:], *named[:-count]])


__all__: Sequence[str] = ("Statement", "statement")


TIMEOUT = "DISCREET_TIMEOUT"  # for example 30min; an hour otherwise
_LEAST = 14_00_00  # before it the server counts seconds in doubles

_SETTINGS = (
    ("search_path", "pg_catalog, pg_temp"),  # the session's own types last: else they come first
    ("DateStyle", "ISO, YMD"),
    ("IntervalStyle", "postgres"),
    ("bytea_output", "hex"),
    ("TimeZone", "UTC"),
    ("extra_float_digits", "1"),
    ("standard_conforming_strings", "on"),
    ("jit", "off"),  # to compile a query of many expressions takes as long as to run it
    ("enable_hashjoin", "on"),
    ("enable_mergejoin", "off"),  # rows are joined to public tables that fit into memory
    ("enable_nestloop", "off"),  # where one row is expected there may be all: never each with each
)
_CANCELED = "57014"  # by a limit, or by somebody
_TOO_LATE = f"its server took longer than {TIMEOUT} allows to say what it holds"
_NOT_SAID = "its server did not say what it holds"
_LIMITED = ("statement_timeout", "idle_in_transaction_session_timeout")

_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_IN_UTF8 = "SET LOCAL client_encoding = 'UTF8'"  # before a name is read or written; no snapshot
_TRIES = 100  # to find a moment at which no table is being made anew

Cursor = Any  # psycopg.RawCursor of tuples


class PostgresConnection:
    """One table of a server, or those of a join."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._connection = cast("psycopg.Connection[Any]", table.source)
        _check_server(self._connection, table)
        try:
            with self._transaction() as (cursor, path):
                self._found = [look(cursor, path, part) for part in tables_of(table)]
                self._bases = [below(cursor, [part.number]) for part in self._found]
                self._check_md5(cursor)
        except (InputError, EngineError):
            raise
        except Exception as error:  # noqa: BLE001 - what the driver says is not ours to show
            _check_time(error)
            late = getattr(error, "sqlstate", None) == _CANCELED
            raise unopened(table, _TOO_LATE if late else _NOT_SAID) from None
        _check_filled(table, self._bases)

    def _check_md5(self, cursor: Cursor) -> None:
        """Refuse a server without MD5, as one that keeps to FIPS, before anything is charged."""
        import psycopg

        try:
            cursor.execute("SELECT md5('')")
        except psycopg.Error:
            raise unopened(
                self._table, "its server has no MD5, by which rows and units are told apart"
            ) from None

    def bases(self) -> Sequence[list[tuple[int]] | None]:
        """Return of each table the numbers of all that it is made of; None if some are unknown."""
        return [
            [(base.number,) for base in made] if all(base.is_named for base in made) else None
            for made in self._bases
        ]

    def has_large_units(self, least: int) -> bool:
        """Say whether units have many rows, as far as the server knows without a look at one."""
        with suppress(Exception), self._transaction() as (cursor, _):
            return are_large(cursor, self._found[0], self._table, least)
        return False

    def tables(self) -> Sequence[tuple[exp.Expression, Mapping[str, str]]]:
        """Return each table by its full name, with the type of each column."""
        return [(part.address, part.kinds) for part in self._found]

    def check(self, query: Counting) -> None:
        """Have the server plan the query, which reads no row."""
        self._planned(statement(query, 0))

    def check_rounds(self, pairs: Counting, query: Counting) -> None:
        """Have the server plan all rounds of a search."""
        from .rounds import cursor_text

        self._planned(Statement(*cursor_text(pairs, query, 0)))

    def _planned(self, wanted: Statement) -> None:
        import psycopg

        problem = "its server was not reached"
        try:
            with self._transaction() as (cursor, _):
                cursor.execute(f"EXPLAIN {wanted.text}", wanted.parameters)
                return
        except psycopg.errors.InsufficientPrivilege:
            problem = (
                "its server refuses the query: this user may not read the columns that are used"
            )
        except psycopg.Error as error:
            if error.sqlstate:  # five letters of the standard's; the message could say more
                problem = f"its server refuses the query, with SQLSTATE {error.sqlstate}"
        raise unopened(self._table, problem)

    def rows(self, query: Counting, salt: int) -> Rows:
        """Count in one transaction, in which the table is still what it was."""
        return self._same(statement(query, salt))

    @contextmanager
    def fixed(self, pairs: Counting, salt: int) -> Iterator[Ask]:
        """Keep one transaction, in which the table is still what it was, and one state of it."""
        from .rounds import Rounds

        with self._looked() as cursor:
            yield Rounds(
                lambda text, parameters: _fetched(cursor, Statement(text, parameters)),
                pairs,
                salt,
            ).ask

    def digest(self, columns: Sequence[Sequence[str]]) -> str:
        """Return of each table how many rows it has, and the sum of the hashes of their cells."""
        return "".join(map(self._digest, self._found, columns))

    def _digest(self, server_table: ServerTable, columns: Sequence[str]) -> str:
        with self._transaction() as (cursor, _):
            allowed = readable(cursor, server_table)
        cells = [column(name, "s") for name in columns if name in allowed]
        row = to_type(exp.Anonymous(this="ROW", expressions=cells), "TEXT")
        letters = exp.Left(this=exp.MD5(this=row), expression=exp.Literal.number(16))
        bits = exp.DPipe(this=exp.Literal.string("x"), expression=letters)
        number = to_type(to_type(bits, "BIT(64)", dialect="postgres"), "BIGINT")
        query = exp.select(exp.Count(this=exp.Star()), exp.Sum(this=number))
        query = query.from_(exp.alias_(server_table.address, "s"))
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
            OutOfTimeError: the look, or what is asked in it, was ended for a reason of its own that
                a server gives (`_kind_of_end`).
        """
        import psycopg

        kind = ""
        try:
            with self._as_seen() as cursor:
                yield cursor
                return
        except psycopg.Error as error:
            kind = _kind_of_end(error, self._connection)
            if not kind:
                raise
        raise OutOfTimeError(kind)  # here: what the server said does not hang on it

    @contextmanager
    def _as_seen(self) -> Iterator[Cursor]:
        """Open a transaction, whose snapshot shows the table that was looked at."""
        for _ in range(_TRIES):
            with self._transaction(locked=True) as (cursor, path):
                if not self._is_whole(cursor):
                    continue  # it was made anew in between: look once more
                if [look(cursor, path, part) for part in tables_of(self._table)] != self._found:
                    raise RuntimeError("the table was changed")  # told as one fixed text: `quietly`
                yield cursor
                return
        raise OutOfTimeError

    def _is_whole(self, cursor: Cursor) -> bool:
        """Tell whether the snapshot shows the rows of all tables, which are locked from now on.

        A snapshot from before a table was truncated or made anew shows none of its rows, neither
        the old ones nor those that came in the same transaction.
        """
        for part in self._found:
            cursor.execute(f"SELECT FROM {part.address.sql('postgres')} LIMIT 0")
        return all(part.is_as_seen for part in below(cursor, [part.number for part in self._found]))

    def _is_locked(self, cursor: Cursor) -> bool:
        """Lock the tables before anything is seen of them; tell whether that could be done.

        No lock is taken of a materialized view or a foreign table, nor by a user who may read some
        columns only; then what the snapshot shows is compared with where the rows lie.
        """
        import psycopg

        names = ", ".join(part.address.sql("postgres") for part in self._found)
        limit = psycopg.sql.quote(os.environ.get(TIMEOUT) or "1h")
        with suppress(psycopg.errors.InsufficientPrivilege, psycopg.errors.WrongObjectType):
            cursor.execute(f"SET LOCAL statement_timeout = {limit}")
            cursor.execute(f"LOCK TABLE {names} IN ACCESS SHARE MODE")
            return True
        return False

    @contextmanager
    def _transaction(self, *, locked: bool = False) -> Iterator[tuple[Cursor, list[str]]]:
        """Open a transaction of our own on a connection at rest; whatever happens, end it.

        Args:
            locked: whether the tables are locked before the snapshot is taken, where that can be.

        Yields:
            a cursor, and the schemas in which the user's names are searched.
        """
        import psycopg
        from psycopg.rows import tuple_row

        connection = self._connection
        before, threshold = connection.autocommit, connection.prepare_threshold
        connection.autocommit = True
        connection.prepare_threshold = None  # nothing of ours stays in the user's session
        try:
            with psycopg.RawCursor(connection, row_factory=tuple_row) as cursor:
                _read_exactly(cursor)
                _begin(cursor)
                if locked and not self._is_locked(cursor):
                    cursor.execute("ROLLBACK")
                    _begin(cursor)
                schemas = cursor.execute("SELECT pg_catalog.current_schemas(false)").fetchall()
                _set(cursor, os.environ.get(TIMEOUT) or "1h")
                yield cursor, schemas[0][0]
        finally:
            with suppress(psycopg.Error):
                psycopg.RawCursor(connection).execute("ROLLBACK")
                connection.autocommit = before
            connection.prepare_threshold = threshold


def _check_filled(table: Table, bases: Sequence[Sequence[Below]]) -> None:
    if not all(base.is_filled for made in bases for base in made):
        raise InputError(
            f"{shown(table.name)} is made of a materialized view without data.",
            kind="table-not-found",
            why="it cannot be read before it is refreshed",
            fix="REFRESH MATERIALIZED VIEW, and run it again",
        )


def _begin(cursor: Cursor) -> None:
    cursor.execute(_BEGIN)
    cursor.execute(_IN_UTF8)


def _set(cursor: Cursor, limit: str) -> None:
    """Set, until the transaction ends, what a count depends on, and how long it may take."""
    settings = (*_SETTINGS, *((name, limit) for name in _LIMITED))
    each = (
        f"pg_catalog.set_config(${2 * n + 1}, ${2 * n + 2}, true)" for n in range(len(settings))
    )
    words = [word for setting in settings for word in setting]
    cursor.execute(f"SELECT {', '.join(each)}", words)


def _read_exactly(cursor: Cursor) -> None:
    """Read what the server says as psycopg does by itself, whatever a caller has set."""
    from psycopg.types import bool as truths
    from psycopg.types import numeric, string
    from psycopg.types.array import ListDumper

    loaders = {
        numeric.IntLoader: ("int2", "int4", "int8", "oid"),
        numeric.NumericLoader: ("numeric",),
        string.TextLoader: ("text", "name", "varchar", '"char"'),
        truths.BoolLoader: ("bool",),
    }
    for loader, names in loaders.items():
        for name in names:
            cursor.adapters.register_loader(name, loader)
    for kind, dumper in ((str, string.StrDumper), (int, numeric.IntDumper), (list, ListDumper)):
        cursor.adapters.register_dumper(kind, dumper)


def _fetched(cursor: Cursor, wanted: Statement) -> Rows:
    """Return what a statement finds.

    Raises:
        OutOfTimeError: it took too long, or somebody ended it.
    """
    from psycopg import Error

    kind = ""
    try:
        cursor.execute(wanted.text, wanted.parameters)
        with uncollected():
            answer: Rows = cursor.fetchall() if cursor.description else []
    except Error as error:
        kind = _kind_of_end(error, cursor.connection)
        if not kind:
            raise
    else:
        return answer
    raise OutOfTimeError(kind)


_CLASSES = {  # of SQLSTATE: what hangs on no cell
    "08": "connection",
    "53": "room",
    "55": "lock",
    "57": "operator",
    "58": "system",
}


def _kind_of_end(error: Any, connection: Any) -> str:
    """Return which reason of its own a server gives; "" for one that may hang on a cell."""
    from psycopg import errors

    if isinstance(error, (errors.QueryCanceled, errors.IdleInTransactionSessionTimeout)):
        return "time"
    if error.sqlstate is None and connection.closed:
        return "connection"
    return _CLASSES.get((error.sqlstate or "")[:2], "")


def _check_time(error: Exception) -> None:
    """Refuse a length of time that the server cannot read: 22023 in the words of the standard."""
    limit = os.environ.get(TIMEOUT)
    if limit and getattr(error, "sqlstate", None) == "22023":
        raise InputError(
            f"{TIMEOUT} is {shown(limit)}, which is no length of time.",
            kind="engine-settings",
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
            kind="table-not-found",
            why="all is counted in one transaction of its own, which sees one state of the table",
            fix="commit it or roll it back before, or connect in autocommit mode",
        )
    if connection.info.server_version < _LEAST:
        raise unopened(table, "its server is older than PostgreSQL 14")
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise unopened(table, "its database does not keep text as UTF-8")
