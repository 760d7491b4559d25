"""A count in several passes over the same source, each of a share of the units: for little memory.

Rules of this module:
- a unit is in one pass, with all its rows: what stays of them is chosen as in a single pass, and
  sums of whole numbers add up, so that no integer depends on the number of passes;
- a source is read twice only where it is known to hold the same rows: a view that somebody vouches
  for may name its units anew, and one person would be in several passes; of files that is looked at
  (`files`);
- how many passes there are is told to nobody: it follows from the size of the data.

Why no integer changes, which is the first rule. Which pass a unit is in is a function of the salt
and the unit's value alone, and DuckDB hashes equal values alike, which its own grouping rests on.
The condition stands where the cells of a row are read, before anything is chosen, and every choice
after it looks at the rows of one unit only. Distinct units are counted once each, because no two
passes share one.

Decision 53.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from ....schema import Table
from ...parts import tables_of
from ...progress import Percent
from ...source import can_be_read_again, files_of, is_connection, is_data_set, is_paths
from ...sql.columns import PREFIX
from ...sql.dialect import DUCKDB
from ..connection import memory_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = tuple[Any, ...]
Read = Callable[[int, int], list[Row]]  # of the number of a pass, and of all passes
State = Callable[[], AbstractContextManager[None]]

PASS, PASSES = "pass", "passes"  # parameters of the query
_MOST = 256  # passes
_MORE = 4  # times as many, where memory was not enough
_BYTES = 64  # a row takes while it is ranked; measured: 10^7 rows in two passes of 200 MB, not one


def of_one_pass(query: exp.Query) -> str:
    """Return the text of a query that counts the units of one pass; the query is changed.

    The condition stands where the cells of each row are read, and the salt in it: so nobody can
    choose names which all come into one pass.
    """
    whose = DUCKDB.hash_of([exp.column("u")])
    passes, this = (
        exp.cast(exp.Placeholder(this=name), "UBIGINT", dialect="duckdb") for name in (PASSES, PASS)
    )
    cells = next(cte.this for cte in query.ctes if cte.alias == f"{PREFIX}_cells")
    cells.where(exp.EQ(this=exp.Mod(this=whose, expression=passes), expression=this), copy=False)
    return query.sql(dialect="duckdb")


def is_for_passes(table: Table) -> bool:
    """Say whether a table may be read several times, and has units that rows are bounded by."""
    return table.unit.column is not None and all(map(_is_the_same, tables_of(table)))


def _is_the_same(table: Table) -> bool:
    source = table.source
    again = is_paths(source) or can_be_read_again(source)
    return again and table.vouched is None and (not is_data_set(source) or bool(files_of(source)))


def enough(connection: "DuckDBPyConnection", rows: int) -> int:
    """Return in how many passes memory should do, by how many rows there are; 1 if unknown."""
    with suppress(Exception):
        return max(1, min(_MOST, -(-rows * _BYTES // memory_of(connection))))
    return 1


def counted(read: Read, first: int, state: State) -> list[Row]:
    """Return the rows of all passes, added up; where memory is not enough, in more passes.

    Whatever a pass has found is dropped before it is tried again.

    Args:
        read: runs one pass.
        first: how many passes are tried first.
        state: holds the source in one state for several passes.
    """
    import duckdb

    passes = first
    while True:
        try:
            if passes == 1:
                return read(0, 1)
            with state():
                return _added(read, passes)
        except duckdb.OutOfMemoryException:
            if passes >= _MOST:
                raise
        passes = min(_MOST, passes * _MORE)


def _added(read: Read, passes: int) -> list[Row]:
    totals: dict[tuple[int, int], Sequence[Any]] = {}
    for number in range(passes):
        for part, cell, *sums in read(number, passes):
            before = totals.get((part, cell))
            totals[part, cell] = sums if before is None else [*map(_sum, before, sums)]
    return [(*place, *sums) for place, sums in totals.items()]


def _sum(first: int | None, other: int | None) -> int | None:
    """Return the sum of two sums, of which NULL adds nothing."""
    return first if other is None else other if first is None else first + other


@contextmanager
def one_state(connection: "DuckDBPyConnection", table: Table) -> Iterator[None]:
    """Have every query of a cursor see a user's database as it is now; files have no such states.

    A unit is in one pass whatever changes meanwhile, so this is for exactness and not for privacy.
    """
    if not is_connection(table.source):
        yield
        return
    connection.begin()
    try:
        yield
    finally:
        with suppress(Exception):
            connection.rollback()


def percent_of_all(percent: Percent, at: Callable[[], tuple[int, int]]) -> Percent:
    """Return how much of all passes is done, from how much of one is, and which it is of how many.

    It may fall back, where memory was not enough and more passes begin.
    """

    def found() -> int | None:
        (number, passes), done = at(), percent()
        if done is None and number == 0:
            return None
        return (100 * number + (done or 0)) // passes

    return found
