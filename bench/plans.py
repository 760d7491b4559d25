# ruff: noqa: SLF001 - a plan is that of the very query, which an engine keeps to itself
"""How an engine goes about each kind of count: the steps of its plan, kept to be compared.

Rules of this module:
- the plan is asked of the engine itself, for the query that the count hands it;
- of a step its name is told, and of a scan what it reads: no number, which moves from run to run;
- what only hands rows on (projections, scans of a named step) is left out.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

from discreet.aggregate import Aggregate
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.postgres import connection
from discreet.engine.protocol import SALTS
from discreet.engine.select_engine import engine_for
from discreet.schema import Table

from .table import Section

_SILENT = {"PROJECTION", "CTE_SCAN", "Subquery Scan", "CTE Scan", "Result", "CTE", "ROOT"}
KEPT = ("duckdb", "postgres")  # engines whose plans are told
COLUMNS = ("engine, what", "steps, the last one first; of several alike one is told")


def section(lines: Sequence[Sequence[str]]) -> Section:
    """Return the table of plans."""
    about = (
        "The steps of the plan by which each count above was made, from `EXPLAIN` of the very "
        "query. Projections are left out, and so is what reads a named step again."
    )
    return Section("Plans of these counts", about, COLUMNS, lines)


def plan_of(name: str, table: Table, aggregates: tuple[Aggregate, ...]) -> str:
    """Return the steps of the plan of a count, on DuckDB or PostgreSQL."""
    steps = _on_duckdb(table, aggregates) if name == "duckdb" else _on_postgres(table, aggregates)
    told, before = [], ""
    for step in steps:
        if step != before:
            told.append(step)
        before = step
    return " < ".join(told)


def _on_duckdb(table: Table, aggregates: tuple[Aggregate, ...]) -> Iterator[str]:
    prepared = DuckEngine().prepare(table, aggregates)
    prepared._source.hand_over()
    parameters = {"salt": 7 % SALTS} if prepared._is_salted else {}
    answer = prepared._source.connection.execute(
        f"EXPLAIN (FORMAT json) {prepared._text}", parameters
    )
    yield from _named(json.loads(answer.fetchall()[0][1])[0], "name", "children")


def _on_postgres(table: Table, aggregates: tuple[Aggregate, ...]) -> Iterator[str]:
    plans: list[Any] = []
    fetched = connection._fetched

    def act(cursor: Any, wanted: Any) -> Any:
        rows = cursor.execute(f"EXPLAIN (FORMAT JSON) {wanted.text}", wanted.parameters).fetchall()
        plans.append(rows[0][0])
        return fetched(cursor, wanted)

    with patch.object(connection, "_fetched", act):
        engine_for(table.source).prepare(table, aggregates).count(7)
    yield from _named(plans[-1][0]["Plan"], "Node Type", "Plans")


def _named(step: Any, name: str, below: str) -> Iterator[str]:
    if step[name].strip() not in _SILENT:
        yield step[name].strip()
    for other in step.get(below, ()):
        yield from _named(other, name, below)
