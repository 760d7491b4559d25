"""What engines add up for measures, and the proof that it fits into 128 bits.

Rules of this module:
- a measure is put together from sums over rows: of nothing (a count), of a value, of a product;
- a sum that cannot be proved to fit is refused before anything is charged, whatever engine counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Literal

from .aggregate import Aggregate, Coordinate, Measure, Point, Value, columns_of
from .errors import InputError, InternalError, shown
from .fix import BLANK, call, write
from .schema import Table

ROWS = 10**15  # of a source, at most
_MOST = 2**127 - 1


@dataclass(frozen=True, slots=True)
class Added:
    """One sum over the rows of a cell, made once for all measures that need it.

    rows, units: how many there are. cells: over the rows in which all of `over` are usable, the
    product of `values`, which is 1 without any.
    """

    kind: Literal["rows", "units", "cells"]
    values: tuple[Value, ...] = ()
    over: tuple[str | Point, ...] = ()


@lru_cache(maxsize=4096)
def added(measure: Measure) -> tuple[tuple[int, Added], ...]:
    """Return the sums that a measure is made of, each with its factor."""
    if measure.kind != "cells":
        return ((1, Added(measure.kind)),)
    if any(len(t.values) > 2 or set(t.values) - set(measure.values) for t in measure.terms):
        raise InternalError(
            "a measure is no polynomial of degree two in the values of a row.",
            kind="internal-fault",
            why="engines add up values and products of two, and nothing else",
            fix="please report it, with the plan",
        )
    over = tuple(sorted({_source(value) for value in measure.values}, key=str))
    return tuple(
        (term.factor, Added("cells", tuple(sorted(term.values, key=str)), over))
        for term in measure.terms
        if term.factor
    )


def _source(value: Value) -> str | Point:
    """Return the column or point that must be usable for a value."""
    return value.point if isinstance(value, Coordinate) else columns_of(value)[0]


def largest(table: Table, term: Added) -> int:
    """Return how much one row adds to a sum at most, in size.

    Each value lies in a range of its own, because it is clamped where it is added up, and a
    point's coordinates are no larger than the radius of its ball.
    """
    return prod([_furthest(table, value) for value in term.values])


def _furthest(table: Table, value: Value) -> int:
    if isinstance(value, Coordinate):
        if value.point.ball is not None:
            return value.point.ball.radius
        return _furthest(table, value.point.columns[value.place])
    if isinstance(value, str):
        return max(abs(table.columns[value].lower_step), abs(table.columns[value].upper_step))
    return value.parts


def check_sums(table: Table, aggregates: Iterable[Aggregate]) -> None:
    """Refuse what may pass 128 bits, in a source of up to ROWS rows.

    Proof. A sum over some rows, in any order and put together from any parts, is at most the number
    of rows times what one row adds at most, in size: so is each sum on the way to it. What an
    engine works out for one row is no larger either. Factors are multiplied in Python, where whole
    numbers have no end.

    Raises:
        InputError: a sum of products may be larger.
    """
    measures = [measure for aggregate in aggregates for measure in aggregate.measures]
    sums = dict.fromkeys([term for measure in measures for _, term in added(measure)])
    wide = next((term for term in sums if ROWS * largest(table, term) > _MOST), None)
    if wide is not None:
        names = dict.fromkeys(name for value in wide.values for name in columns_of(value))
        raise InputError(
            f"products of {' and '.join(map(shown, names))} may add up to more than 128 bits.",
            kind="sum-too-large",
            why="sums are exact only as long as they fit, for a million billion rows",
            fix=write(of="table", verb="declare", columns=_blank(names)),
        )


def _blank(names: Iterable[str]) -> dict[str, object]:
    """Return bounds to be declared again, with a larger step or nearer to 0."""
    return {name: call("discreet.bounds", BLANK, BLANK, step=BLANK) for name in names}
