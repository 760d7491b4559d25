"""The pairs of unit and key on a server, for as long as keys are looked for in one state of them.

Rules of this module:
- all rounds of one act look at one state of the table, which the connection holds: a pool that
  changed between two rounds would break the proof in docs/laws/unknown_keys.md;
- nothing is read before the charge; the state is let go whatever happens;
- what leaves the server is the keys and, for each, one sum a round; no row does, and no unit.

Decision 18.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import cast

import numpy as np

from ...aggregate import Exact
from ...finding.pairs import Pairs
from ...schema import Table
from ..protocol import SALTS, check_columns, keyed
from ..stopping import stoppable
from . import pool as queries
from .cells import check_kind
from .columns import plain_cell
from .dialect import Dialect
from .portable import check_unit
from .query import Counting, names_of
from .server import Ask, Connection, Rows, in_time
from .spoken import spoken
from .types import check_kinds


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
        whole = queries.with_pairs(self._asked, self._pairs.query)
        connection.check(Counting(whole, (), self._round(()).tables))

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
                lambda found: stoppable(lambda: ask(self._round(found)), connection.stop),
                first,
                held,
            )
        except BaseException:
            held.close()
            raise
        return pool

    def _round(self, found: Sequence[int]) -> Counting:
        """Return the query of one round, with the numbers of the keys that are left out."""
        numbers = np.arange(1, len(self._weights) + 1, dtype=np.int64)
        tables = {
            queries.WEIGHTS: {"d": numbers, "w": self._weights},
            queries.FOUND: {"g": np.array(found, dtype=np.int64)},
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
        self._held = held

    def noise(self, draw: Callable[[Sequence[bytes]], Sequence[int]]) -> Exact:
        """Return what `draw` makes of the bytes of the keys."""
        return Exact(tuple(draw([key.encode() for key in self._keys])))

    def sums(self, found: frozenset[int]) -> Exact:
        """Return what the units add to each key that was not found."""
        return in_time(lambda: self._of_all(found))

    def _of_all(self, found: frozenset[int]) -> Exact:
        some = _sums(self._added(sorted(found))) if found else self._first
        return Exact(tuple([some.get(place, 0) for place in range(len(self._keys))]))

    def names(self, found: frozenset[int]) -> list[str]:
        """Return the text of keys that were found, ordered by its bytes."""
        return sorted((self._keys[place] for place in found), key=str.encode)

    def close(self) -> None:
        """Let the state go."""
        self._held.close()


def _sums(rows: Iterable[Sequence[object]]) -> dict[int, int]:
    """Return what a round adds to each key, by its number."""
    return {int(cast("int", number)): int(cast("int", added)) for number, _, added in rows}
