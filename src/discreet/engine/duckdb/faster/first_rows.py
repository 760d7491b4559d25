"""What is known of a source's size beforehand: how many rows it has, and whether units have many.

Rules of this module:
- why no integer changes: the answer chooses among queries and passes that count the same
  (`passes`, `sql.faster.pruned`);
- nothing that takes long is run, and what goes wrong is no matter: then nothing is known.
"""

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from ....schema import Table
from ...source import library_of
from ..connect import OpenSource, nothing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_FIRST = 2**13  # rows that are looked at
_SMALL = 2**18  # rows that are sorted in less time than pruning and a longer query take
_FEW = 2**19  # rows that are counted in less time than a look and another query take
_LARGE = 40  # rows of a unit from which on pruning saves more than it costs


def size_of(table: Table, source: OpenSource) -> int:
    """Return how many rows a source has, as far as that is known without a look at one; else 0."""
    if source.hand_over is nothing:
        return rows_expected(source.connection, source.table)
    frame = table.source
    is_in_memory = library_of(frame) == "pyarrow" and hasattr(frame, "num_rows")
    return int(cast("Any", frame).num_rows) if is_in_memory else 0


def rows_expected(connection: "DuckDBPyConnection", source: exp.Expression) -> int:
    """Return how many rows DuckDB expects, without a look at one; 0 if unknown."""
    with suppress(Exception):
        query = exp.select("*").from_(source.copy()).sql(dialect="duckdb")
        explained = connection.execute(f"EXPLAIN (FORMAT json) {query}").fetchall()
        return _expected(json.loads(explained[0][1]))
    return 0


def _expected(steps: list[dict[str, Any]]) -> int:
    """Return the most rows that a step of a query is expected to bring."""
    here = (int(step.get("extra_info", {}).get("Estimated Cardinality", 0)) for step in steps)
    below = (_expected(step.get("children", [])) for step in steps)
    return max([0, *here, *below])


def is_small(size: int) -> bool:
    """Say whether a source is known to have so few rows that pruning costs more than it saves."""
    return 0 < size < _SMALL


def can_be_looked_at(table: Table, size: int) -> bool:
    """Say whether a source is worth a look, and can be looked at quickly: it has so many rows."""
    return size >= _FEW and not table.joins


def has_small_units(table: Table, source: OpenSource, size: int) -> bool:
    """Say whether units have so few rows that pruning costs more than it saves; if unknown, no.

    Of n rows in no order, out of N, some n(n - 1)/2N times the mean number of rows of a unit, over
    all rows, are pairs of one unit. So many at most are named again: rows that lie in the order of
    their units look like large ones.

    Args:
        size: of `size_of`: N, as far as it is known.
    """
    with suppress(Exception):
        named, units = _first(table, source)
        return 2 * (named - units) * size < _LARGE * named * (named - 1)
    return False


def _first(table: Table, source: OpenSource) -> tuple[int, int]:
    """Return how many of the first rows name a unit, and how many units they name."""
    unit = source.cell("unit", table.unit.column or "")
    some = exp.select(exp.alias_(unit, "u")).from_(exp.alias_(source.table.copy(), "s"))
    rows = some.limit(_FIRST).subquery("f")
    named = exp.Count(this=exp.column("u"))
    distinct = exp.Count(this=exp.Distinct(expressions=[exp.column("u")]))
    source.hand_over()
    query = exp.select(named, distinct).from_(rows).sql(dialect="duckdb")
    ((rows_named, units),) = source.connection.execute(query).fetchall()
    return rows_named, units
