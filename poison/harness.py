"""One row more: the table against the table with it, through a door."""

import gc
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import DiscreetError

from .sources import Made

SALT = 20_261_122
Outcome = tuple[str, list[tuple[int, ...]]]


@dataclass(frozen=True)
class Found:
    """What was wrong in a case."""

    finding: str
    case: str
    what: str


@dataclass(frozen=True)
class Declared:
    """How a table is declared in a case."""

    unit: object
    bounds: Any
    keys: Sequence[object] | None
    has_value: bool
    limited: bool = False

    def table(self, made: Made) -> Any:
        source, how = made
        return dp.table(
            source,
            unit=self.unit,
            columns={"v": self.bounds} if self.has_value else {},
            keys={"k": self.keys} if self.keys else {},
            **how,
        )

    def asked(self, table: Any) -> tuple[Any, ...]:
        """Every kind of statistic."""
        by = "k" if self.keys else None
        limits = {"max_groups": 2, "max_rows_per_group": 2} if self.limited else {}
        statistics = [dp.count(by, **limits), dp.count_units(by, **limits)]
        if self.has_value:
            statistics += [dp.sum("v", by, **limits), dp.mean("v", by, **limits)]
            statistics += [dp.histogram("v", by, bins=7, **limits), dp.variance("v", by, **limits)]
            statistics += [dp.histogram("v", bins=[-5, -1, 0, 4, 5], **limits)]
        return tuple(a for one in statistics for a in one.aggregates(table))


def outcome(
    make: Callable[[Path], Made], declared: Declared
) -> tuple[str, list[Any], tuple[Any, ...]]:
    """Return the kind of outcome, the vectors, and the aggregates."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = make(Path(folder))
        aggregates: tuple[Any, ...] = ()
        prepared = None
        try:
            table = declared.table(made)
            aggregates = declared.asked(table)
            prepared = engine_for(made[0]).prepare(table, aggregates)
        except DiscreetError as error:
            return f"refused: {type(error).__name__}", [], aggregates
        except Exception as error:
            return f"raised before the charge: {type(error).__name__}", [], aggregates
        try:
            vectors = [one.opened_by_the_door() for one in prepared.count(SALT)]
        except DiscreetError as error:
            return f"failed after the charge: {type(error).__name__}", [], aggregates
        except Exception as error:
            return f"raised after the charge: {type(error).__name__}", [], aggregates
        finally:
            prepared = None
            gc.collect(0)
        return "answered", vectors, aggregates


def compared(
    finding: str,
    case: str,
    before: tuple[str, list[Any], tuple[Any, ...]],
    after: tuple[str, list[Any], tuple[Any, ...]],
    units: int = 1,
) -> list[Found]:
    """Return what is wrong between a table and the same with so many units more."""
    kind, vectors, aggregates = before
    other, moved, _ = after
    if kind != other:
        return [Found(finding, case, f"{kind}, with the row {other}")]
    found: list[Found] = []
    if kind != "answered":
        return found
    for aggregate, one, two in zip(aggregates, vectors, moved, strict=True):
        if len(one) != len(two):
            found.append(Found(finding, case, f"a vector of {len(one)} cells got {len(two)}"))
            continue
        moves = [abs(a - b) for a, b in zip(one, two, strict=True)]
        most = aggregate.sensitivity
        measured = (sum(moves), max(moves, default=0))
        declared = (units * most.l1, units * most.linf)
        if any(a > b for a, b in zip(measured, declared, strict=True)):
            found.append(
                Found(finding, case, f"moved by {measured[0]:,}, declared {declared[0]:,}")
            )
        elif units == 1 and sum(m * m for m in moves) > most.l2_squared:
            found.append(Found(finding, case, "moved too far in squares"))
    return found
