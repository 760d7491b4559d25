"""What the engines of other databases share: a source that is opened, and counted where it lies.

Rules of this module:
- an engine brings a connection, which says names and types, and runs the query; all else is here;
- names and types are looked at before the charge; what happens while data is read stays here;
- nothing but sums leaves the database.

Decision 34.
"""

import hmac
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol, TypeVar

from sqlglot import exp

from ...aggregate import Aggregate, Exact
from ...errors import EngineError, shown
from ...schema import Table
from ..parts import parts_of
from ..protocol import SALTS, check_columns, check_declared, quietly
from ..stopping import stoppable
from .cells import Reader
from .dialect import Dialect
from .joined import Scanned, joined
from .query import Counting, counting
from .spoken import spoken
from .types import check_kinds, is_told_apart
from .vectors import vectors

Rows = Sequence[Sequence[object]]
Ask = Callable[[Counting], Rows]
Found = TypeVar("Found")


class OutOfTimeError(Exception):
    """A database ended what it was asked, for a reason that no cell gives.

    Attributes:
        kind: which of the reasons in `_ENDED`.
    """

    def __init__(self, kind: str = "time") -> None:
        super().__init__(kind)
        self.kind = kind


class Connection(Protocol):
    """A way into another database, to one table or those of a join; made for one release."""

    def tables(self) -> Sequence[tuple[exp.Expression, Mapping[str, str]]]:
        """Return of each table what to scan, and its columns' types, as `cells` calls them.

        The declared table comes first, then those joined to it; no row is read.
        """

    def rows(self, query: Counting, salt: int) -> Rows:
        """Run the query, and return what it finds.

        Raises:
            OutOfTimeError: it took too long, or somebody ended it.
        """

    def fixed(self, pairs: Counting, salt: int) -> AbstractContextManager[Ask]:
        """Fix one state of pairs, and give what asks of it, as a table called PAIRS, until the end.

        What the database says of them is the same in every question.
        """

    def check(self, query: Counting) -> None:
        """Refuse, before the charge and without a look at a row, a query that cannot run."""

    def digest(self, columns: Sequence[Sequence[str]]) -> str:
        """Return a text that is alike for the same rows of these columns, in any order.

        Args:
            columns: of each table.
        """

    def stop(self) -> None:
        """Make what runs end soon; called from another thread."""

    def percent(self) -> int | None:
        """Return how much of what runs is done, from 0 to 100, or None; from another thread."""

    def close(self) -> None:
        """Take back what was made in the database."""


def prepared(
    table: Table, aggregates: tuple[Aggregate, ...], connection: Connection, dialect: Dialect
) -> "ServerPrepared":
    """Look at names and types, and build the query.

    Raises:
        InputError: the source does not fit its declaration, or the engine cannot count it.
    """
    check_declared(table, aggregates)
    parts = zip(parts_of(table, aggregates), connection.tables(), strict=True)
    found = [Scanned(part, address, kinds) for part, (address, kinds) in parts]
    for one in found:
        check_columns(one.part.table, one.part.aggregates, one.kinds)
        check_kinds(one.part.table, one.part.aggregates, one.kinds)
    whole = joined(table, found, Reader(dialect, table.csv))
    check_columns(table, aggregates, whole.kinds)
    query = counting(
        table,
        aggregates,
        kinds=whole.kinds,
        source=whole.address,
        cell=whole.cell,
        dialect=dialect,
    )
    spoken(query.query, dialect)
    if aggregates:
        connection.check(query)
    return ServerPrepared(table, aggregates, connection, whole.kinds, query)


@dataclass(frozen=True, eq=False, repr=False)
class ServerPrepared:
    """An open source that fits its declaration, and the query to count it."""

    table: Table
    aggregates: tuple[Aggregate, ...]
    connection: Connection
    kinds: Mapping[str, str]
    query: Counting

    def __post_init__(self) -> None:
        weakref.finalize(self, self.connection.close)

    def schema(self) -> dict[str, str]:
        """Return the name and the type of every column."""
        return dict(self.kinds)

    def paths(self) -> tuple[str, ...]:
        """Return no file: what is read is a table."""
        return ()

    def fingerprint(self, key: bytes) -> str | None:
        """Return a keyed digest of every column that a question can look at."""
        names = [
            [name for name, kind in sorted(kinds.items()) if is_told_apart(kind)]
            for _, kinds in self.connection.tables()
        ]
        found = quietly(
            lambda: stoppable(lambda: self.connection.digest(names), self.connection.stop)
        )
        text = f"discreet server 1\0{sorted(self.kinds.items())!r}\0{found}"
        return hmac.new(key, text.encode("utf-8", "surrogatepass"), sha256).hexdigest()

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Read the data once and return one sealed vector per aggregate."""
        return in_time(lambda: self._count(salt % SALTS))

    def _count(self, salt: int) -> tuple[Exact, ...]:
        if not self.aggregates:
            return ()
        connection = self.connection
        rows = stoppable(
            lambda: connection.rows(self.query, salt), connection.stop, connection.percent
        )
        return vectors(self.table, self.aggregates, self.query.parts, rows)


def in_time(read: Callable[[], Found]) -> Found:
    """Return what `read` returns, as `quietly` does.

    Raises:
        EngineError: the database ended it, or it went wrong.
    """
    found, ended = quietly(lambda: _unless_ended(read))
    if ended:
        why, fix = _ENDED[ended]
        raise EngineError("the database ended the count.", why=why, fix=fix)
    return found[0]


def _unless_ended(read: Callable[[], Found]) -> tuple[tuple[Found, ...], str]:
    try:
        return (read(),), ""
    except OutOfTimeError as error:
        return (), error.kind


_ENDED = {  # by what a server says of itself, which hangs on no cell: why, and what to do
    "time": (
        "it took longer than it may, or somebody there cancelled it",
        "give it more time: DISCREET_TIMEOUT=4h is four hours",
    ),
    "connection": (
        "the connection to it was lost",
        "connect again, and run the plan under the same request",
    ),
    "room": (
        "it has no memory, disk or connections left, or the session may not take more",
        "let its administrator raise temp_file_limit or work_mem, or free its disk",
    ),
    "lock": (
        "another session holds a lock on the table",
        "run it again when that session is done",
    ),
    "operator": (
        "its administrator stops it, or it is starting again",
        "run it again when it is up",
    ),
    "system": (
        "its operating system could not read or write a file",
        "let its administrator look at its disk and its log",
    ),
}


def unopened(table: Table, why: str) -> EngineError:
    """Return the error of a source that cannot be opened."""
    return EngineError(
        f"{shown(table.name)} cannot be opened.",
        why=why,
        fix="try it with another program, with the data's owner; nothing was charged",
    )
