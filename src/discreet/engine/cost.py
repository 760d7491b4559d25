"""How long a count takes on each engine, by what was measured and what is public.

Rules of this module:
- it follows from the declared number of rows, the kind of source and the questions: nothing is
  opened, and where the number of rows is not public nothing is said;
- a figure has one digit that counts: another machine, other columns and other work move it more.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from ..aggregate import Aggregate
from ..exact.number import rounded
from ..schema import Table
from .protocol import groupings
from .remote import Address
from .select_engine import ENGINES


class _Cost(NamedTuple):
    """Microseconds of CPU a row: where a row is the unit, and where rows of a unit are chosen.

    Source: `python -m bench.engines cost 1e6 duckdb memory postgres spark` on two cores. The
        fixed cost of each count of Spark is no cost of a row (docs/engines-measured.md).
    """

    name: str
    a_row: Fraction
    chosen: Fraction
    portable: Fraction


_COSTS = {
    "memory": _Cost("Python", Fraction(8), Fraction(24), Fraction(26)),
    "duckdb": _Cost("DuckDB", Fraction("0.05"), Fraction("0.2"), Fraction("0.9")),
    "postgres": _Cost("Postgres", Fraction("0.5"), Fraction("1.2"), Fraction("2.5")),
    "spark": _Cost("Spark", Fraction("0.9"), Fraction("2.9"), Fraction("3.7")),
}
_MICRO = Fraction(1, 1_000_000)
_SHORT = 2  # seconds of which nothing is said
_MINUTE, _HOUR = 60, 3_600


def cost_words(table: Table, aggregates: Iterable[Aggregate]) -> str | None:
    """Return how long a count may take; None where that is not known, or not worth a word.

    Args:
        table: the declaration; only its source's type and its public number of rows are looked at.
        aggregates: what is counted.
    """
    engine = _engine_of(table.source)
    rows = table.facts.rows
    if rows is None or engine not in _COSTS:
        return None
    cost = _COSTS[engine]
    seconds = len(groupings(table, aggregates)) * _of_one(cost, table) * rows * _MICRO
    if seconds < _SHORT:
        return None
    return (
        f"Counting the {rows:,} rows that are declared takes {cost.name} some {_spoken(seconds)}, "
        "by what was measured on another machine."
    )


def _engine_of(source: object) -> str | None:
    if isinstance(source, Address):
        return "postgres"
    return next((engine.name for engine in ENGINES.values() if engine.reads(source)), None)


def _of_one(cost: _Cost, table: Table) -> Fraction:
    """Return the microseconds a row of one grouping."""
    if table.unit.column is None:
        return cost.a_row
    return cost.portable if table.unit.sampling == "portable" else cost.chosen


def _spoken(seconds: Fraction) -> str:
    sizes = ((_HOUR, "hours"), (_MINUTE, "minutes"), (1, "seconds"))
    size, name = next(scale for scale in sizes if seconds >= 2 * scale[0] or scale[0] == 1)
    return f"{rounded(seconds * Fraction(1, size), 1)} {name}"
