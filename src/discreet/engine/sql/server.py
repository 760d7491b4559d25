"""What the engines of other databases share: a source that is opened, and counted where it lies.

The pairs of unit and key on a server, for as long as keys are looked for in one state of them.

Rules of this module:
- an engine brings a connection, which says names and types, and runs the query; all else is here;
- names and types are looked at before the charge; what happens while data is read stays here;
- nothing but sums leaves the database;
- all rounds of one act look at one state of the table, which the connection holds: a pool that
  changed between two rounds would break the proof in docs/laws/unknown_keys.md;
- nothing is read before the charge; the state is let go whatever happens;
- what leaves the server is the keys and, for each, one sum a round; no row does, and no unit.

Decision 34.

Decision 18.
"""

import hmac
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol, TypeVar, cast

import numpy as np
from sqlglot import exp

from ...aggregate import Aggregate, Exact
from ...errors import EngineError, shown
from ...finding.pairs import Pairs
from ...schema import Table
from ..parts import parts_of
from ..protocol import SALTS, check_columns, check_declared, keyed, quietly
from ..stopping import stoppable
from . import pool as queries
from .cells import Reader, check_kind, check_kinds, is_told_apart
from .columns import plain_cell
from .dialect import Dialect
from .dialect_rewrites import spoken
from .joined import Scanned, joined
from .portable import check_unit
from .query import Counting, counting, names_of, vectors

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

    def check_rounds(self, pairs: Counting, query: Counting) -> None:
        """Refuse, before the charge, pairs that cannot be made, or asked by this query."""

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
    scanned = [Scanned(part, address, kinds) for part, (address, kinds) in parts]
    for opened in scanned:
        check_columns(opened.part.table, opened.part.aggregates, opened.kinds)
        check_kinds(opened.part.table, opened.part.aggregates, opened.kinds)
    whole = joined(table, scanned, Reader.of_table(dialect, table))
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
        digest = quietly(
            lambda: stoppable(lambda: self.connection.digest(names), self.connection.stop)
        )
        text = f"discreet server 1\0{sorted(self.kinds.items())!r}\0{digest}"
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
    answer, ended = quietly(lambda: _unless_ended(read))
    if ended:
        why, fix = _ENDED[ended]
        raise EngineError("the database ended the count.", kind="out-of-time", why=why, fix=fix)
    return answer[0]


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
        kind="cannot-open",
        why=why,
        fix="try it with another program, with the data's owner; nothing was charged",
    )


class ServerPooling:
    """An open table whose keys can be looked for."""

    def __init__(
        self, table: Table, pairs: Pairs, connection: Connection, dialect: Dialect
    ) -> None:
        """Look at names and types, and have the server plan a round.

        Raises:
            InputError: the source does not fit its declaration, or its keys cannot be found.
        """
        wanted, ((address, kinds),) = (keyed(pairs.column),), connection.tables()
        check_columns(table, wanted, kinds)
        check_kinds(table, wanted, kinds)
        if table.made(pairs.column) is None:  # else its parts are checked as what they are read
            check_kind(pairs.column, kinds[pairs.column])
        if dialect.unit_text is not None:
            check_unit(table, kinds)
        names = names_of(table.with_keys(pairs.column, ()), wanted, kinds, plain_cell, dialect)
        made = queries.pairs_query(names, address, pairs)
        of_rows = table.unit.column is None
        asked = queries.sums_query(dialect, pairs, of_rows=of_rows, anew=True)
        self._connection = connection
        self._pairs = Counting(spoken(made, dialect), (), {})
        self._asked = spoken(asked, dialect)
        self._weights = np.array(pairs.weights, dtype=np.int64)
        connection.check_rounds(self._pairs, self._round(()))

    def read(self, salt: int) -> "ServerPool":
        """Fix the state that all rounds look at, and read which keys there are."""
        return in_time(lambda: self._read(salt % SALTS))

    def _read(self, salt: int) -> "ServerPool":
        held = ExitStack()
        connection = self._connection

        def read() -> tuple[Ask, Rows]:
            ask = held.enter_context(connection.fixed(self._pairs, salt))
            return ask, ask(self._round(()))

        try:
            ask, first = stoppable(read, connection.stop)
            pool = ServerPool(
                lambda keys_found: stoppable(lambda: ask(self._round(keys_found)), connection.stop),
                first,
                held,
            )
        except BaseException:
            held.close()
            raise
        return pool

    def _round(self, keys_found: Sequence[int]) -> Counting:
        """Return the query of one round, with the numbers of the keys that are left out."""
        numbers = np.arange(1, len(self._weights) + 1, dtype=np.int64)
        tables = {
            queries.WEIGHTS: {"d": numbers, "w": self._weights},
            queries.FOUND: {"g": np.array(keys_found, dtype=np.int64)},
        }
        return Counting(self._asked, (), tables)


class ServerPool:
    """The keys, and one state of the pairs, held by a connection until this is closed."""

    def __init__(
        self, added: Callable[[Sequence[int]], Rows], first: Rows, held: ExitStack
    ) -> None:
        self._added = added
        self._first = _sums(first)
        named = {int(cast("int", number)): str(key) for number, key, _ in first}
        self._keys = [named[number] for number in range(len(named))]
        self._named = [key.encode() for key in self._keys]
        self._held = held

    def noise(self, draw: Callable[[Sequence[bytes]], Sequence[int]]) -> Exact:
        """Return what `draw` makes of the bytes of the keys."""
        return Exact(tuple(draw(self._named)))

    def sums(self, keys_found: frozenset[int]) -> Exact:
        """Return what the units add to each key that was not found."""
        return in_time(lambda: self._of_all(keys_found))

    def _of_all(self, keys_found: frozenset[int]) -> Exact:
        some = _sums(self._added(sorted(keys_found))) if keys_found else self._first
        return Exact(tuple([some.get(place, 0) for place in range(len(self._keys))]))

    def names(self, keys_found: frozenset[int]) -> list[str]:
        """Return the text of keys that were found, ordered by its bytes."""
        return sorted((self._keys[place] for place in keys_found), key=str.encode)

    def close(self) -> None:
        """Let the state go."""
        self._held.close()


def _sums(rows: Iterable[Sequence[object]]) -> dict[int, int]:
    """Return what a round adds to each key, by its number."""
    return {int(cast("int", number)): int(cast("int", added)) for number, _, added in rows}
