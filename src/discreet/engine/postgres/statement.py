"""The query as one statement of PostgreSQL: its text, and what it is given beside.

Rules of this module:
- the salt and the public keys are parameters; nothing is pasted into the text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from ..sql.dialect import SALT
from ..sql.query import Counting

_KINDS = {"i": "BIGINT[]", "f": "DOUBLE[]", "O": "TEXT[]"}  # by the letter of a NumPy type


@dataclass(frozen=True, slots=True)
class Statement:
    """A text with $1, $2 ..., and what these are."""

    text: str
    parameters: tuple[object, ...]


def statement(query: Counting, salt: int) -> Statement:
    """Return the query with its public tables, as a statement that makes nothing on the server."""
    found, parameters = query.query.copy(), list[object]()

    def parameter(value: object) -> exp.Expression:
        parameters.append(value)
        return exp.Parameter(this=exp.Literal.number(len(parameters)))

    for mark in list(found.find_all(exp.Placeholder)):
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
        found = found.with_(name, rows, copy=False)
    _tables_first(found, len(query.tables))
    return Statement(found.sql(dialect="postgres"), tuple(parameters))


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
