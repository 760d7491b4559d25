"""Made-up rows on a Postgres server, in temporary tables, or as frames of a Spark session.

Rules of this module:
- nothing of a server is read; a temporary table is gone when the audit ends;
- columns have types there: a number's is double, and what is no number of it is missing.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

from ..engine.remote import Address, connected
from ..errors import EngineError, InputError
from ..fix import Set
from ..schema import Table
from .cells import Cell
from .sources import Place, names_of, table_over
from .worlds import Layout, MadeRow, World

_TYPES = {  # of a kind of cells: on Postgres, on Spark
    "number": ("double precision", "double"),
    "whole": ("bigint", "bigint"),
    "truth": ("boolean", "boolean"),
    "day": ("date", "date"),
    "moment": ("timestamp", "timestamp_ntz"),
    "text": ("text", "string"),
}
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@contextmanager
def on_server(engine: str, address: str) -> Iterator[Place]:
    """Yield what puts made-up rows on a server.

    Raises:
        InputError: no address of a Postgres server, or Spark is missing.
    """
    check_named(engine, address)
    if engine == "postgres":
        with connected(Address(address), allowed=True) as connection:
            yield _Postgres(connection).place
    else:
        yield _Spark(_session()).place


def check_named(engine: str | None, address: str) -> None:
    """Refuse to audit on a Postgres server that nobody has named."""
    if engine == "postgres" and not address:
        raise InputError(
            "no Postgres server is named to audit on.",
            kind="audit-setup",
            why="made-up rows are put into temporary tables of a server; the plan's own is not "
            "taken without being named",
            fix=Set({"server": "postgresql://localhost/postgres"}),
        )


def _session() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError(
            "there is no Spark to audit on.",
            kind="audit-setup",
            why="pyspark is not installed here",
            fix="type: python -m pip install pyspark; or leave --engine spark out",
        ) from None
    try:
        builder: Any = SparkSession.builder
        return builder.getOrCreate()
    except Exception:  # noqa: BLE001 - what Spark says may be of anything
        raise EngineError(
            "no session of Spark could be started.",
            kind="engine-settings",
            why="it needs Java 17, and room for it",
            fix="try pyspark by hand first",
        ) from None


def _typed(cell: Cell, kind: str) -> object:
    """Return a cell as a value of its column's type; None where it is none."""
    if cell is None or kind == "text":
        return None if cell is None else cell.replace("\0", "\u2400")
    try:
        if kind in ("number", "whole"):
            number = float(cell)
            return number if kind == "number" else _whole(number)
        if kind == "truth":
            return {"1": True, "true": True, "0": False, "false": False}.get(cell)
        return date.fromisoformat(cell) if kind == "day" else datetime.fromisoformat(cell)
    except ValueError:
        return None


def _copied(value: object) -> str:
    """Return a value as COPY reads it."""
    text = "\\N" if value is None else str(value)
    return text if value is None else text.translate(_ESCAPES)


def _whole(number: float) -> int | None:
    return int(number) if math.isfinite(number) and abs(number) < 2.0**53 else None


class _Postgres:
    """Temporary tables of one connection."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def place(
        self, layout: Layout, world: World, order: Callable[[Sequence[MadeRow]], Sequence[MadeRow]]
    ) -> Table:
        """Fill a table for each spot, and return the declaration over them."""
        names = {0: layout.table.name}
        for join, spot in zip(layout.table.joins, layout.places[1:], strict=True):
            names.setdefault(spot, join.name)
        for spot, rows in enumerate(world):
            self._fill(names[spot], layout, spot, order(rows))
        return table_over(layout, [self._connection] * len(world))

    def _fill(self, name: str, layout: Layout, spot: int, rows: Sequence[MadeRow]) -> None:
        columns = names_of(layout, spot)
        kinds = {c: layout.spots[spot].kind(c) for c in columns}
        quoted = '"' + name.replace('"', '""') + '"'
        listed = ", ".join(
            f'"{c.replace(chr(34), chr(34) * 2)}" {_TYPES[k][0]}' for c, k in kinds.items()
        )
        self._connection.execute(f"DROP TABLE IF EXISTS pg_temp.{quoted}")
        self._connection.execute(f"CREATE TEMPORARY TABLE {quoted} ({listed})")
        with self._connection.cursor() as cursor, cursor.copy(f"COPY {quoted} FROM STDIN") as copy:
            for row in rows:  # as text, whatever a caller's adapters make of a value
                values = [_typed(row.cells.get(c), k) for c, k in kinds.items()]
                copy.write("\t".join(map(_copied, values)) + "\n")


class _Spark:
    """Frames of one session."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def place(
        self, layout: Layout, world: World, order: Callable[[Sequence[MadeRow]], Sequence[MadeRow]]
    ) -> Table:
        """Make a frame for each spot, and return the declaration over them."""
        frames = []
        for spot, rows in enumerate(world):
            kinds = {c: layout.spots[spot].kind(c) for c in names_of(layout, spot)}
            listed = ", ".join(f"`{c.replace('`', '``')}` {_TYPES[k][1]}" for c, k in kinds.items())
            cells = [
                tuple(_typed(row.cells.get(c), k) for c, k in kinds.items()) for row in order(rows)
            ]
            frames.append(self._session.createDataFrame(cells, listed))
        return table_over(layout, frames)
